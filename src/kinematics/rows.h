/* SPDX-License-Identifier: Apache-2.0
 * Rows: bodies and their inboard joints in slot order, eight in a row, as the lane kernels work on them (T43).
 *
 * A strand is worked in axes of its own: those of the body from which it starts, or of a base that floats.  In open
 * trees the joint by which a strand is attached to another is its first one; where loops are closed it is an edge.
 *
 *   pose       base to tip   arms, free directions, inertias, in strand axes; dca: relative motions
 *   scan       strand by strand, parents first: where each starts in global axes, and how it moves
 *   up         tip to base   factor and solve; dca: after velocity terms, base to tip
 *   fold       strand by strand, outermost first; and back; with loops: nodes join strands (row_close.c)
 *   down       base to tip   velocities or accelerations
 *   collect    strand by strand, outermost first: momenta and loads outboard of rows
 *   momentum   tip to base   rates of the canonical momenta
 *
 * A row turns by alpha q about the z axis of its frame and translates by beta q along it: revolute (1, 0), prismatic
 * (0, 1), helical (1, pitch), fixed (0, 0), with the sign of a reversed joint.  Joints of several degrees of freedom
 * are several rows, with massless bodies between them (row_joints.c).  Bodies are written in the frame of the last row
 * of their inboard joint, at its point on the body, so that mass, first moment and inertia are constants.
 * The model order appears only at the border: bodies that loop joints, loads or joints between strands touch. */
#ifndef CLV_KINEMATICS_ROWS_H
#define CLV_KINEMATICS_ROWS_H
#include "base/team.h"
#include "kinematics/kinematics.h"
#include "kinematics/row_star.h"
#include "kinematics/row_carry.h"
#include "math/lane.h"
#include "math/rank.h"

enum { /* of a body */
    CLV_ROWS_BORDER = 1,  /* poses and motions are needed in model order      */
    CLV_ROWS_LOADED = 2,  /* loads may act on it                              */
    CLV_ROWS_COUPLED = 4, /* its inboard joint is coupled                     */
    CLV_ROWS_SEEN = 8,    /* a formulation looks at it                        */
    CLV_ROWS_HELD = 16    /* a control is bound to it                         */
};
enum { CLV_FRAME = 12 }; /* axes x, y, z (3 numbers each), position */
enum { CLV_ROW_SHORT = 8 }; /* numbers in short runs of places, on average */

enum { /* some lane of a row .. */
    CLV_ROW_FREE = 1,     /* .. has a degree of freedom                           */
    CLV_ROW_TURNS = 2,    /* .. turns by its coordinate                           */
    CLV_ROW_SHIFTS = 4,   /* .. translates with it: beta is not zero              */
    CLV_ROW_ARM = 8,      /* .. has a point of its own                            */
    CLV_ROW_MASS = 16,    /* .. has mass or inertia                               */
    CLV_ROW_SEVERAL = 32, /* .. belongs to a joint of several rows                */
    CLV_ROW_BALL = 64,    /* .. to a spherical joint                              */
    CLV_ROW_DRIVEN = 128, /* .. follows a motion                                  */
    CLV_ROW_STIFF = 256   /* .. has rotors, or a spring or damper (implicit steps) */
};
/* A row of revolute joints alone: kernels have a version of their own for it. */
#define CLV_ROW_PLAIN (CLV_ROW_FREE | CLV_ROW_TURNS | CLV_ROW_ARM | CLV_ROW_MASS)

/* Slots of one lane, row by row, and their positions in a state vector, one after the other.  In groups of short runs a
 * place is one number, and its count is 0. */
typedef struct clv_row_place {
    int slot, index, count;
} clv_row_place;

/* A row that follows a motion. */
typedef struct clv_row_drive {
    int body, slot, motion;
    double u, ud;    /* present rate and acceleration                                                       */
} clv_row_drive;

/* A spherical joint: three rows. */
typedef struct clv_row_ball {
    int body, slot;  /* of its first row                                                                    */
    double E[9];     /* joint frame on the parent, in the parent's frame                                    */
    double T[9];     /* present rotation of the child's joint frame in the parent's                         */
} clv_row_ball;

/* What a group of eight strands shows: numbers of a strand in its lane, (n x 8) each. */
typedef struct clv_row_ends {
    double *start;   /* strand axes (three columns) and start point, global                                 (12) */
    double *turn;    /* strand axes beside those of the strand from which it starts, row major               (9) */
    double *motion;  /* m/s, rad/s at the start point, strand axes                                           (6) */
    double *gravity; /* m/s^2, strand axes                                                                   (3) */
    double *mass;    /* kg, kg m: mass and first moment about the start point, strand axes                   (4) */
    double *energy;  /* J, (m/s)^2 + (rad/s)^2: kinetic; sum of the squares of all speeds                   (2) */
    double *P, *Q;   /* momentum and load of the strand and all outboard, about its start, strand axes    (6, 6) */
    double *weak;    /* a constant: least share of the inertia in a direction that is enough             (1) */
} clv_row_ends;

