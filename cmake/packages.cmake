# What is installed where, and the two packages that CPack makes of it: a .deb of the component `program`, which depends on
# Debian's libraries, and a .tar.gz that also has the component `carried`: these libraries. scripts/package.sh makes both.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
set(resources ${CMAKE_INSTALL_DATADIR}/gemmscope) # base::resource_folder() finds them by the program's own place
install(TARGETS gemmscope)
install(DIRECTORY kernels assets shaders DESTINATION ${resources})
# What machines without NVRTC show: the target `pack` compiles it, for two minutes, and proves it for two.
set(pack ${CMAKE_BINARY_DIR}/pack/kernels.pack)
file(GLOB taught CONFIGURE_DEPENDS kernels/*.cu kernels/races/*.cu assets/lessons/*.md docs/stories/*.md)
add_custom_command(OUTPUT ${pack} COMMAND ${CMAKE_SOURCE_DIR}/scripts/pack.sh $<TARGET_FILE:gemmscope> ${pack}
  DEPENDS gemmscope scripts/pack.sh scripts/stories.py docs/inner_loops.md ${taught} VERBATIM)
add_custom_target(pack DEPENDS ${pack})
install(FILES ${pack} DESTINATION ${resources}/compiled OPTIONAL)
install(FILES docs/homework.md docs/json.md docs/lessons.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/gemmscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/gemmscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES packaging/gemmscope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES packaging/gemmscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
# The program says what its man page and the shells are to know.
install(CODE "
  set(GEMMSCOPE_PROGRAM \"$<TARGET_FILE:gemmscope>\")
  set(packaging \"${CMAKE_SOURCE_DIR}/packaging\")
  set(data \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/install_described.cmake\")")

# Others' libraries. Those whose packages differ from release to release in name or version come with the program; the .tar.gz also
# has those that few machines have, and, as a fallback, all others.
set(libraries lib/gemmscope)
set_target_properties(gemmscope PROPERTIES INSTALL_RPATH "$ORIGIN/../${libraries}")
function(install_libraries component pattern folder)
  install(CODE "
    set(GEMMSCOPE_PROGRAM \"$<TARGET_FILE:gemmscope>\")
    set(pattern \"${pattern}\")
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
    set(copyrights \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/gemmscope/libraries\")
    include(\"${CMAKE_SOURCE_DIR}/cmake/install_libraries.cmake\")" COMPONENT ${component} ${ARGN})
endfunction()
install_libraries(program "^lib(fmt|tomlplusplus|stb|muparser)\\\\." ${libraries})
install_libraries(carried "^lib(glfw|md4c)\\\\." ${libraries} EXCLUDE_FROM_ALL)
install_libraries(carried "^lib(X|xcb|bsd|md\\\\.|fontconfig|freetype|expat|png|brotli|z\\\\.|gomp)" ${libraries}/fallback EXCLUDE_FROM_ALL)
install(PROGRAMS packaging/launcher.sh DESTINATION . RENAME gemmscope COMPONENT carried EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME gemmscope)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "shows how a matrix multiplication runs on a GPU")
# Who answers for the packages: who makes them, by Debian's variables, or nobody yet.
set(CPACK_PACKAGE_CONTACT "The maintainers of gemmscope <maintainers@gemmscope.invalid>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_FILE_NAME gemmscope-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_kinds.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz) # takes the pack of 25 MB to 2
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME gemmscope)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the program loads when it runs: OpenGL with a display and without, a font; what GLFW loads. dpkg-shlibdeps knows of none.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libegl1, libgl1, fonts-dejavu-core, libxrandr2, libxinerama1, libxcursor1, libxi6")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri, libegl-mesa0, libglx-mesa0, fonts-noto-cjk, python3, python3-venv, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, libopenblas0")
set(CPACK_PACKAGE_DESCRIPTION "Pick a kernel and slide its tile sizes. See which thread owns which element,
which shared-memory bank each lane hits, and how fast the kernel is beside
cuBLAS. Pictures and counters come from executing the kernel's own machine
code on the CPU. No GPU is needed.
.
What lessons and the first screen show comes compiled. For every other kernel
and setting, where there is no CUDA Toolkit 12 or 13, `gemmscope setup` fetches
NVRTC and ptxas from PyPI into the user's own folder.")
include(CPack)
