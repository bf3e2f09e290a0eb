/* What the files of meters share. */
#ifndef FA__TRAIN_METER_H
#define FA__TRAIN_METER_H
#include <facula/scope.h>
#include <facula/train.h>

/* A kind of meter: its functions run in a scope, without recording. */
typedef struct fa__meter_kind {
    const char *name; /* "means", for messages */
    bool classes;     /* it compares logits with targets */
    /* Adds to the sum, which it makes when there is none. */
    bool (*update)(fa_meter *meter, fa_arg value, const fa_meter_update_options *options);
    double (*value)(const fa_meter *meter);      /* there is a sum */
    fa_tensor *(*tensor)(const fa_meter *meter); /* there is a sum */
    fa_tensor *(*table)(const fa_meter *meter);  /* NULL: it has none */
} fa__meter_kind;

struct fa_meter {
    fa_object base;
    const fa__meter_kind *kind;
    fa_tensor *sum;                 /* what was added up; NULL: nothing yet */
    int64_t top_k, classes, ignore; /* of what compares with targets */
};

/* NULL and an error without memory. */
fa_meter *fa__meter_new(const fa__meter_kind *kind);
/* Its sum is this one from now on, or none. */
void fa__meter_holds(fa_meter *meter, fa_tensor *sum);
#endif
