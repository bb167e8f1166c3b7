/* SPDX-License-Identifier: Apache-2.0
 * Prescribed joints of mechanisms abreast; see walk_abreast_drive.h (T43.6, T85.7).  Motions are functions of the time
 * of a lane, so they are evaluated lane by lane; what they do to a row is in the kernels. */
#include "formulation/walk_abreast_drive.h"
#include "formulation/armature.h"

enum { G8 = CLV_GROUP };

const char *clv_walk_abreast_drives_refuse(const clv_system *s)
{
    if (s->model->nmotion == 0)
        return NULL;
    if (s->rows.ndrive != s->model->nmotion)
        return "motions of joints between strands";
    return s->plan->nstar > 0 ? "motions beside flexible bodies" : NULL;
}

/* drive i of a mechanism, as it is in lanes */
static clv_walk_drive drive_of(const clv_walk_abreast *a, const clv_system *s, int i)
{
    const clv_rows *w = &s->rows;
    const clv_row_drive *d = &w->drive[i];
    const int strand = w->strand_of[d->body], own = w->first[w->plan->strand[strand].group];
    return (clv_walk_drive){.row = a->rows.rows.first[strand] + d->slot / G8 - own,
                            .joint = w->plan->tree[d->body].joint, .motion = d->motion};
}

void clv_walk_abreast_drives_layout(clv_walk_abreast *a, const clv_system *s, clv_arena *m)
{
    CLV_TAKE(m, a->drive, s->rows.ndrive);
}

void clv_walk_abreast_drives_take(clv_walk_abreast *a, const clv_system *s)
{
    a->ndrive = s->rows.ndrive;
    for (int i = 0; i < a->ndrive; i++)
        a->drive[i] = drive_of(a, s, i);
}

bool clv_walk_abreast_drives_same(const clv_walk_abreast *a, const clv_system *s)
{
    if (s->rows.ndrive != a->ndrive)
        return false;
    for (int i = 0; i < a->ndrive; i++) {
        const clv_walk_drive d = drive_of(a, s, i), *own = &a->drive[i];
        if (d.row != own->row || d.joint != own->joint || d.motion != own->motion)
            return false;
    }
    return true;
}

bool clv_walk_abreast_driven(const clv_system *s, int joint)
{
    const int body = s->plan->child_of_joint[joint];
    return body >= 0 && s->plan->tree[body].motion >= 0;
}

void clv_walk_abreast_drives_set(clv_walk_abreast *a)
{
    clv_rows *w = &a->rows.rows;
    for (int l = 0; a->ndrive > 0 && l < a->lanes; l++) {
        if (!a->lane[l].required)
            continue;
        clv_kinematics *k = &a->lane[l].system->kin;
        k->time = a->lane[l].t;
        for (int i = 0; i < a->ndrive; i++) {
            clv_walk_drive *d = &a->drive[i];
            const int at = d->row * G8 + l;
            clv_kinematics_motion(k, d->motion, &w->q[at], &d->u[l], &d->ud[l]);
            w->u[at] = d->u[l];
        }
    }
}

void clv_walk_abreast_drives_know(clv_walk_abreast *a, bool accelerations)
{
    for (int i = 0; i < a->ndrive; i++)
        for (int l = 0; l < G8; l++)
            a->rows.rows.known[a->drive[i].row * G8 + l] = accelerations ? a->drive[i].ud[l] : a->drive[i].u[l];
}

void clv_walk_abreast_drives_power(clv_walk_abreast *a)
{
    for (int l = 0; a->ndrive > 0 && l < a->lanes; l++) {
        if (!a->lane[l].required)
            continue;
        const clv_system *s = a->lane[l].system;
        double *power = &a->springs.power[l];
        *power += clv_armature_power(s);
        for (int i = 0; i < a->ndrive; i++) {
            const clv_walk_drive *d = &a->drive[i];
            const double force = -a->rows.rows.rates[d->row * G8 + l] - s->joint_tau[6 * (size_t)d->joint];
            *power += force * d->u[l];
        }
    }
}
