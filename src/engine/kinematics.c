/* SPDX-License-Identifier: Apache-2.0
 * Kinematics (T3): poses and velocities along the spanning tree, directions of joints, blocks of edges. */
#include "engine/kinematics.h"
#include <math.h>
#include <string.h>
#include "math/rotation.h"

static const clv_joint FREE_JOINT = {.kind = CLV_JOINT_FREE,
                                     .Ea = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     .Eb = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static const clv_joint *tree_joint(const clv_plan *p, int body)
{
    int j = p->tree[body].joint;
    return j < 0 ? &FREE_JOINT : &p->model->joint[j];
}

void clv_kinematics_layout(clv_kinematics *k, const clv_plan *p, clv_engine *e, clv_arena *a)
{
    int n = p->nbody;
    k->plan = p, k->engine = e;
    CLV_TAKE(a, k->R, 9 * n), CLV_TAKE(a, k->ref, 3 * n), CLV_TAKE(a, k->com, 3 * n), CLV_TAKE(a, k->Jc, 6 * n);
    CLV_TAKE(a, k->V, 6 * n);
    k->I = e->mass, k->arm = e->arm, k->H = e->free, k->G = e->dual;
    CLV_TAKE(a, k->q, 7 * n), CLV_TAKE(a, k->u, 6 * n), CLV_TAKE(a, k->ud, 6 * n);
    CLV_TAKE(a, k->Hd, 6 * p->nh);
    CLV_TAKE(a, k->place, n), CLV_TAKE(a, k->closing, p->nedge);
    CLV_TAKE(a, k->D, 36 * p->nedge), CLV_TAKE(a, k->Dd, 36 * p->nedge), CLV_TAKE(a, k->cut_H, 36 * p->nedge);
}

/* ------------------------------------------------------------------ poses */

static void load_coordinates(clv_kinematics *k, int body, const double *q)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    double *to = k->q + 7 * (size_t)body;
    if (t->motion >= 0)
        clv_motion_at(&p->model->motion[t->motion], k->time, to, k->u + 6 * (size_t)body, k->ud + 6 * (size_t)body);
    else
        for (int i = 0; i < t->nq; i++)
            to[i] = q[t->iq + i];
}

/* frame of the joint on the parent is known; goes over the joint to the child's pose */
static void cross_joint(clv_kinematics *k, int body)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = tree_joint(p, body);
    const clv_body *b = &p->model->body[body];
    clv_joint_place *at = &k->place[body];
    double Rq[9], d[3], dg[3], *R = k->R + 9 * (size_t)body, *ref = k->ref + 3 * (size_t)body;
    const double *on_parent = t->reversed ? j->pb : j->pa, *on_child = t->reversed ? j->pa : j->pb;
    const double *frame_parent = t->reversed ? j->Eb : j->Ea, *frame_child = t->reversed ? j->Ea : j->Eb;
    double *Ep = t->reversed ? at->Eb : at->Ea, *Ec = t->reversed ? at->Ea : at->Eb, origin[3];
    if (t->joint < 0)
        on_child = b->com; /* an implicit free joint holds the centre of mass */
    clv_joint_table[t->kind].pose(j, k->q + 7 * (size_t)body, Rq, d);
    if (t->parent < 0) {
        memcpy(Ep, frame_parent, 9 * sizeof(double));
        memcpy(origin, on_parent, 3 * sizeof(double));
    } else {
        const double *Rp = k->R + 9 * (size_t)t->parent;
        double x[3];
        clv_mat3_product(Ep, Rp, frame_parent);
        clv_sub3(x, on_parent, p->model->body[t->parent].com);
        clv_mat3_times(origin, Rp, x);
        clv_axpy3(origin, 1.0, k->com + 3 * (size_t)t->parent);
    }
    if (t->reversed)
        clv_mat3_product_transpose(Ec, Ep, Rq);
    else
        clv_mat3_product(Ec, Ep, Rq);
    clv_mat3_product_transpose(R, Ec, frame_child);
    clv_mat3_times(dg, at->Ea, d);
    memcpy(at->d, dg, sizeof dg);
    for (int i = 0; i < 3; i++)
        ref[i] = t->reversed ? origin[i] - dg[i] : origin[i] + dg[i];
    double x[3];
    clv_sub3(x, b->com, on_child);
    clv_mat3_times(k->com + 3 * (size_t)body, R, x);
    clv_axpy3(k->com + 3 * (size_t)body, 1.0, ref);
    for (int i = 0; i < 3; i++)
        k->arm[3 * (size_t)body + (size_t)i] = ref[i] - (t->parent < 0 ? 0.0 : k->ref[3 * (size_t)t->parent + (size_t)i]);
}

