/* SPDX-License-Identifier: Apache-2.0
 * modelDescription.xml of a functional mock-up unit, after FMI 2.0.4 section 2.2 and FMI 3.0.1 section 2.4.  The value
 * reference of a variable is its number in the table; FMI 2.0 counts variables from 1 where it does not name that. */
#include "cli/fmu.h"
#include "io/unit.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void put(clv_zip *z, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(clv_zip *z, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_zip_write(z, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* ' name="text"' */
static void attribute(clv_zip *z, const char *name, const char *text)
{
    static const struct {
        char c;
        const char *as;
    } special[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\t', "&#9;"}, {'\n', "&#10;"}};
    put(z, " %s=\"", name);
    for (; *text; ++text) {
        const char *as = NULL;
        for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
            as = *text == special[i].c ? special[i].as : as;
        clv_zip_write(z, as ? as : text, as ? strlen(as) : 1);
    }
    put(z, "\"");
}

static void number(clv_zip *z, const char *name, double x)
{
    char text[32];
    if (isfinite(x))
        put(z, " %s=\"%s\"", name, clv_json_shortest(text, x));
}

/* ---------------------------------------------------------------- units */

static void base_unit(clv_zip *z, const char *unit)
{
    static const char *const base[CLV_BASES] = {[CLV_METRE] = "m", [CLV_KILOGRAM] = "kg", [CLV_SECOND] = "s",
                                                [CLV_RADIAN] = "rad"};
    clv_unit u;
    bool whole = clv_unit_whole(unit, &u); /* "m or rad" is none */
    for (int i = 0; i < CLV_BASES && whole; ++i)
        whole = u.dimension.of[i] % 2 == 0;
    if (!whole)
        return;
    put(z, "<BaseUnit");
    for (int i = 0; i < CLV_BASES; ++i)
        if (u.dimension.of[i] != 0)
            put(z, " %s=\"%d\"", base[i], u.dimension.of[i] / 2);
    const double factor = clv_unit_times(1, &u);
    if (factor != 1)
        number(z, "factor", factor);
    put(z, "/>");
}

static void units(clv_zip *z, const clv_fmu_table *t)
{
    put(z, "  <UnitDefinitions>\n");
    for (int i = 0; i < t->n; ++i) {
        const char *unit = t->variable[i].unit;
        if (!t->variable[i].new_unit)
            continue;
        put(z, "    <Unit");
        attribute(z, "name", unit);
        put(z, ">");
        base_unit(z, unit);
        put(z, "</Unit>\n");
    }
    put(z, "  </UnitDefinitions>\n");
}

/* ---------------------------------------------------------------- variables */

static const struct {
    const char *causality, *variability, *initial; /* NULL: the standard's own */
    bool start;
} kind_of[] = {
    [CLV_FMU_TIME] = {"independent", "continuous", NULL, false},
    [CLV_FMU_INPUT] = {"input", "continuous", NULL, true},
    [CLV_FMU_PARAMETER] = {"parameter", "fixed", "exact", true},
    [CLV_FMU_DERIVED] = {"calculatedParameter", "fixed", "calculated", false},
    [CLV_FMU_OUTPUT] = {"output", "continuous", "calculated", false},
    [CLV_FMU_STATE] = {"local", "continuous", "calculated", false},
    [CLV_FMU_RATE] = {"local", "continuous", "calculated", false},
    [CLV_FMU_INDICATOR] = {"local", "continuous", "calculated", false},
};

static void common(clv_zip *z, const clv_fmu_variable *v, int reference)
{
    attribute(z, "name", v->name);
    put(z, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, kind_of[v->kind].causality,
        kind_of[v->kind].variability);
    if (kind_of[v->kind].initial)
        put(z, " initial=\"%s\"", kind_of[v->kind].initial);
}

/* Number of the state of a derivative, as the version counts: derivatives follow the states in their order. */
static int state_of(const clv_fmu *f, const clv_fmu_variable *v)
{
    const int i = (int)(v - f->table.variable) - f->states;
    return f->version == 2 ? i + 1 : i;
}

static void values(clv_zip *z, const clv_fmu *f, const clv_fmu_variable *v)
{
    if (*v->unit)
        attribute(z, "unit", v->unit);
    if (v->kind == CLV_FMU_STATE)
        number(z, "nominal", v->nominal);
    if (v->kind == CLV_FMU_RATE)
        put(z, " derivative=\"%d\"", state_of(f, v));
    number(z, "min", v->least), number(z, "max", v->most);
    if (kind_of[v->kind].start)
        number(z, "start", v->start);
}

static void variables(clv_zip *z, const clv_fmu *f)
{
    put(z, "  <ModelVariables>\n");
    for (int i = 0; i < f->table.n; ++i) {
        const clv_fmu_variable *v = &f->table.variable[i];
        put(z, f->version == 2 ? "    <ScalarVariable" : "    <Float64");
        common(z, v, i);
        put(z, f->version == 2 ? "><Real" : "");
        values(z, f, v);
        put(z, f->version == 2 ? "/></ScalarVariable>\n" : "/>\n");
    }
    put(z, "  </ModelVariables>\n");
}

/* ---------------------------------------------------------------- structure */

enum { MOST_LISTED = 200 }; /* states of a list; longer lists are left out: that is all of them */

static bool is_initial_unknown(const clv_fmu_variable *v)
{
    return v->kind == CLV_FMU_OUTPUT || v->kind == CLV_FMU_DERIVED || v->kind == CLV_FMU_STATE ||
           v->kind == CLV_FMU_RATE;
}

/* Of an output or derivative: time and states, and the inputs where they act at once. */
static void dependencies(clv_zip *z, const clv_fmu *f, const clv_fmu_variable *v)
{
    bool some = false;
    if (f->states > MOST_LISTED)
        return;
    put(z, " dependencies=\"");
    for (int i = 0; i < f->table.n; ++i) {
        const clv_fmu_kind kind = f->table.variable[i].kind;
        if (kind == CLV_FMU_TIME || kind == CLV_FMU_STATE || (kind == CLV_FMU_INPUT && v->direct))
            put(z, "%s%d", some ? " " : "", f->version == 2 ? i + 1 : i), some = true;
    }
    put(z, "\"");
}

static void unknown(clv_zip *z, const clv_fmu *f, int i, const char *element, bool listed)
{
    if (f->version == 2)
        put(z, "      <Unknown index=\"%d\"", i + 1);
    else
        put(z, "    <%s valueReference=\"%d\"", element, i);
    if (listed)
        dependencies(z, f, &f->table.variable[i]);
    put(z, "/>\n");
}

/* The unknowns of a kind; FMI 2.0 puts them into a list of that name. */
static void unknowns(clv_zip *z, const clv_fmu *f, clv_fmu_kind kind, const char *list, const char *element)
{
    const bool listed = f->version == 2 && clv_fmu_count(&f->table, kind) > 0;
    if (listed)
        put(z, "    <%s>\n", list);
    for (int i = 0; i < f->table.n; ++i)
        if (f->table.variable[i].kind == kind)
            unknown(z, f, i, element, true);
    if (listed)
        put(z, "    </%s>\n", list);
}

static void structure(clv_zip *z, const clv_fmu *f)
{
    bool initial = false;
    for (int i = 0; i < f->table.n; ++i)
        initial |= is_initial_unknown(&f->table.variable[i]);
    put(z, "  <ModelStructure>\n");
    unknowns(z, f, CLV_FMU_OUTPUT, "Outputs", "Output");
    unknowns(z, f, CLV_FMU_RATE, "Derivatives", "ContinuousStateDerivative");
    if (f->version == 2 && initial)
        put(z, "    <InitialUnknowns>\n");
    for (int i = 0; i < f->table.n; ++i)
        if (is_initial_unknown(&f->table.variable[i]))
            unknown(z, f, i, "InitialUnknown", false);
    put(z, "%s", f->version == 2 && initial ? "    </InitialUnknowns>\n" : "");
    if (f->version == 3) /* FMI 2.0 has their number */
        unknowns(z, f, CLV_FMU_INDICATOR, NULL, "EventIndicator");
    put(z, "  </ModelStructure>\n");
}

/* ---------------------------------------------------------------- the whole */

/* One kind of use; both have the same program. */
static void use(clv_zip *z, const clv_fmu *f, const char *element, const char *more)
{
    const char *saves = f->saves ? "true" : "false";
    put(z, "  <%s modelIdentifier=\"%s\"%s", element, f->identifier, more);
    if (f->version == 2)
        put(z,
            " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"%s\" canSerializeFMUstate=\"%s\" "
            "providesDirectionalDerivative=\"true\"/>\n",
            saves, saves);
    else
        put(z,
            " canGetAndSetFMUState=\"%s\" canSerializeFMUState=\"%s\" providesDirectionalDerivatives=\"true\" "
            "providesAdjointDerivatives=\"true\"/>\n",
            saves, saves);
}

static void uses(clv_zip *z, const clv_fmu *f)
{
    if (f->settings.exchange)
        use(z, f, "ModelExchange", f->version == 2 ? "" : " needsCompletedIntegratorStep=\"true\"");
    if (f->settings.steps)
        use(z, f, "CoSimulation", " canHandleVariableCommunicationStepSize=\"true\"");
}

static void categories(clv_zip *z)
{
    put(z, "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"Errors\"/>\n"
           "    <Category name=\"logStatusDiscard\" description=\"Rates that cannot be computed\"/>\n"
           "  </LogCategories>\n");
}

void clv_fmu_describe(clv_zip *z, const clv_fmu *f)
{
    const bool two = f->version == 2;
    put(z, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"", two ? "2.0" : "3.0");
    attribute(z, "modelName", f->title);
    put(z, " %s=\"%s\" variableNamingConvention=\"flat\"", two ? "guid" : "instantiationToken", f->token);
    put(z, "\n  generationTool=\"cleave %s\"", clv_version());
    if (two)
        put(z, " numberOfEventIndicators=\"%d\"", clv_fmu_count(&f->table, CLV_FMU_INDICATOR));
    put(z, ">\n");
    uses(z, f);
    units(z, &f->table);
    categories(z);
    put(z, "  <DefaultExperiment startTime=\"0\"");
    number(z, "stopTime", f->time), number(z, "tolerance", f->settings.sim.rtol), number(z, "stepSize", f->time / 100);
    put(z, "/>\n");
    variables(z, f);
    structure(z, f);
    put(z, "</fmiModelDescription>\n");
}
