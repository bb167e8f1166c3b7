/* SPDX-License-Identifier: Apache-2.0
 * The recording thread; see recorder.h.  A ring of states lies between the run, which posts, and the thread.  The
 * thread shows each state on a simulation of its own and appends it to the run file. */
#include "cli/recorder.h"
#include "base/memory.h"
#include <pthread.h>

enum { RING = 16 }; /* states under way */

struct clv_recorder {
    clv_runfile *file;
    clv_sim *sim;           /* of the thread: shows                       */
    double *ring;           /* (RING x size)                              */
    size_t size;            /* numbers in a state                         */
    pthread_t thread;
    bool threaded;          /* false: no thread could be had, post writes */
    pthread_mutex_t mutex;  /* guards what follows                        */
    pthread_cond_t changed;
    long posted, done;      /* states                                     */
    bool ending;
    clv_status status;      /* of the first failure                       */
    bool of_file;
};

static double *place(const clv_recorder *r, long i) { return r->ring + (size_t)(i % RING) * r->size; }

/* State i becomes a frame, unless one before it failed. */
static void record(clv_recorder *r, long i, clv_status *status, bool *of_file)
{
    if (*status != CLV_OK)
        return;
    *status = clv_sim_show_state(r->sim, place(r, i), r->size);
    if (*status != CLV_OK)
        return;
    *status = clv_runfile_frame(r->file, r->sim);
    *of_file = *status != CLV_OK;
}

static void *work(void *to)
{
    clv_recorder *r = to;
    clv_status status = CLV_OK;
    bool of_file = false;
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        while (r->done == r->posted && !r->ending)
            pthread_cond_wait(&r->changed, &r->mutex);
        if (r->done == r->posted)
            break;
        long i = r->done;
        pthread_mutex_unlock(&r->mutex);
        record(r, i, &status, &of_file);
        pthread_mutex_lock(&r->mutex);
        r->done = i + 1;
        r->status = status, r->of_file = of_file;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

clv_recorder *clv_recorder_create(clv_runfile *file, const clv_model *model, const clv_sim_options *options)
{
    clv_recorder *r = clv_alloc(1, sizeof *r);
    clv_sim_options alone = *options;
    alone.threads = 1;
    clv_status status = r ? clv_sim_create(&r->sim, model, &alone) : CLV_ERR_MEMORY;
    if (r && status == CLV_OK) {
        r->size = clv_sim_state_size(r->sim);
        r->ring = clv_alloc(RING * r->size, sizeof(double));
    }
    if (!r || !r->ring) {
        if (r)
            clv_sim_destroy(r->sim);
        clv_free(r);
        return NULL;
    }
    r->file = file;
    pthread_mutex_init(&r->mutex, NULL), pthread_cond_init(&r->changed, NULL);
    r->threaded = pthread_create(&r->thread, NULL, work, r) == 0;
    return r;
}

double *clv_recorder_state(clv_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    while (r->posted - r->done == RING)
        pthread_cond_wait(&r->changed, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
    return place(r, r->posted);
}

void clv_recorder_post(clv_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    r->posted++;
    if (r->threaded)
        pthread_cond_signal(&r->changed);
    else
        record(r, r->done++, &r->status, &r->of_file);
    pthread_mutex_unlock(&r->mutex);
}

clv_status clv_recorder_failed(clv_recorder *r, bool *of_file, clv_error *error)
{
    pthread_mutex_lock(&r->mutex);
    clv_status status = r->status;
    *of_file = r->of_file;
    if (status != CLV_OK && !*of_file) /* the thread touches its simulation no more */
        *error = *clv_sim_error(r->sim);
    pthread_mutex_unlock(&r->mutex);
    return status;
}

void clv_recorder_wait(clv_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    while (r->done < r->posted)
        pthread_cond_wait(&r->changed, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
}

void clv_recorder_destroy(clv_recorder *r)
{
    if (!r)
        return;
    clv_recorder_wait(r);
    pthread_mutex_lock(&r->mutex);
    r->ending = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (r->threaded)
        pthread_join(r->thread, NULL);
    pthread_mutex_destroy(&r->mutex), pthread_cond_destroy(&r->changed);
    clv_sim_destroy(r->sim);
    clv_free(r->ring), clv_free(r);
}