/* A strand with what lies outboard of it, strand axes, see row_fold.c; matrices 6 x 6 row major. */
enum { CLV_ROW_SOLUTION = 37 };
typedef struct clv_row_solution { /* of a strand: base, tip, F, base_F, start of the way down and its F, reaction */
    double v[CLV_ROW_SOLUTION];
} clv_row_solution;

/* Where the strands of a group start, a number every eight, of each lane; row_border.c. */
typedef struct clv_row_root {
    bool alike;                     /* they start in lanes: none of them floats                             */
    bool together;                  /* bodies of the border of the group are shown and loaded in lanes      */
    const double *frame[CLV_GROUP]; /* frame of the body on which a strand hangs, global                 (12) */
    const double *run[CLV_GROUP];   /* and its V                                                          (6) */
    const double *axes[CLV_GROUP];  /* axes of its strand                                                 (9) */
    double *R[CLV_GROUP];           /* R of the join of the strand, one after the other                   (9) */
    bool limbs, all;                /* some of them, or all, fold into bodies                               */
    const double *base[CLV_GROUP];  /* motion x of the body on which the strand hangs                    (6) */
    double spare[9];                /* that of strands on ground                                            */
} clv_row_root;

/* poses and motions in model order: (nbody x 9, 3, 3, 6) */
typedef struct clv_row_view {
    double *R, *com, *ref, *V;
} clv_row_view;

typedef struct clv_row_join {
    double H[36], h[6];      /* outboard of the tip: F = h - H x_tip                       */
    double X[36], y[6];      /* x_tip = X x_base + y                                       */
    double I[36], p[6];      /* at the base, outboard included                             */
    double N[36], D[36], u0[6]; /* the joint of a base on an edge; D: of a base that floats */
    double R[9], r[3];       /* axes of the strand before to these; arm to the base, these */
    double G[36], c[6];      /* free directions, bias of the joint                         */
    double reaction;         /* force of the drive, where the joint of the base is prescribed */
    double before;           /* carried loops: that of the solutions before                   */
    double tip[6];           /* motion of the tip in the last solve                        */
    double base[6], F[6];    /* loops: motion of the base, wrench at the tip, global       */
    double base_F[6];        /* loops: wrench at the base                                  */
    double more[2];          /* kg, kg m^2: extra inertia of a base that floats, open trees */
    clv_row_solution kept;   /* sum of passes, see row_extra.c                             */
    double drive[6];         /* wrench of the drive of a base that floats, global          */
} clv_row_join;

/* A body of a flexible body, with the joints on it: numbers about its reference point, global axes. */
typedef struct clv_row_hold {
    double H[36], h[6];      /* what is attached to it: F = h - H x, see row_fold.c    */
    bool hangs;              /* anything                                               */
    double x[6];             /* its motion in the last solve                           */
    double P[6], Q[6];       /* momentum and load that arrive, then outboard sums      */
    double kept[18];         /* x and h: sums of passes; Q: see row_extra.c            */
} clv_row_hold;

/* A flexible body with what is attached to its nodes, see row_star.c; axes of the join of this piece are global. */
typedef struct clv_row_star {
    clv_row_hold *hold;      /* (1 + nnode) the frame, its nodes                       */
    double *A;               /* (nmode x nmode) of the modes with the entry held: L, inverse pivots on its diagonal */
    double *G, *y;           /* (nmode x 6), (nmode): L^-1 of modes beside the motion of the entry, of their loads  */
    clv_star_fold fold;      /* at work                                                */
} clv_row_star;

/* Of a strand on the way from the root of a segment to its handle (T80): what a wrench F on the handle does. */
typedef struct clv_row_reach {
    double J[36];            /* wrench at the tip: J F */
    double Z[36];            /* motion of the tip while the base rests: Z F */
} clv_row_reach;

/* A segment of a divided mechanism, see row_segments.h. */
typedef struct clv_row_segment {
    int root;                /* strand of its root, -1: it starts from the ground                        */
    int handle;              /* body, -1: none                                                           */
    int first, count;        /* strands on the way to the handle, from the root: path[first ..]          */
    double x[6], F[6], W[6]; /* motion of the root, strand axes; wrenches, see clv_segment_ends           */
} clv_row_segment;

typedef struct clv_row_kernels clv_row_kernels;
typedef struct clv_row_run clv_row_run;

