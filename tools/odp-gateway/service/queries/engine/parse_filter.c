/* filter (CQL2 text, or CQL2 JSON), and equality by the names of columns: one expression.
 *
 *   luas_ha=12.5            equal; numbers by value, text by bytes
 *   tahun=2023,2024         one of them, for types whose values have no comma: numbers, booleans, dates and times
 *   nama=Menteng, Jakarta   one text; several: filter=nama IN ('a','b'), or an array in a POST's body */
#include <stdlib.h>

#include "base/utf8.h"
#include "base/json_load.h"
#include "service/queries/engine/parse_internal.h"
#include "words/queries.h"

#define NONE ((struct odp_slice){NULL, 0})

enum { VALUES_MAX = 1000 };

static struct odp_expr_scope scope_of(const struct odp_query *q)
{
    return (struct odp_expr_scope){.schema = &q->info->schema,
                                   .geometry = q->info->has_geometry ? q->info->geometry_name : NULL};
}

/* E AND what there is; E is released with the query. */
static enum odp_status keep(struct odp_query *q, const struct odp_expr *e, const struct odp_expr ***parts)
{
    **parts = e;
    ++*parts;
    return odp_expr_and(q->arena, q->filter, e, &q->filter);
}

static enum odp_status fault_expr(struct query_parsing *p, const struct odp_expr_fault *f,
                                  struct odp_slice text)
{
    size_t at = f->at < text.len ? f->at : text.len, len = f->len < text.len - at ? f->len : text.len - at;
    *p->fault = (struct odp_query_fault){
        .problem = ODP_QUERY_FILTER_INVALID, .parameter = "filter", .detail = f->message};
    p->fault->position = (uint32_t)odp_utf8_count((struct odp_slice){text.ptr, at}) + 1;
    p->fault->length = (uint32_t)odp_utf8_count((struct odp_slice){text.ptr + at, len});
    return ODP_BAD;
}

static enum odp_status compile_json(struct query_parsing *p, const json_t *json, const struct odp_expr **out)
{
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_expr_json_fault f = {0};
    enum odp_status status = odp_expr_compile_json(p->q->arena, json, &scope, out, &f);
    if (status == ODP_BAD)
        *p->fault = (struct odp_query_fault){.problem = ODP_QUERY_FILTER_INVALID,
                                             .parameter = "filter",
                                             .pointer = f.pointer != NULL ? f.pointer : "",
                                             .detail = f.message};
    return status;
}

/* TEXT is CQL2 JSON. */
static enum odp_status compile_json_text(struct query_parsing *p, struct odp_slice text,
                                         const struct odp_expr **out)
{
    json_error_t error;
    json_t *json = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        size_t at = error.position > 0 && (size_t)error.position <= text.len ? (size_t)error.position - 1 : 0;
        while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80)
            at--;
        return query_fault_at(p, ODP_QUERY_FILTER_INVALID, "filter", text, at, text.len > 0 ? 1 : 0,
                              W_queries_not_valid_json, odp_slice_of(error.text), NONE);
    }
    enum odp_status status = compile_json(p, json, out);
    if (status == ODP_BAD && p->fault->pointer != NULL) { /* the pointer may be of the document's */
        p->fault->pointer = odp_arena_str(p->q->arena, p->fault->pointer);
        status = ODP_BAD;
    }
    json_decref(json);
    return status;
}

/* Whether CQL2 JSON is meant. */
static enum odp_status read_lang(struct query_parsing *p, bool *json)
{
    struct odp_slice lang = p->given[QUERY_P_FILTER_LANG];
    *json = p->filter != NULL || odp_slice_is(lang, "cql2-json");
    if (lang.ptr != NULL && !odp_slice_is(lang, "cql2-text") && !odp_slice_is(lang, "cql2-json"))
        return query_fault_in(p, QUERY_P_FILTER_LANG, 0, lang.len, W_queries_there_no_filter_language_cql2,
                              lang, NONE);
    if (p->filter != NULL && odp_slice_is(lang, "cql2-text"))
        return query_fault_in(p, QUERY_P_FILTER_LANG, 0, lang.len, W_queries_filter_object_so_cql2_json, lang,
                              NONE);
    return ODP_OK;
}

static enum odp_status read_filter(struct query_parsing *p, const struct odp_expr ***parts)
{
    struct odp_slice text = p->given[QUERY_P_FILTER];
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_expr_fault f = {0};
    const struct odp_expr *e = NULL;
    bool json;
    enum odp_status status = read_lang(p, &json);
    if (status != ODP_OK || (text.ptr == NULL && p->filter == NULL))
        return status;
    if (p->filter != NULL)
        status = compile_json(p, p->filter, &e);
    else if (json)
        status = compile_json_text(p, text, &e);
    else if ((status = odp_expr_compile_in(p->q->arena, text, &scope, &e, &f)) == ODP_BAD)
        status = fault_expr(p, &f, text);
    return status == ODP_OK ? keep(p->q, e, parts) : status;
}

