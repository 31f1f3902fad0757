# The tree installed at PREFIX moves to MOVED. A program compiled by COMPILER with what pkg-config then says of it
# runs, and the version is EXPECTED.
find_program(pkg_config NAMES pkg-config pkgconf NO_CACHE)
if(NOT pkg_config)
  message("skipped: no pkg-config on this machine")
  return()
endif()

file(REMOVE_RECURSE ${MOVED})
file(COPY ${PREFIX}/ DESTINATION ${MOVED})
set(ENV{PKG_CONFIG_PATH} ${MOVED}/share/pkgconfig)
foreach(word modversion cflags libs)
  execute_process(COMMAND ${pkg_config} --${word} sluice
    OUTPUT_VARIABLE ${word} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT modversion STREQUAL EXPECTED)
  message(SEND_ERROR "pkg-config knows version ${modversion}, expected ${EXPECTED}")
endif()
if(NOT libs STREQUAL "")
  message(SEND_ERROR "a library of headers asks for '${libs}'")
endif()
execute_process(COMMAND ${pkg_config} --exists "sluice > ${EXPECTED}" RESULT_VARIABLE result)
if(result EQUAL 0)
  message(SEND_ERROR "pkg-config takes ${EXPECTED} for a newer version")
endif()

separate_arguments(cflags NATIVE_COMMAND "${cflags}")
set(program ${MOVED}/consumer)
execute_process(
  COMMAND ${COMPILER} -std=c++20 -DFLAG_OF_THE_USER ${cflags} ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${program}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${program} COMMAND_ERROR_IS_FATAL ANY)

# Nothing but the moved tree was read.
execute_process(COMMAND ${COMPILER} -std=c++20 -DFLAG_OF_THE_USER ${cflags} -M ${CMAKE_CURRENT_LIST_DIR}/main.cpp
  OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]*/sluice/sluice\\.hpp" header "${files}")
cmake_path(SET header NORMALIZE "${header}")
if(NOT header STREQUAL "${MOVED}/include/sluice/sluice.hpp")
  message(FATAL_ERROR "the program includes ${header}, not that of ${MOVED}")
endif()
