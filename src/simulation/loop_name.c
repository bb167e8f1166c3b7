/* SPDX-License-Identifier: Apache-2.0
 * Which loop stays open: the joints along it and the position of the violation, for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "kinematics/place.h"
#include "simulation/sim.h"

enum { MOST = 8 };

static int depth_of(const clv_plan *p, int body)
{
    int n = 0;
    for (; body >= 0; body = p->tree[body].parent)
        n++;
    return n;
}

/* body n joints inboard of `body` */
static int inboard(const clv_plan *p, int body, int n)
{
    while (n-- > 0)
        body = p->tree[body].parent;
    return body;
}

/* where the paths of two bodies to the ground meet */
static int meeting(const clv_plan *p, int a, int b)
{
    int na = depth_of(p, a), nb = depth_of(p, b);
    a = inboard(p, a, na > nb ? na - nb : 0), b = inboard(p, b, nb > na ? nb - na : 0);
    while (a != b)
        a = p->tree[a].parent, b = p->tree[b].parent;
    return a;
}

int clv_widest_edge(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    int worst = -1;
    double most = -1;
    for (int e = 0; e < p->nedge; e++)
        for (int r = 0; clv_edge_closes(&p->edge[e]) && r < p->edge[e].m; r++)
            if (worst < 0 || fabs(s->row[p->edge[e].row + r]) > most)
                most = fabs(s->row[p->edge[e].row + r]), worst = e;
    return worst;
}

size_t clv_loop_text(const clv_sim *s, int edge, char *text, size_t size)
{
    const clv_plan *p = s->plan;
    int joint = p->edge[edge].joint;
    if (joint < 0)
        return 0;
    const clv_joint *j = &s->model->joint[joint];
    int top = depth_of(p, meeting(p, j->a, j->b)), nb = depth_of(p, j->b) - top, na = depth_of(p, j->a) - top;
    double O[3];
    size_t end;
    clv_closing_point(&s->system.kin, j, O);
    for (int i = 0; i < 3; i++)
        O[i] = fabs(O[i]) < 1e-6 * s->size ? 0 : O[i];
    end = (size_t)snprintf(text, size, ", at (%.4g, %.4g, %.4g) m", O[0], O[1], O[2]);
    int shown = 0, hidden = 0;
    for (int i = 0; i < nb + na && end < size; i++) {
        int body = i < nb ? inboard(p, j->b, i) : inboard(p, j->a, nb + na - 1 - i), own = p->tree[body].joint;
        if (own < 0)
            continue;
        if (shown == 0 && end < size) /* bodies of an absolute plan have no joints of the tree */
            end += (size_t)snprintf(text + end, size - end, ", in the loop of joints %s", j->name);
        if (shown++ < MOST && end < size)
            end += (size_t)snprintf(text + end, size - end, ", %s", s->model->joint[own].name);
        else
            hidden++;
    }
    if (hidden > 0 && end < size)
        end += (size_t)snprintf(text + end, size - end, " and %d more", hidden);
    return end;
}
