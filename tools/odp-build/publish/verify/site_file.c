/* A file of the site that is being proved: by its path, where it lies, its bytes, its JSON; and what is
 * reported of it. */
#include "publish/verify/verify_internal.h"

#include <stdlib.h>

#include "base/json_load.h"

enum odp_status verify_fault(struct verify *v, enum odp_code code, const char *path, const char *detail,
                             const char *expected, const char *found)
{
    struct odp_diag d = {
        .code = code, .file = v->shown, .args = {odp_slice_of(path)}, .value = odp_slice_of(found)};
    size_t n = 1;
    if (detail != NULL)
        d.args[n++] = odp_slice_of(detail);
    d.args[n] = odp_slice_of(expected);
    return odp_diags_add(v->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct verify_file *)a)->f.path, ((const struct verify_file *)b)->f.path);
}

struct verify_file *verify_find(const struct verify *v, const char *path)
{
    const struct verify_file key = {.f = {.path = path}};
    return v->n > 0 ? bsearch(&key, v->files, v->n, sizeof key, by_path) : NULL;
}

struct verify_file *verify_good(const struct verify *v, const char *path)
{
    struct verify_file *f = verify_find(v, path);
    return f != NULL && f->state == VERIFY_GOOD ? f : NULL;
}

char *verify_place(const struct verify *v, const char *path, struct odp_arena *a)
{
    return odp_path_join(a, v->dir, path);
}

enum odp_status verify_read(struct verify *v, const struct verify_file *f, struct odp_buffer *out)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    const char *path = verify_place(v, f->f.path, &arena);
    enum odp_status status = odp_file_read(path, (size_t)f->f.size, out, NULL);
    if (status == ODP_BAD) /* it was there a moment ago, with the right bytes */
        status = odp_failure_set("read", path, 0);
    odp_arena_release(&arena);
    return status;
}

enum odp_status verify_parse(struct odp_slice text, json_t **out, char why[JSON_ERROR_TEXT_LENGTH])
{
    json_error_t error = {0};
    *out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    memcpy(why, error.text, JSON_ERROR_TEXT_LENGTH);
    return *out != NULL ? ODP_OK : ODP_BAD;
}

enum odp_status verify_json(struct verify *v, const struct verify_file *f, json_t **out)
{
    struct odp_buffer text;
    char why[JSON_ERROR_TEXT_LENGTH];
    *out = NULL;
    odp_buffer_init(&text);
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = verify_parse(odp_buffer_slice(&text), out, why);
    odp_buffer_release(&text);
    return status == ODP_BAD ? verify_fault(v, ODP_V69, f->f.path, NULL, NULL, why) : status;
}
