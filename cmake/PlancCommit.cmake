# planc_commit(FILE): tells a source file which commit it is built from, and whether the build is sanitized. Empty outside of a repository. It is
# configured again when the repository gets another commit, and the file is compiled by itself. PLANC_EPOCH is the time of the commit in seconds since
# 1970, or SOURCE_DATE_EPOCH of the environment: the date of manual pages and packages. Empty if there is neither.
function(planc_commit file)
  set(commit "")
  set(epoch "")
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT_EXECUTABLE} show -s --format=%ct HEAD WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    get_filename_component(log "${log}" ABSOLUTE)
    if(EXISTS "${log}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
    endif()
  endif()
  if(DEFINED ENV{SOURCE_DATE_EPOCH})
    set(epoch $ENV{SOURCE_DATE_EPOCH})
  endif()
  set(PLANC_EPOCH "${epoch}" PARENT_SCOPE)
  set(PLANC_COMMIT_ID "${commit}" PARENT_SCOPE)
  if(PLANC_SANITIZE)
    set(sanitized 1)
  else()
    set(sanitized 0)
  endif()
  set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
                              "PLANC_COMMIT=\"${commit}\";PLANC_SANITIZED=${sanitized}")
endfunction()
