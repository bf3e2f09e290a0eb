/* Downloads by libcurl, which is opened when it is needed first. Its numbers of options are part of its interface
 * (https://curl.se/libcurl/c/), so that its headers are not needed. */
#include "data/data.h"
#include "data/sha256.h"
#include <dlfcn.h>
#include <errno.h>
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/host.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_ROOM = 4096,
    WORK = 1 << 14,
    GLOBAL_ALL = 3,
    RANGE_ERROR = 33, /* results of curl_easy_perform */
    HTTP_ERROR = 22,
    BAD_RESUME = 36,
    NOT_SATISFIABLE = 416, /* a response: the file has no more bytes than there are */
    HTTP_AND_HTTPS = 3,
    FILES = 1 << 10
};

/* Options of curl_easy_setopt: numbers from 0 on are long, from 10000 on pointers, from 20000 on functions, from 30000
 * on 64-bit numbers. */
enum {
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_ERRORBUFFER = 10010,
    OPTION_USERAGENT = 10018,
    OPTION_LOW_SPEED_LIMIT = 19,
    OPTION_LOW_SPEED_TIME = 20,
    OPTION_NOPROGRESS = 43,
    OPTION_FAILONERROR = 45,
    OPTION_FOLLOWLOCATION = 52,
    OPTION_CONNECTTIMEOUT = 78,
    OPTION_NOSIGNAL = 99,
    OPTION_PROTOCOLS = 181,
    OPTION_REDIR_PROTOCOLS = 182,
    OPTION_XFERINFODATA = 10057,
    OPTION_WRITEFUNCTION = 20011,
    OPTION_XFERINFOFUNCTION = 20219,
    OPTION_RESUME_FROM_LARGE = 30116,
    INFO_RESPONSE_CODE = 0x200002
};

static struct {
    int (*curl_global_init)(long flags);
    void *(*curl_easy_init)(void);
    int (*curl_easy_setopt)(void *handle, int option, ...);
    int (*curl_easy_perform)(void *handle);
    int (*curl_easy_getinfo)(void *handle, int info, ...);
    void (*curl_easy_cleanup)(void *handle);
    const char *(*curl_easy_strerror)(int code);
} curl;

static char missing[300]; /* why there is no libcurl; "": there is */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Fills in the functions of a library. Pointers go through memcpy, as each has a type of its own. */
static bool find_functions(void *handle)
{
    const struct {
        const char *name;
        void *pointer;
    } all[] = {{"curl_global_init", &curl.curl_global_init},    {"curl_easy_init", &curl.curl_easy_init},
               {"curl_easy_setopt", &curl.curl_easy_setopt},    {"curl_easy_perform", &curl.curl_easy_perform},
               {"curl_easy_getinfo", &curl.curl_easy_getinfo},  {"curl_easy_cleanup", &curl.curl_easy_cleanup},
               {"curl_easy_strerror", &curl.curl_easy_strerror}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *function = dlsym(handle, all[i].name);
        if (!function)
            return false;
        memcpy(all[i].pointer, &function, sizeof function);
    }
    return curl.curl_global_init(GLOBAL_ALL) == 0;
}

