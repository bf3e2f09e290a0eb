# Programs that see the public headers only: the command, the examples, the benchmarks.
function(facula_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE facula m Threads::Threads facula_target_flags)
endfunction()

file(GLOB command_sources CONFIGURE_DEPENDS tools/facula/*.c)
if(command_sources AND FACULA_COMMAND)
    facula_program(facula-command ${command_sources} bench/support/limits.c) # of `facula bench`
    target_include_directories(facula-command PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(facula-command PRIVATE FACULA_NO_LINES) # its messages are for users
    file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(facula-command PROPERTIES OUTPUT_NAME facula INSTALL_RPATH "$ORIGIN/${to_library}")
endif()

# Each file directly under `folder` is a program of its own, <build>/<folder>/<name>; from the files under
# <folder>/support it gets what it uses. Sets <folder>_programs to the targets' names.
function(facula_programs folder prefix)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    file(GLOB support CONFIGURE_DEPENDS ${folder}/support/*.c)
    if(support)
        add_library(${folder}_support STATIC ${support})
        target_link_libraries(${folder}_support PRIVATE facula m facula_target_flags)
    endif()
    set(programs)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        facula_program(${prefix}${name} ${source})
        set_target_properties(${prefix}${name} PROPERTIES
            OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
        if(support)
            target_link_libraries(${prefix}${name} PRIVATE ${folder}_support)
        endif()
        list(APPEND programs ${prefix}${name})
    endforeach()
    set(${folder}_programs ${programs} PARENT_SCOPE)
endfunction()

if(FACULA_EXAMPLES)
    facula_programs(examples example_)
endif()
if(FACULA_BENCH)
    facula_programs(bench bench_)
    if(TARGET bench_jpeg AND TARGET JPEG::JPEG)
        target_link_libraries(bench_jpeg PRIVATE JPEG::JPEG)
    endif()
    add_custom_target(benchmarks DEPENDS ${bench_programs})
endif()

# What the package for Python has.
add_custom_target(python-package DEPENDS facula ${FACULA_PLUGINS})

# What is installed, and what `make run` needs.
add_custom_target(product DEPENDS facula facula_static ${FACULA_PLUGINS})
if(TARGET facula-command)
    add_dependencies(product facula-command)
endif()
