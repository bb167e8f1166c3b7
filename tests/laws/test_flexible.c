/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies against the oracle that moves their points one by one (T19, T31): random trees and loops, several
 * modes and nodes, entered at frames and at nodes, closed on nodes.
 *
 * Bound: relative error <= 100 eps cond of the scaled KKT matrix; 1000 for the dense baseline, which refines nothing,
 * and for reactions, which may be small beside the loads they come from.  CLEAVE_RANDOM sets the number of systems
 * (300). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kinematics/deform.h"
#include "math/rotation.h"
#include "oracle/oracle_flex.h"
#include "oracle/random_flexible.h"
#include "simulation/sim.h"

enum { MOST = 4000 };
typedef struct tally {
    const char *name;
    double bound;
    int n, failed, worst_seed;
    double error[MOST], worst;
} tally;

static void note(tally *t, int seed, double error, double cond)
{
    double ratio = error / (2.2e-16 * cond);
    if (t->n < MOST)
        t->error[t->n++] = error;
    if (!(ratio <= t->worst))
        t->worst = ratio, t->worst_seed = seed;
    if (!(ratio <= t->bound)) {
        t->failed++;
        if (getenv("CLEAVE_VERBOSE"))
            printf("  %s seed %d: error %.2e, %.0f eps cond, cond %.1e\n", t->name, seed, error, ratio, cond);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void finish(tally *t)
{
    assert_true(t->n > 0);
    qsort(t->error, (size_t)t->n, sizeof(double), compare);
    printf("%-24s %5d systems  median %.1e  worst %.1e  worst ratio to eps cond %.2g (seed %d)  over %.0f: %d\n",
           t->name, t->n, t->error[t->n / 2], t->error[t->n - 1], t->worst, t->worst_seed, t->bound, t->failed);
    assert_int_equal(t->failed, 0);
}

static tally poses = {.name = "poses of nodes", .bound = 100},
             accelerations = {.name = "dca accelerations", .bound = 100},
             dense = {.name = "massmatrix accelerations", .bound = 1000},
             iterated = {.name = "aldca accelerations", .bound = 100},
             velocities = {.name = "hdca velocities", .bound = 100}, momenta = {.name = "hdca momenta", .bound = 100},
             rates = {.name = "hdca momentum rates", .bound = 100}, energies = {.name = "kinetic energy", .bound = 100},
             reactions = {.name = "reactions", .bound = 1000},
             floating = {.name = "absolute accelerations", .bound = 100},
             gauge = {.name = "hdca rates, sigma != 0", .bound = 4.5e8}; /* difference quotients: 1e-7 */

static clv_sim *simulate(const clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK) {
        printf("  %s: %s\n", formulation, clv_sim_error(s)->message);
        clv_sim_destroy(s);
        return NULL;
    }
    return s;
}

/* 6-vectors of the bodies at their centres of mass (nbody x 6) and modal numbers (nu) in the oracle's unknowns */
static void unknowns(const oracle_flex *f, const clv_plan *p, const double *at_com, const double *u, real *z)
{
    for (int b = 0; b < p->nbody; b++)
        for (int i = 0; f->at[b] >= 0 && i < 6; i++)
            z[f->at[b] + i] = at_com[6 * b + i];
    for (int k = 0; k < p->nstar; k++)
        for (int i = 0; i < p->star[k].nmode; i++)
            z[f->at[p->star[k].frame] + 6 + i] = u[p->star[k].iu + i];
}

static void check_poses(const clv_sim *s, const oracle_flex *f, int seed)
{
    double worst = 0, size = 1;
    for (int b = 0; b < s->plan->nbody; b++) {
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(s->system.kin.com[3 * b + i] - (double)f->o->r[3 * b + i])),
            size = fmax(size, fabs(s->system.kin.com[3 * b + i]));
        for (int i = 0; i < 9; i++)
            worst = fmax(worst, fabs(s->system.kin.R[9 * b + i] - (double)f->o->R[9 * b + i]));
        for (int i = 0; i < 6; i++)
            worst = fmax(worst, fabs(s->system.com_V[6 * b + i] - (double)f->o->V[6 * b + i])),
            size = fmax(size, fabs(s->system.com_V[6 * b + i]));
    }
    note(&poses, seed, worst / size, 1);
}

