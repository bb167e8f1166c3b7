/* SPDX-License-Identifier: Apache-2.0
 * Frames of a mechanism on ranks; see ranks_frame.h. */
#include "cli/ranks_frame.h"
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "model/model.h"

bool clv_ranks_frame_open(clv_ranks_frame *f, const clv_model *m)
{
    const size_t b = (size_t)m->nbody + 1, j = (size_t)m->njoint + 1;
    clv_ranked_state *s = &f->state;
    s->position = clv_alloc(3 * b, sizeof(double)), s->orientation = clv_alloc(4 * b, sizeof(double));
    s->velocity = clv_alloc(6 * b, sizeof(double));
    s->q = clv_alloc(7 * j, sizeof(double)), s->u = clv_alloc(6 * j, sizeof(double));
    f->marker = clv_alloc(6 * ((size_t)m->nmarker + 1), sizeof(double));
    return s->position && s->orientation && s->velocity && s->q && s->u && f->marker;
}

void clv_ranks_frame_close(clv_ranks_frame *f)
{
    clv_ranked_state *s = &f->state;
    clv_free(s->position), clv_free(s->orientation), clv_free(s->velocity), clv_free(s->q), clv_free(s->u);
    clv_free(f->marker), clv_free(f->frame), clv_free(f->from);
    *f = (clv_ranks_frame){0};
}

char *clv_ranks_frame_usual(const clv_model *m)
{
    static const char *const pattern[] = {"*.position", "*.quaternion", "*.velocity", "*.angular_velocity",
                                          "*.q",        "*.q.*",        "*.u",        "*.u.*",
                                          "energy.kinetic", "energy.potential", "energy.work"};
    enum { N = sizeof pattern / sizeof pattern[0] };
    char *text = clv_alloc(512, 1);
    size_t n = 0;
    for (int i = 0; text && i < N; i++) {
        clv_columns c;
        clv_error e;
        if (clv_columns_create(&c, m, pattern[i], false, &e) != CLV_OK)
            continue; /* no item of this kind */
        clv_columns_release(&c);
        n += (size_t)snprintf(text + n, 512 - n, "%s%s", n > 0 ? "," : "", pattern[i]);
    }
    return text;
}

/* ---------------------------------------------------------------- columns */

typedef struct source {
    const char *kind, *name;
    const double *at; /* of the first item        */
    int stride;       /* numbers between items    */
} source;

/* the name behind the owner: all but the first letters of coordinates are an index */
static const double *find(const clv_ranks_frame *f, const clv_column *c, const char *what)
{
    const source table[] = {{"body", "position", f->state.position, 3},
                            {"body", "quaternion", f->state.orientation, 4},
                            {"body", "velocity", f->state.velocity, 6},
                            {"body", "angular_velocity", f->state.velocity + 3, 6},
                            {"marker", "position", f->marker, 6},
                            {"marker", "velocity", f->marker + 3, 6},
                            {"run", "time", &f->time, 0},
                            {"run", "energy.kinetic", &f->energy[0], 0},
                            {"run", "energy.potential", &f->energy[1], 0},
                            {"run", "energy.work", &f->energy[2], 0},
                            {"run", "violation.position", &f->violation[0], 0},
                            {"run", "violation.velocity", &f->violation[1], 0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t n = strlen(table[i].name);
        if (strcmp(c->kind, table[i].kind) == 0 && strncmp(what, table[i].name, n) == 0 &&
            (!what[n] || (what[n] == '.' && c->part >= 0)))
            return table[i].at + (size_t)table[i].stride * (size_t)c->item + (c->part < 0 ? 0 : c->part);
    }
    if (strcmp(c->kind, "joint") != 0 || (what[1] && what[1] != '.'))
        return NULL;
    return what[0] == 'q'   ? f->state.q + 7 * (size_t)c->item + c->index
           : what[0] == 'u' ? f->state.u + 6 * (size_t)c->item + c->index
                            : NULL;
}

clv_status clv_ranks_frame_bind(clv_ranks_frame *f, const clv_model *m, const clv_column *column, int n, clv_error *e)
{
    int width = 0;
    (void)m;
    f->from = clv_alloc((size_t)n + 1, sizeof *f->from);
    if (!f->from)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        const clv_column *c = &column[i];
        const size_t owner = c->owner ? strlen(c->owner) : 0;
        f->from[i] = find(f, c, c->name + (owner > 0 ? owner + 1 : 0));
        if (!f->from[i]) {
            clv_fail(e, CLV_ERR_USAGE, "on ranks there is no column '%.100s'", c->name);
            clv_error_hint(e, "there are positions, velocities, q and u of joints, markers and energies; forces and "
                              "accelerations need one rank");
            return e->code;
        }
        width = c->first + c->count > width ? c->first + c->count : width;
    }
    f->frame = clv_alloc((size_t)width + 1, sizeof(double));
    return f->frame ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

static void show_markers(clv_ranks_frame *f, const clv_model *m)
{
    for (int i = 0; i < m->nmarker; i++) {
        const clv_marker *p = &m->marker[i];
        double R[9], l[3], x[3], *to = f->marker + 6 * (size_t)i;
        memset(to, 0, 6 * sizeof *to);
        if (p->body < 0) {
            clv_copy3(to, p->position);
            continue;
        }
        const double *V = f->state.velocity + 6 * (size_t)p->body;
        clv_quat_rotation(R, f->state.orientation + 4 * (size_t)p->body);
        clv_sub3(l, p->position, m->body[p->body].com);
        clv_mat3_times(x, R, l);
        clv_cross(to + 3, V + 3, x);
        for (int k = 0; k < 3; k++)
            to[k] = f->state.position[3 * (size_t)p->body + (size_t)k] + x[k], to[3 + k] += V[k];
    }
}

bool clv_ranks_frame_take(clv_ranks_frame *f, clv_ranked *r, const clv_model *m, const clv_column *column, int n)
{
    f->time = clv_sim_time(clv_ranked_sim(r));
    if (!clv_ranked_gather(r, &f->state, f->energy))
        return false;
    if (!f->state.position) /* not rank 0 */
        return true;
    show_markers(f, m);
    for (int i = 0; f->frame && i < n; i++)
        memcpy(f->frame + column[i].first, f->from[i], (size_t)column[i].count * sizeof(double));
    return true;
}
