# The target single_header makes the library one file, single/sluice/sluice.hpp in the build tree. The library
# sluice_single_header is that file and, for the project's own tests, a header under each other name which includes
# it.
set(single ${PROJECT_BINARY_DIR}/single/sluice/sluice.hpp)
set(inline ${CMAKE_CURRENT_LIST_DIR}/inline.cmake)
add_custom_command(OUTPUT ${single}
  COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIR=${PROJECT_SOURCE_DIR}/include -D LICENSE=${PROJECT_SOURCE_DIR}/LICENSE
    -D VERSION=${PROJECT_VERSION} -D OUTPUT=${single} -P ${inline}
  DEPENDS ${inline} ${sluice_headers} ${sluice_parts} ${PROJECT_SOURCE_DIR}/LICENSE
  COMMENT "Writing ${single}"
  VERBATIM)
add_custom_target(single_header DEPENDS ${single})

set(forwarding ${PROJECT_BINARY_DIR}/single_forwarding)
foreach(file IN LISTS sluice_headers)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include OUTPUT_VARIABLE name)
  if(NOT name STREQUAL "sluice/sluice.hpp")
    file(CONFIGURE OUTPUT ${forwarding}/${name} CONTENT "#pragma once\n#include <sluice/sluice.hpp>\n" @ONLY)
  endif()
endforeach()
# What the single header does not hold, or not for others to include.
foreach(file IN LISTS sluice_parts sluice_adapters)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include OUTPUT_VARIABLE name)
  file(CONFIGURE OUTPUT ${forwarding}/${name} CONTENT "#include \"${file}\"\n" @ONLY)
endforeach()

add_library(sluice_single_header INTERFACE)
target_include_directories(sluice_single_header INTERFACE ${PROJECT_BINARY_DIR}/single ${forwarding})
target_compile_features(sluice_single_header INTERFACE cxx_std_20)
add_dependencies(sluice_single_header single_header)
