/* SPDX-License-Identifier: Apache-2.0
 * The tolerances of the dynamics, with their reasons: what is taken for rounding, for singular, for closed.  Users set
 * rtol, atol, rank and contradiction (simulation/option_rows.h); an integrator keeps the constants of its step control
 * beside its formulas.  Shares are relative to what the line names; eps = 2.2e-16. */
#ifndef CLV_BASE_TOLERANCE_H
#define CLV_BASE_TOLERANCE_H

/* ---- pivots, beside the element before elimination (T5) */
/* 45 eps: what is left of an element of a 6 x 6 matrix by cancellation alone */
#define CLV_TOL_PIVOT 1e-14
/* of a limb, whose inertia is the sum over many bodies: their rounding adds up to 1e-12 on 1000 bodies */
#define CLV_TOL_LIMB_PIVOT 1e-11
/* of translations of a floating base, and of everything once extra inertia was added */
#define CLV_TOL_BASE_PIVOT 1e-12
/* of turns of a floating base: a thinner rod would cost accelerations seven digits; it gets extra inertia instead */
#define CLV_TOL_TURN_PIVOT 1e-7
/* of modes of a flexible body: the same for their mass, which is diagonal or nearly so */
#define CLV_TOL_MODE_PIVOT 1e-10

/* ---- extra inertia, taken out again by iteration (T5) */
/* how much is added, of what is typical: iterations take it out in few passes, and it is far above rounding */
#define CLV_EXTRA_SHARE 1e-3
/* smallest principal moment beside the largest, and beside mass x length^2, below which a body is a rod or a point */
#define CLV_TOL_ROD 1e-6
#define CLV_TOL_POINT 1e-9
/* work of a pass beside its square: the direction has no inertia of the problem's own */
#define CLV_TOL_NO_INERTIA 1e-11
/* load on such a direction, beside the largest load times the largest motion: rounding of sums over 10^6 bodies */
#define CLV_TOL_LOADED 1e-9
/* residual at which the extra inertia is out: of the first solution, of a correction of it */
#define CLV_TOL_EXTRA 1e-12
#define CLV_TOL_EXTRA_AGAIN 1e-6
/* change of the solution, beside it, that ends the corrections */
#define CLV_TOL_EXTRA_CHANGE 1e-11
/* m/s: a momentum that moves a typical body by this is no load */
#define CLV_TOL_IDLE_SPEED 1e-6

/* ---- loops */
/* residual of the rows of a loop joint, beside the largest motion they compare, that needs no refinement: 45 eps
 * (T136) */
#define CLV_TOL_ROW 1e-14
/* defects at tips of strands in series, beside the largest motion there, that need no second solution (T171) */
#define CLV_TOL_SERIES 1e-13
/* scaled multipliers of a self-stress, beside its largest, that are rounding (T101) */
#define CLV_TOL_SELF_STRESS 1e-12
/* what a row may hold of a self-stress and still be called independent of it: half of the digits (T28, T40) */
#define CLV_TOL_WEAK_ROW 1e-7
/* scaled pivots below are rounding where redundant rows are there; without any, down to CLV_TOL_PIVOT (T20) */
#define CLV_TOL_LOOP_PIVOT 1e-11
/* contradiction of the data, parts of the size, that is rounding of the data alone (T40) */
#define CLV_TOL_CONSISTENT 1e-11

/* ---- closed or open: rad, or parts of the model's size */
/* violation (T36) at which an assembled model is closed; at which iterating further brings nothing; to which data that
 * contradict themselves in their last digits can be closed at best */
#define CLV_TOL_ASSEMBLED 1e-11
#define CLV_TOL_ASSEMBLED_BEST 4e-16
#define CLV_TOL_ASSEMBLED_NEAR 1e-6
/* violation after the projection of a start or of given coordinates */
#define CLV_TOL_CLOSED 1e-10
/* the same, where redundant rows may leave it open (T40) */
#define CLV_TOL_NEARLY_CLOSED 5e-3
/* difference between a coordinate that was given and the one found; six digits are what files carry */
#define CLV_TOL_GIVEN 1e-6
/* velocities that miss the loops, beside the largest speed: the square root of eps */
#define CLV_TOL_RATES 1e-8
/* violation during a run that no projection leaves: fixed steps; adaptive steps, at least, and of rtol */
#define CLV_TOL_OPEN_FIXED 1e-4
#define CLV_TOL_OPEN 1e-10
#define CLV_TOL_OPEN_SHARE 1e-4
/* a projection ends at this violation, or where its steps get shorter than the second */
#define CLV_TOL_PROJECTED 2e-16
/* the same after adaptive steps of a tolerance no tighter than the first: of positions, and of velocities beside the
 * largest rate.  Both are small beside errors of steps, and more corrections would change rounding as a rule */
#define CLV_TOL_LOOSE 1e-8
#define CLV_TOL_KEPT 1e-14
#define CLV_TOL_RATES_KEPT 1e-13
/* where the smallest pivot (T20) is below this, what is left open by so much is a larger way along the loop, and all
 * digits are kept */
#define CLV_TOL_REGULAR 1e-4
/* rad or m: projections of positions by less than this leave the factor good enough for those of velocities */
#define CLV_TOL_NEAR 1e-5
#define CLV_TOL_STILL 1e-13

/* ---- at rest (T15) */
/* energy that moves, beside energy and fall through the size of the model, and is no scale of a drift.  Rounding is
 * up to 1e-13 of these, and a drift of 1e-2 of what moves is called inaccurate */
#define CLV_TOL_STILL_ENERGY 1e-11
/* coordinates of a body at rest, beside their absolute tolerance: adaptive steps leave up to 5 */
#define CLV_TOL_AT_REST 30

/* ---- error control (T16) */
/* least share of a coordinate that counts turns: 45 eps, the least relative tolerance of a run */
#define CLV_TOL_TURNS 1e-14

/* ---- near singular positions (T11, T20) */
/* smallest pivot beside the largest: hdca integrates momenta of reactions there.  Examples without singular positions
 * stay above 1.5e-2 */
#define CLV_NEAR_SINGULAR 1e-2
/* scaled pivot, and the same beside that of the start, near which a motion is at its toggle */
#define CLV_NEAR_TOGGLE 1e-6
#define CLV_TOGGLE_FALLEN 1e-3

/* ---- iterations of index3 in rows (T27) */
/* least factor by which an iteration is expected to reduce |dx|: terms that the matrix leaves out show only when those
 * that fall with |dx|^2 are gone.  Measured 0.003 to 0.004 in chains of 20,000 links and in small trees. */
#define CLV_TOL_CONTRACTION 0.01
/* of eps_p: an |dx| that is expected to be smaller is not iterated for */
#define CLV_TOL_SPARED 0.2

#endif
