/* SPDX-License-Identifier: Apache-2.0
 * Robots of other programs (URDF, MJCF, SDF) as models.
 *
 *     import          entry point: which format, numbers and errors of elements
 *     import_note     what the model does not carry
 *     robot_lump      links that do not move relative to each other become one body
 *     robot_make      bodies, joints, loads, couplings, inputs, markers of the model
 *     robot_visual    visuals of the model: shapes and meshes of links
 *     robot_contact   shapes that touch, and their contacts
 *     import_begin    what a file begins with
 *     urdf_*, mjcf_*, sdf_*   the formats: elements to links and joints
 *     xml_tree        the text as a tree of elements
 *
 * A robot is links and joints, one joint from every link to its parent; a link without one stands on the ground. */
#ifndef CLV_IO_IMPORT_H
#define CLV_IO_IMPORT_H
#include "io/xml_tree.h"

/* Axes of a frame in another one. */
typedef struct clv_frame {
    double p[3], R[9]; /* origin (m); rotation, row major */
} clv_frame;

typedef struct clv_inertia_part {
    double mass, com[3], J[6]; /* kg; m; kg m^2 xx yy zz xy xz yz about com, link axes */
} clv_inertia_part;

typedef struct clv_link {
    const char *name;
    unsigned node;
    clv_inertia_part own;   /* of this link                                                  */
    clv_inertia_part whole; /* of the body that it carries, with the links lumped into it   */
    clv_shape shape;
    int up;        /* joint to its parent, -1: none                                  */
    int base;      /* link that carries its body; -1: the ground                     */
    clv_frame at;  /* its frame in that body                                         */
    int body;      /* of the model, if base is itself                                */
    bool floating; /* no joint, and free                                             */
    bool hidden;   /* made between several joints of one body: no marker             */
    int looks;     /* number in the name of its next visual; 0: it has none          */
    int shapes;    /* the same of shapes that touch                                  */
    int touching;  /* shapes that touch, of all links that its body carries          */
    size_t shape_of; /* the last of them                                             */
} clv_link;

typedef struct clv_rod { /* a joint between links */
    const char *name;
    unsigned node;
    clv_joint_kind kind;
    int parent, child;               /* links                                                          */
    clv_frame at;                    /* child link in its parent at coordinate 0                       */
    double point[3], E[9];           /* joint point and axes (z: the axis) in the child link           */
    double pitch;                    /* m/rad, helical                                                 */
    double damping, stiffness, rest; /* on every coordinate                                  */
    double friction;                 /* dry friction on every coordinate                               */
    unsigned friction_node;          /* node that says so                                              */
    bool bounded, stops;             /* its coordinate has limits; these become stops                  */
    double bound[2];
    unsigned bounds;                 /* the element that gives them                                    */
    double armature;                 /* kg m^2 or kg: rotor inertia at the joint                       */
    int input;                       /* inputs to be made: 0 or 1                                */
    double limit[2];                 /* of the input                                                   */
    double reference;                /* coordinate in the reference position (MJCF)                    */
    int first;                       /* follows this joint: q = ratio q(first) + offset; -1: none      */
    double ratio, offset;
    bool has_q, has_u;
    double q[7], u[6];
    int joint; /* of the model; -1: none, the link is lumped                     */
} clv_rod;

typedef struct clv_loop { /* a constraint between frames of two links */
    const char *name;
    unsigned node; /* 0: line and column below */
    unsigned line, column;
    clv_joint_kind kind;
    int a, b; /* links; -1: the ground */
    clv_frame at_a, at_b;
} clv_loop;

typedef struct clv_cord { /* a tendon */
    const char *name;
    unsigned node;
    bool path;                       /* over points of links; else a sum of joint coordinates          */
    int n, of[CLV_COUPLING_MOST];    /* links (-1: the ground), or clv_rod; n 0: it is not carried over */
    double point[CLV_COUPLING_MOST][3], factor[CLV_COUPLING_MOST]; /* m, axes of the link              */
    double stiffness, damping, slack[2]; /* without force from one length to the other                 */
    bool stops, acted;               /* it has limits; an actuator acts on it                          */
    double bound[2];
    int force;                       /* of the model                                                   */
} clv_cord;

