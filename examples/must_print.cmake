# PROGRAM must succeed and print what the file TEXT holds.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${TEXT} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM} prints\n${printed}\n${TEXT} has\n${expected}")
endif()