static void frame_on(const clv_kinematics *k, int body, const double *E, const double *point, double *Eg, double *Og)
{
    if (body < 0) {
        memcpy(Eg, E, 9 * sizeof(double)), memcpy(Og, point, 3 * sizeof(double));
        return;
    }
    double x[3];
    clv_mat3_product(Eg, k->R + 9 * (size_t)body, E);
    clv_sub3(x, point, k->plan->model->body[body].com);
    clv_mat3_times(Og, k->R + 9 * (size_t)body, x);
    clv_axpy3(Og, 1.0, k->com + 3 * (size_t)body);
}

/* point of b of a closing joint, global */
static void closing_point(const clv_kinematics *k, const clv_joint *j, double O[3])
{
    double E[9];
    frame_on(k, j->b, j->Eb, j->pb, E, O);
}

void clv_kinematics_poses(clv_kinematics *k, double t, const double *q)
{
    const clv_plan *p = k->plan;
    k->time = t;
    for (int i = 0; i < p->nbody; i++) {
        load_coordinates(k, p->order[i], q);
        cross_joint(k, p->order[i]);
    }
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->tree_body >= 0 || edge->joint < 0)
            continue;
        const clv_joint *j = &p->model->joint[edge->joint];
        clv_joint_place *at = &k->closing[e];
        double Oa[3], Ob[3];
        frame_on(k, j->a, j->Ea, j->pa, at->Ea, Oa);
        frame_on(k, j->b, j->Eb, j->pb, at->Eb, Ob);
        clv_sub3(at->d, Ob, Oa);
    }
}

/* ------------------------------------------------------------------ filling the engine */

static void body_inertia(clv_kinematics *k, int body)
{
    const clv_body *b = &k->plan->model->body[body];
    const double *R = k->R + 9 * (size_t)body;
    double J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]}, RJ[9], l[3];
    double *Jc = k->Jc + 6 * (size_t)body;
    clv_mat3_product(RJ, R, J);
    static const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        Jc[i] = clv_dot3(RJ + 3 * row[i], R + 3 * col[i]);
    clv_sub3(l, k->com + 3 * (size_t)body, k->ref + 3 * (size_t)body);
    clv_inertia_rigid(k->I + 21 * (size_t)body, b->mass, l, Jc);
}

/* directions given at b's point rewritten for a child that is a: negative, at a's point */
static void reverse_motion(double *H, int n, const double d[3])
{
    for (int c = 0; c < n; c++) {
        double x[3];
        clv_cross(x, H + 6 * c + 3, d); /* at a's point: h - h_a x d */
        for (int i = 0; i < 3; i++)
            H[6 * c + i] = -(H[6 * c + i] - x[i]), H[6 * c + 3 + i] = -H[6 * c + 3 + i];
    }
}
static void reverse_wrench(double *D, int n, const double d[3])
{
    for (int c = 0; c < n; c++) {
        double x[3];
        clv_cross(x, d, D + 6 * c);
        for (int i = 0; i < 3; i++)
            D[6 * c + 3 + i] = -(D[6 * c + 3 + i] + x[i]), D[6 * c + i] = -D[6 * c + i];
    }
}

/* block of a handle whose body is `body`: wrench directions at O moved to its reference point, times sign; added */
static void add_block(clv_kinematics *k, int edge, int body, const double O[3], const double *D, int m, double sign)
{
    const clv_edge *e = &k->plan->edge[edge];
    for (int h = 0; h < e->nhandle; h++) {
        if (e->body[h] != body)
            continue;
        double l[3], S[6], *to = k->engine->block + e->block[h];
        clv_sub3(l, O, k->ref + 3 * (size_t)body);
        for (int c = 0; c < m; c++) {
            clv_wrench_shift(S, l, D + 6 * c);
            for (int i = 0; i < 6; i++)
                to[6 * c + i] += sign * S[i];
        }
    }
}