static void check_accelerations(clv_sim *s, const oracle_flex *f, const real *z, const real *mu, int seed, tally *t)
{
    real *x = calloc((size_t)f->N, sizeof *x);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    unknowns(f, s->plan, s->frame_A, s->udot, x);
    note(t, seed, oracle_flex_difference(f, x, z, mu), (double)f->condition);
    free(x);
}

/* velocities from momenta alone, against those of the start */
static void check_velocities(clv_sim *s, const oracle_flex *f, const real *v, int seed)
{
    const clv_plan *p = s->plan;
    real *x = calloc((size_t)f->N, sizeof *x);
    double *V = calloc(6 * (size_t)p->nbody, sizeof *V);
    for (int i = 0; i < 6 * p->nbody; i++)
        s->system.kin.V[i] = NAN;
    assert_int_equal(s->formulation->rates(&s->system, 0, s->out_y, s->ydot), CLV_OK);
    memcpy(V, s->system.com_V, 6 * (size_t)p->nbody * sizeof(double));
    unknowns(f, p, V, s->system.u, x);
    note(&velocities, seed, oracle_flex_difference(f, x, v, NULL), (double)f->condition);
    free(x), free(V);
}

/* velocity of every body along one freedom of the tree, at the reference points, and its derivative */
static void follow(const clv_sim *s, int body, int c, int star, int mode, double *V, double *Vd)
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    for (int i = 0; i < p->nbody; i++) {
        size_t b = (size_t)p->order[i];
        const clv_tree_joint *t = &p->tree[b];
        double *x = V + 6 * b, *xd = Vd + 6 * b;
        memset(x, 0, 6 * sizeof(double)), memset(xd, 0, 6 * sizeof(double));
        if (t->parent >= 0) { /* v + w x l and its derivative, l' from the velocities of both points */
            const double *A = V + 6 * (size_t)t->parent, *Ad = Vd + 6 * (size_t)t->parent;
            double ld[3], y[3];
            clv_motion_shift(x, k->arm + 3 * b, A), clv_motion_shift(xd, k->arm + 3 * b, Ad);
            clv_sub3(ld, k->V + 6 * b, k->V + 6 * (size_t)t->parent);
            clv_cross(y, A + 3, ld);
            clv_axpy3(xd, 1, y);
        }
        for (int q = 0; q < 6; q++) {
            if ((int)b == body)
                x[q] += k->H[clv_columns(p, b) + 6 * (size_t)c + (size_t)q],
                    xd[q] += k->Hd[clv_columns(p, b) + 6 * (size_t)c + (size_t)q];
            if (star >= 0 && t->link == star)
                x[q] += s->system.engine.modes[clv_modes(p, b) + 6 * (size_t)mode + (size_t)q],
                    xd[q] += k->Md[clv_modes(p, b) + 6 * (size_t)mode + (size_t)q];
        }
    }
    for (size_t b = 0; b < (size_t)p->nbody; b++) { /* to the centres of mass */
        double l[3], ld[3], y[3];
        clv_sub3(l, k->com + 3 * b, k->ref + 3 * b);
        clv_cross(ld, k->V + 6 * b + 3, l);
        clv_motion_shift(Vd + 6 * b, l, Vd + 6 * b);
        clv_cross(y, V + 6 * b + 3, ld);
        clv_axpy3(Vd + 6 * b, 1, y);
        clv_motion_shift(V + 6 * b, l, V + 6 * b);
    }
}

