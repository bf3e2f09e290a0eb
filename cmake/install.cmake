# What `make install` puts in place: libraries, headers, the command, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/facula)
file(RELATIVE_PATH FACULA_PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

configure_file(cmake/facula.pc.in facula.pc @ONLY)
configure_package_config_file(cmake/faculaConfig.cmake.in faculaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(faculaConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS facula EXPORT faculaTargets)
install(TARGETS facula_static EXPORT faculaTargets)
if(TARGET facula-command)
    install(TARGETS facula-command)
    install(FILES tools/facula/facula.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES tools/facula/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME facula)
endif()
install(DIRECTORY include/facula TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(EXPORT faculaTargets NAMESPACE facula:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/faculaConfig.cmake ${PROJECT_BINARY_DIR}/faculaConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/facula.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE NOTICE.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
