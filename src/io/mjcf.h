/* SPDX-License-Identifier: Apache-2.0
 * MJCF, the model format of MuJoCo, as a robot (import.h).
 *
 *     mjcf_read       the file as a whole: sections in their order, options, keyframes, tendons, contact
 *     mjcf_tree       included files, elements in their order
 *     mjcf_class      defaults and their classes, attributes
 *     mjcf_frame      positions and orientations
 *     mjcf_body       bodies, frames, sites
 *     mjcf_joint      joints
 *     mjcf_inertia    inertia of bodies and geoms
 *     mjcf_geom       a geom: shape, pose, mass
 *     mjcf_contact    geoms that touch, pairs and exclusions
 *     mjcf_mesh       meshes that have mass (mesh_file, mesh_solid)
 *     mjcf_equality   equality constraints
 *     mjcf_actuator   actuators
 *     mjcf_law        the law of their force, with its defaults
 *     mjcf_key        the start
 *
 * A body is a link.  A body with n joints has n - 1 hidden links without mass before it, one joint each. */
#ifndef CLV_IO_MJCF_H
#define CLV_IO_MJCF_H
#include "io/import.h"
#include "io/mesh_file.h"

/* An element with the class of its defaults. */
typedef struct clv_item {
    unsigned node;
    int class;        /* index of a clv_class, -1: none                        */
    const char *kind; /* name of its elements inside <default>                 */
} clv_item;

/* The law of the force of an actuator (mjcf_law). */
typedef struct clv_law {
    int kind;             /* of the element that gave it last            */
    double gain, bias[3]; /* of ctrl; b0, of the length, of the rate     */
    bool fixed, affine;   /* the gain is a number; the bias counts       */
    bool bent;            /* the bias is neither none nor affine         */
    bool dynamic;         /* it has a state                              */
    bool filtered;        /* that is a filter, as <position> makes it    */
    bool ratio;           /* bias[2] is a damping ratio                  */
    bool unknown;         /* a kind that is not read                     */
} clv_law;

typedef struct clv_class {
    const char *name;
    int up;        /* the class it extends, -1: none */
    unsigned node; /* its <default>                  */
    bool learnt;   /* the law is there               */
    clv_law law;   /* of actuators of this class     */
} clv_class;

typedef struct clv_site {
    const char *name;
    int link;
    clv_frame at; /* in the link */
} clv_site;

typedef struct clv_act {
    int drive;     /* index of a clv_drive, -1: not carried over */
    double factor; /* input per unit of ctrl                     */
} clv_act;

typedef struct clv_mesh_entry {
    unsigned node; /* its <mesh> */
    clv_solid solid;
} clv_mesh_entry;

typedef struct clv_compiler {
    double angle;    /* rad per unit of angles                                 */
    char euler[4];   /* axes of euler: lower case turn with the body           */
    bool autolimits; /* a range is a limit                                     */
    int from_geom;   /* inertia: 0 never from geoms, 1 always, 2 if not given  */
    double group[2]; /* groups of geoms that have inertia                      */
    double bound_mass, bound_inertia, total_mass;
    bool balance, align_free;
    unsigned fuse; /* the element that says fusestatic, or 0 */
    const char *mesh_folder; /* NULL: that of the file             */
    bool strip;              /* folders of files of meshes are cut */
    bool exact_meshes;       /* older: inertia of all meshes       */
} clv_compiler;

/* What <option> <flag .../> switches off. */
typedef struct clv_switches {
    bool gravity, constraint, equality, limit, frictionloss, contact, spring, damper, actuation, clampctrl;
} clv_switches;

