/* SPDX-License-Identifier: Apache-2.0
 * Modes and integrals written out (T32.1): inline under `modal`, or the one mapping of a file of modes.  What no mass
 * could have is refused: modal mass or energy that is not positive, products that exceed it. */
#include "base/memory.h"
#include "io/yaml_read_flex.h"
#include "math/rotation.h"
#include "math/symmetric.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- sense */

/* Smallest eigenvalue of a symmetric matrix whose diagonal is scaled to 1; zero rows left out.  NaN: out of memory. */
static double least_scaled(const double *x, int n)
{
    double *A = clv_alloc(2 * (size_t)n * (size_t)n + (size_t)n, sizeof *A);
    if (!A)
        return NAN;
    double *V = A + (size_t)n * (size_t)n, *lambda = V + (size_t)n * (size_t)n;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            double scale = sqrt(fabs(x[i * n + i])) * sqrt(fabs(x[k * n + k]));
            A[i * n + k] = scale > 0 ? x[i * n + k] / scale : x[i * n + k] == 0 ? (double)(i == k) : -1.0 * (i != k);
        }
    clv_symmetric_eigen(lambda, V, A, n);
    double least = lambda[0];
    clv_free(A);
    return least;
}

/* Mass matrix of frame and modes, undeformed, about the centre of mass: (6 + n) square. */
static void whole_mass(double *M, const clv_flex_body *b)
{
    const clv_flex *f = &b->flex;
    int n = f->nmode, w = 6 + n;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 3; ++i)
        M[i * w + i] = b->mass;
    for (int i = 0; i < 6; ++i)
        M[(3 + row[i]) * w + 3 + column[i]] = M[(3 + column[i]) * w + 3 + row[i]] = b->J[i];
    for (int k = 0; k < n; ++k) {
        double shift[3];
        clv_cross(shift, b->com, f->S + 3 * k); /* h about the centre of mass: h - c x S */
        for (int i = 0; i < 3; ++i) {
            M[i * w + 6 + k] = M[(6 + k) * w + i] = f->S[3 * k + i];
            M[(3 + i) * w + 6 + k] = M[(6 + k) * w + 3 + i] = f->h[3 * k + i] - shift[i];
        }
        for (int l = 0; l < n; ++l)
            M[(6 + k) * w + 6 + l] = f->Mff[k * n + l];
    }
}

static void check_energy(clv_entry *e, const clv_flex_body *b)
{
    int n = b->flex.nmode, w = 6 + n;
    double *M = clv_alloc((size_t)w * (size_t)w, sizeof *M), least = NAN;
    if (M) {
        whole_mass(M, b);
        least = least_scaled(M, w);
    }
    clv_free(M);
    if (isnan(least))
        clv_read_out_of_memory(e->reader);
    else if (least < -1e-8)
        clv_entry_fail(
            e, NULL, NULL, "check momentum, angular_momentum, modal_mass, mass and inertia against each other",
            "no body has these integrals: some motion would have negative kinetic energy (relative %.2g)", least);
}

static void check_matrix(clv_entry *e, const clv_value *v, const char *key, const double *x, int n, bool definite)
{
    double least = least_scaled(x, n);
    bool zero = false;
    for (int i = 0; i < n && definite; ++i)
        zero = zero || !(x[i * n + i] > 0);
    if (isnan(least))
        clv_read_out_of_memory(e->reader);
    else if (zero || least < (definite ? 1e-12 : -1e-9))
        clv_entry_fail(e, v, key, definite ? "modes must be linearly independent and move mass" : "check the signs",
                       "not positive %s: some combination of modes has %s %s", definite ? "definite" : "semidefinite",
                       definite ? "no" : "negative",
                       strcmp(key, "damping") == 0 ? "damping"
                       : definite                  ? "mass"
                                                   : "stiffness");
}

