/* SPDX-License-Identifier: Apache-2.0
 * Tasks on any number of workers, on paper (T55): work, critical path, and the time of a list schedule.  `cleave bench
 * span` predicts with it what more cores than those of this machine would give. */
#ifndef CLV_BASE_SCHEDULE_H
#define CLV_BASE_SCHEDULE_H
#include <stdbool.h>

typedef struct clv_task {
    double seconds;
    int worker;      /* the only one that may do it, or -1                              */
    int first, last; /* it begins after the tasks before[first .. last - 1], which come earlier in the list */
} clv_task;

typedef struct clv_task_list {
    int ntask, nbefore;
    clv_task *task;
    int *before;
} clv_task_list;

/* Room for so many tasks and predecessors; the lists are empty.  False: out of memory. */
bool clv_tasks_open(clv_task_list *l, int tasks, int before);
void clv_tasks_close(clv_task_list *l);
/* Appends a task, and after(task) a predecessor of the last one appended; there must be room. */
int clv_tasks_add(clv_task_list *l, double seconds, int worker);
void clv_tasks_after(clv_task_list *l, int task);

/* Sum of all tasks, s. */
double clv_tasks_work(const clv_task_list *l);
/* The longest path, s: the time of any number of workers without hand-over.  NaN: out of memory. */
double clv_tasks_span(const clv_task_list *l);
/* List schedule: each task, in order, goes where it begins first.  What a worker is handed by another one comes
 * `hand_over` s later.  s; NaN: out of memory. */
double clv_tasks_time(const clv_task_list *l, int workers, double hand_over);

#endif