/* ---- equality ---- */

static bool may_be_list(enum odp_type t)
{
    return !odp_type_is_text(t) && !query_type_complex(t);
}

/* S as the normal form has it: one spelling a value where that is known without the schema's help. */
static struct odp_slice canonical(struct odp_arena *a, struct odp_slice s, enum odp_type t)
{
    char number[ODP_DECIMAL_SIZE], normal[ODP_DECIMAL_SIZE];
    struct odp_decimal_form form = {.decimal = '.', .bare = true};
    size_t len = 0, again = 0;
    bool same, zero;
    if (!odp_type_is_number(t))
        return s;
    if (odp_decimal_parse(s, &form, number, &len, &same, &zero) != ODP_DECIMAL_OK)
        return s;
    len = odp_decimal_normal((struct odp_slice){number, len}, normal);
    /* a number of the greatest length may get one digit more by that: ".5" becomes "0.5" */
    if (odp_decimal_parse((struct odp_slice){normal, len}, &form, number, &again, &same, &zero) !=
        ODP_DECIMAL_OK)
        return s;
    return odp_arena_copy(a, (struct odp_slice){normal, len});
}

static enum odp_status fault_value(struct query_parsing *p, uint32_t k, struct odp_slice value,
                                   struct odp_slice item, const struct odp_text *expected)
{
    const struct odp_search_column *c = &p->q->info->columns[k];
    size_t at = value.ptr != NULL ? (size_t)(item.ptr - value.ptr)
                                  : 0; /* items of an array of the body are no part of a text */
    if (query_type_complex(c->type))
        return query_fault_at(p, ODP_QUERY_PARAMETER_INVALID, c->name, value, 0, value.len,
                              W_queries_values_cannot_compared_only_filter,
                              odp_slice_of(odp_type_name(c->type)), odp_slice_of(c->name));
    const char *id = odp_arena_printf(p->q->arena, "“{0}” bukan nilai kolom ini; diharapkan %s%s",
                                      odp_text_get(expected, ODP_LANG_ID),
                                      item.len == 0 ? " (yang tanpa nilai: filter={1} IS NULL)" : "");
    const char *en = odp_arena_printf(
        p->q->arena, "“{0}” is no value of this column; expected: %s%s", odp_text_get(expected, ODP_LANG_EN),
        item.len == 0 ? " (for those without a value: filter={1} IS NULL)" : "");
    return query_fault_at(p, ODP_QUERY_PARAMETER_INVALID, c->name, value, at, item.len, id, en, item,
                          odp_slice_of(c->name));
}

/* Column K is one of VALUES. */
static enum odp_status equal(struct query_parsing *p, uint32_t k, struct odp_slice whole,
                             const struct odp_slice *values, size_t n, const struct odp_expr **out)
{
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_text expected = {{NULL, NULL}};
    enum odp_status status = odp_expr_equal(p->q->arena, &scope, k, values, n, out, &expected);
    if (status != ODP_BAD)
        return status;
    for (size_t i = 0; i < n && n > 1; i++) { /* which of them */
        const struct odp_expr *one = NULL;
        status = odp_expr_equal(p->q->arena, &scope, k, &values[i], 1, &one, &expected);
        odp_expr_release(one);
        if (status != ODP_OK)
            return status == ODP_BAD ? fault_value(p, k, whole, values[i], &expected) : status;
    }
    return fault_value(p, k, whole, values[0], &expected);
}

static enum odp_status too_many(struct query_parsing *p, uint32_t k)
{
    return query_fault(p->q, p->fault, ODP_QUERY_PARAMETER_INVALID, p->q->info->columns[k].name,
                       W_queries_more_than_1_000_values, NONE, NONE);
}

static enum odp_status read_equal(struct query_parsing *p, uint32_t k, const struct odp_expr **out)
{
    const struct odp_search_column *c = &p->q->info->columns[k];
    struct odp_slice whole = p->equal[k], *values = NULL;
    struct odp_buffer normal;
    size_t n = 1, at = 0;
    for (size_t i = 0; may_be_list(c->type) && i < whole.len; i++)
        n += whole.ptr[i] == ',';
    if (n > VALUES_MAX)
        return too_many(p, k);
    values = odp_arena_array(p->q->arena, n, sizeof *values);
    values[0] = whole;
    for (n = 0; may_be_list(c->type) && query_next_item(whole, &at, &values[n]);)
        n++;
    n = n > 0 ? n : 1;
    enum odp_status status = equal(p, k, whole, values, n, out);
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&normal);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&normal, i > 0 ? "," : "");
        odp_buffer_add_slice(&normal, canonical(p->q->arena, values[i], c->type));
    }
    struct odp_slice text =
        odp_buffer_status(&normal) == ODP_OK ? odp_arena_copy(p->q->arena, odp_buffer_slice(&normal)) : NONE;
    odp_buffer_release(&normal);
    if (text.ptr == NULL)
        return ODP_FAIL;
    query_pair_add(p, c->name, text, QUERY_PAIR_CONDITION);
    return ODP_OK;
}

