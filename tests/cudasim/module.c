/* Modules, and NVRTC: kernels are compiled by the host's C++ compiler to a shared object, which is the machine code
 * here. PTX is the same bytes as text. */
#define _GNU_SOURCE
#include "cudasim.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 512 };

/* ---- files ---- */
static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(bytes, 1, size, f) == size;
    return f && fclose(f) == 0 && good;
}

/* NULL: there is none. Ends with a 0. */
static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "r");
    struct stat s;
    char *bytes = f && !fstat(fileno(f), &s) ? malloc((size_t)s.st_size + 1) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)s.st_size, f) : 0;
    if (bytes)
        bytes[*size] = 0;
    if (f)
        fclose(f);
    return bytes;
}

static bool make_folder(char folder[PATH])
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, PATH, "%s/cudasim.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    return mkdtemp(folder) != NULL;
}

/* ---- NVRTC ---- */
struct _nvrtcProgram {
    char *source, *log, *code, *ptx;
    size_t code_size;
};

static const char head[] = "// PTX of the simulator\n";

EXPORT const char *nvrtcGetErrorString(nvrtcResult status)
{
    return status == 0 ? "NVRTC_SUCCESS" : status == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

#define COMPILER(call)                                                                                                 \
    nvrtcResult stood = cudasim_begin(#call);                                                                          \
    if (stood)                                                                                                         \
    return stood

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    COMPILER(nvrtcVersion);
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

static const int architectures[] = {75, 80, 86, 89, 90, 100, 120};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    COMPILER(nvrtcGetNumSupportedArchs);
    *count = ARCHITECTURES;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    COMPILER(nvrtcGetSupportedArchs);
    memcpy(out, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int headers,
                                      const char *const *text, const char *const *names)
{
    COMPILER(nvrtcCreateProgram);
    (void)name, (void)text, (void)names;
    nvrtcProgram p = *out = headers ? NULL : calloc(1, sizeof *p);
    if (!p)
        return headers ? 3 : NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *p)
{
    COMPILER(nvrtcDestroyProgram);
    free((*p)->source);
    free((*p)->log);
    free((*p)->code);
    free((*p)->ptx);
    free(*p);
    *p = NULL;
    return NVRTC_SUCCESS;
}

/* What stands behind the source, for each kernel in it. */
static void put_kernel(FILE *f, const char *name)
{
    fprintf(f, "\nstatic void cudasim_run_%s(void **argument)\n{\n    cudasim_call(%s, argument);\n}\n", name, name);
    fprintf(f, "extern \"C\" const cudasim_kernel cudasim_kernel_%s;\n", name);
    fprintf(f, "const cudasim_kernel cudasim_kernel_%s = cudasim_describe(%s, cudasim_run_%s);\n", name, name, name);
}

/* Kernels are found in the preprocessed source: some are written down under conditions. */
static bool put_kernels(const char *path)
{
    static const char word[] = "__attribute__((__hot__)) void ";
    size_t size;
    char *source = read_file(path, &size), name[128];
    FILE *f = source ? fopen(path, "a") : NULL;
    for (const char *at = source; f && (at = strstr(at, word)); at += sizeof word - 1)
        if (sscanf(at + sizeof word - 1, " %127[A-Za-z0-9_]", name) == 1)
            put_kernel(f, name);
    free(source);
    return f && fclose(f) == 0;
}

/* Whether it succeeded; what it says is appended to the log. */
static bool run_compiler(char *const *words, const char *log)
{
    posix_spawn_file_actions_t files;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (!posix_spawnp(&child, words[0], &files, NULL, words, environ))
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&files);
    return status == 0;
}

static const char *const files[] = {"kernel.cpp", "kernel.ii", "kernel.so", "log"};
enum { SOURCE, PREPROCESSED, OBJECT, LOG, FILES };

/* Kernels fuse where their source says so: a function call each, unless the processor has an instruction for it. */
static bool has_fma(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* To look for races, kernels are compiled as if for the thread sanitizer, whose functions the prelude has. */
static bool compile(const char *source, char path[FILES][PATH], int architecture)
{
    char target[60];
    snprintf(target, sizeof target, "-DCUDASIM_ARCHITECTURE=%d", architecture + (has_fma() ? 1000 : 0));
    char *preprocess[] = {CUDASIM_COMPILER,
                          "-E",
                          "-w",
                          target,
                          cudasim_racing ? "-DCUDASIM_RACES" : "-DCUDASIM_PLAIN",
                          "-include",
                          CUDASIM_PRELUDE,
                          "-o",
                          path[PREPROCESSED],
                          path[SOURCE],
                          NULL};
    /* Objects need no start files: the linker reads little. */
    char *translate[] = {CUDASIM_COMPILER,
                         "-std=c++11",
                         "-O1",
                         "-w",
                         "-fPIC",
                         "-shared",
                         "-nostdlib",
                         cudasim_racing ? "-fsanitize=thread" : "-fno-ident",
                         "-fno-exceptions",
                         "-fno-rtti",
                         "-fwrapv",
                         "-fno-strict-aliasing",
                         "-fno-math-errno",
                         "-ffp-contract=off",
                         has_fma() ? "-mfma" : "-DNO_FMA",
                         "-o",
                         path[OBJECT],
                         path[PREPROCESSED],
                         "-lm",
                         "-lgcc",
                         NULL};
    return write_file(path[SOURCE], source, strlen(source)) && run_compiler(preprocess, path[LOG])
           && put_kernels(path[PREPROCESSED]) && run_compiler(translate, path[LOG]);
}

/* Two digits for each byte: PTX is text. */
static char *as_text(const char *code, size_t size)
{
    char *text = malloc(sizeof head + 2 * size), *at = text;
    if (text)
        at = stpcpy(text, head);
    for (size_t i = 0; text && i < size; i++, at += 2)
        snprintf(at, 3, "%02x", (unsigned char)code[i]);
    return text;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options)
{
    COMPILER(nvrtcCompileProgram);
    char folder[PATH], path[FILES][PATH];
    int architecture = 0;
    bool exact = false;
    size_t size;
    for (int i = 0; i < count; i++) {
        exact |= sscanf(options[i], "--gpu-architecture=sm_%d", &architecture) == 1;
        sscanf(options[i], "--gpu-architecture=compute_%d", &architecture);
    }
    if (!architecture || !make_folder(folder))
        return 5; /* NVRTC_ERROR_INVALID_OPTION */
    for (int i = 0; i < FILES; i++)
        snprintf(path[i], PATH, "%.400s/%s", folder, files[i]);
    p->code = compile(p->source, path, architecture) ? read_file(path[OBJECT], &p->code_size) : NULL;
    p->log = read_file(path[LOG], &size);
    for (int i = 0; i < FILES; i++)
        unlink(path[i]);
    rmdir(folder);
    if (!p->code)
        return 6; /* NVRTC_ERROR_COMPILATION */
    p->ptx = as_text(p->code, p->code_size);
    if (!exact)
        p->code_size = 0; /* there is machine code for sm_ only */
    return NVRTC_SUCCESS;
}

static nvrtcResult give(const void *bytes, size_t size, char *out)
{
    memcpy(out, bytes, size);
    return NVRTC_SUCCESS;
}

static const char *log_of(nvrtcProgram p)
{
    return p->log ? p->log : "";
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    COMPILER(nvrtcGetProgramLogSize);
    *size = strlen(log_of(p)) + 1;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *out)
{
    COMPILER(nvrtcGetProgramLog);
    return give(log_of(p), strlen(log_of(p)) + 1, out);
}

EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *size)
{
    COMPILER(nvrtcGetCUBINSize);
    *size = p->code_size;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *out)
{
    COMPILER(nvrtcGetCUBIN);
    return give(p->code, p->code_size, out);
}

EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *size)
{
    COMPILER(nvrtcGetPTXSize);
    *size = p->ptx ? strlen(p->ptx) + 1 : 0;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *out)
{
    COMPILER(nvrtcGetPTX);
    return p->ptx ? give(p->ptx, strlen(p->ptx) + 1, out) : 5;
}

