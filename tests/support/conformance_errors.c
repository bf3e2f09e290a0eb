/* The walker's errors: what every operation refuses, in words that name it. */
#include "support/conformance.h"
#include "support/devices.h"

static void no_operand(const inputs *in, int i)
{
    FA_SCOPE;
    attempt a;
    bool made = attempt_make(&a, in, NULL, FA_CPU);
    a.tensor[i] = NULL;
    attempt_fill(&a);
    bool ran = made && attempt_run(&a, NULL, false);
    check(made && !ran && error_is_clean(in->s->op) && strstr(fa_error_message(), "NULL"), "NULL for %s is not refused",
          in->s->op->fields[in->s->operand[i].field].name);
}

static bool has_place(const sample *s, int i)
{
    int kind = s->op->fields[s->operand[i].field].kind;
    return s->operand[i].rank && s->operand[i].count && strchr("fpaudtn", s->operand[i].domain)
           && (kind == FA__TENSOR || kind == FA__TENSORS || kind == FA__NUMBER);
}

/* One operand on a device, the others on the CPU. */
static void two_devices(const inputs *in, int odd)
{
    FA_SCOPE;
    attempt a;
    const operand *o = &in->s->operand[odd];
    bool made = attempt_make(&a, in, NULL, FA_CPU);
    a.tensor[odd] = make_tensor(in->values[odd], in->dtype[odd], o->rank, o->shape, LAYOUT_DENSE, DEVICE(0));
    if (!made || !a.tensor[odd]) {
        check(false, "making operands");
        return;
    }
    attempt_fill(&a);
    bool ran = attempt_run(&a, NULL, false);
    const char *message = fa_error_message();
    check(!ran && fa_error_code() == FA_ERROR_DEVICE && strstr(message, in->s->op->name)
              && strstr(message, DEVICE_NAME(0)) && strstr(message, "cpu"),
          "operands on cpu and %s are not refused by name", DEVICE_NAME(0));
}

void conform_errors(const sample *s)
{
    inputs in;
    if (!inputs_make(&in, s, FA_F32))
        return;
    for (int i = 0; i < s->operands; i++)
        if (!s->op->fields[s->operand[i].field].optional)
            no_operand(&in, i);
    int placed = 0;
    for (int i = 0; i < s->operands && !s->op->traits->cross_device; i++)
        placed += has_place(s, i);
    for (int i = 0; i < s->operands && placed > 1; i++)
        if (has_place(s, i))
            two_devices(&in, i);
    inputs_free(&in);
}