/* An array of the body: {"provinsi": ["31", "32"]}. */
static enum odp_status read_listed(struct query_parsing *p, uint32_t k, const struct odp_expr **out)
{
    size_t n = json_array_size(p->listed[k]);
    if (n > VALUES_MAX)
        return too_many(p, k);
    struct odp_slice *values = odp_arena_array(p->q->arena, n, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(p->listed[k], i);
        char *dump = NULL;
        if (json_is_string(v)) {
            values[i] = (struct odp_slice){json_string_value(v), json_string_length(v)};
            continue;
        }
        if (!json_is_number(v) && !json_is_boolean(v))
            return query_fault(p->q, p->fault, ODP_QUERY_PARAMETER_INVALID, p->q->info->columns[k].name,
                               W_queries_array_values_may_hold_texts, NONE, NONE);
        dump = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        values[i] = dump != NULL ? odp_arena_copy(p->q->arena, odp_slice_of(dump)) : NONE;
        odp_json_free_text(dump);
        if (values[i].ptr == NULL)
            return ODP_FAIL;
    }
    return equal(p, k, NONE, values, n, out);
}

/* Whether TEXT, a normal form, is certainly within the limits of an expression (its parentheses alone
 * could nest as deep as there are signs in it). */
static bool surely_small(struct odp_slice text)
{
    size_t nests = 0;
    for (size_t i = 0; i < text.len; i++)
        nests += text.ptr[i] == '(' || text.ptr[i] == '-' ||
                 (text.len - i > 4 && memcmp(text.ptr + i, "NOT ", 4) == 0);
    return nests < 90 && text.len < 60000;
}

/* The normal form has parentheses that its original may do without, and quotes: that it can be read again
 * is not a matter of course. */
static enum odp_status check_normal(struct query_parsing *p, struct odp_slice *text)
{
    struct odp_expr_scope scope = scope_of(p->q);
    const struct odp_expr *again = NULL;
    struct odp_expr_fault f;
    bool json, listed = false;
    if (surely_small(*text))
        return ODP_OK;
    enum odp_status status = odp_expr_compile_in(p->q->arena, *text, &scope, &again, &f);
    odp_expr_release(again);
    if (status != ODP_BAD)
        return status;
    for (uint32_t k = 0; k < p->q->info->ncolumns; k++)
        listed = listed || p->listed[k] != NULL;
    if ((status = read_lang(p, &json)) != ODP_OK)
        return status;
    if (json || listed)
        return query_fault(p->q, p->fault, ODP_QUERY_FILTER_INVALID, "filter",
                           W_queries_filter_too_long_nested_too, NONE, NONE);
    *text = p->given[QUERY_P_FILTER]; /* as it was written */
    return ODP_OK;
}

/* What goes into the normal form as filter=: the filter, and lists of the body, which an address has no
 * other way to say. */
static enum odp_status add_normal(struct query_parsing *p)
{
    struct odp_buffer b;
    if (p->q->filter == NULL)
        return ODP_OK;
    odp_buffer_init(&b);
    enum odp_status status = odp_expr_normal(p->q->filter, &b);
    if (status == ODP_OK)
        status = odp_buffer_status(&b);
    struct odp_slice text = status == ODP_OK ? odp_arena_copy(p->q->arena, odp_buffer_slice(&b)) : NONE;
    odp_buffer_release(&b);
    if (text.ptr == NULL)
        return ODP_FAIL;
    status = check_normal(p, &text);
    if (status == ODP_OK)
        query_pair_add(p, "filter", text, QUERY_PAIR_CONDITION);
    return status;
}

enum odp_status query_parse_filter(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    const struct odp_expr **parts =
        odp_arena_zero(q->arena, (size_t)q->info->ncolumns * 2 + 3, sizeof *parts);
    q->parts = parts; /* ends with NULL */
    enum odp_status status = read_filter(p, &parts);
    for (uint32_t k = 0; k < q->info->ncolumns && status == ODP_OK; k++) {
        const struct odp_expr *e = NULL;
        if (p->listed[k] == NULL)
            continue;
        status = read_listed(p, k, &e);
        if (status == ODP_OK)
            status = keep(q, e, &parts);
    }
    if (status == ODP_OK)
        status = add_normal(p);
    for (uint32_t k = 0; k < q->info->ncolumns && status == ODP_OK; k++) {
        const struct odp_expr *e = NULL;
        if (p->equal[k].ptr == NULL)
            continue;
        status = read_equal(p, k, &e);
        if (status == ODP_OK)
            status = keep(q, e, &parts);
    }
    return status;
}
