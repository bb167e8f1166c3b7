/* SPDX-License-Identifier: Apache-2.0
 * Profiles of motion tables: how a motion goes from row to row (T7). */
#ifndef CLV_MODEL_PROFILE_H
#define CLV_MODEL_PROFILE_H
#include "model/model.h"

/* Names as in files; NULL at the end. */
extern const char *const clv_profile_name[];
/* Rows that a profile needs at least. */
int clv_profile_rows(clv_profile profile);
/* Prepares s->curve: second derivatives (natural, clamped) or rates (monotone) at the rows.  end_rate: of clamped. */
void clv_series_prepare(clv_series *s, const double end_rate[2]);
/* Coordinate, rate, acceleration of the piece after row k at t (its polynomial continues beyond its rows); k = -1:
 * before the first row, k = n - 1: after the last. */
void clv_series_piece(const clv_series *s, int k, double t, double *q, double *qd, double *qdd);

#endif
