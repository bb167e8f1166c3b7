/* SPDX-License-Identifier: Apache-2.0
 * How a simulation divided its mechanism; see division.h.  Formulations that solve on the spanning tree (index3) show
 * that one. */
#include "simulation/division.h"
#include "simulation/sim.h"

static const clv_plan *plan_of(const clv_sim *sim) { return sim->tree ? sim->tree : sim->plan; }

int clv_division_strands(const clv_sim *sim) { return plan_of(sim)->nstrand; }
int clv_division_parts(const clv_sim *sim) { return plan_of(sim)->npart; }

static int strand_at(const clv_plan *p, int slot)
{
    for (int g = 0; slot >= 0 && g < p->ngroup; ++g)
        if (slot / 8 >= p->group[g].row && slot / 8 < p->group[g].row + p->group[g].nrow)
            return p->group[g].strand[slot % 8];
    return -1;
}

int clv_division_strand_of(const clv_sim *sim, int body)
{
    return strand_at(plan_of(sim), plan_of(sim)->slot[body]);
}

bool clv_division_closing(const clv_sim *sim, int joint) { return plan_of(sim)->closing[joint]; }

int clv_division_fold(const clv_sim *sim, int k)
{
    const clv_plan *p = plan_of(sim);
    return p->strand[k].base == CLV_BASE_FOLD ? strand_at(p, p->fold_slot[k]) : -1;
}

static bool is_method_one(const clv_plan *p, int i) { return p->connect && p->connect->part == i; }

clv_division_part clv_division_part_at(const clv_sim *sim, int i)
{
    const clv_plan *p = plan_of(sim);
    const clv_part *q = &p->part[i];
    const int own = (q->child[0] >= 0) + (q->child[1] >= 0);
    return (clv_division_part){.strand = q->strand,
                               .flexible = q->star,
                               .nbelow = is_method_one(p, i)     ? p->connect->nchild
                                         : clv_part_is_node(q) ? own + q->npetal
                                                                 : 0,
                               .ncloses = q->nedge,
                               .rows = q->m,
                               .loop = q->loop};
}

int clv_division_below(const clv_sim *sim, int i, int k)
{
    const clv_plan *p = plan_of(sim);
    const clv_part *q = &p->part[i];
    if (is_method_one(p, i))
        return p->connect->child[k];
    return k < q->npetal ? i - q->npetal + k : q->child[k - q->npetal]; /* petals are the parts before it */
}

const char *clv_division_closes(const clv_sim *sim, int i, int k)
{
    const clv_plan *p = plan_of(sim);
    const clv_edge *e = &p->edge[p->edges_of[p->part[i].edge + k]];
    const int joint = e->joint >= 0 ? e->joint : e->tree_body >= 0 ? p->tree[e->tree_body].joint : -1;
    return joint >= 0         ? p->model->joint[joint].name
           : e->coupling >= 0 ? p->model->coupling[e->coupling].name
           : e->force >= 0    ? p->model->force[e->force].name
                              : "";
}
