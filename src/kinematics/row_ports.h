/* SPDX-License-Identifier: Apache-2.0
 * Ports of segments with loops (T160) in rows that carry loops (T101).  A port is an edge of six rows on one body, of
 * which other segments find the multipliers: the wrench on that body.  Nothing eliminates its rows.  So on ground they
 * are left as the open ones, and L and g there are what the ports of a segment show.
 *
 *   fill    after the blocks of closings: blocks of ports
 *   parts   after the base: compliance and motions of the ports of each segment
 *   give    before the way down: wrenches on the ports */
#ifndef CLV_KINEMATICS_ROW_PORTS_H
#define CLV_KINEMATICS_ROW_PORTS_H
#include "kinematics/row_segments.h"

void clv_rows_fill_ports(const clv_rows *w, const clv_kinematics *k);
/* part (nsegment); moving: the solution is for accelerations. */
void clv_rows_parts(const clv_rows *w, const clv_kinematics *k, bool moving, clv_segment_part *part);
/* After another response: its motions as the second ones. */
void clv_rows_more_parts(const clv_rows *w, clv_segment_part *part);
void clv_rows_give_parts(clv_rows *w, const clv_segment_part *part, int set);
/* Where the bodies of ports are, and how they move, from the poses and V of the border. */
void clv_rows_ports_at(const clv_rows *w, const clv_kinematics *k, clv_segment_part *part);
/* the memory of the part of a segment */
void clv_rows_part_layout(clv_segment_part *part, const clv_plan_segment *segment, clv_arena *a);

#endif
