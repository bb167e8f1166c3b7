/* SPDX-License-Identifier: Apache-2.0
 * Pictures by librsvg and cairo; see picture.h.  Their functions are declared here after their reference manuals
 * (librsvg 2.52, cairo 1.14), so that neither is needed to build. */
#include "cli/picture.h"
#include <dlfcn.h>
#include <string.h>

typedef struct rsvg_rectangle {
    double x, y, width, height;
} rsvg_rectangle;

typedef int (*write_function)(void *closure, const unsigned char *data, unsigned length); /* 0: written */
enum { ARGB32 = 0, WRITTEN = 0, NOT_WRITTEN = 11 };                                       /* of cairo */
#define SCALE_PNG 2.0
#define SCALE_PDF 0.75

/* name, result, arguments */
#define FUNCTIONS(F)                                                                                                   \
    F(rsvg, rsvg_handle_new_from_data, void *, (const unsigned char *, size_t, void **))                               \
    F(rsvg, rsvg_handle_get_intrinsic_size_in_pixels, int, (void *, double *, double *))                               \
    F(rsvg, rsvg_handle_render_document, int, (void *, void *, const rsvg_rectangle *, void **))                       \
    F(rsvg, g_object_unref, void, (void *))                                                                            \
    F(rsvg, g_error_free, void, (void *))                                                                              \
    F(cairo, cairo_image_surface_create, void *, (int, int, int))                                                      \
    F(cairo, cairo_pdf_surface_create_for_stream, void *, (write_function, void *, double, double))                    \
    F(cairo, cairo_surface_write_to_png_stream, int, (void *, write_function, void *))                                 \
    F(cairo, cairo_create, void *, (void *))                                                                           \
    F(cairo, cairo_status, int, (void *))                                                                              \
    F(cairo, cairo_destroy, void, (void *))                                                                            \
    F(cairo, cairo_surface_finish, void, (void *))                                                                     \
    F(cairo, cairo_surface_status, int, (void *))                                                                      \
    F(cairo, cairo_surface_destroy, void, (void *))

typedef struct painter {
#define MEMBER(library, name, result, arguments) result(*name) arguments; /* NOLINT(bugprone-macro-parentheses) */
    FUNCTIONS(MEMBER)
#undef MEMBER
} painter;

/* Address of a function into *to, a pointer to functions; false: it is not there. */
static bool find(void *library, const char *name, void *to)
{
    void *at = library ? dlsym(library, name) : NULL;
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool open_painter(painter *p)
{
    void *rsvg = dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL),
         *cairo = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    bool all = true;
#define FIND(library, name, result, arguments) all = find(library, #name, &p->name) && all;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

clv_picture_kind clv_picture_of(const char *path)
{
    static const char *const end[] = {".svg", ".png", ".pdf"};
    const size_t n = strlen(path);
    for (int k = 0; k < CLV_PICTURE_UNKNOWN; ++k)
        if (n > 4 && strcmp(path + n - 4, end[k]) == 0)
            return (clv_picture_kind)k;
    return CLV_PICTURE_UNKNOWN;
}

clv_status clv_picture_check(clv_picture_kind kind, clv_error *e)
{
    painter p;
    if (kind == CLV_PICTURE_SVG || open_painter(&p))
        return CLV_OK;
    *e = (clv_error){.code = CLV_ERR_UNSUPPORTED};
    snprintf(e->message, sizeof e->message, "PNG and PDF need librsvg 2.52 or newer, which is not installed");
    snprintf(e->hint, sizeof e->hint, "Debian, Ubuntu: apt install librsvg2-2; SVG needs no library: --out FILE.svg");
    return e->code;
}

static int write_part(void *out, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, out) == length ? WRITTEN : NOT_WRITTEN;
}

static clv_status fail(clv_error *e, clv_status status, const char *what)
{
    *e = (clv_error){.code = status};
    snprintf(e->message, sizeof e->message, "%s", what);
    return status;
}

/* the picture on a surface; its own size times `scale` */
static bool paint(const painter *p, void *handle, void *surface, double width, double height)
{
    const rsvg_rectangle all = {0, 0, width, height};
    void *error = NULL, *cr = p->cairo_create(surface);
    const bool done = p->rsvg_handle_render_document(handle, cr, &all, &error) && p->cairo_status(cr) == WRITTEN;
    if (error)
        p->g_error_free(error);
    p->cairo_destroy(cr);
    return done;
}

static clv_status write_handle(const painter *p, void *handle, clv_picture_kind kind, FILE *out, clv_error *e)
{
    double width, height;
    if (!p->rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height))
        return fail(e, CLV_ERR_UNSUPPORTED, "librsvg finds no size of the picture");
    const double scale = kind == CLV_PICTURE_PNG ? SCALE_PNG : SCALE_PDF;
    width *= scale, height *= scale;
    void *surface = kind == CLV_PICTURE_PNG
                        ? p->cairo_image_surface_create(ARGB32, (int)(width + 0.5), (int)(height + 0.5))
                        : p->cairo_pdf_surface_create_for_stream(write_part, out, width, height);
    bool done = paint(p, handle, surface, width, height);
    if (done && kind == CLV_PICTURE_PNG)
        done = p->cairo_surface_write_to_png_stream(surface, write_part, out) == WRITTEN;
    p->cairo_surface_finish(surface); /* the PDF is written here at the latest */
    done = done && p->cairo_surface_status(surface) == WRITTEN;
    p->cairo_surface_destroy(surface);
    return done ? CLV_OK : fail(e, ferror(out) ? CLV_ERR_IO : CLV_ERR_MEMORY, "the picture cannot be written");
}

clv_status clv_picture_write(clv_picture_kind kind, const char *svg, size_t length, FILE *out, clv_error *e)
{
    painter p;
    void *error = NULL;
    if (kind == CLV_PICTURE_SVG)
        return fwrite(svg, 1, length, out) == length ? CLV_OK : fail(e, CLV_ERR_IO, "the picture cannot be written");
    if (!open_painter(&p))
        return clv_picture_check(kind, e);
    void *handle = p.rsvg_handle_new_from_data((const unsigned char *)svg, length, &error);
    if (!handle) {
        p.g_error_free(error);
        return fail(e, CLV_ERR_UNSUPPORTED, "librsvg does not read the picture");
    }
    const clv_status status = write_handle(&p, handle, kind, out, e);
    p.g_object_unref(handle);
    return status;
}
