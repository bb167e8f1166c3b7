/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts of a simulation (T62, T89): points in contact, what impulses at them do, and the components of the
 * mechanism that they move.
 *
 * touching_open.c: memory and components; touching.c: what integrators call; touching_move.c: how points move of
 * themselves; touching_stop.c: rigid end stops and dry friction of joints. */
#ifndef CLV_SIMULATION_TOUCHING_H
#define CLV_SIMULATION_TOUCHING_H
#include "base/memory.h"
#include "integrator/mechanics.h"
#include "model/contact.h"

enum { CLV_TOUCHING_FRICTION = 2 }; /* `pair` of dry friction of a joint; 0 and 1: of its lower and upper stop */

typedef struct clv_touching {
    int most;                 /* points that can be in contact                                              */
    int components;           /* parts of the mechanism that no joint or coupling connects                  */
    int *of;                  /* (nbody) component of a body                                                */
    int *first;               /* (components + 1) its rates, in order of components                         */
    int *rate, *place;        /* (nu) rate of the state at a place in that order, and the place of a rate    */
    clv_contact_point *point; /* (most)                                                                     */
    double *J, *Y;            /* directions and responses, see clv_contact_part                             */
    double *tau, *du;         /* (nu)                                                                       */
    bool moved;               /* velocities and their terms of all bodies are those of the middle of the step    */
    double *drive;            /* (3 nmotion) rates of motions at the beginning, end and middle of a step        */
    char *dry;                /* (nforce) dry friction of joints that impulses replace (T158)               */
    clv_load_press *press;    /* (most) forces of the last step, for outputs                                */
    int *start, *list;        /* (components + 1) (6 most) directions of a component: 3 (2 point + side) + axis */
    clv_arena block;
} clv_touching;

/* Most points of all rigid contacts and stops of a model. */
int clv_touching_most(const clv_model *m);
/* CLV_ERR_UNSUPPORTED with its name: a rigid contact in a simulation whose integrator finds no impulses, or beside
 * something that these do not take. */
clv_status clv_touching_refuse(clv_sim *s, bool impulses);
/* CLV_ERR_UNSUPPORTED with the name of a rigid contact or stop, which `what` does not take. */
clv_status clv_touching_exclude(clv_sim *s, const char *what);
/* A number of the pair of a sweep, as it stands in points and in those of the last step: in order of pairs. */
long clv_touching_pair(const clv_force *f, const int pair[2]);
/* Rates of motions at the beginning, the end and the middle of the step from t to t + h, for what follows. */
void clv_touching_drives(clv_sim *s, double t, double h);
/* What motions do to a point of the bodies a and b, and how it leaves along a chord, at rates u (nu) in the middle. */
void clv_touching_move(clv_sim *s, int a, int b, const clv_touch *found, const double *u, clv_contact_point *to);
/* A part for the component of a body, with directions 0, at the end of the `used` numbers of directions. */
clv_contact_part clv_touching_part(const clv_touching *x, int body, size_t *used);
/* J (of the component of the body) += scale times what a wrench G at a point of a body does to the joints, down to the
 * ground.  V += scale times the velocity (m/s, rad/s) that rates w of motions (nmotion) alone give it there. */
void clv_touching_carry(const clv_sim *s, int body, const double at[3], const double G[6], double scale, double *J);
void clv_touching_drive(const clv_sim *s, int body, const double at[3], const double *w, double scale, double V[6]);
/* A stop of a joint that touches at the poses of the system becomes point n, alone in its direction (T157); returns how
 * many points there are then. */
int clv_touching_stop(clv_sim *s, int force, int n, size_t *used);
/* Dry friction of a joint becomes point n, alone in its direction (T158); its bound in a step of h at such a rate. */
void clv_touching_friction(clv_sim *s, int force, int n, size_t *used);
void clv_touching_bind(void *owner, int k, double h, double rate);
/* Responses Y and own blocks W of the n points, by the factor at hand. */
clv_status clv_touching_respond(clv_sim *s, int n);
/* The bodies of the pair with that number. */
void clv_touching_bodies(const clv_force *f, long pair, int *a, int *b);
/* Components and memory, for the plan of the simulation. */
clv_status clv_touching_open(clv_sim *s);
void clv_touching_close(clv_sim *s);
/* From now on loads have the forces of rigid contacts, which are the impulses of the last step over its length (T154),
 * or have them no longer. */
void clv_touching_press(clv_sim *s, bool on);
/* Sets what integrators need of contacts. */
void clv_touching_mechanics(clv_sim *s, clv_mechanics *m);

#endif
