/* SPDX-License-Identifier: Apache-2.0
 * Random mechanisms for the tests, built through the public interface and finished.  The same seed gives the same model
 * on every machine with this arithmetic: own generator, no library random numbers.
 *
 * Tree joints stand at random coordinates (has_q), body frames lie away from the centres of mass, masses span up to six
 * decades.  Closing joints are attached where they fit, so the start pose obeys every position constraint to rounding;
 * every system has a share of springs, dampers, drives, prescribed motions and couplings.  One in five is planar
 * (spatial joints with parallel axes: redundant constraints), and some doors hang on two hinges.  Start rates (has_u)
 * are random and not consistent: the simulation or oracle_project_velocity makes them so. */
#ifndef ORACLE_RANDOM_SYSTEM_H
#define ORACLE_RANDOM_SYSTEM_H
#include "cleave/cleave.h"
#include <stdint.h>

typedef enum random_kind {
    RANDOM_TREE,    /* no loops                                          */
    RANDOM_LOOP,    /* a chain closed once, with side branches           */
    RANDOM_COUPLED, /* loops that share bodies                           */
    RANDOM_NESTED,  /* loops inside loops                                */
    RANDOM_LADDER,  /* two rails and rungs, some crossed                 */
    RANDOM_HUB,     /* many arms on one body, tips joined                */
    RANDOM_RING,    /* a closed ring without ground                      */
    RANDOM_MIXED,   /* random tree, random closing joints                */
    RANDOM_KINDS
} random_kind;

typedef struct random_info {
    random_kind kind;
    int closing;    /* closing joints                                    */
    int mobility;   /* freedoms expected by counting (generic position)  */
    bool redundant; /* built with redundant constraints                  */
    bool locked;    /* more rows than freedoms somewhere                 */
} random_info;

typedef struct random_stream {
    uint64_t state;
} random_stream;
uint64_t random_next(random_stream *s);                        /* splitmix64                  */
double random_uniform(random_stream *s, double low, double high);
double random_normal(random_stream *s);                        /* about: sum of 12 uniforms   */
int random_index(random_stream *s, int n);                     /* 0 .. n - 1                  */
bool random_chance(random_stream *s, double probability);

const char *random_kind_name(random_kind kind);
/* nbody 0: 2 .. 40 at random (3 at least with loops).  info may be NULL.  On failure *model (if not NULL) carries the
 * error. */
clv_status random_system_create(uint64_t seed, random_kind kind, int nbody, clv_model **model, random_info *info);
/* Gives joints of a finished system rotors (T113), where the tree can have them; returns how many. */
int random_armature(clv_model *model, uint64_t seed);
#endif
