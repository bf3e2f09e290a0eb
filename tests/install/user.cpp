// An outside program in C++17: the same macros, and an exception that passes a scope, in C++ and in C.
#include <cstdio>
#include <facula/facula.h>

extern "C" void call_without_grad(void (*f)(void));

static bool records(fa_tensor *x)
{
    return fa_requires_grad(fa_mul(x, 2));
}

int main()
{
    fa_tensor *x = fa_rand(FA_SHAPE(3, 4), .requires_grad = true);
    bool recorded = records(x);
    try {
        FA_SCOPE;
        FA_USE(.no_grad = true);
        throw 1;
    } catch (int) {
    }
    bool after_cxx = records(x);
    try {
        call_without_grad([] { throw 2; });
    } catch (int) {
    }
    bool after_c = records(x);
    if (fa_failed())
        return std::fprintf(stderr, "%s\n", fa_error_message()), 1;
    if (!recorded || !after_cxx || !after_c)
        return std::fprintf(stderr, "records: %d, after C++ %d, after C %d\n", recorded, after_cxx, after_c), 1;
    return 0;
}
