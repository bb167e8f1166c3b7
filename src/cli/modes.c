/* SPDX-License-Identifier: Apache-2.0
 * Modes of flexible bodies; see modes.h. */
#include "cli/modes.h"
#include "base/memory.h"
#include "math/sincos.h"
#include "flexible/flex_body.h"
#include "model/model.h"
#include <math.h>

double *clv_modes_frequencies(const clv_model *m)
{
    size_t total = 0, most = 0;
    for (int i = 0; i < m->nflex; ++i) {
        const size_t n = (size_t)m->flex[i].nmode;
        total += n;
        most = n > most ? n : most;
    }
    double *hz = clv_alloc(total + 4 * most * most + 1, sizeof *hz), *at = hz;
    for (int i = 0; hz && i < m->nflex; ++i) {
        const size_t n = (size_t)m->flex[i].nmode;
        const bool good = clv_flex_frequencies(at, &m->flex[i], hz + total); /* not of modal mass that is indefinite */
        for (size_t k = 0; k < n; ++k)
            at[k] = good ? at[k] / (2 * CLV_PI) : NAN;
        at += n;
    }
    return hz;
}

void clv_modes_print(const clv_model *m, const double *hz)
{
    enum { MOST = 8 };
    for (int i = 0; i < m->nflex; ++i) {
        const clv_flex *f = &m->flex[i];
        printf("%-22s%s: %d mode%s of", i == 0 ? "flexible" : "", clv_model_body_name(m, f->body), f->nmode,
               f->nmode == 1 ? "" : "s");
        for (int k = 0; k < f->nmode && k < MOST; ++k)
            printf(" %.4g", hz[k]);
        if (f->nmode > MOST)
            printf(" ... %.4g", hz[f->nmode - 1]);
        if (f->limit > 0)
            printf(" Hz, spin rate at most %.4g rad/s\n", f->limit);
        else
            printf(" Hz, no spin-rate limit\n");
        hz += f->nmode;
    }
}

void clv_modes_json(clv_json *j, const clv_model *m, const double *hz)
{
    clv_json_object(j, "flexible");
    for (int i = 0; i < m->nflex; hz += m->flex[i].nmode, ++i) {
        const clv_flex *f = &m->flex[i];
        clv_json_object(j, clv_model_body_name(m, f->body));
        clv_json_numbers(j, "frequencies", hz, f->nmode);
        clv_json_number(j, "spin_limit", f->limit);
        clv_json_end(j);
    }
    clv_json_end(j);
}