typedef struct clv_rows {
    const clv_plan *plan;
    const clv_row_kernels *kernels; /* of this CPU                                                            */
    clv_engine *engine;
    bool looped;      /* loops, couplings, branches are joined: strands meet in nodes, not by folding            */
    bool carried;     /* loops are carried by the tree (T101): strands fold, as in open trees                    */
    bool fit;         /* the system can be evaluated in rows                                                */
    bool global;      /* axes of strands are global (row_trials.h)                                          */
    int nrow;         /* rows; a body has a slot, 8 row + lane                                              */
    int *first;       /* (ngroup + 1) first row of a group                                                  */
    int *slot;        /* (nbody)                                                                            */
    unsigned short *flags; /* (nrow) what some lane of the row has, CLV_ROW_..                              */
    /* constants of the rows: component k of row i at [8 (n i + k) ..] */
    double *E, *p;    /* joint frame on the parent, in the parent's frame; its origin            (9, 3)     */
    double *body;     /* kg, kg m, kg m^2: mass, first moment, inertia in the own frame          (10)       */
    double *alpha, *beta; /*                                                                     (1, 1)     */
    double *pad;      /* 0 where a degree of freedom is, else 1                                                (1) */
    double *stiff;    /* kg, kg m^2: what the joint adds along its row: rotors (T113); springs and dampers of
                       * row_trials.h; or NULL (1) */
    double *lag;      /* (nu) the same along rates of joints: what an implicit step of dampers adds (T118); or NULL */
    clv_row_place *q_at, *u_at; /* (nq_at, nu_at) the same in slot order                                    */
    int nq_at, nu_at;
    int *q_first, *u_first; /* (ngroup + 1) first place of a group in these                                 */
    clv_team *team;   /* shares out groups, or NULL                                                         */
    int *share;       /* (nshare + 1) first group of a share: groups of one level, at least so much work    */
    int *level_share; /* (nlevel + 1) first share of a level                                                */
    int nshare, nlevel;
    double *same;     /* 1 where the joint is that of the row before, else 0                         (1)     */
    double *follows;  /* 1 where it is and is spherical: directions of its rows turn with the child  (1)     */
    clv_row_ball *ball; /* (nball) joints with a quaternion                                                 */
    int nball;
    clv_row_drive *drive; /* (ndrive) prescribed joints inside strands                                      */
    int ndrive;
    int *coordinate;  /* (nrow x 8) index of the joint's q and                                              */
    int *rate;        /*            its u or p in the state vectors, -1: none                               */
    int *attached;    /* (nrow) index of rows at which something else acts or starts, or -1                 */
    int nattached;
    int *border;      /* (nborder) bodies the border looks at, parents first                                */
    int nborder;
    int *apart;       /* (napart) those of them that are shown and loaded one by one                         */
    int napart, together, nalike; /* groups that show theirs in lanes; that start in lanes                   */
    unsigned char *mark; /* (nbody) CLV_ROWS_..                                                             */
    int *coupled;     /* (ncoupled) bodies whose inboard joints are coupled, parents first                    */
    int ncoupled;
    int *piece;       /* (npiece) pieces, parents first: strand k, or flexible body k - nstrand             */
    int npiece;
    int *origin;      /* (npiece) body from which the piece starts, or -1: ground                           */
    int *floating;    /* (npiece + 1) from a piece on, the next one whose base floats, or npiece              */
    int *strand_of;   /* (nbody) its piece                                                                  */
    clv_row_run *runs; /* (nrun of the plan) long runs, see row_runs.h                                       */
    int *run_of;      /* (nstrand) run of which it is the first strand; -1: of none; or CLV_ROW_INNER         */
    int *stands_for;  /* (nstrand) strand whose join has what acts on the tip of this one                    */
    clv_row_root *root; /* (ngroup)                                                                         */
    int *held, *held_first; /* held[held_first[k] ..]: places of attached rows in strand k       (nstrand + 1) */
    clv_row_join *join; /* (npiece)                                                                         */
    clv_row_star *star; /* (nstar)                                                                          */
    clv_row_segment *segment; /* (nsegment of the plan)                                                     */
    int *path;        /* strands on the ways to handles                                                     */
    clv_row_reach *reach; /* as many                                                                        */
    int *port_first;  /* (nsegment of the plan) ports of the segments before                                */
    int *reach_of;    /* (nstrand) place of a strand in these, or -1; segment of which it is the root, or -1 */
    int *root_of;
    /* present state */
    double *q, *u;    /* coordinates, rates of the joints                                        (1, 1)     */
    double *posed_q;  /* (nq) of the poses in the rows, if `posed` is that of the kinematics; -1: there are none */
    long posed;
    double *h, *c, *J; /* axis (times alpha, if no beta of the row is there); first moment, inertia about
                       * the reference point; strand axes                                     (3, 3, 6)  */
    double *pdot;     /* rates of momenta                                                        (1)        */
    double *r;        /* m, arm from the body before, strand axes                                    (3)     */
    double *b, *bias; /* dca: velocity terms on the body, of the joint                               (6, 6)  */
    double *tau;      /* right-hand side of the joint: drive, or hdca: momentum                      (1)     */
    double *N, *Kh, *inverse, *u0; /* factor: U / d, H^T K, 1 / d; (tau + H^T g) / d                 (6, 6, 1, 1) */
    double *known;    /* prescribed part of the solution: of rates, or of accelerations              (1)     */
    double *x, *rates; /* solution: motion of the body; of the joint, where that is prescribed minus the force
                       * (hdca: impulse) of its drive                                                (6, 1)  */
    clv_row_ends *end; /* (ngroup)                                                                          */
    /* attached rows */
    double *frame;    /* own frame of the body: axes, reference point; strand axes, after the scan global (12) */
    double *run;      /* m/s, rad/s of the body beside a start at rest, strand axes; then V, global    (6)  */
    double *I;        /* inertia of limbs that fold into it, strand axes                         (21)       */
    double *P, *Q;    /* momentum and load that arrive from elsewhere, strand axes              (6, 6)      */
    double *fix;      /* wrenches of a pass, see row_extra.c                                        (6)      */
    int *shown, *loaded; /* body of the border in a lane, and of those that may be loaded, or -1     (1, 1)   */
    double *own;      /* of shown bodies: own frame, row major, centre of mass in it, body axes     (12)      */
    clv_row_carry carry; /* where loops are carried                                                          */
    /* extra inertia (T5) */
    bool lacking;     /* some body lacks inertia                                                            */
    double *sound;    /* 1 where the pivot of a joint is more than rounding                         (1)      */
    double *fix_tau, *fix_x, *fix_rates; /* as tau, x, rates, of a pass                          (1, 6, 1) */
    int room;         /* attached rows that these arrays can hold                                           */
    clv_arena more;   /* memory of these arrays, once controls need more than the layout has                */
} clv_rows;

