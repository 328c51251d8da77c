# Runs at build time: writes the manual pages and completions that PLANC prints below OUT, as they lie below `share` of a prefix.
set(man ${OUT}/man/man1)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${man})

function(planc_print file)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PLANC} help ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

planc_print(${man}/planc.1 --format man)
file(READ ${man}/planc.1 page)
string(REGEX MATCHALL "\\.BR planc[^ ]*" commands "${page}") # SEE ALSO lists the page of every command
foreach(command ${commands})
  string(REPLACE ".BR planc\\-" "" command ${command})
  string(REPLACE "\\-" "-" command ${command})
  planc_print(${man}/planc-${command}.1 ${command} --format man)
endforeach()
planc_print(${OUT}/bash-completion/completions/planc --format bash)
planc_print(${OUT}/zsh/site-functions/_planc --format zsh)
planc_print(${OUT}/fish/vendor_completions.d/planc.fish --format fish)
