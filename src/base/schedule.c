/* SPDX-License-Identifier: Apache-2.0
 * List schedules of tasks (T55); see schedule.h. */
#include "base/schedule.h"
#include <math.h>
#include "base/memory.h"

bool clv_tasks_open(clv_task_list *l, int tasks, int before)
{
    *l = (clv_task_list){.task = clv_alloc((size_t)tasks + 1, sizeof *l->task),
                         .before = clv_alloc((size_t)before + 1, sizeof *l->before)};
    if (l->task && l->before)
        return true;
    clv_tasks_close(l);
    return false;
}

void clv_tasks_close(clv_task_list *l)
{
    clv_free(l->task), clv_free(l->before);
    *l = (clv_task_list){0};
}

int clv_tasks_add(clv_task_list *l, double seconds, int worker)
{
    l->task[l->ntask] = (clv_task){seconds, worker, l->nbefore, l->nbefore};
    return l->ntask++;
}

void clv_tasks_after(clv_task_list *l, int task)
{
    l->before[l->nbefore++] = task;
    l->task[l->ntask - 1].last = l->nbefore;
}

double clv_tasks_work(const clv_task_list *l)
{
    double sum = 0;
    for (int i = 0; i < l->ntask; i++)
        sum += l->task[i].seconds;
    return sum;
}

double clv_tasks_span(const clv_task_list *l)
{
    double *end = clv_alloc((size_t)l->ntask + 1, sizeof *end), most = end ? 0 : NAN;
    for (int i = 0; end && i < l->ntask; i++) {
        const clv_task *t = &l->task[i];
        for (int k = t->first; k < t->last; k++)
            end[i] = fmax(end[i], end[l->before[k]]);
        end[i] += t->seconds;
        most = fmax(most, end[i]);
    }
    clv_free(end);
    return most;
}

typedef struct schedule {
    const clv_task_list *list;
    int workers;
    double hand_over;
    double *end;  /* (ntask)                             */
    int *on;      /* (ntask) its worker                  */
    double *idle; /* (workers) from when on it has nothing to do */
} schedule;

typedef struct inputs { /* of a task */
    double latest; /* end of its last predecessor ...         */
    int worker;    /* ... on this one; -1: it has none        */
    double others; /* end of the last one on any other worker */
} inputs;

static inputs inputs_of(const schedule *s, const clv_task *t)
{
    inputs in = {0, -1, 0};
    for (int k = t->first; k < t->last; k++) {
        const int p = s->list->before[k];
        if (in.worker < 0 || s->end[p] > in.latest) {
            if (in.worker >= 0 && s->on[p] != in.worker)
                in.others = in.latest;
            in.latest = s->end[p], in.worker = s->on[p];
        } else if (s->on[p] != in.worker)
            in.others = fmax(in.others, s->end[p]);
    }
    return in;
}

/* when a worker can begin */
static double begin(const schedule *s, inputs in, int worker)
{
    double at = s->idle[worker];
    if (in.worker < 0)
        return at;
    if (in.worker != worker)
        return fmax(at, in.latest + s->hand_over);
    return fmax(fmax(at, in.latest), in.others > 0 ? in.others + s->hand_over : 0);
}

static int choose(const schedule *s, const clv_task *t, inputs in)
{
    int best = 0;
    if (t->worker >= 0)
        return t->worker < s->workers ? t->worker : 0;
    for (int w = 1; w < s->workers; w++)
        if (begin(s, in, w) < begin(s, in, best))
            best = w;
    return best;
}

static double run(const schedule *s)
{
    double most = 0;
    for (int i = 0; i < s->list->ntask; i++) {
        const clv_task *t = &s->list->task[i];
        const inputs in = inputs_of(s, t);
        const int w = choose(s, t, in);
        s->end[i] = s->idle[w] = begin(s, in, w) + t->seconds;
        s->on[i] = w;
        most = fmax(most, s->end[i]);
    }
    return most;
}

double clv_tasks_time(const clv_task_list *l, int workers, double hand_over)
{
    schedule s = {.list = l, .workers = workers, .hand_over = hand_over};
    s.end = clv_alloc((size_t)l->ntask + 1, sizeof *s.end);
    s.on = clv_alloc((size_t)l->ntask + 1, sizeof *s.on);
    s.idle = clv_alloc((size_t)workers, sizeof *s.idle);
    const double most = s.end && s.on && s.idle ? run(&s) : NAN;
    clv_free(s.end), clv_free(s.on), clv_free(s.idle);
    return most;
}
