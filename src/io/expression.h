/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic in model files: `2*l + 300 mm`.  A recursive descent over the text, without allocation; all functions are
 * of this library or exact by IEEE 754, so every machine computes the same bits.
 *
 *     sum     = product { (+|-) product }
 *     product = sign { (*|/) sign }
 *     sign    = [+|-] sign | power
 *     power   = atom [ (^|**) sign ]                 -2^2 = -4, 2^3^2 = 2^9
 *     atom    = decimal [unit] | name | name(sum, ...) | (sum)
 *
 * Every value carries what is known of its unit.  A number written without one adds to anything, and is a pure number
 * in products; a name without one (FREE) fits everywhere. */
#ifndef CLV_IO_EXPRESSION_H
#define CLV_IO_EXPRESSION_H
#include "io/unit.h"

enum {
    CLV_EXPRESSION_MOST = CLV_LITERAL, /* characters */
    CLV_EXPRESSION_DEEP = 100
}; /* nested brackets, signs, powers, and parameters of parameters */

typedef enum clv_unit_state { CLV_BARE, CLV_FREE, CLV_WITH_UNIT } clv_unit_state;

typedef struct clv_quantity {
    double x; /* SI, finite */
    clv_unit_state state;
    clv_dimension dimension; /* state CLV_WITH_UNIT */
} clv_quantity;

typedef struct clv_expression_fault {
    size_t at;  /* byte of the text       */
    bool vague; /* only "unexpected ..."  */
    bool told;  /* reported where a name is defined: say nothing */
    char text[160], hint[160];
} clv_expression_fault;

/* What names stand for: fills *q, or refuses with the fault's text and hint; depth: of the brackets around the name. */
typedef struct clv_scope {
    bool (*find)(void *user, const char *name, int depth, clv_quantity *q, clv_expression_fault *f);
    void *user;
} clv_scope;

/* Value of a text; false after a fault.  depth: 0, or what clv_scope's find was given. */
bool clv_expression_read(const char *text, const clv_scope *scope, int depth, clv_quantity *q, clv_expression_fault *f);

/* Characters of a decimal number at the start of t: sign (if `sign`), digits with one point, exponent; 0: none. */
size_t clv_decimal(const char *t, bool sign);
/* Is a name taken by a constant or a function?  (pi, sin, ...) */
bool clv_expression_reserved(const char *name);
/* The function or constant nearest to a name, or NULL. */
const char *clv_expression_nearest(const char *name);

/* expression_function.c: one function or constant by its name; `at` is where it stands. */
typedef struct clv_function_row {
    const char *name;
    int least, most; /* arguments */
} clv_function_row;
extern const clv_function_row clv_function_table[];
int clv_function_find(const char *name); /* row, or -1 */
bool clv_function_value(int row, const clv_quantity *x, int n, clv_quantity *q, clv_expression_fault *f);
bool clv_power_value(const clv_quantity *x, const clv_quantity *y, clv_quantity *q, clv_expression_fault *f);
/* Sum, difference, least, ... of two: the unit that both can have in *q; false if there is none. */
bool clv_quantity_alike(const clv_quantity *a, const clv_quantity *b, clv_quantity *q);
bool clv_expression_fail(clv_expression_fault *f, size_t at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
