/* SPDX-License-Identifier: Apache-2.0
 * Adding, freeing and posing flexible bodies (T30). */
#include "model/flex.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/model.h"

void clv_flex_free(clv_flex *f)
{
    for (int i = 0; f->node && i < f->nnode; i++)
        clv_free(f->node[i].name), clv_free(f->node[i].shape);
    clv_free(f->node), clv_free(f->K), clv_free(f->C), clv_free(f->Mff), clv_free(f->S), clv_free(f->h), clv_free(f->E);
    clv_free(f->B), clv_free(f->eta), clv_free(f->etad);
    memset(f, 0, sizeof *f);
}

/* ------------------------------------------------------------------ checks of a description */

static clv_status refuse(clv_model *m, clv_status code, const char *body, const char *field, const char *text)
{
    clv_fail(&m->last, code, "body '%s': %s", body, text);
    clv_error_locate(&m->last, "bodies", body, field);
    return code;
}

static bool is_finite(const double *x, size_t n)
{
    for (size_t i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static clv_status check(clv_model *m, const clv_flex *d)
{
    if (m->finished)
        return refuse(m, CLV_ERR_USAGE, "", "flex", "the model is finished and cannot be changed");
    if (d->body < 0 || d->body != m->nbody - 1 || m->body[d->body].flex >= 0)
        return refuse(m, CLV_ERR_USAGE, "", "flex", "only the body added last can be made flexible, once");
    const char *name = m->body[d->body].name;
    size_t n = d->nmode > 0 ? (size_t)d->nmode : 0;
    if (n == 0 || d->nnode < 0 || !d->K || !d->Mff || !d->S || !d->h || !d->E || !d->B || (d->nnode > 0 && !d->node))
        return refuse(m, CLV_ERR_USAGE, name, "flex",
                      "a flexible body needs modes with stiffness, mass and its integrals");
    if (!is_finite(d->K, n * n) || !is_finite(d->C, n * n) || !is_finite(d->Mff, n * n) || !is_finite(d->S, 3 * n) ||
        !is_finite(d->h, 3 * n) || !is_finite(d->E, 9 * n) || !is_finite(d->B, 9 * n * n) || !is_finite(d->eta, n) ||
        !is_finite(d->etad, n) || !(d->limit >= 0) || !isfinite(d->limit))
        return refuse(m, CLV_ERR_MODEL, name, "flex", "a number is not finite");
    for (int i = 0; i < d->nnode; i++) {
        const clv_flex_node *node = &d->node[i];
        if (!node->name || !*node->name || !node->shape)
            return refuse(m, CLV_ERR_USAGE, name, "nodes", "a node needs a name and its mode shapes");
        if (!is_finite(node->shape, 6 * n) || !is_finite(node->position, 3) || !is_finite(node->orientation, 4))
            return refuse(m, CLV_ERR_MODEL, name, "nodes", "a number is not finite");
        if (!(fabs(clv_quat_norm(node->orientation) - 1) <= 1e-3))
            return refuse(m, CLV_ERR_MODEL, name, "nodes",
                          "the quaternion (w, x, y, z) of a node does not have length 1");
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ copying */

/* zeros where there is nothing to copy */
static bool copy(double **to, const double *from, size_t n)
{
    *to = clv_alloc(n, sizeof **to);
    if (*to && from)
        memcpy(*to, from, n * sizeof **to);
    return *to != NULL;
}

static bool copy_all(clv_flex *f, const clv_flex *d)
{
    size_t n = (size_t)d->nmode;
    *f = (clv_flex){.body = d->body, .nmode = d->nmode, .limit = d->limit};
    f->node = clv_alloc((size_t)d->nnode + 1, sizeof *f->node);
    bool ok = f->node && copy(&f->K, d->K, n * n) && copy(&f->C, d->C, n * n) && copy(&f->Mff, d->Mff, n * n) &&
              copy(&f->S, d->S, 3 * n) && copy(&f->h, d->h, 3 * n) && copy(&f->E, d->E, 9 * n) &&
              copy(&f->B, d->B, 9 * n * n) && copy(&f->eta, d->eta, n) && copy(&f->etad, d->etad, n);
    for (; ok && f->nnode < d->nnode; f->nnode++) {
        clv_flex_node *to = &f->node[f->nnode];
        const clv_flex_node *from = &d->node[f->nnode];
        *to = *from;
        to->name = clv_copy_text(from->name);
        ok = copy(&to->shape, from->shape, 6 * n) && to->name;
        clv_quat_normalize(to->orientation);
    }
    return ok;
}

/* hidden body of a node; belongs to the branch of its frame */
static clv_status add_node_body(clv_model *m, const char *frame, int branch, clv_flex_node *node)
{
    clv_body_desc d = clv_body_desc_default();
    size_t size = strlen(frame) + strlen(node->name) + 2;
    char *name = clv_alloc(size, 1);
    if (!name)
        return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    snprintf(name, size, "%s.%s", frame, node->name);
    d.name = name;
    clv_status st = clv_model_add_body(m, &node->body, &d);
    clv_free(name);
    if (st == CLV_OK)
        m->body[node->body].branch = branch;
    return st;
}

clv_status clv_model_add_flex(clv_model *m, int *index, const clv_flex *d)
{
    clv_status st = check(m, d);
    if (st != CLV_OK)
        return st;
    clv_flex *list = clv_resize(m->flex, (size_t)m->nflex + 1, sizeof *list), *f;
    if (!list)
        return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    m->flex = list, f = &list[m->nflex];
    if (!copy_all(f, d)) {
        clv_flex_free(f);
        return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    }
    const char *frame = m->body[d->body].name;
    int branch = m->body[d->body].branch;
    m->body[d->body].flex = m->nflex++; /* from here on the model owns it */
    for (int i = 0; i < f->nnode; i++) {
        st = add_node_body(m, frame, branch, &f->node[i]);
        if (st != CLV_OK) {
            for (int k = i; k < f->nnode; k++) /* nodes without a body are none */
                clv_free(f->node[k].name), clv_free(f->node[k].shape);
            f->nnode = i;
            return st;
        }
        m->body[f->node[i].body].flex = m->nflex - 1, m->body[f->node[i].body].node = i;
    }
    if (index)
        *index = m->nflex - 1;
    return CLV_OK;
}

/* ------------------------------------------------------------------ pose */

void clv_flex_node_turn(const clv_flex *f, const clv_flex_node *n, const double *eta, double position[3], double R[9],
                        clv_turn *turn)
{
    double theta[3] = {0}, E[9], R0[9];
    clv_copy3(position, n->position);
    for (int k = 0; k < f->nmode; k++) {
        clv_axpy3(position, eta[k], n->shape + 6 * (size_t)k);
        clv_axpy3(theta, eta[k], n->shape + 6 * (size_t)k + 3);
    }
    *turn = clv_turn_at(theta);
    clv_turn_matrix_at(E, turn);
    clv_quat_rotation(R0, n->orientation);
    clv_mat3_product(R, E, R0);
}

void clv_flex_node_pose(const clv_flex *f, const clv_flex_node *n, const double *eta, double position[3], double R[9],
                        double theta[3])
{
    clv_turn turn;
    clv_flex_node_turn(f, n, eta, position, R, &turn);
    if (theta)
        clv_copy3(theta, turn.theta);
}
