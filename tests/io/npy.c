/* NumPy's files: what numpy.save and numpy.savez wrote is read, what is written is read back, what is damaged or of
 * another kind is named. */
#include "io/npy.h"
#include "support/api_test.h"
#include <facula/facula.h>
#include <unistd.h>

#define NPY FA_TEST_DATA "/reference/npy/"

extern uint64_t fa__zip_most;

static char folder[] = "/tmp/facula-npy-XXXXXX", path[64];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static size_t get_file(const char *from, char *to, size_t room)
{
    FILE *f = fopen(from, "rb");
    assert_non_null(f);
    size_t size = fread(to, 1, room, f);
    fclose(f);
    assert_true(size < room);
    return size;
}

static fa_tensor *named(const fa_saved *saved, const char *name)
{
    for (size_t i = 0; i < saved->tensors.count; i++)
        if (!strcmp(saved->tensors.name[i], name))
            return saved->tensors.item[i];
    fail_msg("there is no \"%s\"", name);
    return NULL;
}

/* Element (i, j, k) is 12 i + 4 j + k, or whether that is odd. */
static void assert_numbers(const fa_tensor *t, fa_dtype dtype)
{
    int64_t got[24];
    assert_non_null(t);
    assert_int_equal(fa_tensor_dtype(t), dtype);
    assert_int_equal(fa_dim(t), 3);
    assert_int_equal(fa_size(t, 0), 2);
    assert_int_equal(fa_size(t, 1), 3);
    assert_true(fa_read(t, got, FA_I64, 24));
    for (int i = 0; i < 24; i++)
        assert_int_equal(got[i], dtype == FA_BOOL ? i % 2 : i);
}

static void arrays_of_every_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        fa_dtype dtype;
    } kinds[] = {{"b1", FA_BOOL},    {"u1", FA_U8},      {"i1", FA_I8},      {"i2", FA_I16},     {"i4", FA_I32},
                 {"i8", FA_I64},     {"f2", FA_F16},     {"f4", FA_F32},     {"f8", FA_F64},     {"big i2", FA_I16},
                 {"big i4", FA_I32}, {"big i8", FA_I64}, {"big f2", FA_F16}, {"big f4", FA_F32}, {"big f8", FA_F64}};
    static const char *const files[] = {NPY "arrays.npz", NPY "compressed.npz"};
    for (int i = 0; i < (fa_plugin_available("gzip") ? 4 : 2); i++) {
        FA_SCOPE;
        fa_saved saved = fa_load_file(files[i / 2], .map = i % 2);
        assert_no_error();
        assert_int_equal(saved.tensors.count, 34);
        assert_int_equal(saved.metadata.count, 0);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char fortran[32];
            snprintf(fortran, sizeof fortran, "%s fortran", kinds[k].name);
            assert_numbers(named(&saved, kinds[k].name), kinds[k].dtype);
            assert_numbers(named(&saved, fortran), kinds[k].dtype);
        }
        assert_true(fa_dim(named(&saved, "scalar")) == 0 && fa_item(named(&saved, "scalar")) == 7.5);
        assert_true(same_tensors(named(&saved, "vector"), fa_to(fa_arange(0, 5), FA_I32)));
        assert_true(same_tensors(named(&saved, "empty"), fa_zeros(FA_SHAPE(0, 3))));
        assert_true(fa_item(named(&saved, "b\xc3\xa4r/x")) == 1);
        assert_no_error();
    }
}

static void every_version(void **state)
{
    (void)state;
    FA_SCOPE;
    static const char *const names[] = {NPY "version1.npy", NPY "version2.npy", NPY "version3.npy", NPY "fortran.npy"};
    for (int map = 0; map < 2; map++)
        for (int i = 0; i < 4; i++) {
            fa_saved saved = fa_load_file(names[i], .map = map);
            assert_no_error();
            assert_int_equal(saved.tensors.count, 1);
            assert_string_equal(saved.tensors.name[0], "array");
            assert_numbers(saved.tensors.item[0], i < 3 ? FA_F32 : FA_F64);
        }
    fa_saved_head head = fa_load_header(names[3]);
    assert_no_error();
    assert_string_equal(head.entry->dtype_name, "<f8");
    assert_int_equal(head.entry->elements, 24);
    assert_int_equal(fa_load_file(names[0], .device = FA_META).tensors.count, 1);
    assert_no_error();
}

static void on_devices(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int map = 0; map < 2; map++) {
            FA_SCOPE;
            fa_saved saved = fa_load_file(NPY "fortran.npy", .device = DEVICE(d), .map = map);
            assert_no_error();
            assert_true(fa_device_equal(fa_tensor_device(saved.tensors.item[0]), DEVICE(d)));
            assert_numbers(saved.tensors.item[0], FA_F64);
        }
}

