/* Picks the level of instructions (level.h). A constructor, so that no call has to ask whether it is done. */
#include "backend/cpu/level.h"
#include "backend/cpu/gemm_kind.h"
#include "base/log.h"
#include "base/text.h"
#ifdef FA__CPU_BF16
#include "backend/cpu/bf16/bf16.h"
#include <cpuid.h>
#endif
#include "core/context.h"
#include <stdlib.h>
#include <string.h>

#define DECLARE(level)                                                                                                 \
    extern const fa__simd fa__simd_##level;                                                                            \
    extern const fa__gemm_kernels fa__gemm_##level;                                                                    \
    extern const fa__lanes_kernels fa__lanes_##level;                                                                  \
    extern const fa__winograd_kernels fa__winograd_##level;
FA__CPU_LEVELS(DECLARE)

typedef struct level {
    const char *name;
    const fa__simd *simd;
    const fa__gemm_kernels *gemm;
    const fa__lanes_kernels *lanes;
    const fa__winograd_kernels *winograd;
    bool (*available)(void);
    bool (*worth_it)(void); /* NULL: yes; else the level is used only by name where this is false */
    /* Products of bf16 by instructions of their own; the rest is that of the level before. */
    fa__gemm_run *bf16_run;
    const fa__gemm_kind *bf16_kind;
    bool (*allowed)(void); /* asks the system for them at their first use; NULL: no need to */
} level;

#if defined __x86_64__
/* The operating system's part, saving the registers, is included in what these ask. */
__attribute__((__unused__)) static bool has_base(void)
{
    return true;
}

__attribute__((__unused__)) static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
           && __builtin_cpu_supports("bmi2");
}

__attribute__((__unused__)) static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl");
}

#ifdef FA__CPU_BF16
/* By the processor's tables of features, as compilers know too few of their names. */
static bool has_bf16_dot(void)
{
    unsigned a = 0, b, c, d;
    return has_avx512() && __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 5 & 1;
}

/* It multiplies as many pairs a cycle as others multiply numbers on AMD's processors, and fewer than half as many on
 * Intel's (Sapphire Rapids: 96 GFLOP/s beside 147 of f32). */
static bool is_amd(void)
{
    return __builtin_cpu_is("amd");
}

static bool has_bf16_amx(void)
{
    unsigned a, b, c, d = 0, low, high;
    if (!has_bf16_dot() || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1))
        return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low >> 17 & 3) == 3; /* the system saves the registers */
}
#endif
#elif defined __aarch64__
static bool has_neon(void)
{
    return true;
}
#else
static bool has_base(void)
{
    return true;
}
#endif

#define ROW(level)                                                                                                     \
    {.name = #level,                                                                                                   \
     .simd = &fa__simd_##level,                                                                                        \
     .gemm = &fa__gemm_##level,                                                                                        \
     .lanes = &fa__lanes_##level,                                                                                      \
     .winograd = &fa__winograd_##level,                                                                                \
     .available = has_##level},
#define BF16_ROW(level, how, ...)                                                                                      \
    {.name = #level,                                                                                                   \
     .simd = &fa__simd_avx512,                                                                                         \
     .gemm = &fa__gemm_avx512,                                                                                         \
     .lanes = &fa__lanes_avx512,                                                                                       \
     .winograd = &fa__winograd_avx512,                                                                                 \
     .available = has_bf16_##how,                                                                                      \
     .bf16_run = fa__bf16_##how##_run,                                                                                 \
     .bf16_kind = &fa__bf16_##how##_kind,                                                                              \
     __VA_ARGS__},
/* clang-format off */
static const level levels[] = {
    FA__CPU_LEVELS(ROW)
#ifdef FA__CPU_BF16
    BF16_ROW(avx512_bf16, dot, .worth_it = is_amd)
    BF16_ROW(amx, amx, .allowed = fa__bf16_amx_allowed)
#endif
};
/* clang-format on */
enum { LEVELS = sizeof levels / sizeof levels[0] };

const fa__simd *fa__cpu_simd;
const fa__gemm_kernels *fa__cpu_gemm;
const fa__lanes_kernels *fa__cpu_lanes;
const fa__winograd_kernels *fa__cpu_winograd;
static const level *used;
static fa__gemm_kernels with_bf16; /* those of the level, with products of bf16 by instructions of their own */
static const char *names[LEVELS];
static int available;

static void use(const level *l)
{
    used = l;
    fa__cpu_simd = l->simd;
    fa__cpu_gemm = l->gemm;
    fa__cpu_lanes = l->lanes;
    fa__cpu_winograd = l->winograd;
    with_bf16 = *l->gemm;
    if (l->bf16_run) {
        with_bf16.run[FA_BF16] = l->bf16_run;
        with_bf16.kind[FA_BF16] = l->bf16_kind;
    }
}

const fa__gemm_kernels *fa__cpu_gemm_of(int dtype)
{
    bool here = dtype == FA_BF16 && used->bf16_run && !fa__ctx()->settings->deterministic;
    return here && (!used->allowed || used->allowed()) ? &with_bf16 : fa__cpu_gemm;
}

bool fa__cpu_level_use(const char *name)
{
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(levels[i].name, name) == 0 && levels[i].available()) {
            use(&levels[i]);
            return true;
        }
    return false;
}

__attribute__((__constructor__)) static void choose(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
#endif
    for (int i = 0; i < LEVELS; i++)
        if (levels[i].available()) {
            if (!used || used->simd != levels[i].simd)
                names[available++] = levels[i].name;
            if (!levels[i].worth_it || levels[i].worth_it())
                use(&levels[i]);
        }
    if (!used) { /* a build for one level, FACULA_LEVEL */
        fprintf(stderr, "facula: this build needs a processor with the instructions of %s\n", levels[0].name);
        abort();
    }
    const char *wanted = getenv("FACULA_CPU");
    if (!wanted || !*wanted || fa__cpu_level_use(wanted))
        return;
    char there[96];
    fa__text text = fa__text_in(there, sizeof there);
    for (int i = 0; i < LEVELS; i++)
        if (levels[i].available())
            fa__text_add(&text, i ? ", %s" : "%s", levels[i].name);
    fa__log(FA_LOG_WARNING, "FACULA_CPU=%s: the levels of instructions here are %s; using %s", wanted, there,
            fa__cpu_level_name());
}

const char *fa__cpu_level_name(void)
{
    return used->name;
}

const char *const *fa__cpu_level_names(int *count)
{
    *count = available;
    return names;
}
