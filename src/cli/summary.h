/* SPDX-License-Identifier: Apache-2.0
 * What a run has done, for people and as JSON members.  The JSON names are final (docs/commands.md). */
#ifndef CLV_CLI_SUMMARY_H
#define CLV_CLI_SUMMARY_H
#include "cli/command.h"

/* position, velocity, acceleration: the stages of a report, as JSON and people name them (summary_json.c) */
extern const char *const clv_stage_name[3];

/* summary_json.c.  Members model .. redundant_joints: what the mechanism is; without the numbers of bodies and joints
 * where the object has them listed under these names. */
void clv_summary_json_size(clv_json *j, const clv_subject *s, const clv_sim_report *r, bool listed);
/* Members time .. min_pivot: what the run did in `wall` seconds. */
void clv_summary_json_run(clv_json *j, const clv_sim_report *r, double wall);
/* `momentum`: mass, centre of mass, linear and angular momentum of the system. */
void clv_summary_json_momentum(clv_json *j, const clv_sim *sim);
/* Member `final`: position, velocity, quaternion, angular velocity of every body at the output time. */
void clv_summary_json_bodies(clv_json *j, const clv_subject *s);
/* Prints the name of a line, 22 columns wide. */
void clv_label(const char *text);
/* "warning", as wide. */
void clv_summary_warn(void);
/* "loader: 8 bodies, 11 joints, 3 loops", then the degrees of freedom. */
void clv_summary_print_size(const clv_subject *s, const clv_sim_report *r);
/* The degrees of freedom: "2, both driven by motions (Gruebler count -7; 9 redundant constraints)". */
enum { CLV_FREEDOMS_TEXT = 320 };
void clv_summary_freedoms(char text[CLV_FREEDOMS_TEXT], const clv_model *m, clv_sim *sim, const clv_sim_report *r);
/* Does the motion of a joint prescribe something that nothing else prescribes?  Its drive is unique then along the
 * joint's axis. */
bool clv_summary_drive_unique(clv_sim *sim, int joint);
/* Does a motion drive it that other motions repeat?  Then they share its effort. */
bool clv_summary_drive_repeated(const clv_model *m, clv_sim *sim, int joint);
/* Prints them with their label. */
void clv_summary_print_freedoms(const clv_subject *s, const clv_sim_report *r);
/* How far assembly moved the start; nothing if it did not. */
void clv_summary_print_assembly(const clv_subject *s, const clv_sim_report *r);
/* Joints whose given coordinates assembly moved, and how far, and motions that start elsewhere than the poses given
 * for their bodies; nothing if there are none. */
void clv_summary_print_moved(const clv_subject *s);
/* What sets a step: "joint J3", "mode 2 of boom", with a quote about the name; into `text`, which is returned. */
const char *clv_summary_limit_name(const clv_subject *s, const clv_step_limit *x, const char *quote, char *text,
                                   size_t size);
/* Is the velocity of a body at the start another than the model gives, by more than 1 % of its largest component? */
bool clv_summary_body_changed(const clv_subject *s, int body);
/* m or rad by which a motion starts away from the poses that the start gives its bodies; 0: none are given. */
double clv_summary_overridden(const clv_model *m, int motion);
/* Energy drift over the energy that moves from which on a run warns: by defaults the examples stay below 1e-3. */
#define CLV_DRIFT_WARNING 1e-2
/* A warning where momenta lose more of the rates than the tolerance allows (hdca). */
void clv_summary_print_rounding(const clv_sim_report *r, double rtol);
/* Member `step_limit`: what set the steps; null where that is not known. */
void clv_summary_json_limit(clv_json *j, const clv_subject *s);
/* A run, in this order: how long, how accurate, the steps; with --verbose what the program did.  time: s, of the output
 * state. */
void clv_summary_print_time(const clv_sim_report *r, double time, double wall);
/* singular: s, when the rank fell first; NaN: not known. */
void clv_summary_print_accuracy(const clv_sim_report *r, double singular);
void clv_summary_print_steps(const clv_subject *s, const clv_sim_report *r, double time);
void clv_summary_print_internals(const clv_sim_report *r, double wall, int threads);
/* summary_events.c: the events of the model, when they happened, impulse and energy lost; nothing if it has none. */
void clv_summary_print_events(const clv_subject *s);
/* What event i has done, in words: "NAME: ...". */
void clv_event_text(const clv_model *m, int i, const clv_event_result *r, char *text, size_t size);
/* Member `model_events`, if it has any. */
void clv_summary_json_events(clv_json *j, const clv_subject *s);
/* "12.3 us" for a duration in seconds; text holds 24 characters. */
const char *clv_duration(char text[24], double seconds);

/* "modes": q, u and, of an evaluated simulation if requested, udot of a flexible body; nothing for others. */
void clv_summary_json_modes(clv_json *j, const clv_sim *sim, int body, bool accelerations);

#endif
