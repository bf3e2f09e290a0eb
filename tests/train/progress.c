/* Progress bars: what is drawn on a terminal and elsewhere, and that nobody waits for the values shown. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include "support/devices.h"
#include <facula/optim.h>
#include <facula/train.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ---- what is drawn ---- */

/* A terminal of so many columns, which this program reads. */
typedef struct screen {
    int other;
    FILE *file;
    char text[65536];
} screen;

static void screen_open(screen *s, unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    setenv("TERM", "xterm", 1);
    s->other = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(s->other >= 0 && grantpt(s->other) == 0 && unlockpt(s->other) == 0);
    int end = open(ptsname(s->other), O_RDWR | O_NOCTTY);
    struct termios how;
    assert_true(end >= 0 && tcgetattr(end, &how) == 0);
    cfmakeraw(&how);
    assert_int_equal(tcsetattr(end, TCSANOW, &how), 0);
    assert_int_equal(ioctl(end, TIOCSWINSZ, &size), 0);
    assert_int_equal(fcntl(s->other, F_SETFL, O_NONBLOCK), 0);
    assert_non_null(s->file = fdopen(end, "w"));
}

/* What was drawn since the last call. */
static const char *drawn(screen *s)
{
    size_t length = 0;
    for (ssize_t n; (n = read(s->other, s->text + length, sizeof s->text - 1 - length)) > 0;)
        length += (size_t)n;
    s->text[length] = 0;
    return s->text;
}

static void screen_close(screen *s)
{
    fclose(s->file);
    close(s->other);
}

/* It lives longer than the scope that the bar belongs to. */
#define SCREEN(name) screen name __attribute__((__cleanup__(screen_close)))

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)) != NULL; s += strlen(what))
        n++;
    return n;
}

static void a_bar_is_drawn_over_itself(void **state)
{
    (void)state;
    SCREEN(s);
    screen_open(&s, 100);
    FA_SCOPE;
    fa_progress *bar = fa_progress_new(4, .label = "train", .file = s.file, .interval = 1e-9);
    assert_string_equal(drawn(&s), "");
    assert_true(fa_progress_tick(bar, "loss", 2.5, "right", 7));
    const char *text = drawn(&s);
    assert_int_equal(strncmp(text, "\rtrain [#######                       ]  25%  1/4  ", 51), 0);
    assert_non_null(strstr(text, "/s  0:0"));
    assert_non_null(strstr(text, " left  loss 2.5  right 7\033[K"));
    assert_true(fa_progress_tick(bar));
    assert_non_null(strstr(drawn(&s), "loss 2.5  right 7\033[K")); /* what was known before */
    assert_true(fa_progress_tick(bar, "loss", fa_tensor_of(1.25)));
    assert_null(strchr(s.text, '\n'));
    fa_progress_clear(bar);
    assert_non_null(strstr(drawn(&s), "loss 1.25  right 7\033[K\r\033[K"));
    assert_true(fa_progress_tick(bar, "loss", 1));
    text = drawn(&s);
    assert_non_null(strstr(text, "[##############################] 100%  4/4  "));
    assert_null(strstr(text, "left"));
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_no_error();
}

static void a_line_is_never_wider_than_the_terminal(void **state)
{
    (void)state;
    for (unsigned short columns = 1; columns < 120; columns++) {
        SCREEN(s);
        screen_open(&s, columns);
        {
            FA_SCOPE;
            fa_progress *bar = fa_progress_new(20, .label = "a label that is long", .file = s.file);
            fa_progress_tick(bar, "a value", -1.0 / 3, "another one", 1e300);
        }
        const char *text = drawn(&s);
        size_t line = strcspn(text + 1, "\033");
        assert_int_equal(text[0], '\r');
        assert_true(line < columns && strchr(text, '\n'));
        assert_true(columns < 111 || line == columns - 1U || strchr(text, ']'));
    }
}

