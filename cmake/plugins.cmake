# Plugins: each plugins/NAME.c is a shared object facula-NAME.so of its own, built where the library that it stands for
# is; see include/facula/host.h for where it is looked for.
function(facula_plugin name library)
    if(NOT TARGET ${library})
        message(STATUS "No plugin ${name}: ${library} is not here")
        return()
    endif()
    add_library(facula-${name} MODULE plugins/${name}.c)
    set_target_properties(facula-${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/facula-plugins)
    target_include_directories(facula-${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(facula-${name} PRIVATE ${library} ${ARGN} facula_target_flags)
    if(FACULA_INSTALL)
        install(TARGETS facula-${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/facula-plugins COMPONENT plugins)
    endif()
    set(FACULA_PLUGINS ${FACULA_PLUGINS} facula-${name} PARENT_SCOPE)
endfunction()

find_package(ZLIB)
facula_plugin(gzip ZLIB::ZLIB)

find_package(PNG)
find_package(JPEG)
if(TARGET PNG::PNG AND TARGET JPEG::JPEG)
    facula_plugin(image PNG::PNG JPEG::JPEG)
else()
    message(STATUS "No plugin image: libpng or libjpeg is not here")
endif()
