/* SPDX-License-Identifier: Apache-2.0
 * Built-in examples: a table of names, parameters and build functions, and the small builder they are written with.
 * The builder remembers the first failure, so a mechanism reads as a list of bodies and joints without a check per
 * line. */
#ifndef CLV_EXAMPLES_EXAMPLES_H
#define CLV_EXAMPLES_EXAMPLES_H
#include "flexible/flex_beam.h"
#include "model/model.h"

typedef struct clv_example_build {
    clv_model *model;
    clv_status status;
} clv_example_build;

typedef struct clv_example_param {
    const char *name;            /* NULL ends the list                          */
    double value, least, most;   /* default and permitted range                 */
    bool whole;                  /* whole numbers only                          */
} clv_example_param;

typedef struct clv_example {
    const char *name;
    const char *text;            /* one line                                    */
    double time;                 /* s, suggested duration                       */
    double gravity[3];           /* m/s^2                                       */
    clv_example_param param[3];
    void (*build)(clv_example_build *b, const double *param);
} clv_example;

extern const clv_example clv_example_table[];
extern const int clv_example_total;

/* Body description with its frame at the centre of mass, at `position`, body axes = global axes.  Name valid until the
 * next call with the same `name` buffer; J: principal moments. */
clv_body_desc clv_example_body(const char *name, double mass, const double J[3], const double position[3]);
/* Adds; returns the index, or -1 after a failure. */
int clv_example_add_body(clv_example_build *b, const clv_body_desc *desc);
int clv_example_add_joint(clv_example_build *b, clv_joint_desc *desc);
/* Revolute joint J<n+1> between bodies, place and axis global; axis NULL: z. */
int clv_example_hinge(clv_example_build *b, int inboard, int outboard, const double at[3], const double *axis);
void clv_example_marker(clv_example_build *b, const char *name, int body, double x, double y, double z);
void clv_example_force(clv_example_build *b, const clv_force_desc *desc);

/* examples_planar.c */
void clv_example_pendulum(clv_example_build *b, const double *param);
void clv_example_double_pendulum(clv_example_build *b, const double *param);
void clv_example_chain(clv_example_build *b, const double *param);
void clv_example_chain_closed(clv_example_build *b, const double *param);
void clv_example_sine_chain(clv_example_build *b, const double *param);
void clv_example_hdca1(clv_example_build *b, const double *param);
void clv_example_hdca2(clv_example_build *b, const double *param);
void clv_example_hdca3(clv_example_build *b, const double *param);
void clv_example_aldca(clv_example_build *b, const double *param);
void clv_example_five_bar(clv_example_build *b, const double *param);
void clv_example_ladder(clv_example_build *b, const double *param);
/* examples_andrews.c */
void clv_example_andrews(clv_example_build *b, const double *param);
/* examples_branches.c */
void clv_example_jsc18(clv_example_build *b, const double *param);
/* examples_flexible.c */
/* A tube without modes or nodes yet: m, outer and inner radius; kg/m^3, Young's and shear modulus N/m^2. */
clv_beam clv_example_tube(double length, double outer, double inner, double density, double young, double shear);
/* A beam as body `frame` with name, pose and branch of `desc`, with its modes and the node `tip`, or rigid.  Returns
 * the body at its tip. */
int clv_example_boom(clv_example_build *b, const clv_body_desc *desc, const clv_beam *beam, bool flexible, int *frame);
void clv_example_flex_arm(clv_example_build *b, const double *param);
/* examples_governor.c */
void clv_example_governor(clv_example_build *b, const double *param);
/* examples_mmsev.c */
void clv_example_mmsev_rigid(clv_example_build *b, const double *param);
void clv_example_mmsev_flexible(clv_example_build *b, const double *param);
/* examples_spatial.c */
void clv_example_bricard(clv_example_build *b, const double *param);
void clv_example_loop7(clv_example_build *b, const double *param);
void clv_example_robot(clv_example_build *b, const double *param);
void clv_example_satellite(clv_example_build *b, const double *param);

#endif
