/* SPDX-License-Identifier: Apache-2.0
 * The numbers that a run reports, each with its type and meaning, in one list.  JSON and its page (docs/commands.md),
 * the summary of a run file (io/runfile_write.c) and the accounts of a saved state (checkpoint.c) are made from it.  A
 * new number is a row here and a field of clv_sim_report. */
#ifndef CLV_SIMULATION_REPORT_ROWS_H
#define CLV_SIMULATION_REPORT_ROWS_H
#include <stdbool.h>
#include <stddef.h>
#include "cleave/cleave.h"

/* Rows: X(part, type, field, saved, text)
 *   part     SIZE: of the mechanism; WORK: how much was done; RUN: what came out
 *   type     WHOLE (int), COUNT (long), NUMBER (double)
 *   saved    grows along the run: a saved state carries it on
 *   text     meaning and unit, for the page */
#define CLV_REPORT_SIZE_ROWS(X)                                                                                      \
    X(SIZE, WHOLE, bodies, false, "bodies, without interface nodes")                                                 \
    X(SIZE, WHOLE, joints, false, "joints")                                                                          \
    X(SIZE, WHOLE, loops, false, "joints - bodies + components")                                                     \
    X(SIZE, WHOLE, mobility_counted, false,                                                                          \
      "degrees of freedom by counting rows (Gruebler), without those that motions prescribe")                        \
    X(SIZE, WHOLE, mobility_found, false, "the same by the rank of the constraints at the start")                    \
    X(SIZE, WHOLE, mobility_beside, false,                                                                           \
      "the same at a position a small step beside the start: less than `mobility_found` where the start is singular") \
    X(SIZE, WHOLE, redundant_constraints, false, "rows without effect at the start")
#define CLV_REPORT_WORK_ROWS(X)                                                                                      \
    X(WORK, COUNT, steps, false, "accepted steps")                                                                   \
    X(WORK, COUNT, rejected_steps, false, "steps tried again with a smaller size")                                   \
    X(WORK, COUNT, rate_evaluations, true, "right-hand-side evaluations")
#define CLV_REPORT_RUN_ROWS(X)                                                                                       \
    X(RUN, NUMBER, energy_initial, false, "J, at the start")                                                         \
    X(RUN, NUMBER, energy, true, "J, at the last step")                                                              \
    X(RUN, NUMBER, max_energy_drift, true,                                                                           \
      "J: energy minus start minus work of drives, dampers and known forces; `null` with callbacks")                 \
    X(RUN, NUMBER, energy_moved, true,                                                                               \
      "J: largest kinetic energy, or change of potential energy, over accepted steps: the scale of the drift")       \
    X(RUN, NUMBER, max_energy_drift_relative, false,                                                                 \
      "`max_energy_drift` over `energy_moved`; above 0.01 the text warns: the motion is not accurate. `null` with "  \
      "callbacks, and where nothing moves: without degrees of freedom and motions, within 30 times the absolute "    \
      "tolerance, or by no more than `energy_still`")                                                                \
    X(RUN, NUMBER, energy_still, false,                                                                              \
      "J: what rounding may make move at rest: 1e-11 of the energy, and of a fall through the size of the model "    \
      "(T15)")                                                                                                       \
    X(RUN, NUMBER, max_position_violation, true, "m or rad, largest over accepted steps")                            \
    X(RUN, NUMBER, max_velocity_violation, true, "the same per s")                                                   \
    X(RUN, NUMBER, max_velocity_violation_full, true, "the same over steps where the rank did not fall")             \
    X(RUN, COUNT, truncated_evaluations, true, "evaluations with a smaller rank than at the start")                  \
    X(RUN, NUMBER, dropped_energy, true,                                                                             \
      "J: largest kinetic energy found in dropped directions after an accepted step, which is removed when they "    \
      "return. `aldca`: sum removed by velocity projections that reached the limit of iterations. The text warns "   \
      "if it is a large part of the drift")                                                                          \
    X(RUN, NUMBER, min_pivot, true, "smallest scaled pivot accepted")                                                \
    X(RUN, NUMBER, contradiction, false,                                                                             \
      "rad, or parts of the model's size: by how much the data of redundant constraints contradict each other at "   \
      "the start (T40)")                                                                                             \
    X(RUN, NUMBER, max_contradiction, true,                                                                          \
      "the same: the largest violation that projections left along the motion")                                      \
    X(RUN, NUMBER, start_moved, true, "m or rad: how far assembly moved the start")                                  \
    X(RUN, NUMBER, start_velocity_moved, true, "m/s or rad/s: how far it moved the rates of the start")              \
    X(RUN, NUMBER, start_strain_energy, false, "J: of flexible bodies at the start")                                 \
    X(RUN, NUMBER, max_sigma, true, "N s or N m s: largest impulse of a loop joint (hdca)")                          \
    X(RUN, COUNT, contact_steps, true, "steps with impulses of contacts, stops and dry friction (moreau)")             \
    X(RUN, COUNT, contact_iterations, true, "iterations that found these impulses")                                  \
    X(RUN, COUNT, contact_limited, true, "of these steps, those that reached the limit of iterations")               \
    X(RUN, NUMBER, contact_residual, true, "m/s: largest change of a velocity in a last iteration")                  \
    X(RUN, COUNT, contact_jams, true,                                                                                \
      "of these steps, those with a sliding point that its own friction presses into the surface: impulses are "     \
      "not unique there, or forces do not exist (Painlevé, T117)")                                                   \
    X(RUN, COUNT, contact_jam, true, "1 + number of the contact with the first such point; 0: none")                 \
    X(RUN, NUMBER, contact_jam_time, true, "s: when it was; 0: never")                                               \
    X(RUN, COUNT, events, true, "discontinuities of motions and force tables that were passed")                      \
    X(RUN, COUNT, velocity_jumps, true, "of these, jumps in the rate of motions")                                    \
    X(RUN, NUMBER, max_velocity_jump, true, "m/s or rad/s: the largest of them")                                     \
    X(RUN, NUMBER, momentum_error, false,                                                                            \
      "relative rounding error of the rates found from momenta at the start (hdca; also in `check`); "               \
      "above `--rtol` the default is "                                                                               \
      "`dca` ([hdca.md](hdca.md), *Long chains*)")
#define CLV_REPORT_ROWS(X) CLV_REPORT_SIZE_ROWS(X) CLV_REPORT_WORK_ROWS(X) CLV_REPORT_RUN_ROWS(X)

#define CLV_REPORT_COUNT_SAVED(part, type, field, saved, text) +(saved) /* NOLINT(bugprone-macro-parentheses) */
enum { CLV_REPORT_SAVED = 0 CLV_REPORT_ROWS(CLV_REPORT_COUNT_SAVED) }; /* rows that a saved state has */

typedef enum clv_report_part { CLV_REPORT_SIZE, CLV_REPORT_WORK, CLV_REPORT_RUN } clv_report_part;
typedef enum clv_report_type { CLV_REPORT_WHOLE, CLV_REPORT_COUNT, CLV_REPORT_NUMBER } clv_report_type;
typedef struct clv_report_row {
    clv_report_part part;
    clv_report_type type;
    const char *name;  /* of the field, in JSON and run files */
    size_t offset;     /* of the field in clv_sim_report      */
    bool saved;
    const char *text;
} clv_report_row;

/* Row i, or NULL beyond the last. */
const clv_report_row *clv_report_row_at(int i);
/* The value as a number (NaN: not known), and back. */
double clv_report_number(const clv_sim_report *r, const clv_report_row *row);
void clv_report_set_number(clv_sim_report *r, const clv_report_row *row, double x);

#endif