typedef struct clv_drive { /* an input beside those of the joints */
    const char *name;
    unsigned node;
    bool on_cord;          /* joint is a clv_cord */
    int joint, coordinate; /* a clv_rod */
    double limit[2], value;
} clv_drive;

typedef struct clv_servo { /* spring, damper and constant drive of an actuator at a joint */
    const char *name;
    unsigned node;
    int joint, coordinate; /* a clv_rod */
    int cord;              /* or a clv_cord; -1: none */
    double stiffness, damping, rest, drive;
} clv_servo;

typedef struct clv_gear { /* q(second) = ratio q(first) + offset, or a polynomial of q(first) */
    const char *name;
    unsigned node;
    bool of_cords;     /* of clv_cord, sums of coordinates; else of clv_rod */
    int first, second; /* first -1: second is held at offset                */
    double ratio, offset;
    double polynomial[5]; /* where a coefficient from the second on is not 0; offset is 0 then */
} clv_gear;

typedef struct clv_push { /* a constant force at a point of a link */
    const char *name;
    unsigned node;
    int link;
    double p[3], vector[3]; /* m, axes of the link; N, global axes */
} clv_push;

typedef struct clv_spot { /* a marker */
    const char *name;
    unsigned node;
    int link; /* -1: the ground */
    double p[3];
} clv_spot;

typedef struct clv_hard { /* a shape or a plane that touches others */
    unsigned node;
    const char *name; /* NULL: that of its link                                         */
    int link;         /* -1: the world                                                  */
    clv_shape shape;  /* in the link; CLV_SHAPE_NONE: a plane through `at`, normal z    */
    double *points;   /* of a mesh, owned                                               */
    const char *mesh; /* name of the mesh in its file                                   */
    int type, with;   /* it touches those whose `with` has a bit of its `type`          */
    int rank;         /* of two the higher one says the friction                        */
    bool slick;       /* no friction, unless the other has                              */
    double friction;
    bool off;         /* takes no part                                                  */
    int entry;        /* in lists of contacts, when it is made                          */
} clv_hard;

typedef struct clv_hard_pair { /* two that touch, whatever their bits say */
    unsigned node;
    int a, b; /* of clv_hard */
    double friction;
} clv_hard_pair;

typedef struct clv_apart_pair { /* two links that never touch */
    unsigned node;
    int a, b;
} clv_apart_pair;

typedef struct clv_look { /* a visual */
    unsigned node;
    int link;
    clv_frame at;     /* of the shape or mesh in the link      */
    clv_shape shape;  /* form and colour; its place is `at`    */
    const char *mesh; /* file as it is opened; NULL: a shape   */
    double scale[3];
} clv_look;

#define CLV_LIST_OF(type, name)                                                                                        \
    type *name;                                                                                                        \
    size_t n##name, name##_capacity

typedef struct clv_import {
    clv_reader *r;
    clv_model *m;
    clv_xml xml;
    const char *format; /* URDF, MJCF or SDF */
    CLV_LIST_OF(clv_link, link);
    CLV_LIST_OF(clv_rod, rod);
    CLV_LIST_OF(clv_loop, loop);
    CLV_LIST_OF(clv_drive, drive);
    CLV_LIST_OF(clv_spot, spot);
    CLV_LIST_OF(clv_servo, servo);
    CLV_LIST_OF(clv_gear, gear);
    CLV_LIST_OF(clv_cord, cord);
    CLV_LIST_OF(clv_push, push);
    CLV_LIST_OF(clv_look, look);
    CLV_LIST_OF(clv_hard, hard);
    CLV_LIST_OF(clv_hard_pair, pair);
    CLV_LIST_OF(clv_apart_pair, apart);
    bool near; /* neighbours over a joint touch, too */
    CLV_LIST_OF(char *, text);    /* made here                         */
    CLV_LIST_OF(char *, file);    /* included files; [0] the main one  */
    CLV_LIST_OF(unsigned, place); /* elements that include them, by file */
    clv_map links, rods;          /* by name */
    clv_map colours;              /* URDF: by name of the material -> element; coloured: they are there */
    bool coloured;
    int world_shapes;             /* as clv_link.shapes */
    bool floating;                /* URDF: the root is free */
    bool brief;                   /* many harmless things of one kind are one item of the list */
} clv_import;

