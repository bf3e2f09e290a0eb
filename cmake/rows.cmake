# The generator of the operation rows, and its run. It reads the rows and kernels and writes tables into <build>/gen. The
# public headers and docs/operations.md, which are committed, are updated in the source tree where FACULA_UPDATE_SOURCES
# is on; otherwise nothing is written there. It touches only what changed.
set(FACULA_GEN ${PROJECT_BINARY_DIR}/gen)
file(MAKE_DIRECTORY ${FACULA_GEN})
file(GLOB rows_families CONFIGURE_DEPENDS src/ops/*/*.c)
file(GLOB rows_lists CONFIGURE_DEPENDS tools/rows/*.txt)
file(GLOB_RECURSE rows_kernels CONFIGURE_DEPENDS src/backend/*.c)

# What it writes. A family is a file that includes its own rows; a folder of src/ops has a public header.
set(rows_outputs)
set(rows_sources_updated ${PROJECT_SOURCE_DIR}/docs/operations.md ${PROJECT_SOURCE_DIR}/include/facula/ops.hpp
    ${PROJECT_SOURCE_DIR}/include/facula/operations.h)
foreach(name ids.h args.h internal.h ops.c texts.c samples.h samples.c defaults.h defaults.c hot.h hot.inc api.json options.c)
    list(APPEND rows_outputs ${FACULA_GEN}/${name})
endforeach()
foreach(source IN LISTS rows_families)
    get_filename_component(family ${source} NAME_WE)
    file(STRINGS ${source} included REGEX "#include \"${family}\\.rows\"")
    if(included)
        get_filename_component(group ${source} DIRECTORY)
        get_filename_component(group ${group} NAME)
        list(APPEND rows_outputs ${FACULA_GEN}/${family}.rows)
        list(APPEND rows_sources_updated ${PROJECT_SOURCE_DIR}/include/facula/ops/${group}.h)
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endforeach()
file(GLOB backends CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/src/backend src/backend/*)
foreach(backend IN LISTS backends)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/backend/${backend})
        list(APPEND rows_outputs ${FACULA_GEN}/kernels_${backend}.h)
    endif()
endforeach()

# What is public, without what is written here.
file(GLOB rows_public CONFIGURE_DEPENDS include/facula/*.h)
list(FILTER rows_public EXCLUDE REGEX "/(lines|operations)\\.h$")

set(rows_updates)
if(FACULA_UPDATE_SOURCES)
    list(APPEND rows_outputs ${rows_sources_updated})
    list(REMOVE_DUPLICATES rows_outputs)
    set(rows_updates --headers ${PROJECT_SOURCE_DIR}/include/facula --docs ${PROJECT_SOURCE_DIR}/docs/operations.md)
endif()

# The generator runs during the build: where the library is built for another machine, by the compiler of this one.
if(CMAKE_CROSSCOMPILING)
    include(ExternalProject)
    set(FACULA_HOST_CC cc CACHE STRING "Compiler of the machine that builds")
    set(rows_command ${PROJECT_BINARY_DIR}/host/facula-rows)
    ExternalProject_Add(facula_host_rows SOURCE_DIR ${PROJECT_SOURCE_DIR}/tools/rows
        BINARY_DIR ${PROJECT_BINARY_DIR}/host PREFIX ${PROJECT_BINARY_DIR}/host BUILD_ALWAYS ON
        BUILD_BYPRODUCTS ${rows_command} INSTALL_COMMAND "" CMAKE_ARGS -DCMAKE_C_COMPILER=${FACULA_HOST_CC})
    set(rows_depends facula_host_rows ${rows_command})
else()
    add_subdirectory(tools/rows)
    set(rows_command facula-rows)
    set(rows_depends facula-rows)
endif()

add_custom_command(
    OUTPUT ${FACULA_GEN}/rows.stamp
    BYPRODUCTS ${rows_outputs}
    COMMAND ${rows_command} --source ${PROJECT_SOURCE_DIR}/src --out ${FACULA_GEN}
            --lists ${PROJECT_SOURCE_DIR}/tools/rows ${rows_updates} --public ${PROJECT_SOURCE_DIR}/include/facula
    COMMAND ${CMAKE_COMMAND} -E touch ${FACULA_GEN}/rows.stamp
    DEPENDS ${rows_depends} ${rows_families} ${rows_lists} ${rows_kernels} ${rows_public}
    COMMENT "Operation rows"
    VERBATIM)
add_custom_target(facula_rows DEPENDS ${FACULA_GEN}/rows.stamp)
set(rows_sources ${FACULA_GEN}/ops.c ${FACULA_GEN}/texts.c ${FACULA_GEN}/options.c)
set(rows_samples ${FACULA_GEN}/samples.c ${FACULA_GEN}/defaults.c)
