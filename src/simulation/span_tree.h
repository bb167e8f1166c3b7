/* SPDX-License-Identifier: Apache-2.0
 * The assembly tree of a plan as tasks (T55): node by node, depth after depth, or in balanced subtrees.  Called by
 * `cleave bench span` and tests; no part of the public interface. */
#ifndef CLV_SIMULATION_SPAN_TREE_H
#define CLV_SIMULATION_SPAN_TREE_H
#include "simulation/span.h"

typedef struct clv_tree_record {
    int npart, depth;    /* strands and nodes, children first; of the last node, whose strands have 0 */
    int *child;          /* (npart x 2) or -1                                                          */
    int *level;          /* (npart) depth                                                              */
    int *group;          /* (npart) of a strand: the group of eight with its bodies; -1: a node        */
    double *up, *down;   /* (npart) s: factor and way up, way down, without lanes                      */
    int ngroup;
    double *strands;     /* (ngroup) s: the bodies of a group, in lanes                                */
} clv_tree_record;

/* Times every strand group and every part of the assembly by the engine, at the last accepted state; medians.
 * CLV_ERR_UNSUPPORTED: the plan has no tree of pairs (no node, hubs, flexible bodies, connections all at once).  Other
 * errors as clv_sim_record. */
clv_status clv_sim_record_tree(clv_sim *sim, clv_tree_record *record);
void clv_tree_record_close(clv_tree_record *record);
/* Each part is a task, and a depth begins when the one before is done: the way up, then the way down. */
bool clv_tree_levels(const clv_tree_record *record, clv_task_list *list);
/* Subtrees of at most a `pieces`th of the nodes' work are one task up and one down, each other node is one of its own.
 * They begin when the groups of their strands are done. */
bool clv_tree_subtrees(const clv_tree_record *record, int pieces, clv_task_list *list);

#endif
