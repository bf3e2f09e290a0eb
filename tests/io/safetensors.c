/* Saving and loading: byte for byte as the format's own library does, every dtype and device, what does not fit, files
 * that are damaged anywhere, failures at every allocation and on a full disk. */
#include "base/alloc.h"
#include "support/api_test.h"
#include "support/devices.h"
#include <facula/facula.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[128];

/* As tests/reference/write_safetensors.py made them. */
static fa_parameters reference_tensors(void)
{
    static const char *const names[] = {"b.weight", "a", "z", "h", "bf", "i", "e", "u", "q\"uo\\t\xc3\xa9", "s", "c"};
    static const bool truth[] = {true, false, true};
    static fa_tensor *item[11];
    item[0] = fa_reshape(fa_to(fa_arange(0, 6), FA_F32), FA_SHAPE(2, 3));
    item[1] = fa_tensor_from(truth, FA_SHAPE(3), .dtype = FA_BOOL);
    item[2] = fa_full(FA_SCALAR, 2.5, .dtype = FA_F64);
    item[3] = fa_to(fa_tensor_of(1.5, -2.0), FA_F16);
    item[4] = fa_full(FA_SHAPE(1, 1), 1.5, .dtype = FA_BF16);
    item[5] = fa_arange(0, 3);
    item[6] = fa_zeros(FA_SHAPE(0, 4));
    item[7] = fa_full(FA_SHAPE(1), 200, .dtype = FA_U8);
    item[8] = fa_full(FA_SHAPE(1), 7, .dtype = FA_I32);
    item[9] = fa_full(FA_SHAPE(1), -5, .dtype = FA_I16);
    item[10] = fa_full(FA_SHAPE(1), -6, .dtype = FA_I8);
    return (fa_parameters){11, item, names};
}

static const char *const format_name = "format", *const format_value = "pt";
static const fa_metadata format = {1, &format_name, &format_value};

static char *contents(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 16);
    *size = fread(bytes, 1, 1 << 16, f);
    fclose(f);
    return bytes;
}

