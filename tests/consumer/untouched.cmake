# Holds a project's variables against what taking sluice in leaves of them.

# Remembers every variable and cache entry.
macro(remember_variables)
  get_cmake_property(remembered_names VARIABLES)
  get_cmake_property(remembered_cache CACHE_VARIABLES)
  foreach(name IN LISTS remembered_names)
    set(remembered_${name} "${${name}}")
  endforeach()
endmacro()

# None of them has changed; the new cache entries bear the name of sluice, or of FetchContent, which brought it.
function(expect_variables_untouched)
  foreach(name IN LISTS remembered_names)
    if(NOT "${${name}}" STREQUAL "${remembered_${name}}")
      message(SEND_ERROR "${name} was '${remembered_${name}}' and is '${${name}}'")
    endif()
  endforeach()
  get_cmake_property(cache CACHE_VARIABLES)
  list(REMOVE_ITEM cache ${remembered_cache})
  list(FILTER cache EXCLUDE REGEX "^(SLUICE_|sluice_|FETCHCONTENT_)")
  if(cache)
    message(SEND_ERROR "new cache entries: ${cache}")
  endif()
endfunction()

# sluice built within another project is its library and no more.
function(expect_library_alone)
  get_target_property(directory sluice SOURCE_DIR)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  get_property(tests DIRECTORY ${directory} PROPERTY TESTS)
  if(NOT targets STREQUAL "sluice" OR subdirectories OR tests)
    message(SEND_ERROR "targets '${targets}', subdirectories '${subdirectories}', tests '${tests}'")
  endif()
  if(SLUICE_BUILD_TESTS OR SLUICE_BUILD_EXAMPLES OR SLUICE_BUILD_BENCHMARKS OR SLUICE_INSTALL)
    message(SEND_ERROR "an option of sluice is on that nobody asked for")
  endif()
endfunction()
