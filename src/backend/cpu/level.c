/* Picks the level of instructions (level.h). A constructor, so that no call has to ask whether it is done. */
#include "backend/cpu/level.h"
#include "base/log.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

#define DECLARE(level)                                                                                                 \
    extern const fa__simd fa__simd_##level;                                                                            \
    extern const fa__gemm_kernels fa__gemm_##level;                                                                    \
    extern const fa__lanes_kernels fa__lanes_##level;
FA__CPU_LEVELS(DECLARE)

typedef struct level {
    const char *name;
    const fa__simd *simd;
    const fa__gemm_kernels *gemm;
    const fa__lanes_kernels *lanes;
    bool (*available)(void);
} level;

#if defined __x86_64__
/* The operating system's part, saving the registers, is included in what these ask. */
static bool has_base(void)
{
    return true;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
           && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl");
}
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

#define ROW(level) {#level, &fa__simd_##level, &fa__gemm_##level, &fa__lanes_##level, has_##level},
static const level levels[] = {FA__CPU_LEVELS(ROW)};
enum { LEVELS = sizeof levels / sizeof levels[0] };

const fa__simd *fa__cpu_simd;
const fa__gemm_kernels *fa__cpu_gemm;
const fa__lanes_kernels *fa__cpu_lanes;
static const char *names[LEVELS];
static int available;

static void use(const level *l)
{
    fa__cpu_simd = l->simd;
    fa__cpu_gemm = l->gemm;
    fa__cpu_lanes = l->lanes;
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
            names[available++] = levels[i].name;
            use(&levels[i]);
        }
    const char *wanted = getenv("FACULA_CPU");
    if (!wanted || !*wanted || fa__cpu_level_use(wanted))
        return;
    char there[64];
    fa__text text = fa__text_in(there, sizeof there);
    for (int i = 0; i < available; i++)
        fa__text_add(&text, i ? ", %s" : "%s", names[i]);
    fa__log(FA_LOG_WARNING, "FACULA_CPU=%s: the levels of instructions here are %s; using %s", wanted, there,
            fa__cpu_level_name());
}

const char *fa__cpu_level_name(void)
{
    return fa__cpu_simd->name;
}

const char *const *fa__cpu_level_names(int *count)
{
    *count = available;
    return names;
}
