/* Comparisons of tensors whose result the host waits for: fa_equal and fa_allclose. */
#include "core/attribution.h"
#include "core/context.h"
#include "dispatch/call.h"

/* Read like fa_item(), under their own names. */
static const fa__traits compare_traits;
static const fa__op equal_op = {.name = "equal", .id = FA__OP_expression, .traits = &compare_traits},
                    allclose_op = {.name = "allclose", .id = FA__OP_expression, .traits = &compare_traits};

/* Whether all elements of a bool tensor are true; false after an error. */
static bool all_true(const fa_tensor *tests)
{
    return tests && fa_item_int(fa_all(tests)) == 1;
}

/* Whether x and y are on one device, or placement may move one of them. If not, the error names both devices. */
static bool together(const fa_tensor *x, const fa_tensor *y)
{
    const fa__device *one = fa__tensor_device(x), *other = fa__tensor_device(y);
    return one == other || fa__settings().placement == FA_PLACE_AUTO
           || fa__fail(FA_ERROR_DEVICE,
                       "fa_equal: the tensors are on different devices, x on %s and y on %s: "
                       "fa_to moves one, FA_USE(.placement = FA_PLACE_AUTO) copies",
                       one->name, other->name);
}

bool fa_equal(const fa_tensor *x, const fa_tensor *y)
{
    if (!fa__tensor_check(x, "fa_equal: the first tensor") || !fa__tensor_check(y, "fa_equal: the second tensor")
        || fa__failed() || !together(x, y) || !fa__same_shape(x, y))
        return false;
    FA__WORK_FOR(&equal_op);
    fa__scope scope = fa__scope_open("fa_equal", 0);
    bool equal = all_true(fa_eq(x, y));
    fa__scope_close(&scope);
    return equal;
}

bool(fa_allclose)(const fa_tensor *x, const fa_tensor *y, const fa_allclose_options *options)
{
    FA__COMPLETE(fa_allclose)
    if (!fa__tensor_check(x, "fa_allclose: the first tensor") || !fa__tensor_check(y, "fa_allclose: the second tensor")
        || fa__failed())
        return false;
    FA__WORK_FOR(&allclose_op);
    fa__scope scope = fa__scope_open("fa_allclose", 0);
    bool close =
        all_true(fa_isclose(x, y, .rtol = options->rtol, .atol = options->atol, .equal_nan = options->equal_nan));
    fa__scope_close(&scope);
    return close;
}
