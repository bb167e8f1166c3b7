/* SPDX-License-Identifier: Apache-2.0
 * Columns of joint kinds with slopes (T75): what joint.c computes, once more with jets.  A new code of a column is a
 * case here; without it derivatives refuse the kinds that have it, by name. */
#include "math/rotation.h"
#include "model/joint.h"
#include "model/joint_columns.h"
#include <string.h>

/* an axis that turns with w, displaced by the rotation phi, while w changes by dw */
static void turn_axis(clv_jet y[3], const double e[3], const double w[3], const double phi[3], const double dw[3])
{
    double t[3], s[3], ts[3], part[3];
    clv_cross(t, w, e), clv_cross(s, phi, e);
    clv_cross(ts, w, s), clv_cross(part, dw, e);
    for (int i = 0; i < 3; i++)
        y[i] = (clv_jet){e[i], t[i], s[i], ts[i] + part[i]};
}

typedef struct jets {
    clv_jet axis[8][3]; /* [0..2] of A, [4..6] of B */
} jets;

static void gather(jets *s, const clv_joint_place *at, const clv_joint_change *x)
{
    for (int k = 0; k < 3; k++) {
        double e[3];
        clv_mat3_column(e, at->Ea, k);
        turn_axis(s->axis[OF_A | k], e, at->wa, x->a, x->wa);
        clv_mat3_column(e, at->Eb, k);
        turn_axis(s->axis[OF_B | k], e, at->wb, x->b, x->wb);
    }
}

/* From the middle of a rolling body to its point next to the plane, as contact_arm of joint.c. */
static void contact_arm(clv_jet arm[3], const clv_joint *j, const jets *s)
{
    const clv_jet *zA = s->axis[OF_A | Z], *zB = s->axis[OF_B | Z];
    clv_jet n[3];
    memcpy(n, zA, sizeof n);
    if (j->kind == CLV_JOINT_ROLLING_DISC) {
        clv_jet across[3], along[3];
        clv_jet_scale(along, clv_jet_dot(zA, zB), zB);
        for (int i = 0; i < 3; i++)
            across[i] = clv_jet_less(zA[i], along[i]);
        clv_jet_unit(n, across);
    }
    for (int i = 0; i < 3; i++)
        arm[i] = clv_jet_scaled(-j->more->radius, n[i]);
}

static void screw(clv_jet column[6], int code, double pitch, const clv_jet z[3])
{
    const double s = 1 / sqrt(1 + pitch * pitch), l = code == SCREW_FREE ? pitch : s,
                 m = code == SCREW_FREE ? 1 : -pitch * s;
    for (int i = 0; i < 3; i++)
        column[i] = clv_jet_scaled(l, z[i]), column[3 + i] = clv_jet_scaled(m, z[i]);
}

static void computed(clv_jet column[6], int code, const clv_joint *j, const clv_joint_place *at,
                     const clv_joint_change *x, const jets *s)
{
    clv_jet v[3];
    if (code == COUPLE) {
        clv_jet_cross(v, s->axis[OF_A | X], s->axis[OF_B | Y]);
        clv_jet_unit(column + 3, v);
    } else if (code == SIGHT) {
        for (int i = 0; i < 3; i++)
            v[i] = (clv_jet){at->d[i], at->dv[i], x->d[i], x->dv[i]};
        clv_jet_unit(column, v);
    } else if (code >= ROLL_X) {
        contact_arm(v, j, s);
        memcpy(column, s->axis[OF_A | (code - ROLL_X)], 3 * sizeof *column);
        clv_jet_cross(column + 3, v, column);
    } else {
        screw(column, code, j->more->pitch, s->axis[OF_B | Z]);
    }
}

static void fill(clv_jet *M, const unsigned char *code, int n, const clv_joint *j, const clv_joint_place *at,
                 const clv_joint_change *x, const jets *s)
{
    memset(M, 0, 6 * (size_t)n * sizeof *M);
    for (int c = 0; c < n; c++) {
        clv_jet *column = M + 6 * c;
        if (code[c] < COMPUTED)
            memcpy(column + ((code[c] & ANGULAR) ? 3 : 0), s->axis[code[c] & 7], 3 * sizeof *column);
        else
            computed(column, code[c], j, at, x, s);
    }
}

void clv_joint_jets(const clv_joint *j, const clv_joint_place *at, const clv_joint_change *x, clv_jet *H, clv_jet *D)
{
    const clv_joint_columns *list = &clv_joint_column_table[j->kind];
    jets s;
    gather(&s, at, x);
    fill(H, list->H, clv_joint_table[j->kind].nu, j, at, x, &s);
    fill(D, list->D, clv_joint_table[j->kind].nc, j, at, x, &s);
}

bool clv_joint_derivable(clv_joint_kind kind)
{
    const clv_joint_columns *list = &clv_joint_column_table[kind];
    bool known = true;
    for (int c = 0; c < 6; c++)
        known = known && list->H[c] <= ROLL_Z && list->D[c] <= ROLL_Z;
    return known;
}

bool clv_joint_carried_by_b(clv_joint_kind kind, int c)
{
    const unsigned char code = clv_joint_column_table[kind].H[c];
    return code >= COMPUTED || (code & OF_B);
}