void clv_rows_layout(clv_rows *w, const clv_plan *p, clv_engine *e, clv_arena *a);
/* Constants and lists; after the carving layout.  most: lanes of this CPU; mechanisms of few strands use fewer.
 * False: out of memory. */
bool clv_rows_begin(clv_rows *w, int most);
/* A control is, or no longer is, bound to a body: lists anew, and memory where there is too little.  Not in a step.
 * False: out of memory, and nothing is bound. */
bool clv_rows_hold(clv_rows *w, int body, bool held);
void clv_rows_end(clv_rows *w);

/* row_share.c (T44): shares of the work, of a plan alone.  Done in any order, on the threads of the team:
 * work(of, group) for all groups, or for those of a level.  Groups of lower levels may fold into them. */
typedef void clv_row_work(void *of, int group);
void clv_rows_share_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
/* least: rows of a share at least; 0: as many as pay */
void clv_rows_list_shares(clv_rows *w, int least);
void clv_rows_all(const clv_rows *w, clv_row_work *work, void *of);
void clv_rows_of_level(const clv_rows *w, int level, clv_row_work *work, void *of);
/* The largest of what `measure` finds for edges from .. to - 1, over all edges; NaN if it is NaN for one. */
typedef double clv_row_measure(const clv_rows *w, int from, int to);
double clv_rows_worst(const clv_rows *w, clv_row_measure *measure);
/* first group of a level, or behind the last one */
int clv_rows_level(const clv_rows *w, int level);

/* row_state.c: between state vectors and rows.  Places of the slots (nrow x 8) that have an index, group by group from
 * first[group] (ngroup + 1) on; how many runs. */
int clv_rows_places(const clv_rows *w, const int *index, clv_row_place *place, int *first);
/* One group: coordinates q into rows, rates v into rows x, and back; spherical joints excepted. */
void clv_rows_group_coordinates(const clv_rows *w, int group, const double *q);
void clv_rows_group_rates(const clv_rows *w, int group, const double *v, double *x);
void clv_rows_group_give_coordinates(const clv_rows *w, int group, const double *x, double *qdot);
void clv_rows_group_give_rates(const clv_rows *w, int group, const double *x, double *v);
/* Coordinates (nq) into rows, first of all.  Rates, drives or momenta v (nu) into rows x; rates and accelerations back.
 * Rates of momenta, at the momenta p (nu) and the rates x; qdot (nq) of the rates x. */
void clv_rows_take_coordinates(clv_rows *w, const double *q);
void clv_rows_take_rates(const clv_rows *w, const double *v, double *x);
/* prescribed joints at the present time: q, u; then what is known of the next solution, rates or accelerations */
void clv_rows_take_motions(clv_rows *w, const clv_kinematics *k);
void clv_rows_know(clv_rows *w, bool accelerations);
/* nothing: for corrections, which leave prescribed joints as they are */
void clv_rows_know_nothing(clv_rows *w);
/* hdca: rates of the last solution, and motions of the starts of strands, for velocity terms */
void clv_rows_go_on(clv_rows *w);
void clv_rows_give_rates(const clv_rows *w, const double *x, double *v);
void clv_rows_give_momentum_rates(const clv_rows *w, const double *x, const double *p, double *pdot);
void clv_rows_give_coordinates(const clv_rows *w, const double *q, const double *x, double *qdot);

/* row_kernels.h: lanes, one group.  `up` and `down` factor and solve its strands.  Loads: Q of attached rows, tau, and
 * if `biased` b and bias. */

/* row_border.c: lists, once rows are attached */
void clv_rows_list_shown(clv_rows *w);
/* What the last solve has found for the bodies of the border, to x (nbody x 6), global axes; wrenches W (nbody x 6) on
 * those of them that may be loaded, to P or Q. */
void clv_rows_show_motions(const clv_rows *w, double *x);
void clv_rows_attach_loads(clv_rows *w, double *array, const double *W);
/* The scan where loops are carried; of one strand. */
void clv_rows_scan_levels(clv_rows *w, clv_kinematics *k, const double *q, const double *u, const double gravity[3]);
void clv_rows_scan_strand(clv_rows *w, clv_kinematics *k, int strand, const double *q, const double *u,
                          const double gravity[3]);

/* row_scan.c */
/* Where all strands start, from q (nq), and if u (nu) is not NULL how they move; poses (and V) of the border into kin,
 * directions of the joints between strands. */
