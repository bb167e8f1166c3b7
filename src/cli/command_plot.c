/* SPDX-License-Identifier: Apache-2.0
 * cleave plot: curves of a run file or a CSV file, as a picture or in the terminal; or a drawing of a mechanism. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/picture.h"
#include "cli/plot.h"
#include "cli/running.h"
#include "io/error_print.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct plot_settings {
    const char *out, *x;
    bool force;
} plot_settings;

#define AT(field) offsetof(plot_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "FILE", "write a picture: .svg, .png or .pdf (default: plot in the terminal)",
     0, 0, false},
    {"x", CLV_OPTION_TEXT, AT(x), "NAME", "abscissa (default: time)", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {0},
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static clv_exit tell(const clv_error *e, clv_status status)
{
    clv_error_show("plot", e);
    return clv_recording_exit(status);
}

/* Characters of a line of the terminal; 80 where there is none. */
static int terminal_width(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Draws the chart or (NULL) the mechanism as SVG. */
static clv_status draw_svg(FILE *out, const clv_chart *chart, clv_sim *sim, clv_error *e)
{
    if (chart) {
        clv_chart_draw(chart, out);
        return CLV_OK;
    }
    const clv_status status = clv_model_draw(sim, out);
    if (status != CLV_OK)
        *e = *clv_sim_error(sim);
    return status;
}

/* The same as another kind of picture, by way of a temporary file. */
static clv_status draw_converted(clv_picture_kind kind, FILE *out, const clv_chart *chart, clv_sim *sim, clv_error *e)
{
    FILE *svg = tmpfile();
    if (!svg)
        return clv_fail(e, CLV_ERR_IO, "a temporary file cannot be made: %s", strerror(errno));
    clv_status status = draw_svg(svg, chart, sim, e);
    const long length = ftell(svg);
    char *text = status == CLV_OK && length > 0 ? clv_alloc((size_t)length, 1) : NULL;
    rewind(svg);
    if (status == CLV_OK && !text)
        status = clv_fail(e, CLV_ERR_MEMORY, "out of memory for the picture");
    else if (status == CLV_OK && fread(text, 1, (size_t)length, svg) != (size_t)length)
        status = clv_fail(e, CLV_ERR_IO, "a temporary file cannot be read");
    if (status == CLV_OK)
        status = clv_picture_write(kind, text, (size_t)length, out, e);
    clv_free(text);
    (void)fclose(svg);
    return status;
}

/* Opens the file, draws the chart or (NULL) the mechanism, closes it. */
static clv_exit write_picture(const plot_settings *set, const char *const *input, const clv_chart *chart, clv_sim *sim)
{
    const clv_output_rule rule = {.force = set->force, .input = input};
    const clv_picture_kind kind = clv_picture_of(set->out);
    clv_output out;
    clv_error error, closing;
    clv_status status = clv_picture_check(kind, &error);
    if (status != CLV_OK)
        return tell(&error, status);
    status = clv_output_open(&out, set->out, &rule, &error);
    if (status != CLV_OK)
        return clv_file_tell("plot", false, &error);
    status = kind == CLV_PICTURE_SVG ? draw_svg(out.stream, chart, sim, &error)
                                     : draw_converted(kind, out.stream, chart, sim, &error);
    const clv_status closed = clv_output_close(&out, status == CLV_OK, &closing);
    if (status != CLV_OK)
        return tell(&error, status);
    if (closed != CLV_OK)
        return clv_file_tell("plot", false, &closing);
    printf("%s is written\n", set->out);
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- curves */

/* The names, with commas; "" if there are none.  False: too long. */
static bool join_names(const clv_words *words, char *text, size_t size)
{
    size_t n = 0;
    for (int i = 1; i < words->n && n < size; ++i)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i > 1 ? "," : "", words->word[i]);
    return n < size;
}

static clv_exit plot_curves(const plot_settings *set, const clv_words *words)
{
    char names[4096] = "";
    clv_chart chart;
    clv_error error;
    if (!join_names(words, names, sizeof names))
        return clv_tell("plot", false, CLV_EXIT_USAGE, "the names are longer than %d characters", (int)sizeof names);
    clv_status status = clv_chart_read(&chart, words->word[0], names, set->x, &error);
    if (status == CLV_OK && set->out)
        status = clv_chart_check(&chart, &error);
    clv_exit code = status == CLV_OK ? CLV_EXIT_DONE : tell(&error, status);
    if (status == CLV_ERR_IO) /* the file is read, not written */
        code = CLV_EXIT_MODEL;
    if (status == CLV_OK && set->out)
        code = write_picture(set, (const char *const[]){words->word[0], NULL}, &chart, NULL);
    else if (status == CLV_OK)
        clv_chart_print(&chart, terminal_width());
    clv_chart_release(&chart);
    return code;
}

/* ---------------------------------------------------------------- a mechanism */

static clv_exit plot_model(const plot_settings *set, const clv_words *words)
{
    clv_subject s = {.command = "plot"};
    const clv_sim_options usual = clv_sim_options_default();
    for (int i = 1; i < words->n; ++i)
        if (!strchr(words->word[i], '=')) {
            clv_error e = {.code = CLV_ERR_USAGE};
            snprintf(e.message, sizeof e.message, "curves are plotted from a run file or a CSV file, not from a model");
            snprintf(e.hint, sizeof e.hint, "cleave run %.60s --out run.cleave; cleave plot run.cleave %.60s",
                     words->word[0], words->word[i]);
            return tell(&e, CLV_ERR_USAGE);
        }
    if (!set->out)
        return clv_tell("plot", false, CLV_EXIT_USAGE, "a drawing of a mechanism needs --out FILE: .svg, .png or .pdf");
    clv_exit code = clv_subject_open(&s, words, &usual);
    const char *const *input = code == CLV_EXIT_DONE ? clv_subject_inputs(&s) : NULL;
    if (code == CLV_EXIT_DONE && s.file && !input)
        code = clv_tell("plot", false, CLV_EXIT_RESOURCES, "out of memory");
    if (code == CLV_EXIT_DONE)
        code = write_picture(set, input, NULL, s.sim);
    clv_subject_close(&s);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    plot_settings set = {0};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.out && clv_picture_of(set.out) == CLV_PICTURE_UNKNOWN)
        return clv_tell("plot", false, CLV_EXIT_USAGE, "%s: the name of a picture must end in .svg, .png or .pdf",
                        set.out);
    const char *source = words.word[0];
    if (ends_with(source, ".npz"))
        return clv_tell("plot", false, CLV_EXIT_USAGE, "%s: NumPy archives are not read; plot the .cleave or .csv file",
                        source);
    return (ends_with(source, ".csv") || ends_with(source, ".cleave") ? plot_curves : plot_model)(&set, &words);
}

const clv_command clv_command_plot = {
    "plot", "MODEL, RUN.cleave or FILE.csv [NAME ...]", "draw curves of a run, or a mechanism",
    "  cleave plot lift.csv L.effort                       in the terminal\n"
    "  cleave plot lift.csv L.effort L.q --out lift.svg    a picture; two units: two scales\n"
    "  cleave plot mine.cleave tip.position.y --x tip.position.x --out path.pdf\n"
    "  cleave plot loader --out loader.svg                 the mechanism at its start, loop joints marked\n"
    "\n"
    "NAMEs are columns of the run file or CSV file, or patterns, as of `run --columns`; at most 8 curves.",
    options, command,
};
