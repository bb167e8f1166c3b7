/* SPDX-License-Identifier: Apache-2.0
 * The model reader's private state, and what its files call in each other.
 *
 *     yaml_read         entry points, order of the sections, what clv_model_finish found
 *     yaml_read_tree    libyaml events to a tree
 *     yaml_read_error   the list of errors, where names were defined
 *     yaml_read_hint    words of other programs, and what they are called here
 *     yaml_read_value   one mapping against the schema: typed values; yaml_read_number, yaml_read_composed
 *     yaml_read_path   values given to numbers by their place
 *     yaml_read_parameter   numbers by name, formulas (expression.h), units (unit.h)
 *     yaml_read_item    named entries with `repeat`, names with {i}, references
 *     yaml_read_body, yaml_read_joint, yaml_read_load, yaml_read_start   the sections
 *     yaml_read_flex.h  flexible bodies */
#ifndef CLV_IO_YAML_READ_H
#define CLV_IO_YAML_READ_H
#include "io/expression.h"
#include "io/schema.h"
#include "io/yaml_read_map.h"
#include "io/yaml_read_tree.h"
#include "model/model.h"

#define CLV_MOST_ERRORS 100
#define CLV_MOST_ITEMS  3000000 /* entries a file may expand to by `repeat` */

/* Categories of named things; also the sections of the file. */
typedef enum clv_named {
    CLV_A_BODY,
    CLV_A_JOINT,
    CLV_A_FORCE,
    CLV_A_MOTION,
    CLV_A_COUPLING,
    CLV_A_MARKER,
    CLV_AN_INPUT,
    CLV_AN_EVENT,
    CLV_A_VISUAL,
    CLV_A_SHAPE,
    CLV_NAMED
} clv_named;

typedef struct clv_places { /* node that defined each item of the model, by index */
    unsigned *node;
    size_t count, capacity;
} clv_places;

struct clv_parameter_entry;

typedef struct clv_start { /* start of one body or joint, by name */
    unsigned node;         /* where it is given             */
    long copy;             /* value of {i}                  */
    bool used, bad;        /* bad: its errors have been reported */
} clv_start;

/* Is this a word or a number > 0 for `contacts` and `stops`? */
bool clv_robot_word_known(const char *word);
bool clv_robot_floor_known(const char *number);

typedef struct clv_reader {
    clv_model *model;
    clv_yaml_tree tree;
    char file[256];
    clv_error *error; /* found so far */
    int nerror, capacity;
    long more;   /* found beyond CLV_MOST_ERRORS */
    bool memory; /* out of memory: everything stops */
    long items;  /* entries made */
    clv_places place[CLV_NAMED];
    clv_map start[3]; /* name of a body, joint, flexible body -> start_entry */
    clv_start *start_entry;
    size_t nstart, start_capacity;
    clv_map branch_of; /* name of a body -> node of the branch name */
    struct clv_parameter_entry *parameter; /* yaml_read_parameter.c */
    size_t nparameter, parameter_capacity;
    clv_map parameter_of;     /* name -> parameter */
    const char *const *given; /* "name=value": values of parameters given instead of the file's */
    int ngiven;
    bool misused;      /* one of them is wrong */
    clv_robot_options robot;
    clv_map lost[4];   /* bodies, joints, forces, motions that could not be made: references are not reported again */
} clv_reader;

/* One key of a mapping as the schema defines it. */
typedef struct clv_value {
    const clv_yaml_node *node; /* NULL: not given                                        */
    int count;                 /* numbers in x                                           */
    signed char unit[9];       /* of x[k], where the row has several, as "m, rad": number from 0; -1: none written */
    double x[9];
} clv_value;

#define CLV_MOST_KEYS 32

/* A mapping being read: its values in schema order. */
typedef struct clv_entry {
    clv_reader *reader;
    const clv_yaml_node *node, *name; /* mapping; key that names it (may be NULL) */
    clv_section section;
    int first;      /* first schema row                          */
    bool good;      /* no error so far                           */
    unsigned meant; /* bit k: key k was given, but misspelt      */
    char path[128]; /* as bodies.crank                           */
    long copy;      /* value of {i} and i                        */
    bool repeated;
    bool counts; /* a formula of its own values names i       */
    bool names;  /* and a parameter                           */
    clv_value value[CLV_MOST_KEYS];
} clv_entry;

#define CLV_VALUE(entry, section, id) (&(entry)->value[CLV_KEY_##section##_##id - (entry)->first])

/* ---- yaml_read_tree.c */
/* Version of libyaml as found at run time. */
const char *clv_part_yaml(void);

