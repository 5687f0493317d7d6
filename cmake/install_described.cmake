# At installation: the man page and completions, as the program describes itself, the changelog of `packaging`, and copyrights of what is
# compiled in, into `data`.
function(describe format file)
  get_filename_component(folder ${data}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${GEMMSCOPE_PROGRAM} describe ${format} OUTPUT_FILE ${data}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
describe(man man/man1/gemmscope.1)
execute_process(COMMAND gzip -9nf ${data}/man/man1/gemmscope.1 COMMAND_ERROR_IS_FATAL ANY)
describe(bash bash-completion/completions/gemmscope)
describe(fish fish/vendor_completions.d/gemmscope.fish)

file(MAKE_DIRECTORY ${data}/doc/gemmscope)
execute_process(COMMAND gzip -9nc ${packaging}/changelog OUTPUT_FILE ${data}/doc/gemmscope/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)

file(READ ${packaging}/copyright text)
foreach(package libimgui-dev libfmt-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libxxhash-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(READ /usr/share/doc/${package}/copyright copyright)
    string(APPEND text "\n\n==== ${package} ====\n\n${copyright}")
  endif()
endforeach()
file(WRITE ${data}/doc/gemmscope/copyright "${text}")
