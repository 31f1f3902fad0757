include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(sluice_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/sluice)

install(TARGETS sluice EXPORT sluice FILE_SET HEADERS FILE_SET parts FILE_SET adapters)
install(EXPORT sluice NAMESPACE sluice:: FILE sluiceConfig.cmake DESTINATION ${sluice_package_dir})

write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluiceConfigVersion.cmake DESTINATION ${sluice_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
