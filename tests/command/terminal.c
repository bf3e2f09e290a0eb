/* The command on a terminal, which this program plays: the bar that is drawn over itself, what is on the screen in the
 * end, and Ctrl-C. Usage: terminal FACULA */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

enum { ROWS = 200, COLUMNS = 100, PATIENCE = 120 /* seconds: only a command that hangs takes them */ };

static const char *facula;

/* ---- a command, and what it writes ---- */

typedef struct session {
    pid_t pid;
    int terminal,
        end;    /* the side that we read, and that of the command, which stays open: its state can be looked at */
    int output; /* a pipe in place of the terminal for standard output; -1: none */
    char *text;
    size_t size;
    int status; /* of waitpid */
    bool ended;
    time_t until;
} session;

static void become(const session *s, int output, char *const *argv)
{
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C", 1);
    if (login_tty(s->end) == 0 && (output < 0 || dup2(output, STDOUT_FILENO) >= 0))
        execv(facula, argv);
    _exit(127);
}

/* Starts `facula ARGUMENTS` on a terminal of so many columns; piped: with a pipe as standard output. */
static session start(int columns, bool piped, const char *arguments)
{
    char line[200], *argv[16] = {(char *)(uintptr_t)facula};
    snprintf(line, sizeof line, "%s", arguments);
    for (int i = 1; i < 15 && (argv[i] = strtok(i == 1 ? line : NULL, " ")) != NULL;)
        i++;
    session s = {.output = -1, .text = calloc(1, 1), .until = time(NULL) + PATIENCE};
    struct winsize size = {.ws_row = ROWS, .ws_col = (unsigned short)columns};
    int ends[2] = {-1, -1};
    assert_non_null(s.text);
    assert_int_equal(openpty(&s.terminal, &s.end, NULL, NULL, &size), 0);
    assert_true(!piped || pipe(ends) == 0);
    s.output = ends[0];
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0)
        become(&s, ends[1], argv);
    if (piped)
        close(ends[1]);
    return s;
}

/* Takes what there is on a descriptor; false: nothing came within so many milliseconds. */
static bool take(session *s, int from, int wait)
{
    struct pollfd ready = {.fd = from, .events = POLLIN};
    char part[4096];
    if (poll(&ready, 1, wait) <= 0)
        return false;
    ssize_t n = read(from, part, sizeof part);
    if (n <= 0)
        return false;
    s->text = realloc(s->text, s->size + (size_t)n + 1);
    assert_non_null(s->text);
    memcpy(s->text + s->size, part, (size_t)n);
    s->text[s->size += (size_t)n] = 0;
    return true;
}

static void check_patience(session *s)
{
    if (time(NULL) <= s->until)
        return;
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
    fail_msg("the command hangs; it had written: %s", s->text);
}

/* Reads until the text is there. */
static void await(session *s, const char *text)
{
    while (!strstr(s->text, text)) {
        take(s, s->terminal, 50);
        check_patience(s);
    }
}

/* Reads to the command's end. */
static void finish(session *s)
{
    int from = s->output >= 0 ? s->output : s->terminal;
    while (!s->ended) {
        take(s, from, 20);
        s->ended = waitpid(s->pid, &s->status, WNOHANG) == s->pid;
        check_patience(s);
    }
    while (take(s, from, 0))
        ;
}

static void forget(session *s)
{
    close(s->terminal);
    close(s->end);
    if (s->output >= 0)
        close(s->output);
    free(s->text);
}

/* ---- a screen ---- */

typedef struct screen {
    char cell[ROWS][COLUMNS + 1];
    int row, column, columns;
} screen;

static void put(screen *v, char c)
{
    if (v->column == v->columns) {
        v->column = 0;
        v->row++;
    }
    assert_true(v->row < ROWS);
    v->cell[v->row][v->column++] = c;
}

/* Whether a color or the like begins here: \033[1;31m. */
static bool is_style(const char *c)
{
    return !strncmp(c, "\033[", 2) && c[2 + strspn(c + 2, "0123456789;")] == 'm';
}

/* What a terminal shows after all that was written. A control character that is not expected fails. */
static screen *show(const session *s, int columns)
{
    static screen v;
    memset(&v, 0, sizeof v);
    v.columns = columns;
    for (const char *c = s->text; *c; c++) {
        if (*c == '\r') {
            v.column = 0;
        } else if (*c == '\n') {
            v.row++;
        } else if (!strncmp(c, "\033[K", 3)) {
            memset(v.cell[v.row] + v.column, 0, (size_t)(columns - v.column));
            c += 2;
        } else if (is_style(c)) {
            c = strchr(c, 'm');
        } else {
            if (!isprint((unsigned char)*c))
                fail_msg("the control character %d is written", *c);
            put(&v, *c);
        }
    }
    return &v;
}