/* Some times a second, whatever ticks there are; and the last one always. */
static void drawing_is_rare(void **state)
{
    (void)state;
    enum { TICKS = 100000 };
    SCREEN(s);
    screen_open(&s, 80);
    FA_SCOPE;
    fa_progress *bar = fa_progress_new(TICKS, .file = s.file);
    for (int i = 0; i < TICKS; i++)
        fa_progress_tick(bar, "i", i);
    const char *text = drawn(&s);
    assert_true(count_of(text, "\r") < 100);
    assert_non_null(strstr(text, "100000/100000"));
    assert_non_null(strstr(text, "i 1e+05\033[K\n"));
}

static void files_get_few_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    {
        FA_SCOPE;
        fa_progress *soon = fa_progress_new(10, .label = "soon", .file = file),
                    *quiet = fa_progress_new(10, .file = file, .quiet = true, .interval = 1e-9);
        fa_progress *bar = fa_progress_new(10, .label = "later", .file = file, .interval = 0.02);
        fa_progress *endless = fa_progress_new(0, .file = file, .interval = 0.02);
        for (int i = 0; i < 10; i++) {
            pause_ms(i == 5 ? 30 : 0);
            fa_progress_tick(soon, "loss", 1);
            fa_progress_tick(quiet, "loss", 1);
            fa_progress_tick(bar, "loss", i);
            fa_progress_tick(endless, "loss", i);
        }
        assert_no_error();
    }
    size = (size_t)ftell(file);
    rewind(file);
    assert_non_null(text = calloc(1, size + 1));
    assert_int_equal(fread(text, 1, size, file), size);
    assert_int_equal(count_of(text, "soon"), 0);
    assert_int_equal(count_of(text, "later  60%  6/10  "), 1);
    assert_int_equal(count_of(text, "later 100%  10/10  "), 1);
    assert_int_equal(count_of(text, "\n"), 3);
    assert_int_equal(count_of(text, "\r") + count_of(text, "\033"), 0);
    assert_int_equal(count_of(text, "\n6  "), 1); /* nobody knows how many */
    free(text);
    fclose(file);
}

static void a_dumb_terminal_is_as_a_file(void **state)
{
    (void)state;
    SCREEN(s);
    screen_open(&s, 80);
    setenv("TERM", "dumb", 1);
    {
        FA_SCOPE;
        fa_progress *bar = fa_progress_new(3, .file = s.file);
        for (int i = 0; i < 3; i++)
            fa_progress_tick(bar);
    }
    assert_string_equal(drawn(&s), "");
    setenv("TERM", "xterm", 1);
}

/* ---- values of devices ---- */

/* Queues stand still until somebody waits: a bar that waited would not show it, one that does not shows no value. */
static void nobody_waits_for_a_value(void **state)
{
    (void)state;
    enum { STEPS = 50 };
    SCREEN(s);
    screen_open(&s, 100);
    FA_SCOPE;
    FA_VAR(x, fa_to(fa_tensor_of(1.), DEVICE(0)));
    fa_assign(&x, fa_mul(x, 1)); /* a driver may wait when it compiles */
    fa_cpu(x);
    fa_synchronize(DEVICE(0));
    fa_progress *bar = fa_progress_new(2 * STEPS + 1, .file = s.file, .interval = 1e-9);
    test_devices_delay(-1);
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        FA_REPEAT (i, STEPS) {
            fa_assign(&x, fa_mul(x, 1));
            fa_progress_tick(bar, "loss", x, "lr", 0.5);
        }
    }
    assert_no_error();
    fa_transfers t = fa_transfers_total();
    assert_int_equal(t.waits, 0);
    assert_int_equal(t.to_host, 1); /* it is still on its way */
    assert_null(strstr(drawn(&s), "loss"));
    assert_non_null(strstr(s.text, "lr 0.5"));
    test_devices_delay(0);
    assert_true(fa_synchronize(DEVICE(0)));
    fa_transfers_reset();
    FA_REPEAT (i, STEPS) {
        pause_ms(1);
        fa_assign(&x, fa_mul(x, 1));
        assert_true(fa_progress_tick(bar, "loss", x));
    }
    t = fa_transfers_total();
    assert_int_equal(t.waits, 0);
    assert_true(t.to_host > 1 && t.to_host <= STEPS);
    assert_non_null(strstr(drawn(&s), "loss 1  lr 0.5"));
    test_devices_delay(test_device_is_late(0) ? 20 : 0);
    assert_no_error();
}

