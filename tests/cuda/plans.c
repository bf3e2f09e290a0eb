/* Plans by their questions: what is kept, what takes whose place, and failures. */
#include "backend/gpu/plans.h"
#include "support/api_test.h"

typedef struct plan {
    int64_t question[2];
    int64_t answer;
} plan;

enum { REFUSED = 7 };

static int made, forgotten;
static int64_t refused = -1; /* the question that fails */

static int make(void *plan_, void *handle)
{
    plan *p = plan_;
    assert_ptr_equal(handle, &made);
    assert_int_equal(p->answer, 0);
    made++;
    p->answer = p->question[0] * 10;
    return p->question[0] == refused ? REFUSED : 0;
}

static void forget(void *plan_)
{
    assert_int_equal(((const plan *)plan_)->answer, ((const plan *)plan_)->question[0] * 10);
    forgotten++;
}

static const fa__gpu_planning replaced = {
    .question = sizeof(int64_t[2]), .plan = sizeof(plan), .make = make, .forget = forget};
static const fa__gpu_planning kept = {
    .question = sizeof(int64_t[2]), .plan = sizeof(plan), .make = make, .forget = forget, .stays = true};

static const plan *ask(fa__gpu_plans *own, const fa__gpu_planning *how, int64_t question, int want)
{
    const int64_t q[2] = {question, -question};
    int status = -1;
    const plan *p = fa__gpu_plan(own, how, q, &made, &status);
    assert_int_equal(status, want);
    if (p)
        assert_int_equal(p->answer, question * 10);
    return p;
}

static int begin(void **state)
{
    made = forgotten = 0;
    refused = -1;
    return api_begin(state);
}

static void as_many_as_there_is_room_for(void **state)
{
    (void)state;
    static fa__gpu_plans own;
    const plan *first[FA__GPU_PLANS];
    for (int i = 0; i < FA__GPU_PLANS; i++)
        assert_non_null(first[i] = ask(&own, &kept, i, 0));
    for (int i = 0; i < FA__GPU_PLANS; i++)
        assert_ptr_equal(ask(&own, &kept, i, 0), first[i]);
    assert_null(ask(&own, &kept, FA__GPU_PLANS, 0));
    assert_int_equal(made, FA__GPU_PLANS);
    assert_int_equal(forgotten, 0);
    fa__gpu_plans_free(&own, &kept);
    assert_int_equal(forgotten, FA__GPU_PLANS);
}

/* Each of many more is there when it was asked for last, and each is freed once. */
static void others_take_their_place(void **state)
{
    (void)state;
    static fa__gpu_plans own;
    for (int i = 0; i < 3 * FA__GPU_PLANS; i++) {
        const plan *p = ask(&own, &replaced, i, 0);
        assert_non_null(p);
        assert_ptr_equal(ask(&own, &replaced, i, 0), p);
    }
    assert_int_equal(made, 3 * FA__GPU_PLANS);
    assert_int_equal(forgotten, 2 * FA__GPU_PLANS);
    fa__gpu_plans_free(&own, &replaced);
    assert_int_equal(forgotten, made);
}

/* What failed is freed, and is asked for again. */
static void one_that_fails(void **state)
{
    (void)state;
    static fa__gpu_plans own;
    refused = 5;
    for (int i = 0; i < 2 * FA__GPU_PLANS; i++)
        ask(&own, &replaced, i, i == refused ? REFUSED : 0);
    assert_null(ask(&own, &replaced, 5, REFUSED));
    refused = -1;
    assert_non_null(ask(&own, &replaced, 5, 0));
    fa__gpu_plans_free(&own, &replaced);
    assert_int_equal(forgotten, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(as_many_as_there_is_room_for, begin),
                                       cmocka_unit_test_setup(others_take_their_place, begin),
                                       cmocka_unit_test_setup(one_that_fails, begin)};
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
