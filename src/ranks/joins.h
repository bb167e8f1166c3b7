/* SPDX-License-Identifier: Apache-2.0
 * What two neighbouring runs of segments are together (T80): kinds of sweeps for relay.h. */
#ifndef CLV_RANKS_JOINS_H
#define CLV_RANKS_JOINS_H
#include "ranks/relay.h"

extern const clv_relay_kind clv_relay_places;   /* up, down: frame (12), motion (6)                            */
extern const clv_relay_kind clv_relay_ports;    /* up: I (21), p (6), K (36), L (21), t (6); down: x, F, W (6 each) */
extern const clv_relay_kind clv_relay_held;     /* the same with the rows of a handle that is held to ground       */
/* With loops (T160), joins_parts.c: what ports of the borders before and after are together. */
extern const clv_relay_kind clv_relay_parts;
extern const clv_relay_kind clv_relay_corrections; /* the same with two motions, and poses of ports              */
extern const clv_relay_kind clv_relay_looks;    /* sums with what ports of a border differ by: OPEN, SPEED        */
extern const clv_relay_kind clv_relay_sums;     /* up, down: CLV_RELAY_MOST, the largest; CLV_RELAY_SUMS, added */
extern const clv_relay_kind clv_relay_largest;  /* up, down: one number                                        */
enum { CLV_RELAY_SUMS = 4, CLV_RELAY_MOST = 4 };
enum { CLV_RELAY_OPEN = 3, CLV_RELAY_SPEED }; /* of the largest: m or rad, and per s */
/* Where a part begins up: ports before and after, threshold of ranks, rows dropped, weakest pivot; then 1/kg and
 * 1/(kg m^2) of the body of each port, motions, compliance.  Down: rows dropped, weakest pivot; wrenches. */
enum { CLV_RELAY_BEFORE = 1, CLV_RELAY_AFTER, CLV_RELAY_RANK, CLV_RELAY_CUT, CLV_RELAY_WEAKEST, CLV_RELAY_PART };
enum { CLV_RELAY_DOWN_CUT = 1, CLV_RELAY_DOWN_WEAKEST, CLV_RELAY_WRENCH };
/* Nodes between borders of `most` bodies at most. */
clv_relay_room clv_relay_parts_room(int most);
/* Where the rows of clv_relay_held begin in what goes up: m, D (36), a (6), scale (6), rank; what was dropped, down. */
enum { CLV_RELAY_HOLD = 91, CLV_RELAY_DROPPED = 19 };

#endif