/* A line without the rate and the time that may stand at its end. */
static char *timeless(char *line)
{
    char *rate = strstr(line, "/s  ");
    while (rate && rate > line && strncmp(rate, "  ", 2))
        rate--;
    if (rate)
        *rate = 0;
    return line;
}

/* The curve that only a terminal gets: eleven lines, with the one before it. */
static int behind_curve(const screen *v, int row)
{
    if (strcmp(v->cell[row + 1], "loss"))
        return row;
    for (int i = 2; i < 10; i++)
        assert_non_null(strchr(v->cell[row + i], '|'));
    assert_non_null(strstr(v->cell[row + 10], "epoch 1"));
    return row + 11;
}

/* The lines of a text are those of the screen, but for times and the curve, which is there. */
static void assert_shows(screen *v, char *text)
{
    int row = 0, curves = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        int next = behind_curve(v, row);
        curves += next != row;
        row = next;
        assert_string_equal(timeless(v->cell[row]), timeless(line));
        row++;
    }
    assert_int_equal(curves, 1);
    assert_int_equal(v->row, row);
    assert_int_equal(v->column, 0);
}

/* ---- the tests ---- */

static const char two_epochs[] = "train mlp --data digits --epochs 2";

/* What it writes into a pipe; freed by the caller. */
static char *plain(const char *arguments)
{
    session s = start(80, true, arguments);
    finish(&s);
    assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
    char *text = strdup(s.text);
    forget(&s);
    return text;
}

static void lines_are_plain_without_a_terminal(void **state)
{
    (void)state;
    char *text = plain(two_epochs);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || isprint((unsigned char)*c));
    assert_non_null(strstr(text, "epoch 1/2  loss "));
    assert_non_null(strstr(text, "\ntest accuracy: "));
    free(text);
}

/* How often a bar of this label was drawn at the line's beginning; none is less full than the last, the last one full,
 * with the loss behind it where there is room. */
static int count_bars(const char *text, const char *label, int width, bool told)
{
    char head[64];
    int count = 0, last = -1;
    snprintf(head, sizeof head, "\r%s [", label);
    for (const char *at = text; (at = strstr(at, head)) != NULL; count++) {
        at += strlen(head);
        int full = (int)strspn(at, "#"), percent = -1;
        assert_int_equal(full + (int)strspn(at + full, " "), width);
        assert_int_equal(sscanf(at + width, "] %d%%", &percent), 1);
        assert_int_equal(percent, full * 100 / width);
        assert_true(full >= last);
        last = full;
        assert_true(!told || strstr(at, "%  loss ") == at + width + 5);
    }
    assert_true(!count || last == width);
    return count;
}

static void a_bar_is_drawn_over_itself(void **state)
{
    (void)state;
    char *text = plain(two_epochs);
    session s = start(80, false, two_epochs);
    finish(&s);
    assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
    assert_in_range(count_bars(s.text, "epoch 1/2", 18, true), 14, 60);
    assert_in_range(count_bars(s.text, "epoch 2/2", 18, true), 14, 60);
    assert_shows(show(&s, 80), text); /* nothing of the bars is left */
    forget(&s);
    free(text);
}

static void a_bar_fits_the_terminal(void **state)
{
    (void)state;
    static const struct {
        int columns, width;
        bool told;
    } rows[] = {{100, 38, true}, {99, 37, true},  {67, 5, true},  {66, 40, false},
                {59, 39, false}, {32, 12, false}, {25, 5, false}, {24, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].columns, false, "train linear --epochs 1");
        finish(&s);
        assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
        int count = count_bars(s.text, "epoch 1/1", rows[i].width, rows[i].told);
        assert_int_equal(count > 0, rows[i].width > 0);
        assert_null(strchr(show(&s, rows[i].columns)->cell[1], '[')); /* drawn over where it was */
        forget(&s);
    }
}

/* Where a line of the screen is; its end when there is none. */
static int row_of(const screen *v, const char *line)
{
    int row = 0;
    while (row < v->row && strcmp(v->cell[row], line))
        row++;
    return row;
}