static void where_copies_are_forbidden_there_are_none(void **state)
{
    (void)state;
    SCREEN(s);
    screen_open(&s, 100);
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_tensor_of(1.), DEVICE(0));
    fa_progress *bar = fa_progress_new(9, .file = s.file, .interval = 1e-9);
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        assert_true(fa_progress_tick(bar, "loss", x, "here", fa_tensor_of(4)));
    }
    assert_int_equal(fa_transfers_total().to_host, 0);
    assert_null(strstr(drawn(&s), "loss"));
    assert_non_null(strstr(s.text, "here 4"));
    assert_no_error();
}

/* Of a loss that needs gradients, in a loop whose turns free it; bars that go before their copies arrive. */
static void training_is_not_disturbed(void **state)
{
    (void)state;
    for (int shown = 0; shown < 2; shown++) {
        SCREEN(s);
        screen_open(&s, 100);
        {
            FA_SCOPE;
            fa_tensor *w = fa_to(fa_tensor_of(3.), DEVICE(0));
            fa_set_requires_grad(w, true);
            fa_optim *opt = fa_optim_sgd(fa_params(w), .lr = 0.25);
            fa_progress *bar = fa_progress_new(4, .file = s.file, .interval = 1e-9);
            FA_REPEAT (i, 4) {
                fa_optim_zero_grad(opt);
                fa_tensor *loss = fa_mul(w, w);
                if (shown)
                    assert_true(fa_progress_tick(bar, "loss", loss));
                fa_backward(loss);
                fa_optim_step(opt);
            }
            assert_no_error();
            assert_true(fa_item(w) == 3. / 16);
        }
    }
}

/* ---- errors ---- */

static void errors_end_the_line(void **state)
{
    (void)state;
    SCREEN(s);
    screen_open(&s, 100);
    FA_SCOPE;
    fa_progress *bar = fa_progress_new(100, .file = s.file, .interval = 1e-9);
    assert_true(fa_progress_tick(bar, "loss", 1));
    drawn(&s);
    fa_fail(FA_ERROR_USER, "before");
    assert_false(fa_progress_tick(bar, "loss", (fa_tensor *)NULL));
    assert_string_equal(drawn(&s), "\n");
    assert_error(FA_ERROR_USER, "before");
    assert_false(fa_progress_tick(bar, "loss", (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "\"loss\" is NULL");
    assert_false(fa_progress_tick(bar, "loss", fa_tensor_of(1, 2)));
    assert_error(FA_ERROR_SHAPE, "2 elements");
    assert_false(fa_progress_tick(bar, "loss"));
    assert_error(FA_ERROR_ARGUMENT, "names and values");
    assert_false(fa_progress_tick(bar, 1, "loss"));
    assert_error(FA_ERROR_ARGUMENT, "names and values");
    assert_false(fa_progress_tick("loss", 1));
    assert_error(FA_ERROR_ARGUMENT, "the progress bar is NULL");
    assert_false(fa_progress_tick(bar, "a", 1, "b", 1, "c", 1, "d", 1, "e", 1, "f", 1));
    assert_error(FA_ERROR_ARGUMENT, "\"f\" is one value too many");
    fa_progress *seldom = fa_progress_new(100, .file = s.file, .interval = 1000);
    assert_true(fa_progress_tick(seldom, "loss", 1));
    assert_false(fa_progress_tick(seldom, "loss", fa_tensor_of(1, 2))); /* which would not be drawn */
    assert_error(FA_ERROR_SHAPE, "2 elements");
    assert_null(fa_progress_new(10, .interval = -1));
    assert_error(FA_ERROR_ARGUMENT, "fa_progress_new");
    fa_progress_clear(NULL);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bar_is_drawn_over_itself),
        TEST(a_line_is_never_wider_than_the_terminal),
        TEST(drawing_is_rare),
        TEST(files_get_few_lines),
        TEST(a_dumb_terminal_is_as_a_file),
        TEST(nobody_waits_for_a_value),
        TEST(where_copies_are_forbidden_there_are_none),
        TEST(training_is_not_disturbed),
        TEST(errors_end_the_line),
    };
    return RUN("progress");
}
