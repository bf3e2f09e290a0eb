/* Tables in CSV files: quotes, line ends, headers, types of columns, missing values; and what is refused, with line and
 * column. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/dataset.h>
#include <facula/host.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void put(const void *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

static fa_tensor *inputs_of(fa_dataset *d)
{
    int64_t all[16];
    for (int64_t i = 0; i < 16; i++)
        all[i] = i;
    fa_sample s = fa_dataset_batch(d, all, fa_dataset_length(d));
    assert_no_error();
    return s.input;
}

static void assert_inputs(fa_dataset *d, int64_t rows, int64_t columns, const float *expected)
{
    float got[64];
    fa_tensor *x = inputs_of(d);
    assert_int_equal(fa_size(x, 0), rows);
    assert_int_equal(fa_size(x, 1), columns);
    assert_true(fa_read(x, got, FA_F32, rows * columns));
    for (int64_t i = 0; i < rows * columns; i++)
        if (isnan(expected[i]) ? !isnan(got[i]) : got[i] != expected[i])
            fail_msg("element %d is %g, not %g", (int)i, (double)got[i], (double)expected[i]);
}

static void assert_targets(fa_dataset *d, fa_dtype dtype, const double *expected)
{
    for (int64_t i = 0; i < fa_dataset_length(d); i++) {
        fa_sample s = fa_dataset_get(d, i);
        assert_int_equal(fa_tensor_dtype(s.target), dtype);
        assert_float_equal(fa_item(s.target), expected[i], 0);
    }
}

static void a_table(void **state)
{
    (void)state;
    FA_SCOPE;
    put_text("height,color,weight,kind\n1.5,red,-2e3,cat\n2,\"blue\",4,dog\n+.5,red, 7 ,cat\n");
    fa_dataset *d = fa_data_csv(path);
    assert_no_error();
    assert_inputs(d, 3, 3, (float[]){1.5F, 1, -2000, 2, 0, 4, 0.5F, 1, 7});
    assert_targets(d, FA_I64, (double[]){0, 1, 0});
    assert_int_equal(fa_dataset_classes(d), 2);
    assert_string_equal(fa_dataset_class_name(d, 1), "dog");
    fa_column c;
    assert_true(fa_data_csv_column(d, 0, &c));
    assert_string_equal(c.name, "height");
    assert_true(!c.target && !c.categories && !c.missing && c.least == 0.5 && c.most == 2);
    assert_float_equal(c.mean, 4.0 / 3, 1e-12);
    assert_float_equal(c.std, 0.62360956446232352, 1e-12); /* numpy.std([1.5, 2, .5]) */
    assert_true(fa_data_csv_column(d, 1, &c));
    assert_true(c.categories == 2 && isnan(c.mean));
    assert_true(fa_data_csv_column(fa_data_subset(d, NULL, 0), 3, &c));
    assert_true(c.target && c.categories == 2);
    assert_false(fa_data_csv_column(d, 4, &c));
    assert_string_equal(fa_data_csv_category(d, 1, 0), "blue");
    assert_string_equal(fa_data_csv_category(d, 1, 1), "red");
    assert_string_equal(fa_data_csv_category(fa_data_subset(d, NULL, 0), 3, 1), "dog");
    assert_null(fa_data_csv_category(d, 1, 2));
    assert_null(fa_data_csv_category(d, 1, -1));
    assert_null(fa_data_csv_category(d, 0, 0)); /* numbers */
    assert_null(fa_data_csv_category(d, 4, 0));
    assert_null(fa_data_csv_category(fa_data_digits(), 0, 0));
    assert_false(fa_data_csv_column(fa_data_digits(), 0, &c));
    assert_no_error();
}