static void put(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void bytes_are_the_reference(void **state)
{
    (void)state;
    FA_SCOPE;
    size_t here, there;
    assert_true(fa_save(reference_tensors(), path, .metadata = format));
    assert_no_error();
    char *ours = contents(path, &here), *theirs = contents(FA_TEST_DATA "/reference/every_dtype.safetensors", &there);
    assert_int_equal(here, there);
    assert_memory_equal(ours, theirs, here);
    free(ours);
    free(theirs);
}

static void everything_is_read(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_parameters made = reference_tensors();
    fa_saved saved = fa_load_file(FA_TEST_DATA "/reference/every_dtype.safetensors");
    assert_no_error();
    assert_int_equal(saved.tensors.count, made.count);
    assert_int_equal(saved.metadata.count, 1);
    assert_string_equal(saved.metadata.name[0], "format");
    assert_string_equal(saved.metadata.value[0], "pt");
    for (size_t i = 0; i < made.count; i++) {
        size_t k = 0;
        while (strcmp(saved.tensors.name[k], made.name[i]))
            assert_true(++k < made.count);
        assert_true(same_tensors(saved.tensors.item[k], made.item[i]));
    }
    fa_saved shapes = fa_load_file(FA_TEST_DATA "/reference/every_dtype.safetensors", .device = FA_META);
    assert_int_equal(shapes.tensors.count, made.count);
    assert_true(fa_device_equal(fa_tensor_device(shapes.tensors.item[0]), FA_META));
    assert_no_error();
}

static fa_module *network(int64_t hidden)
{
    return fa_nn_sequential(fa_nn_linear(3, hidden), fa_nn_relu(), fa_nn_linear(hidden, 2));
}

static void modules_there_and_back(void **state)
{
    (void)state;
    const fa_device device[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (int i = 0; i < 3; i++) {
        FA_SCOPE;
        fa_module *net = fa_module_to(network(4), device[i]), *other = network(4),
                  *half = fa_module_to(network(4), FA_BF16);
        fa_tensor *x = fa_rand(FA_SHAPE(5, 3));
        fa_module_to(other, device[i]);
        assert_true(fa_save(net, path));
        assert_true(fa_load(other, path));
        assert_true(fa_load(half, path));
        assert_no_error();
        fa_tensor *there = fa_to(x, device[i]);
        assert_true(same_tensors(fa_forward(net, there), fa_forward(other, there)));
        assert_true(fa_requires_grad(fa_module_tensor(other, "0.weight")));
        assert_int_equal(fa_tensor_dtype(fa_module_tensor(half, "0.weight")), FA_BF16);
        fa_tensor *rounded = fa_to(fa_cpu(fa_detach(fa_module_tensor(net, "2.bias"))), FA_BF16);
        assert_true(same_tensors(fa_detach(fa_module_tensor(half, "2.bias")), rounded));
    }
}

static void what_does_not_fit(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = network(4), *wide = network(5), *less = fa_nn_sequential(fa_nn_linear(3, 4)), *more = network(4);
    fa_module_buffer(more, "extra", fa_ones(FA_SHAPE(2)));
    fa_tensor *before = fa_clone(fa_detach(fa_module_tensor(wide, "2.bias")));
    assert_true(fa_save(net, path));
    assert_false(fa_load(wide, path));
    assert_error(FA_ERROR_ARGUMENT, path,
                 "of another shape: 0.weight is (4, 3) in the file, (5, 3) here, 0.bias is (4)",
                 "2.weight is (2, 4) in the file, (2, 5) here");
    assert_true(same_tensors(fa_detach(fa_module_tensor(wide, "2.bias")), before));
    assert_false(fa_load(less, path));
    assert_error(FA_ERROR_ARGUMENT, "unexpected: 2.bias, 2.weight");
    assert_false(fa_load(more, path));
    assert_error(FA_ERROR_ARGUMENT, "missing: extra");
    assert_true(fa_load(less, path, .strict = false));
    assert_true(fa_load(more, path, .strict = false));
    assert_no_error();
    assert_true(same_tensors(fa_detach(fa_module_tensor(less, "0.bias")), fa_detach(fa_module_tensor(net, "0.bias"))));
    assert_false(fa_load(wide, path, .strict = false));
    assert_error(FA_ERROR_ARGUMENT, "of another shape");
    assert_false(fa_load(less, path, .strict = false, .prefix = "encoder."));
    assert_error(FA_ERROR_ARGUMENT, path, "no name fits behind \"encoder.\", and without .prefix all do");
    assert_false(fa_load(fa_nn_linear(3, 4), path, .strict = false));
    assert_error(FA_ERROR_ARGUMENT, "all names are in the file behind \"0.\": .prefix = \"0.\"");
    assert_false(fa_load(fa_nn_linear(3, 9), path, .strict = false)); /* of another shape there */
    assert_error(FA_ERROR_ARGUMENT, "no name fits", "missing: weight, bias; unexpected: 0.bias, 0.weight");
    assert_true(fa_load(fa_nn_relu(), path, .strict = false)); /* it has nothing to load */
    const char *const twice[] = {"a", "a"};
    fa_tensor *item[] = {before, before};
    assert_false(fa_save(((fa_parameters){2, item, twice}), path));
    assert_error(FA_ERROR_ARGUMENT, "two called \"a\"");
    assert_false(fa_save(((fa_parameters){2, item, NULL}), path));
    assert_error(FA_ERROR_ARGUMENT, "number 0 has no name");
    assert_false(fa_save((fa_module *)NULL, path));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_false(fa_load(net, NULL));
    assert_error(FA_ERROR_ARGUMENT, "the path is NULL");
    assert_false(fa_load(net, "/no/such/file"));
    assert_error(FA_ERROR_FILE, "/no/such/file", "cannot open");
    assert_false(fa_load(fa_nn_linear(3, 4, .device = FA_META), path));
    assert_error(FA_ERROR_DEVICE, "on meta");
    fa_fail(FA_ERROR_USER, "stands");
    assert_false(fa_save(net, path));
    assert_false(fa_load(net, path));
    assert_error(FA_ERROR_USER, "stands");
    assert_true(fa_load(net, path)); /* the old file */
    assert_no_error();
}

/* A network that was not loaded gives no numbers, in whatever way they are asked for, until the error is cleared. */
static void what_was_not_loaded_is_not_read(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = network(4);
    fa_tensor *weight = fa_detach(fa_module_tensor(net, "0.weight")), *x = fa_ones(FA_SHAPE(1, 3));
    float values[12] = {7};
    assert_false(fa_load(net, "/no/such/file"));
    assert_null(fa_forward(net, x));
    assert_false(fa_read(weight, values, FA_F32, 12));
    assert_true(values[0] == 7);
    assert_null(fa_ptr_f32(weight));
    assert_true(fa_item(fa_sum(weight)) != fa_item(fa_sum(weight))); /* NaN */
    assert_false(fa_save(net, path));
    assert_null(fa_load_file("/no/such/file").tensors.name[0]);
    assert_error(FA_ERROR_FILE, "fa_load: /no/such/file: cannot open");
    assert_true(fa_read(weight, values, FA_F32, 12));
    assert_non_null(fa_ptr_f32(weight));
    assert_non_null(fa_forward(net, x));
    assert_no_error();
}

/* ---- damage ---- */

static void put_head(const char *head, size_t data)
{
    char bytes[600] = {0};
    size_t n = strlen(head);
    bytes[0] = (char)n, bytes[1] = (char)(n >> 8);
    memcpy(bytes + 8, head, n + 1);
    put(bytes, 8 + n + data);
}

static void heads_that_are_wrong(void **state)
{
    (void)state;
    FA_SCOPE;
    static const struct {
        const char *head;
        size_t data;
        const char *says;
    } wrong[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7, "\"a\" is at bytes 0 to 8 of 7"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, "end at byte 8 of 9"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8, "has 8 bytes, and its shape takes 12"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12,
         "begins at byte 4 of the tensors, where 0"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"U8\",\"shape\":[4],"
         "\"data_offsets\":[2,6]}}",
         6, "\"b\" begins at byte 2 of the tensors, where 4"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "\"a\" is at bytes 8 to 0"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8,
         "one of data_offsets is no whole number of 0 or more"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "data_offsets has 1 numbers, not 2"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8.5]}}", 8,
         "one of data_offsets is no whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "\"a\" has no data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8,
         "a size of the shape is no whole number of 0 or more"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,2],\"data_offsets\":[0,8]}}", 8, "64 bits"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[0,4]}}", 4, "its shape takes 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,-1],\"data_offsets\":[0,4]}}", 4,
         "a size of the shape is no whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "the shape is no array"},
        {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "\"a\" has no dtype"},
        {"{\"a\":7}", 0, "the entry of a tensor is no object"},
        {"{\"__metadata__\":{\"x\":1}}", 0, "a value of __metadata__ is no string"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},\"a\":{\"dtype\":\"U8\",\"shape\":[0],"
         "\"data_offsets\":[0,0]}}",
         0, "there are two called \"a\""},
        {"[]", 0, "the header does not begin with {"},
        {"[1,2]", 0, "the header does not begin with {"},
        {"{\"__metadata__\":\"x\"}", 0, "__metadata__ is no object"},
        {"{\"__metadata__\":null}", 0, "__metadata__ is no object"},
        {"{\"a\":", 0, "the entry of a tensor is no object"},
        {"", 0, "the header does not begin with {"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_head(wrong[i].head, wrong[i].data);
        assert_null(fa_load_file(path).tensors.name[0]);
        assert_error(FA_ERROR_FILE, "fa_load_file", path, wrong[i].says);
    }
    put_head("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4,0],\"data_offsets\":[0,0]}}", 0);
    for (int i = 0; i < 2; i++) {
        assert_null(fa_load_file(path, .device = i ? FA_META : FA_CPU).tensors.name[0]);
        assert_error(FA_ERROR_SHAPE, "fa_load_file", path, "\"a\": ");
    }
    put("\1\2\3", 3);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_FILE, "it has 3 bytes");
    put("\377\377\377\377\377\377\377\377{}", 10);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_FILE, "18446744073709551615 bytes, and the format allows 100000000");
    put_head("{\"a\":{\"dtype\":\"F8_E8M0\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_DTYPE, "\"a\" is F8_E8M0");
    assert_null(fa_load_file(folder).tensors.name[0]);
    assert_error(FA_ERROR_FILE, "no regular file");
}