void clv_rows_scan(clv_rows *w, clv_kinematics *k, const double *q, const double *u, const double gravity[3]);
/* The same poses, other rates u (nu) and those of the rows: how strands start, V of the border. */
void clv_rows_scan_rates(clv_rows *w, clv_kinematics *k, const double *u);
/* After either scan with rates: momenta H^T (sum of M V outboard) of the joints of rows, into pdot; without what the
 * impulses sigma (nsigma) of closings give, if sigma is not NULL (T11). */
void clv_rows_momenta(clv_rows *w, const clv_kinematics *k, const double *sigma);
/* The same where loads Q have arrived: they are summed too, for `momentum`. */
void clv_rows_loaded_momenta(clv_rows *w, const clv_kinematics *k);
/* At poses with blocks of edges: what impulses sigma (nclosing_row) of closings give to the joints, H^T (sum of K sigma
 * outboard), into pdot. */
void clv_rows_impulses(clv_rows *w, const clv_kinematics *k, const double *sigma);
/* row_fold.c: joins strands from the tips, with drives tau (nu) and biases c (nbody x 6, those of bases are read) or
 * NULL of the joints between them.  If `again`: other right-hand sides, with the extra inertia that bases had.  False:
 * a joint lacks inertia, that of engine->failed_body. */
bool clv_rows_fold(clv_rows *w, const clv_kinematics *k, const double *tau, const double *c, bool again);
/* The way back: motions of bases and wrenches at tips for `down`; the unknowns u (nu) of joints between strands. */
void clv_rows_unfold(clv_rows *w, const clv_kinematics *k, const double *c, double *u);
/* The same of floating bases alone, where all other strands fold (T101). */
bool clv_rows_fold_floating(clv_rows *w, const clv_kinematics *k, bool again);
void clv_rows_unfold_floating(clv_rows *w, double *u);

/* Extra inertia (T5), row_extra.c.  After `up`: gives some to bodies whose joints lack it; true: `up` has to be
 * repeated.  Strands that fail even so are left with ok = 0. */
bool clv_rows_strengthen(clv_rows *w, int group);
/* After the way down: takes it out of the solution, with the loads and the velocity terms of the rows, or without.
 * Into u (nu): unknowns of joints between strands.  How that ended: engine->stalled, loose. */
void clv_rows_take_out(clv_rows *w, const clv_kinematics *k, bool biased, bool loaded, double *u);

/* row_extra.c: turns p and t of strands to global axes, for nodes. */
void clv_rows_turn_loads(clv_rows *w);

/* row_close.c: the same where loops are closed.  The factor; false: a body lacks inertia, or a node is singular, see
 * engine->failed_body, failed_edge. */
bool clv_rows_show(clv_rows *w);
/* The solution for `down`, with all loads and modal forces tau (nu), or NULL: none (then u0 of the rows must be 0 too).
 * Biases c (nbody x 6, those of bases and links are read) or NULL; right-hand sides a (nclosing_row) or NULL of
 * closings.  Modal unknowns go to u (nu), multipliers to engine->sigma. */
void clv_rows_close(clv_rows *w, const double *tau, const double *c, const double *a, double *u);
/* The same for the rows engine->a as they are and the loads of strands and bodies of flexible bodies, without
 * refinement. */
void clv_rows_close_once(clv_rows *w, double *u);
/* The largest residual of a row beside the largest motion it compares; engine->a: what the rows miss. */
double clv_rows_residual(const clv_rows *w);
/* hdca: momenta P that edges of the impulses sigma (nsigma) hand to the rows they hold, after a solve for
 * velocities. */
void clv_rows_edge_momenta(clv_rows *w, const clv_kinematics *k, const double *sigma);

/* row_carry_walk.c (T101): the walk with loops that are carried.  Before `up`: right-hand sides a (nclosing_row), and
 * biases c (nbody x 6) of joints that connect branches; NULL: zero. */
void clv_rows_carry_begin(clv_rows *w, const double *c, const double *a);
/* Loads of attached rows before a factor that may be repeated are kept; again: they are as they were, and nothing has
 * arrived. */
void clv_rows_carry_loads(clv_rows *w, bool again);
/* Before a level is passed, and after: rows that meet at tips of its strands, rows that these bring on. */
bool clv_rows_meet_level(clv_rows *w, int level, bool again);
void clv_rows_bring_level(clv_rows *w, int level, bool biased, bool again);
/* After all levels: floating bases, and ground.  False: as clv_rows_meet, or a base lacks inertia. */
bool clv_rows_carry_base(clv_rows *w, const clv_kinematics *k, bool again);
/* The way down of all levels, with the biases c (nbody x 6) of links and of joints on flexible bodies, or NULL; u (nu):
 * of joints between strands. */
void clv_rows_carry_down(clv_rows *w, const clv_kinematics *k, const double *c, bool biased, double *u);
/* Up to ground, with the factor at hand and other drives, loads and right-hand sides in rows, Q and carry.g.  Drives
 * of modes and of joints on flexible bodies are in tau (nu), or zero if it is NULL. */
