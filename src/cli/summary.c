/* SPDX-License-Identifier: Apache-2.0
 * What a mechanism is, how its start was assembled, and how long a run took, in words; see summary.h. */
#include "cli/summary.h"
#include "cli/check.h"
#include "cli/tone.h"
#include "math/sincos.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>

const char *clv_duration(char text[24], double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } scale[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    int i = 0;
    while (i < 3 && seconds < scale[i].least)
        ++i;
    snprintf(text, 24, "%.3g %s", seconds / (i == 3 ? 1e-9 : scale[i].least), scale[i].unit);
    return text;
}

void clv_label(const char *text)
{
    printf("%-22s", text);
}

void clv_summary_warn(void)
{
    printf("%swarning%s               ", clv_tone_begin(CLV_TONE_WARN), clv_tone_begin(CLV_TONE_PLAIN));
}

bool clv_summary_drive_unique(clv_sim *sim, int joint)
{
    clv_joint_result r;
    return clv_sim_joint(sim, joint, &r) != CLV_OK || r.effort_unique;
}

bool clv_summary_drive_repeated(const clv_model *m, clv_sim *sim, int joint)
{
    bool driven = false;
    for (int i = 0; i < m->nmotion; ++i)
        driven |= m->motion[i].joint == joint;
    return driven && !clv_summary_drive_unique(sim, joint);
}

void clv_summary_freedoms(char text[CLV_FREEDOMS_TEXT], const clv_model *m, clv_sim *sim, const clv_sim_report *r)
{
    const int motions = m->nmotion, redundant = r->redundant_constraints, most = CLV_FREEDOMS_TEXT;
    int driven = 0, n;
    for (int i = 0; i < motions; ++i)
        driven += clv_summary_drive_unique(sim, m->motion[i].joint);
    if (driven < motions)
        n = snprintf(text, (size_t)most, "%d free beside %d motions, some of which repeat others", r->mobility_found,
                     motions);
    else if (motions == 0)
        n = snprintf(text, (size_t)most, "%d", r->mobility_found);
    else if (r->mobility_found > 0)
        n = snprintf(text, (size_t)most, "%d: %d free, %d driven by motion%s", r->mobility_found + driven,
                     r->mobility_found, driven, clv_plural(driven));
    else if (motions == 1)
        n = snprintf(text, (size_t)most, "1, driven by motion '%.200s'", m->motion[0].name);
    else
        n = snprintf(text, (size_t)most, "%d, %s driven by motions", driven, driven == 2 ? "both" : "all");
    if (redundant > 0 || r->mobility_counted != r->mobility_found)
        snprintf(text + n, (size_t)(most - n), " (Gruebler count %d; %d redundant constraint%s)",
                 r->mobility_counted + driven, redundant, clv_plural(redundant));
}

void clv_summary_print_freedoms(const clv_subject *s, const clv_sim_report *r)
{
    char text[CLV_FREEDOMS_TEXT];
    clv_summary_freedoms(text, s->model, s->sim, r);
    clv_label("degrees of freedom");
    printf("%s\n", text);
    if (r->mobility_beside == 0 && r->mobility_found > 0)
        printf("                      of the start, a singular position; a small step beside it there is none%s\n",
               s->model->nmotion > 0 ? " free" : "");
    else if (r->mobility_beside < r->mobility_found)
        printf("                      of the start, a singular position; a small step beside it there %s %d%s\n",
               r->mobility_beside == 1 ? "is" : "are", r->mobility_beside, s->model->nmotion > 0 ? " free" : "");
}

void clv_summary_print_size(const clv_subject *s, const clv_sim_report *r)
{
    printf("%s%s%s: %d bod%s, %d joint%s, %d loop%s\n", clv_tone_begin(CLV_TONE_BOLD), clv_model_name(s->model),
           clv_tone_begin(CLV_TONE_PLAIN), r->bodies, r->bodies == 1 ? "y" : "ies", r->joints, clv_plural(r->joints),
           r->loops, clv_plural(r->loops));
    clv_summary_print_freedoms(s, r);
}

void clv_summary_print_assembly(const clv_subject *s, const clv_sim_report *r)
{
    if (r->start_moved > 1e-9) {
        clv_label("start");
        printf("moved by %.2g m or rad to close the loops\n", r->start_moved);
    }
    clv_summary_print_moved(s);
}

