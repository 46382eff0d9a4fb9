/* What the portal says of the libraries: reference.json for each language (describe.h), and the newest
 * package of it as it was staged. */
#include "site/clients/describe.h"
#include "base/json_load.h"

enum { INDEX_MAX = 64 << 20 };

/* packages/index.json as it is staged; *OUT NULL where there is none. */
static enum odp_status read_index(const struct odp_client_job *job, json_t **out)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    enum odp_status status =
        odp_stage_read(job->stage, "packages/index.json", INDEX_MAX, job->previous, &text, job->diags);
    if (status == ODP_OK && (*out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_failure_set("read JSON", "packages/index.json", 0);
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

/* The newest package of LANGUAGE under its name of today (the index has the newest first); NULL: there is
 * none. */
static const json_t *newest(const json_t *index, const char *language, const char *name)
{
    const json_t *packages = json_object_get(index, "packages"), *p;
    size_t i;
    json_array_foreach(packages, i, p)
    {
        const char *of = json_string_value(json_object_get(p, "language")),
                   *called = json_string_value(json_object_get(p, "name"));
        if (of != NULL && called != NULL && strcmp(of, language) == 0 && strcmp(called, name) == 0)
            return p;
    }
    return NULL;
}

static enum odp_status describe_all(json_t *list, const struct client_model *m, const json_t *index)
{
    static const char *const members[] = {"file", "version", "bytes", "sha256"};
    struct odp_doc d = {0};
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        json_t *o = NULL;
        const json_t *package = newest(index, client_languages[l].name, m->names.package[l]);
        if (package == NULL)
            continue;
        enum odp_status status = client_describe(&o, m, (enum odp_client_language)l);
        if (status != ODP_OK)
            return status;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            odp_doc_copy(&d, o, package, members[i]);
        odp_doc_add(&d, list, o);
    }
    return d.failed ? odp_failure_set("make", "packages", 0) : ODP_OK;
}

enum odp_status odp_client_description(const struct odp_client_job *job, json_t **out)
{
    struct odp_arena arena;
    struct client_model m = {.json = NULL};
    json_t *index = NULL, *list = json_array();
    *out = NULL;
    odp_arena_init(&arena);
    enum odp_status status = read_index(job, &index);
    if (status == ODP_OK && index == NULL)
        status = ODP_DONE;
    if (status == ODP_OK)
        status = client_model_make(&m, job, &arena);
    if (status == ODP_OK)
        status = describe_all(list, &m, index);
    if (status == ODP_OK && json_array_size(list) > 0) {
        *out = json_pack("{s:s, s:O}", "release", m.release, "languages", list);
        status = *out != NULL ? ODP_OK : odp_failure_set("make", "packages", 0);
    }
    json_decref(list);
    json_decref(index);
    client_model_release(&m);
    odp_arena_release(&arena);
    return status == ODP_DONE ? ODP_OK : status;
}