static void targets(void **state)
{
    (void)state;
    FA_SCOPE;
    put_text("a,b,c\n1,2,0.5\n3,4,1\n");
    assert_targets(fa_data_csv(path), FA_F32, (double[]){0.5, 1});
    assert_targets(fa_data_csv(path, .target = "a"), FA_I64, (double[]){1, 3});
    assert_targets(fa_data_csv(path, .target = "1"), FA_I64, (double[]){2, 4});
    assert_targets(fa_data_csv(path, .target = "a", .target_dtype = FA_F32), FA_F32, (double[]){1, 3});
    fa_dataset *none = fa_data_csv(path, .target = "");
    assert_null(fa_dataset_get(none, 0).target);
    assert_inputs(none, 2, 3, (float[]){1, 2, 0.5F, 3, 4, 1});
    assert_inputs(fa_data_csv(path, .target = "b"), 2, 2, (float[]){1, 0.5F, 3, 1});
    assert_null(fa_data_csv(path, .target = "c", .target_dtype = FA_I64));
    assert_error(FA_ERROR_DTYPE, "\"c\" has numbers that are not whole");
    assert_null(fa_data_csv(path, .target = "d"));
    assert_error(FA_ERROR_ARGUMENT, "has no column \"d\", the .target; it has \"a\", \"b\", \"c\"");
}

/* What Python's csv module reads from these files. */
static void lines_and_quotes(void **state)
{
    (void)state;
    FA_SCOPE;
    const float numbers[] = {1, 2, 3, 4};
    static const char *const same[] = {
        "1,2\n3,4\n",   "1,2\r\n3,4\r\n",        "1,2\n3,4",         "\357\273\2771,2\n3,4\n", "1;2\n3;4\n",
        "1\t2\n3\t4\n", "\n1,2\n\n\r\n3,4\n\n",  "\"1\",2\n3,\"4\"", "1,2\r\n3,4\r",           "1,2\r3,4\r",
        "1,2\r\r3,4",   "\"1\",\"2\"\r\n3,4\r\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        put_text(same[i]);
        assert_inputs(fa_data_csv(path, .target = ""), 2, 2, numbers);
    }
    put_text("1|2\n3|4\n");
    assert_inputs(fa_data_csv(path, .target = "", .delimiter = '|'), 2, 2, numbers);
    put_text("name,x\n\"a \"\"b\"\", c\",1\n\"two\nlines\",2\n\"\",3\na\"b,4\n");
    fa_dataset *d = fa_data_csv(path, .target = "x", .missing = FA_MISSING_NAN);
    assert_inputs(d, 4, 1, (float[]){0, 2, NAN, 1});
    d = fa_data_csv(path, .target = "name", .missing = FA_MISSING_NAN);
    assert_error(FA_ERROR_FILE, path, ":5:1: there is no value in the column \"name\"");
    put_text("name,x\n\"a \"\"b\"\", c\",1\n\"two\nlines\",2\n");
    d = fa_data_csv(path, .target = "name");
    assert_string_equal(fa_dataset_class_name(d, 0), "a \"b\", c");
    assert_string_equal(fa_dataset_class_name(d, 1), "two\nlines");
}

static void headers(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_column c;
    put_text("x,y\na,b\n");
    assert_int_equal(fa_dataset_length(fa_data_csv(path)), 1);
    assert_int_equal(fa_dataset_length(fa_data_csv(path, .header = 0)), 2);
    put_text("1,y\n2,3\n");
    fa_dataset *d = fa_data_csv(path);
    assert_int_equal(fa_dataset_length(d), 2);
    assert_true(fa_data_csv_column(d, 1, &c));
    assert_string_equal(c.name, "1");
    d = fa_data_csv(path, .header = 1);
    assert_int_equal(fa_dataset_length(d), 1);
    assert_true(fa_data_csv_column(d, 0, &c));
    assert_string_equal(c.name, "1");
    put_text("only,names\n");
    assert_int_equal(fa_dataset_length(fa_data_csv(path)), 0);
    assert_no_error();
}

