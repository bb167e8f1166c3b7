/* SPDX-License-Identifier: Apache-2.0
 * Parts of a mechanism that no chain of joints holds to the ground: each floats with six degrees of freedom that belong
 * to no joint of the model.  A part is named by its first body.  So do bodies that only rows hold, and modes; see
 * check.h. */
#include "base/memory.h"
#include "cli/check.h"
#include "model/joint.h"
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

/* Does a joint hold two bodies together, or guide one along the other by coordinates?  The others are rows alone, as a
 * distance or a rolling contact: a body that only they hold has its coordinates in no joint. */
static bool guides(const clv_joint *j)
{
    return j->kind == CLV_JOINT_FIXED || clv_joint_table[j->kind].nu > 0;
}

/* first: of all parts (bodies + 1), joined by the joints that are there at the start; or by those that guide alone */
static void find_parts(const clv_model *m, int *first, bool guided)
{
    for (int i = 0; i <= m->nbody; ++i)
        first[i] = i;
    for (int j = 0; j < m->njoint; ++j)
        if (!m->joint[j].absent && (!guided || guides(&m->joint[j])))
            join(first, m->joint[j].a, m->joint[j].b);
    for (int b = 0; b < m->nbody; ++b)
        if (m->body[b].flex >= 0) /* a node belongs to the frame of its flexible body */
            join(first, m->flex[m->body[b].flex].body, b);
    for (int i = 0; i <= m->nbody; ++i)
        first[i] = first_of(first, i - 1);
}

int *clv_check_parts(const clv_model *m)
{
    int *first = clv_alloc(2 * ((size_t)m->nbody + 1), sizeof *first);
    if (first)
        find_parts(m, first, false), find_parts(m, first + m->nbody + 1, true);
    return first;
}

static const char *floating(const clv_check *c, int body)
{
    return c->parts[body + 1] == body + 1 ? c->subject.model->body[body].name : NULL;
}

static const char *held(const clv_check *c, int body)
{
    const clv_model *m = c->subject.model;
    return c->parts[m->nbody + 1 + body + 1] == body + 1 && !floating(c, body) ? m->body[body].name : NULL;
}

static const char *flexible(const clv_check *c, int k)
{
    const clv_model *m = c->subject.model;
    return m->flex[k].nmode > 0 ? m->body[m->flex[k].body].name : NULL;
}

/* "free: WHAT name and name" and what they are; nothing if none is chosen */
static void print_free(const clv_check *c, int count, clv_name_item *name, const char *one, const char *many,
                       const char *are)
{
    const int n = clv_check_items(c, NULL, count, name);
    if (n == 0)
        return;
    printf("                      free: %s ", n == 1 ? one : many);
    clv_check_items(c, stdout, count, name);
    printf("%s\n", are);
}

void clv_check_print_floating(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    const bool single = clv_check_items(c, NULL, m->nbody, floating) == 1;
    print_free(c, m->nbody, floating, "floating base", "floating bases",
               single ? " (six degrees of freedom)" : " (six degrees of freedom each)");
    print_free(c, m->nbody, held, "body", "bodies", ", held by joints without coordinates");
    print_free(c, m->nflex, flexible, "modes of", "modes of", "");
}

int clv_check_floating_rates(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    int n = 6 * clv_check_items(c, NULL, m->nbody, floating);
    for (int k = 0; k < m->nflex; ++k)
        n += m->flex[k].nmode;
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
