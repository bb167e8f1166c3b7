/* SPDX-License-Identifier: Apache-2.0
 * Strands of a mechanism with loops (T43.4).  What they show is rotated to global axes; nodes join them and close the
 * loops (T5).  Motions of bases and wrenches at tips go back.  Flexible bodies are parts of the nodes (star.c).
 *
 * A row that the solution misses by more than rounding is met by a second solution of the nodes with what is missing on
 * the right-hand side.  The motions of ports say what is missing, so the strands are passed once. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/base_block.h"
#include "engine/extra.h"
#include "kinematics/row_branch.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

/* Drives of joints with rotors are right-hand sides of their rows (T113): as loads they would cancel against them. */
static void drive_rotors(clv_engine *e, const double *tau)
{
    const clv_plan *p = e->plan;
    for (int i = 0; i < p->narmed; i++) {
        const clv_tree_joint *t = &p->tree[p->armed[i]];
        for (int c = 0; t->edge >= 0 && c < t->f; c++) {
            const int row = clv_edge_rotor(p, &p->edge[t->edge], c);
            if (row >= 0)
                e->a[p->edge[t->edge].row + row] += tau[t->iu + c] / sqrt(clv_armature_of(p, p->armed[i], c));
        }
    }
}

/* right-hand sides of all rows: D^T c of joints between strands, a of closings; drives tau (nu) or NULL */
static void row_values(clv_engine *e, const double *tau, const double *c, const double *a)
{
    const clv_plan *p = e->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        for (int j = 0; j < edge->m; j++)
            if (edge->tree_body < 0)
                e->a[edge->row + j] = a ? a[edge->row + j] : 0.0;
            else
                e->a[edge->row + j] =
                    c ? clv_dot6(e->block + edge->block[0] + 6 * j, c + 6 * (size_t)edge->tree_body) : 0.0;
    }
    if (tau)
        drive_rotors(e, tau);
    memcpy(e->row_value, e->a, (size_t)p->nsigma * sizeof(double));
}

/* turns what the strands of a group show, but for limbs, which have folded already and stay in their axes */
void clv_rows_turn(const clv_rows *w, int group)
{
    if (w->global)
        return;
    const clv_group *g = &w->plan->group[group];
    const clv_strand_out *o = &w->engine->out[group];
    double I[G8][21], p[G8][6];
    int limbs = 0;
    for (int l = 0; l < g->nstrand; l++) {
        if (w->plan->strand[g->strand[l]].base != CLV_BASE_FOLD)
            continue;
        clv_lane_get(o->I, 21, l, I[l]), clv_lane_get(o->p, 6, l, p[l]);
        limbs++;
    }
    if (limbs < g->nstrand)
        w->kernels->turn(w, group);
    for (int l = 0; l < g->nstrand && limbs < g->nstrand; l++) {
        if (w->plan->strand[g->strand[l]].base != CLV_BASE_FOLD)
            continue;
        for (int i = 0; i < 21; i++)
            o->I[i * G8 + l] = I[l][i]; /* NOLINT(clang-analyzer-core.uninitialized.Assign): the same lanes */
        for (int i = 0; i < 6; i++)
            o->p[i * G8 + l] = p[l][i];
    }
}

static void turn_group(void *of, int group) { clv_rows_turn(of, group); }

bool clv_rows_show(clv_rows *w)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    clv_rows_all(w, turn_group, w);
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].base == CLV_BASE_FREE &&
            !clv_extra_base(e, &p->strand[k], e->base_LD + 36 * (size_t)e->free_base[k],
                            e->out[p->strand[k].group].I)) {
            e->failed_body = p->bodies[p->strand[k].first];
            return false;
        }
    for (int k = 0; k < p->nstar; k++)
        if (!clv_star_factor(e, k)) {
            e->failed_body = p->star[k].frame;
            return false;
        }
    return clv_factor_loops(e);
}

/* what the wrenches at the ports of a strand, and its loads, make of base and tip; added */
void clv_rows_add_motion(clv_rows *w, int strand, bool loaded)
{
    const clv_plan *p = w->plan;
    const clv_engine *e = w->engine;
    const clv_strand *s = &p->strand[strand];
    const clv_strand_out *o = &e->out[s->group];
    const double *K = o->K + s->lane;
    const bool columns = s->columns;
    double F[6] = {0}, x[6] = {0}, tip[6] = {0};
    if (s->part >= 0) {
        const double *T = clv_part_T(e, s->part);
        if (columns)
            memcpy(F, T + 6 * p->part[s->part].nport - 6, sizeof F);
        if (s->base_port || !columns)
            memcpy(x, T, sizeof x);
    }
    if (s->base == CLV_BASE_FREE)
        clv_add6(w->join[strand].base_F, x);
    for (int i = 0; i < 6 && s->base == CLV_BASE_FREE; i++) {
        x[i] += loaded ? o->p[i * G8 + s->lane] : 0.0;
        for (int j = 0; columns && j < 6; j++)
            x[i] += K[(6 * j + i) * G8] * F[j];
    }
    if (s->base == CLV_BASE_FREE)
        clv_base_solve(e->base_LD + 36 * (size_t)e->free_base[strand], x);
    else
        memset(x, 0, sizeof x);
    for (int j = 0; columns && j < 6; j++) {
        tip[j] = loaded ? o->t[j * G8 + s->lane] : 0.0;
        for (int i = 0; i < 6; i++)
            tip[j] += K[(6 * j + i) * G8] * x[i] + o->L[CLV_SYM[i][j] * G8 + s->lane] * F[i];
    }
    clv_row_join *to = &w->join[strand];
    clv_add6(to->base, x), clv_add6(to->tip, columns ? tip : x), clv_add6(to->F, F);
}