/* A file is looked at whatever it has. */
static void heads_of_what_cannot_be_loaded(void **state)
{
    (void)state;
    FA_SCOPE;
    put_head("{\"__metadata__\":{\"by\":\"me\"},\"a\":{\"dtype\":\"F8_E8M0\",\"shape\":[2,3],\"data_offsets\":[4,10]},"
             "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
             "\"c\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,2],\"data_offsets\":[10,12]}}",
             12);
    fa_saved_head head = fa_load_header(path);
    assert_no_error();
    assert_int_equal(head.count, 3);
    const fa_saved_entry *b = &head.entry[0], *a = &head.entry[1], *c = &head.entry[2];
    assert_string_equal(a->name, "a");
    assert_string_equal(a->dtype_name, "F8_E8M0");
    assert_int_equal(a->dtype, FA_SAME);
    assert_int_equal(a->shape.rank, 2);
    assert_int_equal(a->elements, 6);
    assert_int_equal(a->end - a->begin, 6);
    assert_string_equal(b->dtype_name, "F32");
    assert_int_equal(b->dtype, FA_F32);
    assert_int_equal(b->elements, 1);
    assert_int_equal(c->rank, 9);
    assert_int_equal(c->elements, 2);
    assert_string_equal(head.metadata.value[0], "me");
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_DTYPE, "\"a\" is F8_E8M0");
    put_head("{\"a\":", 0);
    assert_null(fa_load_header(path).entry);
    assert_error(FA_ERROR_FILE, "fa_load_header", "the entry of a tensor is no object");
}

