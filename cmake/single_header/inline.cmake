# Writes OUTPUT: the header sluice/sluice.hpp of the directory INCLUDE_DIR with all that it includes, in one file,
# under the text of LICENSE and the number VERSION.
#
#   cmake -D INCLUDE_DIR=include -D LICENSE=LICENSE -D VERSION=1.2.3 -D OUTPUT=sluice.hpp -P inline.cmake
#
# A header with #pragma once stands where it is first included, any other file each time. Includes of the system
# move to the top; one between #if and #endif stays there, and so does a header of the library. What each header puts
# aside between macros_off.inc and macros_back.inc is put aside once.

cmake_minimum_required(VERSION 3.25)

# The conditions around the text being written: an entry for each open #if, of the number of its branch.
set_property(GLOBAL PROPERTY conditions "")
set_property(GLOBAL PROPERTY branches 0)
set_property(GLOBAL PROPERTY system_headers "")

# Gives `result` the open conditions, after the directive `line` if it opens, turns or closes one.
function(follow_conditions line result)
  get_property(conditions GLOBAL PROPERTY conditions)
  if(line MATCHES "^#(el|endif)")
    list(POP_BACK conditions)
  endif()
  if(line MATCHES "^#(if|el)")
    get_property(branch GLOBAL PROPERTY branches)
    math(EXPR branch "${branch} + 1")
    set_property(GLOBAL PROPERTY branches ${branch})
    list(APPEND conditions ${branch})
  endif()
  set_property(GLOBAL PROPERTY conditions "${conditions}")
  set(${result} "${conditions}" PARENT_SCOPE)
endfunction()

# Writes the file `name`, unless it says #pragma once and stands already.
function(expand name)
  file(READ ${INCLUDE_DIR}/${name} rest)
  get_property(conditions GLOBAL PROPERTY conditions)
  if(rest MATCHES "(^|\n)#pragma once\n")
    get_property(written GLOBAL PROPERTY "written ${name}" SET)
    if(written)
      get_property(there GLOBAL PROPERTY "written ${name}")
      string(FIND "${conditions};" "${there}" begin)
      if(NOT begin EQUAL 0)
        message(FATAL_ERROR "${name} is first included between #if and #endif, and then outside")
      endif()
      return()
    endif()
    if(NOT conditions STREQUAL "")
      string(APPEND conditions ";")
    endif()
    set_property(GLOBAL PROPERTY "written ${name}" "${conditions}")
  endif()

  file(APPEND ${OUTPUT}.body "\n// --- ${name}")
  string(PREPEND rest "\n")
  while(TRUE)
    string(FIND "${rest}" "\n#" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR begin "${begin} + 1")
    string(SUBSTRING "${rest}" 0 ${begin} text)
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n" end)
    string(SUBSTRING "${rest}" 0 ${end} line)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    file(APPEND ${OUTPUT}.body "${text}")

    follow_conditions("${line}" conditions)
    if(line STREQUAL "#pragma once")
      continue()
    elseif(line MATCHES "^#include <sluice/macros_(off|back)\\.inc>$")
      set_property(GLOBAL PROPERTY puts_macros_aside TRUE)
    elseif(line MATCHES "^#include <(sluice/[^>]*)>")
      expand(${CMAKE_MATCH_1})
    elseif(line MATCHES "^#include <([^>]*)>" AND conditions STREQUAL "")
      set_property(GLOBAL APPEND PROPERTY system_headers ${CMAKE_MATCH_1})
    elseif(line MATCHES "^#include \"")
      message(FATAL_ERROR "${name}: cannot follow ${line}")
    else()
      file(APPEND ${OUTPUT}.body "${line}")
    endif()
  endwhile()
  file(APPEND ${OUTPUT}.body "${rest}")
endfunction()

file(WRITE ${OUTPUT}.body "")
expand(sluice/sluice.hpp)
file(READ ${OUTPUT}.body body)
file(REMOVE ${OUTPUT}.body)

get_property(system_headers GLOBAL PROPERTY system_headers)
list(REMOVE_DUPLICATES system_headers)
list(SORT system_headers)
set(includes "")
foreach(header IN LISTS system_headers)
  string(APPEND includes "#include <${header}>\n")
  string(REPLACE "\n#include <${header}>\n" "\n" body "${body}")
endforeach()
get_property(puts_macros_aside GLOBAL PROPERTY puts_macros_aside)
if(puts_macros_aside)
  file(READ ${INCLUDE_DIR}/sluice/macros_off.inc macros_off)
  file(READ ${INCLUDE_DIR}/sluice/macros_back.inc macros_back)
  set(body "\n${macros_off}${body}\n${macros_back}")
endif()
string(REGEX REPLACE "\n\n\n+" "\n\n" body "${body}")

file(READ ${LICENSE} licence)
string(STRIP "${licence}" licence)
string(REPLACE "\n" "\n// " licence "${licence}")
string(REPLACE "// \n" "//\n" licence "${licence}")

file(WRITE ${OUTPUT} "// sluice ${VERSION} in one file: what sluice/sluice.hpp includes, put together by the "
  "target single_header.\n//\n// ${licence}\n#pragma once\n\n"
  "#if defined(SLUICE_VERSION_MAJOR)\n#error \"sluice's include tree was included before: it does not go with the "
  "one header\"\n#endif\n\n${includes}${body}\n#define SLUICE_ONE_HEADER 1\n")