double clv_summary_overridden(const clv_model *m, int motion)
{
    const clv_motion *x = &m->motion[motion];
    const clv_joint *j = &m->joint[x->joint];
    const bool placed = (j->a >= 0 && m->body[j->a].placed) || (j->b >= 0 && m->body[j->b].placed);
    double given[7], at[3];
    if (!placed || j->has_q)
        return 0;
    clv_joint_start(m, j, given);
    clv_motion_at(x, 0, &at[0], &at[1], &at[2]);
    const double off = at[0] - given[0], turn = 2 * CLV_PI;
    return clv_joint_angle(j->kind, 0) ? off - turn * round(off / turn) : off;
}

static void print_overridden(const clv_model *m)
{
    enum { MOST = 4 };
    int n = 0;
    for (int i = 0; i < m->nmotion; ++i) {
        const double off = clv_summary_overridden(m, i);
        if (fabs(off) > 1e-9 && n++ < MOST)
            printf("note                  motion '%s' starts %.3g %s away from the poses given for the bodies of joint "
                   "'%s'; the motion has priority\n",
                   m->motion[i].name, off, clv_joint_angle(m->joint[m->motion[i].joint].kind, 0) ? "rad" : "m",
                   m->joint[m->motion[i].joint].name);
    }
    if (n > MOST)
        printf("                      and %d more motions\n", n - MOST);
}

/* "what: joint by size, ..." of the joints of which `moved` is more than 1e-9 */
static void print_changes(const clv_subject *s, const char *what, double (*moved)(const clv_subject *s, int joint))
{
    enum { MOST = 8 };
    int n = 0;
    for (int i = 0; i < s->model->njoint; ++i)
        if (moved(s, i) > 1e-9 && n++ < MOST)
            printf("%s%s%s by %.2g", n == 1 ? "                      " : ", ", n == 1 ? what : "",
                   s->model->joint[i].name, moved(s, i));
    if (n > MOST)
        printf(" and %d more", n - MOST);
    if (n > 0)
        printf("\n");
}

static double coordinate_moved(const clv_subject *s, int joint)
{
    return s->model->joint[joint].has_q ? clv_sim_joint_start_moved(s->sim, joint) : 0;
}

static double rate_moved(const clv_subject *s, int joint)
{
    return clv_sim_joint_start_rate_moved(s->sim, joint);
}

bool clv_summary_body_changed(const clv_subject *s, int body)
{
    const double *given = s->model->body[body].moving;
    double most = 0;
    for (int i = 0; given && i < 6; ++i)
        most = fmax(most, fabs(given[i]));
    return clv_sim_body_start_velocity_moved(s->sim, body) > 1e-9 + 0.01 * most;
}

/* bodies whose given velocity the start does not have; digits that a file lacks do not count */
static void print_bodies_changed(const clv_subject *s)
{
    enum { MOST = 8 };
    int n = 0;
    for (int i = 0; i < clv_model_body_count(s->model); ++i)
        if (clv_summary_body_changed(s, i) && n++ < MOST)
            printf("%s%s by %.2g", n == 1 ? "                      given velocities changed (m/s or rad/s): " : ", ",
                   clv_model_body_name(s->model, i), clv_sim_body_start_velocity_moved(s->sim, i));
    if (n > MOST)
        printf(" and %d more", n - MOST);
    if (n > 0)
        printf("\n");
}

void clv_summary_print_moved(const clv_subject *s)
{
    print_changes(s, "given coordinates moved (m or rad): ", coordinate_moved);
    for (int i = 0; i < s->model->njoint; ++i)
        if (rate_moved(s, i) > 1e-9) {
            clv_summary_warn();
            printf("no motion of the joints and loops has all given rates; the run starts with the nearest one\n");
            break;
        }
    print_changes(s, "given rates changed (m/s or rad/s): ", rate_moved);
    print_bodies_changed(s);
    print_overridden(s->model);
}

void clv_summary_print_time(const clv_sim_report *r, double time, double wall)
{
    char text[24];
    clv_label("simulated");
    printf("%.6g s in %s", time, clv_duration(text, wall));
    if (wall > 0 && time > 0)
        printf(" (%.3gx real time)", time / wall);
    printf(" by %s with %s\n", r->formulation, r->integrator);
}