typedef struct clv_mjcf {
    clv_import *I;
    clv_compiler c;
    clv_switches off;
    double gravity[3];
    CLV_LIST_OF(clv_class, class);
    CLV_LIST_OF(clv_site, site);
    CLV_LIST_OF(clv_frame, home);      /* of every link: its global frame in the reference position */
    CLV_LIST_OF(clv_item, joint);      /* of the body being read                                    */
    CLV_LIST_OF(clv_frame, about);     /* and the frames they stand in                              */
    CLV_LIST_OF(clv_mesh_entry, mesh); /* that have been read */
    CLV_LIST_OF(clv_act, act);         /* in the order of the file                                  */
    clv_map bodies, sites, tendons;    /* by name -> link, site, clv_cord                           */
    clv_map inputs;                    /* names in use                                              */
    int main_class;
    bool aligned; /* MuJoCo moves frames of free bodies to their inertia */
    unsigned by_actuators; /* the first joint whose gravcomp acts as an actuator, or 0 */
    int depth;
    int ncontact;     /* geoms that may touch others */
    unsigned contact; /* the first one               */
    unsigned rolling; /* the first one whose condim is 4 or 6 */
    bool near;        /* bodies touch their parents           */
    clv_map geoms;    /* by name -> clv_hard                  */
    clv_map assets;   /* by kind and name -> element          */
    bool listed;      /* assets are there                     */
    bool sprung;      /* a spring of a joint rests elsewhere than at the reference position */
} clv_mjcf;

