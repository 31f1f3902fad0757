# Runs the port PORT_DIR as vcpkg would, with stand-ins for the functions of vcpkg that it calls, and looks at the
# package, which is left in WORK/package. The port's version must be EXPECTED.
cmake_minimum_required(VERSION 3.25)

set(PORT sluice)
set(CURRENT_PACKAGES_DIR ${WORK}/package)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${WORK}/build --target install)
endfunction()

# Moves the package's files to share/<port> and shortens their way up to the prefix.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  set(share ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${share})
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${parent})
  file(GLOB files ${share}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

include(${PORT_DIR}/portfile.cmake)

# What vcpkg demands of a package of headers: no folder but these, and no file in share but its own.
file(GLOB folders RELATIVE ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/*)
if(NOT folders STREQUAL "include;share")
  message(SEND_ERROR "the package has the folders ${folders}")
endif()
file(GLOB_RECURSE shared RELATIVE ${CURRENT_PACKAGES_DIR}/share ${CURRENT_PACKAGES_DIR}/share/*)
set(expected
  pkgconfig/sluice.pc sluice/copyright sluice/sluiceConfig.cmake sluice/sluiceConfigVersion.cmake sluice/usage)
if(NOT shared STREQUAL expected)
  message(SEND_ERROR "share has ${shared}\nexpected ${expected}")
endif()
if(NOT VCPKG_BUILD_TYPE STREQUAL "release")
  message(SEND_ERROR "the port would be built twice")
endif()

file(READ ${PORT_DIR}/vcpkg.json manifest)
string(JSON name GET "${manifest}" name)
string(JSON version GET "${manifest}" version)
if(NOT name STREQUAL PORT)
  message(SEND_ERROR "vcpkg.json names the port ${name}")
endif()
if(NOT version STREQUAL EXPECTED)
  message(SEND_ERROR "vcpkg.json has version ${version}; config.hpp has ${EXPECTED}, and the two must agree")
endif()
