include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sluice_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/sluice)

install(TARGETS sluice EXPORT sluice FILE_SET HEADERS FILE_SET parts FILE_SET adapters)
install(EXPORT sluice NAMESPACE sluice:: FILE sluiceConfig.cmake DESTINATION ${sluice_package_dir})

write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake DESTINATION ${sluice_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The prefix follows from where the file lies, so an installed tree may move.
set(sluice_pc_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
if(IS_ABSOLUTE ${sluice_pc_dir})
  set(sluice_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH sluice_pc_prefix /prefix/${sluice_pc_dir} /prefix)
  set(sluice_pc_prefix "\${pcfiledir}/${sluice_pc_prefix}")
  string(REGEX REPLACE "/$" "" sluice_pc_prefix "${sluice_pc_prefix}")
endif()
set(sluice_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${sluice_pc_includedir})
  string(PREPEND sluice_pc_includedir "\${prefix}/")
endif()
configure_file(cmake/sluice.pc.in sluice.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluice.pc DESTINATION ${sluice_pc_dir})
