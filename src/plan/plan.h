/* SPDX-License-Identifier: Apache-2.0
 * The plan: the model seen as a graph, cut into strands and put together again by a tree of closings.  Depends on the
 * model alone, never on threads or lanes.
 *
 *   joints ──graph.c──> tree + closings ──strand.c──> strands ──assemble.c──> nodes ──plan.c──> groups of 8
 *                                                        └──carry.c──> fronts, where loops are carried by the tree
 *
 * A STRAND is a path of bodies from a base towards a tip:
 *   open limb            no port: folds through its base joint into a body of another strand (or on ground, or floats)
 *   two-ended branch     ports at its tip and, unless it stands on ground or floats, at its base
 * A STAR is a flexible body: its frame and its nodes.  All joints that touch it are edges; inside it the tree goes by
 * LINKS, from the body where it enters to the others.
 * A NODE puts one or two parts (strands, stars or nodes) side by side and closes all EDGES that lie inside: tree joints
 * between strands, loop-closing joints, couplings.  A part with open edges has PORTS: bodies that open edges hold.
 * Many parts that one body alone holds are PETALS: each becomes an inertia at that hub, and one node takes all of them.
 *
 * A SECTION is what the JSC paper calls a branch (T28): a connected subtree that becomes one part before anything else
 * is closed.  Without the branch method sections are the user's branches, obeyed where they can be. */
#ifndef CLV_PLAN_PLAN_H
#define CLV_PLAN_PLAN_H
#include "base/memory.h"
#include "model/model.h"

enum { CLV_HANDLES = 2 * CLV_COUPLING_MOST }; /* bodies an edge can hold: joint 2, coupling 2 a joint */

typedef enum clv_base { CLV_BASE_FOLD, CLV_BASE_GROUND, CLV_BASE_FREE } clv_base;

typedef struct clv_tree_joint { /* inboard tree joint of a body */
    int joint;       /* model joint, or -1: implicit free joint to ground                                   */
    int parent;      /* body or -1                                                                          */
    bool reversed;   /* the joint's b is the parent                                                         */
    bool detached;   /* free joint: six degrees of freedom transmit nothing but their own load              */
    int edge;        /* closed as an edge of the assembly, or -1: eliminated inside its strand              */
    int link;        /* no joint but the deformation of this flexible body, or -1                           */
    int im;          /* link: mode columns of the bodies before it                                          */
    int motion;      /* prescribed: motion index, or -1                                                     */
    clv_joint_kind kind;
    int nq, nu;      /* coordinates and free directions of the kind                                         */
    int f;           /* free directions that are unknown: nu, or 0 if prescribed                            */
    int ih;          /* columns of the bodies before it in arrays of free directions                        */
    int ic;          /* coordinates of the joints of the bodies before it, prescribed ones too               */
    int iq, iu;      /* offsets of q and u in the state vectors (prescribed joints have none: -1)            */
} clv_tree_joint;

typedef struct clv_edge {
    int joint;               /* model joint, or -1                                                          */
    int coupling;            /* model coupling, or -1                                                       */
    int tree_body;           /* tree edge: the child body; closing: -1                                      */
    int motion;              /* closing: motion that its last row prescribes, or -1                         */
    int force;               /* tangent rows of this model force (tree_body, joint, coupling are -1), or -1  */
    int m;                   /* rows                                                                        */
    int yields;              /* so many, the last ones, give way with eps: tangents; rotors of a tree joint (T113) */
    int row;                 /* first row in sigma, eps, a                                                  */
    unsigned idle;           /* bit r: loops need not carry row r (T168)                                    */
    int nhandle;
    int handle;              /* handles of the edges before it                                              */
    int *body;               /* (nhandle) bodies held; ground is left out                                   */
    int *block;              /* (nhandle) offset of the handle's 6 x m block in the block array (doubles)   */
    int node;                /* node that closes it                                                         */
} clv_edge;