/* ---- modules ---- */
static CUmodule modules;
static long conflicts; /* of those that were unloaded */

EXPORT long cudasim_conflicts(void)
{
    cudasim_lock();
    long count = conflicts;
    for (CUmodule m = modules; m; m = m->next)
        count += *m->conflicts;
    cudasim_unlock();
    return count;
}

static void forget_module(CUmodule m)
{
    CUmodule *at = &modules;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    conflicts += *m->conflicts;
}

/* An object's bytes: up to its table of sections, which is last. */
static size_t size_of_object(const void *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    return (size_t)(h.e_shoff + (uint64_t)h.e_shentsize * h.e_shnum);
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static unsigned char *from_text(const char *text, size_t *size)
{
    text += sizeof head - 1;
    *size = strlen(text) / 2;
    unsigned char *code = malloc(*size + 1);
    for (size_t i = 0; code && i < *size; i++)
        code[i] = (unsigned char)(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
    return code;
}

static void *open_object(const void *image, size_t size)
{
    char folder[PATH], path[PATH];
    if (!make_folder(folder))
        return NULL;
    snprintf(path, sizeof path, "%.400s/kernel.so", folder);
    void *handle = write_file(path, image, size) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    rmdir(folder);
    return handle;
}

/* Machine code runs on later devices of the same major number; PTX on all later ones. 1000: compiled for processors
 * that fuse, which this one has to do then. */
static bool runs_here(void *handle, bool text)
{
    const int *of = dlsym(handle, "cudasim_architecture");
    int capability = (int)cudasim_number("CUDASIM_CAPABILITY", 90);
    int architecture = of ? *of % 1000 : 0;
    bool runs = of && (*of < 1000 || has_fma());
    return runs && architecture <= capability && (text || architecture / 10 == capability / 10);
}

EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    CUcontext context = cudasim_enter("cuModuleLoadData");
    if (!context)
        return cudasim_entered;
    bool text = !strncmp(image, head, sizeof head - 1), object = !memcmp(image, ELFMAG, SELFMAG);
    size_t size = object ? size_of_object(image) : 0;
    unsigned char *code = text ? from_text(image, &size) : NULL;
    void *handle = text || object ? open_object(code ? code : image, size) : NULL;
    free(code);
    if (!handle)
        return cudasim_leave(INVALID_IMAGE);
    CUmodule m = runs_here(handle, text) ? calloc(1, sizeof *m) : NULL;
    if (!m) {
        dlclose(handle);
        return cudasim_leave(NO_BINARY);
    }
    void (**touch)(const void *, size_t, int) = dlsym(handle, "cudasim_touched");
    if (touch)
        *touch = cudasim_touch;
    *m = (struct CUmod_st){.handle = handle,
                           .context = context,
                           .place = dlsym(handle, "cudasim_place"),
                           .shared = dlsym(handle, "cudasim_shared"),
                           .conflicts = dlsym(handle, "cudasim_bank_conflicts"),
                           .next = modules};
    *out = modules = m;
    return cudasim_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
    char symbol[160];
    if (!cudasim_enter("cuModuleGetFunction"))
        return cudasim_entered;
    snprintf(symbol, sizeof symbol, "cudasim_kernel_%s", name);
    const void *kernel = dlsym(m->handle, symbol);
    CUfunction f = kernel ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return cudasim_leave(NOT_FOUND);
    *f = (struct CUfunc_st){.module = m, .next = m->functions, .kernel = kernel};
    snprintf(f->name, sizeof f->name, "%s", name);
    *out = m->functions = f;
    return cudasim_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuModuleUnload(CUmodule m)
{
    if (!cudasim_enter("cuModuleUnload"))
        return cudasim_entered;
    cudasim_wait_all(m->context);
    forget_module(m);
    for (CUfunction f = m->functions, next; f; f = next) {
        next = f->next;
        free(f);
    }
    dlclose(m->handle);
    free(m);
    return cudasim_leave(CUDA_SUCCESS);
}
