# Files become part of the library: digits.csv is the bytes fa__embed_digits_csv[], with a 0 behind them, and their
# number, size_t fa__embed_digits_csv_size.
function(facula_embed target)
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME)
        string(MAKE_C_IDENTIFIER ${name} name)
        set(code ${PROJECT_BINARY_DIR}/gen/embed_${name}.c)
        file(CONFIGURE OUTPUT ${code} @ONLY CONTENT [[
#include <stddef.h>
__asm__(".pushsection .rodata\n.balign 16\n.globl fa__embed_@name@\n.hidden fa__embed_@name@\n"
        "fa__embed_@name@:\n.incbin \"@file@\"\nfa__embed_@name@_end:\n"
        ".byte 0\n"
        ".balign 8\n.globl fa__embed_@name@_size\n.hidden fa__embed_@name@_size\n"
        "fa__embed_@name@_size:\n.quad fa__embed_@name@_end - fa__embed_@name@\n.popsection\n");
extern const size_t fa__embed_@name@_size;
]])
        set_source_files_properties(${code} PROPERTIES OBJECT_DEPENDS ${file})
        target_sources(${target} PRIVATE ${code})
    endforeach()
endfunction()
