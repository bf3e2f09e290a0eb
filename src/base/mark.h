/* Annotations for AddressSanitizer and (if built with FACULA_VALGRIND) valgrind: which bytes of a pool are in use.
 * They cost nothing in other builds. */
#ifndef FA__BASE_MARK_H
#define FA__BASE_MARK_H
#include <stddef.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define FA__ASAN 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ && !defined FA__ASAN
#define FA__ASAN 1
#endif
#if defined FA__ASAN && !__has_include(<sanitizer/asan_interface.h>)
#undef FA__ASAN
#endif
#ifdef FA__ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef FACULA_VALGRIND
#include <valgrind/memcheck.h>
#endif

/* The memory is in use, and keeps its contents. */
static inline void fa__mark_used(void *memory, size_t size)
{
    (void)memory, (void)size;
#ifdef FA__ASAN
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
#endif
#ifdef FACULA_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(memory, size);
#endif
}

/* The memory must not be accessed. */
static inline void fa__mark_free(void *memory, size_t size)
{
    (void)memory, (void)size;
#ifdef FA__ASAN
    ASAN_POISON_MEMORY_REGION(memory, size);
#endif
#ifdef FACULA_VALGRIND
    VALGRIND_MAKE_MEM_NOACCESS(memory, size);
#endif
}

/* Where a free object points to the next one of its list: behind the type in the header of objects (core/object.h),
 * which says that it was freed until the memory is used again. */
enum { FA__LINK_AT = 8 };

static inline void **fa__mark_link(void *object)
{
    return (void **)(void *)((char *)object + FA__LINK_AT);
}

/* Takes an object of exactly `size` bytes from a free list; returns the next object of the list. */
static inline void *fa__mark_taken(void *object, size_t size)
{
    (void)size;
    void **link = fa__mark_link(object);
    fa__mark_used(link, sizeof *link);
    void *next = *link;
    fa__mark_free(link, sizeof *link);
    fa__mark_used(object, size);
#ifdef FACULA_VALGRIND
    VALGRIND_MAKE_MEM_UNDEFINED(object, size);
#endif
    return next;
}

/* Puts an object at the head of a free list. */
static inline void fa__mark_linked(void *object, size_t size, void *next)
{
    const size_t least = FA__LINK_AT + sizeof(void *);
    fa__mark_used(fa__mark_link(object), sizeof(void *));
    *fa__mark_link(object) = next;
    fa__mark_free(object, size < least ? least : size);
}
#endif
