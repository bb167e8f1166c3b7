/* SPDX-License-Identifier: Apache-2.0
 * One definition per section, one line per key.  What a schema cannot say (names that exist, inertia of a real body,
 * deg only where a coordinate is an angle) is left to the reader. */
#include "io/schema.h"
#include <string.h>

/* NULL: sections of other files than models. */
static const char *const definition[CLV_SECTIONS] = {
    [CLV_IN_FILE] = "file", [CLV_IN_PARAMETER] = "parameter", [CLV_IN_BODY] = "body", [CLV_IN_SHAPE] = "shape",
    [CLV_IN_FLEXIBLE] = "flexible", [CLV_IN_BEAM] = "beam", [CLV_IN_BEAM_MODES] = "beam_modes",
    [CLV_IN_MODAL] = "modal", [CLV_IN_NODE] = "node", [CLV_IN_JOINT] = "joint", [CLV_IN_SIDE] = "side",
    [CLV_IN_ORIENTATION] = "orientation", [CLV_IN_FORCE] = "force", [CLV_IN_TORQUE] = "torque",
    [CLV_IN_LOAD] = "load", [CLV_IN_SPRING] = "spring", [CLV_IN_DAMPER] = "damper", [CLV_IN_BUSHING] = "bushing",
    [CLV_IN_CONTACT] = "contact", [CLV_IN_TENDON] = "tendon", [CLV_IN_DRAG] = "drag", [CLV_IN_CONTACTS] = "contacts",
    [CLV_IN_MOTION] = "motion", [CLV_IN_COUPLING] = "coupling", [CLV_IN_MARKER] = "marker",
    [CLV_IN_VISUAL] = "visual", [CLV_IN_BODY_SHAPE] = "body_shape",
    [CLV_IN_INPUT] = "input", [CLV_IN_EVENT] = "event", [CLV_IN_WHEN] = "when", [CLV_IN_START] = "start",
    [CLV_IN_START_BODY] = "start_body", [CLV_IN_START_JOINT] = "start_joint", [CLV_IN_START_MODES] = "start_modes"
};

/* What a mapping under this key holds: one mapping of a section, or named entries of it. */
static const struct {
    const char *key;
    clv_section section;
    bool named;
} child[] = {{"bodies", CLV_IN_BODY, true},
             {"joints", CLV_IN_JOINT, true},
             {"motions", CLV_IN_MOTION, true},
             {"couplings", CLV_IN_COUPLING, true},
             {"markers", CLV_IN_MARKER, true},
             {"visuals", CLV_IN_VISUAL, true},
             {"shapes", CLV_IN_BODY_SHAPE, true},
             {"inputs", CLV_IN_INPUT, true},
             {"events", CLV_IN_EVENT, true},
             {"when", CLV_IN_WHEN, false},
             {"start", CLV_IN_START, false},
             {"shape", CLV_IN_SHAPE, false},
             {"a", CLV_IN_SIDE, false},
             {"b", CLV_IN_SIDE, false},
             {"orientation", CLV_IN_ORIENTATION, false},
             {"flexible", CLV_IN_FLEXIBLE, false},
             {"beam", CLV_IN_BEAM, false},
             {"modal", CLV_IN_MODAL, false},
             {"nodes", CLV_IN_NODE, true}};

