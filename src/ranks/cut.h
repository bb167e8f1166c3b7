/* SPDX-License-Identifier: Apache-2.0
 * Into which segments a mechanism is cut (T80): the model alone decides.  The main chain of an open tree goes from the
 * ground, or from its first body, to the heavier side at every body.  It is cut at bodies, so that all segments have
 * about as many bodies; a limb belongs to the segment of the body that carries it.  One loop is taken, from ground to
 * ground: then the main chain is the way from one of its ends to the other.
 *
 * Mechanisms with other loops (T160) are cut where few bodies lie between an inner and an outer part: borders.  Each
 * border is cut in all of its bodies. */
#ifndef CLV_RANKS_CUT_H
#define CLV_RANKS_CUT_H
#include "cleave/cleave.h"

typedef struct clv_cut {
    int nsegment;    /* a power of two                                                                    */
    int *segment_of; /* (nbody) of a body that is cut: the inner one                                      */
    int *split;      /* (nsegment) body that is cut between this segment and the next; -1: the last one   */
    int root;        /* body without a joint that holds it, from which the main chain starts; -1: the ground */
    int closing;     /* joint that holds the end of the main chain to ground (T128); -1: the chain is open */
    int end;         /* body at that end, -1                                                              */
    double size;     /* m, of the whole mechanism, as simulations have it                                 */
    double mass;     /* kg, of all bodies                                                                 */
    int *border;     /* (nsegment + 1) with other loops: bodies between segments k - 1 and k; else NULL    */
    int *cut_at;     /* (nbody) their place in `split`, -1: not cut; else NULL                             */
    int nsplit;      /* numbers of `split`: border after border, or one a segment                          */
    double *rate;    /* (nbody x 6) with other loops: start velocities of the origins of bodies (m/s, rad/s), NULL: 0 */
} clv_cut;

enum { CLV_CUT_MOST = 16 }; /* bodies of a border */
#define CLV_CUT_MOST_TEXT "sixteen"

/* `most`: segments at most; 0: as many as the size of the model calls for.  Errors: CLV_ERR_UNSUPPORTED with the name
 * of what cannot be cut, CLV_ERR_MEMORY. */
clv_status clv_cut_model(clv_cut *cut, const clv_model *m, int most, clv_error *e);
/* Gives back what is only of use to make shares: lists of all bodies. */
void clv_cut_forget(clv_cut *cut);
void clv_cut_close(clv_cut *cut);

#endif
