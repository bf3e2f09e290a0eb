/* What is printed into files, as text. */
#include "support/text.h"

char *written(void (*write)(FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    write(file);
    fclose(file);
    return text;
}
