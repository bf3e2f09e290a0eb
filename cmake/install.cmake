# What `make install` puts in place: libraries, headers, the command, a pkg-config file and a CMake package. The components
# are the packages of `make deb`.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/facula)
file(RELATIVE_PATH FACULA_PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

# About a wrong argument of a macro in a system's header, gcc names the line of the program and not those of the macros.
# What is below /usr is the system's already; there, -isystem would change the order of the system's own folders. The
# prefix may be chosen when it is installed (`cmake --install build --prefix ...`).
set(FACULA_INCLUDE_FLAG -I)
configure_file(cmake/facula.pc.in facula.pc @ONLY)
set(FACULA_INCLUDE_FLAG "-isystem ")
configure_file(cmake/facula.pc.in elsewhere/facula.pc @ONLY)
configure_package_config_file(cmake/faculaConfig.cmake.in faculaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(faculaConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS facula EXPORT faculaTargets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS facula_static EXPORT faculaTargets ARCHIVE COMPONENT development)
if(TARGET facula-command)
    install(TARGETS facula-command RUNTIME COMPONENT command)
    install(FILES tools/facula/facula.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
    install(FILES tools/facula/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME facula COMPONENT command)
    install(FILES tools/facula/completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        RENAME _facula COMPONENT command)
    install(FILES tools/facula/completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        RENAME facula.fish COMPONENT command)
endif()
# gdb finds it by the path of the library; the build's own is `source`d.
install(FILES tools/gdb/facula.py COMPONENT development
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR}
    RENAME libfacula.so.${PROJECT_VERSION}-gdb.py)
install(FILES tools/memory.html ${FACULA_GEN}/api.json COMPONENT development DESTINATION ${CMAKE_INSTALL_DATADIR}/facula)
install(DIRECTORY include/facula TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.h"
    PATTERN "*.hpp")
install(EXPORT faculaTargets NAMESPACE facula:: DESTINATION ${package_dir} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/faculaConfig.cmake ${PROJECT_BINARY_DIR}/faculaConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)
install(CODE "
    get_filename_component(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig ABSOLUTE BASE_DIR \"\${CMAKE_INSTALL_PREFIX}\")
    set(elsewhere /elsewhere)
    if(\"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\" MATCHES \"^/usr(/local)?/include$\")
        set(elsewhere)
    endif()
    file(INSTALL DESTINATION \"\${folder}\" TYPE FILE FILES \"${PROJECT_BINARY_DIR}\${elsewhere}/facula.pc\")
" COMPONENT development)
install(FILES LICENSE NOTICE.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