typedef struct clv_strand {
    int length;
    int first;       /* bodies[first .. first+length-1] base to tip                                         */
    clv_base base;
    bool tip_port;   /* carries a port at its tip (six columns)                                             */
    bool base_port;  /* carries a port at its base; equals the tip port if length is 1                      */
    bool columns;    /* the engine finds what a wrench at its tip does: six columns                         */
    bool on_star;    /* its base is attached to a flexible body of the same section                          */
    int level;       /* 0: nothing folds into it                                                            */
    int group, lane;
    bool series;     /* where loops are carried: rows pass its tip, and it stands beside others (series.c)   */
    int after;       /* then: the strand of the series on whose tip it hangs, or -1                          */
    int run, place;  /* > 0: of this long run (runs.c); lane + 8 n, n the group of the run                   */
    int part;        /* its part number if it has a port, else -1                                            */
} clv_strand;

typedef struct clv_star { /* a flexible body of the model, same index */
    int frame, nmode;
    int entry;       /* body by which the tree enters                                                       */
    int mode;        /* modes of the stars before it                                                        */
    int iq, iu;      /* offsets of the modal coordinates and their rates in the state vectors               */
    int part;        /* its part number if it has a port, else -1                                            */
    int level;       /* where loops are carried: the highest of the strands outboard; -1: there are none     */
} clv_star;

typedef struct clv_part { /* a strand or star with ports, or a node */
    int strand;           /* or -1                                                                          */
    int star;             /* or -1                                                                          */
    int child[2];         /* parts, -1 if none                                                              */
    int nport;
    int port;             /* ports[port .. port+nport-1]: bodies                                            */
    int nedge, edge;      /* edges_of[edge .. edge+nedge-1]: edges closed here                              */
    int m;                /* rows closed here                                                               */
    bool loop;            /* closes a loop: rank revealing                                                  */
    int depth;
    bool petal;           /* a node that attaches a floating part to one body, `hub`, and shows an inertia there */
    int npetal;           /* a node that takes up so many petals of `hub`: the parts before it              */
    int hub;
} clv_part;

typedef struct clv_group { /* eight congruent strands */
    int nstrand;
    int strand[8];   /* strand index, or -1 */
    int nrow;        /* longest strand       */
    int row;         /* first row            */
    int ncolumns;    /* the first ones carry tip columns (clv_strand_tip); bases may differ */
    int nseries;     /* the first ones of these stand in series                             */
    int level;
} clv_group;

/* A long run of strands, one after the other, in all lanes of groups that follow one another: lane l of group n has
 * piece n + ngroup l.  No other strand starts from the tips between them. */
typedef struct clv_run {
    int group, ngroup;
} clv_run;

typedef struct clv_section { /* a branch of the branch method */
    const char *name; /* the user's, or that of its base body */
    int base;         /* its first body in `order`            */
    int nbody;
    int part;         /* or -1: nothing connects it           */
} clv_section;

/* Method 1 (T28): all connections closed at once.  Row blocks, one a connection, in elimination order; the elimination
 * tree is postordered, so the subtree of a block is the run of blocks that ends with it. */
typedef struct clv_connect {
    int part;             /* its part: no ports, no child[]; edges_of in elimination order                     */
    int nchild, *child;   /* parts of the sections it connects                                                 */
    int nblock, nrow;     /* connections, rows                                                                 */
    int *row;             /* (nblock + 1) first row of a block                                                 */
    int *first;           /* (nblock) first block of its subtree                                               */
    bool *loop;           /* (nblock) completes a cycle: rank revealing                                        */
    int *start, *below;   /* below[start[k] .. start[k+1]-1]: blocks under the diagonal of column k, ascending */
    size_t *at, *diagonal; /* offsets in the factor of those blocks, and of the diagonal ones (nblock)         */
    size_t nfactor;       /* doubles of the factor                                                             */
    int nhandle;          /* handles on children, by child, then by block:                                      */
    int *handle_start;    /* (nchild + 1)                                                                      */
    int *handle_block, *handle_of, *handle_at; /* (nhandle) row block; number in its edge; component at the child */
    int *handle_child;    /* (nhandle) index in child[]                                                         */
    int *held_start, *held; /* (nblock + 1), (nhandle): held[held_start[k] ..]: handles of block k               */
} clv_connect;

/* A front (T101): closing rows that are eliminated together, and the rows with which they share strands.  Numbers that
 * follow are in `list` of clv_carry. */
