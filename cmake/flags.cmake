# Compiler flags, as interface targets: `facula_flags` for every C file of the project,
# `facula_library_flags` for what ends in the library.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")

# Clang's own debug information is newer than valgrind 3.19 can read.
if(CMAKE_C_COMPILER_ID STREQUAL Clang)
    add_compile_options(-gdwarf-4)
endif()

# -ffp-contract=off: a product and a sum are fused where the source says fma, nowhere else, so that every level of
# instructions, every architecture and every compiler gives the same bits.
add_library(facula_flags INTERFACE)
target_compile_options(facula_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wconversion -ffp-contract=off
    $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion> # of constants; from clang 19 on part of -Wextra
    # gcc 11 takes the elements of an array of arrays for the whole; gcc 10 has no such warning
    $<$<AND:$<C_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<C_COMPILER_VERSION>,11>,$<VERSION_LESS:$<C_COMPILER_VERSION>,12>>:-Wno-stringop-overread>
    $<$<BOOL:${FACULA_WERROR}>:-Werror>)

if(FACULA_SANITIZE)
    set(sanitize_flags -fsanitize=${FACULA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>) # loops that it checks are not vectorised
endif()
if(FACULA_FUZZ)
    list(APPEND sanitize_flags -fsanitize=fuzzer-no-link)
endif()

# Sanitizers are for what is linked with the library, not for the tools that run during the build.
add_library(facula_target_flags INTERFACE)
target_compile_options(facula_target_flags INTERFACE ${sanitize_flags})
target_link_options(facula_target_flags INTERFACE ${sanitize_flags})
target_link_libraries(facula_target_flags INTERFACE facula_flags)

# -fexceptions: a C++ exception that passes C functions runs their cleanups. Not every toolchain can link that (the
# wrapper musl-gcc cannot where gcc's libraries are made for glibc); there a scope ends at its own end alone.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fexceptions)
check_c_source_compiles("static void end(int *x) { *x = 0; } void call(void *f);
    void call(void *f) { __attribute__((cleanup(end))) int x = 1; ((void (*)(int *))f)(&x); }
    int main(void) { call((void *)end); return 0; }" FACULA_EXCEPTIONS)
unset(CMAKE_REQUIRED_FLAGS)
set(FACULA_EXCEPTION_FLAGS)
if(FACULA_EXCEPTIONS)
    set(FACULA_EXCEPTION_FLAGS -fexceptions)
endif()

add_library(facula_library_flags INTERFACE)
target_compile_options(facula_library_flags INTERFACE ${FACULA_EXCEPTION_FLAGS} -fno-semantic-interposition)
if(NOT FACULA_SANITIZE AND NOT FACULA_TESTS_SHARED) # where tests link the shared library (library.cmake)
    target_compile_options(facula_library_flags INTERFACE -fvisibility=hidden)
endif()
# The calls within the library keep the line of the program's call.
target_compile_definitions(facula_library_flags INTERFACE FACULA_NO_LINES $<$<CONFIG:Release>:NDEBUG>)
target_include_directories(facula_library_flags INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
target_link_libraries(facula_library_flags INTERFACE facula_target_flags)
