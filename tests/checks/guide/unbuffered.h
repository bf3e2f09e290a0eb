/* Included before every program of the guide: what it prints and its errors come in their order. */
#include <stdio.h>
__attribute__((constructor)) static void fa__unbuffered(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
}