typedef struct clv_front {
    int nout, nleft;     /* rows eliminated, rows left                                                      */
    int row;             /* rows of sigma: eliminated, then left                                            */
    int column, left;    /* first eliminated row among those of its meet; places of those left there        */
    int ntaken, taken;   /* elements it takes up: (piece, or pieces + front; where its places begin)        */
    int round;           /* > 0: fronts on ground of this number, one after the other, take up none of each other */
} clv_front;

/* Where closing rows meet: the tip of a strand, a flexible body (where none are eliminated); the last one: ground. */
typedef struct clv_meet {
    int nfront, front;   /* in the order of elimination                                                     */
    int nrow, row;       /* rows of sigma that arrive: those eliminated, then the open ones                 */
    int nopen;           /* open rows, taken along by the piece                                               */
    int nstrand, strand; /* pieces that bring rows: (piece, where their columns here begin)                 */
    int nhandle, handle; /* edges that hold the tip: (edge, handle of it, column of its first row)           */
    int nleft, left;     /* elements that are left for the strand: as `taken`, places among the open rows    */
} clv_meet;

/* Loops carried by the tree (T101), beside the nodes of the same strands. */
typedef struct clv_carry {
    int nfront, most;    /* most: rows of a front                                                           */
    clv_front *front;
    clv_meet *meet;      /* (pieces + 1) of strands, of flexible bodies, of ground                           */
    int nidle, idle;     /* rows of sigma that are not carried (T168)                                       */
    bool rooted;         /* all fronts are on ground                                                        */
    int *list;
} clv_carry;

/* A segment of a mechanism that is divided (T80): a tree that is joined to others at two bodies alone.  Or, with loops
 * (T160), bodies of any kind that are joined to others at ports: then there is no root and no handle. */
typedef struct clv_plan_segment {
    int root;   /* body that others hold: its joint is implicit, and no part of the state; -1: none              */
    int handle; /* body that holds others, -1: none                                                             */
    bool free;  /* nothing holds the root: its coordinates are of the state                                     */
    bool ported; /* joined at ports, if at all                                                              */
    int nport, before; /* bodies that are parts of others in other segments; of them in the segment before      */
    const int *port;
} clv_plan_segment;

typedef struct clv_plan {
    const clv_model *model;
    bool absolute;           /* every body floats, every joint closes                                        */
    int nbody, nq, nu, nh;   /* bodies, coordinates, rates of the state; free directions of all joints      */
    int nc;                  /* coordinates of all inboard tree joints                                      */
    clv_tree_joint *tree;    /* (nbody) by model body                                                       */
    int *order;              /* (nbody) bodies, parents first                                               */
    bool *closing;           /* (njoint) model joint is a loop-closing joint                                 */
    int *child_of_joint;     /* (njoint) body whose tree joint it is, or -1                                  */
    int *edge_of_joint;      /* (njoint) edge that closes it, or -1                                          */
    int narmed, *armed;      /* bodies whose inboard tree joints have rotors (T113), in `order`              */
    int nclosing, nloop;     /* closing joints, loops = joints - bodies + components                         */
    int nedge, nsigma, nblock, nhandle, most_handles; /* handles of all edges; of one edge                   */
    int nclosing_row;        /* rows of loop closings and couplings                                          */
    int ntangent_row;        /* rows of springs and dampers, after them                                      */
    clv_edge *edge;
    bool ported;             /* segments are joined at ports, if there are several                              */
    int nport;               /* ports of all segments: edges of six rows behind the others, which are not closed;
                              * their rows are behind those of sigma                                         */
    int *handles, handle_room; /* what the edges point to: bodies, then blocks                               */
    int nstrand, nbranch, nlimb;
    clv_strand *strand;
    int *bodies;             /* (nbody) bodies along strands                                                */
    int *slot;               /* (nbody) 8 * row + lane; -1 in a star                                        */
    int nstar, nmode, nlink; /* flexible bodies, their modes, mode columns of all links                     */
    clv_star *star;
    int ngroup, nrow;
    clv_group *group;        /* ordered by level                                                            */
    int nrun;
    clv_run *run;            /* (nrun) long runs in open trees                                              */
    int *row_f;              /* (nrow) free directions of a row: largest of its lanes                        */
    int *row_H;              /* (nrow + 1) offset of the row in arrays with f numbers a lane (in rows of 8)  */
    int *fold_slot;          /* (nstrand) slot its base folds into, or -1                                    */
    int npart, max_port, max_rows, depth;
    clv_part *part;          /* children first                                                              */
    int *ports, *edges_of;
    int *section_of;         /* (nbody) section of a body; without the branch method the user's branch, or -1  */
    int nsection;            /* 0 without the branch method                                                     */
    clv_section *section;
    clv_connect *connect;    /* or NULL                                                                         */
    clv_carry *carry;        /* loops can be carried by the tree, or NULL                                       */
    double work;             /* where they can be: estimated instructions of nodes, or of carrying them where less */
    bool carried;            /* rows (T43) do that now, else nodes join strands                                 */
    int nsegment;            /* 0: the mechanism is not divided                                                 */
    const clv_plan_segment *segment; /* the caller's, as is                                                     */
    const int *segment_of;   /* (nbody)                                                                         */
    long long hash;
} clv_plan;