/* Each byte of a good file changed, and each length of it: an error or other values, and never a crash. */
static void damage_anywhere(void **state)
{
    (void)state;
    size_t size;
    char *good = contents(FA_TEST_DATA "/reference/every_dtype.safetensors", &size);
    int refused = 0;
    for (size_t i = 0; i < size; i++) {
        FA_SCOPE;
        char kept = good[i];
        good[i] = (char)(kept ^ (1 << i % 8));
        put(good, size);
        good[i] = kept;
        fa_load_file(path);
        refused += fa_failed();
        fa_error_clear();
        put(good, i);
        assert_null(fa_load_file(path).tensors.name[0]);
        fa_error_clear();
    }
    assert_true(refused > 200);
    free(good);
}

/* ---- failures ---- */

static void no_memory(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = network(4), *other = network(4);
    assert_true(fa_save(net, path));
    for (int64_t n = 1;; n++) {
        fa__inject(n);
        bool done = fa_save(net, path) && fa_load(other, path);
        fa__inject(0);
        if (done)
            break;
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
        assert_true(fa_load(other, path));
        assert_no_error();
    }
}

static void full_disk(void **state)
{
    (void)state;
    FA_SCOPE;
    if (access("/dev/full", W_OK))
        skip();
    assert_false(fa_save(network(4), "/dev/full"));
    assert_error(FA_ERROR_FILE, "fa_save: /dev/full: cannot write: No space left");
    assert_false(fa_save(network(4), "/no/such/folder/x"));
    assert_error(FA_ERROR_FILE, "fa_save: /no/such/folder/x");
    assert_false(fa_checkpoint_save("/no/such/folder/x", .module = network(4)));
    assert_error(FA_ERROR_FILE, "fa_checkpoint_save: /no/such/folder/x");
}

