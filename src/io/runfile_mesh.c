/* SPDX-License-Identifier: Apache-2.0
 * Meshes in a run file; see runfile.h.  Each file is kept once, whole, under the number of the first visual that shows
 * it: so a page of the run shows the bodies without the files.  What cannot be read as a mesh is refused before the
 * run. */
#include "base/error.h"
#include "base/memory.h"
#include "io/mesh_file.h"
#include "io/runfile_handle.h"
#include "io/yaml_read.h"
#include "model/model.h"
#include <string.h>

/* The first visual with the mesh of this one. */
static int first_with(const clv_model *m, int visual)
{
    const char *mesh = m->visual[visual].mesh;
    for (int i = 0; i < visual; i++)
        if (m->visual[i].mesh && strcmp(m->visual[i].mesh, mesh) == 0)
            return i;
    return visual;
}

static clv_status check_mesh(clv_runfile *f, const clv_visual *v, const char *data, size_t size)
{
    clv_mesh mesh = {0};
    clv_status status = CLV_OK;
    if (!clv_mesh_read(&mesh, v->mesh, data, size))
        status = mesh.memory ? clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory")
                             : clv_fail(&f->error, CLV_ERR_MODEL, "visual '%.100s': mesh %.200s: %s", v->name, v->mesh,
                                        mesh.problem);
    clv_mesh_free(&mesh);
    return status;
}

static clv_status put_mesh(clv_runfile *f, const clv_model *m, int visual)
{
    const clv_visual *v = &m->visual[visual];
    clv_error e;
    size_t size = 0;
    clv_error_clear(&e);
    char *data = clv_model_load(&e, v->path, &size);
    if (!data) {
        clv_fail(&f->error, e.code == CLV_ERR_MEMORY ? CLV_ERR_MEMORY : CLV_ERR_MODEL, "visual '%.100s': %.300s",
                 v->name, e.message);
        return f->error.code;
    }
    clv_status status = check_mesh(f, v, data, size);
    sqlite3_stmt *s = status == CLV_OK ? clv_runfile_prepare(f, "INSERT INTO meshes VALUES (?, ?, ?)") : NULL;
    if (s) {
        sqlite3_bind_int(s, 1, visual);
        sqlite3_bind_text(s, 2, v->mesh, -1, SQLITE_STATIC);
        sqlite3_bind_blob64(s, 3, data, size, SQLITE_STATIC);
        status = clv_runfile_run(f, s);
    } else if (status == CLV_OK)
        status = f->error.code;
    clv_free(data);
    return status;
}

clv_status clv_runfile_put_meshes(clv_runfile *f, const clv_model *m)
{
    clv_status status = CLV_OK;
    for (int i = 0; i < m->nvisual && status == CLV_OK; i++) {
        if (!m->visual[i].mesh || first_with(m, i) != i)
            continue;
        for (const clv_runfile_table *t = clv_runfile_tables; t->name && !f->meshes && status == CLV_OK; t++)
            if (strcmp(t->name, CLV_RUNFILE_MESHES) == 0)
                status = clv_runfile_sql(f, t->sql);
        f->meshes = true;
        if (status == CLV_OK)
            status = put_mesh(f, m, i);
    }
    return f->meshes && status == CLV_OK ? clv_runfile_put_sum(f, "meshes") : status;
}

clv_status clv_runfile_mesh(clv_runfile *f, const clv_model *m, int visual, char **data, size_t *size)
{
    *data = NULL, *size = 0;
    if (!f->meshes || visual < 0 || visual >= m->nvisual || !m->visual[visual].mesh)
        return CLV_OK;
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT data FROM meshes WHERE visual = ?");
    if (!s)
        return f->error.code;
    sqlite3_bind_int(s, 1, first_with(m, visual));
    const int result = sqlite3_step(s);
    clv_status status = result == SQLITE_ROW || result == SQLITE_DONE ? CLV_OK : clv_runfile_fail(f, result, "reading");
    const void *bytes = result == SQLITE_ROW ? sqlite3_column_blob(s, 0) : NULL;
    const size_t n = bytes ? (size_t)sqlite3_column_bytes(s, 0) : 0;
    if (bytes && !(*data = clv_alloc(n + 1, 1)))
        status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    else if (bytes)
        memcpy(*data, bytes, n), *size = n;
    sqlite3_finalize(s);
    return status;
}