/* compliance the rows would have if the held bodies were free: |f|^2 / m + |moment about the centre of mass|^2 / J */
static void edge_scale(clv_kinematics *k, int edge)
{
    const clv_edge *e = &k->plan->edge[edge];
    for (int c = 0; c < e->m; c++) {
        double s = 0;
        for (int h = 0; h < e->nhandle; h++) {
            const clv_body *b = &k->plan->model->body[e->body[h]];
            const double *f = k->engine->block + e->block[h] + 6 * c;
            double l[3], n[3], J = (b->J[0] + b->J[1] + b->J[2]) / 3;
            clv_sub3(l, k->ref + 3 * (size_t)e->body[h], k->com + 3 * (size_t)e->body[h]);
            clv_cross(n, l, f);
            for (int i = 0; i < 3; i++)
                n[i] += f[3 + i];
            s += (b->mass > 0 ? clv_dot3(f, f) / b->mass : 0) + (J > 0 ? clv_dot3(n, n) / J : 0);
        }
        k->engine->scale[e->row + c] = s > 0 ? sqrt(s) : 1.0;
    }
}

static void fill_tree_joint(clv_kinematics *k, int body)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = tree_joint(p, body);
    const clv_joint_place *at = &k->place[body];
    double D[36] = {0}, *H = k->H + clv_columns(p, (size_t)body), *G = k->G + clv_columns(p, (size_t)body);
    clv_joint_table[t->kind].basis(j, at, H, D);
    clv_joint_dual(j, H, G);
    int nc = 6 - t->nu;
    if (t->reversed) {
        reverse_motion(H, t->nu, at->d);
        reverse_wrench(G, t->nu, at->d);
        reverse_wrench(D, nc, at->d);
    }
    clv_engine_body(k->engine, body);
    if (t->edge < 0)
        return;
    if (t->f == 0 && t->nu > 0) /* prescribed: the free directions are held as well */
        memcpy(D + 6 * nc, G, 6 * (size_t)t->nu * sizeof(double)), nc += t->nu;
    const double *O = k->ref + 3 * (size_t)body;
    add_block(k, t->edge, body, O, D, nc, 1.0);
    if (t->parent >= 0)
        add_block(k, t->edge, t->parent, O, D, nc, -1.0);
}

static void fill_coupling(clv_kinematics *k, int edge)
{
    const clv_plan *p = k->plan;
    const clv_coupling *c = &p->model->coupling[p->edge[edge].coupling];
    for (int side = 0; side < 2; side++) {
        int body = p->child_of_joint[side ? c->first : c->second];
        double weight = side ? -c->ratio : 1.0;
        const double *O = k->ref + 3 * (size_t)body, *G = k->G + clv_columns(p, (size_t)body);
        add_block(k, edge, body, O, G, 1, weight);
        if (p->tree[body].parent >= 0)
            add_block(k, edge, p->tree[body].parent, O, G, 1, -weight);
    }
}

static void fill_closing(clv_kinematics *k, int edge)
{
    const clv_edge *e = &k->plan->edge[edge];
    const clv_joint *j = &k->plan->model->joint[e->joint];
    double O[3], *D = k->D + 36 * (size_t)edge;
    clv_joint_table[j->kind].basis(j, &k->closing[edge], k->cut_H + 36 * (size_t)edge, D);
    closing_point(k, j, O);
    if (j->b >= 0)
        add_block(k, edge, j->b, O, D, e->m, 1.0);
    if (j->a >= 0)
        add_block(k, edge, j->a, O, D, e->m, -1.0);
}

void clv_kinematics_fill(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    memset(k->engine->block, 0, (size_t)p->nblock * sizeof(double));
    for (int i = 0; i < p->nbody; i++) {
        body_inertia(k, i);
        fill_tree_joint(k, i);
    }
    for (int e = 0; e < p->nedge; e++) {
        if (p->edge[e].coupling >= 0)
            fill_coupling(k, e);
        else if (p->edge[e].tree_body < 0)
            fill_closing(k, e);
        edge_scale(k, e);
    }
}

/* ------------------------------------------------------------------ velocities */

void clv_kinematics_velocities(clv_kinematics *k, const double *u)
{
    const clv_plan *p = k->plan;
    for (int i = 0; i < p->nbody; i++) {
        int body = p->order[i];
        const clv_tree_joint *t = &p->tree[body];
        double *V = k->V + 6 * (size_t)body, *uj = k->u + 6 * (size_t)body;
        memset(V, 0, 6 * sizeof(double));
        if (t->parent >= 0)
            clv_motion_shift(V, k->arm + 3 * (size_t)body, k->V + 6 * (size_t)t->parent);
        for (int c = 0; c < t->nu; c++) {
            if (t->motion < 0)
                uj[c] = u[t->iu + c];
            for (int r = 0; r < 6; r++)
                V[r] += k->H[clv_columns(p, (size_t)body) + 6 * (size_t)c + (size_t)r] * uj[c];
        }
    }
}

