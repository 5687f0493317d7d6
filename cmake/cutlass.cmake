# The reference series of CUTLASS: a library beside the program, which loads it at run time, as it does all of CUDA. Only
# where its headers are named, because it takes nvcc, some twenty seconds of it.
set(GEMMSCOPE_CUTLASS_INCLUDE_DIR "" CACHE PATH "CUTLASS's headers; empty: without its series")
if(GEMMSCOPE_CUTLASS_INCLUDE_DIR)
  if(NOT EXISTS "${GEMMSCOPE_CUTLASS_INCLUDE_DIR}/cutlass/gemm/device/gemm.h")
    message(FATAL_ERROR "GEMMSCOPE_CUTLASS_INCLUDE_DIR=${GEMMSCOPE_CUTLASS_INCLUDE_DIR} has no cutlass/gemm/device/gemm.h: "
      "install PyPI's nvidia-cutlass and name its cutlass_library/source/include, or run GEMMSCOPE_CUTLASS=1 ./gemmscope.sh")
  endif()
  # Machine code for Ampere to Hopper, and PTX for what comes after.
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPUs that CUTLASS's kernels are compiled for")
  enable_language(CUDA)
  add_library(gemmscope_cutlass SHARED app/gpu/cutlass/product.cu)
  target_include_directories(gemmscope_cutlass PRIVATE app)
  target_include_directories(gemmscope_cutlass SYSTEM PRIVATE ${GEMMSCOPE_CUTLASS_INCLUDE_DIR})
  target_compile_options(gemmscope_cutlass PRIVATE --expt-relaxed-constexpr) # which its headers take for granted
  # The runtime is part of the library, so that nothing need be found when it is loaded.
  set_target_properties(gemmscope_cutlass PROPERTIES CUDA_STANDARD 17 CUDA_RUNTIME_LIBRARY Static
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  add_dependencies(gemmscope gemmscope_cutlass)
endif()
