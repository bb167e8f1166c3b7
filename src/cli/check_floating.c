/* SPDX-License-Identifier: Apache-2.0
 * Parts of a mechanism that no chain of joints holds to the ground: each floats with six degrees of freedom that belong
 * to no joint of the model.  A part is named by its first body; see check.h. */
#include "base/memory.h"
#include "cli/check.h"
#include "model/model.h"

/* First body of the part of a body; the ground is body -1, and the lists are shifted by one. */
static int first_of(int *first, int body)
{
    int k = body + 1;
    while (first[k] != k) {
        first[k] = first[first[k]];
        k = first[k];
    }
    return k;
}

static void join(int *first, int a, int b)
{
    const int x = first_of(first, a), y = first_of(first, b);
    first[x > y ? x : y] = x < y ? x : y;
}

int *clv_check_parts(const clv_model *m)
{
    int *first = clv_alloc((size_t)m->nbody + 1, sizeof *first);
    for (int i = 0; first && i <= m->nbody; ++i)
        first[i] = i;
    for (int j = 0; first && j < m->njoint; ++j)
        join(first, m->joint[j].a, m->joint[j].b);
    for (int b = 0; first && b < m->nbody; ++b)
        if (m->body[b].flex >= 0) /* a node belongs to the frame of its flexible body */
            join(first, m->flex[m->body[b].flex].body, b);
    for (int i = 0; first && i <= m->nbody; ++i)
        first[i] = first_of(first, i - 1);
    return first;
}

int clv_check_print_floating(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    int n = 0;
    for (int i = 0; i < m->nbody; ++i)
        n += c->parts[i + 1] == i + 1;
    if (n > 0)
        printf("                      free: floating base%s ", clv_plural(n));
    for (int i = 0, k = 0; n > 0 && i < m->nbody && k < 4; ++i)
        if (c->parts[i + 1] == i + 1) {
            printf("%s%s", k == 0 ? "" : k == n - 1 ? " and " : ", ", m->body[i].name);
            ++k;
        }
    if (n > 4)
        printf(" and %d more", n - 4);
    if (n > 0)
        printf(" (six degrees of freedom%s)\n", n == 1 ? "" : " each");
    return n;
}

void clv_check_json_floating(clv_json *j, const clv_check *c)
{
    const clv_model *m = c->subject.model;
    clv_json_array(j, "floating_bases");
    for (int i = 0; i < m->nbody; ++i)
        if (c->parts[i + 1] == i + 1)
            clv_json_text(j, NULL, m->body[i].name);
    clv_json_end(j);
}
