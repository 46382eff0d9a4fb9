/* What is staged already, as JSON. */
#include "site/model/model_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/json_load.h"

enum { DOCUMENT_MAX = 1 << 30 };

enum odp_status odp_model_read(const struct odp_site_job *job, const char *path, json_t **out)
{
    struct odp_buffer text;
    json_error_t error;
    *out = NULL;
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(job->stage, path, DOCUMENT_MAX, job->previous, &text, job->diags);
    if (status == ODP_OK &&
        (*out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error)) == NULL)
        status = odp_failure_set("read JSON", path,
                                 json_error_code(&error) == json_error_out_of_memory ? ENOMEM : 0);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

bool odp_model_is_staged(const struct odp_site_job *job, const char *path)
{
    return path != NULL && odp_stage_find(job->stage, path) != NULL;
}

const char *odp_model_newest(const struct odp_site_job *job)
{
    const char *newest = job->catalog->nreleases > 0 ? job->catalog->releases[0].date : "";
    const json_t *entry;
    size_t i;
    json_array_foreach(job->entries, i, entry)
        if (strcmp(odp_model_text(entry, "last_update"), newest) > 0)
            newest = odp_model_text(entry, "last_update");
    return newest;
}

json_t *model_read(struct model *m, const char *path)
{
    json_t *document = NULL;
    if (m->status == ODP_OK)
        m->status = odp_model_read(m->job, path, &document);
    return document;
}

/* ---- the order of entries ---- */

struct dated {
    const json_t *entry;
    struct odp_datetime at;
    size_t order;
};

/* A date is its 00:00 UTC here: the order need not be finer. */
static void read_date(const json_t *entry, struct odp_datetime *at)
{
    struct odp_slice text = odp_slice_of(odp_model_text(entry, "last_update"));
    if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return;
    if (odp_date_parse(text, ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        *at = (struct odp_datetime){.year = 1, .month = 1, .day = 1};
    at->has_date = at->has_time = at->has_offset = true;
}

static int newest_first(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

const json_t **odp_model_by_date(const json_t *entries, size_t *n, struct odp_arena *a)
{
    *n = json_array_size(entries);
    struct dated *dated = odp_arena_zero(a, *n + 1, sizeof *dated);
    const json_t **out = odp_arena_array(a, *n + 1, sizeof *out);
    for (size_t i = 0; i < *n; i++) {
        dated[i].entry = json_array_get(entries, i);
        dated[i].order = i;
        read_date(dated[i].entry, &dated[i].at);
    }
    if (*n > 1)
        qsort(dated, *n, sizeof *dated, newest_first);
    for (size_t i = 0; i < *n; i++)
        out[i] = dated[i].entry;
    return out;
}
