# OpenGL 3.3 core loader, generated at build by glad2 (PyPI). GEMMSCOPE_PYTHON is an interpreter that has it.
set(GEMMSCOPE_PYTHON ${CMAKE_SOURCE_DIR}/.venv/bin/python3 CACHE FILEPATH "Python with glad2 installed")
set(glad_dir ${CMAKE_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${glad_dir}/src/gl.c ${glad_dir}/include/glad/gl.h
  COMMAND ${GEMMSCOPE_PYTHON} -m glad --quiet --reproducible --api gl:core=3.3 --out-path ${glad_dir} c
  COMMENT "Generating the OpenGL loader")
enable_language(C)
add_library(glad STATIC ${glad_dir}/src/gl.c)
target_include_directories(glad SYSTEM PUBLIC ${glad_dir}/include)
