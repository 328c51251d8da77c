# Embeds the text files of a folder: generates `const std::vector<planc::EmbeddedFile>& planc::FUNCTION()` with PREFIX/relative/path names.
function(planc_embed target)
  cmake_parse_arguments(E "" "DIRECTORY;PREFIX;GLOB;FUNCTION" "" ${ARGN})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${E_DIRECTORY}/${E_GLOB})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embed/${target}.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DGLOB=${E_GLOB} -DDIRECTORY=${E_DIRECTORY} -DPREFIX=${E_PREFIX} -DFUNCTION=${E_FUNCTION} -DOUT=${out}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedFiles.cmake
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/EmbedFiles.cmake COMMENT "embedding ${target}" VERBATIM)
  add_library(${target} STATIC ${out})
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
