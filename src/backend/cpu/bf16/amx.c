/* Products of bf16 by AMX: a tile of 32 x 32 sums in four of its registers, two of a and two of b in the others. */
#define _GNU_SOURCE
#include "backend/cpu/bf16/bf16.h"
#include <immintrin.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIDE = 16, STEP = 32 };                    /* of a register: rows and columns of sums; k */
enum { REQUEST_PERMISSION = 0x1023, TILES = 18 }; /* of arch_prctl: as in <asm/prctl.h>, which may be too old */

static bool allowed;

static void ask(void)
{
    allowed = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILES) == 0;
}

bool fa__bf16_amx_allowed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return allowed;
}

/* All registers have 16 rows of 64 bytes. */
static void enter(void)
{
    static const struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shape = {.palette = 1,
               .bytes = {64, 64, 64, 64, 64, 64, 64, 64},
               .rows = {SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE}};
    _tile_loadconfig(&shape);
}

static void leave(void)
{
    _tile_release();
}

/* ACROSS x DOWN registers of sums: 0 and 1 over 2 and 3. The compiler needs the numbers as they are written. Of
 * tiles of 16 rows, `below` and `under` are not used. */
#define TILE(name, ACROSS, DOWN)                                                                                       \
    static void name(const fa__gemm_tile *t)                                                                           \
    {                                                                                                                  \
        const size_t a_row = (size_t)t->a_row * 2, b_row = 4 * FA__BF16_COLS, c_row = (size_t)t->c_row * 4;            \
        const char *a = t->a, *below = a + SIDE * a_row, *b = t->b;                                                    \
        char *c = t->c, *under = c + SIDE * c_row;                                                                     \
        (void)below, (void)under;                                                                                      \
        if (t->resume) {                                                                                               \
            _tile_loadd(0, c, c_row);                                                                                  \
            ACROSS(_tile_loadd(1, c + 64, c_row));                                                                     \
            DOWN(_tile_loadd(2, under, c_row));                                                                        \
            ACROSS(DOWN(_tile_loadd(3, under + 64, c_row)));                                                           \
        } else {                                                                                                       \
            _tile_zero(0);                                                                                             \
            ACROSS(_tile_zero(1));                                                                                     \
            DOWN(_tile_zero(2));                                                                                       \
            ACROSS(DOWN(_tile_zero(3)));                                                                               \
        }                                                                                                              \
        for (int64_t k = 0; k < t->depth; k += STEP, a += 64, below += 64, b += STEP / 2 * b_row) {                    \
            _tile_loadd(6, b, b_row);                                                                                  \
            _tile_loadd(4, a, a_row);                                                                                  \
            _tile_dpbf16ps(0, 4, 6);                                                                                   \
            ACROSS(_tile_loadd(7, b + 64, b_row));                                                                     \
            ACROSS(_tile_dpbf16ps(1, 4, 7));                                                                           \
            DOWN(_tile_loadd(5, below, a_row));                                                                        \
            DOWN(_tile_dpbf16ps(2, 5, 6));                                                                             \
            ACROSS(DOWN(_tile_dpbf16ps(3, 5, 7)));                                                                     \
        }                                                                                                              \
        _tile_stored(0, c, c_row);                                                                                     \
        ACROSS(_tile_stored(1, c + 64, c_row));                                                                        \
        DOWN(_tile_stored(2, under, c_row));                                                                           \
        ACROSS(DOWN(_tile_stored(3, under + 64, c_row)));                                                              \
    }
#define YES(x) x
#define NO(x) (void)0
TILE(tile_2x2, YES, YES)
TILE(tile_1x2, YES, NO)
TILE(tile_2x1, NO, YES)
TILE(tile_1x1, NO, NO)

static void tile(const fa__gemm_tile *t)
{
    static void (*const by_size[2][2])(const fa__gemm_tile *) = {{tile_1x1, tile_1x2}, {tile_2x1, tile_2x2}};
    by_size[t->rows > SIDE][t->cols > SIDE](t);
}

const fa__gemm_kind fa__bf16_amx_kind = {
    .element = sizeof(uint16_t),
    .packed = sizeof(uint16_t),
    .sum = sizeof(float),
    .rows = 2 * SIDE,
    .cols = FA__BF16_COLS,
    .group = STEP,
    .whole = true,
    .tile = tile,
    .pack = fa__bf16_pack,
    .gather = fa__bf16_gather,
    .join = fa__bf16_join,
    .pack_joined = fa__bf16_pack_joined,
    .finish = fa__bf16_finish,
    .add = fa__bf16_add,
    .enter = enter,
    .leave = leave,
};

bool fa__bf16_amx_run(const fa__gemm *g)
{
    return fa__gemm_by_tiles(g, &fa__bf16_amx_kind);
}