/* Room for one more in a list; NULL when out of memory. */
#define CLV_IMPORT_MORE(I, list)                                                                                       \
    (clv_read_reserve((I)->r, &(I)->list, &(I)->list##_capacity, (I)->n##list + 1, sizeof *(I)->list)                  \
         ? &(I)->list[(I)->n##list++]                                                                                  \
         : NULL)

/* ---- import.c */
/* import_begin.c: is a file by its name a robot, and its text no model of cleave?  Does it begin as XML of robots does?
 * False: reported. */
bool clv_import_named(const char *file, const char *text, size_t size);
bool clv_import_begins(clv_reader *r, const char *text, size_t size);
/* Fills r->model from a text that is XML; finish comes after.  Errors are reported to r; false then. */
bool clv_import_read(clv_reader *r, const char *text, size_t size);
/* An error at an element. */
void clv_import_fail(clv_import *I, unsigned node, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A formatted text that lives as long as the import; NULL when out of memory. */
const char *clv_import_text(clv_import *I, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Attribute as n numbers; false: not given, or wrong (reported). */
bool clv_import_numbers(clv_import *I, unsigned node, const char *attribute, double *x, int n);
/* As many as there are, `most` at the most; their count, 0 after an error. */
int clv_import_some(clv_import *I, unsigned node, const char *attribute, double *x, int most);
double clv_import_number(clv_import *I, unsigned node, const char *attribute, double standard);
/* Does a text stand for no limit: a number from 1e16 on, or "inf"? Then *x is infinite, with its sign. */
bool clv_import_infinite(const char *text, double *x);
/* The same of a text; what: what errors call it. */
int clv_import_list(clv_import *I, unsigned node, const char *what, const char *text, double *x, int most);
/* Attribute that must be there; NULL (reported) if it is not. */
const char *clv_import_need(clv_import *I, unsigned node, const char *attribute);
/* A name that a model may have: no braces, no control characters, not "ground". */
const char *clv_import_name(clv_import *I, unsigned node, const char *name);

/* ---- import_note.c */
/* Something is not carried over; harmful: the motion may differ. */
void clv_import_drop(clv_import *I, unsigned node, bool harmful, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Position limits of a joint: stops of the model, or dropped.  clv_robot_limits decides, and about its dry friction. */
void clv_import_limits(clv_import *I, unsigned node, clv_rod *j, double lower, double upper);
void clv_import_drop_limits(clv_import *I, const clv_rod *j);
/* Drops every element and attribute that nobody has looked at.  harmless: those that change no motion, as "element",
 * "element@attribute" or "*@attribute", up to NULL. */
void clv_import_drop_unseen(clv_import *I, const char *const *harmless);

/* ---- robot_lump.c */
void clv_frame_identity(clv_frame *f);
/* Its rotation from roll, pitch, yaw (rad) about the fixed axes x, y, z. */
void clv_frame_turn(clv_frame *f, const double rpy[3]);
/* c = a b: the frame b, given in a. */
void clv_frame_product(clv_frame *c, const clv_frame *a, const clv_frame *b);
/* y = x^-1, which may be the same. */
void clv_frame_inverse(clv_frame *y, const clv_frame *x);
/* A part in frame f is added to a sum. */
void clv_inertia_add(clv_inertia_part *sum, const clv_inertia_part *part, const clv_frame *f);
/* Bodies and frames of all links; false after an error (a cycle). */
bool clv_robot_lump(clv_import *I);

/* ---- robot_tidy.c: without rounding; size: of other numbers that x was made of */
void clv_tidy_numbers(double *x, int n, double size);
void clv_tidy_zeros(double *x, int n); /* 0 for -0 */
void clv_tidy_load(clv_force_desc *d); /* of its stiffness, damping, rest and drive */
void clv_tidy_turn(double q[4]); /* a turn about x, y or z where it is one */

/* ---- robot_couple.c */
/* second = ratio x first + offset, of joints of the model */
void clv_robot_couple(clv_import *I, const char *name, unsigned node, int first, int second, double ratio,
                      double offset);
/* an equality: a coupling, a sum of coordinates, or a joint that is held */
void clv_robot_gear(clv_import *I, const clv_gear *g);

/* ---- robot_make.c */
clv_link *clv_robot_link(clv_import *I, unsigned node, const char *name);                    /* NULL: out of memory */
clv_rod *clv_robot_rod(clv_import *I, unsigned node, const char *name, clv_joint_kind kind); /* as fixed at identity */
void clv_robot_make(clv_import *I);
/* Where an element stands in the main file: an included one where it is included. */
clv_place clv_robot_place(const clv_import *I, unsigned node);
/* Reports what the model said of an item; false: it is not there. */
bool clv_robot_made(clv_import *I, clv_status status, unsigned node);
/* The frame f of a link, in its body: position and quaternion; the body or CLV_GROUND. */
int clv_robot_body(const clv_import *I, int link, const clv_frame *f, double p[3], double q[4]);

/* ---- robot_tendon.c */
void clv_robot_tendons(clv_import *I);
void clv_robot_tendon_servo(clv_import *I, const clv_servo *s);

/* ---- robot_visual.c */
/* A shape or a mesh is drawn at a link.  Of a mesh, why it is not: no such file, another format; NULL: it is. */
void clv_robot_shape(clv_import *I, unsigned node, int link, const clv_shape *s);
const char *clv_robot_mesh(clv_import *I, unsigned node, int link, const clv_frame *at, const char *file,
                           const double scale[3], const clv_shape *colour);
/* Corners of the hull of a mesh, to be freed; why not, or NULL. */
const char *clv_robot_points(const clv_import *I, const char *file, const double scale[3], double **points, int *n);
void clv_robot_looks(clv_import *I); /* visuals of the model */

/* ---- robot_contact.c, robot_contact_force.c */
/* Are contacts made?  What stands in their way is dropped. */
bool clv_robot_contacts_wanted(const clv_import *I);
/* Are there contacts, and rigid ones?  After clv_robot_contacts_lump. */
bool clv_robot_contacts_rigid(const clv_import *I);
/* Bodies get their only shape that touches, before they are made. */
void clv_robot_contacts_lump(clv_import *I);
/* Further shapes and forces of the model. */
void clv_robot_contacts(clv_import *I);

/* ---- robot_limits.c */
/* Limits of joints become stops as the options have it: without an option, rigid ones where contacts are rigid.  Others
 * are dropped. */
void clv_robot_limits(clv_import *I);
/* Do the options have soft stops?  Stops at a lower and an upper bound. */
bool clv_robot_stops_soft(const clv_import *I);
void clv_robot_stop(const clv_import *I, const double bound[2], clv_stop *to);

/* ---- formats */
void clv_urdf_read(clv_import *I, unsigned root);
void clv_urdf_frame(clv_import *I, unsigned element, clv_frame *f); /* its <origin> */
void clv_urdf_link(clv_import *I, unsigned node);
void clv_urdf_joint(clv_import *I, unsigned node);
void clv_urdf_mimic(clv_import *I, size_t rod);
void clv_urdf_transmission(clv_import *I, unsigned node);
void clv_urdf_loops(clv_import *I); /* of the side file, if there is one */
extern const char *const clv_urdf_harmless[];
void clv_mjcf_read(clv_import *I, unsigned root);
void clv_sdf_read(clv_import *I, unsigned root);

#endif
