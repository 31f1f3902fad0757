# What the project demands of its own programs. Never part of what a user links.
add_library(sluice_warnings INTERFACE)
target_compile_options(sluice_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${SLUICE_WERROR}>:-Werror>)
