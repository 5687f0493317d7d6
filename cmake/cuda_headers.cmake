# Headers of the CUDA Toolkit, or of the PyPI wheels that gemmscope.sh installs where there is none. The libraries
# themselves are loaded at run time, so that the program starts on a machine without them.
find_path(CUDA_INCLUDE_DIR nvrtc.h
  HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include
  PATHS /usr/local/cuda/include ${CMAKE_SOURCE_DIR}/.venv/cuda/include
  REQUIRED)
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR})
