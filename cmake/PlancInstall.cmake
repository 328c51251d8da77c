# What `cmake --install` puts into a prefix: the program; libplanc, which is all rooms in one archive, its headers, and what find_package(planc) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(planc_rooms api calibrate backends passes frontend parse grammar ir support stdlib stdlib_trees vocabularies)

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

install(TARGETS planc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/libplanc.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(room api calibrate backends passes frontend ir support)
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/planc FILES_MATCHING PATTERN "*.h")
endforeach()
set(planc_config ${CMAKE_INSTALL_LIBDIR}/cmake/planc)
file(RELATIVE_PATH PLANC_UP /${planc_config} /)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" PLANC_LLVM_FOUND "${LLVM_PACKAGE_VERSION}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/planc-config.cmake.in ${CMAKE_BINARY_DIR}/planc-config.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/planc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/planc-config.cmake ${CMAKE_BINARY_DIR}/planc-config-version.cmake DESTINATION ${planc_config})

# planc_link_rooms(TARGET): all rooms, whole, into a shared object. ANTLR's archive is not made for that, so its library is taken; what the archives of
# others define stays inside.
function(planc_link_rooms target)
  find_library(ANTLR4_SHARED NAMES libantlr4-runtime.so REQUIRED)
  set(files "")
  foreach(room ${planc_rooms})
    list(APPEND files $<TARGET_FILE:planc_${room}>)
    add_dependencies(${target} planc_${room})
  endforeach()
  target_link_libraries(${target} PRIVATE -Wl,--whole-archive ${files} -Wl,--no-whole-archive fmt::fmt LLVMSupport ${ANTLR4_SHARED} Threads::Threads
    $<$<BOOL:${ZLIB_FOUND}>:ZLIB::ZLIB>)
  target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
endfunction()