/* Rules between the keys of a section. */
static const struct {
    clv_section section;
    const char *text;
} rule[] = {
    {CLV_IN_BODY, "\"oneOf\": [{\"required\": [\"mass\", \"inertia\"]}, {\"required\": [\"flexible\"], "
                  "\"not\": {\"anyOf\": [{\"required\": [\"mass\"]}, {\"required\": [\"com\"]}, "
                  "{\"required\": [\"inertia\"]}]}}]"},
    {CLV_IN_FLEXIBLE, "\"oneOf\": [{\"required\": [\"beam\"]}, {\"required\": [\"modal\"]}, "
                      "{\"required\": [\"file\"]}]"},
    {CLV_IN_BEAM, "\"oneOf\": [{\"required\": [\"tube\"]}, {\"required\": [\"rectangle\"]}, "
                  "{\"required\": [\"area\", \"I_y\", \"I_z\"]}]"},
    {CLV_IN_SHAPE, "\"oneOf\": [{\"required\": [\"box\"]}, {\"required\": [\"sphere\"]}, "
                   "{\"required\": [\"cylinder\"]}, {\"required\": [\"capsule\"]}, {\"required\": [\"bore\"]}, "
                   "{\"required\": [\"mesh\"]}, {\"required\": [\"points\"]}], "
                   "\"dependencies\": {\"scale\": [\"mesh\"], \"closed\": [\"bore\"]}"},
    {CLV_IN_BODY_SHAPE, "\"oneOf\": [{\"required\": [\"box\"]}, {\"required\": [\"sphere\"]}, "
                        "{\"required\": [\"cylinder\"]}, {\"required\": [\"capsule\"]}, {\"required\": [\"bore\"]}, "
                        "{\"required\": [\"mesh\"]}, {\"required\": [\"points\"]}], "
                        "\"dependencies\": {\"scale\": [\"mesh\"], \"closed\": [\"bore\"]}"},
    {CLV_IN_VISUAL, "\"oneOf\": [{\"required\": [\"mesh\"]}, {\"required\": [\"box\"]}, "
                    "{\"required\": [\"sphere\"]}, {\"required\": [\"cylinder\"]}, {\"required\": [\"capsule\"]}], "
                    "\"dependencies\": {\"scale\": [\"mesh\"]}"},
    {CLV_IN_INPUT, "\"not\": {\"anyOf\": [{\"required\": [\"joint\", \"body\"]}, "
                   "{\"required\": [\"joint\", \"motion\"]}, {\"required\": [\"body\", \"motion\"]}, "
                   "{\"required\": [\"force\", \"torque\"]}]}, \"dependencies\": {\"coordinate\": [\"joint\"], "
                   "\"body\": {\"anyOf\": [{\"required\": [\"force\"]}, {\"required\": [\"torque\"]}]}, "
                   "\"point\": [\"body\", \"force\"], \"force\": [\"body\"], \"torque\": [\"body\"], "
                   "\"frame\": [\"body\"], \"fluid\": [\"drag\"], \"drag\": [\"fluid\"], "
                   "\"rate_limit\": [\"joint\"], \"stall_effort\": [\"joint\", \"no_load_speed\"], "
                   "\"no_load_speed\": [\"joint\", \"stall_effort\"]}"},
    {CLV_IN_EVENT, "\"allOf\": [{\"oneOf\": [{\"required\": [\"when\"]}, {\"required\": [\"at\"]}]}, "
                   "{\"anyOf\": [{\"required\": [\"lock\"]}, {\"required\": [\"release\"]}, "
                   "{\"required\": [\"attach\"]}, {\"required\": [\"stop\"]}]}], "
                   "\"dependencies\": {\"joint\": [\"attach\"], \"position\": [\"attach\"], \"axis\": [\"attach\"]}"},
    {CLV_IN_WHEN, "\"allOf\": [{\"oneOf\": [{\"required\": [\"above\"]}, {\"required\": [\"below\"]}]}, "
                  "{\"oneOf\": [{\"required\": [\"joint\"]}, {\"required\": [\"rate\"]}, {\"required\": [\"force\"]}, "
                  "{\"required\": [\"torque\"]}, {\"required\": [\"effort\"]}, "
                  "{\"required\": [\"marker-distance\"]}]}]"},
    {CLV_IN_COUPLING, "\"oneOf\": [{\"required\": [\"of\"]}, {\"required\": [\"first\", \"second\"]}]"},
    {CLV_IN_TENDON, "\"oneOf\": [{\"required\": [\"path\"]}, {\"required\": [\"of\"]}]"},
    {CLV_IN_DRAG, "\"dependencies\": {\"density\": [\"area\", \"drag_coefficient\"], "
                  "\"area\": [\"density\", \"drag_coefficient\"], "
                  "\"drag_coefficient\": [\"density\", \"area\"]}"},
    {CLV_IN_JOINT, "\"oneOf\": [{\"required\": [\"between\"]}, {\"required\": [\"a\", \"b\"]}]"},
    {CLV_IN_ORIENTATION, "\"oneOf\": [{\"required\": [\"axis\", \"angle\"]}, {\"required\": [\"quaternion\"]}, "
                         "{\"required\": [\"matrix\"]}, {\"required\": [\"x\", \"z\"]}]"},
};

