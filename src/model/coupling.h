/* SPDX-License-Identifier: Apache-2.0
 * Couplings of joints: what a term of one is at a coordinate, and its derivatives (T98); see coupling.c. */
#ifndef CLV_MODEL_COUPLING_H
#define CLV_MODEL_COUPLING_H
#include "model/model.h"

/* Has term i a polynomial or a table? */
static inline bool clv_coupling_curved(const clv_coupling *c, int i)
{
    return i == 1 && (c->npolynomial > 0 || c->table.n > 0);
}
/* f(q), f'(q), f''(q) of term i; the coupling holds: sum of f = offset.  Of prepared couplings. */
void clv_coupling_term_at(const clv_coupling *c, int i, double q, double f[3]);
/* f'''(q) of it; at a point of a table that of the piece after it. */
double clv_coupling_third_at(const clv_coupling *c, int i, double q);
/* Second derivatives of a series that repeats from its last to its first point; false: out of memory. */
bool clv_series_prepare_cyclic(clv_series *s);
/* Those of its table at the points; false: out of memory. */
bool clv_coupling_prepare(clv_coupling *c);
void clv_coupling_free(clv_coupling *c);
/* The rules of one coupling, and of all of them beside motions; driver: (njoint) motion + 1 of a joint, 0: none
 * (validate_coupling.c). */
void clv_model_validate_coupling(clv_model *m, int coupling);
void clv_model_validate_couplings(clv_model *m, const int *driver);

#endif
