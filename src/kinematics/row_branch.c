/* SPDX-License-Identifier: Apache-2.0
 * One branch alone, in rows; see row_branch.h. */
#include "kinematics/row_branch.h"
#include <string.h>
#include "engine/base_block.h"
#include "engine/extra.h"
#include "kinematics/row_kernels.h"

enum { G8 = CLV_GROUP };

static bool group_in(const clv_plan *p, int group, int section)
{
    return p->section_of[p->bodies[p->strand[p->group[group].strand[0]].first]] == section;
}
static bool strand_in(const clv_plan *p, int strand, int section)
{
    return p->section_of[p->bodies[p->strand[strand].first]] == section;
}
static bool star_in(const clv_plan *p, int star, int section)
{
    return p->section_of[p->star[star].frame] == section;
}

/* the branch of a part: that of a body in it */
static bool part_in(const clv_plan *p, int part, int section)
{
    const clv_part *q = &p->part[part];
    while (clv_part_is_node(q))
        q = &p->part[q->child[0]];
    return q->strand >= 0 ? strand_in(p, q->strand, section) : star_in(p, q->star, section);
}

/* nothing is attached to the rows of a group */
static void clear_group(const clv_rows *w, int group)
{
    for (int r = w->first[group]; r < w->first[group + 1]; r++)
        if (w->attached[r] >= 0) {
            memset(w->I + 21 * G8 * (size_t)w->attached[r], 0, 21 * G8 * sizeof(double));
            memset(w->Q + 6 * G8 * (size_t)w->attached[r], 0, 6 * G8 * sizeof(double));
        }
}

static bool factor_group(clv_rows *w, int group)
{
    w->kernels->velocity_terms(w, group);
    do
        w->kernels->up(w, group, true);
    while (clv_rows_strengthen(w, group));
    return clv_rows_finish(w, group);
}

bool clv_rows_factor_branch(clv_rows *w, int section, int parts)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    bool ok = true;
    for (int g = 0; g < p->ngroup; g++)
        if (group_in(p, g, section))
            clear_group(w, g);
    for (int g = 0; ok && g < p->ngroup; g++)
        ok = !group_in(p, g, section) || factor_group(w, g);
    for (int g = 0; ok && g < p->ngroup; g++)
        if (group_in(p, g, section))
            clv_rows_turn(w, g);
    for (int k = 0; ok && k < p->nstrand; k++)
        ok = p->strand[k].base != CLV_BASE_FREE || !strand_in(p, k, section) ||
             clv_extra_base(e, &p->strand[k], e->base_LD + 36 * (size_t)e->free_base[k], e->out[p->strand[k].group].I);
    for (int k = 0; ok && k < p->nstar; k++)
        ok = !star_in(p, k, section) || clv_star_factor(e, k);
    for (int k = 0; ok && k < parts; k++)
        ok = !part_in(p, k, section) || clv_factor_part(e, k);
    return ok;
}

/* motion of a strand and wrench at its tip, of nothing but what its ports and loads make of it */
static void move_strand(clv_rows *w, int strand)
{
    clv_row_join *s = &w->join[strand];
    memset(s->base, 0, sizeof s->base), memset(s->tip, 0, sizeof s->tip), memset(s->F, 0, sizeof s->F);
    memset(s->base_F, 0, sizeof s->base_F);
    clv_rows_add_motion(w, strand, true);
    clv_rows_give_motion(w, strand);
}

void clv_rows_sweep_branch(clv_rows *w, int section, int parts, const double *tau, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    for (int k = 0; k < p->nstar; k++)
        if (star_in(p, k, section))
            clv_star_up(e, k, tau, c);
    for (int k = 0; k < parts; k++)
        if (part_in(p, k, section))
            clv_solve_part_up(e, k);
    for (int k = parts - 1; k >= 0; k--)
        if (part_in(p, k, section))
            clv_solve_part_down(e, k);
    for (int k = 0; k < p->nstar; k++)
        if (star_in(p, k, section))
            clv_star_down(e, k, c, e->fix_x, u);
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].base != CLV_BASE_FOLD && strand_in(p, k, section))
            move_strand(w, k);
    for (int g = p->ngroup - 1; g >= 0; g--)
        if (group_in(p, g, section))
            clv_rows_descend_group(w, g, true);
}
