/* SPDX-License-Identifier: Apache-2.0
 * The state of a joint from the poses and velocities of its bodies, see loose.h (T1):
 *
 *   R = Ea^T Eb,  d = Ea^T (Ob - Oa),  u = G^T (V_b - V_a) at Ob */
#include "kinematics/loose.h"
#include "kinematics/place.h"
#include "math/rotation.h"
#include "math/spatial.h"

void clv_kinematics_loose_state(const clv_kinematics *k, int joint, double *q, double *u)
{
    const clv_joint *j = &k->plan->model->joint[joint];
    const clv_joint_row *row = &clv_joint_table[j->kind];
    clv_joint_place at = {0};
    double Oa[3], Ob[3], R[9], d[3], va[3], vb[3], dV[6], H[36], D[36], G[36];
    clv_frame_on(k, j->a, j->Ea, j->pa, at.Ea, Oa);
    clv_frame_on(k, j->b, j->Eb, j->pb, at.Eb, Ob);
    clv_sub3(at.d, Ob, Oa);
    clv_omega(k, j->a, at.wa), clv_omega(k, j->b, at.wb);
    clv_mat3_transpose_product(R, at.Ea, at.Eb), clv_mat3_transpose_times(d, at.Ea, at.d);
    row->coordinates(j, R, d, q);
    row->basis(j, &at, H, D);
    clv_joint_dual(j, H, G);
    clv_point_velocity(k, j->a, Ob, va), clv_point_velocity(k, j->b, Ob, vb);
    clv_sub3(dV, vb, va), clv_sub3(dV + 3, at.wb, at.wa);
    for (int c = 0; c < row->nu; c++)
        u[c] = clv_dot6(G + 6 * c, dV);
}
