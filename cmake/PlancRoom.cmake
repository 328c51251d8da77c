# One static library per room; its link dependencies are the architecture's arrows. The first one precompiles headers of others for all; a room
# says PRECOMPILED where it needs more.
function(planc_room name)
  cmake_parse_arguments(R "" "" "DEPENDS;PRIVATE;PRECOMPILED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  string(REPLACE "/" "_" target planc_${name})
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC planc_flags ${R_DEPENDS} PRIVATE ${R_PRIVATE})
  if(R_PRECOMPILED)
    planc_precompile(${target} HEADERS ${R_PRECOMPILED})
  else()
    planc_precompile(${target} FROM planc_support)
  endif()
  # The arrows as the build knows them: the picture in docs/architecture.md is made from this file (tests/docs/picture.py).
  set_property(GLOBAL APPEND_STRING PROPERTY PLANC_ROOMS "${name}: ${R_DEPENDS}\n")
  get_property(rooms GLOBAL PROPERTY PLANC_ROOMS)
  file(WRITE ${CMAKE_BINARY_DIR}/rooms.txt "${rooms}")
endfunction()
