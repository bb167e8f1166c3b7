/* SPDX-License-Identifier: Apache-2.0
 * cleave completion: scripts by which bash and zsh complete commands, options, examples and files, made from the table
 * of commands.  The build writes both, and installing puts them where the shells look. */
#include "cli/command.h"
#include "simulation/names.h"
#include <string.h>

static const clv_option options[] = {{0}};

static void put_names(const char *(*name)(int))
{
    for (int i = 0; name(i); ++i)
        printf("%s%s", i ? " " : "", name(i));
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---------------------------------------------------------------- bash */

/* What the words of a command may be, as shell code that fills `words` or completes files. */
static void bash_words(const clv_command *c)
{
    if (starts(c->words, "MODEL"))
        printf("        words=\"$examples\" files=yaml ;;\n");
    else if (starts(c->words, "RUN.cleave"))
        printf("        files=cleave ;;\n");
    else if (starts(c->words, "ROBOT"))
        printf("        files='@(urdf|xml|sdf)' ;;\n");
    else if (starts(c->words, "reduce"))
        printf("        words=reduce files=yaml ;;\n");
    else if (starts(c->words, "NAME"))
        printf("        words=$(printf 'example=%%s ' $examples) ;;\n");
    else if (strchr(c->words, '|')) {
        printf("        words=\"");
        for (const char *p = c->words; *p; ++p)
            putchar(*p == '|' ? ' ' : *p);
        printf("\" ;;\n");
    } else
        printf("        words= ;;\n");
}

static void bash_options(const clv_command *c)
{
    printf("        options=\"");
    for (const clv_option *o = c->options; o->name; ++o)
        printf("--%s ", o->name);
    printf("--help\"\n");
}

static void print_bash(void)
{
    printf("# SPDX-License-Identifier: Apache-2.0\n"
           "# Completion of cleave for bash; written by `cleave completion bash`.\n"
           "_cleave()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= words= files=\n"
           "    local commands=\"");
    for (int i = 0; clv_command_at(i); ++i)
        printf("%s ", clv_command_at(i)->name);
    printf("help\"\n    local examples=\"");
    put_names(clv_example_name);
    printf("\"\n    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    case $previous in\n"
           "    --formulation)\n        COMPREPLY=($(compgen -W \"");
    put_names(clv_formulation_name);
    printf("\" -- \"$current\")); return ;;\n    --integrator)\n        COMPREPLY=($(compgen -W \"");
    put_names(clv_integrator_name);
    printf("\" -- \"$current\")); return ;;\n    --out)\n        COMPREPLY=($(compgen -f -- \"$current\")); return "
           ";;\n    esac\n"
           "    case ${COMP_WORDS[1]} in\n    help)\n        words=$commands ;;\n");
    for (int i = 0; clv_command_at(i); ++i) {
        printf("    %s)\n", clv_command_at(i)->name);
        bash_options(clv_command_at(i));
        bash_words(clv_command_at(i));
    }
    printf(
        "    esac\n"
        "    case $current in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
        "    *)\n"
        "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "        if [ -n \"$files\" ]; then\n"
        "            COMPREPLY+=($(compgen -f -X \"!*.$files\" -- \"$current\") $(compgen -d -S / -- \"$current\"))\n"
        "        fi ;;\n"
        "    esac\n"
        "}\n"
        "complete -F _cleave cleave\n");
}

/* ---------------------------------------------------------------- zsh */

/* Text inside a description in single quotes. */
static void zsh_text(const char *text)
{
    for (; *text; ++text)
        if (*text == '\'')
            printf("'\\''");
        else if (strchr(":[]\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void zsh_option(const clv_option *o)
{
    char line[CLV_OPTION_LINE];
    printf("            '--%s[", o->name);
    zsh_text(clv_option_text(o, line));
    printf("]");
    if (o->kind != CLV_OPTION_FLAG) {
        printf(":%s:", o->value);
        if (o->kind == CLV_OPTION_FORMULATION)
            printf("("), put_names(clv_formulation_name), printf(")");
        else if (o->kind == CLV_OPTION_INTEGRATOR)
            printf("("), put_names(clv_integrator_name), printf(")");
        else if (o->kind == CLV_OPTION_THREADS)
            printf("(auto)");
        else if (strcmp(o->name, "out") == 0)
            printf("_files");
    }
    printf("' \\\n");
}

static void zsh_words(const clv_command *c)
{
    if (starts(c->words, "MODEL"))
        printf("            '*:model:_cleave_model'");
    else if (starts(c->words, "ROBOT"))
        printf("            '*:robot:_files -g \"*.(urdf|xml|sdf|yaml)\"'");
    else if (starts(c->words, "RUN.cleave"))
        printf("            '*:run file:_files -g \"*.cleave\"'");
    else if (starts(c->words, "reduce"))
        printf("            '1:word:(reduce)' '*:file:_files'");
    else if (starts(c->words, "NAME"))
        printf("            '*:name: '");
    else if (strchr(c->words, '|')) {
        printf("            '*:word:(");
        for (const char *p = c->words; *p; ++p)
            putchar(*p == '|' ? ' ' : *p);
        printf(")'");
    } else
        printf("            '*: : '");
    printf(" ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef cleave\n"
           "# SPDX-License-Identifier: Apache-2.0\n"
           "# Completion of cleave for zsh; written by `cleave completion zsh`.\n"
           "_cleave_model() {\n    _alternative 'examples:example:(");
    put_names(clv_example_name);
    printf(")' 'files:model file:_files -g \"*.yaml\"'\n}\n\n"
           "_cleave() {\n    local -a commands\n    commands=(\n");
    for (int i = 0; clv_command_at(i); ++i) {
        printf("        '%s:", clv_command_at(i)->name);
        zsh_text(clv_command_at(i)->text);
        printf("'\n");
    }
    printf("        'help:describe one command'\n    )\n"
           "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=${words[2]}\n    shift words\n    (( CURRENT-- ))\n"
           "    case $command in\n    help)\n        _describe command commands ;;\n");
    for (int i = 0; clv_command_at(i); ++i) {
        printf("    %s)\n        _arguments \\\n", clv_command_at(i)->name);
        for (const clv_option *o = clv_command_at(i)->options; o->name; ++o)
            zsh_option(o);
        printf("            '--help[this text]' \\\n");
        zsh_words(clv_command_at(i));
    }
    printf("    esac\n}\n\n_cleave \"$@\"\n");
}

static const char *shell_name(int i)
{
    static const char *const name[] = {"bash", "zsh", NULL};
    return name[i];
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char none;
    const clv_exit code = clv_command_read(self, &none, &words, 1, 1, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (strcmp(words.word[0], "bash") == 0)
        print_bash();
    else if (strcmp(words.word[0], "zsh") == 0)
        print_zsh();
    else {
        const char *near = clv_word_nearest(words.word[0], shell_name);
        return clv_tell("completion", false, CLV_EXIT_USAGE, "there is no completion for '%s'%s%s%s; known: bash, zsh",
                        words.word[0], near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return code;
}

const clv_command clv_command_completion = {
    "completion",
    "bash|zsh",
    "print a script for completion in your shell",
    "  source <(cleave completion bash)                    this shell, now\n"
    "  cleave completion zsh > ~/.zfunc/_cleave            a folder of $fpath\n"
    "\n"
    "`cmake --install` puts both scripts into the folders that the shells search.",
    options,
    command,
};
