# Warnings, and what hardens a binary that reads files of strangers. Every room compiles with `planc_flags`; hardening holds for all code, generated or not.
option(PLANC_WERROR "warnings are errors; the environment variable of this name is the default" $ENV{PLANC_WERROR})
option(PLANC_HARDEN "PIE, RELRO, stack protector and _FORTIFY_SOURCE in release builds" ON)

add_library(planc_flags INTERFACE)
# In a unity build GCC would also compare names with those of other files.
target_compile_options(planc_flags INTERFACE -Wall -Wextra $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow> $<$<BOOL:${PLANC_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(planc_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds) # false alarms on "literal" + string (GCC 105651, 105329)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  target_compile_options(planc_flags INTERFACE -Wno-deprecated-declarations) # std::stable_sort's own buffer in libstdc++ 12
endif()
target_link_options(planc_flags INTERFACE -Wl,--as-needed -Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
# The same bytes from every folder: names of files in the code (`__FILE__`, debug information) are relative.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
# The rooms are parts of the program, of libplanc and of the Python module. Nobody replaces their functions at run time, so calls may be inlined as in
# a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)

if(PLANC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(planc_flags INTERFACE -Wno-maybe-uninitialized) # false alarms of instrumented code (GCC's manual, -fsanitize)
  endif()
  add_link_options(-fsanitize=address,undefined)
elseif(PLANC_HARDEN AND CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG") # other release flags are somebody's own choice
  # The highest level that the compiler knows: 3 needs GCC 12 or clang 9. It checks nothing without optimization.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    set(fortify 2)
  else()
    set(fortify 3)
  endif()
  foreach(flag -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify})
    add_compile_options($<$<CONFIG:Release>:${flag}>)
  endforeach()
  foreach(flag -pie -Wl,-z,relro -Wl,-z,now)
    add_link_options($<$<CONFIG:Release>:${flag}>)
  endforeach()
endif()