typedef struct clv_plan_options {
    int target;         /* longest strand inside a long run; 0: default                                      */
    bool edges;         /* every tree joint is closed as an edge (for tests and penalty forms)                */
    bool absolute;      /* every body is attached to an implicit free joint; every joint of the model closes (T22) */
    bool sections;      /* branch method (T28): the user's branches, and automatic ones of the other bodies    */
    int method;         /* with sections: 1 (or 0) all connections at once, 2 two parts at a time              */
    const char *bracketing; /* method 2: which sections are joined first, as "((a, b), c), (d, e)"; NULL: own order */
    bool apart;         /* with sections: no lane group holds strands of two sections (for timing)              */
    bool lanes;         /* open trees are evaluated in rows (T43): shorter runs are cut, to fill lanes       */
    int nsegment;       /* segments of a divided mechanism; 0: it is whole                                     */
    const clv_plan_segment *segment; /* (nsegment), and the segment of each body (nbody); they outlive the plan */
    const int *segment_of;
    bool dissected;     /* parts are joined by nested dissection, not in pairs (dissect.c)                     */
    bool deep;          /* the spanning tree has long paths instead of short ones                              */
    bool carry;         /* loops may be carried by the tree (T101), where that takes less work than nodes           */
    bool tangents;      /* springs and dampers get rows (eps = 1, blocks 0 until they are filled; T26), but for loads
                         * on joints inside strands, which are eliminated with them                           */
} clv_plan_options;

/* does the edge close a joint or coupling that the tree leaves open? */
static inline bool clv_edge_closes(const clv_edge *e) { return e->tree_body < 0 && e->force < 0; }

/* Is the inboard joint of a body closed where branches are connected (T28)? */
static inline bool clv_plan_connects(const clv_plan *p, int body)
{
    const clv_tree_joint *t = &p->tree[body];
    return p->nsection > 0 && t->edge >= 0 && t->parent >= 0 && p->section_of[t->parent] != p->section_of[body];
}
/* Does the tree carry the rows of an edge, where it carries loops: of closings, and of connections of branches? */
static inline bool clv_plan_carries(const clv_plan *p, int edge)
{
    const clv_edge *e = &p->edge[edge];
    return clv_edge_closes(e) || (e->tree_body >= 0 && clv_plan_connects(p, e->tree_body));
}
/* Does nothing but rows hold a body: is its inboard joint free, or closed where branches are connected by rows that the
 * tree carries? */
static inline bool clv_plan_adrift(const clv_plan *p, int body)
{
    return p->tree[body].detached || (p->carried && clv_plan_connects(p, body));
}

/* is a row of an edge carried by the tree? */
static inline bool clv_edge_carries(const clv_edge *e, int row) { return !(e->idle >> row & 1u); }
static inline int clv_edge_carried(const clv_edge *e)
{
    int n = 0;
    for (int r = 0; r < e->m; r++)
        n += clv_edge_carries(e, r);
    return n;
}

/* rows of all edges, of ports too */
static inline int clv_plan_rows(const clv_plan *p) { return p->nsigma + 6 * p->nport; }

/* inertia of rotors along rate c of the inboard tree joint of a body, where that rate is free (T113); else 0 */
static inline double clv_armature_of(const clv_plan *p, int body, int c)
{
    const clv_tree_joint *t = &p->tree[body];
    return t->joint >= 0 && c < t->f && c < 3 ? p->model->joint[t->joint].more->armature[c] : 0.0;
}

