/* Downloads from a server of the test's own: whole, continued, interrupted, with wrong content, and without a network;
 * SHA-256. */
#include "data/sha256.h"
#include "support/api_test.h"
#include <arpa/inet.h>
#include <facula/data.h>
#include <facula/dataset.h>
#include <facula/host.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 300000, CUT = 100000 };

static char root[64], path[128], url[128], hash[65];
static unsigned char content[SIZE];

/* ---- the server ---- */

static struct {
    int socket, port;
    pthread_t thread;
    _Atomic int64_t requests, first; /* and the first byte that the last one asked for */
    char asked[200];                 /* the path of the last one */
} server;

static void send_all(int to, const void *data, size_t size)
{
    const char *at = data;
    for (ssize_t n; size > 0 && (n = send(to, at, size, MSG_NOSIGNAL)) > 0; at += n)
        size -= (size_t)n;
}

static void send_head(int to, const char *status, int64_t first, int64_t length)
{
    char head[300];
    int n = snprintf(head, sizeof head, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %lld\r\n", status,
                     (long long)length);
    if (first)
        n += snprintf(head + n, sizeof head - (size_t)n, "Content-Range: bytes %lld-%d/%d\r\n", (long long)first,
                      SIZE - 1, SIZE);
    n += snprintf(head + n, sizeof head - (size_t)n, "\r\n");
    send_all(to, head, (size_t)n);
}

/* /file: the content; /cut: a part of it; /whole: the content, also where a part is asked for. */
static void answer(int to, const char *request)
{
    const char *range = strstr(request, "Range: bytes=");
    int64_t first = range ? strtoll(range + 13, NULL, 10) : 0;
    atomic_store(&server.first, first);
    if (sscanf(request, "GET %199s", server.asked) != 1)
        return;
    if (strcmp(server.asked, "/whole") == 0)
        first = 0;
    if (strcmp(server.asked, "/none") == 0)
        send_head(to, "404 Not Found", 0, 0);
    else if (strcmp(server.asked, "/moved") == 0)
        send_head(to, "302 Found\r\nLocation: file:///etc/passwd", 0, 0);
    else if (first >= SIZE)
        send_head(to, "416 Range Not Satisfiable", 0, 0);
    else {
        send_head(to, first ? "206 Partial Content" : "200 OK", first, SIZE - first);
        send_all(to, content + first, (size_t)(strcmp(server.asked, "/cut") == 0 ? CUT : SIZE - first));
    }
}

static void *serve(void *unused)
{
    (void)unused;
    for (int to; (to = accept(server.socket, NULL, NULL)) >= 0; close(to)) {
        char request[4000] = "";
        size_t size = 0;
        while (size + 1 < sizeof request && !strstr(request, "\r\n\r\n")) {
            ssize_t n = recv(to, request + size, sizeof request - 1 - size, 0);
            if (n <= 0)
                break;
            size += (size_t)n;
        }
        atomic_fetch_add(&server.requests, 1);
        answer(to, request);
    }
    return NULL;
}