/* No line of the curve wraps round; where its own last line would, there is none. */
static void a_curve_fits_the_terminal(void **state)
{
    (void)state;
    static const int columns[] = {100, 75, 74, 50, 27, 26, 25};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        session s = start(columns[i], false, "train mlp --epochs 2");
        finish(&s);
        assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
        const screen *v = show(&s, columns[i]);
        int row = row_of(v, "loss");
        assert_int_equal(row<v->row, columns[i]> 25);
        assert_true(row == v->row || behind_curve(v, row - 1) == row + 10);
        assert_true(row == v->row || strstr(v->cell[row + 9], "epoch 2"));
        forget(&s);
    }
}

/* The longest line from a text on, without colors. */
static int longest(const char *from)
{
    int most = 0, length = 0;
    for (const char *c = from; c && *c; c++) {
        if (is_style(c))
            c = strchr(c, 'm');
        else if (*c == '\n' || *c == '\r')
            length = 0;
        else
            most = ++length > most ? length : most;
    }
    return most;
}

static void tables_fit_narrow_terminals(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"train mlp --epochs 1", "precision"},
                                          {"train -h", "Usage"},
                                          {"data show digits", "digits"},
                                          {"predict -h", "Usage"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(48, false, rows[i][0]);
        finish(&s);
        assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
        assert_non_null(strstr(s.text, rows[i][1]));
        assert_in_range(longest(strstr(s.text, rows[i][1])), 30, 48);
        forget(&s);
    }
}

static void colors_are_for_those_who_want_them(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        session s = start(80, false, "train -h");
        finish(&s);
        assert_int_equal(strstr(s.text, "\033[1m") != NULL, i == 0);
        forget(&s);
        assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    }
    unsetenv("NO_COLOR");
}

static void it_asks_before_a_file_is_overwritten(void **state)
{
    (void)state;
    char path[] = "/tmp/facula-XXXXXX", arguments[100];
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(arguments, sizeof arguments, "train linear --epochs 0 --save %s", path);
    for (int i = 0; i < 2; i++) {
        session s = start(80, false, arguments);
        await(&s, "exists; overwrite it? [y/N] ");
        assert_int_equal(write(s.terminal, i ? "y\n" : "n\n", 2), 2);
        finish(&s);
        assert_true(WIFEXITED(s.status));
        assert_int_equal(WEXITSTATUS(s.status), i ? 0 : 2);
        assert_int_equal(lseek(file, 0, SEEK_END), 0); /* the new one replaced it */
        forget(&s);
    }
    FILE *fresh = fopen(path, "rb");
    assert_non_null(fresh);
    assert_int_equal(fseek(fresh, 0, SEEK_END), 0);
    assert_true(ftell(fresh) > 0);
    fclose(fresh);
    close(file);
    unlink(path);
}

static void quiet_draws_none(void **state)
{
    (void)state;
    session s = start(80, false, "train mlp --epochs 1 --quiet");
    finish(&s);
    assert_true(WIFEXITED(s.status) && WEXITSTATUS(s.status) == 0);
    assert_int_equal(strncmp(s.text, "test accuracy: ", 15), 0);
    assert_int_equal(show(&s, 80)->row, 1);
    forget(&s);
}

static const char endless[] = "train mlp --data digits --epochs 1000000";

static void assert_same_state(const struct termios *a, const struct termios *b)
{
    assert_int_equal(a->c_iflag, b->c_iflag);
    assert_int_equal(a->c_oflag, b->c_oflag);
    assert_int_equal(a->c_cflag, b->c_cflag);
    assert_int_equal(a->c_lflag, b->c_lflag);
    assert_memory_equal(a->c_cc, b->c_cc, sizeof a->c_cc);
}

/* The key itself: the terminal makes a signal of it, for whoever is in the foreground. */
static void control_c_stops_it_cleanly(void **state)
{
    (void)state;
    struct termios before, after;
    session s = start(100, false, endless);
    assert_int_equal(tcgetattr(s.end, &before), 0);
    before.c_lflag |= NOFLSH; /* the key does not throw away what is on its way to the screen */
    assert_int_equal(tcsetattr(s.end, TCSANOW, &before), 0);
    await(&s, "\repoch  2/1000000 [#"); /* in the middle of a bar */
    assert_int_equal(write(s.terminal, "\003", 1), 1);
    finish(&s);
    assert_true(WIFEXITED(s.status));
    assert_int_equal(WEXITSTATUS(s.status), 1);
    assert_int_equal(tcgetattr(s.end, &after), 0);
    assert_same_state(&before, &after);
    const screen *v = show(&s, 100); /* knows no escape sequence that would hide the cursor */
    const char *last = v->cell[v->row - 1];
    if (!strncmp(last, "^C", 2)) /* between two bars */
        last += 2;
    assert_true(!strncmp(last, "facula: stopped in epoch ", 25)
                || !strncmp(last, "facula: stopped while epoch ", 28)); /* the key may come to its evaluation */
    assert_non_null(strstr(last, "; nothing is saved without --save"));
    assert_string_equal(v->cell[v->row], "");
    assert_int_equal(v->column, 0);
    for (int row = 0; row < v->row; row++)
        assert_null(strchr(v->cell[row], '['));
    assert_null(strstr(s.text, "accuracy"));
    forget(&s);
}

