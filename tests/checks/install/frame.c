/* A frame in C between two in C++: an exception that passes it must close its scope and settings. */
#include <facula/facula.h>

void call_without_grad(void (*f)(void));

void call_without_grad(void (*f)(void))
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    f();
}