static const char head[] =
    "{\n"
    "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
    "  \"title\": \"cleave model file\",\n"
    "  \"$ref\": \"#/definitions/file\",\n"
    "  \"definitions\": {\n"
    "    \"name\": {\"type\": [\"string\", \"number\", \"boolean\"]},\n"
    "    \"names\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/name\"}},\n"
    "    \"formula\": {\"type\": \"string\", \"pattern\": \"^[-+(]* *([0-9.]|[A-Za-z_])[-+*/^().,A-Za-z0-9_ ]*$\"},\n"
    "    \"number\": {\"anyOf\": [{\"type\": \"number\"}, {\"$ref\": \"#/definitions/formula\"}]},\n"
    "    \"point\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, \"minItems\": 3, "
    "\"maxItems\": 3},\n"
    "    \"table\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": "
    "\"#/definitions/number\"}, \"minItems\": 2, \"maxItems\": 2}},\n"
    "    \"any_force\": {\"oneOf\": [{\"$ref\": \"#/definitions/force\"}, {\"$ref\": \"#/definitions/torque\"}, "
    "{\"$ref\": \"#/definitions/load\"}, {\"$ref\": \"#/definitions/spring\"}, {\"$ref\": \"#/definitions/damper\"}, "
    "{\"$ref\": \"#/definitions/bushing\"}, {\"$ref\": \"#/definitions/contact\"}, "
    "{\"$ref\": \"#/definitions/tendon\"}, {\"$ref\": \"#/definitions/drag\"}, "
    "{\"$ref\": \"#/definitions/contacts\"}]}";

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; ++text)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

/* Words of a text in a list: the kinds of a joint. */
static void put_words(FILE *out, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        fprintf(out, "\"%.*s\"%s", (int)n, text, text[n] ? ", " : "");
    }
}

static void put_number(FILE *out, const clv_schema_row *row)
{
    static const char *const bound[] = {"", ", \"exclusiveMinimum\": 0", ", \"minimum\": 0", "",
                                        ", \"minimum\": 0, \"maximum\": 1"};
    if (row->bound == CLV_ANY && row->type != CLV_AS_WHOLE)
        fputs("\"$ref\": \"#/definitions/number\"", out);
    else
        fprintf(out, "\"anyOf\": [{\"type\": \"%s\"%s}, {\"$ref\": \"#/definitions/formula\"}]",
                row->type == CLV_AS_WHOLE ? "integer" : "number", bound[row->bound]);
}

static void put_list(FILE *out, const clv_schema_row *row, int least)
{
    fputs("\"type\": \"array\", \"items\": {", out);
    put_number(out, row);
    fprintf(out, "}, \"minItems\": %d, \"maxItems\": %d", least, row->most);
    if (row->bound == CLV_NOT_ZERO)
        fputs(", \"contains\": {\"not\": {\"const\": 0}}", out);
}

