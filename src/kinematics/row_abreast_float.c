/* SPDX-License-Identifier: Apache-2.0
 * Bases that float, of mechanisms abreast (T85.6): which they are, and their constants.  Called by row_abreast.c; the
 * numbers are found by row_floats.c. */
#include "kinematics/place.h"
#include "kinematics/row_abreast.h"
#include "math/rotation.h"

enum { G8 = CLV_GROUP };

/* Does the base of a strand stand on ground by a free joint that is passed from there? */
static bool is_float(const clv_rows *w, int strand)
{
    const clv_tree_joint *t = &w->plan->tree[clv_rows_base(w, strand)];
    return clv_rows_floats(w, strand) && t->kind == CLV_JOINT_FREE && t->f == 6 && t->parent < 0 && t->motion < 0 &&
           !t->reversed;
}

void clv_row_abreast_floats_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m)
{
    int n = 0;
    for (int k = 0; k < of->plan->nstrand; k++)
        n += is_float(of, k);
    CLV_TAKE(m, a->floating, n), CLV_TAKE(m, a->float_of, of->plan->nstrand);
    for (int i = 0; i < n; i++) {
        clv_row_float counting, *f = m->base ? &a->floating[i] : &counting;
        CLV_TAKE(m, f->Ea, 9 * G8), CLV_TAKE(m, f->pa, 3 * G8), CLV_TAKE(m, f->Eb, 9 * G8);
        CLV_TAKE(m, f->off, 3 * G8), CLV_TAKE(m, f->H, 36 * G8), CLV_TAKE(m, f->Hd, 36 * G8);
        CLV_TAKE(m, f->V, 6 * G8), CLV_TAKE(m, f->u, 6 * G8);
    }
}

void clv_row_abreast_floats_take(clv_row_abreast *a, const clv_rows *of, int lanes)
{
    a->nfloat = 0, a->float_kernels = clv_float_kernels_of(lanes);
    for (int k = 0; k < of->plan->nstrand; k++) {
        const clv_tree_joint *t = &of->plan->tree[clv_rows_base(of, k)];
        a->float_of[k] = -1;
        if (!is_float(of, k))
            continue;
        clv_row_float *f = &a->floating[a->nfloat];
        f->strand = k, f->iq = t->iq, f->iu = t->iu;
        a->float_of[k] = a->nfloat++;
    }
}

bool clv_row_abreast_floats_same(const clv_row_abreast *a, const clv_rows *w)
{
    for (int k = 0; k < w->plan->nstrand; k++) {
        const clv_tree_joint *t = &w->plan->tree[clv_rows_base(w, k)];
        const int i = a->float_of[k];
        if (is_float(w, k) != (i >= 0) || (i >= 0 && (a->floating[i].iq != t->iq || a->floating[i].iu != t->iu)))
            return false;
    }
    return true;
}

void clv_row_abreast_floats_put(clv_row_abreast *a, int lane, const clv_rows *of)
{
    for (int i = 0; i < a->nfloat; i++) {
        const clv_row_float *f = &a->floating[i];
        const int body = clv_rows_base(of, f->strand);
        const clv_tree_joint *t = &of->plan->tree[body];
        const clv_joint *j = clv_tree_joint_of(of->plan, body);
        const double *com = of->plan->model->body[body].com;
        double off[3];
        clv_sub3(off, com, t->joint < 0 ? com : j->pb); /* an implicit free joint holds the centre of mass */
        clv_row_put(f->Ea + lane, 9, j->Ea), clv_row_put(f->pa + lane, 3, j->pa), clv_row_put(f->Eb + lane, 9, j->Eb);
        clv_row_put(f->off + lane, 3, off);
    }
}
