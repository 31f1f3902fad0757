# PROGRAM with ARGUMENT must print PRINTS and abort.
execute_process(COMMAND ${PROGRAM} ${ARGUMENT} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result MATCHES "abort")
  message(FATAL_ERROR "does not abort (${result}):\n${output}")
elseif(NOT output MATCHES "${PRINTS}")
  message(FATAL_ERROR "does not print '${PRINTS}':\n${output}")
endif()
