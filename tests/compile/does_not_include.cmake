# HEADER must reach no file whose name contains FORBIDDEN.
separate_arguments(COMPILE NATIVE_COMMAND "${COMPILE}")
execute_process(COMMAND ${COMPILE} -x c++ -M ${HEADER} OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]*${FORBIDDEN}[^ \n]*" found "${files}")
if(found)
  message(FATAL_ERROR "${HEADER} includes ${found}")
endif()
