/* Threads that help others in backward passes. They are started when first needed, and wait for the next pass. */
#ifndef FA__AUTOGRAD_HELPERS_H
#define FA__AUTOGRAD_HELPERS_H

enum { FA__MOST_HELPERS = 63 };

typedef struct fa__helper fa__helper;

/* Lets up to `count` threads call function(context, number), with numbers from 1. Returns how many; fewer, or none, if
 * there are no more threads to be had, as in a forked child. */
int fa__helpers_start(int count, void (*function)(void *context, int number), void *context, fa__helper **helper);
/* Waits until these calls have returned. */
void fa__helpers_wait(int count, fa__helper *const *helper);
#endif
