/* SPDX-License-Identifier: Apache-2.0
 * Gauss rules of one, two and three stages with the Lobatto nodes where loops are closed (T34.4), as data. */
#ifndef CLV_INTEGRATOR_GAUSS_H
#define CLV_INTEGRATOR_GAUSS_H

enum { CLV_GAUSS_STAGES = 3 };

/* With l_j the Lagrange polynomials of the Gauss nodes c: a_ij = integral of l_j to c_i, b_j to 1, reach_kj to node_k,
 * the k-th Lobatto node after 0; weight_jk = 1 - (integral of l_j to Lobatto node k, 0 first) / b_j. */
typedef struct clv_gauss {
    int stages;  /* Gauss stages, and Lobatto nodes after the first */
    int history; /* past steps whose stages predict the next        */
    double c[CLV_GAUSS_STAGES], b[CLV_GAUSS_STAGES], a[CLV_GAUSS_STAGES][CLV_GAUSS_STAGES];
    double node[CLV_GAUSS_STAGES], reach[CLV_GAUSS_STAGES][CLV_GAUSS_STAGES];
    double weight[CLV_GAUSS_STAGES][CLV_GAUSS_STAGES];
    double undo_reach[CLV_GAUSS_STAGES][CLV_GAUSS_STAGES],
        undo_weight[CLV_GAUSS_STAGES][CLV_GAUSS_STAGES]; /* inverses */
} clv_gauss;

extern const clv_gauss clv_gauss1, clv_gauss2, clv_gauss3;

#endif
