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
        bool first = *unit;
        for (int k = 0; k < i && first; ++k)
            first = strcmp(t->variable[k].unit, unit) != 0;
        if (!first)
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
};

static void common(clv_zip *z, const clv_fmu_variable *v, int reference)
{
    attribute(z, "name", v->name);
    put(z, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, kind_of[v->kind].causality,
        kind_of[v->kind].variability);
    if (kind_of[v->kind].initial)
        put(z, " initial=\"%s\"", kind_of[v->kind].initial);
}

static void values(clv_zip *z, const clv_fmu_variable *v)
{
    if (*v->unit)
        attribute(z, "unit", v->unit);
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
        values(z, v);
        put(z, f->version == 2 ? "/></ScalarVariable>\n" : "/>\n");
    }
    put(z, "  </ModelVariables>\n");
}

/* ---------------------------------------------------------------- structure */

static bool is_initial_unknown(const clv_fmu_variable *v)
{
    return v->kind == CLV_FMU_OUTPUT || v->kind == CLV_FMU_DERIVED;
}

/* An output depends on the inputs, or on nothing that can be set. */
static void dependencies(clv_zip *z, const clv_fmu *f, bool direct)
{
    bool some = false;
    put(z, " dependencies=\"");
    for (int i = 0; i < f->table.n && direct; ++i)
        if (f->table.variable[i].kind == CLV_FMU_INPUT)
            put(z, "%s%d", some ? " " : "", f->version == 2 ? i + 1 : i), some = true;
    put(z, "\"");
}

static void unknown(clv_zip *z, const clv_fmu *f, int i, const char *element)
{
    if (f->version == 2)
        put(z, "<Unknown index=\"%d\"", i + 1);
    else
        put(z, "<%s valueReference=\"%d\"", element, i);
}

static void structure(clv_zip *z, const clv_fmu *f)
{
    bool outputs = false, initial = false;
    for (int i = 0; i < f->table.n; ++i) {
        outputs |= f->table.variable[i].kind == CLV_FMU_OUTPUT;
        initial |= is_initial_unknown(&f->table.variable[i]);
    }
    put(z, "  <ModelStructure>\n%s", f->version == 2 && outputs ? "    <Outputs>\n" : "");
    for (int i = 0; i < f->table.n; ++i)
        if (f->table.variable[i].kind == CLV_FMU_OUTPUT) {
            put(z, "    ");
            unknown(z, f, i, "Output");
            dependencies(z, f, f->table.variable[i].direct);
            put(z, "/>\n");
        }
    put(z, "%s%s", f->version == 2 && outputs ? "    </Outputs>\n" : "",
        f->version == 2 && initial ? "    <InitialUnknowns>\n" : "");
    for (int i = 0; i < f->table.n; ++i)
        if (is_initial_unknown(&f->table.variable[i])) {
            put(z, "    ");
            unknown(z, f, i, "InitialUnknown");
            put(z, "/>\n");
        }
    put(z, "%s  </ModelStructure>\n", f->version == 2 && initial ? "    </InitialUnknowns>\n" : "");
}

/* ---------------------------------------------------------------- the whole */

static void interface(clv_zip *z, const clv_fmu *f)
{
    put(z, "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\"", f->identifier);
    put(z, f->version == 2 ? " canGetAndSetFMUstate=\"%s\" canSerializeFMUstate=\"%s\""
                           : " canGetAndSetFMUState=\"%s\" canSerializeFMUState=\"%s\"",
        f->saves ? "true" : "false", f->saves ? "true" : "false");
    put(z, f->version == 2 ? " canNotUseMemoryManagementFunctions=\"true\"/>\n" : "/>\n");
}

static void categories(clv_zip *z)
{
    put(z, "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"Errors\"/>\n  </LogCategories>\n");
}

void clv_fmu_describe(clv_zip *z, const clv_fmu *f)
{
    const bool two = f->version == 2;
    put(z, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"", two ? "2.0" : "3.0");
    attribute(z, "modelName", f->title);
    put(z, " %s=\"%s\" variableNamingConvention=\"flat\"", two ? "guid" : "instantiationToken", f->token);
    put(z, "\n  generationTool=\"cleave %s\"%s>\n", clv_version(), two ? " numberOfEventIndicators=\"0\"" : "");
    interface(z, f);
    units(z, &f->table);
    categories(z);
    put(z, "  <DefaultExperiment startTime=\"0\"");
    number(z, "stopTime", f->time), number(z, "tolerance", f->settings.sim.rtol), number(z, "stepSize", f->time / 100);
    put(z, "/>\n");
    variables(z, f);
    structure(z, f);
    put(z, "</fmiModelDescription>\n");
}
