# The bill of materials: planc.spdx.json (SPDX 2.3) lists what is in the program, and the licence text of each part is installed beside it.
# How a part gets into the program: `headers` are compiled into it, `archive` is linked into it, `shared` is loaded at its start.
set(planc_shared shared)
if(PLANC_STATIC)
  set(planc_shared archive)
endif()

# planc_part_file(VARIABLE LIBRARY…): the files of libraries that are linked: targets, paths, or names that the compiler finds.
function(planc_part_file variable)
  set(files "")
  foreach(library ${ARGN})
    if(TARGET ${library})
      get_target_property(library ${library} LOCATION)
    elseif(NOT library MATCHES "^/")
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    get_filename_component(library "${library}" REALPATH)
    list(APPEND files ${library})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

if(PLANC_STATIC OR fmt_VERSION VERSION_LESS 10) # driver/Fmt.cpp
  set(planc_fmt_how headers)
else()
  set(planc_fmt_how shared)
  planc_part_file(planc_fmt_files fmt::fmt)
endif()
if(PLANC_OWN_CXX)
  set(planc_gcc_how archive)
  planc_part_file(planc_gcc_files libstdc++.a libgcc.a libgcc_eh.a)
else()
  set(planc_gcc_how shared)
  planc_part_file(planc_gcc_files libstdc++.so.6 libgcc_s.so.1)
endif()
set(planc_sqlite_how ${planc_shared})
if(PLANC_SQLITE MATCHES "\\.a$")
  set(planc_sqlite_how archive)
endif()
planc_part_file(planc_sqlite_files ${PLANC_SQLITE})
set(planc_yaml_how ${planc_shared})
if(PLANC_YAML MATCHES "\\.a$")
  set(planc_yaml_how archive)
endif()
planc_part_file(planc_yaml_files ${PLANC_YAML})
planc_part_file(planc_llvm_files LLVMSupport LLVMDemangle)
planc_part_file(planc_antlr_files ${ANTLR4_STATIC})
planc_part_file(planc_glibc_files libc.so.6 libm.so.6)
if(PLANC_ZLIB)
  planc_part_file(planc_zlib_files ${PLANC_ZLIB})
endif()
if(PLANC_STATIC AND TARGET zstd::libzstd_shared) # nothing of the shared one is loaded: planc compresses nothing by it
  planc_archive(archive zstd::libzstd_shared)
  planc_part_file(planc_zstd_files ${archive})
endif()
if(TARGET Terminfo::terminfo) # LLVM 14 asks it what a terminal can do
  set(archive Terminfo::terminfo)
  if(PLANC_STATIC)
    planc_archive(archive ${archive})
  endif()
  planc_part_file(planc_terminfo_files ${archive})
endif()

find_program(PLANC_DPKG_QUERY dpkg-query)
# planc_debian_version(VARIABLE PACKAGE): its whole version; empty where it is not installed by dpkg.
function(planc_debian_version variable package)
  set(version "")
  if(PLANC_DPKG_QUERY)
    execute_process(COMMAND ${PLANC_DPKG_QUERY} -W -f=\${Version} ${package} OUTPUT_VARIABLE version ERROR_QUIET)
  endif()
  set(${variable} "${version}" PARENT_SCOPE)
endfunction()

# planc_licence(NAME LICENCE PACKAGE): installs the licence text of a part. Without Debian's copy of it a note says which licence it is, and a warning
# tells whoever builds a package.
function(planc_licence name licence package)
  set(text /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${text})
    message(STATUS "no licence text of ${name}: ${text} is missing, and packages get a note in its place")
    set(text ${CMAKE_BINARY_DIR}/licenses/${name})
    file(WRITE ${text} "${name}: SPDX-License-Identifier: ${licence}\nThe machine that built planc had no copy of its text: https://spdx.org/licenses has it.\n")
  endif()
  install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${name})
endfunction()