/* loads of flexible bodies, nothing solved yet */
static void begin_stars(clv_rows *w, const double *tau, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    for (int k = 0; k < p->nstar; k++) {
        const size_t n = (size_t)p->star[k].nmode;
        for (int i = 0; i <= p->model->flex[k].nnode; i++) {
            clv_row_hold *hold = &w->star[k].hold[i];
            memset(hold->x, 0, sizeof hold->x);
            memcpy(e->star_load + 6 * (size_t)(p->star[k].frame + i), hold->Q, sizeof hold->Q);
        }
        memset(u + p->star[k].iu, 0, n * sizeof(double));
        if (tau)
            clv_star_up(e, k, tau, c);
    }
}

/* Adds the motions of all bodies of a flexible body and its modal unknowns by the wrenches at its ports, and if
 * `loaded` by its loads and biases.  Corrections are added to what is there: they are small, and so is what they round.
 */
static void move_star(clv_rows *w, int star, bool loaded, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    const clv_star *s = &p->star[star];
    clv_engine *e = w->engine;
    if (!loaded)
        memset(e->room[star].z, 0, (size_t)(s->nmode + 6) * sizeof(double));
    clv_star_down(e, star, loaded ? c : NULL, e->fix_x, e->fix_u);
    for (int m = s->iu; m < s->iu + s->nmode; m++)
        u[m] += e->fix_u[m]; /* NOLINT(clang-analyzer-core.NullDereference): not NULL where stars are */
    for (int i = 0; i <= p->model->flex[star].nnode; i++)
        clv_add6(w->star[star].hold[i].x, e->fix_x + 6 * (size_t)(s->frame + i));
}

/* A step for all strands but limbs, group by group. */
typedef struct strand_work {
    clv_rows *w;
    bool loaded;
} strand_work;

static void add_motions(void *of, int group)
{
    const strand_work *x = of;
    const clv_group *g = &x->w->plan->group[group];
    for (int l = 0; l < g->nstrand; l++)
        if (x->w->plan->strand[g->strand[l]].base != CLV_BASE_FOLD)
            clv_rows_add_motion(x->w, g->strand[l], x->loaded);
}

/* solves all nodes for the rows e->a, and adds to the motions of ports; loads of strands, of flexible bodies, biases c
 * of links */
static void add_solution(clv_rows *w, bool loaded, bool stars_loaded, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    for (int k = 0; k < p->npart; k++)
        if (!clv_part_is_node(&p->part[k]) && !(p->part[k].star >= 0 ? stars_loaded : loaded))
            memset(clv_part_x0(e, k), 0, 6 * (size_t)p->part[k].nport * sizeof(double));
    clv_parts_up(e, loaded);
    clv_parts_down(e);
    clv_rows_all(w, add_motions, &(strand_work){w, loaded});
    for (int k = 0; k < p->nstar; k++)
        move_star(w, k, stars_loaded, c, u);
}

static const double *port_motion(const clv_rows *w, int body)
{
    const int k = w->strand_of[body];
    if (clv_row_hold_of(w, body))
        return clv_row_hold_of(w, body)->x;
    const clv_strand *s = &w->plan->strand[k];
    const bool base = s->base == CLV_BASE_FREE && w->plan->bodies[s->first] == body;
    return base ? w->join[k].base : w->join[k].tip;
}

/* row j of an edge: what is missing, at the motions v of its handles, and the size of what it compares */
static double missing(const clv_engine *e, const clv_edge *edge, int j, const double *const *v, double *size)
{
    double r = e->row_value[edge->row + j];
    *size = fabs(r);
    if (j >= edge->m - edge->yields) /* T26, T113 */
        r -= e->eps[edge->row + j] * e->sigma[edge->row + j];
    for (int h = 0; h < edge->nhandle; h++) {
        const double *B = e->block + edge->block[h] + 6 * j;
        r -= clv_dot6(B, v[h]);
        for (int q = 0; q < 6; q++)
            *size += fabs(B[q] * v[h][q]);
    }
    return r;
}