static void what_cannot_be_here(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_saved_head head = fa_load_header(NPY "others.npz");
    assert_no_error();
    assert_int_equal(head.count, 5);
    const char *const names[] = {"<u4", "<c8", "<U2", "a structured dtype", "<f4"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(head.entry[i].dtype_name, names[i]);
    assert_int_equal(head.entry[4].rank, 9);
    assert_null(fa_load_file(NPY "others.npz").tensors.name[0]);
    assert_error(FA_ERROR_DTYPE, "fa_load_file", "others.npz", "\"u4\" is <u4, an unsupported dtype");
    assert_null(fa_load_file(NPY "lzma.npz").tensors.name[0]);
    assert_error(FA_ERROR_UNAVAILABLE, "fa_load_file", "lzma.npz", "\"a.npy\" is compressed by method 14");
}

/* A thousand times smaller in the file; only its head is decompressed for the header. */
static void compressed_zeros(void **state)
{
    (void)state;
    FA_SCOPE;
    if (!fa_plugin_available("gzip"))
        skip();
    fa_saved_head head = fa_load_header(NPY "zeros.npz");
    assert_no_error();
    assert_int_equal(head.entry->end - head.entry->begin, 4000000);
    fa_saved saved = fa_load_file(NPY "zeros.npz");
    assert_true(same_tensors(saved.tensors.item[0], fa_zeros(FA_SHAPE(1000, 1000))));
    assert_no_error();
}

/* ---- writing ---- */

/* Byte for byte as NumPy. */
static void written_as_numpy_writes(void **state)
{
    (void)state;
    FA_SCOPE;
    char ours[1000], theirs[1000];
    fa_tensor *x = fa_reshape(fa_to(fa_arange(0, 24), FA_F32), FA_SHAPE(2, 3, 4));
    const char *name = "x";
    assert_true(fa_save(((fa_parameters){1, &x, &name}), in_folder("x.npy")));
    assert_no_error();
    size_t size = get_file(NPY "version1.npy", theirs, sizeof theirs);
    assert_int_equal(get_file(path, ours, sizeof ours), size);
    assert_memory_equal(ours, theirs, size);
}

static void there_and_back(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_BOOL, FA_U8, FA_I8, FA_I16, FA_I32, FA_I64, FA_F16, FA_F32, FA_F64};
    enum { KINDS = 9, COUNT = KINDS + 2 };
    for (int large = 0; large < 2; large++) {
        FA_SCOPE;
        char text[COUNT][8];
        const char *name[COUNT];
        fa_tensor *item[COUNT];
        for (int i = 0; i < COUNT; i++) {
            name[i] = text[i];
            snprintf(text[i], sizeof *text, "x.%d", i);
            item[i] = i < KINDS ? fa_to(fa_transpose(fa_randint(0, 100, FA_SHAPE(3, 5)), 0, 1), dtypes[i])
                                : fa_rand(i == KINDS ? FA_SCALAR : FA_SHAPE(7, 0));
        }
        fa__zip_most = large ? 200 : 0xffffffff;
        assert_true(fa_save(((fa_parameters){COUNT, item, name}), in_folder("x.npz")));
        fa__zip_most = 0xffffffff;
        for (int map = 0; map < 2; map++) {
            fa_saved saved = fa_load_file(path, .map = map);
            assert_no_error();
            assert_int_equal(saved.tensors.count, COUNT);
            for (int i = 0; i < COUNT; i++) {
                assert_string_equal(saved.tensors.name[i], name[i]);
                assert_true(same_tensors(saved.tensors.item[i], item[i]));
            }
        }
        assert_true(fa_save(((fa_parameters){0, item, name}), in_folder("x.npz")));
        assert_int_equal(fa_load_file(path).tensors.count, 0);
        assert_no_error();
    }
}

static void networks(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(3, 4), fa_nn_batch_norm1d(4)),
              *other = fa_nn_sequential(fa_nn_linear(3, 4), fa_nn_batch_norm1d(4));
    assert_true(fa_save(net, in_folder("net.npz")));
    assert_true(fa_load(other, path));
    assert_no_error();
    assert_true(
        same_tensors(fa_detach(fa_module_tensor(net, "0.weight")), fa_detach(fa_module_tensor(other, "0.weight"))));
    assert_false(fa_load(fa_nn_linear(3, 4), path));
    assert_error(FA_ERROR_ARGUMENT, "fa_load", path, "all names are in the file behind \"0.\": .prefix = \"0.\"");
}