static void server_start(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    server.socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server.socket >= 0);
    assert_int_equal(bind(server.socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server.socket, 8), 0);
    assert_int_equal(getsockname(server.socket, (struct sockaddr *)&address, &length), 0);
    server.port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static int begin(void **state)
{
    (void)state;
    strcpy(root, "/tmp/facula-download-XXXXXX");
    for (int i = 0; i < SIZE; i++)
        content[i] = (unsigned char)((unsigned)i * 2654435761U >> 13);
    fa__sha256 s;
    fa__sha256_begin(&s);
    fa__sha256_add(&s, content, SIZE);
    fa__sha256_end(&s, hash);
    server_start();
    return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char command[128];
    shutdown(server.socket, SHUT_RDWR);
    close(server.socket);
    pthread_join(server.thread, NULL);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static const char *at(const char *name)
{
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", server.port, name);
    return url;
}

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int64_t size_of(const char *name)
{
    struct stat status;
    return stat(in_root(name), &status) ? -1 : (int64_t)status.st_size;
}

static void put(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(in_root(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static void assert_whole(const char *name)
{
    static unsigned char got[SIZE + 1];
    FILE *f = fopen(in_root(name), "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got, f), SIZE);
    fclose(f);
    assert_memory_equal(got, content, SIZE);
}

/* Downloads can be tested where libcurl is. */
static void need_libcurl(void)
{
    fa_data_download("http://127.0.0.1:1/", hash, in_root("unused"));
    bool missing = fa_error_code() == FA_ERROR_UNAVAILABLE;
    fa_error_clear();
    if (missing)
        skip();
}

/* ---- tests ---- */

static void hashes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int times;
        const char *hash;
    } rows[] = {{"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
                {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
                {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
    for (int i = 0; i < 4; i++) {
        char text[65];
        fa__sha256 s;
        fa__sha256_begin(&s);
        for (int k = 0; k < rows[i].times; k++)
            fa__sha256_add(&s, rows[i].text, strlen(rows[i].text));
        fa__sha256_end(&s, text);
        assert_string_equal(text, rows[i].hash);
    }
}

static void without_libcurl(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child) {
        setenv("FACULA_CURL_LIBRARY", "/no/such/libcurl.so", 1);
        bool good =
            !fa_data_download("http://127.0.0.1:1/x", hash, in_root("x")) && fa_error_code() == FA_ERROR_UNAVAILABLE
            && strstr(fa_error_message(), "libcurl is needed to download http://127.0.0.1:1/x, and is not there")
            && strstr(fa_error_message(), "/no/such/libcurl.so");
        _exit(!good);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

typedef struct watched {
    int64_t calls, bytes, whole, most; /* gives up behind `most` bytes; 0: never */
} watched;

static bool watch(void *context, int64_t bytes, int64_t whole)
{
    watched *w = context;
    w->calls++;
    w->bytes = bytes;
    w->whole = whole;
    return !w->most || bytes <= w->most;
}

static void files_come_whole(void **state)
{
    (void)state;
    need_libcurl();
    watched w = {0};
    assert_true(fa_data_download(at("file"), hash, in_root("deep/er/a"), .progress = watch, .context = &w));
    assert_no_error();
    assert_whole("deep/er/a");
    assert_int_equal(size_of("deep/er/a.part"), -1);
    assert_int_equal(w.bytes, SIZE);
    assert_int_equal(w.whole, SIZE);
    int64_t requests = atomic_load(&server.requests);
    assert_true(fa_data_download(at("file"), hash, in_root("deep/er/a")));
    assert_int_equal(atomic_load(&server.requests), requests);
    put("deep/er/a", "older", 5);
    assert_true(fa_data_download(at("file"), hash, in_root("deep/er/a")));
    assert_whole("deep/er/a");
}

static void downloads_continue(void **state)
{
    (void)state;
    need_libcurl();
    assert_false(fa_data_download(at("cut"), hash, in_root("b")));
    assert_error(FA_ERROR_FILE, url);
    assert_int_equal(size_of("b"), -1);
    assert_int_equal(size_of("b.part"), CUT);
    fa_data_download(at("file"), hash, in_root("b"));
    assert_no_error();
    assert_int_equal(atomic_load(&server.first), CUT);
    assert_whole("b");
    static const int sizes[] = {1, SIZE - 1, SIZE};
    for (int k = 0; k < 3; k++) { /* a server that always begins at the start; the last one is complete */
        unlink(in_root("b"));
        put("b.part", content, (size_t)sizes[k]);
        assert_true(fa_data_download(at(k == 2 ? "none" : "whole"), hash, in_root("b")));
        assert_whole("b");
    }
    unlink(in_root("b"));
    put("b.part", content, SIZE);
    FILE *f = fopen(in_root("b.part"), "ab");
    fputc(1, f);
    fclose(f);
    assert_true(fa_data_download(at("file"), hash, in_root("b"))); /* too long: 416 */
    assert_whole("b");
}

/* A path as an address: copied whole, continued, begun anew where the part is too long, and missing. */
static void files_are_copied(void **state)
{
    (void)state;
    need_libcurl();
    static const int sizes[] = {0, 1, SIZE - 1, SIZE + 1};
    char from[160];
    put("from", content, SIZE);
    snprintf(from, sizeof from, "file://%s", in_root("from"));
    for (int k = 0; k < 4; k++) {
        unsigned char *part = calloc(1, SIZE + 1);
        memcpy(part, content, SIZE);
        put("copy.part", part, (size_t)sizes[k]);
        free(part);
        assert_true(fa_data_download(from, hash, in_root("copy")));
        assert_no_error();
        assert_whole("copy");
        unlink(in_root("copy"));
    }
    unlink(in_root("from"));
    assert_false(fa_data_download(from, hash, in_root("copy")));
    assert_error(FA_ERROR_FILE, from);
    assert_int_equal(size_of("copy.part"), -1);
}

static void wrong_content_is_not_kept(void **state)
{
    (void)state;
    need_libcurl();
    char other[65];
    memcpy(other, hash, sizeof other);
    other[7] = other[7] == '0' ? '1' : '0';
    put("c", "older", 5);
    assert_false(fa_data_download(at("file"), other, in_root("c")));
    assert_error(FA_ERROR_FILE, hash, other);
    assert_int_equal(size_of("c"), 5);
    assert_int_equal(size_of("c.part"), -1);
    put("c.part", "garbage", 7);
    assert_false(fa_data_download(at("file"), hash, in_root("c")));
    assert_error(FA_ERROR_FILE, "SHA-256");
    assert_true(fa_data_download(at("file"), hash, in_root("c")));
    assert_whole("c");
}

static void downloads_end_early(void **state)
{
    (void)state;
    need_libcurl();
    watched w = {.most = 1000};
    assert_false(fa_data_download(at("file"), hash, in_root("d"), .progress = watch, .context = &w));
    assert_error(FA_ERROR_STATE, "the download was ended early");
    assert_int_equal(size_of("d"), -1);
    fa_stop();
    unlink(in_root("d.part"));
    assert_false(fa_data_download(at("file"), hash, in_root("d")));
    assert_error(FA_ERROR_STATE, "the download was ended early");
    fa_stop_clear();
    assert_true(fa_data_download(at("file"), hash, in_root("d")));
    assert_whole("d");
}

static void failures_are_named(void **state)
{
    (void)state;
    need_libcurl();
    assert_false(fa_data_download(at("none"), hash, in_root("e")));
    assert_error(FA_ERROR_FILE, url, "404");
    assert_false(fa_data_download("http://127.0.0.1:1/e", hash, in_root("e")));
    assert_error(FA_ERROR_FILE, "http://127.0.0.1:1/e: ");
    assert_false(fa_data_download(at("file"), hash, "/proc/no/such/place"));
    assert_error(FA_ERROR_FILE, "/proc/no");
    assert_false(fa_data_download("ftp://127.0.0.1/e", hash, in_root("e")));
    assert_error(FA_ERROR_ARGUMENT, "the address begins with http://, https:// or file:///");
    assert_false(fa_data_download(at("moved"), hash, in_root("e"))); /* from a server, never to a file */
    assert_error(FA_ERROR_FILE, url);
    assert_false(fa_data_download(at("file"), "abc", in_root("e")));
    assert_error(FA_ERROR_ARGUMENT, "64 hexadecimal digits");
    assert_false(fa_data_download(at("file"), hash, NULL));
    assert_error(FA_ERROR_ARGUMENT, "is NULL");
    assert_int_equal(size_of("e"), -1);
}

/* Files of datasets come from the mirror, and are not used when they have another content. */
static void datasets_are_downloaded(void **state)
{
    (void)state;
    need_libcurl();
    char mirror[64];
    FA_SCOPE;
    snprintf(mirror, sizeof mirror, "http://127.0.0.1:%d", server.port);
    setenv("FACULA_MIRROR", mirror, 1);
    assert_null(fa_data_mnist(in_root("mnist"), .download = true));
    assert_error(FA_ERROR_FILE, "train-images-idx3-ubyte.gz has the SHA-256",
                 "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609");
    assert_string_equal(server.asked, "/train-images-idx3-ubyte.gz");
    assert_null(fa_data_cifar10(in_root("cifar"), .train = false, .download = true));
    assert_error(FA_ERROR_FILE, "cifar-10-binary.tar.gz has the SHA-256");
    assert_null(fa_data_cifar100(in_root("cifar"), .download = true));
    assert_error(FA_ERROR_FILE, "cifar-100-binary.tar.gz has the SHA-256");
    assert_null(fa_data_emnist(in_root("emnist"), "letters", .download = true));
    assert_error(FA_ERROR_FILE, "/gzip.zip has the SHA-256");
    int64_t requests = atomic_load(&server.requests);
    unsigned char record[3073] = {3};
    put("test_batch.bin", record, sizeof record);
    assert_int_equal(fa_dataset_length(fa_data_cifar10(root, .train = false, .download = true)), 1);
    assert_no_error();
    assert_null(fa_data_cifar10(in_root("cifar"), .train = false));
    assert_error(FA_ERROR_FILE, "there is no test_batch.bin");
    assert_int_equal(atomic_load(&server.requests), requests);
    assert_false(fa_data_get("imagenet", root));
    assert_error(FA_ERROR_ARGUMENT, "\"imagenet\" is none of mnist");
    unsetenv("FACULA_MIRROR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(hashes),
                                       TEST(without_libcurl),
                                       TEST(files_come_whole),
                                       TEST(downloads_continue),
                                       TEST(files_are_copied),
                                       TEST(wrong_content_is_not_kept),
                                       TEST(downloads_end_early),
                                       TEST(failures_are_named),
                                       TEST(datasets_are_downloaded)};
    return cmocka_run_group_tests(tests, begin, end);
}
