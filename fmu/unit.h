/* SPDX-License-Identifier: Apache-2.0
 * One instance of a functional mock-up unit, apart from the version of the interface: fmi2.c and fmi3.c translate their
 * calls into these.  Numbers of status are those of both versions.  Nothing is printed; messages go to the importer's
 * logger.  Instances share nothing.
 *
 *   unit.c         life, states of the interface, messages       unit_build.c   model and simulation from resources/
 *   unit_values.c  reading and setting variables                 unit_step.c    co-simulation
 *   unit_state.c   saved states                              unit_exchange.c   model exchange
 *   unit_derivative.c   directional derivatives */
#ifndef CLV_FMU_UNIT_H
#define CLV_FMU_UNIT_H
#include "io/fmu.h"

typedef enum unit_status { UNIT_OK, UNIT_WARNING, UNIT_DISCARD, UNIT_ERROR, UNIT_FATAL } unit_status;

/* States of the interface, as bits: each call says in which it is allowed. */
typedef enum unit_mode {
    UNIT_NEW = 1,           /* instantiated                              */
    UNIT_INITIALIZING = 2,
    UNIT_STEPPING = 4,      /* co-simulation, between two steps          */
    UNIT_ENDED = 8,         /* terminated                                */
    UNIT_FAILED = 16,       /* a step failed; a saved state can be set   */
    UNIT_EVENT = 32,        /* model exchange                            */
    UNIT_CONTINUOUS = 64,   /* model exchange                            */
    UNIT_ANY = 127
} unit_mode;

typedef struct unit unit;

/* Hands a message to the importer, by its version of the interface. */
typedef void unit_tell(const unit *u, unit_status status, const char *category, const char *text);

struct unit {
    char *name;      /* of the instance              */
    char *folder;    /* resources, without a slash at the end */
    bool exchange;   /* model exchange; else co-simulation */
    int mode;        /* unit_mode                    */
    bool logging;    /* also what is no error        */
    unit_tell *tell;
    void *environment;           /* of the importer  */
    const void *callbacks;       /* FMI 2.0          */
    void (*logger)(void);        /* FMI 3.0          */
    char *text;                  /* of the settings, cut up */
    clv_fmu_settings settings;
    clv_fmu_table table;
    double *value;   /* (table.n) of inputs and parameters, as set                      */
    double *origin;  /* (table.n) of inputs, with which the simulation began            */
    bool *given;     /* (table.n) parameters that were set                              */
    double *frame;   /* (table.columns.width) outputs                                   */
    bool fresh;      /* frame belongs to the present state and inputs                   */
    int nstate;      /* of a unit that can model exchange, else 0                       */
    int nindicator;  /* the same: event indicators                                      */
    double *rate;    /* (nstate) derivatives                                            */
    double *indicator; /* (nindicator)                                                  */
    bool rated;      /* they are those of the present state and inputs                  */
    bool shown;      /* the views of the simulation are                                 */
    double *closed;  /* (nstate) the state with closed loops, which is taken at the next event, if ... */
    bool due;        /* ... it is due                                                   */
    double start, stop, tolerance; /* of the experiment: s, s or NaN, NaN: the settings' */
    double time;     /* s, present time of the interface                                */
    clv_model *model;
    clv_sim *sim;    /* NULL: parameters have changed since it was made, or none yet    */
};

/* ---- unit.c */
/* NULL after an error, which was told.  `name`, `token` may be NULL: that is an error.  `folder`: of the resources. */
unit *unit_create(unit from, const char *name, const char *token, const char *folder);
void unit_free(unit *u);
/* Back to what unit_create has left. */
unit_status unit_reset(unit *u);
/* Tells an error, returns UNIT_ERROR. */
unit_status unit_fail(const unit *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of an error of the library. */
unit_status unit_fail_with(const unit *u, const clv_error *e);
/* UNIT_ERROR, told, unless the unit is in one of these modes. */
unit_status unit_expect(const unit *u, int modes, const char *function);
/* Is the function not supported?  Tells it. */
unit_status unit_refuse(const unit *u, const char *function, const char *why);

/* Start and end of the experiment; tolerance NaN, stop NaN: not given. */
unit_status unit_set_experiment(unit *u, double start, double stop, double tolerance);
unit_status unit_begin_initialization(unit *u);
unit_status unit_end_initialization(unit *u);

/* ---- unit_build.c */
/* Model, settings and variables from the folder, with the token compared. */
unit_status unit_read(unit *u, const char *token);
/* The simulation of the values set, if it is not there. */
unit_status unit_make(unit *u);
void unit_unmake(unit *u);

/* ---- unit_values.c */
unit_status unit_get(unit *u, const unsigned *reference, size_t n, double *value, const char *function);
unit_status unit_set(unit *u, const unsigned *reference, size_t n, const double *value, const char *function);
/* Start values of all variables. */
void unit_start_values(unit *u);

/* ---- unit_exchange.c */
typedef struct unit_event {
    bool values;      /* states have changed       */
    bool nominals;    /* so have their sizes       */
    bool stopped;     /* an event has ended the run */
    bool has_next;    /* there is a next time ...  */
    double next;      /* s                         */
} unit_event;
unit_status unit_set_time(unit *u, double time);
unit_status unit_set_states(unit *u, const double *x, size_t n);
unit_status unit_get_states(unit *u, double *x, size_t n);
unit_status unit_get_rates(unit *u, double *x, size_t n);
unit_status unit_get_nominals(unit *u, double *x, size_t n);
unit_status unit_get_indicators(unit *u, double *x, size_t n);
/* Views, or derivatives, of the present state, if they are not there. */
unit_status unit_show(unit *u);
unit_status unit_rate(unit *u);
/* After an accepted step of the importer.  *event: loops are to be closed at an event. */
unit_status unit_complete(unit *u, bool *event);
/* At an event: what is due happens. */
unit_status unit_update(unit *u, unit_event *event);

/* ---- unit_derivative.c */
/* to (nunknown) := derivatives of outputs and of rates of states along changes of inputs, states and time. */
unit_status unit_directional(unit *u, const unsigned *unknown, size_t nunknown, const unsigned *known, size_t nknown,
                             const double *seed, double *to, const char *function);
/* to (nknown) := seeds (nunknown) times the same derivatives. */
unit_status unit_adjoint(unit *u, const unsigned *unknown, size_t nunknown, const unsigned *known, size_t nknown,
                         const double *seed, double *to, const char *function);

/* ---- unit_step.c */
/* From `from` (s) on by `length` (s). */
unit_status unit_step(unit *u, double from, double length);

/* ---- unit_state.c: a saved state is one block of bytes, whole in itself */
typedef struct unit_bytes {
    size_t size;
    unsigned char data[];
} unit_bytes;
/* *saved: NULL, or a block that is used again if it fits. */
unit_status unit_save(unit *u, unit_bytes **saved);
unit_status unit_load(unit *u, const unsigned char *data, size_t size);
void unit_forget(unit_bytes **saved);
/* Its bytes, and back: they are looked at when the state is set. */
unit_status unit_copy_out(const unit *u, const unit_bytes *saved, unsigned char *bytes, size_t size);
unit_status unit_copy_in(const unit *u, unit_bytes **saved, const unsigned char *bytes, size_t size);

#endif