/* A mapped tensor is the file's memory; what is written to it does not reach the file, which may be replaced. */
static void mapped(void **state)
{
    (void)state;
    FA_SCOPE;
    const char *const files[] = {"m.npy", "m.npz", "m.safetensors"};
    for (int i = 0; i < 3; i++) {
        const char *name = "array";
        fa_tensor *x = fa_rand(FA_SHAPE(100)), *kept = fa_clone(x);
        fa_parameters p = {1, &x, &name};
        assert_true(fa_save(p, in_folder(files[i])));
        fa_memory_reset_peak(FA_CPU);
        size_t before = fa_memory_stats(FA_CPU).allocated;
        fa_tensor *y = fa_load_file(path, .map = true).tensors.item[0];
        assert_no_error();
        assert_int_equal(fa_memory_stats(FA_CPU).peak, before);
        assert_true(same_tensors(y, kept));
        fa_mul_(y, 2);
        assert_true(same_tensors(fa_load_file(path).tensors.item[0], kept));
        x = fa_zeros(FA_SHAPE(100));
        assert_true(fa_save(p, path));
        assert_true(same_tensors(y, fa_mul(kept, 2)));
        assert_no_error();
    }
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *item[] = {fa_ones(FA_SHAPE(2)), fa_to(fa_ones(FA_SHAPE(2)), FA_BF16)};
    const char *const name[] = {"a", "b"}, *key = "k";
    const fa_metadata texts = {1, &key, &key};
    assert_false(fa_save(((fa_parameters){2, item, name}), in_folder("x.npy")));
    assert_error(FA_ERROR_ARGUMENT, "fa_save", path, "an npy file has one tensor, not 2");
    assert_false(fa_save(((fa_parameters){2, item, name}), in_folder("y.npz")));
    assert_error(FA_ERROR_DTYPE, "fa_save: NumPy has no bf16");
    assert_false(fa_save(((fa_parameters){1, item, name}), in_folder("y.npz"), .metadata = texts));
    assert_error(FA_ERROR_ARGUMENT, "fa_save", path, "NumPy's files have no metadata");
    assert_false(fa_save(((fa_parameters){1, item, name}), "/no/such/x.npz"));
    assert_error(FA_ERROR_FILE, "fa_save: /no/such/x.npz: cannot write");
    assert_false(fa_save(((fa_parameters){1, item, name}), "/no/such/x.npy"));
    assert_error(FA_ERROR_FILE, "fa_save: /no/such/x.npy: cannot write");
    assert_int_equal(access(in_folder("y.npz"), F_OK), -1);
}

/* ---- damage ---- */

static void headers_that_are_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *dict, *says;
    } wrong[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", NULL},
        {"{\"shape\":(2),\"descr\":\"<f4\",\"fortran_order\":True}", NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}  \n", NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
         "has 8 bytes behind its header, and 3 elements of <f4"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "has 8 bytes behind its header, and 1 elements"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }", "byte 44: its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [2], }", "byte 60: its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 2), }", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, }", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "its header is no dict"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "its header is no dict"},
        {"{'descr': [('x', '<f4'], 'fortran_order': False, 'shape': (2,)}", "its header is no dict"},
        {"", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "its header is no dict"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "more elements than 64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "has 8 bytes behind its header"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FA_SCOPE;
        char bytes[200] = "\x93NUMPY\1";
        size_t length = strlen(wrong[i].dict);
        bytes[8] = (char)length;
        memcpy(bytes + 10, wrong[i].dict, length + 1);
        put_file("x.npy", bytes, 10 + length + 8);
        fa_saved saved = fa_load_file(path);
        assert_true(fa_failed() == (wrong[i].says != NULL) && (saved.tensors.count > 0) == !wrong[i].says);
        if (wrong[i].says)
            assert_error(FA_ERROR_FILE, "fa_load_file", path, "no npy file", wrong[i].says);
        assert_no_error();
    }
    put_file("x.npy", "\x93NUMPY\4\0\1\0{         ", 20);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_FILE, path, "its version is not 1 to 3");
    put_file("x.npy", "\x93NUMPY\2\0\377\377\377\377{        ", 20);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_FILE, path, "its header is longer than a megabyte");
    put_file("x.npy", "\x93NUMPY\1\0\377\0{          ", 20);
    assert_null(fa_load_file(path).tensors.name[0]);
    assert_error(FA_ERROR_FILE, path, "it ends within its header");
}