# planc_part(NAME HOW VERSION LICENCE SUPPLIER URL PACKAGE FILE…): one part. Without VERSION it is that of the Debian package PACKAGE, which has the licence
# text. A part that is linked has a FILE; without one it is not in this build.
set(planc_relationship_headers CONTAINS)
set(planc_relationship_archive STATIC_LINK)
set(planc_relationship_shared DYNAMIC_LINK)
set(planc_spdx_packages "")
set(planc_spdx_relationships "")
function(planc_part name how version licence supplier url package)
  if(NOT how STREQUAL "headers" AND NOT ARGN)
    return()
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9.]+" "-" id ${name})
  planc_debian_version(debian ${package})
  if(NOT version AND debian)
    string(REGEX REPLACE "^[0-9]+:|[-+].*$" "" version ${debian})
  elseif(NOT version)
    set(version NOASSERTION)
  endif()
  set(more "")
  if(ARGN)
    set(files "")
    foreach(file ${ARGN})
      get_filename_component(base ${file} NAME)
      if(how STREQUAL "archive") # it is in the program, byte by byte
        file(SHA256 ${file} sum)
        string(APPEND base " (SHA-256 ${sum})")
      endif()
      list(APPEND files ${base})
    endforeach()
    list(JOIN files ", " files)
    string(APPEND more ",\n      \"comment\": \"${how}: ${files}\"")
  endif()
  if(debian)
    string(REPLACE "+" "%2B" purl "${package}@${debian}")
    string(REPLACE ":" "%3A" purl "${purl}")
    string(APPEND more ",\n      \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", \"referenceLocator\": \"pkg:deb/debian/${purl}\"}]")
  endif()
  string(APPEND planc_spdx_packages ",
    {
      \"SPDXID\": \"SPDXRef-${id}\",
      \"name\": \"${name}\",
      \"versionInfo\": \"${version}\",
      \"supplier\": \"${supplier}\",
      \"downloadLocation\": \"${url}\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${licence}\",
      \"licenseDeclared\": \"${licence}\",
      \"copyrightText\": \"NOASSERTION\"${more}
    }")
  string(APPEND planc_spdx_relationships ",
    {\"spdxElementId\": \"SPDXRef-planc\", \"relationshipType\": \"${planc_relationship_${how}}\", \"relatedSpdxElement\": \"SPDXRef-${id}\"}")
  planc_licence(${id} ${licence} ${package})
  set(planc_spdx_packages "${planc_spdx_packages}" PARENT_SCOPE)
  set(planc_spdx_relationships "${planc_spdx_relationships}" PARENT_SCOPE)
endfunction()

planc_part("fmt" ${planc_fmt_how} "${fmt_VERSION}" "MIT" "Organization: fmtlib" https://github.com/fmtlib/fmt libfmt-dev ${planc_fmt_files})
planc_part("LLVM Support" archive "${LLVM_PACKAGE_VERSION}" "Apache-2.0 WITH LLVM-exception" "Organization: LLVM Foundation"
  https://github.com/llvm/llvm-project llvm-${LLVM_VERSION_MAJOR}-dev ${planc_llvm_files})
planc_part("ANTLR runtime" archive "" "BSD-3-Clause" "Organization: The ANTLR Project" https://github.com/antlr/antlr4 libantlr4-runtime-dev
  ${planc_antlr_files})
planc_part("SQLite" ${planc_sqlite_how} "${SQLite3_VERSION}" "blessing" "Organization: SQLite Consortium" https://www.sqlite.org/download.html libsqlite3-dev
  ${planc_sqlite_files})
planc_part("zlib" ${planc_shared} "${ZLIB_VERSION_STRING}" "Zlib" "Organization: zlib" https://zlib.net zlib1g-dev ${planc_zlib_files})
planc_part("Zstandard" ${planc_shared} "" "BSD-3-Clause OR GPL-2.0-only" "Organization: Meta Platforms" https://github.com/facebook/zstd libzstd-dev
  ${planc_zstd_files})
planc_part("ncurses" ${planc_shared} "" "X11-distribute-modifications-variant" "Organization: Free Software Foundation" https://invisible-island.net/ncurses
  libtinfo6 ${planc_terminfo_files})
planc_part("nlohmann-json" headers "${nlohmann_json_VERSION}" "MIT" "Person: Niels Lohmann" https://github.com/nlohmann/json nlohmann-json3-dev)
planc_part("CLI11" headers "${CLI11_VERSION}" "BSD-3-Clause" "Organization: University of Cincinnati" https://github.com/CLIUtils/CLI11 libcli11-dev)
planc_part("tomlplusplus" headers "${tomlplusplus_VERSION}" "MIT" "Person: Mark Gillard" https://github.com/marzer/tomlplusplus libtomlplusplus-dev)
planc_part("yaml-cpp" ${planc_yaml_how} "${yaml-cpp_VERSION}" "MIT" "Organization: yaml-cpp" https://github.com/jbeder/yaml-cpp libyaml-cpp-dev ${planc_yaml_files})
planc_part("Eigen" headers "${Eigen3_VERSION}" "MPL-2.0" "Organization: Eigen" https://gitlab.com/libeigen/eigen libeigen3-dev)
planc_part("GCC runtime" ${planc_gcc_how} "" "GPL-3.0-or-later WITH GCC-exception-3.1" "Organization: Free Software Foundation" https://gcc.gnu.org libgcc-s1
  ${planc_gcc_files})
planc_part("glibc" shared "" "LGPL-2.1-or-later" "Organization: Free Software Foundation" https://www.gnu.org/software/libc libc6 ${planc_glibc_files})

set(ENV{SOURCE_DATE_EPOCH} ${PLANC_EPOCH}) # string(TIMESTAMP) takes it for the time
string(TIMESTAMP planc_created "%Y-%m-%dT%H:%M:%SZ" UTC)
string(SHA256 planc_digest "${PROJECT_VERSION}${PLANC_COMMIT_ID}${planc_spdx_packages}${planc_spdx_relationships}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/planc.spdx.json @ONLY CONTENT "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"planc-${PROJECT_VERSION}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/planc-${PROJECT_VERSION}-${planc_digest}\",
  \"creationInfo\": {\"created\": \"${planc_created}\", \"creators\": [\"Tool: CMake-${CMAKE_VERSION}\"]},
  \"packages\": [
    {
      \"SPDXID\": \"SPDXRef-planc\",
      \"name\": \"planc\",
      \"versionInfo\": \"${PROJECT_VERSION}\",
      \"sourceInfo\": \"commit ${PLANC_COMMIT_ID}\",
      \"supplier\": \"NOASSERTION\",
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"Apache-2.0\",
      \"licenseDeclared\": \"Apache-2.0\",
      \"copyrightText\": \"NOASSERTION\"
    }${planc_spdx_packages}
  ],
  \"relationships\": [
    {\"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-planc\"}${planc_spdx_relationships}
  ]
}
")
install(FILES ${CMAKE_BINARY_DIR}/planc.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
