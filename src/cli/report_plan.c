/* SPDX-License-Identifier: Apache-2.0
 * How a mechanism was divided, as JSON for a page that shows all bodies: the strand of each, and the parts that were
 * joined (simulation/division.h).  Plans of many parts are left out. */
#include "cli/report.h"
#include "model/model.h"
#include "simulation/division.h"

enum { PARTS_MOST = 3000 };

static void bodies_json(clv_json *j, const clv_report *r)
{
    clv_json_array(j, "strand_of"); /* -1: of a flexible body */
    for (int b = 0; b < r->nshown; ++b)
        clv_json_integer(j, NULL, clv_division_strand_of(r->sim, b));
    clv_json_end(j);
    clv_json_array(j, "flexible_of"); /* -1: rigid */
    for (int b = 0; b < r->nshown; ++b)
        clv_json_integer(j, NULL, clv_division_strand_of(r->sim, b) < 0 ? r->model->body[b].flex : -1);
    clv_json_end(j);
    clv_json_array(j, "folds"); /* by strand: the strand that takes it up without a part, or -1 */
    for (int k = 0; k < clv_division_strands(r->sim); ++k)
        clv_json_integer(j, NULL, clv_division_fold(r->sim, k));
    clv_json_end(j);
}

static void part_json(clv_json *j, const clv_sim *sim, int i)
{
    const clv_division_part p = clv_division_part_at(sim, i);
    clv_json_object(j, NULL);
    clv_json_integer(j, "strand", p.strand);
    clv_json_integer(j, "flexible", p.flexible);
    clv_json_array(j, "children");
    for (int k = 0; k < p.nbelow; ++k)
        clv_json_integer(j, NULL, clv_division_below(sim, i, k));
    clv_json_end(j);
    clv_json_array(j, "closes");
    for (int k = 0; k < p.ncloses; ++k)
        clv_json_text(j, NULL, clv_division_closes(sim, i, k));
    clv_json_end(j);
    clv_json_integer(j, "rows", p.rows);
    clv_json_bool(j, "loop", p.loop);
    clv_json_end(j);
}

void clv_report_plan_json(clv_json *j, const clv_report *r)
{
    const int parts = clv_division_parts(r->sim);
    if (r->nshown < clv_model_body_count(r->model) || parts + clv_division_strands(r->sim) > PARTS_MOST)
        return;
    clv_json_object(j, "division");
    bodies_json(j, r);
    clv_json_array(j, "parts");
    for (int i = 0; i < parts; ++i)
        part_json(j, r->sim, i);
    clv_json_end(j);
    clv_json_end(j);
}
