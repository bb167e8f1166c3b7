/* SPDX-License-Identifier: Apache-2.0
 * Model files without events, to which tests of events add theirs: a pendulum of two bodies in space, with two markers,
 * and a five-bar linkage in a plane, whose third joint may be `cut`. */
#ifndef CLV_TESTS_EVENT_MODELS_H
#define CLV_TESTS_EVENT_MODELS_H

#define PENDULUM                                                                                                      \
    "cleave: 1\nname: pendulum\ngravity: [0, -9.81, 0]\n"                                                             \
    "bodies:\n  upper: {mass: 1, com: [0.5, 0, 0.1], inertia: [0.1, 0.2, 0.15]}\n"                                    \
    "  lower: {mass: 0.7, com: [0.3, 0.1, 0], inertia: [0.1, 0.12, 0.09, 0.01, 0, 0.02]}\n"                           \
    "joints:\n  top: {kind: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}\n"                    \
    "  elbow: {kind: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 0.3, 1]}\n"                          \
    "markers:\n  tip: {body: lower, position: [1.2, 0, 0.1]}\n  eye: {body: upper, position: [0.2, -0.3, 0.1]}\n"     \
    "start: {bodies: {lower: {position: [1, 0, 0]}}, joints: {top: {u: 0.3}, elbow: {u: -0.8}}}\n"

#define FIVE_BAR_OF(cut)                                                                                              \
    "cleave: 1\nname: five-bar\ngravity: [0, -9.81, 0]\n"                                                             \
    "bodies:\n  a: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"                                        \
    "  b: {mass: 2, com: [0.6, 0.3, 0], inertia: [0.05, 0.7, 0.71]}\n"                                                \
    "  c: {mass: 1.5, com: [0.4, -0.4, 0], inertia: [0.1, 0.1, 0.2]}\n"                                               \
    "  d: {mass: 1, com: [0, -0.5, 0], inertia: [0.19, 0.01, 0.19]}\n"                                                \
    "joints:\n  j1: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"                         \
    "  j2: {kind: revolute, between: [a, b], at: [0, 1, 0], axis: [0, 0, 1]}\n"                                       \
    "  j3: {kind: revolute, between: [b, c], at: [1.2, 1.6, 0], axis: [0, 0, 1]" cut "}\n"                            \
    "  j4: {kind: revolute, between: [c, d], at: [2, 0.9, 0], axis: [0, 0, 1]}\n"                                     \
    "  j5: {kind: revolute, between: [d, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"                                  \
    "markers: {tip: {body: b, position: [1, 0.5, 0]}}\n"                                                              \
    "start: {bodies: {b: {position: [0, 1, 0]}, c: {position: [1.2, 1.6, 0]}, d: {position: [2, 0.9, 0]}}}\n"
#define FIVE_BAR FIVE_BAR_OF("")

#endif
