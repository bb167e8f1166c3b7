/* SPDX-License-Identifier: Apache-2.0
 * Couplings of a robot (T98): joints that follow others by a ratio or a polynomial, sums of coordinates, and joints
 * that an equality holds. */
#include "io/import.h"

static void add_coupling(clv_import *I, const clv_coupling_desc *d, unsigned node)
{
    int index;
    if (clv_robot_made(I, clv_model_add_coupling(I->m, &index, d), node))
        I->m->coupling[index].place = clv_robot_place(I, node);
}

void clv_robot_couple(clv_import *I, const char *name, unsigned node, int first, int second, double ratio,
                      double offset)
{
    clv_coupling_desc d = clv_coupling_desc_default();
    d.name = name;
    d.first = first;
    d.second = second;
    d.ratio = ratio;
    d.offset = offset;
    add_coupling(I, &d, node);
}

static bool is_curved(const clv_gear *g)
{
    return g->polynomial[2] != 0 || g->polynomial[3] != 0 || g->polynomial[4] != 0;
}

static void make_curve(clv_import *I, const clv_gear *g)
{
    clv_coupling_desc d = clv_coupling_desc_default();
    d.name = g->name;
    d.first = I->rod[g->first].joint;
    d.second = I->rod[g->second].joint;
    d.npolynomial = 5;
    d.polynomial = g->polynomial;
    add_coupling(I, &d, g->node);
}

static void add_terms(const clv_import *I, clv_coupling_desc *d, clv_coupling_term *term, const clv_cord *c,
                      double factor)
{
    for (int i = 0; i < c->n; i++) {
        const int joint = I->rod[c->of[i]].joint;
        int k = 0;
        while (k < d->nterm && term[k].joint != joint)
            k++;
        if (k == d->nterm)
            term[d->nterm++] = (clv_coupling_term){joint, 0};
        term[k].factor += factor * c->factor[i];
    }
}

/* sums of coordinates held to one another */
static void make_sum(clv_import *I, const clv_gear *g)
{
    clv_coupling_term term[2 * CLV_COUPLING_MOST] = {{0}};
    clv_coupling_desc d = clv_coupling_desc_default();
    int n = 0;
    add_terms(I, &d, term, &I->cord[g->second], 1);
    if (g->first >= 0)
        add_terms(I, &d, term, &I->cord[g->first], -g->ratio);
    for (int i = 0; i < d.nterm; i++)
        if (term[i].factor != 0)
            term[n++] = term[i];
    d.name = g->name;
    d.nterm = n;
    d.term = term;
    d.offset = g->offset;
    if (n > 0)
        add_coupling(I, &d, g->node);
}

void clv_robot_gear(clv_import *I, const clv_gear *g)
{
    clv_motion_desc d = clv_motion_desc_default();
    int index;
    if (g->of_cords) {
        make_sum(I, g);
        return;
    }
    if (g->first >= 0 && is_curved(g)) {
        make_curve(I, g);
        return;
    }
    if (g->first >= 0) {
        clv_robot_couple(I, g->name, g->node, I->rod[g->first].joint, I->rod[g->second].joint, g->ratio, g->offset);
        return;
    }
    d.name = g->name;
    d.joint = I->rod[g->second].joint;
    d.offset = g->offset;
    if (clv_robot_made(I, clv_model_add_motion(I->m, &index, &d), g->node))
        I->m->motion[index].place = clv_robot_place(I, g->node);
}
