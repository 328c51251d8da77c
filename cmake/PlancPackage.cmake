# CPack: `cpack --config build/CPackConfig.cmake` makes a deb and a tar.gz of what `cmake --install` puts into a prefix, without the Python module.
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME planc)
set(CPACK_PACKAGE_VENDOR planc)
set(CPACK_PACKAGE_CONTACT "the planc authors <planc@localhost>" CACHE STRING "the maintainer that a deb names: whoever hands it out")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler that prices machine-learning training plans")
set(CPACK_PACKAGE_DESCRIPTION "planc checks files that describe a model, the cluster it is trained on and how the one is spread over the other,
derives every collective, and prices a training step: time, memory, communication and cost.")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};planc;planc;/") # the component planc
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" planc_system)
if(PLANC_STATIC)
  string(APPEND planc_system -static)
endif()
set(CPACK_PACKAGE_FILE_NAME planc-${PROJECT_VERSION}-${planc_system})
# Debian: what the program loads is found by dpkg-shlibdeps. libplanc, which is in the package as well, needs what planc was built with: suggested, as
# whoever runs the program needs none of it.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, g++, libantlr4-runtime-dev, libfmt-dev, libsqlite3-dev, libzstd-dev, llvm-${LLVM_VERSION_MAJOR}-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/SortPackage.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/CPackProject.cmake)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CPackProject.cmake @ONLY CONTENT "# Read by cpack for each generator: dates of files in packages are that of the commit.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND NOT \"@PLANC_EPOCH@\" STREQUAL \"\")
  set(ENV{SOURCE_DATE_EPOCH} \"@PLANC_EPOCH@\")
endif()
if(CPACK_GENERATOR STREQUAL \"DEB\")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
")
include(CPack)