static void check_momenta(clv_sim *s, const oracle_flex *f, int seed)
{
    const clv_plan *p = s->plan;
    double *V = calloc(12 * (size_t)p->nbody, sizeof *V), *Vd = V + 6 * p->nbody, *u = calloc((size_t)p->nu, sizeof *u);
    real *d = calloc(2 * (size_t)f->N, sizeof *d), *dd = d + f->N;
    double worst_p = 0, size_p = 0, worst_r = 0, size_r = 0;
    clv_kinematics_rates(&s->system.kin);
    for (int iu = 0; iu < p->nu; iu++) {
        int body = -1, c = 0, star = -1, mode = 0;
        for (int b = 0; b < p->nbody; b++)
            if (p->tree[b].f > 0 && iu >= p->tree[b].iu && iu < p->tree[b].iu + p->tree[b].f)
                body = b, c = iu - p->tree[b].iu;
        for (int k = 0; k < p->nstar; k++)
            if (iu >= p->star[k].iu && iu < p->star[k].iu + p->star[k].nmode)
                star = k, mode = iu - p->star[k].iu;
        real pj, pd, terms;
        follow(s, body, c, star, mode, V, Vd);
        memset(u, 0, (size_t)p->nu * sizeof *u);
        unknowns(f, p, Vd, u, dd);
        if (star >= 0)
            u[iu] = 1;
        unknowns(f, p, V, u, d);
        oracle_flex_momentum(f, d, dd, &pj, &pd, &terms);
        worst_p = fmax(worst_p, fabs(s->p[iu] - (double)pj)), size_p = fmax(size_p, fabs((double)pj));
        worst_r = fmax(worst_r, fabs(s->pdot[iu] - (double)pd)),
        size_r = fmax(size_r, fmax((double)terms, fabs((double)pd)));
    }
    note(&momenta, seed, worst_p / size_p, (double)f->condition);
    note(&rates, seed, worst_r / size_r, (double)f->condition);
    free(V), free(u), free(d);
}

/* joints whose wrench the motion determines: the oracle's multipliers times its rows */
static void check_reactions(clv_sim *s, const oracle_flex *f, const real *mu, int seed)
{
    double worst = 0, size = 1; /* N: some joints carry nothing */
    for (int j = 0; j < s->model->njoint; j++) {
        clv_joint_result r;
        bool unique = true;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        for (int i = 0; i < 6; i++)
            unique &= r.unique[i];
        for (int i = 0; i < 6; i++) {
            real w = 0;
            for (int row = f->o->joint_row[j]; row < f->o->joint_row[j + 1]; row++)
                w += f->o->T[6 * row + i] * mu[row];
            size = fmax(size, fabs((double)w));
            if (unique)
                worst = fmax(worst, fabs((i < 3 ? r.force[i] : r.torque[i - 3]) - (double)w));
        }
    }
    if (s->model->njoint > 0)
        note(&reactions, seed, worst / size, (double)f->condition);
}