/* What a file has beside what is asked for may be of kinds that are not here. */
static void entries_that_cannot_be_here(void **state)
{
    (void)state;
    FA_SCOPE;
    put_head("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
             "\"b\":{\"dtype\":\"F8_E8M0\",\"shape\":[1],\"data_offsets\":[1,2]},"
             "\"c\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[2,3]}}",
             3);
    const char *const name[] = {"a", "b", "c"};
    fa_tensor *item[] = {fa_ones(FA_SHAPE(1)), fa_ones(FA_SHAPE(1)), fa_ones(FA_SHAPE(1))};
    assert_true(fa_load(((fa_parameters){1, item, name}), path, .strict = false));
    assert_no_error();
    assert_true(fa_item(item[0]) == 0);
    assert_false(fa_load(((fa_parameters){1, item + 1, name + 1}), path, .strict = false));
    assert_error(FA_ERROR_DTYPE, "fa_load", path, "\"b\" is F8_E8M0");
    assert_false(fa_load(((fa_parameters){1, item + 2, name + 2}), path, .strict = false));
    assert_error(FA_ERROR_SHAPE, "fa_load", path, "\"c\" has 9 dimensions, and tensors have at most 8");
}

/* A shared tensor is found under any of its names: safetensors.torch.save_model() writes one of them, and a state_dict
 * of PyTorch has all. */
static void shared_by_any_name(void **state)
{
    (void)state;
#define ENTRY(name, from, to) "\"" name "\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[" from "," to "]}"
    static const char one[] = "{" ENTRY("0.weight", "0", "8") "}", other[] = "{" ENTRY("c", "0", "8") "}",
                      both[] = "{" ENTRY("b", "0", "8") "," ENTRY("0.weight", "8", "16") "}";
    const char *const heads[] = {one, both, other};
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(1, 2, .bias = false));
    fa_tensor *weight = fa_module_tensor(net, "0.weight");
    fa_module_parameter(net, "b", weight);
    assert_int_equal(fa_module_state(net).count, 1);
    for (int i = 0; i < 3; i++) {
        fa_init_constant_(weight, 3);
        put_head(heads[i], i == 1 ? 16 : 8);
        assert_int_equal(fa_load(net, path), i < 2);
        if (i == 2)
            assert_error(FA_ERROR_ARGUMENT, path, "missing: b, 0.weight; unexpected: c");
        assert_true(same_tensors(fa_detach(weight), fa_full(FA_SHAPE(2, 1), i < 2 ? 0.0 : 3.0)));
    }
}

static void every_bool_is_0_or_1(void **state)
{
    (void)state;
    FA_SCOPE;
    const char head[] = "{\"a\":{\"dtype\":\"BOOL\",\"shape\":[4],\"data_offsets\":[0,4]}} ";
    char bytes[8 + sizeof head - 1 + 4] = {sizeof head - 1};
    memcpy(bytes + 8, head, sizeof head - 1);
    memcpy(bytes + sizeof bytes - 4, (const char[]){0, 1, 2, (char)255}, 4);
    put(bytes, sizeof bytes);
    fa_saved saved = fa_load_file(path);
    assert_no_error();
    unsigned char got[4];
    assert_true(fa_read(saved.tensors.item[0], got, FA_BOOL, 4));
    assert_memory_equal(got, ((const unsigned char[]){0, 1, 1, 1}), 4);
}

/* As many names as a large model has parameters; comparing each with each would take minutes. */
static void many_names_take_no_time(void **state)
{
    (void)state;
    FA_SCOPE;
    const struct itimerval minute = {.it_value = {.tv_sec = 60}}, never = {0}; /* of the processor */
    enum { MANY = 200000 };
    char(*text)[8] = malloc(MANY * sizeof *text);
    const char **name = malloc(MANY * sizeof *name);
    fa_tensor **item = malloc(MANY * sizeof *item), *one = fa_ones(FA_SHAPE(0));
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof *text, "%d", i);
        name[i] = text[i];
        item[i] = one;
    }
    setitimer(ITIMER_PROF, &minute, NULL);
    assert_true(fa_save(((fa_parameters){MANY, item, name}), path));
    for (int i = 0; i < MANY; i++)
        name[i] = text[MANY - 1 - i];
    assert_true(fa_load(((fa_parameters){MANY, item, name}), path));
    name[0] = name[MANY - 1];
    assert_false(fa_save(((fa_parameters){MANY, item, name}), path));
    setitimer(ITIMER_PROF, &never, NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_save", "two called \"0\"");
    free(text);
    free(name);
    free(item);
}