/* What torch.save() writes: an archive with a pickle, and, before PyTorch 1.6, the pickle alone. */
static void pickles(void **state)
{
    (void)state;
    FA_SCOPE;
    char bytes[1000];
    assert_true(fa_save(FA_NAMED("net/data", fa_zeros(FA_SHAPE(2))), in_folder("net.npz")));
    size_t size = get_file(path, bytes, sizeof bytes);
    for (size_t i = 0; i + 4 <= size; i++)
        if (!memcmp(bytes + i, ".npy", 4))
            bytes[i + 1] = 'p', bytes[i + 2] = 'k', bytes[i + 3] = 'l';
    put_file("net.pt", bytes, size);
    assert_int_equal(fa_load_file(path).tensors.count, 0);
    assert_error(FA_ERROR_UNAVAILABLE, path, "as torch.save() writes: safetensors.torch.save_file(");
    assert_false(fa_load(fa_nn_linear(2, 2), path));
    assert_error(FA_ERROR_UNAVAILABLE, path, "torch.save()");
    put_file("old.pt", "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\2M\xe9\3.", 20);
    assert_false(fa_load(fa_nn_linear(2, 2), path));
    assert_error(FA_ERROR_UNAVAILABLE, path, "torch.save()");
}

static void keep_warning(void *context, fa_log_level level, const char *message)
{
    if (level == FA_LOG_WARNING)
        snprintf(context, 500, "%s", message);
}

/* A trained network is not lost because of its file's name. */
static void names_of_pickles(void **state)
{
    (void)state;
    FA_SCOPE;
    char warning[500] = "";
    fa_set_log(keep_warning, warning);
    fa_tensor *w = fa_ones(FA_SHAPE(2)), *back = fa_zeros(FA_SHAPE(2));
    assert_true(fa_save(FA_NAMED("w", w), in_folder("new.safetensors")));
    assert_string_equal(warning, "");
    assert_true(fa_save(FA_NAMED("w", w), in_folder("new.pth")));
    assert_non_null(strstr(warning, "new.pth is a safetensors file"));
    assert_true(fa_load(FA_NAMED("w", back), path));
    assert_true(fa_equal(w, back));
    fa_module *net = fa_nn_linear(2, 2);
    assert_true(fa_checkpoint_save(in_folder("run.pt"), .module = net));
    assert_non_null(strstr(warning, "fa_checkpoint_save: "));
    assert_non_null(strstr(warning, "run.pt is a safetensors file"));
    assert_true(fa_checkpoint_load(path, .module = net));
    warning[0] = 0;
    assert_false(fa_save(FA_NAMED("w", w), "/nowhere/new.pt"));
    assert_error(FA_ERROR_FILE, "/nowhere/new.pt");
    assert_string_equal(warning, "");
    fa_set_log(NULL, NULL);
}

/* Each byte changed, and each length: an error that names the file, or other values, and never a crash. */
static void damage_anywhere(void **state)
{
    (void)state;
    static char good[20000];
    fa_tensor *item[] = {fa_rand(FA_SHAPE(3, 2)), fa_arange(0, 4)};
    const char *const names[] = {"a", "bc"};
    for (int kind = 0; kind < (fa_plugin_available("gzip") ? 4 : 3); kind++) {
        fa__zip_most = kind == 1 ? 100 : 0xffffffff;
        assert_true(fa_save(((fa_parameters){kind < 2 ? 2 : 1, item, names}), in_folder(kind < 2 ? "d.npz" : "d.npy")));
        fa__zip_most = 0xffffffff;
        size_t size = get_file(kind == 3 ? NPY "two.npz" : path, good, sizeof good), refused = 0;
        const char *name = kind != 2 ? "d.npz" : "d.npy";
        for (size_t i = 0; i < size; i++)
            for (int cut = 0; cut < 2; cut++) {
                FA_SCOPE;
                char kept = good[i];
                good[i] = (char)(kept ^ (1 << i % 8));
                put_file(name, good, cut ? i : size);
                good[i] = kept;
                bool read = (fa_load_file(path), !fa_failed());
                assert_true(!(cut && read));
                assert_true(read || strstr(fa_error_message(), path));
                refused += !read;
                fa_error_clear();
                fa_load_file(path, .map = true);
                fa_error_clear();
            }
        assert_true(refused > size + size / 8);
        fa_error_clear();
    }
}

int main(void)
{
    if (!test_devices_there())
        return TEST_SKIPPED;
    if (!mkdtemp(folder))
        return perror(folder), 1;
    const struct CMUnitTest tests[] = {TEST(arrays_of_every_kind),
                                       TEST(every_version),
                                       TEST(on_devices),
                                       TEST(what_cannot_be_here),
                                       TEST(compressed_zeros),
                                       TEST(written_as_numpy_writes),
                                       TEST(there_and_back),
                                       TEST(networks),
                                       TEST(mapped),
                                       TEST(what_cannot_be_written),
                                       TEST(headers_that_are_wrong),
                                       TEST(pickles),
                                       TEST(names_of_pickles),
                                       TEST(damage_anywhere)};
    int status = RUN("npy");
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : status;
}