static void put_map(FILE *out, const clv_schema_row *row)
{
    if (row->section == CLV_IN_BEAM) { /* nodes: distances by name */
        fputs("\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": \"number\", \"minimum\": 0}, "
              "{\"$ref\": \"#/definitions/formula\"}]}",
              out);
        return;
    }
    if (row->section == CLV_IN_COUPLING || row->section == CLV_IN_TENDON) { /* factors by joint */
        fputs("\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"$ref\": "
              "\"#/definitions/number\"}",
              out);
        return;
    }
    if (strcmp(row->key, "parameters") == 0) {
        fputs("\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"anyOf\": [{\"$ref\": "
              "\"#/definitions/number\"}, {\"$ref\": \"#/definitions/parameter\"}]}",
              out);
        return;
    }
    for (size_t k = 0; k < sizeof child / sizeof *child; ++k)
        if (strcmp(child[k].key, row->key) == 0 && row->section != CLV_IN_START) {
            if (child[k].named)
                fprintf(out, "\"type\": %s, \"additionalProperties\": {\"$ref\": \"#/definitions/%s\"}",
                        row->required || row->section == CLV_IN_MODAL ? "\"object\"" : "[\"object\", \"null\"]",
                        definition[child[k].section]);
            else
                fprintf(out, "\"$ref\": \"#/definitions/%s\"", definition[child[k].section]);
            return;
        }
    const char *of = strcmp(row->key, "forces") == 0     ? "any_force"
                     : strcmp(row->key, "branches") == 0 ? "names"
                     : strcmp(row->key, "bodies") == 0   ? "start_body"
                     : strcmp(row->key, "modes") == 0    ? "start_modes"
                                                         : "start_joint";
    fprintf(out, "\"type\": [\"object\", \"null\"], \"additionalProperties\": {\"$ref\": \"#/definitions/%s\"}", of);
}

static void put_kind(FILE *out, const clv_schema_row *row)
{
    const char *word = row->example + strlen("kind: ");
    if (row->section == CLV_IN_JOINT) {
        fputs("\"enum\": [", out);
        put_words(out, row->text);
        fputs("]", out);
    } else {
        fputs("\"const\": ", out);
        put_text(out, word);
    }
}

