/* SPDX-License-Identifier: Apache-2.0
 * How a simulation divided its mechanism (plan.h), for those who show it: strands, flexible bodies, and the nodes that
 * join them.  Called by `cleave report`; no part of the public interface. */
#ifndef CLV_SIMULATION_DIVISION_H
#define CLV_SIMULATION_DIVISION_H
#include "cleave/cleave.h"

/* A part of the assembly tree; the parts below it have lower numbers. */
typedef struct clv_division_part {
    int strand, flexible; /* a strand, or a flexible body of the model; -1: a node */
    int nbelow, ncloses;  /* parts below; joints, couplings and forces closed here */
    int rows;             /* of these                                              */
    bool loop;            /* a loop closes here                                    */
} clv_division_part;

int clv_division_strands(const clv_sim *sim);
int clv_division_parts(const clv_sim *sim);
/* Strand of a body of the model; -1: it belongs to a flexible body. */
int clv_division_strand_of(const clv_sim *sim, int body);
/* Does the joint close a loop of the spanning tree?  Formulations in absolute coordinates close every joint; this is
 * about the tree beside them. */
bool clv_division_closing(const clv_sim *sim, int joint);
/* Strand that takes strand k up without a part, or -1. */
int clv_division_fold(const clv_sim *sim, int k);
clv_division_part clv_division_part_at(const clv_sim *sim, int i);
/* Part number k below part i, and the name of what it closes as number k. */
int clv_division_below(const clv_sim *sim, int i, int k);
const char *clv_division_closes(const clv_sim *sim, int i, int k);

#endif
