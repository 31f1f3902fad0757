# llama.cpp for what is built with it here: its own package where the machine has one, else our declarations of
# its interface over a libllama that is loaded when the program runs (the test llama.fetch brings it).
set(SLUICE_LLAMA_DIR ${PROJECT_BINARY_DIR}/llama)
set(SLUICE_LLAMA_LIBRARY ${SLUICE_LLAMA_DIR}/package/bins/linux-x64/libllama.v0.4.0.so)
set(SLUICE_LLAMA_FETCH ${CMAKE_COMMAND} -DDIR=${SLUICE_LLAMA_DIR} -DLIBRARY=${SLUICE_LLAMA_LIBRARY}
  -DPROCESSOR=${CMAKE_SYSTEM_PROCESSOR} -P ${PROJECT_SOURCE_DIR}/cmake/fetch_llama.cmake)

if(NOT UNIX)
  return()
endif()

# What tests and benchmarks use, since they also need what llama.h does not declare.
add_library(llama_by_hand STATIC ${PROJECT_SOURCE_DIR}/tests/llama/library.cpp)
target_compile_features(llama_by_hand PUBLIC cxx_std_20)
target_include_directories(llama_by_hand SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/tests/llama)
target_compile_definitions(llama_by_hand PRIVATE SLUICE_LLAMA_LIBRARY="${SLUICE_LLAMA_LIBRARY}")
target_link_libraries(llama_by_hand PRIVATE sluice_warnings ${CMAKE_DL_LIBS})

# What a program needs that only includes llama.h.
find_package(llama CONFIG QUIET)
if(TARGET llama)
  add_library(sluice_llama ALIAS llama)
else()
  add_library(sluice_llama ALIAS llama_by_hand)
endif()