/* A process that saves one file after the other is killed at some moment: what is there is whole. */
static void killed_at_any_moment(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            fa_module *net = network(300);
            for (;;)
                fa_save(net, path);
        }
        usleep((useconds_t)(8000 + 1700 * turn));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        FA_SCOPE;
        struct stat status;
        if (stat(path, &status))
            continue;
        fa_load_file(path);
        assert_false(fa_failed());
        assert_no_error();
    }
    char command[160];
    snprintf(command, sizeof command, "rm -f %s/*.part", folder);
    assert_int_equal(system(command), 0);
}

/* Tensors by name, and a part of a file whose names begin with a prefix. */
static void named_tensors_are_saved_and_parts_of_files_loaded(void **state)
{
    (void)state;
    FA_SCOPE;
    snprintf(path, sizeof path, "%s/named.safetensors", folder);
    fa_tensor *a = fa_tensor_of(1.0, 2.0), *b = fa_tensor_of(3);
    assert_true(
        fa_save(FA_NAMED("net.a", a, "net.b", b, "other", a), path, .metadata = FA_METADATA("by", "me", "of", "7")));
    fa_saved saved = fa_load_file(path);
    assert_int_equal(saved.tensors.count, 3);
    assert_true(same_tensors(fa_parameters_find(saved.tensors, "net.a"), a));
    assert_true(same_tensors(fa_parameters_find(saved.tensors, "net.b"), b));
    fa_tensor *x = fa_zeros(FA_SHAPE(2)), *y = fa_zeros(FA_SHAPE(1), .dtype = FA_I64);
    assert_true(fa_load(FA_NAMED("a", x, "b", y), path, .prefix = "net."));
    assert_true(same_tensors(x, a) && same_tensors(y, b));
    assert_no_error();
    assert_null(fa_parameters_find(saved.tensors, "a"));
    assert_error(FA_ERROR_ARGUMENT, "none of the 3 tensors is called \"a\"");
    assert_string_equal(fa_metadata_find(saved.metadata, "of"), "7");
    assert_null(fa_metadata_find(saved.metadata, "net.a"));
    assert_error(FA_ERROR_ARGUMENT, "none of the 2 strings is called \"net.a\"");
    assert_false(fa_load(FA_NAMED("a", x), path, .prefix = "net."));
    assert_error(FA_ERROR_ARGUMENT, "unexpected: b");
    assert_false(fa_load(FA_NAMED("a", x, "b", y), path));
    assert_error(FA_ERROR_ARGUMENT, "all names are in the file behind \"net.\": .prefix = \"net.\"");
    assert_false(fa_load(FA_NAMED("net.a", x, "net.b", y), path, .prefix = "net."));
    assert_error(FA_ERROR_ARGUMENT, "no name fits behind \"net.\", and without .prefix all do");
    assert_false(fa_load(FA_NAMED("a", x, "other", y), path));
    assert_error(FA_ERROR_ARGUMENT, "named.safetensors: missing: a; unexpected: net.b, net.a");
    assert_false(fa_load(FA_NAMED("a", x, "c", y), path));
    assert_error(FA_ERROR_ARGUMENT, "named.safetensors: missing: a, c;");
    assert_false(fa_save(FA_NAMED(a, "net.a"), path)); /* the wrong way round */
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_false(fa_save(FA_NAMED("a", (fa_tensor *)NULL), path));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

int main(void)
{
    if (!test_devices_there())
        return TEST_SKIPPED;
    snprintf(folder, sizeof folder, "/tmp/facula-save-XXXXXX");
    if (!mkdtemp(folder))
        return perror(folder), 1;
    snprintf(path, sizeof path, "%s/x.safetensors", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_reference),
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(modules_there_and_back),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(what_was_not_loaded_is_not_read),
        cmocka_unit_test(heads_that_are_wrong),
        cmocka_unit_test(heads_of_what_cannot_be_loaded),
        cmocka_unit_test(damage_anywhere),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(entries_that_cannot_be_here),
        cmocka_unit_test(shared_by_any_name),
        cmocka_unit_test(every_bool_is_0_or_1),
        cmocka_unit_test(many_names_take_no_time),
        cmocka_unit_test(killed_at_any_moment),
        TEST(named_tensors_are_saved_and_parts_of_files_loaded),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return status;
}
