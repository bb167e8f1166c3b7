/* SPDX-License-Identifier: Apache-2.0
 * Given rates of the start (T14).  The motion nearest in kinetic energy treats rates that the start does not give as
 * zero, so it changes given ones too.  Where joints, loops and couplings leave a motion that has all given rates and
 * velocities, that motion is taken: from the nearest one, the other rates change least (T36).  The nearest motion also
 * gives rates to modes of flexible bodies.  A motion in which modes keep theirs is preferred, as loops of rigid bodies
 * would move. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/tolerance.h"
#include "simulation/sim.h"

/* the tree joint of a body that the start gives a velocity relative to ground, or -1 */
static int grounded_joint(const clv_sim *s, int body)
{
    const clv_tree_joint *t = &s->plan->tree[body];
    return s->model->body[body].moving && t->parent < 0 && t->motion < 0 ? t->joint : -1;
}

/* Does the start give the velocity of a body? */
static bool any_moving(const clv_sim *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        if (s->model->body[b].moving)
            return true;
    return false;
}

/* has_q: the rate u is given, by the joint or by the velocity of its body; u0: rates of the start before projections,
 * which outlive the list */
static bool list_given(const clv_sim *s, const double *u0, clv_joint *given)
{
    bool any = false;
    for (int j = 0; j < s->model->njoint; j++) {
        const int b = s->plan->child_of_joint[j];
        given[j] = s->model->joint[j];
        given[j].has_q = given[j].has_u && (b < 0 || s->plan->tree[b].motion < 0);
        if (b >= 0 && !given[j].has_u && grounded_joint(s, b) == j) {
            given[j].has_q = true;
            given[j].u = u0 + s->plan->tree[b].iu;
        }
        any |= given[j].has_q;
    }
    return any || any_moving(s);
}

/* u: rates of the joints in `given`; the other ones follow.  *met: such a motion was found. */
static clv_status meet(clv_sim *s, const clv_joint *given, double *u, bool *met)
{
    const double size = fmax(1, clv_motion_part(s, s->system.kin.V));
    double left, moved;
    for (int j = 0; j < s->model->njoint; j++) {
        const int b = s->plan->child_of_joint[j];
        if (b >= 0 && given[j].has_q)
            memcpy(u + s->plan->tree[b].iu, given[j].u, (size_t)s->plan->tree[b].nu * sizeof(double));
    }
    s->given = given;
    clv_status st = clv_assemble_rates(s, s->model->begin, s->q, true, u, &left);
    s->given = s->model->joint;
    if (st == CLV_ERR_MEMORY)
        return st;
    *met = st == CLV_OK && left <= CLV_TOL_RATES * size;
    st = clv_system_place(&s->system, s->model->begin, s->q);
    if (st == CLV_OK && *met) {
        clv_project_velocity(s, u, &moved);
        *met = clv_rates_missed(s) <= CLV_TOL_GIVEN * size;
    }
    return st;
}

/* rates of modes as the start gives them */
static void keep_modes(const clv_sim *s, double *u)
{
    for (int i = 0; i < s->plan->nstar; i++)
        memcpy(u + s->plan->star[i].iu, s->model->flex[i].etad, (size_t)s->plan->star[i].nmode * sizeof(double));
}

/* the motion that has the given rates, if there is one with those of the modes; or the one before */
static clv_status choose(clv_sim *s, const clv_joint *given, double *nearest, double *u, bool *met)
{
    double moved;
    memcpy(nearest, u, (size_t)s->plan->nu * sizeof(double));
    for (bool modes = s->plan->nstar > 0;; modes = false) {
        if (modes)
            keep_modes(s, u);
        clv_status st = meet(s, given, u, met);
        if (st != CLV_OK || *met)
            return st;
        memcpy(u, nearest, (size_t)s->plan->nu * sizeof(double));
        if (!modes)
            break;
    }
    clv_project_velocity(s, u, &moved);
    return CLV_OK;
}

/* Do the rates u give a mode another rate than the start does? */
static bool modes_moved(const clv_sim *s, const double *u)
{
    for (int i = 0; i < s->plan->nstar; i++)
        for (int m = 0; m < s->plan->star[i].nmode; m++) {
            const double given = s->model->flex[i].etad[m];
            if (fabs(u[s->plan->star[i].iu + m] - given) > CLV_TOL_RATES * fmax(1, fabs(given)))
                return true;
        }
    return false;
}

/* No rate of a joint is given: from the rates u0 those of the joints change, if loops close without those of modes. */
static clv_status choose_rigid(clv_sim *s, const clv_joint *given, const double *u0, double *nearest, double *u)
{
    const size_t size = (size_t)s->plan->nu * sizeof(double);
    bool met;
    double moved;
    memcpy(nearest, u, size);
    memcpy(u, u0, size);
    keep_modes(s, u);
    clv_status st = meet(s, given, u, &met);
    if (st == CLV_OK && !met) {
        memcpy(u, nearest, size);
        clv_project_velocity(s, u, &moved);
    }
    return st;
}

clv_status clv_start_given(clv_sim *s, const double *u0, double *u, bool *met)
{
    clv_status st = CLV_OK;
    const double least = s->plan->nclosing_row > 0 ? 1e-12 : CLV_TOL_GIVEN;
    const bool bent = s->plan->nclosing_row > 0 && modes_moved(s, u);
    *met = false;
    if (!bent && clv_rates_missed(s) <= least * fmax(1, clv_motion_part(s, s->system.kin.V))) {
        *met = any_moving(s);
        return CLV_OK;
    }
    clv_joint *given = clv_alloc((size_t)s->model->njoint + 1, sizeof *given);
    const size_t nu = (size_t)s->plan->nu;
    double *nearest = clv_alloc(2 * nu + 1, sizeof *nearest);
    if (!given || !nearest)
        st = clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: rates of the start");
    else {
        memcpy(nearest + nu, u0, nu * sizeof *u0);
        if (list_given(s, nearest + nu, given))
            st = choose(s, given, nearest, u, met);
        else if (bent)
            st = choose_rigid(s, given, nearest + nu, nearest, u);
    }
    clv_free(given), clv_free(nearest);
    return st;
}