void clv_rows_carry_respond(clv_rows *w, const clv_kinematics *k, const double *tau);
/* Another solution with the factor at hand, of the same. */
void clv_rows_carry_pass(clv_rows *w, const clv_kinematics *k, const double *tau, double *u);
/* A correction, where rows are missed by more than rounding; loads and drives of the rows are used up. */
void clv_rows_carry_refine(clv_rows *w, const clv_kinematics *k, double *u);

/* row_carry_joined.c (T169): flexible bodies, and strands on them, where loops are carried.  Lists; memory. */
void clv_rows_list_joined(clv_rows *w);
void clv_rows_joined_layout(const clv_plan *p, int piece, clv_row_columns *s, clv_arena *a);
/* After a level, before the next one, and at first after level -1: what they leave on the body before.  Drives tau (nu)
 * or NULL, biases c (nbody x 6) or NULL.  False: inertia is missing, see engine->failed_body. */
bool clv_rows_join_level(clv_rows *w, const clv_kinematics *k, int level, const double *tau, const double *c,
                         bool again);
/* The way down, before a level: motions of links and of bases; unknowns of modes and joints into u (nu). */
void clv_rows_part_level(clv_rows *w, const clv_kinematics *k, int level, const double *c, double *u);
/* Momenta P and loads Q of all outboard, to the body before. */
void clv_rows_hand_level(clv_rows *w, const clv_kinematics *k, int level);
/* A solution is kept, and added to the next one. */
void clv_rows_keep_joined(clv_rows *w, const double *u);
void clv_rows_add_joined(clv_rows *w, double *u);

/* row_series.c (T171): strands in series; each for the strands of a level. */
void clv_rows_series_layout(clv_row_carry *y, const clv_plan *p, clv_arena *a);
/* Nothing is attached to their tips yet; or nothing comes up to them. */
void clv_rows_series_begin(clv_rows *w);
void clv_rows_series_clear(clv_rows *w);
/* After `up` or `respond`: joins them.  Rows of closings, to the base.  Before `down`: motions of bases, wrenches at
 * tips.  Before `momentum`: momenta and loads of all outboard, to the tip before. */
void clv_rows_series_join(clv_rows *w, int level, bool again);
void clv_rows_series_bring(clv_rows *w, int level, bool again);
void clv_rows_series_descend(clv_rows *w, int level);
void clv_rows_series_hand(clv_rows *w, int level);
/* By how much rows miss the motions of tips from which the next strands start, beside the largest motion. */
double clv_rows_series_defect(clv_rows *w);
/* Motions of tips of a solution are kept, and added to those of the next one. */
void clv_rows_series_keep(clv_rows *w);
void clv_rows_series_add(clv_rows *w);

/* row_carry.c (T101): rows of closings carried by the tree.  again: other right-hand sides, by the same factor. */
void clv_rows_carry_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
/* Rows that meet at the tip of a strand, before it is passed; on ground, after the factor of floating bases.  False: a
 * number is not finite, see engine->failed_edge. */
bool clv_rows_meet(clv_rows *w, int strand, bool again);
bool clv_rows_meet_ground(clv_rows *w, bool again);
/* Rows along a strand that `up`, or `respond`, has passed; then their right-hand sides, strand after strand. */
void clv_rows_bring_on(clv_rows *w, int strand, bool biased, bool again);
void clv_rows_take_off(clv_rows *w, int strand);
/* The way down: multipliers of the rows that met at the tip of a strand, whose motion is there, or on ground (nstrand).
 * Before `down`: what the open rows of a strand do to its joints; and to floating bases. */
void clv_rows_give_multipliers(clv_rows *w, int strand);
void clv_rows_load_strand(clv_rows *w, int strand);
void clv_rows_load_floating(clv_rows *w);
/* row_sheaf.c: the same of the strands of a group that bring rows on together. */
void clv_rows_sheaf_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
void clv_rows_bring_sheaf(clv_rows *w, int group, bool biased, bool again);
void clv_rows_take_off_sheaf(clv_rows *w, int group);
void clv_rows_load_sheaf(clv_rows *w, int group);
/* Does a strand share a sheaf?  Its sheaf, or NULL; either way: column j of its open rows at its base, in the axes of
 * the strand on which it hangs. */
bool clv_rows_in_sheaf(const clv_plan *p, int strand);
const clv_row_sheaf *clv_row_sheaf_of(const clv_rows *w, int strand);
void clv_rows_take_column(const clv_rows *w, int strand, int j, double x[6]);
/* Compliance of the open rows of a strand, or of the rows that a front leaves (nstrand + front); i >= j. */
double clv_rows_compliance(const clv_rows *w, int element, int i, int j);
/* row_batch.c: fronts on ground in lanes.  How many fronts from the first one on share lanes, 0: it is alone. */
int clv_rows_alike(const clv_carry *c, int first);
void clv_rows_batch_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
clv_row_batch *clv_row_batch_of(const clv_rows *w, int front); /* or NULL */
/* Takes up and factors, with work of its own (carry.nwork); right-hand sides; multipliers: all batches of a round at a
 * time.  Then, batch after batch: what the factor found, -1 or a front with numbers that are not finite; what its
 * right-hand sides take off other rows. */
