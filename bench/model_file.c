/* SPDX-License-Identifier: Apache-2.0
 * Reading and planning a written-out model file: bench_model_file [BODIES] writes a chain and a row of four-bars of
 * that many bodies (no `repeat`), reads and plans each in a process of its own, and prints the best of several times
 * and the peak memory. */
#include "cleave/cleave.h"
#include "plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_chain(FILE *f, int n)
{
    fputs("cleave: 1\nname: chain\nbodies:\n", f);
    for (int i = 1; i <= n; i++)
        fprintf(f, "  link%d: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.08, 0.08], shape: {box: [1, 0.05, 0.05], "
                   "at: [0.5, 0, 0]}}\n", i);
    fputs("joints:\n  j1: {kind: revolute, a: {body: ground}, b: {body: link1}}\n", f);
    for (int i = 2; i <= n; i++)
        fprintf(f, "  j%d: {kind: revolute, a: {body: link%d, position: [1, 0, 0]}, b: {body: link%d}}\n", i, i - 1, i);
}

static void write_four_bars(FILE *f, int n)
{
    fputs("cleave: 1\nname: four-bars\ngravity: [0, -9.81, 0]\nbodies:\n", f);
    for (int i = 0; i < n / 3; i++)
        for (int k = 0; k < 3; k++)
            fprintf(f, "  b%d_%d:\n    mass: 1\n    com: [0, 0.5, 0]\n    inertia: [0.08, 0.01, 0.08]\n", i, k);
    fputs("joints:\n", f);
    for (int i = 0; i < n / 3; i++)
        fprintf(f,
                "  p%d: {kind: revolute, between: [ground, b%d_0], at: [%d, 0, 0], axis: [0, 0, 1]}\n"
                "  q%d: {kind: revolute, between: [b%d_0, b%d_1], at: [%d, 1, 0], axis: [0, 0, 1]}\n"
                "  r%d: {kind: revolute, between: [b%d_1, b%d_2], at: [%d.5, 1, 0], axis: [0, 0, 1]}\n"
                "  s%d: {kind: revolute, between: [b%d_2, ground], at: [%d.5, 0, 0], axis: [0, 0, 1]}\n",
                i, i, i, i, i, i, i, i, i, i, i, i, i, i);
    fputs("start:\n  bodies:\n", f);
    for (int i = 0; i < n / 3; i++)
        fprintf(f,
                "    b%d_0: {position: [%d, 0, 0]}\n    b%d_1: {position: [%d, 1, 0]}\n"
                "    b%d_2: {position: [%d.5, 0, 0]}\n",
                i, i, i, i, i, i);
}

/* seconds to read, seconds to plan; exits on failure */
static void measure(const char *path, double took[2])
{
    clv_model *m;
    clv_plan *p;
    clv_error e;
    double t0 = now();
    if (clv_model_read(&m, path) != CLV_OK) {
        fprintf(stderr, "%s\n", clv_model_error(m)->message);
        exit(1);
    }
    double t1 = now();
    if (clv_plan_create(&p, m, NULL, &e) != CLV_OK) {
        fprintf(stderr, "%s\n", e.message);
        exit(1);
    }
    took[0] = t1 - t0, took[1] = now() - t1;
    clv_plan_destroy(p);
    clv_model_destroy(m);
}

static void report(const char *name, void (*write)(FILE *, int), int n)
{
    char path[] = "/tmp/cleave-bench-XXXXXX";
    double best[2] = {1e9, 1e9}, took[2];
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f)
        exit(1);
    write(f, n);
    long size = ftell(f);
    fclose(f);
    for (int k = 0; k < ROUNDS; k++) {
        measure(path, took);
        for (int i = 0; i < 2; i++)
            best[i] = took[i] < best[i] ? took[i] : best[i];
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%-10s %7d bodies %6.1f MB: read %.2f s, plan %.2f s, peak %ld MB\n", name, n, (double)size / 1e6, best[0],
           best[1], use.ru_maxrss / 1000);
    remove(path);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    fflush(stdout);
    for (int k = 0; k < 2; k++) { /* each in a process of its own: the peak memory is the process's */
        pid_t child = fork();
        if (child == 0) {
            report(k ? "four-bars" : "chain", k ? write_four_bars : write_chain, n);
            exit(0);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
            return 1;
    }
    return 0;
}
