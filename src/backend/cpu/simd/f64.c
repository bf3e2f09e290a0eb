/* The loops of class f64. */
#include "convert.h"
#include "larger.h"
#include "math.inc"
#include "math64.inc"
#include "rounding.inc"
#include "simd.h"
#include "wide.inc"
#include "wide64.inc"

ROUNDING_F32
ROUNDING_F64

/* Need what stands above. */
#include "elementary.inc"
#include "special.inc"

/* Need what stands above. */
#include "bessel.inc"
#include "normal.inc"

/* Needs normal.inc. */
#include "incomplete.inc"

typedef f64 T;
typedef i64 INTEGER;
#define CLASS f64
#define BITS 64
#define CAPITALS F64
#define OWN_DTYPE FA_F64
#define FLOATING 1

#include "class_f64.inc"

#include "power.inc"
#include "quotient.inc"
#include "sine.inc"

/* Uses what stands above. */
#include "class.inc"
