/* Filters compiled against published versions. */
#include "service/webhooks/events/match_internal.h"

#include "base/json_load.h"
#include "base/utf8.h"
#include "published/schema_change.h"

/* ---- versions ---- */

/* The geometry's member, as tools/odp-build/write names it: "geometry", with "geometry_" before it as often as it takes not to be a
 * field's. */
static const char *geometry_name(const struct odp_layout *l, struct odp_arena *a)
{
    const char *name = "geometry";
    while (name != NULL && odp_layout_find(l, name) >= 0)
        name = odp_arena_printf(a, "geometry_%s", name);
    return name;
}

static int find_name(const struct odp_schema *s, const char *name)
{
    for (uint32_t k = 0; name != NULL && k < s->n; k++)
        if (strcmp(s->fields[k].name, name) == 0)
            return (int)k;
    return -1;
}

/* Queryables that can be made of published records. A prefix of a prefix is the shorter one. */
static void add_queryables(struct match_view *v, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        json_int_t prefix = json_integer_value(json_object_get(one, "prefix"));
        int base = find_name(&v->schema, json_string_value(json_object_get(one, "field")));
        if (name == NULL || prefix <= 0 || base < 0 || find_name(&v->schema, name) >= 0)
            continue;
        uint32_t at = v->schema.n++;
        v->schema.fields[at] = (struct odp_field){.name = name, .source_name = name, .type = v->schema.fields[base].type};
        v->field[at] = v->field[base];
        v->prefix[at] = v->prefix[base] > 0 && v->prefix[base] < prefix ? v->prefix[base] : prefix;
    }
}

enum odp_status match_view_make(struct match_view *v, const struct odp_layout *layout, const struct odp_layout *newest,
                                struct odp_arena *a)
{
    struct odp_schema_changes changes;
    const json_t *queryables = json_object_get(newest->json, "odp:queryables");
    size_t most = newest->n + json_array_size(queryables) + 1;
    enum odp_status status = odp_schema_compare(&changes, layout, newest, a);
    *v = (struct match_view){.layout = layout, .same = true};
    v->field = odp_arena_array(a, most, sizeof *v->field);
    v->prefix = odp_arena_zero(a, most, sizeof *v->prefix);
    v->schema.fields = odp_arena_zero(a, most, sizeof *v->schema.fields);
    v->geometry = newest->has_geometry ? geometry_name(newest, a) : NULL;
    if (status != ODP_OK || v->field == NULL || v->prefix == NULL || v->schema.fields == NULL ||
        (newest->has_geometry && v->geometry == NULL))
        return ODP_FAIL;
    v->schema.n = newest->n;
    for (uint32_t k = 0; k < newest->n; k++) {
        int was = changes.old_of[k];
        struct odp_field *f = &v->schema.fields[k];
        v->field[k] = was;
        f->name = f->source_name = newest->fields[k].name;
        f->type = was >= 0 ? layout->fields[was].type : newest->fields[k].type;
        v->same = v->same && f->type == newest->fields[k].type;
    }
    add_queryables(v, queryables);
    return ODP_OK;
}

/* ---- filters ---- */

/* Characters in the first LEN bytes. */
static size_t characters(struct odp_slice text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len && i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

/* NULL in both languages: no memory. */
static struct odp_text same_words(struct odp_arena *a, const char *id, const char *en, int line, int column)
{
    struct odp_text t = {{odp_arena_printf(a, "%s (baris %d, kolom %d)", id, line, column),
                          odp_arena_printf(a, "%s (line %d, column %d)", en, line, column)}};
    return t.in[ODP_LANG_ID] != NULL && t.in[ODP_LANG_EN] != NULL ? t : (struct odp_text){{NULL, NULL}};
}

static enum odp_status parse_json(struct match_filter *f, struct odp_arena *a)
{
    json_error_t error = {0};
    f->json = odp_json_load(f->text.ptr, f->text.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (f->json != NULL)
        return ODP_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        return odp_failure_set("read JSON", "filter", 0);
    size_t at = error.position > 0 ? characters(f->text, (size_t)error.position) : 0;
    f->fault.at = at > 0 ? at : 1;
    f->fault.message = same_words(a, "penyaring bukan JSON yang sah", "the filter is not valid JSON", error.line, error.column);
    return f->fault.message.in[ODP_LANG_ID] != NULL ? ODP_BAD : ODP_FAIL;
}

enum odp_status match_filter_init(struct match_filter *f, const struct odp_event_filter *from, struct odp_arena *a)
{
    *f = (struct match_filter){.text = odp_slice_of(from->text), .is_json = from->json};
    return from->json ? parse_json(f, a) : ODP_OK;
}

void match_filter_release(struct match_filter *f)
{
    json_decref(f->json);
    f->json = NULL;
}

static enum odp_status compile_in(const struct match_filter *f, const struct odp_expr_scope *scope, struct odp_arena *a,
                                  const struct odp_expr **out, struct odp_event_filter_fault *fault)
{
    struct odp_expr_fault text = {0};
    struct odp_expr_json_fault json = {0};
    enum odp_status status;
    *fault = (struct odp_event_filter_fault){0};
    if (f->is_json) {
        status = odp_expr_compile_json(a, f->json, scope, out, &json);
        fault->pointer = json.pointer;
        fault->message = json.message;
    } else {
        status = odp_expr_compile_in(a, f->text, scope, out, &text);
        fault->at = characters(f->text, text.at) + 1;
        fault->len = characters(f->text, text.at + text.len) + 1 - fault->at;
        fault->message = text.message;
    }
    if (status != ODP_OK)
        *out = NULL;
    return status;
}

/* Whether a geometry is asked for is what the compiler says without one: names may stand in escapes. */
enum odp_status match_compile(const struct match_filter *f, const struct match_view *v, struct odp_arena *a,
                              const struct odp_expr **out, bool *geometry, struct odp_event_filter_fault *fault)
{
    struct odp_expr_scope scope = {.schema = &v->schema};
    *geometry = false;
    *out = NULL;
    if (f->is_json && f->json == NULL) {
        *fault = f->fault;
        return ODP_BAD;
    }
    enum odp_status status = compile_in(f, &scope, a, out, fault);
    if (status != ODP_BAD || v->geometry == NULL)
        return status;
    scope.geometry = v->geometry;
    *geometry = true;
    return compile_in(f, &scope, a, out, fault);
}
