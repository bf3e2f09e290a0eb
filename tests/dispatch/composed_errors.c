/* Errors of composed operations name what the program called, once, with its operands, and then the reason: the parts
 * that found it are not named. On a device whose errors come late, too. */
#include "support/api_test.h"
#include "support/devices.h"

static fa_tensor *m, *n, *v, *wide, *far, *mask;

/* How many functions are named: fa_to in a piece of advice is no call. */
static int times_named(const char *message)
{
    int times = 0;
    for (const char *at = message; (at = strstr(at, "fa_")) != NULL; at += 3) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        times += at == message || at[length] == '(';
    }
    return times;
}

/* The message begins with the call and its operands, names no other call, and ends with the reason. */
#define ONCE(call, begins, reason)                                                                                     \
    do {                                                                                                               \
        (void)(call);                                                                                                  \
        fa_synchronize(DEVICE(0));                                                                                     \
        const char *said = error_reason();                                                                             \
        if (strncmp(said, begins, strlen(begins)) != 0 || !strstr(said, reason) || times_named(said) != 1)             \
            fail_msg("line %d: %s", __LINE__, said);                                                                   \
        fa_error_clear();                                                                                              \
    } while (0)

static void shapes_and_dtypes(void **state)
{
    (void)state;
    ONCE(fa_addmm(m, m, n), "fa_addmm(input=(2, 3) f32 cpu, a=(2, 3) f32 cpu, b=(4, 5) f32 cpu): the last", "agree");
    ONCE(fa_mm(m, n), "fa_mm(a=(2, 3) f32 cpu, b=(4, 5) f32 cpu): the last dimension of a", "agree");
    ONCE(fa_baddbmm(wide, wide, wide), "fa_baddbmm(input=(1, 2, 3)", "have to agree");
    ONCE(fa_multi_dot(FA_TENSORS(m, fa_to(fa_t(m), FA_F64))), "fa_multi_dot(x=[(2, 3) f32", "do not promote");
    ONCE(fa_cosine_similarity(m, n), "fa_cosine_similarity(x1=(2, 3) f32 cpu, x2=(4, 5) f32 cpu): ", "not broadcast");
    ONCE(fa_pairwise_distance(m, n), "fa_pairwise_distance(x1=(2, 3)", "shapes do not broadcast");
    ONCE(fa_softmin(far, 0), "fa_softmin(x=(1,) i64 cpu, dim=0): x is i64", "not floating");
    ONCE(fa_hstack(FA_TENSORS(m, n)), "fa_hstack(x=[(2, 3) f32 cpu, (4, 5) f32 cpu]): ", "another dimension than 1");
    ONCE(fa_scatter(m, 1, far, m), "fa_scatter(x=(2, 3) f32 cpu, dim=1, index=(1,)",
         "index has 1 dimensions and not 2");
    ONCE(fa_scatter_reduce(m, 1, far, m, "sum"), "fa_scatter_reduce(x=(2, 3)", "index has 1 dimensions and not 2");
    ONCE(fa_masked_fill_(m, mask, 1), "fa_masked_fill_(x=(2, 3) f32 cpu, mask=(5,) bool", "do not broadcast");
    ONCE(fa_index_fill(m, 0, fa_tensor_of(1), fa_ones(FA_SHAPE(2))), "fa_index_fill(x=(2, 3)",
         "value has 1 dimensions");
    ONCE(fa_trunc_divide(far, 0), "fa_trunc_divide(x=(1,) i64 cpu, y=0): division by zero", "");
    ONCE(fa_gumbel_softmax(far), "fa_gumbel_softmax(x=(1,) i64 cpu): x has to be floating", "");
}

/* Told by the elements, so on a device when it is waited for. */
static void elements(void **state)
{
    (void)state;
    const fa_device places[] = {FA_CPU, DEVICE(0)};
    for (int i = 0; i < 2; i++) {
        fa_tensor *x = fa_to(m, places[i]), *index = fa_to(far, places[i]), *zero = fa_zeros_like(index);
        ONCE(fa_take(x, index), "fa_take", "index 9 is out of range");
        ONCE(fa_index_fill(x, 1, index, 2), "fa_index_fill", "index 9 is out of range");
        ONCE(fa_index_copy(x, 0, index, fa_narrow(x, 0, 0, 1)), "fa_index_copy", "index 9 is out of range");
        ONCE(fa_cross_entropy(x, fa_expand(index, FA_SHAPE(2))), "fa_cross_entropy", "class 9 is out of range");
        ONCE(fa_trunc_divide(index, zero), "fa_trunc_divide", "division by zero");
    }
}

static int prepare(void **state)
{
    (void)state;
    m = fa_ones(FA_SHAPE(2, 3));
    n = fa_ones(FA_SHAPE(4, 5));
    v = fa_ones(FA_SHAPE(7));
    wide = fa_ones(FA_SHAPE(1, 2, 3));
    far = fa_tensor_of(9);
    mask = fa_ones(FA_SHAPE(5), .dtype = FA_BOOL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(shapes_and_dtypes, prepare),
                                       cmocka_unit_test_setup(elements, prepare)};
    return RUN("api_nested");
}