static void point_velocity(const clv_kinematics *k, int body, const double O[3], double v[3])
{
    double l[3];
    memset(v, 0, 3 * sizeof(double));
    if (body < 0)
        return;
    const double *V = k->V + 6 * (size_t)body;
    clv_sub3(l, O, k->ref + 3 * (size_t)body);
    clv_cross(v, V + 3, l);
    clv_axpy3(v, 1.0, V);
}

static void omega(const clv_kinematics *k, int body, double w[3])
{
    if (body < 0)
        memset(w, 0, 3 * sizeof(double));
    else
        memcpy(w, k->V + 6 * (size_t)body + 3, 3 * sizeof(double));
}

/* fills the moving part of a place: d = O_b - O_a must be there */
static void place_rates(const clv_kinematics *k, clv_joint_place *at, int a, int b, const double Ob[3])
{
    double Oa[3], va[3], vb[3];
    clv_sub3(Oa, Ob, at->d);
    omega(k, a, at->wa), omega(k, b, at->wb);
    point_velocity(k, a, Oa, va), point_velocity(k, b, Ob, vb);
    clv_sub3(at->dv, vb, va);
}

static void tree_joint_rates(clv_kinematics *k, int body)
{
    const clv_plan *p = k->plan;
    const clv_tree_joint *t = &p->tree[body];
    clv_joint_place *at = &k->place[body];
    double Ob[3], unused[36], *Hd = k->Hd + clv_columns(p, (size_t)body);
    const double *H = k->H + clv_columns(p, (size_t)body);
    int a = t->reversed ? body : t->parent, b = t->reversed ? t->parent : body;
    for (int i = 0; i < 3; i++)
        Ob[i] = k->ref[3 * (size_t)body + (size_t)i] + (t->reversed ? at->d[i] : 0.0);
    place_rates(k, at, a, b, Ob);
    clv_joint_table[t->kind].rate(tree_joint(p, body), at, Hd, unused);
    if (!t->reversed)
        return;
    /* d/dt of -(h - h_a x d), with h_a = -H'_a */
    reverse_motion(Hd, t->nu, at->d);
    for (int c = 0; c < t->nu; c++) {
        double x[3];
        clv_cross(x, H + 6 * c + 3, at->dv);
        for (int i = 0; i < 3; i++)
            Hd[6 * c + i] -= x[i];
    }
}

void clv_kinematics_rates(clv_kinematics *k)
{
    const clv_plan *p = k->plan;
    for (int i = 0; i < p->nbody; i++)
        tree_joint_rates(k, i);
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->tree_body >= 0 || edge->joint < 0)
            continue;
        const clv_joint *j = &p->model->joint[edge->joint];
        double O[3], unused[36];
        closing_point(k, j, O);
        place_rates(k, &k->closing[e], j->a, j->b, O);
        clv_joint_table[j->kind].rate(j, &k->closing[e], unused, k->Dd + 36 * (size_t)e);
    }
}

/* ------------------------------------------------------------------ violations, bias terms */

void clv_kinematics_violation(clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->tree_body >= 0)
            continue;
        if (edge->coupling >= 0) {
            const clv_coupling *m = &p->model->coupling[edge->coupling];
            c[edge->row] = k->q[7 * (size_t)p->child_of_joint[m->second]] -
                           m->ratio * k->q[7 * (size_t)p->child_of_joint[m->first]] - m->offset;
        } else {
            const clv_joint *j = &p->model->joint[edge->joint];
            clv_joint_table[j->kind].violation(j, &k->closing[e], c + edge->row);
        }
    }
}

void clv_kinematics_velocity_violation(const clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int r = 0; edge->tree_body < 0 && r < edge->m; r++) {
            c[edge->row + r] = 0;
            for (int h = 0; h < edge->nhandle; h++)
                c[edge->row + r] +=
                    clv_dot6(k->engine->block + edge->block[h] + 6 * r, k->V + 6 * (size_t)edge->body[h]);
        }
    }
}