void clv_rows_factor_batch(const clv_rows *w, clv_row_batch *b, double *work, bool cleared);
void clv_rows_push_batch(const clv_rows *w, const clv_row_batch *b);
void clv_rows_give_batch(const clv_rows *w, const clv_row_batch *b);
int clv_rows_note_batch(clv_rows *w, const clv_row_batch *b);
void clv_rows_take_off_batch(clv_rows *w, const clv_row_batch *b);
/* row_round.c: the batches of the round of a front, by the threads of the team.  Where the round begins and
 * ends: a front without one is one of its own. */
int clv_rows_round_begin(const clv_carry *c, int front);
int clv_rows_round_end(const clv_carry *c, int front);
void clv_rows_round_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
void clv_rows_round_factor(clv_rows *w, int front, bool again);
void clv_rows_round_give(clv_rows *w, int front);
/* Of one front: x := Z^+ x (m); its factor with Q and R, without L, in memory of CLV_RANK_SIZE(m). */
void clv_rows_batch_solve(const clv_rows *w, int front, double *x);
clv_rank clv_rows_batch_rank(const clv_rows *w, int front, double *memory);
/* Lower triangle of the compliance of an element, a number every eight; NULL: it is not in lanes. */
const double *clv_row_lane_triangle(const clv_rows *w, int element);
/* Adds one of n rows to places of another. */
void clv_row_add_triangle(double *to, const double *L, int n, const int *place);
/* Directions that a front has dropped; the n-th of them: impulses of closings that move nothing, into engine->sigma.
 * After the last front those of rows that are not carried (T168). */
int clv_rows_front_nullity(const clv_rows *w, int front);
void clv_rows_self_stress(clv_rows *w, int front, int n);
/* The largest residual of a row beside the largest motion it compares; carry.g: what the rows miss. */
double clv_rows_carry_residual(clv_rows *w, const clv_kinematics *k);

/* row_scan.c */
/* After the way down: x (nbody x 6) of the border, and the unknowns u (nu) of joints of bases that float. */
void clv_rows_outer(const clv_rows *w, const clv_kinematics *k, const double *c, double *x, double *u);
/* Nothing arrives from elsewhere; then a wrench at the reference point of a body of the border arrives, in `array`: P,
 * a momentum, or Q, a load. */
void clv_rows_clear(clv_rows *w);
void clv_rows_clear_inward(clv_rows *w); /* all but P, as a factor and a solution need no momenta */
void clv_rows_clear_loads(clv_rows *w);  /* Q alone */
void clv_rows_attach(clv_rows *w, double *array, int body, const double W[6]);
/* What the strands of a group show after `up` to the rows they fold into.  False: a pivot is missing. */
bool clv_rows_finish(clv_rows *w, int group);
/* After `respond` the same of loads alone. */
void clv_rows_finish_loads(clv_rows *w, int group);
/* The way down of all groups; bases that fold into rows of others start with the motions of those. */
void clv_rows_descend(const clv_rows *w, bool biased);
void clv_rows_descend_group(const clv_rows *w, int group, bool biased);
/* The drives (nu) of joints of bases that float as loads Q. */
void clv_rows_drive(clv_rows *w, const clv_kinematics *k, const double *tau);
/* P and Q that arrive at rows from everything that is attached to them, after a solve for velocities.  Momenta are
 * those that joints have given: M V of all that is outboard of a tip is -F, of a limb I x - p.  Gravity is added to
 * Q. */
void clv_rows_collect(clv_rows *w, const clv_kinematics *k);
/* Of a group, after `momentum`: P and Q of its strands that fold, to the rows from which they start. */
void clv_rows_hand_group(clv_rows *w, int group);
/* Momenta K sigma of the closings, times sign, to the rows they hold. */
void clv_rows_closing_momenta(clv_rows *w, const double *sigma, double sign);
/* J: kinetic energy and that of gravity after `pose` and `scan`, or if `solved` of the velocities of the last solve;
 * *squares: (m/s)^2 + (rad/s)^2, sum over bodies. */
void clv_rows_energy(const clv_rows *w, bool solved, const double gravity[3], double *kinetic, double *potential,
                     double *squares);
/* What the last solve has found for a body, global axes; the axes of a strand, row major, strand to global. */
void clv_rows_motion(const clv_rows *w, int body, double x[6]);
void clv_rows_strand_axes(const clv_rows *w, int strand, double R[9]);
/* Load of a strand with all that has arrived at its rows, about its start, global axes. */
void clv_rows_strand_load(const clv_rows *w, int strand, double Q[6]);
/* P and Q at the base of a piece, after `momentum`. */
void clv_rows_base_sums(const clv_rows *w, int strand, double P[6], double Q[6]);

/* row_joints.c: the lag of joints inside strands is part of their pivots, or no longer (T118). */
void clv_rows_ease(clv_rows *w, bool on);
/* Does a step take dampers of joints implicitly?  That of rigid contacts does. */
bool clv_rows_lags(const clv_model *m);

/* Does the inboard joint of a body lie in a strand?  In open trees also that of a base on another strand: its strand
 * starts from the body that the joint holds. */
