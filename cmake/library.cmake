# libfacula, shared and static. src/backend/cpu/simd is compiled once for each level of instructions; everything else for
# the baseline of the architecture.
set(kernel_options -fno-math-errno -fno-trapping-math -fwrapv -fno-builtin)
if(NOT FACULA_SANITIZE)
    list(APPEND kernel_options -O3)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(FACULA_LEVELS base avx2 avx512)
    set(baseline -march=x86-64 -mtune=generic)
    # GCC clears and copies structs by rep stos and rep movs, whose start takes as long as a hundred other instructions.
    if(CMAKE_C_COMPILER_ID STREQUAL GNU)
        list(APPEND baseline -mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign
            -mmemcpy-strategy=vector_loop:1024:noalign,libcall:-1:noalign)
    endif()
    set(level_base ${baseline})
    set(level_avx2 -march=x86-64-v3)
    set(level_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
    if(FACULA_OPS STREQUAL minimal)
        set(FACULA_LEVELS ${FACULA_LEVEL})
    else()
        # Products of bf16 by instructions of their own (src/backend/cpu/bf16), if the compiler knows them
        include(CheckCCompilerFlag)
        check_c_compiler_flag("-mavx512bf16 -mamx-tile -mamx-bf16" FACULA_HAS_BF16)
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(FACULA_LEVELS neon)
else()
    set(FACULA_LEVELS base)
endif()

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS src/*.c)
file(GLOB kernel_sources CONFIGURE_DEPENDS src/backend/cpu/simd/*.c)
# Data, and what devices compile: kernels, and the math and conversions that they share with the CPU.
file(GLOB embedded CONFIGURE_DEPENDS src/data/embed/* src/backend/gpu/dialect/*)
foreach(shared convert.h math.inc math64.inc rounding.inc wide.inc wide64.inc elementary.inc special.inc
    bessel.inc incomplete.inc normal.inc
    class_f32.inc class_f64.inc class_integer.inc philox.inc poisson.inc)
    list(APPEND embedded ${PROJECT_SOURCE_DIR}/src/backend/cpu/simd/${shared})
endforeach()
file(GLOB bf16_sources CONFIGURE_DEPENDS src/backend/cpu/bf16/*.c)
list(REMOVE_ITEM library_sources ${kernel_sources} ${bf16_sources})
list(APPEND library_sources ${rows_sources})

# What goes into the static library, and into the shared one where nothing below says otherwise.
add_library(facula_objects OBJECT ${library_sources})
facula_embed(facula_objects ${embedded})
set(object_targets facula_objects)
set(shared_objects facula_objects)

set_source_files_properties(src/base/plugin.c PROPERTIES COMPILE_DEFINITIONS
    "FA__PLUGIN_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}/facula-plugins\"")

# A call runs through a score of files, in more instructions than a processor keeps decoded: optimised as one they are a
# tenth fewer. Objects of the static library stay plain, for any linker.
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT FACULA_SANITIZE)
    set(shared_objects facula_shared_objects)
    add_library(${shared_objects} OBJECT ${library_sources})
    facula_embed(${shared_objects} ${embedded})
    list(APPEND object_targets ${shared_objects})
    set(link_time_options --param=max-inline-insns-auto=60 -falign-functions=32)
    target_compile_options(${shared_objects} PRIVATE ${link_time_options})
    set_target_properties(${shared_objects} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
endif()
foreach(target IN LISTS object_targets)
    target_compile_options(${target} PRIVATE ${baseline})
    if(FACULA_HAS_BF16)
        target_compile_definitions(${target} PRIVATE FA__CPU_BF16)
    endif()
endforeach()

if(kernel_sources)
    foreach(level IN LISTS FACULA_LEVELS)
        add_library(facula_${level} OBJECT ${kernel_sources})
        target_compile_definitions(facula_${level} PRIVATE FA__LEVEL=${level} FA__LEVEL_${level}=1)
        target_compile_options(facula_${level} PRIVATE ${kernel_options} ${level_${level}})
        list(APPEND object_targets facula_${level})
        list(APPEND kernel_objects $<TARGET_OBJECTS:facula_${level}>)
    endforeach()
endif()

if(FACULA_HAS_BF16)
    add_library(facula_bf16 OBJECT ${bf16_sources})
    target_compile_definitions(facula_bf16 PRIVATE FA__LEVEL=avx512 FA__LEVEL_avx512=1)
    target_compile_options(facula_bf16 PRIVATE ${kernel_options} ${level_avx512} -mavx512bf16 -mamx-tile -mamx-bf16)
    list(APPEND object_targets facula_bf16)
    list(APPEND kernel_objects $<TARGET_OBJECTS:facula_bf16>)
endif()

# Where a core is shared with another's thread, inner loops are up to a fifth faster if they begin at a line of the cache.
if(NOT FACULA_OPS STREQUAL minimal)
    set_source_files_properties(src/backend/cpu/simd/gemm.c src/backend/cpu/simd/lanes.c PROPERTIES COMPILE_OPTIONS
                                                                                          -falign-loops=64)
endif()

# A linker takes only the functions that a program needs where each has a section of its own.
if(FACULA_OPS STREQUAL minimal)
    target_compile_options(facula_objects PRIVATE -Os $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
    foreach(kernels f64 i32 i64 gemm)
        set_source_files_properties(src/backend/cpu/simd/${kernels}.c PROPERTIES COMPILE_OPTIONS -O2)
    endforeach()
    foreach(target IN LISTS object_targets)
        target_compile_definitions(${target} PRIVATE FA__MINIMAL FA__ONE_LEVEL=${FACULA_LEVELS})
        target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
        if(NOT FACULA_EXCEPTIONS) # nothing unwinds frames, and their tables are a twelfth of a program
            target_compile_options(${target} PRIVATE -fno-asynchronous-unwind-tables -fno-unwind-tables)
        endif()
    endforeach()
endif()

foreach(target IN LISTS object_targets)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target} PRIVATE facula_library_flags)
    add_dependencies(${target} facula_rows)
endforeach()

add_library(facula SHARED $<TARGET_OBJECTS:${shared_objects}> ${kernel_objects})
add_library(facula_static STATIC $<TARGET_OBJECTS:facula_objects> ${kernel_objects})
foreach(target facula facula_static)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME facula LINKER_LANGUAGE C)
    add_library(facula::${target} ALIAS ${target})
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_options(${target} INTERFACE ${FACULA_EXCEPTION_FLAGS})
    add_dependencies(${target} facula_rows)
endforeach()
set_target_properties(facula PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
    ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # while the major version is 0, minor versions differ in their ABI
target_link_libraries(facula PRIVATE m dl Threads::Threads $<BUILD_INTERFACE:facula_target_flags>)
target_link_libraries(facula_static PUBLIC m dl Threads::Threads PRIVATE $<BUILD_INTERFACE:facula_target_flags>)
configure_file(cmake/symbols.map.in symbols.map @ONLY)
set_target_properties(facula PROPERTIES LINK_DEPENDS ${PROJECT_BINARY_DIR}/symbols.map)
target_link_options(facula PRIVATE -Wl,--version-script=${PROJECT_BINARY_DIR}/symbols.map)
target_link_options(facula PRIVATE -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,-z,relro,-z,now)
if(link_time_options)
    set_target_properties(facula PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    target_link_options(facula PRIVATE ${link_time_options})
endif()
if(NOT FACULA_SANITIZE) # whose names the program brings
    target_link_options(facula PRIVATE -Wl,--no-undefined)
endif()

# What tests link, which use internal names: the static library; where a sanitizer makes that 45 MB in each of a hundred
# programs, the shared one, in which no name is hidden; so where the library is linked again and again (mutate.sh).
set(facula_tested facula_static)
if(FACULA_SANITIZE OR FACULA_TESTS_SHARED)
    set(facula_tested facula)
endif()