void clv_kinematics_velocity_bias(const clv_kinematics *k, double *c)
{
    const clv_plan *p = k->plan;
    memset(c, 0, 6 * (size_t)p->nbody * sizeof(double));
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].motion >= 0)
            for (int i = 0; i < 6; i++)
                c[6 * (size_t)b + (size_t)i] = k->H[clv_columns(p, (size_t)b) + (size_t)i] * k->u[6 * (size_t)b];
}

/* c = Hdot u + H udot (prescribed) + [w_A x (v_B - v_A); 0], velocities of the two reference points */
static void tree_bias(const clv_kinematics *k, int body, double c[6])
{
    const clv_tree_joint *t = &k->plan->tree[body];
    const double *V = k->V + 6 * (size_t)body, *uj = k->u + 6 * (size_t)body;
    size_t h = clv_columns(k->plan, (size_t)body);
    memset(c, 0, 6 * sizeof(double));
    if (t->parent >= 0) {
        const double *A = k->V + 6 * (size_t)t->parent;
        double dv[3];
        clv_sub3(dv, V, A);
        clv_cross(c, A + 3, dv);
    }
    for (int f = 0; f < t->nu; f++)
        for (int i = 0; i < 6; i++)
            c[i] += k->Hd[h + 6 * (size_t)f + (size_t)i] * uj[f];
    if (t->motion >= 0)
        for (int i = 0; i < 6; i++)
            c[i] += k->H[h + (size_t)i] * k->ud[6 * (size_t)body];
}

/* rows of a closing joint: D_l.(w_a x (v_Ob - v_ref_a) - w_b x (w_b x l_b)) - Ddot^T dV */
static void closing_bias(const clv_kinematics *k, int e, double *a)
{
    const clv_edge *edge = &k->plan->edge[e];
    const clv_joint *j = &k->plan->model->joint[edge->joint];
    double O[3], vb[3], va[3], dV[6], bias[3] = {0};
    closing_point(k, j, O);
    point_velocity(k, j->b, O, vb), point_velocity(k, j->a, O, va);
    for (int i = 0; i < 3; i++)
        dV[i] = vb[i] - va[i], dV[3 + i] = k->closing[e].wb[i] - k->closing[e].wa[i];
    if (j->a >= 0) {
        double x[3];
        clv_sub3(x, vb, k->V + 6 * (size_t)j->a);
        clv_cross(bias, k->closing[e].wa, x);
    }
    if (j->b >= 0) {
        double l[3], x[3];
        clv_sub3(l, O, k->ref + 3 * (size_t)j->b);
        clv_cross(x, k->closing[e].wb, l), clv_cross(x, k->closing[e].wb, x);
        clv_axpy3(bias, -1.0, x);
    }
    for (int r = 0; r < edge->m; r++)
        a[edge->row + r] = clv_dot3(k->D + 36 * (size_t)e + 6 * (size_t)r, bias) -
                           clv_dot6(k->Dd + 36 * (size_t)e + 6 * (size_t)r, dV);
}

void clv_kinematics_acceleration_bias(const clv_kinematics *k, double *c, double *a)
{
    const clv_plan *p = k->plan;
    for (int b = 0; b < p->nbody; b++)
        tree_bias(k, b, c + 6 * (size_t)b);
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->tree_body >= 0)
            continue;
        if (edge->joint >= 0) {
            closing_bias(k, e, a);
            continue;
        }
        const clv_coupling *m = &p->model->coupling[edge->coupling];
        size_t b2 = (size_t)p->child_of_joint[m->second], b1 = (size_t)p->child_of_joint[m->first];
        a[edge->row] = clv_dot6(k->G + clv_columns(p, b2), c + 6 * b2) -
                       m->ratio * clv_dot6(k->G + clv_columns(p, b1), c + 6 * b1);
        /* u2' - ratio u1' = 0: a prescribed u' is part of c, but belongs to the left side */
        if (p->tree[b2].motion >= 0)
            a[edge->row] -= k->ud[6 * b2];
        if (p->tree[b1].motion >= 0)
            a[edge->row] += m->ratio * k->ud[6 * b1];
    }
}

