# Headers of the CUDA Toolkit, or of the PyPI wheels that scripts/setup.sh installs where there is none. The libraries
# themselves are loaded at run time, so that the program starts on a machine without them.
find_path(CUDA_INCLUDE_DIR nvrtc.h
  HINTS $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include
  PATHS /usr/local/cuda/include ${CMAKE_SOURCE_DIR}/.venv/cuda/include)
foreach(header nvrtc.h cuda.h cudaGL.h cuda_occupancy.h)
  if(NOT EXISTS "${CUDA_INCLUDE_DIR}/${header}")
    message(FATAL_ERROR "${header} is missing: run ./gemmscope.sh, or install the CUDA Toolkit 12 or 13")
  endif()
endforeach()
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR})
