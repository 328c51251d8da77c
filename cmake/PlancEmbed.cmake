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

# Embeds the syntax trees of the standard library, and what lexer and parser learn from it and from EXAMPLES: the parser is a library of its own
# (planc_parse), so that a program made of it can run before the rest of the frontend is linked. Defines `planc::embeddedStdlibTrees()` and
# `planc::parse::learnedDecisions()`.
function(planc_embed_trees target)
  cmake_parse_arguments(E "" "TEXTS;EXAMPLES" "" ${ARGN})
  set(frontend ${CMAKE_CURRENT_SOURCE_DIR}/frontend)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${frontend}/syntax/*.cpp ${frontend}/parse/*.cpp)
  file(GLOB examples CONFIGURE_DEPENDS ${E_EXAMPLES})
  add_library(planc_parse STATIC ${sources})
  target_link_libraries(planc_parse PUBLIC planc_support PRIVATE planc_grammar)
  planc_precompile(planc_parse HEADERS <antlr4-runtime.h>)
  add_executable(planc_embed_trees ${frontend}/embed/EmbedTrees.cpp ${frontend}/embed/Untaught.cpp)
  target_link_libraries(planc_embed_trees PRIVATE planc_parse ${E_TEXTS} nlohmann_json::nlohmann_json)
  target_compile_options(planc_embed_trees PRIVATE -fPIC) # as headers that PLANC_ALONE compiles once
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embed/${target}.cpp)
  set_target_properties(planc_embed_trees PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/embed)
  add_custom_command(OUTPUT ${out} COMMAND planc_embed_trees ${out} ${examples} DEPENDS planc_embed_trees ${examples}
    COMMENT "embedding ${target}" VERBATIM)
  add_library(${target} STATIC ${out})
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
endfunction()
