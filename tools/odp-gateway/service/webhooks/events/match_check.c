/* Filters, CQL2 as text or as JSON: compiling them, and whether a dataset can be asked. */
#include "base/json_load.h"
#include "published/history.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

/* ---- compiling ---- */

/* Characters in the first LEN bytes. */
static size_t characters(struct odp_slice text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len && i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

static struct odp_text with_place(struct odp_arena *a, const char *id, const char *en,
                                  const json_error_t *error)
{
    return (struct odp_text){
        {odp_arena_printf(a, "%s (baris %d, kolom %d)", id, error->line, error->column),
         odp_arena_printf(a, "%s (line %d, column %d)", en, error->line, error->column)}};
}

enum odp_status match_filter_init(struct match_filter *f, const struct odp_event_filter *from,
                                  struct odp_arena *a)
{
    json_error_t error = {0};
    *f = (struct match_filter){.text = odp_slice_of(from->text), .is_json = from->json};
    if (!from->json)
        return ODP_OK;
    f->json = odp_json_load(f->text.ptr, f->text.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (f->json != NULL)
        return ODP_OK;
    size_t at = error.position > 0 ? characters(f->text, (size_t)error.position) : 0;
    f->fault.at = at > 0 ? at : 1;
    f->fault.message = with_place(a, W_webhooks_filter_not_valid_json, &error);
    return ODP_BAD;
}

void match_filter_release(struct match_filter *f)
{
    json_decref(f->json);
    f->json = NULL;
}

enum odp_status match_compile(const struct match_filter *f, const struct odp_schema *schema,
                              const char *geometry, struct odp_arena *a, const struct odp_expr **out,
                              struct odp_event_filter_fault *fault)
{
    const struct odp_expr_scope scope = {.schema = schema, .geometry = geometry};
    struct odp_expr_fault text = {0};
    struct odp_expr_json_fault json = {0};
    enum odp_status status;
    *out = NULL;
    *fault = f->fault;
    if (f->is_json && f->json == NULL)
        return ODP_BAD;
    if (f->is_json) {
        status = odp_expr_compile_json(a, f->json, &scope, out, &json);
        fault->pointer = json.pointer;
        fault->message = json.message;
    } else {
        status = odp_expr_compile_in(a, f->text, &scope, out, &text);
        fault->at = characters(f->text, text.at) + 1;
        fault->len = characters(f->text, text.at + text.len) + 1 - fault->at;
        fault->message = text.message;
    }
    if (status != ODP_OK)
        *out = NULL;
    return status;
}

/* ---- checking ---- */

/* Order of two JSON pointers in the document: numbers by value. */
static int pointer_order(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        size_t na = strcspn(a + 1, "/"), nb = strcspn(b + 1, "/");
        bool digits = strspn(a + 1, "0123456789") >= na && strspn(b + 1, "0123456789") >= nb;
        int order = digits && na != nb
                        ? (na > nb) - (na < nb)
                        : odp_slice_cmp((struct odp_slice){a + 1, na}, (struct odp_slice){b + 1, nb});
        if (order != 0)
            return order;
        a += 1 + na;
        b += 1 + nb;
    }
    return (*a != '\0') - (*b != '\0');
}

/* A is further on than B: more of the filter was understood. */
static bool is_closer(const struct odp_event_filter_fault *a, const struct odp_event_filter_fault *b)
{
    if (a->pointer != NULL && b->pointer != NULL)
        return pointer_order(a->pointer, b->pointer) > 0;
    return a->at > b->at;
}

static enum odp_status refuse(struct odp_event_filter_fault *fault, const char *id, const char *en)
{
    *fault = (struct odp_event_filter_fault){.message = {{id, en}}};
    return ODP_BAD;
}

static enum odp_status check_resource(const struct odp_site *site, const json_t *resource,
                                      const struct match_filter *f, struct odp_event_filter_fault *fault,
                                      struct odp_arena *a, struct odp_diags *diags)
{
    struct match_side side = {.resource = resource};
    const struct odp_expr *expr = NULL;
    enum odp_status status = match_side_open(&side, site, a, diags);
    if (status == ODP_BAD)
        status = refuse(fault, W_webhooks_schema_index_table_cannot_read);
    else if (status == ODP_DONE)
        status = refuse(fault, W_webhooks_table_without_index);
    else if (status == ODP_OK)
        status = match_compile(f, &side.info->schema, side.info->geometry_name, a, &expr, fault);
    if (status == ODP_OK && odp_expr_has_geometry(expr) && side.info->nkey == 0)
        status = refuse(fault, W_webhooks_geometry_can_asked_only_table);
    odp_expr_release(expr);
    match_side_close(&side);
    return status;
}

/* OK: one of them can be asked. FAULT's texts are in A or literals, never the layout's. */
static enum odp_status check_resources(const struct odp_site *site, const json_t *resources,
                                       const struct match_filter *f, struct odp_event_filter_fault *fault,
                                       struct odp_arena *a, struct odp_diags *diags)
{
    if (json_array_size(resources) == 0)
        return refuse(fault, W_webhooks_version_has_no_table);
    for (size_t i = 0; i < json_array_size(resources); i++) {
        struct odp_event_filter_fault one = {0};
        enum odp_status status = check_resource(site, json_array_get(resources, i), f, &one, a, diags);
        if (status != ODP_BAD)
            return status;
        if (i == 0 || is_closer(&one, fault))
            *fault = one;
    }
    return ODP_BAD;
}

enum odp_status odp_event_filter_check(const struct odp_site *site, const char *slug,
                                       const struct odp_event_filter *filter,
                                       struct odp_event_filter_fault *fault, struct odp_arena *a,
                                       struct odp_diags *diags)
{
    struct odp_history history;
    struct match_filter f;
    *fault = (struct odp_event_filter_fault){0};
    if (odp_site_entry(site, slug) == NULL)
        return ODP_DONE;
    enum odp_status status = odp_history_read(&history, site, slug, a, diags);
    if (status == ODP_OK) {
        const struct odp_version *v = odp_history_current(&history);
        status = match_filter_init(&f, filter, a);
        if (status == ODP_BAD)
            *fault = f.fault;
        else if (status == ODP_OK && v == NULL)
            status = ODP_DONE;
        else if (status == ODP_OK)
            status = check_resources(site, json_object_get(v->json, "resources"), &f, fault, a, diags);
        match_filter_release(&f);
    } else if (status == ODP_BAD) {
        status = refuse(fault, W_webhooks_list_datasets_versions_cannot_read);
    }
    odp_history_release(&history);
    return status;
}
