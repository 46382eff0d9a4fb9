/* Whether a filter can be asked of a dataset as it is now. */
#include "published/history.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

/* Order of two JSON pointers as their places stand in the document: numbers by value. */
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

/* Whether A lies further on than B: more of the filter was understood. */
static bool is_closer(const struct odp_event_filter_fault *a, const struct odp_event_filter_fault *b)
{
    if (a->pointer != NULL && b->pointer != NULL)
        return pointer_order(a->pointer, b->pointer) > 0;
    return a->at > b->at;
}

static enum odp_status check_resource(const struct odp_site *site, const json_t *resource,
                                      const struct match_filter *f, struct odp_event_filter_fault *fault,
                                      struct odp_arena *a, struct odp_diags *diags)
{
    static const struct odp_text keyless = {{W_webhooks_geometry_can_asked_only_table}};
    struct match_side side = {.resource = resource};
    const struct odp_expr *expr = NULL;
    enum odp_status status = match_side_open(&side, site, a, diags);
    if (status == ODP_BAD)
        *fault = (struct odp_event_filter_fault){.message = {{W_webhooks_schema_index_table_cannot_read}}};
    if (status == ODP_DONE) {
        *fault = (struct odp_event_filter_fault){.message = {{W_webhooks_table_without_index}}};
        status = ODP_BAD;
    }
    if (status == ODP_OK)
        status = match_compile(f, &side.info->schema, side.info->geometry_name, a, &expr, fault);
    if (status == ODP_OK && odp_expr_has_geometry(expr) && side.info->nkey == 0) {
        *fault = (struct odp_event_filter_fault){.message = keyless};
        status = ODP_BAD;
    }
    odp_expr_release(expr);
    match_side_close(&side);
    return status;
}

/* OK: one of them can be asked. The fault's texts live in A or are literals, never the layout's. */
static enum odp_status check_resources(const struct odp_site *site, const json_t *resources,
                                       const struct match_filter *f, struct odp_event_filter_fault *fault,
                                       struct odp_arena *a, struct odp_diags *diags)
{
    if (json_array_size(resources) == 0)
        *fault = (struct odp_event_filter_fault){.message = {{W_webhooks_version_has_no_table}}};
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
        if (status == ODP_OK)
            status = v != NULL
                         ? check_resources(site, json_object_get(v->json, "resources"), &f, fault, a, diags)
                         : ODP_DONE;
        match_filter_release(&f);
    } else if (status == ODP_BAD) {
        fault->message = (struct odp_text){{W_webhooks_list_datasets_versions_cannot_read}};
    }
    odp_history_release(&history);
    return status;
}
