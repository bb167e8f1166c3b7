/* SPDX-License-Identifier: Apache-2.0
 * What a run has done, for people and as JSON members.  The JSON names are final (docs/commands.md). */
#ifndef CLV_CLI_SUMMARY_H
#define CLV_CLI_SUMMARY_H
#include "cli/command.h"

/* Members model .. redundant_joints: what the mechanism is. */
void clv_summary_json_size(clv_json *j, const clv_subject *s, const clv_sim_report *r);
/* Members time .. min_pivot: what the run did in `wall` seconds. */
void clv_summary_json_run(clv_json *j, const clv_sim_report *r, double wall);
/* Member `final`: position, velocity, quaternion, angular velocity of every body at the output time. */
/* `momentum`: mass, centre of mass, linear and angular momentum of the system. */
void clv_summary_json_momentum(clv_json *j, const clv_sim *sim);
void clv_summary_json_bodies(clv_json *j, const clv_subject *s);
/* "4 bodies, 5 joints, 1 loop; 1 freedom ..." and the redundant joints by name. */
void clv_summary_print_size(const clv_subject *s, const clv_sim_report *r);
/* Joints whose given coordinates assembly moved, and how far, and motions that start elsewhere than the poses given
 * for their bodies; nothing if there are none. */
void clv_summary_print_moved(const clv_subject *s);
/* m or rad by which a motion starts away from the poses that the start gives its bodies; 0: none are given. */
double clv_summary_overridden(const clv_model *m, int motion);
/* Energy drift over the energy that moves from which on a run warns: by defaults the examples stay below 1e-3. */
#define CLV_DRIFT_WARNING 1e-2
/* A warning where momenta lose more of the rates than the tolerance allows (hdca). */
void clv_summary_print_rounding(const clv_sim_report *r, double rtol);
/* `time`: s, of the output state. */
void clv_summary_print_run(const clv_sim_report *r, double time, double wall, int threads);
/* "12.3 us" for a duration in seconds; text holds 24 characters. */
const char *clv_duration(char text[24], double seconds);

/* "modes": q, u and, if evaluated, udot of a flexible body; nothing for others. */
void clv_summary_json_modes(clv_json *j, const clv_sim *sim, int body);

#endif