static void missing_values(void **state)
{
    (void)state;
    FA_SCOPE;
    put_text("a,b,y\n1,red,0\nNA,blue,1\n4,,0\n?,red,1\n");
    assert_null(fa_data_csv(path));
    assert_error(FA_ERROR_FILE, path, ":3:1: there is no value in the column \"a\"", "; .missing = FA_MISSING_MEAN");
    assert_inputs(fa_data_csv(path, .missing = FA_MISSING_NAN), 4, 2, (float[]){1, 1, NAN, 0, 4, NAN, NAN, 1});
    fa_dataset *d = fa_data_csv(path, .missing = FA_MISSING_MEAN);
    assert_inputs(d, 4, 2, (float[]){1, 1, 2.5F, 0, 4, 1, 2.5F, 1});
    fa_column c;
    assert_true(fa_data_csv_column(d, 0, &c) && c.missing == 2);
    assert_true(fa_data_csv_column(d, 1, &c) && c.missing == 1);
    assert_null(fa_data_csv(path, .target = "b", .missing = FA_MISSING_MEAN));
    assert_error(FA_ERROR_FILE, ":4:2: there is no value in the column \"b\"");
    put_text("a,y\n,0\n,1\n");
    assert_inputs(fa_data_csv(path, .missing = FA_MISSING_MEAN), 2, 1, (float[]){NAN, NAN});
}

/* Words for missing values that other programs write, also between blanks; infinite numbers. All columns stay numeric.
 */
static void missing_and_infinite_words(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const words[] = {"n/a", "#N/A", "<NA>", "-nan", "-NaN", "NULL", "None", " ", " NA", "NaN "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[40];
        snprintf(text, sizeof text, "a,y\n1,0\n%s,1\n3,0\n", words[i]);
        put_text(text);
        assert_inputs(fa_data_csv(path, .missing = FA_MISSING_NAN), 3, 1, (float[]){1, NAN, 3});
    }
    put_text("a,b,y\n1,inf,0\n2,-Infinity,1\n3,+INF,0\n4, 5 ,0\n");
    fa_dataset *d = fa_data_csv(path);
    assert_inputs(d, 4, 2, (float[]){1, INFINITY, 2, -INFINITY, 3, INFINITY, 4, 5});
    fa_column c;
    assert_true(fa_data_csv_column(d, 1, &c) && c.most == INFINITY && c.least == -INFINITY && c.mean == 5);
    put_text("a,y\ninf,0\nintl,1\n-,0\n");
    assert_inputs(fa_data_csv(path), 3, 1, (float[]){1, 2, 0});
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
    } rows[] = {{"", "has no lines"},
                {"\n\n", "has no lines"},
                {"a,b\n1,2\n3\n", ":3:1: the line has 1 fields, and the first one 2"},
                {"a,b\n1,2\n3,4,5\n", ":3:3: the line has more than 2 fields, and the first one 2"},
                {"a,b\n1,\"2\n3,4\n", ":2:2: a quote begins here that does not end"},
                {"a,b\n\"x\ny\",1\n\"1\"2,4\n", ":4:1: there is something between the end of a quote"},
                {"\"", ":1:1: a quote begins here"}};
    FA_SCOPE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_text(rows[i].text);
        assert_null(fa_data_csv(path));
        assert_error(FA_ERROR_FILE, path, rows[i].what);
    }
    put("\xff\xfe"
        "1\0,\0002\0\n",
        10);
    assert_null(fa_data_csv(path));
    assert_error(FA_ERROR_FILE, "is in UTF-16");
    assert_null(fa_data_csv(NULL));
    assert_error(FA_ERROR_ARGUMENT, "the path is NULL");
    assert_null(fa_data_csv(path, .delimiter = '"'));
    assert_error(FA_ERROR_ARGUMENT, ".delimiter");
    assert_null(fa_data_csv(path, .header = 2));
    assert_error(FA_ERROR_ARGUMENT, ".header");
    assert_null(fa_data_csv("/no/such.csv"));
    assert_error(FA_ERROR_FILE, "/no/such.csv");
}

