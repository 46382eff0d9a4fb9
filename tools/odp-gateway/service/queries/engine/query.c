/* The engine's door: a call becomes a query, a query has a tag and an answer. */
#include <stdio.h>

#include "base/digest.h"
#include "service/queries/engine/engine_internal.h"

/* Memory that was refused on the way, whatever came of it. */
static enum odp_status end(const struct odp_query *q, enum odp_status status, struct odp_query_fault *fault)
{
    *fault = q->fault;
    if (status == ODP_FAIL || (!q->failed && odp_arena_status(q->arena) == ODP_OK))
        return status;
    return ODP_FAIL;
}

enum odp_status odp_query_new(struct odp_query **out, const struct odp_query_call *call, struct odp_arena *a,
                              struct odp_query_fault *fault)
{
    struct odp_query *q = odp_arena_zero(a, 1, sizeof *q);
    *out = NULL;
    q->call = call;
    q->info = odp_index_info(call->index);
    q->arena = a;
    enum odp_status status = end(q, query_parse(q), fault);
    if (status == ODP_OK)
        *out = q;
    else
        odp_query_free(q);
    return status;
}

void odp_query_free(struct odp_query *q)
{
    if (q == NULL)
        return;
    for (const struct odp_expr **e = q->parts; e != NULL && *e != NULL; e++)
        odp_expr_release(*e);
    odp_expr_release(q->box);
    query_release_names(q);
    odp_arena_release(&q->shapes);
    q->parts = NULL;
    q->box = NULL;
}

const char *odp_query_media_type(const struct odp_query *q)
{
    /* views have no form of their own but CSV */
    bool other = q->view != QUERY_RECORDS && q->call->form != ODP_QUERY_CSV;
    return query_writer_of(other ? ODP_QUERY_ENVELOPE : q->call->form)->media_type;
}

/* ---- tag ---- */

/* "name=text" with its length, so that no two lists of them are alike. */
static void add_part(struct odp_buffer *b, const char *name, struct odp_slice text)
{
    odp_buffer_printf(b, "%s %zu ", name, text.len);
    odp_buffer_add_slice(b, text);
    odp_buffer_add_char(b, '\n');
}

/* All that decides the body and its links. (Only a total that took too long to count may differ another
 * time.) */
static void add_identity(const struct odp_query *q, struct odp_buffer *b)
{
    static const char *const langs[] = {"id", "en"};
    const struct odp_query_call *c = q->call;
    add_part(b, "index", odp_slice_of(q->info->id));
    add_part(b, "of", odp_slice_of(q->info->slug));
    add_part(b, "resource", odp_slice_of(odp_or_empty(q->info->resource)));
    add_part(b, "version", odp_slice_of(q->info->version));
    odp_buffer_printf(b, "kind %d form %d ogc %d view %d limit %u offset %u bytes %zu\n", c->kind, c->form,
                      c->ogc, q->view, q->limit, q->offset, c->limits->bytes);
    add_part(b, "normal", odp_slice_of(q->normal));
    add_part(b, "cursor", odp_slice_of(odp_or_empty(q->cursor)));
    add_part(b, "key", c->kind == ODP_QUERY_ITEM ? c->key : (struct odp_slice){NULL, 0});
    add_part(b, "self", odp_slice_of(odp_or_empty(c->self)));
    add_part(b, "root", odp_slice_of(odp_or_empty(c->root)));
    add_part(b, "release", odp_slice_of(odp_or_empty(c->release)));
    add_part(b, "title", odp_slice_of(odp_or_empty(c->dataset_title)));
    add_part(b, "lang", odp_slice_of(c->form == ODP_QUERY_HTML ? langs[c->lang == ODP_LANG_EN] : ""));
    add_part(b, "secret",
             (struct odp_slice){(const char *)c->secret,
                                c->secret != NULL ? 32 : 0}); /* signs the cursors in links */
}

enum odp_status odp_query_etag(const struct odp_query *q, uint8_t key[ODP_SHA256_SIZE],
                               char tag[ODP_QUERY_ETAG + 1])
{
    struct odp_buffer b = {0};
    char hex[ODP_SHA256_HEX];
    add_identity(q, &b);
    enum odp_status status = odp_buffer_status(&b);
    if (status == ODP_OK)
        status = odp_digest_of(b.ptr, b.len, key);
    if (b.ptr != NULL)
        explicit_bzero(b.ptr, b.cap);
    odp_buffer_release(&b);
    odp_digest_hex(key, hex);
    (void)snprintf(tag, ODP_QUERY_ETAG + 1, "%.*s", ODP_QUERY_ETAG, hex);
    return status;
}

/* ---- answer ---- */

static enum odp_status run(struct odp_query *q)
{
    static enum odp_status (*const views[])(struct odp_query *) = {[QUERY_RECORDS] = query_page,
                                                                   [QUERY_FACETS] = query_facets,
                                                                   [QUERY_AGGREGATES] = query_aggregate,
                                                                   [QUERY_GANTT] = query_gantt};
    return q->call->kind == ODP_QUERY_ITEM ? query_item(q) : views[q->view](q);
}

enum odp_status odp_query_run(struct odp_query *q, struct odp_query_result *r, struct odp_query_fault *fault)
{
    q->answer = r;
    q->fault = (struct odp_query_fault){0};
    r->next = r->previous = NULL;
    r->total = -1;
    r->returned = r->looked_at = 0;
    enum odp_status status = query_run_begin(q);
    if (status == ODP_OK)
        status = run(q);
    if (status == ODP_OK)
        status = odp_buffer_status(&r->body);
    if (q->run.c != NULL && r->looked_at == 0)
        r->looked_at = query_run_looked(q);
    query_run_end(q);
    return end(q, status, fault);
}
