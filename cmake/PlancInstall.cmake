# What `cmake --install` puts into a prefix: the program; libplanc, which is all rooms in one archive, its headers, and what find_package(planc) reads.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME planc) # packages hold this component
include(CMakePackageConfigHelpers)
set(planc_rooms api report search calibrate backends passes frontend packages project parse grammar ir support stdlib stdlib_trees vocabularies page_assets)

set(merge "create libplanc.a\n")
set(archives "")
foreach(room ${planc_rooms})
  string(APPEND merge "addlib $<TARGET_FILE:planc_${room}>\n")
  list(APPEND archives planc_${room})
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/libplanc.mri CONTENT "${merge}save\nend\n")
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/libplanc.a COMMAND ${CMAKE_AR} -M < ${CMAKE_BINARY_DIR}/libplanc.mri
  DEPENDS ${archives} ${CMAKE_BINARY_DIR}/libplanc.mri WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMENT "libplanc.a" VERBATIM)
add_custom_target(planc_library ALL DEPENDS ${CMAKE_BINARY_DIR}/libplanc.a)

# Manual pages and completions, printed by the program.
set(planc_help ${CMAKE_BINARY_DIR}/help)
add_custom_command(OUTPUT ${planc_help}/man/man1/planc.1
  COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${PLANC_EPOCH}
          ${CMAKE_COMMAND} -DPLANC=$<TARGET_FILE:planc> -DOUT=${planc_help} -P ${CMAKE_CURRENT_LIST_DIR}/WriteHelp.cmake
  DEPENDS planc ${CMAKE_CURRENT_LIST_DIR}/WriteHelp.cmake COMMENT "manual pages and completions" VERBATIM)
add_custom_target(planc_help ALL DEPENDS ${planc_help}/man/man1/planc.1)

install(TARGETS planc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${planc_help}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(FILES ${CMAKE_BINARY_DIR}/libplanc.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The headers that a program includes, and what those include.
file(GLOB planc_reached RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS api/*.h)
list(APPEND planc_reached report/Report.h support/DiagnosticRender.h)
set(planc_headers "")
while(planc_reached)
  list(POP_FRONT planc_reached header)
  if(header IN_LIST planc_headers OR NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    continue()
  endif()
  list(APPEND planc_headers ${header})
  file(STRINGS ${header} lines REGEX "^#include \"")
  list(TRANSFORM lines REPLACE "^#include \"([^\"]*)\".*" "\\1")
  list(APPEND planc_reached ${lines})
endwhile()
foreach(header ${planc_headers})
  get_filename_component(room ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/planc/${room})
endforeach()
set(planc_config ${CMAKE_INSTALL_LIBDIR}/cmake/planc)
file(RELATIVE_PATH PLANC_UP /${planc_config} /)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" PLANC_LLVM_FOUND "${LLVM_PACKAGE_VERSION}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/planc-config.cmake.in ${CMAKE_BINARY_DIR}/planc-config.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/planc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/planc-config.cmake ${CMAKE_BINARY_DIR}/planc-config-version.cmake ${CMAKE_CURRENT_LIST_DIR}/PlancCheck.cmake
  DESTINATION ${planc_config})
include(PlancBill)
unset(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME)
include(PlancPackage)

# planc_link_rooms(TARGET): all rooms, whole, into a shared object. ANTLR's archive is not made for that, so its library is taken; what the archives of
# others define stays inside.
function(planc_link_rooms target)
  find_library(ANTLR4_SHARED NAMES libantlr4-runtime.so REQUIRED)
  set(files "")
  foreach(room ${planc_rooms})
    list(APPEND files $<TARGET_FILE:planc_${room}>)
    add_dependencies(${target} planc_${room})
  endforeach()
  target_link_libraries(${target} PRIVATE -Wl,--whole-archive ${files} -Wl,--no-whole-archive ${PLANC_FMT} LLVMSupport ${ANTLR4_SHARED} SQLite::SQLite3 Threads::Threads
    $<$<BOOL:${ZLIB_FOUND}>:ZLIB::ZLIB>)
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
endfunction()