static inline bool clv_row_inside(const clv_plan *p, int body)
{
    const clv_tree_joint *t = &p->tree[body];
    const clv_body *b = p->model->body;
    return !t->detached && t->link < 0 &&
           (t->edge < 0 || ((p->carried || !clv_plan_joins(p)) && !clv_plan_connects(p, body) && b[body].flex < 0 &&
                            (t->parent < 0 || b[t->parent].flex < 0)));
}

/* row_star.c: flexible bodies (T43.8) */
/* to += S I S^T of a symmetric I (6 x 6), r: from where `to` is to where I is */
void clv_rows_add_shifted(double to[36], const double r[3], const double I[36]);
void clv_rows_star_layout(clv_rows *w, const clv_plan *p, clv_arena *a);
/* Poses of all bodies of a star at q, its mass and mode columns; motions at u, poses must be there. */
void clv_rows_star_pose(clv_kinematics *k, int star, const double *q);
void clv_rows_star_move(clv_kinematics *k, int star, const double *u);
/* V of all bodies must be there: velocity terms into Q and as biases c (nbody x 6) of links. */
void clv_rows_star_terms(clv_rows *w, const clv_kinematics *k, double *c);
/* Before the fold: clears what is attached to flexible bodies, or of that the loads alone. */
void clv_rows_star_clear(clv_rows *w, bool loads);
/* What the modes leave at the entry, with all that is attached to the nodes, into I and p of its join.  Modal forces
 * tau (nu), biases c (nbody x 6) of links or NULL.  False: modes lack inertia.  And back from the motion x of the
 * entry: motions of all bodies, modal unknowns into u (nu). */
bool clv_rows_star_fold(clv_rows *w, const clv_kinematics *k, int star, const double *tau, const double *c);
void clv_rows_star_unfold(clv_rows *w, const clv_kinematics *k, int star, const double *c, const double x[6],
                          double *u);
/* y := L^-1 y (n), of the fold at hand. */
void clv_rows_star_forwards(const clv_row_star *o, int n, double *y);
/* Where loops are carried: p of the join for other modal forces tau (nu), or NULL, and loads, by the fold at hand. */
void clv_rows_star_respond(clv_rows *w, const clv_kinematics *k, int star, const double *tau);
/* Adds to P what joints on the nodes have given in the last solve for velocities (trees); P and Q outboard of every
 * link, V of all bodies must be there.  Not moving: without momenta of its own. */
void clv_rows_star_given(clv_rows *w, int star);
void clv_rows_star_sums(clv_rows *w, const clv_kinematics *k, int star, bool moving);

/* n numbers of one slot or lane: into an array of eights, and out of it */
static inline void clv_row_put(double *to, int n, const double *v)
{
    for (int i = 0; i < n; i++)
        to[i * CLV_GROUP] = v[i];
}
static inline void clv_row_get(const double *from, int n, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] = from[i * CLV_GROUP];
}
/* body that is attached to the inboard joint of a piece; is that joint no part of a strand? */
static inline int clv_rows_base(const clv_rows *w, int piece)
{
    const clv_plan *p = w->plan;
    assert(piece >= 0 && piece < p->nstrand + p->nstar);
    return piece < p->nstrand ? p->bodies[p->strand[piece].first] : p->star[piece - p->nstrand].entry;
}
static inline bool clv_rows_floats(const clv_rows *w, int piece)
{
    return piece >= w->plan->nstrand || (w->plan->strand[piece].base == CLV_BASE_FREE &&
                                         !clv_row_inside(w->plan, clv_rows_base(w, piece)));
}
/* the root of a segment: its motion is found with those of other segments */
static inline bool clv_rows_is_root(const clv_rows *w, int piece)
{
    return w->plan->nsegment > 0 && w->root_of[piece] >= 0;
}
/* Are loops closed, by nodes or by the tree? */
static inline bool clv_rows_closed(const clv_rows *w) { return w->looped || w->carried; }
/* Do the lanes of rows carry columns for the tip of a strand? */
static inline bool clv_rows_tip(const clv_plan *p, int strand)
{
    return p->carried ? p->strand[strand].series : clv_strand_tip(p, strand);
}
/* the first lanes of a group that do */
static inline int clv_rows_tips(const clv_rows *w, const clv_group *g) { return w->carried ? g->nseries : g->ncolumns; }
/* the place of a body of a star, else NULL */
static inline clv_row_hold *clv_row_hold_of(const clv_rows *w, int body)
{
    const int star = w->strand_of[body] - w->plan->nstrand;
    return star < 0 ? NULL : &w->star[star].hold[body - w->plan->star[star].frame];
}
/* the place of the body of a star at which the tree enters; star: of a piece beyond the strands */
static inline clv_row_hold *clv_row_entry_of(const clv_rows *w, int piece)
{
    const int star = piece - w->plan->nstrand;
    return &w->star[star].hold[w->plan->star[star].entry - w->plan->star[star].frame];
}
/* pointer to a strand's lane in an array of ends */
static inline double *clv_rows_lane(const clv_rows *w, double *array, int strand)
{
    return array + w->plan->strand[strand].lane;
}
#endif
