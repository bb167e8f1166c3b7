/* SPDX-License-Identifier: Apache-2.0
 * Rotations given by a rotation vector theta (T30): E = exp(theta~), and T with E' E^T = (T theta')~.
 *
 *   E = 1 + a theta~ + b theta~^2,   T = 1 + b theta~ + c theta~^2      s = theta.theta
 *   a = sin/theta,  b = (1 - cos)/theta^2,  c = (theta - sin)/theta^3
 *   (power series for s <= 4: no division by small numbers) */
#ifndef CLV_MATH_TURN_H
#define CLV_MATH_TURN_H

/* A turn with its factors, found once: a, b, c and the derivatives of b, c with respect to s. */
typedef struct clv_turn {
    double theta[3], a, b, c, bs, cs;
} clv_turn;

clv_turn clv_turn_at(const double theta[3]);
/* E, T and the derivative of T along theta' at a turn. */
void clv_turn_matrix_at(double E[9], const clv_turn *turn);
void clv_turn_jacobian_at(double T[9], const clv_turn *turn);
void clv_turn_jacobian_rate_at(double Td[9], const clv_turn *turn, const double thetad[3]);

#endif
