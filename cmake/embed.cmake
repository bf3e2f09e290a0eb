# Files become part of the library: digits.csv is the bytes fa__embed_digits_csv[], with a 0 behind them, and their
# number, size_t fa__embed_digits_csv_size.
function(facula_embed target)
    set(word .quad) # of the size of size_t
    if(CMAKE_SIZEOF_VOID_P EQUAL 4)
        set(word .long)
    endif()
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME)
        string(MAKE_C_IDENTIFIER ${name} name)
        set(code ${PROJECT_BINARY_DIR}/gen/embed_${name}.c)
        configure_file(${PROJECT_SOURCE_DIR}/cmake/embed.c.in ${code} @ONLY)
        set_source_files_properties(${code} PROPERTIES OBJECT_DEPENDS ${file})
        target_sources(${target} PRIVATE ${code})
    endforeach()
endfunction()
