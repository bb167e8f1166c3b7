/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/random_branches.h"
#include "base/memory.h"
#include "model/names.h"
#include "plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int random_branches(clv_model *m, random_stream *r)
{
    clv_plan *p;
    clv_error e;
    int n = 0, *piece = calloc((size_t)m->nbody, sizeof(int));
    if (clv_plan_create(&p, m, &(clv_plan_options){.sections = true}, &e) != CLV_OK)
        abort();
    clv_free(m->branch);
    m->branch = clv_alloc((size_t)m->nbody + 1, sizeof *m->branch);
    m->nbranch = 0;
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = p->tree[b].parent;
        piece[b] = a < 0 || p->tree[b].detached || (p->tree[b].link < 0 && random_chance(r, 0.25)) ? n++ : piece[a];
    }
    int *branch = malloc(((size_t)n + 1) * sizeof(int));
    for (int k = 0; k < n; k++) {
        branch[k] = random_chance(r, 0.7) ? m->nbranch : -1;
        if (branch[k] < 0)
            continue;
        char name[24];
        snprintf(name, sizeof name, "branch %d", k);
        m->branch[m->nbranch++] = clv_names_keep(m->names, name);
    }
    for (int b = 0; b < m->nbody; b++)
        m->body[b].branch = branch[piece[b]];
    free(piece), free(branch);
    clv_plan_destroy(p);
    return n;
}

/* random brackets over all sections of the model */
static void put_brackets(char *text, size_t size, const clv_plan *p, int *list, int n, random_stream *r)
{
    if (n == 1) {
        size_t at = strlen(text);
        if (random_chance(r, 0.5))
            snprintf(text + at, size - at, "%s", p->section[list[0]].name);
        else
            snprintf(text + at, size - at, "%d", list[0]);
        return;
    }
    int left = 1 + random_index(r, n - 1);
    strcat(text, random_chance(r, 0.5) ? "(" : "{");
    bool round = text[strlen(text) - 1] == '(';
    put_brackets(text, size, p, list, left, r);
    strcat(text, ", ");
    put_brackets(text, size, p, list + left, n - left, r);
    strcat(text, round ? ")" : "}");
}

char *random_brackets(const clv_model *m, random_stream *r)
{
    clv_plan *p;
    clv_error e;
    if (clv_plan_create(&p, m, &(clv_plan_options){.sections = true}, &e) != CLV_OK)
        abort();
    size_t size = 64 * (size_t)p->nsection + 64;
    char *text = calloc(size, 1);
    int *list = malloc((size_t)p->nsection * sizeof(int));
    for (int k = 0; k < p->nsection; k++)
        list[k] = k;
    for (int k = p->nsection - 1; k > 0; k--) {
        int i = random_index(r, k + 1), t = list[k];
        list[k] = list[i], list[i] = t;
    }
    put_brackets(text, size, p, list, p->nsection, r);
    free(list);
    clv_plan_destroy(p);
    return text;
}
