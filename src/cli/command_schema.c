/* SPDX-License-Identifier: Apache-2.0
 * cleave schema: the keys of a model file as a JSON Schema, for editors. */
#include "cli/command.h"
#include "io/schema.h"

static const clv_option options[] = {{0}};

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char none;
    const clv_exit code = clv_command_read(self, &none, &words, 0, 0, argc, argv);
    if (code == CLV_EXIT_DONE)
        clv_schema_json_write(stdout);
    return code;
}

const clv_command clv_command_schema = {
    "schema",
    "",
    "print the JSON Schema of model files, for editors",
    "  cleave schema > model-schema.json\n"
    "\n"
    "An editor with a YAML language server completes and checks keys while you type, if the first line of the model "
    "is\n"
    "  # yaml-language-server: $schema=model-schema.json\n"
    "The schema knows keys and kinds of values; `cleave check` knows the rest.",
    options,
    command,
};