/* Whether a process would still catch the signal: it does so once. */
static bool catches(pid_t pid, int signal)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && sscanf(line, "SigCgt: %llx", &caught) != 1)
        ;
    fclose(file);
    return caught >> (signal - 1) & 1;
}

/* From its first bar on the terminal takes no output; and keys do nothing but to raise signals. */
static void stop_output(session *s)
{
    struct termios how;
    assert_int_equal(tcgetattr(s->end, &how), 0);
    how.c_iflag &= ~(tcflag_t)IXON; /* else the key would set the output going */
    how.c_lflag &= ~(tcflag_t)ECHO;
    how.c_lflag |= NOFLSH;
    assert_int_equal(tcsetattr(s->end, TCSANOW, &how), 0);
    await(s, "\repoch ");
    assert_int_equal(tcflow(s->end, TCOOFF), 0);
    assert_true(catches(s->pid, SIGINT));
    usleep(50000); /* it comes to a write that waits */
}

/* A terminal that takes no output, so that the key finds the command writing: it stops as it does elsewhere. */
static void control_c_while_it_writes(void **state)
{
    (void)state;
    session s = start(80, false, endless);
    stop_output(&s);
    assert_int_equal(write(s.terminal, "\003", 1), 1);
    while (catches(s.pid, SIGINT)) {
        usleep(1000);
        check_patience(&s);
    }
    assert_int_equal(tcflow(s.end, TCOON), 0);
    finish(&s);
    assert_true(WIFEXITED(s.status));
    assert_int_equal(WEXITSTATUS(s.status), 1);
    assert_non_null(strstr(s.text, "facula: stopped "));
    assert_null(strstr(s.text, "cannot write"));
    forget(&s);
}

/* A terminal that takes no output keeps the command from coming to its end, so that the second signal finds it: Ctrl-C,
 * or another one. */
static void ends_at_once_behind_control_c(int number)
{
    session s = start(80, false, endless);
    stop_output(&s);
    assert_int_equal(write(s.terminal, "\003", 1), 1);
    while (catches(s.pid, SIGINT)) {
        usleep(1000);
        check_patience(&s);
    }
    assert_int_equal(waitpid(s.pid, &s.status, WNOHANG), 0);
    assert_int_equal(number == SIGINT ? write(s.terminal, "\003", 1) - 1 : kill(s.pid, number), 0);
    finish(&s);
    assert_true(WIFSIGNALED(s.status));
    assert_int_equal(WTERMSIG(s.status), number);
    forget(&s);
}

static void control_c_twice_ends_it_at_once(void **state)
{
    (void)state;
    ends_at_once_behind_control_c(SIGINT);
}

/* The thread sanitizer keeps a signal until the call that it came into returns, which that of the full terminal does
 * not. */
#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define SIGNALS_ARE_KEPT true
#endif
#endif
#ifndef SIGNALS_ARE_KEPT
#define SIGNALS_ARE_KEPT false
#endif

static void a_signal_of_the_other_kind_ends_it_at_once(void **state)
{
    (void)state;
    if (SIGNALS_ARE_KEPT)
        skip();
    ends_at_once_behind_control_c(SIGTERM);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_plain_without_a_terminal),
        cmocka_unit_test(a_bar_is_drawn_over_itself),
        cmocka_unit_test(a_bar_fits_the_terminal),
        cmocka_unit_test(a_curve_fits_the_terminal),
        cmocka_unit_test(tables_fit_narrow_terminals),
        cmocka_unit_test(colors_are_for_those_who_want_them),
        cmocka_unit_test(it_asks_before_a_file_is_overwritten),
        cmocka_unit_test(quiet_draws_none),
        cmocka_unit_test(control_c_stops_it_cleanly),
        cmocka_unit_test(control_c_while_it_writes),
        cmocka_unit_test(control_c_twice_ends_it_at_once),
        cmocka_unit_test(a_signal_of_the_other_kind_ends_it_at_once),
    };
    if (argc != 2)
        return fprintf(stderr, "usage: terminal FACULA\n"), 2;
    facula = argv[1];
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