/* pair +-[Ddot_l; Ddot_a + v_O x D_l] sigma at O on child and parent */
static void add_pair(const clv_kinematics *k, double *W, int b, int a, const double O[3], const double v[3], const double *D,
                     const double *Dd, double s)
{
    double w[6], S[6], l[3], x[3];
    clv_cross(x, v, D);
    for (int i = 0; i < 3; i++)
        w[i] = Dd[i] * s, w[3 + i] = (Dd[3 + i] + x[i]) * s;
    for (int side = 0; side < 2; side++) {
        int body = side ? a : b;
        if (body < 0)
            continue;
        clv_sub3(l, O, k->ref + 3 * (size_t)body);
        clv_wrench_shift(S, l, w);
        for (int i = 0; i < 6; i++)
            W[6 * (size_t)body + (size_t)i] += side ? S[i] : -S[i];
    }
}

void clv_kinematics_closing_loads(const clv_kinematics *k, const double *sigma, double *W)
{
    const clv_plan *p = k->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->tree_body >= 0)
            continue;
        if (edge->joint >= 0) {
            const clv_joint *j = &p->model->joint[edge->joint];
            double O[3], v[3];
            closing_point(k, j, O);
            point_velocity(k, j->b, O, v);
            for (int r = 0; r < edge->m; r++)
                add_pair(k, W, j->b, j->a, O, v, k->D + 36 * (size_t)e + 6 * (size_t)r,
                         k->Dd + 36 * (size_t)e + 6 * (size_t)r, sigma[edge->row + r]);
            continue;
        }
        const clv_coupling *m = &p->model->coupling[edge->coupling];
        for (int side = 0; side < 2; side++) {
            int body = p->child_of_joint[side ? m->first : m->second];
            const double *H = k->H + clv_columns(p, (size_t)body), *G = k->G + clv_columns(p, (size_t)body);
            double Gd[6], size = clv_dot6(H, H);
            for (int i = 0; i < 6; i++)
                Gd[i] = k->Hd[clv_columns(p, (size_t)body) + (size_t)i] / size; /* one freedom: |H| is constant */
            add_pair(k, W, body, p->tree[body].parent, k->ref + 3 * (size_t)body, k->V + 6 * (size_t)body, G, Gd,
                     sigma[edge->row] * (side ? -m->ratio : 1.0));
        }
    }
}

void clv_kinematics_gyroscopic(const clv_kinematics *k, double *W)
{
    const clv_plan *p = k->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const double *w = k->V + 6 * b + 3, *J = k->Jc + 6 * b;
        double l[3], f[3], Jw[3], n[3], x[3], m = p->model->body[b].mass;
        clv_sub3(l, k->com + 3 * b, k->ref + 3 * b);
        clv_cross(f, w, l), clv_cross(f, w, f);
        Jw[0] = J[0] * w[0] + J[1] * w[1] + J[2] * w[2];
        Jw[1] = J[1] * w[0] + J[3] * w[1] + J[4] * w[2];
        Jw[2] = J[2] * w[0] + J[4] * w[1] + J[5] * w[2];
        clv_cross(n, w, Jw);
        for (int i = 0; i < 3; i++)
            f[i] *= m;
        clv_cross(x, l, f);
        for (int i = 0; i < 3; i++)
            W[6 * b + (size_t)i] = f[i], W[6 * b + 3 + (size_t)i] = n[i] + x[i];
    }
}

void clv_kinematics_momentum(const clv_kinematics *k, double *P)
{
    for (size_t b = 0; b < (size_t)k->plan->nbody; b++)
        clv_inertia_times(P + 6 * b, k->I + 21 * b, k->V + 6 * b);
}

void clv_kinematics_closing_state(const clv_kinematics *k, int e, double *q, double *u)
{
    const clv_joint *j = &k->plan->model->joint[k->plan->edge[e].joint];
    const clv_joint_place *at = &k->closing[e];
    double R[9], d[3], O[3], va[3], vb[3], wa[3], wb[3], dV[6], G[36];
    int nu = clv_joint_table[j->kind].nu;
    clv_mat3_transpose_product(R, at->Ea, at->Eb);
    clv_mat3_transpose_times(d, at->Ea, at->d);
    if (clv_joint_table[j->kind].coordinates)
        clv_joint_table[j->kind].coordinates(j, R, d, q);
    closing_point(k, j, O);
    point_velocity(k, j->a, O, va), point_velocity(k, j->b, O, vb);
    omega(k, j->a, wa), omega(k, j->b, wb);
    clv_sub3(dV, vb, va), clv_sub3(dV + 3, wb, wa);
    clv_joint_dual(j, k->cut_H + 36 * (size_t)e, G);
    for (int c = 0; c < nu; c++)
        u[c] = clv_dot6(G + 6 * c, dV);
}