/* Row of an edge's armature along rate c of its tree joint, counted in the edge; -1: rate c has no rotor. */
static inline int clv_edge_rotor(const clv_plan *p, const clv_edge *e, int c)
{
    return e->tree_body >= 0 && e->yields > 0 && clv_armature_of(p, e->tree_body, c) > 0 ? e->m - e->yields + c : -1;
}

/* first number of a body's 6 x nu columns in arrays of free directions */
static inline size_t clv_columns(const clv_plan *p, size_t body) { return 6 * (size_t)p->tree[body].ih; }

/* first number of a link's 6 x nmode columns in arrays of mode columns */
static inline size_t clv_modes(const clv_plan *p, size_t body) { return 6 * (size_t)p->tree[body].im; }
/* modes of a link */
static inline int clv_nmode(const clv_plan *p, size_t body)
{
    return p->tree[body].link < 0 ? 0 : p->star[p->tree[body].link].nmode;
}
/* Do strands meet in nodes, which close loops (a free joint has no rows, but its loads act there), couplings, springs
 * and connections of branches?  Else they fold into others. */
static inline bool clv_plan_joins(const clv_plan *p)
{
    return p->nclosing_row > 0 || p->nclosing > 0 || p->nsection > 0 || p->ntangent_row > 0 ||
           p->ported;
}
/* Do the lanes carry columns for the tip of a strand?  Rows of open trees (T43) have the joint of every base inside. */
static inline bool clv_strand_tip(const clv_plan *p, int strand)
{
    return clv_plan_joins(p) ? p->strand[strand].columns : p->strand[strand].tip_port;
}
/* Does a strand start at a body of another one, with its first joint eliminated there?  So do limbs, and where loops
 * are carried all strands but those on ground, on flexible bodies and floating ones. */
static inline bool clv_strand_folds(const clv_plan *p, int strand)
{
    const clv_strand *s = &p->strand[strand];
    return s->base == CLV_BASE_FOLD || (p->carried && s->base == CLV_BASE_FREE && s->base_port && !s->on_star &&
                                        !clv_plan_connects(p, p->bodies[s->first]));
}
/* strands and flexible bodies; piece k: strand k, or flexible body k - nstrand */
static inline int clv_plan_pieces(const clv_plan *p) { return p->nstrand + p->nstar; }
/* is the part a node, not a strand or star? */
static inline bool clv_part_is_node(const clv_part *q) { return q->strand < 0 && q->star < 0; }

/* Plans.  Errors go to `error`: CLV_ERR_UNSUPPORTED (motion, coupling or coordinate load on a joint that must close a
 * loop), CLV_ERR_MEMORY.  The model must outlive the plan.  O(n log n). */
clv_status clv_plan_create(clv_plan **plan, const clv_model *model, const clv_plan_options *options, clv_error *error);
void clv_plan_destroy(clv_plan *plan);

/* steps, in order (one file each) */
clv_status clv_plan_graph(clv_plan *p, const clv_plan_options *o, clv_error *e);
clv_status clv_plan_sections(clv_plan *p, const clv_plan_options *o, clv_error *e);
clv_status clv_plan_strands(clv_plan *p, const clv_plan_options *o, clv_error *e);
clv_status clv_plan_assemble(clv_plan *p, const clv_plan_options *o, clv_error *e);
clv_status clv_plan_carry(clv_plan *p, const clv_plan_options *o, clv_error *e);
clv_status clv_plan_groups(clv_plan *p, const clv_plan_options *o, clv_error *e);
/* runs.c: lists the long runs whose pieces stand in lanes as clv_run says */
clv_status clv_plan_runs(clv_plan *p, clv_error *e);

/* bracket.c: *joins (clv_free it) is the bracketing in postfix form, *n words: a section,
 * or -1: join the two before. */
clv_status clv_plan_bracket(const clv_plan *p, const char *text, int **joins, int *n, clv_error *e);
/* connect.c: p->connect of these parts and open edges, ordered for elimination; loops are marked by the caller. */
clv_status clv_plan_connect(clv_plan *p, const int *child, int nchild, const int *edge, int nedge, const int *part_of,
                            clv_error *e);
void clv_connect_destroy(clv_connect *c);
void clv_carry_destroy(clv_carry *c);

#endif