/* every body floats, nodes stay on their frames, all joints close: the same accelerations */
static void check_absolute(const clv_sim *from, const oracle_flex *f, const real *z, const real *mu, int seed)
{
    clv_plan *p;
    clv_system *s = calloc(1, sizeof *s);
    clv_arena arena = {0};
    clv_error error;
    clv_plan_options o = {.absolute = true};
    assert_int_equal(clv_plan_create(&p, from->model, &o, &error), CLV_OK);
    clv_system_layout(s, from->model, p, &arena);
    assert_true(clv_arena_open(&arena));
    clv_system_layout(s, from->model, p, &arena);
    s->error = &error;
    clv_engine_begin(&s->engine, from->report.rank, from->kernels);
    clv_kinematics_begin(&s->kin);
    double *q = calloc((size_t)p->nq + 1, sizeof *q), *u = calloc((size_t)p->nu + 1, sizeof *u),
           *A = calloc(6 * (size_t)p->nbody, sizeof *A);
    real *x = calloc((size_t)f->N, sizeof *x);
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->link >= 0)
            continue;
        memcpy(q + t->iq, from->system.kin.com + 3 * b, 3 * sizeof *q);
        clv_quat_from_rotation(q + t->iq + 3, from->system.kin.R + 9 * b);
        memcpy(u + t->iu, from->system.com_V + 6 * b, 3 * sizeof *u);
        clv_mat3_transpose_times(u + t->iu + 3, from->system.kin.R + 9 * b, from->system.com_V + 6 * b + 3);
    }
    for (int k = 0; k < p->nstar; k++) {
        memcpy(q + p->star[k].iq, from->system.kin.eta + p->star[k].mode, (size_t)p->star[k].nmode * sizeof *q);
        memcpy(u + p->star[k].iu, from->system.kin.etad + p->star[k].mode, (size_t)p->star[k].nmode * sizeof *q);
    }
    assert_int_equal(clv_system_place(s, 0, q), CLV_OK);
    clv_kinematics_velocities(&s->kin, u);
    clv_kinematics_rates(&s->kin);
    assert_int_equal(clv_system_loads(s), CLV_OK);
    clv_system_accelerate(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) { /* reference points of floating bodies are their centres of mass */
        assert_true(p->tree[b].link >= 0 || p->tree[b].edge < 0);
        memcpy(A + 6 * b, s->x + 6 * b, 6 * sizeof *A);
    }
    unknowns(f, p, A, s->ud, x);
    note(&floating, seed, oracle_flex_difference(f, x, z, mu), (double)f->condition);
    free(q), free(u), free(A), free(x), clv_arena_close(&arena), clv_plan_destroy(p), free(s);
}

/* With impulses that are not zero: p = p0 - (what they give the freedoms), and p' the rate of that, by central
 * differences along the motion. Closings on nodes enter the momenta of the modes. */
static void check_gauge(clv_sim *s, int seed)
{
    const clv_plan *p = s->plan;
    clv_system *k = &s->system;
    if (p->nclosing_row == 0)
        return;
    size_t n = (size_t)s->n, nq = (size_t)p->nq;
    double *y = calloc(4 * n, sizeof *y), *yd = y + n, *at = yd + n, *d = at + n, scale = 1, rate = 1, worst = 0,
           size = 0;
    random_stream rs = {.state = (uint64_t)seed + 77};
    memcpy(y, s->out_y, n * sizeof *y);
    for (int i = 0; i < p->nu; i++)
        scale = fmax(scale, fabs(s->p[i]));
    memset(s->stress, 0, (size_t)p->nsigma * sizeof(double));
    for (int i = 0; i < p->nclosing_row; i++)
        s->stress[i] = -random_normal(&rs) * scale;
    memcpy(y + nq, s->p, (size_t)p->nu * sizeof *y);
    k->joint_momenta = true; /* s->p and s->pdot lie along joints, so the state here does, too (T9.4) */
    assert_int_equal(s->formulation->momenta->regauge(k, 0, y, s->stress), CLV_OK);
    assert_int_equal(s->formulation->rates(k, 0, y, yd), CLV_OK);
    for (int i = 0; i < p->nclosing_row; i++) /* redundant rows: those found differ by a self-stress */
        s->stress[i] = -k->sigma[i];
    for (size_t i = 0; i < nq; i++)
        rate = fmax(rate, fabs(yd[i]));
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, place[4] = {-2, -1, 1, 2};
    double h = 3e-4 / rate;
    for (int c = 0; c < 4; c++) {
        memset(at, 0, n * sizeof *at);
        for (size_t i = 0; i < nq; i++)
            at[i] = y[i] + place[c] * h * yd[i];
        assert_int_equal(s->formulation->momenta->regauge(k, 0, at, s->stress), CLV_OK);
        for (int i = 0; i < p->nu; i++)
            d[i] += weight[c] / h * at[nq + (size_t)i];
    }
    for (int i = 0; i < p->nu; i++) {
        worst = fmax(worst, fabs(yd[nq + (size_t)i] - s->pdot[i] - d[i]));
        size = fmax(size, fmax(fabs(d[i]), fabs(yd[nq + (size_t)i])));
    }
    note(&gauge, seed, worst / size, 1);
    k->joint_momenta = false;
    free(y);
}

