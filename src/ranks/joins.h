/* SPDX-License-Identifier: Apache-2.0
 * What two neighbouring runs of segments are together (T80): kinds of sweeps for relay.h. */
#ifndef CLV_RANKS_JOINS_H
#define CLV_RANKS_JOINS_H
#include "ranks/relay.h"

extern const clv_relay_kind clv_relay_places;   /* up, down: frame (12), motion (6)                            */
extern const clv_relay_kind clv_relay_ports;    /* up: I (21), p (6), K (36), L (21), t (6); down: x, F, W (6 each) */
extern const clv_relay_kind clv_relay_held;     /* the same with the rows of a handle that is held to ground       */
extern const clv_relay_kind clv_relay_sums;     /* up, down: two numbers, the largest; CLV_RELAY_SUMS, added   */
extern const clv_relay_kind clv_relay_largest;  /* up, down: one number                                        */
enum { CLV_RELAY_SUMS = 6 };
/* Where the rows of clv_relay_held begin in what goes up: m, D (36), a (6), scale (6), rank; what was dropped, down. */
enum { CLV_RELAY_HOLD = 91, CLV_RELAY_DROPPED = 19 };

#endif
