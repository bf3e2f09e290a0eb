/* Shared by the files of meters. */
#ifndef FA__TRAIN_METER_H
#define FA__TRAIN_METER_H
#include <facula/scope.h>
#include <facula/train.h>

/* A kind of meter. Its functions run in a scope, without recording. */
typedef struct fa__meter_kind {
    const char *name; /* name such as "means", for messages */
    bool classes;     /* it compares logits with targets */
    /* Adds to the sum, and creates it if there is none. */
    bool (*update)(fa_meter *meter, fa_arg value, const fa_meter_update_options *options);
    double (*value)(const fa_meter *meter);      /* only called if there is a sum */
    fa_tensor *(*tensor)(const fa_meter *meter); /* only called if there is a sum */
    fa_tensor *(*table)(const fa_meter *meter);  /* NULL: no table */
} fa__meter_kind;

struct fa_meter {
    fa_object base;
    const fa__meter_kind *kind;
    fa_tensor *sum;                 /* the accumulated values; NULL: none yet */
    int64_t top_k, classes, ignore; /* for kinds that compare logits with targets */
};

/* NULL and an error if memory runs out. */
fa_meter *fa__meter_new(const fa__meter_kind *kind);
/* Replaces the sum; NULL: none. */
void fa__meter_holds(fa_meter *meter, fa_tensor *sum);
#endif
