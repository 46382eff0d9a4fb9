/* Filters as they are compiled: CQL2 as text or as JSON. */
#include "base/json_load.h"
#include "service/webhooks/events/match_internal.h"
#include "words/webhooks.h"

/* Characters in the first LEN bytes. */
static size_t characters(struct odp_slice text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len && i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

static struct odp_text same_words(struct odp_arena *a, const char *id, const char *en, int line, int column)
{
    return (struct odp_text){{odp_arena_printf(a, "%s (baris %d, kolom %d)", id, line, column),
                              odp_arena_printf(a, "%s (line %d, column %d)", en, line, column)}};
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
    f->fault.message = same_words(a, W_webhooks_filter_not_valid_json, error.line, error.column);
    return ODP_BAD;
}

enum odp_status match_filter_init(struct match_filter *f, const struct odp_event_filter *from,
                                  struct odp_arena *a)
{
    *f = (struct match_filter){.text = odp_slice_of(from->text), .is_json = from->json};
    return from->json ? parse_json(f, a) : ODP_OK;
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