/* Opens the first of some libraries, which stays open. */
static void open_library(void)
{
    static const char *const usual[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so", NULL};
    const char *named = getenv("FACULA_CURL_LIBRARY"), *const one[] = {named, NULL};
    for (const char *const *name = named ? one : usual; *name; name++) {
        void *handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        if (handle && find_functions(handle)) {
            missing[0] = 0;
            return;
        }
        const char *why = handle ? "it lacks functions" : dlerror();
        snprintf(missing, sizeof missing, "%s: %s", *name, why ? why : "it cannot be opened");
    }
}

/* ---- one transfer ---- */

/* A file that is downloaded: bytes are appended to `part`. */
typedef struct transfer {
    const char *url, *sha256, *dest;
    char part[PATH_ROOM];
    fa_data_download_options options;
    FILE *to;
    int64_t there; /* bytes that an earlier download has left */
    bool given_up;
    int written; /* errno of writing, or 0 */
    long response;
    char reason[512];
} transfer;

static size_t on_bytes(const void *data, size_t size, size_t count, void *context)
{
    transfer *t = context;
    size_t n = fwrite(data, 1, size * count, t->to);
    if (n < size * count)
        t->written = errno ? errno : EIO;
    return n;
}

static int on_progress(void *context, int64_t whole, int64_t bytes, int64_t to_send, int64_t sent)
{
    transfer *t = context;
    (void)to_send;
    (void)sent;
    bool goes_on = !fa_stopped();
    if (goes_on && t->options.progress)
        goes_on = t->options.progress(t->options.context, t->there + bytes, whole > 0 ? t->there + whole : -1);
    t->given_up |= !goes_on;
    return !goes_on;
}

/* libcurl's result of a transfer from byte `there` on. */
static int perform(transfer *t)
{
    void *h = curl.curl_easy_init();
    if (!h)
        return -1;
    t->reason[0] = 0;
    const struct {
        int option;
        long value;
    } numbers[] = {{OPTION_LOW_SPEED_LIMIT, 1},
                   {OPTION_LOW_SPEED_TIME, 60},
                   {OPTION_NOPROGRESS, 0},
                   {OPTION_FAILONERROR, 1},
                   {OPTION_FOLLOWLOCATION, 1},
                   {OPTION_CONNECTTIMEOUT, 30},
                   {OPTION_NOSIGNAL, 1},
                   {OPTION_PROTOCOLS, HTTP_AND_HTTPS | FILES},
                   {OPTION_REDIR_PROTOCOLS, HTTP_AND_HTTPS}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        curl.curl_easy_setopt(h, numbers[i].option, numbers[i].value);
    curl.curl_easy_setopt(h, OPTION_URL, t->url);
    curl.curl_easy_setopt(h, OPTION_USERAGENT, "facula");
    curl.curl_easy_setopt(h, OPTION_ERRORBUFFER, t->reason);
    curl.curl_easy_setopt(h, OPTION_WRITEFUNCTION, on_bytes);
    curl.curl_easy_setopt(h, OPTION_WRITEDATA, (void *)t);
    curl.curl_easy_setopt(h, OPTION_XFERINFOFUNCTION, on_progress);
    curl.curl_easy_setopt(h, OPTION_XFERINFODATA, (void *)t);
    curl.curl_easy_setopt(h, OPTION_RESUME_FROM_LARGE, t->there);
    int code = curl.curl_easy_perform(h);
    curl.curl_easy_getinfo(h, INFO_RESPONSE_CODE, &t->response);
    if (!t->reason[0])
        snprintf(t->reason, sizeof t->reason, "%s", curl.curl_easy_strerror(code));
    curl.curl_easy_cleanup(h);
    return code;
}

/* Opens the unfinished file, to go on at its end or anew. */
static bool open_part(transfer *t, bool anew)
{
    struct stat status;
    t->to = fopen(t->part, anew ? "wb" : "ab");
    if (!t->to || fstat(fileno(t->to), &status) != 0)
        return fa_fail(FA_ERROR_FILE, "fa_data_download: %s: %s", t->part, strerror(errno));
    t->there = (int64_t)status.st_size;
    return true;
}

/* Fails, and leaves no file behind that has no bytes. */
static bool cannot(const transfer *t)
{
    struct stat status;
    if (stat(t->part, &status) == 0 && status.st_size == 0)
        unlink(t->part);
    if (t->given_up)
        return fa_fail(FA_ERROR_STATE, "fa_data_download: %s: the download was ended early", t->url);
    if (t->written)
        return fa_fail(FA_ERROR_FILE, "fa_data_download: %s: %s", t->part, strerror(t->written));
    return fa_fail(FA_ERROR_FILE, "fa_data_download: %s: %s", t->url, t->reason);
}

/* Gets the bytes behind those that are there; all of them if the server cannot begin in the middle. */
static bool fetch(transfer *t)
{
    for (int anew = 0; anew < 2; anew++) {
        int code = open_part(t, anew) ? perform(t) : -1;
        if (!t->to)
            return false;
        if (fclose(t->to) != 0 && code == 0) {
            t->written = errno;
            return cannot(t);
        }
        bool too_long = t->response == NOT_SATISFIABLE && (code == 0 || code == HTTP_ERROR);
        if (code == 0 && !too_long)
            return true;
        if (!t->there || (code != RANGE_ERROR && code != BAD_RESUME && !too_long))
            return cannot(t);
    }
    return cannot(t);
}

/* ---- files ---- */

/* Whether a file has this hash; false, without an error, if it cannot be read. Stores the hash. */
static bool has_hash(const char *path, const char *sha256, char found[static 65])
{
    unsigned char bytes[WORK];
    fa__sha256 s;
    FILE *f = fopen(path, "rb");
    size_t n;
    found[0] = 0;
    if (!f)
        return false;
    fa__sha256_begin(&s);
    while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
        fa__sha256_add(&s, bytes, n);
    bool read = !ferror(f);
    fclose(f);
    fa__sha256_end(&s, found);
    return read && !strcasecmp(found, sha256);
}

/* Creates the folders above a file. */
static bool make_folders(const char *path)
{
    char folder[PATH_ROOM];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *c = folder + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return fa_fail(FA_ERROR_FILE, "fa_data_download: %s: %s", folder, strerror(errno));
        *c = '/';
    }
    return true;
}

static bool check_and_rename(const transfer *t)
{
    char found[65];
    if (!has_hash(t->part, t->sha256, found)) {
        unlink(t->part);
        return fa_fail(FA_ERROR_FILE,
                       "fa_data_download: what came from %s has the SHA-256 %s, and not %s: it is deleted", t->url,
                       found, t->sha256);
    }
    return !rename(t->part, t->dest) || fa_fail(FA_ERROR_FILE, "fa_data_download: %s: %s", t->dest, strerror(errno));
}

static bool is_known(const char *url)
{
    static const char *const begins[] = {"http://", "https://", "file:///"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(url, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static bool arguments_are_good(const char *url, const char *sha256, const char *dest)
{
    const char *wrong = !url || !sha256 || !dest ? "the address, the SHA-256 or the path is NULL"
                        : !is_known(url)         ? "the address begins with http://, https:// or file:///"
                        : strlen(sha256) != 64 || strspn(sha256, "0123456789abcdefABCDEF") != 64
                            ? "the SHA-256 is 64 hexadecimal digits"
                        : !*dest || strlen(dest) + 6 > PATH_ROOM ? "the path is empty or too long"
                                                                 : NULL;
    return !wrong || fa_fail(FA_ERROR_ARGUMENT, "fa_data_download: %s", wrong);
}

bool(fa_data_download)(const char *url, const char *sha256, const char *dest, const fa_data_download_options *options)
{
    fa_data_download_options o = FA__DEFAULT_fa_data_download;
    fa__options_read(&o, o.size, options);
    char found[65];
    if (fa_error_stands() || !arguments_are_good(url, sha256, dest))
        return false;
    if (has_hash(dest, sha256, found))
        return true;
    pthread_once(&once, open_library);
    if (missing[0])
        return fa_fail(FA_ERROR_UNAVAILABLE, "libcurl is needed to download %s, and is not there: %s", url, missing);
    transfer t = {.url = url, .sha256 = sha256, .dest = dest, .options = o};
    snprintf(t.part, sizeof t.part, "%s.part", dest);
    return make_folders(dest) && (has_hash(t.part, sha256, found) || fetch(&t)) && check_and_rename(&t);
}
