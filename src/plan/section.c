/* SPDX-License-Identifier: Apache-2.0
 * Sections: the branches of the branch method (T28).  The user's branches as they are, if each is connected by tree
 * joints.  Bodies without a branch are divided automatically into whole connected pieces.  These are cut only where
 * more than MOST_PORTS of their bodies are held by connections, because a section costs the square of its ports. */
#include "base/error.h"
#include "plan/plan.h"
#include <string.h>

enum { MOST_PORTS = 8 };

typedef struct work {
    clv_plan *p;
    bool *held;  /* (nbody) a closing or coupling holds the body                      */
    int *weight; /* (nbody) ports of the piece outboard of the body, itself included   */
    char *cut;   /* (nbody) its inboard joint separates two automatic sections         */
    int *child;  /* (nbody) first child; then the next one in `next`                   */
    int *next;
} work;

/* parent within one section if nothing cuts, or -1 */
static int inboard(const work *w, int b)
{
    const clv_tree_joint *t = &w->p->tree[b];
    const clv_model *m = w->p->model;
    return t->parent >= 0 && !t->detached && m->body[b].branch == m->body[t->parent].branch ? t->parent : -1;
}

static void mark_held(work *w)
{
    clv_plan *p = w->p;
    const clv_model *m = p->model;
    for (int j = 0; j < m->njoint; j++) {
        if (p->closing[j] && m->joint[j].a >= 0)
            w->held[m->joint[j].a] = 1;
        if (p->closing[j] && m->joint[j].b >= 0)
            w->held[m->joint[j].b] = 1;
    }
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 0; i < m->coupling[k].nterm; i++) {
            int c = p->child_of_joint[m->coupling[k].term[i].joint];
            if (c < 0) /* a closing joint: both bodies are held */
                continue;
            w->held[c] = 1;
            if (p->tree[c].parent >= 0)
                w->held[p->tree[c].parent] = 1;
        }
}

/* tips first: the heaviest outboard pieces are cut off until what is left has few enough ports */
static void divide(work *w)
{
    clv_plan *p = w->p;
    for (int b = 0; b < p->nbody; b++)
        w->child[b] = w->next[b] = -1;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i], sum = w->held[b];
        for (int c = w->child[b]; c >= 0; c = w->next[c])
            sum += w->weight[c];
        while (sum > MOST_PORTS) {
            int heavy = -1;
            for (int c = w->child[b]; c >= 0; c = w->next[c])
                if (!w->cut[c] && p->tree[c].link < 0 && w->weight[c] > 0 &&
                    (heavy < 0 || w->weight[c] > w->weight[heavy]))
                    heavy = c;
            if (heavy < 0)
                break;
            w->cut[heavy] = 1;
            sum -= w->weight[heavy];
            sum += !w->held[b];
            w->held[b] = 1;
        }
        w->weight[b] = sum;
        int a = inboard(w, b);
        if (a >= 0 && p->model->body[b].branch < 0)
            w->next[b] = w->child[a], w->child[a] = b;
    }
}

static clv_status not_connected(const clv_plan *p, int b, clv_error *e)
{
    const clv_model *m = p->model;
    const clv_tree_joint *t = &p->tree[b];
    const char *branch = m->branch[m->body[b].branch], *first = "";
    for (int i = p->nbody - 1; i >= 0; i--)
        if (m->body[p->order[i]].branch == m->body[b].branch)
            first = m->body[p->order[i]].name;
    clv_fail(e, CLV_ERR_MODEL,
             "branch '%s' is not connected: no tree joints inside it lead from body '%s' to body '%s', which %s%s%s",
             branch, first, m->body[b].name,
             t->detached     ? "floats"
             : t->parent < 0 ? "is joined to ground"
                             : "is joined to body '",
             t->parent >= 0 && !t->detached ? m->body[t->parent].name : "", t->parent >= 0 && !t->detached ? "'" : "");
    clv_error_locate(e, "bodies", m->body[b].name, "branch");
    clv_error_text(e->body, sizeof e->body, m->body[b].name);
    clv_error_hint(
        e,
        "give one of the two pieces a branch of its own, or put the bodies between them into '%s'. A branch is not "
        "connected by ground, free joints, constraints or joints with 'cut: true'",
        branch);
    return e->code;
}

/* numbers: the user's branches that have bodies, in their order, then automatic ones in the order of the tree */
static clv_status number(work *w, clv_error *e)
{
    clv_plan *p = w->p;
    const clv_model *m = p->model;
    int *of = w->child; /* (nbranch <= nbody) section of a user's branch */
    for (int k = 0; k < m->nbranch; k++)
        of[k] = -1;
    for (int i = 0; i < p->nbody; i++)
        if (m->body[i].branch >= 0)
            of[m->body[i].branch] = 0;
    for (int k = 0; k < m->nbranch; k++)
        if (of[k] == 0)
            of[k] = p->nsection, p->section[p->nsection++] = (clv_section){m->branch[k], -1, 0, -1};
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = inboard(w, b), k = m->body[b].branch;
        bool base = a < 0 || w->cut[b];
        if (k >= 0)
            k = of[k];
        else if (base)
            k = p->nsection, p->section[p->nsection++] = (clv_section){m->body[b].name, -1, 0, -1};
        else
            k = p->section_of[a];
        if (base && p->section[k].base >= 0)
            return not_connected(p, b, e);
        if (base)
            p->section[k].base = b;
        p->section_of[b] = k;
        p->section[k].nbody++;
    }
    return CLV_OK;
}

clv_status clv_plan_sections(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    for (int b = 0; b < p->nbody; b++)
        p->section_of[b] = p->model->body[b].branch;
    if (!o->sections)
        return CLV_OK;
    size_t n = (size_t)p->nbody + 1;
    work w = {.p = p};
    w.held = clv_alloc(n, 1), w.cut = clv_alloc(n, 1), w.weight = clv_alloc(n, sizeof(int));
    w.child = clv_alloc(n, sizeof(int)), w.next = clv_alloc(n, sizeof(int));
    p->section = clv_alloc(n, sizeof *p->section);
    clv_status st = CLV_ERR_MEMORY;
    if (w.held && w.cut && w.weight && w.child && w.next && p->section) {
        mark_held(&w);
        divide(&w);
        st = number(&w, e);
    } else
        clv_fail(e, st, "out of memory while planning");
    clv_free(w.held), clv_free(w.cut), clv_free(w.weight), clv_free(w.child), clv_free(w.next);
    return st;
}