/* ---- yaml_read_error.c */
/* Adds an error at a node (NULL: no place); path.key; hint may be empty. */
void clv_read_fail(clv_reader *r, clv_status code, const clv_yaml_node *at, const char *path, const char *key,
                   const char *hint, const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Adds an error the model reported, located at a node; path NULL: the model's own. */
void clv_read_fail_model(clv_reader *r, const clv_error *e, const clv_yaml_node *at, const char *path);
/* parent.name, cut where the field ends. */
void clv_path_join(char *path, size_t size, const char *parent, const char *name);
void clv_read_out_of_memory(clv_reader *r);
/* Appends the errors of a reader of another file. */
void clv_read_errors_join(clv_reader *r, const clv_reader *other);
/* Sorts by place, adds "and N more", hands the list to the model.  Returns the status of the first. */
clv_status clv_read_errors_hand_over(clv_reader *r);
/* Grows *array to hold `need` elements; false and r->memory when out of memory. */
bool clv_read_reserve(clv_reader *r, void *array, size_t *capacity, size_t need, size_t size);

/* ---- yaml_read.c */
/* The whole file as text (clv_free it); NULL after an error reported in *e. */
char *clv_model_load(clv_error *e, const char *path, size_t *size);
/* Names the model; NULL: as its file. */
void clv_read_title(clv_reader *r, const char *name);
/* As clv_model_read_text_with, or of a robot with its options. */
clv_status clv_model_read_any(clv_model **model, const char *text, size_t size, const char *file_name, bool lenient,
                              const clv_robot_options *robot, const char *const *given, int ngiven);
/* The text of a file (clv_free it), before it is read; errors are in a model that holds nothing else. */
clv_status clv_model_open(clv_model **model, const char *path, char **text, size_t *size);
/* A model that holds nothing but the error. */
clv_status clv_model_failed(clv_model **model, const clv_error *e);
/* As clv_model_read_text_with; lenient: as clv_model_read_lenient. */
clv_status clv_model_read_as(clv_model **model, const char *text, size_t size, const char *file_name, bool lenient,
                             const char *const *given, int ngiven);

/* ---- yaml_read_hint.c */
/* What an unknown key is called here, or where it belongs; false if nothing is known about it. */
bool clv_hint_key(clv_section section, const clv_yaml_node *value, const char *key, char *hint, size_t size);
const char *clv_hint_kind(const char *text);     /* same for kinds of joints and forces; NULL if none      */
bool clv_means_ground(const char *name);         /* Ground, world, ...                                     */
const char *clv_number_oddity(const char *text); /* why a text is no number; NULL: no usual surprise        */

/* ---- yaml_read_number.c */
/* Fails at a node inside the value of a key; the hint shows the key's example and unit.  Silent where the node was
 * refused. */
void clv_key_fail(clv_entry *e, const clv_yaml_node *at, const clv_schema_row *row, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const char *clv_node_shown(const clv_reader *r, const clv_yaml_node *n); /* its text, or "a list", "a mapping" */
/* *alternative: which unit of a row with several, as "m, rad", the number was written in, from 0; -1: in none. */
bool clv_read_number(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, double *x, int *alternative);
/* The number with its unit, not compared with the row's; depth: as of clv_scope. */
bool clv_read_quantity(clv_entry *e, const clv_yaml_node *n, const clv_schema_row *row, int depth, clv_quantity *q);

/* ---- yaml_read_path.c */
/* Is a value given to a number by its place ("d1.damping=3"), not to a parameter? */
bool clv_given_is_path(const char *given);
/* Puts those of r->given into the tree.  False: one of them is wrong; the file is not read then. */
bool clv_read_paths(clv_reader *r);

/* ---- yaml_read_parameter.c */
/* The section (NULL: there is none) and r->given; every parameter has a value then, or an error.  False: a value given
 * is wrong; the rest of the file is not read then. */
bool clv_read_parameters(clv_reader *r, const clv_yaml_node *node);
void clv_note_parameters(clv_reader *r); /* into the model */
void clv_free_parameters(clv_reader *r);
/* Value of a formula in an entry. */
bool clv_read_formula(clv_entry *e, const char *text, int depth, clv_quantity *q, clv_expression_fault *f);

/* ---- yaml_read_value.c */
/* A list whose items a comma inside a formula has parted, as [mod(i, 2), 0]: fails at that item.  False: it is none. */
bool clv_comma_fail(clv_entry *e, const clv_yaml_node *list, const clv_schema_row *row);
const clv_yaml_node *clv_node(const clv_reader *r, unsigned index);
const char *clv_node_text(const clv_reader *r, const clv_yaml_node *n);
clv_place clv_place_of(const clv_yaml_node *n); /* line 0 for NULL */
/* Fails at a value of the entry, or at the entry itself if the value is not given. */
void clv_entry_fail(clv_entry *e, const clv_value *v, const char *key, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Reads the mapping `node` against a section; path is copied.  False after errors. */
bool clv_entry_read(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name,
                    clv_section section, const char *path);
/* The same of a mapping inside one that was read: i counts there, too. */
bool clv_entry_read_in(clv_entry *e, const clv_entry *outer, const clv_yaml_node *node, const clv_yaml_node *name,
                       clv_section section, const char *path);
/* The same of copy `copy` of a repeated mapping: its numbers, where they count. */
bool clv_entry_read_copy(clv_entry *e, clv_reader *r, const clv_yaml_node *node, const clv_yaml_node *name,
                         clv_section section, const char *path, long copy);
const char *clv_value_text(const clv_entry *e, const clv_value *v); /* NULL if not given */

/* ---- yaml_read_composed.c */
/* Quaternion and (if given as a matrix) the matrix itself; false after errors; untouched if not given. */
bool clv_value_orientation(clv_entry *e, const clv_value *v, const char *key, double q[4], double R[9], bool *exact);
/* Table of [t, v] into *table, storage from clv_alloc in *storage (free it); turns: bool "values are angles". */
bool clv_value_table(clv_entry *e, const clv_value *v, const char *key, int least, bool turns, clv_table *table,
                     double **storage);
/* Says where a value was written in the unit of an angle though the coordinate of joint `what` is a length, or the
 * other way round. */
bool clv_value_fits(clv_entry *e, const clv_value *v, const char *key, bool turns, const char *what);

/* ---- yaml_read_item.c */
typedef bool (*clv_make)(clv_entry *e, const char *name); /* adds one item to the model; false: lost */
/* Reads every entry of the section mapping at `node` and makes its copies. */
void clv_items_read(clv_reader *r, const clv_yaml_node *node, const char *section_name, clv_section section,
                    clv_make make, int category);
/* Name with {i}, {i+1}, {i-2} replaced; out has `size`; false after an error (reported). */
bool clv_name_expand(clv_entry *e, const clv_yaml_node *at, const char *key, const char *text, char *out, size_t size);
/* Values of repeat and from; false after an error. */
bool clv_entry_copies(clv_entry *e, long *count, long *from);
/* Reports a name that is no body, joint or motion (category), with the nearest one. */
void clv_fail_dangling(clv_reader *r, const clv_yaml_node *at, int category, const char *path, const char *name);
/* Remembers where an item was made, or reports what the model said. */
bool clv_item_made(clv_entry *e, clv_status status, int category);
/* Index of a body (CLV_GROUND for "ground") or joint named at a node; false after an error. */
bool clv_find_body(clv_entry *e, const clv_yaml_node *at, const char *key, bool ground, int *body);
bool clv_find_joint(clv_entry *e, const clv_yaml_node *at, const char *key, int *joint);
bool clv_find_force(clv_entry *e, const clv_yaml_node *at, const char *key, int *force);
bool clv_find_motion(clv_entry *e, const clv_yaml_node *at, const char *key, int *motion);
/* Factors by joint under `of`, of a coupling or a tendon (`whole`), into term (CLV_COUPLING_MOST).  How many; 0 after
 * an error, whose hint is given. */
int clv_read_terms(clv_entry *e, const clv_value *of, const clv_schema_row *key, const char *whole, const char *hint,
                   clv_coupling_term *term);

/* ---- sections */
bool clv_make_body(clv_entry *e, const char *name);
void clv_check_joint_kind(clv_entry *e, const clv_value *v);
bool clv_make_joint(clv_entry *e, const char *name);
bool clv_make_motion(clv_entry *e, const char *name);
bool clv_make_coupling(clv_entry *e, const char *name);
bool clv_make_marker(clv_entry *e, const char *name);

/* ---- yaml_read_shape.c */
/* The form, place and colour of a shape; *points: those of a mesh, to be freed after use. */
void clv_read_solid(clv_entry *s, clv_shape *to, double **points);
bool clv_make_shape(clv_entry *e, const char *name); /* an added shape */

/* ---- yaml_read_visual.c */
bool clv_make_visual(clv_entry *e, const char *name);
/* The box, sphere, cylinder or capsule among the keys of an entry; how many there are. */
int clv_read_forms(const clv_entry *e, clv_shape *to);
/* Refuses a model with a mesh whose file cannot be opened.  For model files; a run file has the meshes itself. */
clv_status clv_visuals_find(clv_model *m);
bool clv_make_input(clv_entry *e, const char *name);
bool clv_make_event(clv_entry *e, const char *name);
void clv_read_start(clv_reader *r, const clv_yaml_node *node);
void clv_read_start_unused(clv_reader *r);
void clv_read_branches(clv_reader *r, const clv_yaml_node *node);
void clv_read_branches_check(clv_reader *r, const clv_yaml_node *node); /* after the bodies: do they exist? */
/* The start given for `name` (0 bodies, 1 joints, 2 modes), read against its section;
 * false if there is none, or a bad one. */
bool clv_start_of(clv_entry *start, clv_entry *item, int which, const char *name);
bool clv_coordinate_turns(clv_joint_kind kind, int k); /* is coordinate k an angle? */

/* ---- yaml_read_load.c */
/* Section of the schema for the kind of the force at `key`; false after an error. */
bool clv_force_section(clv_reader *r, const clv_yaml_node *key, const char *path, clv_section *section);
bool clv_make_force(clv_entry *e, const char *name);
bool clv_make_tendon(clv_entry *e, clv_force_desc *d); /* yaml_read_tendon.c */
bool clv_make_drag(clv_entry *e, clv_force_desc *d);

/* ---- yaml_read_contacts.c */
bool clv_make_contacts(clv_entry *e, clv_force_desc *d);
/* The numbers of a contact that are given; first: stiffness, the others behind it as in the schema. */
void clv_read_contact_numbers(const clv_value *first, clv_contact *c);

#endif
