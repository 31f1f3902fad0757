# The script INLINE makes one file of a small tree of headers written to WORK, and refuses what it cannot follow.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})

function(write name text)
  file(WRITE ${WORK}/include/sluice/${name} "${text}")
endfunction()

function(run_script result)
  execute_process(COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIR=${WORK}/include -D LICENSE=${WORK}/LICENSE -D VERSION=1.2.3
      -D OUTPUT=${WORK}/one.hpp -P ${INLINE}
    RESULT_VARIABLE code ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  set(${result} "${code} ${message}" PARENT_SCOPE)
endfunction()

file(WRITE ${WORK}/LICENSE "You may.\n\nNo warranty.\n")
write(sluice.hpp "#pragma once\n\n#include <vector>\n\n\
#include <sluice/a.hpp>\n#include <sluice/b.hpp>\n\nint s[] = {1; 2};\n")
write(a.hpp "#pragma once\n\n#include <sluice/b.hpp>\n\n\
#include <sluice/macros_off.inc>\n\nint a;\n#include <sluice/part.inc>\n#include <sluice/macros_back.inc>\n")
write(b.hpp "#pragma once\n\n#include <array>\n#include <vector>\n\n#if defined(B)\n#include <new>\n#include <array>\n\
#include <sluice/c.hpp>\n#else\n#include <sluice/part.inc>\n#endif\nint b;\n")
write(c.hpp "#pragma once\n\n#include <span>\n\n\
#include <sluice/macros_off.inc>\n\nint c;\n\n#include <sluice/macros_back.inc>\n")
write(macros_off.inc "#pragma push_macro(\"min\")\n#undef min\n")
write(macros_back.inc "#pragma pop_macro(\"min\")\n")
write(part.inc "#if P\nint part;\n#endif\n")
set(expected [=[
// sluice 1.2.3 in one file: what sluice/sluice.hpp includes, put together by the target single_header.
//
// You may.
//
// No warranty.
#pragma once

#if defined(SLUICE_VERSION_MAJOR)
#error "sluice's include tree was included before: it does not go with the one header"
#endif

#include <array>
#include <vector>

#pragma push_macro("min")
#undef min

// --- sluice/sluice.hpp

// --- sluice/a.hpp

// --- sluice/b.hpp

#if defined(B)
#include <new>

// --- sluice/c.hpp

#include <span>

int c;

#else

// --- sluice/part.inc
#if P
int part;
#endif

#endif
int b;

int a;

// --- sluice/part.inc
#if P
int part;
#endif

int s[] = {1; 2};

#pragma pop_macro("min")

#define SLUICE_ONE_HEADER 1
]=])

run_script(result)
if(NOT result STREQUAL "0 ")
  message(FATAL_ERROR "the script fails: ${result}")
endif()
file(READ ${WORK}/one.hpp found)
if(NOT found STREQUAL expected)
  message(SEND_ERROR "found\n${found}\nexpected\n${expected}")
endif()

# A file that an #if around its first place would hide from the second.
write(a.hpp "#pragma once\n#include <sluice/b.hpp>\n#include <sluice/c.hpp>\n")
run_script(result)
if(NOT result MATCHES "sluice/c.hpp is first included between #if and #endif, and then outside")
  message(SEND_ERROR "c.hpp is taken behind #endif: ${result}")
endif()

write(a.hpp "#pragma once\n#include \"b.hpp\"\n")
run_script(result)
if(NOT result MATCHES "sluice/a.hpp: cannot follow #include \"b.hpp\"")
  message(SEND_ERROR "an include between quotes is taken: ${result}")
endif()
