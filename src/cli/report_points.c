/* SPDX-License-Identifier: Apache-2.0
 * Where bodies are held: at joints, markers, ends of springs and points of tendons.  Pages and exports draw bodies
 * without a shape between these points. */
#include "base/memory.h"
#include "cli/report.h"
#include "model/model.h"
#include <string.h>

static const double *point_at(const clv_model *m, const clv_report_points *p, int i, int *body)
{
    const int ends = 2 * m->njoint + m->nmarker + 2 * m->nforce;
    if (i >= ends) {
        *body = p->path[i - ends]->body;
        return p->path[i - ends]->position;
    }
    if (i < 2 * m->njoint) {
        const clv_joint *j = &m->joint[i / 2];
        *body = i % 2 == 0 ? j->a : j->b;
        return i % 2 == 0 ? j->pa : j->pb;
    }
    const int rest = i - 2 * m->njoint, end = rest - m->nmarker;
    if (rest < m->nmarker) {
        *body = m->marker[rest].body;
        return m->marker[rest].position;
    }
    const clv_force *f = &m->force[end / 2];
    *body = end % 2 == 0 ? f->a : f->b;
    return end % 2 == 0 ? f->point_a : f->point_b;
}

/* A free joint holds nothing: its points are no corners of bodies.  Of forces, springs have two points. */
static bool is_corner(const clv_model *m, int i)
{
    const int end = i - 2 * m->njoint - m->nmarker;
    if (end >= 2 * m->nforce)
        return true;
    return end < 0 ? i >= 2 * m->njoint || m->joint[i / 2].kind != CLV_JOINT_FREE
                   : m->force[end / 2].kind == CLV_FORCE_SPRING;
}

/* all points of tendons; false: out of memory */
static bool list_paths(const clv_model *m, clv_report_points *p)
{
    int n = 0;
    for (int i = 0; i < m->nforce; ++i)
        n += m->force[i].npoint;
    p->path = clv_alloc((size_t)n + 1, sizeof *p->path), p->npath = 0; /* NOLINT(bugprone-sizeof-expression) */
    for (int i = 0; p->path && i < m->nforce; ++i)
        for (int k = 0; k < m->force[i].npoint; ++k)
            p->path[p->npath++] = &m->force[i].path[k];
    return p->path;
}

bool clv_report_points_find(const clv_model *m, clv_report_points *p)
{
    const bool listed = list_paths(m, p);
    p->n = 2 * m->njoint + m->nmarker + 2 * m->nforce + p->npath;
    p->first = clv_alloc((size_t)m->nbody + 1, sizeof *p->first);
    p->next = clv_alloc((size_t)p->n + 1, sizeof *p->next);
    if (!listed || !p->first || !p->next)
        return false;
    for (int b = 0; b < m->nbody; ++b)
        p->first[b] = -1;
    for (int i = p->n - 1, body; i >= 0; --i) {
        if (!is_corner(m, i))
            continue;
        point_at(m, p, i, &body);
        if (body >= 0)
            p->next[i] = p->first[body], p->first[body] = i;
    }
    return true;
}

void clv_report_points_release(clv_report_points *p)
{
    clv_free(p->first), clv_free(p->next), clv_free(p->path);
}

int clv_report_points_of(const clv_model *m, const clv_report_points *p, int body, double *all)
{
    int n = 0;
    for (int i = p->first[body], b; i >= 0 && n < CLV_REPORT_POINTS; i = p->next[i], ++n)
        memcpy(&all[3 * n], point_at(m, p, i, &b), 3 * sizeof *all);
    return n;
}
