/* SPDX-License-Identifier: Apache-2.0
 * What motions and multipliers leave of the equations of the mass-matrix baseline (T18), see massmatrix.h. */
#include "formulation/massmatrix.h"
#include "math/spatial.h"
#include <string.h>

/* wrenches of the closings on their bodies, in the places P of the rows */
static void attach_multipliers(clv_system *s)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    memset(w->P, 0, 6 * CLV_GROUP * (size_t)w->nattached * sizeof(double));
    for (int k = 0; k < p->nstar; k++)
        for (int i = 0; i <= s->model->flex[k].nnode; i++)
            memset(w->star[k].hold[i].P, 0, sizeof w->star[k].hold[i].P);
    for (int k = 0; k < p->nedge; k++)
        for (int h = 0; clv_edge_closes(&p->edge[k]) && h < p->edge[k].nhandle; h++) {
            const clv_edge *e = &p->edge[k];
            double W[6] = {0};
            for (int r = 0; r < e->m; r++)
                for (int i = 0; i < 6; i++)
                    W[i] += s->engine.block[e->block[h] + 6 * r + i] * s->lambda[e->row + r];
            clv_rows_attach(w, w->P, e->body[h], W);
        }
}

/* g of the closings less what the motions give */
static void measure_rows(const clv_system *s, double *g)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nedge; k++)
        for (int h = 0; clv_edge_closes(&p->edge[k]) && h < p->edge[k].nhandle; h++) {
            const clv_edge *e = &p->edge[k];
            double x[6];
            clv_rows_motion(&s->rows, e->body[h], x);
            for (int r = 0; r < e->m; r++)
                g[e->row + r] = (h == 0 ? s->a[e->row + r] : g[e->row + r]) -
                                clv_dot6(s->engine.block + e->block[h] + 6 * r, x);
        }
}

void clv_massmatrix_list_rotors(clv_system *s)
{
    clv_massmatrix *d = s->private_state;
    const clv_plan *p = s->plan;
    if (d->listed)
        return;
    d->listed = true, d->rotors = p->narmed > 0;
    for (int i = 0; d->rotors && i < d->mass.n; i++) {
        const int k = d->mass.unknown[i], b = d->mass.owner[i], c = b >= 0 ? -1 - k - p->tree[b].iu : -1;
        d->rotor[i] = k >= 0 ? s->rows.stiff[k] : b >= 0 ? clv_armature_of(p, b, c) : 0.0;
    }
}

void clv_massmatrix_leave(clv_system *s, const double *tau, const double *c, bool compose)
{
    clv_massmatrix *d = s->private_state;
    clv_row_mass_ride(&d->mass, d->z, c);
    attach_multipliers(s);
    clv_row_mass_sums(&d->mass, tau, d->z, compose, d->left);
    for (int i = 0; d->rotors && i < d->mass.n; i++)
        d->left[i] -= d->rotor[i] * d->z[i];
    measure_rows(s, d->g);
}