static void compressed(void **state)
{
    (void)state;
    if (!fa_plugin_available("gzip"))
        skip();
    FA_SCOPE;
    char command[256], packed[80];
    put_text("a,y\n1,2\n3,4\n");
    snprintf(packed, sizeof packed, "%s.gz", path);
    snprintf(command, sizeof command, "gzip -k '%s'", path);
    assert_int_equal(system(command), 0);
    assert_inputs(fa_data_csv(packed), 2, 1, (float[]){1, 3});
    assert_int_equal(truncate(packed, 20), 0);
    assert_null(fa_data_csv(packed));
    assert_error(FA_ERROR_FILE, packed);
    remove(packed);
}

/* A linear model learns a table. */
static void learned(void **state)
{
    (void)state;
    FA_SCOPE;
    FILE *f = fopen(path, "w");
    fprintf(f, "x;y;class\n");
    for (int i = 0; i < 200; i++)
        fprintf(f, "%g;%g;%s\n", i % 20 - 9.5, i / 20 - 4.5, i % 20 - 9.5 > i / 20 - 4.5 ? "above" : "below");
    fclose(f);
    fa_manual_seed(1);
    fa_dataset *d = fa_data_csv(path);
    fa_module *net = fa_nn_linear(2, 2);
    fa_optim *opt = fa_optim_adam(net, .lr = 0.05);
    for (int epoch = 0; epoch < 20; epoch++)
        FA_EACH (batch, fa_data_loader(d, .batch_size = 20, .shuffle = true, .seed = epoch)) {
            fa_optim_zero_grad(opt);
            fa_backward(fa_cross_entropy(fa_forward(net, batch.input), batch.target));
            fa_optim_step(opt);
        }
    FA_EACH (batch, fa_data_loader(d, .batch_size = 200))
        assert_true(
            fa_item(fa_mean(fa_to(fa_eq(fa_argmax(fa_forward(net, batch.input), .dim = 1), batch.target), FA_F32)))
            > 0.97);
    assert_no_error();
}

static void keep_warnings(void *context, fa_log_level level, const char *message)
{
    char *all = context;
    if (level == FA_LOG_WARNING)
        snprintf(all + strlen(all), 1000 - strlen(all), "%s\n", message);
}

/* A word among numbers makes a column of categories, which is seldom meant. */
static void words_among_numbers(void **state)
{
    (void)state;
    FA_SCOPE;
    char warnings[1000] = "";
    fa_set_log(keep_warnings, warnings);
    put_text("w,k,y\n1,a,0\n2,b,1\n3,3,0\n4,a,1\noops,b,0\n6,4,1\n7,a,0\n,b,1\n8,c,0\n9,d,1\n10,5,0\n");
    assert_non_null(fa_data_csv(path, .missing = FA_MISSING_NAN));
    fa_set_log(NULL, NULL);
    assert_non_null(strstr(warnings, ":6:1: \"oops\" is no number, so that the column \"w\" is read as text; 9 of its "
                                     "values are numbers, 1 are not\n"));
    assert_null(strstr(warnings, "\"k\""));
    warnings[0] = 0;
    fa_set_log(keep_warnings, warnings);
    put_text("a;b;c;y\n-0,5;1,000.5;2026-11-28;0\n1,5;2,000;2026-11-29;1\n");
    assert_non_null(fa_data_csv(path));
    fa_set_log(NULL, NULL);
    assert_non_null(strstr(warnings, ":2:1: \"-0,5\", with its comma, is no number, so that the column \"a\""));
    assert_non_null(strstr(warnings, ":2:2: \"1,000.5\", with its comma, is no number"));
    assert_null(strstr(warnings, "\"c\""));
    assert_no_error();
}

int main(void)
{
    strcpy(path, "/tmp/facula-csv-XXXXXX");
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    const struct CMUnitTest tests[] = {TEST(a_table),          TEST(targets),
                                       TEST(lines_and_quotes), TEST(headers),
                                       TEST(missing_values),   TEST(missing_and_infinite_words),
                                       TEST(refused),          TEST(compressed),
                                       TEST(learned),          TEST(words_among_numbers)};
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return status;
}