/* B_lk = B_kl^T; of a mode, what moves mass by translations is at most its modal mass. */
static void check_products(clv_entry *e, const clv_flex *f)
{
    const clv_value *v = CLV_VALUE(e, MODAL, PRODUCTS);
    int n = f->nmode;
    for (int k = 0; k < n; ++k)
        for (int l = 0; l <= k; ++l) {
            double *a = f->B + 9 * (k * n + l), *b = f->B + 9 * (l * n + k);
            double size = sqrt(f->Mff[k * n + k] * f->Mff[l * n + l]), worst = 0;
            for (int i = 0; i < 9; ++i)
                worst = fmax(worst, fabs(a[i] - b[3 * (i % 3) + i / 3]));
            if (!(worst <= 1e-9 * size)) {
                clv_entry_fail(e, v, "products", "the product of modes l, k is the transpose of that of k, l",
                               "the products of modes %d and %d are not each other's transpose (%.2g)", k + 1, l + 1,
                               worst);
                return;
            }
            for (int i = 0; i < 9 && worst > 0; ++i)
                if (l < k || i / 3 > i % 3)
                    a[i] = b[3 * (i % 3) + i / 3];
        }
    for (int k = 0; k < n; ++k) {
        const double *B = f->B + 9 * (k * n + k);
        double trace = B[0] + B[4] + B[8], mass = f->Mff[k * n + k];
        if (!(trace <= mass * (1 + 1e-6)) || B[0] < 0 || B[4] < 0 || B[8] < 0) {
            clv_entry_fail(e, v, "products", "their trace is the modal mass, less the part of rotations",
                           "mode %d: products of trace %g with a modal mass of %g", k + 1, trace, mass);
            return;
        }
    }
}

/* ---------------------------------------------------------------- nodes */

bool clv_node_name(clv_entry *e, const clv_yaml_node *key, const char *in, char **name)
{
    char path[200];
    const char *text = clv_node_text(e->reader, key);
    clv_path_join(path, sizeof path, e->path, in);
    if (key->refused)
        return e->good = false;
    if (*text == '\0' || strpbrk(text, "{}.")) {
        clv_read_fail(e->reader, CLV_ERR_MODEL, key, path, NULL, "write a name as `tip`; elsewhere it is then boom.tip",
                      *text ? "the name '%.80s' of a node has a dot or braces" : "the name%s of a node is empty", text);
        return e->good = false;
    }
    if (!(*name = clv_copy_text(text))) {
        clv_read_out_of_memory(e->reader);
        return e->good = false;
    }
    return true;
}

static void read_node(clv_entry *m, const clv_yaml_node *key, clv_flex *f, clv_flex_node *node)
{
    clv_entry e;
    char path[200];
    double R[9];
    bool exact;
    if (!clv_node_name(m, key, "nodes", &node->name))
        return;
    clv_path_join(path, sizeof path, m->path, "nodes");
    size_t end = strlen(path);
    clv_path_join(path + end, sizeof path - end, ".", node->name);
    if (end > 0)
        memmove(path + end, path + end + 1, strlen(path + end)); /* one dot */
    if (clv_entry_read_in(&e, m, clv_node(m->reader, key->next), key, CLV_IN_NODE, path)) {
        memcpy(node->position, CLV_VALUE(&e, NODE, POSITION)->x, sizeof node->position);
        clv_value_orientation(&e, CLV_VALUE(&e, NODE, ORIENTATION), "orientation", node->orientation, R, &exact);
        clv_value_rows(&e, CLV_VALUE(&e, NODE, SHAPES), "shapes", f->nmode, 6, "mode", node->shape);
    }
    m->good = m->good && e.good;
}

/* ---------------------------------------------------------------- the mapping */