static int entered_at_node, closed_on_node, skipped, locked, redundant, rank_differs;

static void check_system(int seed, bool closing)
{
    random_flexible *r = random_flexible_create((uint64_t)seed, closing);
    clv_sim *s = simulate(r->model, "hdca"), *m = s ? simulate(r->model, "massmatrix") : NULL,
            *a = m ? simulate(r->model, "aldca") : NULL;
    if (!a) {
        skipped++;
        clv_sim_destroy(s), clv_sim_destroy(m), clv_sim_destroy(a), random_flexible_destroy(r);
        return;
    }
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nstar; k++)
        entered_at_node += p->star[k].entry != p->star[k].frame;
    for (int e = 0; e < p->nedge; e++)
        for (int h = 0; p->edge[e].tree_body < 0 && h < p->edge[e].nhandle; h++)
            closed_on_node += r->model->body[p->edge[e].body[h]].node >= 0;
    oracle_flex *f = oracle_flex_create(r->model, r->cloud);
    const clv_kinematics *k = &s->system.kin;
    oracle_flex_set(f, 0, k->com, k->R, s->system.com_V, k->eta, k->etad);
    check_poses(s, f, seed);
    real *z = calloc(2 * (size_t)f->N, sizeof *z), *v = z + f->N, *mu = calloc((size_t)f->o->rows + 1, sizeof *mu);
    oracle_flex_accelerations(f, z, mu);
    check_accelerations(s, f, z, mu, seed, &accelerations);
    check_accelerations(m, f, z, mu, seed, &dense);
    check_accelerations(a, f, z, mu, seed, &iterated);
    check_reactions(s, f, mu, seed);
    redundant += s->base_nullity > 0;
    if (s->base_nullity != f->o->rows - f->cod.rank)
        rank_differs++,
            printf("  rank, seed %d: redundant rows %d, oracle %d\n", seed, s->base_nullity, f->o->rows - f->cod.rank);
    check_absolute(s, f, z, mu, seed);
    memset(v, 0, (size_t)f->N * sizeof *v);
    double *u = calloc((size_t)p->nu, sizeof *u);
    for (int i = 0; i < p->nstar; i++)
        memcpy(u + p->star[i].iu, m->system.kin.etad + p->star[i].mode, (size_t)p->star[i].nmode * sizeof *u);
    unknowns(f, p, m->system.com_V, u, v); /* massmatrix: velocities as the start made them */
    if (s->out_kinetic > 1e-20)
        check_velocities(s, f, v, seed);
    else
        locked++;
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    check_momenta(s, f, seed);
    check_gauge(s, seed);
    double T = (double)oracle_flex_kinetic(f);
    if (T > 1e-20)
        note(&energies, seed, fabs(s->out_kinetic - T) / T, (double)f->condition);
    free(z), free(mu), free(u);
    oracle_flex_destroy(f), clv_sim_destroy(s), clv_sim_destroy(m), clv_sim_destroy(a), random_flexible_destroy(r);
}

static void random_systems(void **state)
{
    (void)state;
    int n = getenv("CLEAVE_RANDOM") ? atoi(getenv("CLEAVE_RANDOM")) : 300;
    int from = getenv("CLEAVE_SEED") ? atoi(getenv("CLEAVE_SEED")) : 0;
    for (int seed = from; seed < from + n; seed++)
        check_system(seed, seed % 2 == 1);
    printf("flexible bodies entered at a node: %d; handles of loops on nodes: %d; refused: %d; locked: %d; redundant: "
           "%d\n",
           entered_at_node, closed_on_node, skipped, locked, redundant);
    assert_int_equal(rank_differs, 0);
    assert_true(entered_at_node > n / 20 && closed_on_node > n / 20 && skipped < n / 20);
    finish(&poses), finish(&accelerations), finish(&dense), finish(&iterated), finish(&velocities), finish(&momenta),
        finish(&rates), finish(&energies);
    finish(&reactions), finish(&floating), finish(&gauge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
