# The generator of the operation rows, and its run. It reads the rows and kernels, writes tables into <build>/gen, and
# the public headers and docs/operations.md into the source tree, where they are committed. It touches only what changed.
set(FACULA_GEN ${PROJECT_BINARY_DIR}/gen)
file(MAKE_DIRECTORY ${FACULA_GEN})
file(GLOB rows_tool CONFIGURE_DEPENDS tools/rows/*.c)
file(GLOB rows_families CONFIGURE_DEPENDS src/ops/*/*.c)
file(GLOB rows_lists CONFIGURE_DEPENDS tools/rows/*.txt)
file(GLOB_RECURSE rows_kernels CONFIGURE_DEPENDS src/backend/*.c)

# What it writes. A family is a file that includes its own rows; a folder of src/ops has a public header.
set(rows_outputs ${PROJECT_SOURCE_DIR}/docs/operations.md ${PROJECT_SOURCE_DIR}/include/facula/operations.h)
foreach(name ids.h args.h internal.h ops.c texts.c samples.h samples.c defaults.h defaults.c hot.h hot.inc)
    list(APPEND rows_outputs ${FACULA_GEN}/${name})
endforeach()
foreach(source IN LISTS rows_families)
    get_filename_component(family ${source} NAME_WE)
    file(STRINGS ${source} included REGEX "#include \"${family}\\.rows\"")
    if(included)
        get_filename_component(group ${source} DIRECTORY)
        get_filename_component(group ${group} NAME)
        list(APPEND rows_outputs ${FACULA_GEN}/${family}.rows ${PROJECT_SOURCE_DIR}/include/facula/ops/${group}.h)
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endforeach()
list(REMOVE_DUPLICATES rows_outputs)
file(GLOB backends CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/src/backend src/backend/*)
foreach(backend IN LISTS backends)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/backend/${backend})
        list(APPEND rows_outputs ${FACULA_GEN}/kernels_${backend}.h)
    endif()
endforeach()

add_custom_target(facula_rows)
if(rows_tool)
    # It reads expressions with the library's own parser: an archive gives what that needs, built without sanitizers.
    file(GLOB parser_sources CONFIGURE_DEPENDS src/base/*.c src/core/ssa.c src/pointwise/*.c)
    add_library(facula_parser STATIC EXCLUDE_FROM_ALL ${parser_sources})
    add_executable(facula-rows ${rows_tool})
    foreach(target facula_parser facula-rows)
        target_include_directories(${target} PRIVATE include src)
        target_link_libraries(${target} PRIVATE facula_flags m Threads::Threads)
    endforeach()
    target_compile_definitions(facula_parser PRIVATE FACULA_NO_LINES)
    target_link_libraries(facula-rows PRIVATE facula_parser)
    add_custom_command(
        OUTPUT ${FACULA_GEN}/rows.stamp
        BYPRODUCTS ${rows_outputs}
        COMMAND facula-rows --source ${PROJECT_SOURCE_DIR}/src --out ${FACULA_GEN} --lists ${PROJECT_SOURCE_DIR}/tools/rows
                --headers ${PROJECT_SOURCE_DIR}/include/facula --docs ${PROJECT_SOURCE_DIR}/docs/operations.md
        COMMAND ${CMAKE_COMMAND} -E touch ${FACULA_GEN}/rows.stamp
        DEPENDS facula-rows ${rows_families} ${rows_lists} ${rows_kernels}
        COMMENT "Operation rows"
        VERBATIM)
    add_custom_target(facula_rows_run DEPENDS ${FACULA_GEN}/rows.stamp)
    add_dependencies(facula_rows facula_rows_run)
    set(rows_sources ${FACULA_GEN}/ops.c ${FACULA_GEN}/texts.c)
    set(rows_samples ${FACULA_GEN}/samples.c ${FACULA_GEN}/defaults.c)
endif()