static void put_type(FILE *out, const clv_schema_row *row)
{
    switch (row->type) {
    case CLV_AS_NUMBER:
    case CLV_AS_FORMULA:
    case CLV_AS_WHOLE:
        if (row->section == CLV_IN_FILE && row->required)
            fputs("\"const\": 1", out); /* the version */
        else
            put_number(out, row);
        break;
    case CLV_AS_LIST:
        put_list(out, row, row->least);
        break;
    case CLV_AS_EITHER:
        fputs("\"anyOf\": [{", out);
        put_number(out, row);
        fputs("}, {", out);
        put_list(out, row, row->least);
        fputs("}]", out);
        break;
    case CLV_AS_INERTIA:
        fputs("\"anyOf\": [{\"const\": \"from shape\"}, {\"$ref\": \"#/definitions/point\"}, {", out);
        put_list(out, row, row->most);
        fputs("}]", out);
        break;
    case CLV_AS_BOOL:
        fputs("\"anyOf\": [{\"type\": \"boolean\"}, {\"$ref\": \"#/definitions/formula\"}]", out);
        break;
    case CLV_AS_TEXT:
        if (strcmp(row->key, "kind") == 0)
            put_kind(out, row);
        else if (strcmp(row->key, "basis") == 0)
            fputs("\"enum\": [\"craig-bampton\", \"clamped-free\"]", out);
        else if (strcmp(row->key, "closed") == 0)
            fputs("\"enum\": [\"none\", \"lower\", \"upper\", \"both\"]", out);
        else if (strcmp(row->key, "frame") == 0 && row->section == CLV_IN_DRAG)
            fputs("\"enum\": [\"flow\", \"body\", \"global\"]", out);
        else if (strcmp(row->key, "frame") == 0)
            fputs("\"enum\": [\"global\", \"body\"]", out);
        else
            fputs("\"$ref\": \"#/definitions/name\"", out);
        break;
    case CLV_AS_NAMES:
        fprintf(out, "\"allOf\": [{\"$ref\": \"#/definitions/names\"}], \"minItems\": %d, \"maxItems\": %d", row->least,
                row->most);
        break;
    case CLV_AS_PAIRS:
        fputs("\"type\": \"array\", \"minItems\": 1, \"items\": {\"allOf\": [{\"$ref\": \"#/definitions/names\"}], "
              "\"minItems\": 2, \"maxItems\": 2}",
              out);
        break;
    case CLV_AS_TABLE:
        fputs("\"$ref\": \"#/definitions/table\"", out);
        break;
    case CLV_AS_NUMBER_OR_TABLE:
        fputs("\"anyOf\": [{\"$ref\": \"#/definitions/number\"}, {\"$ref\": \"#/definitions/table\"}]", out);
        break;
    case CLV_AS_POINTS:
        fputs("\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/point\"}, \"minItems\": 2, \"maxItems\": 2",
              out);
        break;
    case CLV_AS_NUMBERS:
        fputs("\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}", out);
        break;
    case CLV_AS_PATH:
        fprintf(out,
                "\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": [{\"$ref\": "
                "\"#/definitions/name\"}, {\"$ref\": \"#/definitions/point\"}], \"minItems\": 2, \"maxItems\": 2}, "
                "\"minItems\": %d, \"maxItems\": %d",
                row->least, row->most);
        break;
    case CLV_AS_ROWS:
        fprintf(
            out,
            "\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, "
            "\"minItems\": %d, \"maxItems\": %d}, \"minItems\": 1",
            row->least, row->least);
        break;
    case CLV_AS_SQUARE:
        fputs(
            "\"anyOf\": [{\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}}, {\"type\": \"array\", "
            "\"items\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}}}], \"minItems\": 1",
            out);
        break;
    case CLV_AS_WHOLE_OR_MAP:
        fputs("\"anyOf\": [{\"type\": \"integer\", \"exclusiveMinimum\": 0}, {\"$ref\": \"#/definitions/formula\"}, "
              "{\"$ref\": \"#/definitions/beam_modes\"}]",
              out);
        break;
    case CLV_AS_MAP:
        put_map(out, row);
        break;
    }
}

/* "key": {type, "description": "text; unit; default"} */
static void put_key(FILE *out, const clv_schema_row *row)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s%s%s%s", row->text, *row->unit ? "; " : "", row->unit,
             *row->value ? "; default " : "", row->value);
    fputs("        ", out);
    put_text(out, row->key);
    fputs(": {\"allOf\": [{", out);
    put_type(out, row);
    fputs("}], \"description\": ", out);
    put_text(out, text);
    fputs("}", out);
}

static void put_section(FILE *out, clv_section section)
{
    int first = clv_schema_first(section), n = clv_schema_count(section), required = 0;
    fprintf(out, ",\n    \"%s\": {\n      \"type\": \"object\", \"additionalProperties\": false,\n",
            definition[section]);
    for (size_t k = 0; k < sizeof rule / sizeof *rule; ++k)
        if (rule[k].section == section)
            fprintf(out, "      %s,\n", rule[k].text);
    fputs("      \"required\": [", out);
    for (int k = 0; k < n; ++k)
        if (clv_schema[first + k].required)
            fprintf(out, "%s\"%s\"", required++ ? ", " : "", clv_schema[first + k].key);
    fputs("],\n      \"properties\": {\n", out);
    for (int k = 0; k < n; ++k) {
        put_key(out, &clv_schema[first + k]);
        fputs(k + 1 < n ? ",\n" : "\n", out);
    }
    fputs("      }\n    }", out);
}

void clv_schema_json_write(FILE *out)
{
    fputs(head, out);
    for (int s = 0; s < CLV_SECTIONS; ++s)
        if (definition[s])
            put_section(out, (clv_section)s);
    fputs("\n  }\n}\n", out);
}
