# Compiles SOURCE with the chain CHAIN. Without FIRST that must succeed. Else it must fail with the sentence
# about the order, on account of the neighbours FIRST and SECOND, which the message names side by side as types.
separate_arguments(COMPILE NATIVE_COMMAND "${COMPILE}")
execute_process(COMMAND ${COMPILE} -fsyntax-only -DCHAIN=${CHAIN} ${SOURCE}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(FIRST STREQUAL "")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "does not compile: ${CHAIN}\n${output}")
  endif()
  return()
endif()

if(result EQUAL 0)
  message(FATAL_ERROR "compiles, and should not: ${CHAIN}")
endif()
foreach(expected "(static assertion failed|static_assert failed)[^\n]*order" "${FIRST}[^\n{]*, [^\n{]*${SECOND}")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the message has no '${expected}':\n${output}")
  endif()
endforeach()
