# Headers that are compiled once: those of others, which every file includes again and which no change touches. A file still includes what it uses,
# which a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON holds (CI has one); our own headers stay out, or a change to one would compile everything.
set(PLANC_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <deque> <functional> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# planc_precompile(TARGET [FROM OTHER] [HEADERS…]): the headers above and these, or what OTHER, a target with the same flags, has.
function(planc_precompile target)
  cmake_parse_arguments(P "" "FROM" "HEADERS" ${ARGN})
  planc_precompile_options(${target})
  if(P_FROM)
    target_precompile_headers(${target} REUSE_FROM ${P_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${PLANC_PRECOMPILED} ${P_HEADERS})
  endif()
endfunction()

# What lets ccache tell one precompiled header from another.
function(planc_precompile_options target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
