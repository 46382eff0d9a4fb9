/* Members of documents, values as people read them, and staged files. */
#include "site/model/model_internal.h"

#include <stdlib.h>

#include "base/datetime.h"

const char *odp_model_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const json_t *text = json_object_get(o, key);
    if (!json_is_object(text))
        return odp_text_of(o, key);
    const char *mine = odp_text_of(text, odp_lang_code(lang));
    return *mine != '\0' ? mine : odp_text_of(text, odp_lang_code(1 - lang));
}

json_int_t odp_model_number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

bool odp_model_has(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i,
                       one) if (json_is_string(one) && strcmp(json_string_value(one), text) == 0) return true;
    return false;
}

const json_t *odp_model_find(const json_t *list, const char *key, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) if (strcmp(odp_text_of(one, key), text) == 0) return one;
    return NULL;
}

const char *odp_model_path(const char *url)
{
    while (strncmp(url, "../", 3) == 0)
        url += 3;
    return url;
}

json_t *odp_model_both(const json_t *o, const char *key)
{
    return json_pack("{s:s, s:s}", "id", odp_model_in(o, key, ODP_LANG_ID), "en",
                     odp_model_in(o, key, ODP_LANG_EN));
}

json_t *odp_model_both_or(const json_t *o, const char *key, const char *otherwise)
{
    return *odp_model_in(o, key, ODP_LANG_ID) != '\0' ? odp_model_both(o, key) : json_string(otherwise);
}

json_t *odp_model_beside(const json_t *of)
{
    const json_t *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(of, "resources"), i, r) if (i > 0)
        odp_add(list, json_pack("{s:s, s:O?, s:I}", "name", odp_text_of(r, "name"), "title",
                                json_object_get(r, "title"), "rows", odp_model_number(r, "rows")));
    return list;
}

json_t *odp_model_table(const json_t *entry, const char *name)
{
    return odp_model_both_or(odp_model_find(json_object_get(entry, "resources"), "name", name), "title",
                             name);
}

json_t *odp_model_changes(const json_t *version, const json_t *entry)
{
    const json_t *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(version, "resources"), i, r)
    {
        const json_t *c = json_object_get(r, "changes");
        if (json_is_object(c))
            odp_add(list,
                    json_pack("{s:s, s:o, s:s, s:I, s:I, s:I}", "further",
                              i > 0 ? odp_text_of(r, "name") : "", "table",
                              odp_model_table(entry, odp_text_of(r, "name")), "from", odp_text_of(c, "from"),
                              "added", odp_model_number(c, "added"), "removed",
                              odp_model_number(c, "removed"), "changed", odp_model_number(c, "changed")));
    }
    return list;
}

const char *odp_model_day(const char *date, char out[11])
{
    struct odp_datetime d;
    (void)snprintf(out, 11, "%.10s", date);
    if (odp_date_parse(odp_slice_of(out), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        *out = '\0';
    return out;
}

/* ---- what is staged ---- */

bool odp_model_is_staged(const struct odp_site_job *job, const char *path)
{
    return path != NULL && odp_stage_has(job->stage, path);
}

const char *odp_model_staged(const struct odp_site_job *job, const char *path)
{
    return odp_model_is_staged(job, path) ? path : "";
}

json_t *model_read(struct model *m, const char *path)
{
    json_t *document = NULL;
    if (m->status == ODP_OK)
        m->status = odp_job_read(m->job, path, &document);
    return document;
}

const struct odp_site_file *model_twin(struct model *m, const char *path)
{
    const struct odp_site_file *f = odp_stage_find(m->job->stage, model_printf(m, "%s.br", path));
    return f != NULL ? f : odp_stage_find(m->job->stage, model_printf(m, "%s.gz", path));
}

bool odp_model_is_list(const json_t *entry)
{
    return strcmp(odp_text_of(entry, "kind"), "code-list") == 0;
}

const char *odp_model_newest(const struct odp_site_job *job)
{
    const char *newest = job->catalog->nreleases > 0 ? job->catalog->releases[0].date : "";
    const json_t *entry;
    size_t i;
    json_array_foreach(job->entries, i, entry) if (strcmp(odp_text_of(entry, "last_update"), newest) > 0)
        newest = odp_text_of(entry, "last_update");
    return newest;
}

struct dated {
    const json_t *entry;
    struct odp_datetime at;
    size_t order;
};

/* A date counts as 00:00 UTC: the order need not be finer. */
static void read_date(const json_t *entry, struct odp_datetime *at)
{
    struct odp_slice text = odp_slice_of(odp_text_of(entry, "last_update"));
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

/* ---- values ---- */

const char *model_scalar(struct model *m, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return model_printf(m, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return model_printf(m, "%.15g", json_real_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    return "";
}

bool model_is_number(const json_t *field)
{
    const char *type = odp_text_of(field, "type");
    return strcmp(type, "number") == 0 || strcmp(type, "integer") == 0;
}

json_t *model_decimal(const char *text)
{
    json_t *both = json_object();
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer in = {0};
        odp_text_decimal(&in, odp_slice_of(text), (enum odp_lang)lang);
        odp_set_str(both, odp_lang_code((enum odp_lang)lang), odp_buffer_cstr(&in));
        odp_buffer_release(&in);
    }
    return both;
}

json_t *model_shown(struct model *m, const json_t *field, const char *text)
{
    static const struct odp_text yes = {{"ya", "yes"}}, no = {{"tidak", "no"}};
    const json_t *category;
    size_t i;
    json_array_foreach(json_object_get(field, "categories"), i,
                       category) if (json_object_get(category, "odp:label") != NULL &&
                                     strcmp(model_scalar(m, json_object_get(category, "value")), text) ==
                                         0) return odp_model_both(category, "odp:label");
    if (model_is_number(field))
        return model_decimal(text);
    if (strcmp(odp_text_of(field, "type"), "boolean") == 0)
        return odp_doc_text(strcmp(text, "true") == 0 ? &yes : &no);
    return json_string(text);
}

const json_t *model_field(const json_t *schema, const char *name)
{
    return odp_model_find(json_object_get(schema, "fields"), "name", name);
}

json_t *model_heading(const json_t *field, const char *name)
{
    return odp_model_both_or(field, "odp:title", name);
}

json_t *model_other(struct model *m, const char *slug)
{
    const json_t *entry = odp_job_entry(m->job, slug);
    return json_pack("{s:o, s:s}", "title",
                     entry != NULL ? odp_model_both(entry, "title") : json_string(slug), "slug",
                     entry != NULL ? slug : "");
}

json_t *model_box(const json_t *bbox, bool rounded)
{
    static const char *const sides[] = {"west", "south", "east", "north"};
    json_t *box = json_object();
    if (json_array_size(bbox) != 4) {
        json_decref(box);
        return NULL;
    }
    for (size_t i = 0; i < 4; i++)
        odp_set(box, sides[i],
                json_sprintf(rounded ? "%.4f" : "%.10g", json_number_value(json_array_get(bbox, i))));
    return box;
}