static void fill_numbers(clv_entry *e, clv_flex_body *b)
{
    clv_flex *f = &b->flex;
    int n = f->nmode;
    b->mass = CLV_VALUE(e, MODAL, MASS)->x[0];
    memcpy(b->com, CLV_VALUE(e, MODAL, COM)->x, sizeof b->com);
    memcpy(b->J, CLV_VALUE(e, MODAL, INERTIA)->x, sizeof b->J);
    clv_value_square(e, CLV_VALUE(e, MODAL, STIFFNESS), "stiffness", n, f->K);
    clv_value_square(e, CLV_VALUE(e, MODAL, DAMPING), "damping", n, f->C);
    clv_value_square(e, CLV_VALUE(e, MODAL, MODAL_MASS), "modal_mass", n, f->Mff);
    clv_value_rows(e, CLV_VALUE(e, MODAL, MOMENTUM), "momentum", n, 3, "mode", f->S);
    clv_value_rows(e, CLV_VALUE(e, MODAL, MOMENTS), "moments", n, 9, "mode", f->E);
    clv_value_rows(e, CLV_VALUE(e, MODAL, PRODUCTS), "products", n * n, 9, "pair of modes", f->B);
    clv_value_rows(e, CLV_VALUE(e, MODAL, ANGULAR), "angular_momentum", n, 3, "mode", f->h);
    for (int k = 0; k < n && !CLV_VALUE(e, MODAL, ANGULAR)->node; ++k) { /* x cross phi of E = x phi^T */
        const double *E = f->E + 9 * k;
        f->h[3 * k] = E[5] - E[7], f->h[3 * k + 1] = E[6] - E[2], f->h[3 * k + 2] = E[1] - E[3];
    }
    int i = 0;
    const clv_yaml_node *nodes = CLV_VALUE(e, MODAL, NODES)->node;
    for (const clv_yaml_node *key = nodes ? clv_node(e->reader, nodes->first) : NULL; key;
         key = clv_node(e->reader, clv_node(e->reader, key->next)->next))
        read_node(e, key, f, &f->node[i++]);
}

static void check_numbers(clv_entry *e, clv_flex_body *b)
{
    clv_flex *f = &b->flex;
    int n = f->nmode;
    check_matrix(e, CLV_VALUE(e, MODAL, MODAL_MASS), "modal_mass", f->Mff, n, true);
    check_matrix(e, CLV_VALUE(e, MODAL, STIFFNESS), "stiffness", f->K, n, false);
    check_matrix(e, CLV_VALUE(e, MODAL, DAMPING), "damping", f->C, n, false);
    if (e->good && !e->reader->memory)
        check_products(e, f);
    if (e->good && !e->reader->memory)
        check_energy(e, b);
}

/* Given, or a part of the lowest frequency. */
static void fill_limit(clv_entry *e, clv_flex_body *b)
{
    const clv_value *v = CLV_VALUE(e, MODAL, SPIN);
    size_t n = (size_t)b->flex.nmode;
    b->flex.limit = v->x[0];
    if (v->node)
        return;
    double *scratch = clv_alloc(4 * n * n + n, sizeof *scratch);
    if (scratch && clv_flex_frequencies(scratch + 4 * n * n, &b->flex, scratch))
        b->flex.limit = CLV_FLEX_SPIN * scratch[4 * n * n];
    else if (!scratch)
        clv_read_out_of_memory(e->reader);
    clv_free(scratch);
}

bool clv_read_modal(clv_entry *e, clv_flex_body *b)
{
    const clv_value *version = CLV_VALUE(e, MODAL, VERSION), *K = CLV_VALUE(e, MODAL, STIFFNESS),
                    *nodes = CLV_VALUE(e, MODAL, NODES);
    if (version->node && version->x[0] != 1)
        clv_entry_fail(e, version, "flex", "write `flex: 1`, or use a newer program",
                       "this program reads version 1 of the format, not %g", version->x[0]);
    else if (K->node->kind != CLV_YAML_LIST || K->node->count == 0 || K->node->count > CLV_FLEX_MOST_MODES)
        clv_key_fail(e, K->node, &clv_schema[CLV_KEY_MODAL_STIFFNESS],
                     "expected a list of 1 to %d numbers or rows, one for each mode", CLV_FLEX_MOST_MODES);
    if (!e->good)
        return false;
    if (!clv_flex_body_open(b, (int)K->node->count, nodes->node ? (int)nodes->node->count : 0)) {
        clv_read_out_of_memory(e->reader);
        return false;
    }
    fill_numbers(e, b);
    if (e->good)
        check_numbers(e, b);
    if (e->good)
        fill_limit(e, b);
    if (e->good && !e->reader->memory)
        return true;
    clv_flex_body_close(b);
    return false;
}
