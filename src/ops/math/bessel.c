/* Bessel functions of order 0 and 1. Each is one expression; integers and bool give f32. */
#include "dispatch/row.h"

/* ---- modified Bessel functions of the first kind ---- */

/** The modified Bessel function of the first kind of order 0. It is infinite at infinities, where PyTorch gives NaN. */
POINTWISE(i0, (x), y = i0(x), TORCH("special.i0(x)"), ALSO("`modified_bessel_i0`"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** The exponentially scaled fa_i0(): exp(-|x|) * i0(x), which does not overflow. */
POINTWISE(i0e, (x), y = i0e(x), TORCH("special.i0e(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/** The modified Bessel function of the first kind of order 1. It is infinite at infinities, where PyTorch gives NaN. */
POINTWISE(i1, (x), y = i1(x), TORCH("special.i1(x)"), ALSO("`modified_bessel_i1`"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** The exponentially scaled fa_i1(): exp(-|x|) * i1(x), which does not overflow. */
POINTWISE(i1e, (x), y = i1e(x), TORCH("special.i1e(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

/* ---- modified Bessel functions of the second kind ---- */

/** The modified Bessel function of the second kind of order 0. Infinity at 0, NaN for negative x. */
POINTWISE(modified_bessel_k0, (x), y = modified_bessel_k0(x), TORCH("special.modified_bessel_k0(x)"),
          SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The modified Bessel function of the second kind of order 1. Infinity at 0, NaN for negative x. */
POINTWISE(modified_bessel_k1, (x), y = modified_bessel_k1(x), TORCH("special.modified_bessel_k1(x)"),
          SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The exponentially scaled fa_modified_bessel_k0(): exp(x) * k0(x), which does not underflow for large x. */
POINTWISE(scaled_modified_bessel_k0, (x), y = scaled_modified_bessel_k0(x),
          TORCH("special.scaled_modified_bessel_k0(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/** The exponentially scaled fa_modified_bessel_k1(): exp(x) * k1(x), which does not underflow for large x. */
POINTWISE(scaled_modified_bessel_k1, (x), y = scaled_modified_bessel_k1(x),
          TORCH("special.scaled_modified_bessel_k1(x)"), SAMPLES("p(3,4); p(); (0,2); n(9)"))

/* ---- Bessel functions of the first and second kind ---- */

/** The Bessel function of the first kind of order 0. It is 0 at infinities, where PyTorch gives NaN. */
POINTWISE(bessel_j0, (x), y = bessel_j0(x), TORCH("special.bessel_j0(x)"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** The Bessel function of the first kind of order 1. It is 0 at infinities, where PyTorch gives NaN. */
POINTWISE(bessel_j1, (x), y = bessel_j1(x), TORCH("special.bessel_j1(x)"), SAMPLES("(3,4); (); (0,2); t(5)"))

/** The Bessel function of the second kind of order 0. -infinity at 0, NaN for negative x; 0 at infinity, where PyTorch
 *  gives NaN. */
POINTWISE(bessel_y0, (x), y = bessel_y0(x), TORCH("special.bessel_y0(x)"), SAMPLES("p(3,4); p(); (0,2); a(5)"))

/** The Bessel function of the second kind of order 1. -infinity at 0, NaN for negative x; 0 at infinity, where PyTorch
 *  gives NaN. */
POINTWISE(bessel_y1, (x), y = bessel_y1(x), TORCH("special.bessel_y1(x)"), SAMPLES("p(3,4); p(); (0,2); a(5)"))

/** The spherical Bessel function of the first kind of order 0: sin(x) / x; 1 at 0, 0 at infinities. */
POINTWISE(spherical_bessel_j0, (x), z = x * x; s = z * 1.6059043836821613e-10 - 2.505210838544172e-08;
          s = s * z + 2.7557319223985893e-06; s = s * z - 0.0001984126984126984; s = s * z + 0.008333333333333333;
          s = s * z - 0.16666666666666666; s = s * z + 1;
          y = abs(x) < 0.5    ? s
              : abs(x) == inf ? 0
                              : sin(x) / x,
          TORCH("special.spherical_bessel_j0(x)"), SAMPLES("(3,4); (); (0,2); n(9)"))

#include "bessel.rows"
