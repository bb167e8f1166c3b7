/* SPDX-License-Identifier: Apache-2.0
 * Cholesky, Jacobi, the pencil, and settled modes (T32.4).  Loops are plain: n is the number of modes of one body. */
#include "math/symmetric.h"

#include <math.h>

int clv_cholesky(double *A, int n, double least)
{
    for (int j = 0; j < n; j++) {
        double own = A[j * n + j], d = own;
        for (int k = 0; k < j; k++)
            d -= A[j * n + k] * A[j * n + k];
        if (!(d > least * own))
            return j;
        double root = sqrt(d);
        A[j * n + j] = root;
        for (int i = j + 1; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++)
                s -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = s / root;
            A[j * n + i] = 0;
        }
    }
    return -1;
}

void clv_cholesky_semidefinite(double *A, int n)
{
    for (int j = 0; j < n; j++) {
        const double own = A[j * n + j];
        double d = own;
        for (int k = 0; k < j; k++)
            d -= A[j * n + k] * A[j * n + k];
        const double root = d > 1e-13 * own ? sqrt(d) : 0;
        A[j * n + j] = root;
        for (int i = j + 1; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++)
                s -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = root > 0 ? s / root : 0;
            A[j * n + i] = 0;
        }
    }
}

void clv_lower_solve(const double *L, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= L[i * n + k] * x[k];
        x[i] = sum / L[i * n + i];
    }
}

void clv_lower_transpose_solve(const double *L, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = i + 1; k < n; k++)
            sum -= L[k * n + i] * x[k];
        x[i] = sum / L[i * n + i];
    }
}

/* ---------------------------------------------------------------- eigenvalues */

/* One turn in the plane (p, q) that makes A_pq zero. */
static void turn(double *A, double *V, int n, int p, int q)
{
    double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
    double t = fabs(theta) > 1e150 ? 0.5 / theta : copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * A[p * n + q];
    A[p * n + p] -= shift;
    A[q * n + q] += shift;
    A[p * n + q] = A[q * n + p] = 0;
    for (int k = 0; k < n; k++) {
        if (k != p && k != q) {
            double x = A[k * n + p], y = A[k * n + q];
            A[k * n + p] = A[p * n + k] = c * x - s * y;
            A[k * n + q] = A[q * n + k] = s * x + c * y;
        }
        double x = V[k * n + p], y = V[k * n + q];
        V[k * n + p] = c * x - s * y;
        V[k * n + q] = s * x + c * y;
    }
}

static void swap_columns(double *V, int rows, int n, int a, int b)
{
    for (int k = 0; k < rows; k++) {
        double t = V[k * n + a];
        V[k * n + a] = V[k * n + b];
        V[k * n + b] = t;
    }
}

void clv_symmetric_eigen(double *lambda, double *V, double *A, int n)
{
    bool done = false;
    for (int i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60 && !done; sweep++) {
        done = true;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (fabs(A[p * n + q]) > 1e-17 * sqrt(fabs(A[p * n + p])) * sqrt(fabs(A[q * n + q])) &&
                    fabs(A[p * n + q]) > 1e-300) {
                    turn(A, V, n, p, q);
                    done = false;
                }
    }
    for (int i = 0; i < n; i++)
        lambda[i] = A[i * n + i];
    for (int i = 0; i < n; i++) { /* ascending, by choosing */
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (lambda[k] < lambda[least])
                least = k;
        double t = lambda[i];
        lambda[i] = lambda[least];
        lambda[least] = t;
        if (least != i)
            swap_columns(V, n, n, i, least);
    }
}

bool clv_pencil_eigen(double *lambda, double *X, double *K, double *M, int n)
{
    if (clv_cholesky(M, n, 1e-14) >= 0)
        return false;
    for (int side = 0; side < 2; side++) { /* K := L^-1 K L^-T, by rows of the symmetric K */
        for (int i = 0; i < n; i++)
            clv_lower_solve(M, n, K + i * n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++) {
                double t = K[i * n + k];
                K[i * n + k] = K[k * n + i];
                K[k * n + i] = t;
            }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            K[i * n + k] = K[k * n + i] = 0.5 * (K[i * n + k] + K[k * n + i]);
    clv_symmetric_eigen(lambda, X, K, n);
    for (int i = n - 1; i >= 0; i--) /* X := L^-T X */
        for (int j = 0; j < n; j++) {
            double s = X[i * n + j];
            for (int k = i + 1; k < n; k++)
                s -= M[k * n + i] * X[k * n + j];
            X[i * n + j] = s / M[i * n + i];
        }
    return true;
}

/* ---------------------------------------------------------------- settled modes */

/* Row of the columns a .. b-1 with the largest size: the first within 1e-6 of it. */
static int largest_row(const double *X, int rows, int n, int a, int b)
{
    double most = 0;
    for (int pass = 0, i = 0; pass < 2; pass++)
        for (i = 0; i < rows; i++) {
            double size = 0;
            for (int k = a; k < b; k++)
                size += X[i * n + k] * X[i * n + k];
            if (pass == 0)
                most = fmax(most, size);
            else if (size >= (1 - 1e-6) * most)
                return i;
        }
    return 0;
}

/* Reflects the columns a .. b-1 so that row i is zero but in column a. */
static void reflect(double *X, int rows, int n, int a, int b, int i)
{
    double size = 0, vv = 0;
    for (int k = a; k < b; k++)
        size += X[i * n + k] * X[i * n + k];
    double head = X[i * n + a] + copysign(sqrt(size), X[i * n + a]);
    for (int k = a; k < b; k++)
        vv += k == a ? head * head : X[i * n + k] * X[i * n + k];
    if (!(vv > 0))
        return;
    for (int r = 0; r < rows; r++) {
        if (r == i)
            continue;
        double dot = 0;
        for (int k = a; k < b; k++)
            dot += X[r * n + k] * (k == a ? head : X[i * n + k]);
        for (int k = a; k < b; k++)
            X[r * n + k] -= 2 * dot / vv * (k == a ? head : X[i * n + k]);
    }
    X[i * n + a] = -copysign(sqrt(size), X[i * n + a]);
    for (int k = a + 1; k < b; k++)
        X[i * n + k] = 0;
}

void clv_modes_settle(double *X, int rows, int n, const double *lambda)
{
    for (int a = 0, b; a < n; a = b) {
        for (b = a + 1; b < n && fabs(lambda[b] - lambda[a]) <= 1e-9 * fabs(lambda[b]); b++)
            ;
        for (int k = a; k + 1 < b; k++)
            reflect(X, rows, n, k, b, largest_row(X, rows, n, k, b));
        for (int k = a; k < b; k++)
            if (X[largest_row(X, rows, n, k, k + 1) * n + k] < 0)
                for (int i = 0; i < rows; i++)
                    X[i * n + k] = -X[i * n + k];
    }
}