/* Largest residual of the rows of an edge beside the largest motion that they compare, in units of their scales; e->a:
 * what is missing (T136). */
static double residual_of(const clv_rows *w, int from, int to)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    double worst = 0;
    for (int k = from; k < to; k++) {
        const clv_edge *edge = &p->edge[k];
        const double *v[CLV_HANDLES];
        double missed = 0, most = 0, size;
        for (int h = 0; h < edge->nhandle; h++)
            v[h] = port_motion(w, edge->body[h]);
        for (int row = edge->row; row < edge->row + edge->m; row++) {
            e->a[row] = missing(e, edge, row - edge->row, v, &size);
            missed = fmax(missed, fabs(e->a[row]) / e->scale[row]), most = fmax(most, size / e->scale[row]);
        }
        if (missed > worst * most)
            worst = missed / most;
    }
    return worst;
}

double clv_rows_residual(const clv_rows *w) { return clv_rows_worst(w, residual_of); }

static void refine(clv_rows *w, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    double worst = clv_rows_residual(w);
    for (int k = 0; k < 2 && worst > CLV_TOL_ROW; k++) {
        const double before = worst;
        memcpy(e->fix_sigma, e->sigma, (size_t)p->nsigma * sizeof(double));
        add_solution(w, false, false, c, u);
        for (int i = 0; i < p->nsigma; i++)
            e->sigma[i] += e->fix_sigma[i];
        worst = clv_rows_residual(w);
        if (worst > 0.1 * before)
            break;
    }
}

static void begin_group(void *of, int group)
{
    const clv_rows *w = of;
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        clv_row_join *s = &w->join[w->plan->group[group].strand[l]];
        memset(s->base, 0, sizeof s->base), memset(s->tip, 0, sizeof s->tip), memset(s->F, 0, sizeof s->F);
        memset(s->base_F, 0, sizeof s->base_F);
    }
}

static void begin_solution(clv_rows *w) { clv_rows_all(w, begin_group, w); }

/* motion of the base and wrench at the tip of a strand for the way down */
void clv_rows_give_motion(const clv_rows *w, int strand)
{
    const clv_strand *s = &w->plan->strand[strand];
    const clv_strand_out *o = &w->engine->out[s->group];
    double R[9], x[6], F[6];
    clv_rows_strand_axes(w, strand, R);
    for (int h = 0; h < 6; h += 3) {
        clv_mat3_transpose_times(x + h, R, w->join[strand].base + h);
        clv_mat3_transpose_times(F + h, R, w->join[strand].F + h);
    }
    for (int i = 0; i < 6; i++)
        o->x[i * G8 + s->lane] = x[i], o->F[i * G8 + s->lane] = F[i];
}

static void give_group(void *of, int group)
{
    const clv_rows *w = of;
    const clv_group *g = &w->plan->group[group];
    for (int l = 0; l < g->nstrand; l++)
        if (w->plan->strand[g->strand[l]].base != CLV_BASE_FOLD)
            clv_rows_give_motion(w, g->strand[l]);
}

static void give_solution(clv_rows *w) { clv_rows_all(w, give_group, w); }

void clv_rows_close(clv_rows *w, const double *tau, const double *c, const double *a, double *u)
{
    row_values(w->engine, tau, c, a);
    begin_stars(w, tau, c, u);
    begin_solution(w);
    add_solution(w, tau != NULL, tau != NULL, c, u);
    refine(w, c, u);
    give_solution(w);
}

void clv_rows_close_once(clv_rows *w, double *u)
{
    begin_stars(w, NULL, NULL, u);
    for (int k = 0; k < w->plan->nstar; k++)
        clv_star_up(w->engine, k, NULL, NULL);
    begin_solution(w);
    add_solution(w, true, true, NULL, u);
    give_solution(w);
}

void clv_rows_edge_momenta(clv_rows *w, const clv_kinematics *k, const double *sigma)
{
    const clv_plan *p = w->plan;
    const clv_engine *e = w->engine;
    for (int i = 0; i < p->nedge; i++)
        for (int h = 0; h < p->edge[i].nhandle; h++) {
            const clv_edge *edge = &p->edge[i];
            double W[6] = {0};
            if (edge->body[h] == edge->tree_body)
                continue;
            for (int j = 0; j < edge->m; j++)
                for (int n = 0; n < 6; n++)
                    W[n] -= e->block[edge->block[h] + 6 * j + n] * sigma[edge->row + j];
            clv_rows_attach(w, w->P, edge->body[h], W);
        }
    for (int i = 0; i < w->npiece; i++) {
        const int base = clv_rows_base(w, i);
        double W[6];
        if (!clv_rows_floats(w, i) || w->origin[i] < 0)
            continue;
        clv_wrench_shift(W, k->arm + 3 * (size_t)base, w->join[i].drive);
        clv_rows_attach(w, w->P, w->origin[i], W);
    }
}
