/* SPDX-License-Identifier: Apache-2.0
 * Units of numbers in model files: names, dimensions, and how a decimal number with a unit becomes SI.
 *
 * A unit is a product of names, as `kN`, `kg m^2`, `N m/rad`, `kg/(m s)`.  Blanks or `*` are between factors, `/`
 * before a factor or a bracket that divides, `^` before a whole power.  Powers of ten move the decimal exponent of the
 * number before it is read, so `300 mm` has the bits of `0.3`.  Angles count as a dimension of their own, for checks
 * only: `rad` is 1 in SI. */
#ifndef CLV_IO_UNIT_H
#define CLV_IO_UNIT_H
#include <stdbool.h>
#include <stddef.h>

enum { CLV_METRE, CLV_KILOGRAM, CLV_SECOND, CLV_RADIAN, CLV_BASES };

/* Twice the powers of m, kg, s, rad: roots of even powers stay whole. */
typedef struct clv_dimension {
    int of[CLV_BASES];
} clv_dimension;

/* Value in SI: number * 10^ten * times / over. */
typedef struct clv_unit {
    clv_dimension dimension;
    int ten;
    double times, over;
} clv_unit;

enum { CLV_UNIT_TEXT = 64, CLV_LITERAL = 1000 /* characters of a number with a unit */ };

/* The name nearest to a misspelt one, or NULL. */
const char *clv_unit_nearest(const char *name);

/* Reads the unit at the start of a text, as far as it is one; *used is its length, 0 if there is none.  `behind`:
 * behind a number of a formula.  There `*` and brackets belong to the formula, and so does a `/` with blanks or with
 * anything but the name of a unit behind it.  False: a power is no whole number of at most 9. */
bool clv_unit_read(const char *text, bool behind, clv_unit *unit, size_t *used);
/* Reads a text that is a unit and nothing else. */
bool clv_unit_whole(const char *text, clv_unit *unit);
/* The number written at `text` (`length` characters: decimal, with or without exponent) in that unit, in SI; decimal
 * point as in the locale "C".  Infinity if it is too large, NaN if it has more than CLV_LITERAL characters. */
double clv_unit_scale(const char *text, size_t length, const clv_unit *unit);
/* The same for a number that is known, by its shortest decimal; and back from SI. */
double clv_unit_times(double x, const clv_unit *unit);
double clv_unit_back(double x, const clv_unit *unit);

bool clv_dimension_none(const clv_dimension *d); /* a pure number */
/* Does a value of dimension d fit where `wanted` is expected?  Angles are pure numbers, so rad may be there or not,
 * unless one of the two is nothing but an angle. */
bool clv_dimension_fits(const clv_dimension *d, const clv_dimension *wanted);
/* Its unit in SI, as "kg m^2". */
void clv_dimension_text(const clv_dimension *d, char text[CLV_UNIT_TEXT]);

#endif