/* As CLV_IMPORT_MORE, of a list of M. */
#define CLV_MJCF_MORE(M, list)                                                                                         \
    (clv_read_reserve((M)->I->r, &(M)->list, &(M)->list##_capacity, (M)->n##list + 1, sizeof *(M)->list)               \
         ? &(M)->list[(M)->n##list++]                                                                                  \
         : NULL)

/* ---- mjcf_tree.c: included files are passed through */
bool clv_mjcf_include(clv_mjcf *M);
unsigned clv_mjcf_first(clv_mjcf *M, unsigned node);
unsigned clv_mjcf_next(clv_mjcf *M, unsigned node);
/* The elements `name` under the root, over all files; pass 0 first. */
unsigned clv_mjcf_section(clv_mjcf *M, unsigned after, const char *name);

/* ---- mjcf_class.c */
void clv_mjcf_classes(clv_mjcf *M);
/* An element; `standard`: the class of its surroundings. */
clv_item clv_mjcf_item(clv_mjcf *M, unsigned node, int standard, const char *kind);
/* The class named by an attribute; `standard` if there is none. */
int clv_mjcf_class(clv_mjcf *M, unsigned node, const char *attribute, int standard);
/* The elements an item is made of, the outermost default first; their count, `most` at the most. */
int clv_mjcf_layers(clv_mjcf *M, clv_item e, const char *const *kinds, unsigned *layer, int most);
/* The element that has the attribute: this one, or that of its defaults; 0: none. */
unsigned clv_mjcf_at(clv_mjcf *M, clv_item e, const char *attribute);
const char *clv_mjcf_word(clv_mjcf *M, clv_item e, const char *attribute); /* NULL: none */
bool clv_mjcf_numbers(clv_mjcf *M, clv_item e, const char *attribute, double *x, int n);
/* Numbers of all layers over each other: fewer of them leave the others as they are. */
void clv_mjcf_overlay(clv_mjcf *M, clv_item e, const char *attribute, double *x, int most);
int clv_mjcf_some(clv_mjcf *M, clv_item e, const char *attribute, double *x, int most);
double clv_mjcf_number(clv_mjcf *M, clv_item e, const char *attribute, double standard);
/* The place of a word in a list (up to NULL); -1 after an error. */
int clv_mjcf_choice(clv_mjcf *M, clv_item e, const char *attribute, const char *const *list, int standard);
bool clv_mjcf_true(clv_mjcf *M, clv_item e, const char *attribute, bool standard);
/* Is a range a limit?  attribute: true, false, or auto. */
bool clv_mjcf_limited(clv_mjcf *M, clv_item e, const char *attribute, const char *range, double x[2]);
/* After everything is read: defaults that nobody has used are no loss. */
void clv_mjcf_see_defaults(clv_mjcf *M);

/* ---- mjcf_frame.c */
/* pos, and one of quat, axisangle, euler, xyaxes, zaxis. */
void clv_mjcf_frame(clv_mjcf *M, clv_item e, clv_frame *f);
/* The least rotation that takes the axis z to this direction; false: no direction. */
bool clv_mjcf_from_z(double R[9], const double z[3]);

/* ---- mjcf_body.c */
void clv_mjcf_world(clv_mjcf *M);
/* The link of a body by name; -1: the world. False (reported at node): there is none. */
bool clv_mjcf_link(clv_mjcf *M, unsigned node, const char *name, int *link);
/* A free name that begins so. */
const char *clv_mjcf_unique(clv_mjcf *M, unsigned node, clv_map *map, const char *name, size_t value);

/* ---- mjcf_joint.c */
/* Joints of M->joint between a link and a new body; the link of the body, -1 after an error. */
int clv_mjcf_joints(clv_mjcf *M, unsigned body, int parent, const clv_frame *at, const char *name);

/* ---- mjcf_inertia.c, mjcf_geom.c, mjcf_mesh.c */
void clv_mjcf_inertia(clv_mjcf *M, unsigned inertial, clv_inertia_part *own);
void clv_mjcf_bound(const clv_mjcf *M, clv_inertia_part *own);
void clv_mjcf_total(clv_mjcf *M);   /* settotalmass */
void clv_mjcf_weights(clv_mjcf *M); /* gravcomp, armature of free joints */
/* The solid of density 1 of a mesh by name, in its axes; false: after an error. */
bool clv_mjcf_mesh(clv_mjcf *M, unsigned geom, const char *name, clv_solid *s);
/* Points of a mesh by name, to be freed, in its axes: the corners of its hull; why not, or NULL. */
const char *clv_mjcf_points(clv_mjcf *M, const char *name, double **points, int *n);
/* Draws a mesh by name at a link; why it is not, or NULL. */
const char *clv_mjcf_look(clv_mjcf *M, unsigned geom, const char *name, const clv_frame *at, int link,
                          const clv_shape *colour);
/* Colour of a material of <asset>; how many of its four numbers there are. */
int clv_mjcf_material(clv_mjcf *M, const char *name, double rgba[4]);
/* Reads a geom of a link in frame f; its mass is added to sum (NULL: it does not count). */
void clv_mjcf_geom(clv_mjcf *M, clv_item e, const clv_frame *f, int link, clv_inertia_part *sum);

/* ---- mjcf_contact.c */
/* Notes a geom, a form with the shape that models have (kind CLV_SHAPE_NONE: none), in a frame of its link. */
void clv_mjcf_hard(clv_mjcf *M, clv_item e, const char *form, const clv_shape *shape, const clv_frame *at,
                   const char *mesh, int link);
void clv_mjcf_contacts(clv_mjcf *M, unsigned section);
void clv_mjcf_contacts_end(clv_mjcf *M);

/* ---- mjcf_law.c */
/* The law of an actuator, with its defaults. */
void clv_mjcf_law(clv_mjcf *M, clv_item e, clv_law *s);
/* Why a model has nothing for a law; NULL: it has. */
const char *clv_mjcf_beyond(const clv_law *s);
/* As clv_mjcf_layers, of actuators of all kinds. */
int clv_mjcf_actuator_layers(clv_mjcf *M, clv_item e, unsigned *layer, int most);

/* ---- mjcf_tendon.c, mjcf_equality.c, mjcf_actuator.c, mjcf_key.c */
void clv_mjcf_tendons(clv_mjcf *M, unsigned section);
void clv_mjcf_equality(clv_mjcf *M, unsigned section);
void clv_mjcf_actuators(clv_mjcf *M, unsigned section);
void clv_mjcf_key(clv_mjcf *M);

#endif
