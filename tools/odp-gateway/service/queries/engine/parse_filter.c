/* filter (CQL2 text or JSON), and equality by column names, as one expression.
 *
 *   luas_ha=12.5          equal; numbers by value, text by bytes
 *   tahun=2023,2024       one of them, for types without commas: numbers, booleans, dates, times
 *   nama=Menteng, Jakarta one text; for several: filter=nama IN ('a','b'), or an array in a POST's body */
#include "base/utf8.h"
#include "base/json_load.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

enum { VALUES_MAX = 1000 };

static struct odp_expr_scope scope_of(const struct odp_query *q)
{
    return (struct odp_expr_scope){.schema = &q->info->schema,
                                   .geometry = q->info->has_geometry ? q->info->geometry_name : NULL};
}

/* E AND what there is; E is released with the query. */
static enum odp_status add_part(struct odp_query *q, const struct odp_expr *e, const struct odp_expr ***parts)
{
    **parts = e;
    ++*parts;
    return odp_expr_and(q->arena, q->filter, e, &q->filter);
}

static enum odp_status compile_text(struct query_parsing *p, struct odp_slice text,
                                    const struct odp_expr **out)
{
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_expr_fault f = {0};
    enum odp_status status = odp_expr_compile_in(p->q->arena, text, &scope, out, &f);
    if (status != ODP_BAD)
        return status;
    size_t at = f.at < text.len ? f.at : text.len, len = f.len < text.len - at ? f.len : text.len - at;
    p->q->fault = (struct odp_query_fault){
        .problem = ODP_QUERY_FILTER_INVALID,
        .parameter = "filter",
        .position = (uint32_t)odp_utf8_count((struct odp_slice){text.ptr, at}) + 1,
        .length = (uint32_t)odp_utf8_count((struct odp_slice){text.ptr + at, len}),
        .detail = f.message,
    };
    return ODP_BAD;
}

static enum odp_status compile_json(struct query_parsing *p, const json_t *json, const struct odp_expr **out)
{
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_expr_json_fault f = {0};
    enum odp_status status = odp_expr_compile_json(p->q->arena, json, &scope, out, &f);
    if (status == ODP_BAD)
        p->q->fault = (struct odp_query_fault){
            .problem = ODP_QUERY_FILTER_INVALID,
            .parameter = "filter",
            .pointer = odp_arena_str(p->q->arena, odp_or_empty(f.pointer)), /* it may be of the document's */
            .detail = f.message,
        };
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
        (void)query_fault(p->q, ODP_QUERY_FILTER_INVALID, "filter", W_queries_not_valid_json,
                          QUERY_SHOWN(odp_slice_of(error.text)));
        query_fault_at(p->q, text, (struct odp_slice){text.ptr + at, 1});
        return ODP_BAD;
    }
    enum odp_status status = compile_json(p, json, out);
    json_decref(json);
    return status;
}

/* Whether CQL2 JSON is meant. */
static enum odp_status read_lang(struct query_parsing *p, bool *json)
{
    struct odp_slice lang = p->given[QUERY_P_FILTER_LANG];
    *json = p->filter != NULL || odp_slice_is(lang, "cql2-json");
    if (lang.ptr != NULL && !odp_slice_is(lang, "cql2-text") && !odp_slice_is(lang, "cql2-json"))
        return query_fault_in(p, QUERY_P_FILTER_LANG, lang, W_queries_there_no_filter_language_cql2,
                              QUERY_NOTHING);
    if (p->filter != NULL && odp_slice_is(lang, "cql2-text"))
        return query_fault_in(p, QUERY_P_FILTER_LANG, lang, W_queries_filter_object_so_cql2_json,
                              QUERY_NOTHING);
    return ODP_OK;
}

static enum odp_status read_filter(struct query_parsing *p, const struct odp_expr ***parts)
{
    struct odp_slice text = p->given[QUERY_P_FILTER];
    const struct odp_expr *e = NULL;
    bool json;
    enum odp_status status = read_lang(p, &json);
    if (status != ODP_OK || (text.ptr == NULL && p->filter == NULL))
        return status;
    if (p->filter != NULL)
        status = compile_json(p, p->filter, &e);
    else
        status = json ? compile_json_text(p, text, &e) : compile_text(p, text, &e);
    return status == ODP_OK ? add_part(p->q, e, parts) : status;
}

/* ---- equality ---- */

static bool may_be_list(enum odp_type t)
{
    return !odp_type_is_text(t) && !query_type_complex(t);
}

/* S in one spelling, where that needs no schema. */
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

/* ITEM is no value of column K; WHOLE is the parameter's text (a list of the body has none). */
static enum odp_status fault_value(struct query_parsing *p, uint32_t k, struct odp_slice whole,
                                   struct odp_slice item, const struct odp_text *expected)
{
    static const struct odp_text no_value = {{W_queries_no_value_of_column}},
                                 or_null = {{W_queries_for_those_without_value}};
    const struct odp_search_column *c = &p->q->info->columns[k];
    const char *text[ODP_LANGS];
    if (query_type_complex(c->type)) {
        (void)query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, c->name,
                          W_queries_values_cannot_compared_only_filter,
                          QUERY_SHOWN(odp_slice_of(odp_type_name(c->type)), odp_slice_of(c->name)));
        query_fault_at(p->q, whole, whole);
        return ODP_BAD;
    }
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        text[lang] =
            odp_arena_printf(p->q->arena, "%s%s%s", odp_text_get(&no_value, lang),
                             odp_text_get(expected, lang), item.len == 0 ? odp_text_get(&or_null, lang) : "");
    (void)query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, c->name, text[ODP_LANG_ID], text[ODP_LANG_EN],
                      QUERY_SHOWN(item, odp_slice_of(c->name)));
    query_fault_at(p->q, whole, item);
    return ODP_BAD;
}

/* Column K is one of VALUES. */
static enum odp_status equal(struct query_parsing *p, uint32_t k, struct odp_slice whole,
                             const struct odp_slice *values, size_t n, const struct odp_expr **out)
{
    struct odp_expr_scope scope = scope_of(p->q);
    struct odp_text expected = {{NULL, NULL}};
    enum odp_status status =
        odp_expr_equal(p->q->arena, &scope, k, (struct odp_expr_values){values, n}, out, &expected);
    if (status != ODP_BAD)
        return status;
    for (size_t i = 0; i < n && n > 1; i++) { /* which of them */
        const struct odp_expr *one = NULL;
        status =
            odp_expr_equal(p->q->arena, &scope, k, (struct odp_expr_values){&values[i], 1}, &one, &expected);
        odp_expr_release(one);
        if (status != ODP_OK)
            return status == ODP_BAD ? fault_value(p, k, whole, values[i], &expected) : status;
    }
    return fault_value(p, k, whole, values[0], &expected);
}

static enum odp_status too_many(struct query_parsing *p, uint32_t k)
{
    return query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, p->q->info->columns[k].name,
                       W_queries_more_than_1_000_values, QUERY_SHOWN(QUERY_NOTHING));
}

static enum odp_status read_equal(struct query_parsing *p, uint32_t k, const struct odp_expr **out)
{
    const struct odp_search_column *c = &p->q->info->columns[k];
    struct odp_slice whole = p->equal[k];
    size_t n = 1, at = 0;
    for (size_t i = 0; may_be_list(c->type) && i < whole.len; i++)
        n += whole.ptr[i] == ',';
    if (n > VALUES_MAX)
        return too_many(p, k);
    struct odp_slice *values = odp_arena_array(p->q->arena, n, sizeof *values);
    values[0] = whole;
    for (n = 0; may_be_list(c->type) && query_next_item(whole, &at, &values[n]);)
        n++;
    n = n > 0 ? n : 1;
    enum odp_status status = equal(p, k, whole, values, n, out);
    if (status != ODP_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&p->scratch, i > 0 ? "," : "");
        odp_buffer_add_slice(&p->scratch, canonical(p->q->arena, values[i], c->type));
    }
    query_add_pair(p, c->name, QUERY_PAIR_CONDITION);
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
        if (json_is_string(v)) {
            values[i] = (struct odp_slice){json_string_value(v), json_string_length(v)};
            continue;
        }
        if (!json_is_number(v) && !json_is_boolean(v))
            return query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, p->q->info->columns[k].name,
                               W_queries_array_values_may_hold_texts, QUERY_SHOWN(QUERY_NOTHING));
        char *dump = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        values[i] = odp_slice_of(odp_arena_str(p->q->arena, dump));
        odp_json_free_text(dump);
    }
    return equal(p, k, QUERY_NOTHING, values, n, out);
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

/* The normal form adds parentheses and quotes, which may exceed the limits of an expression. Then the filter
 * stays as it was written. */
static enum odp_status check_normal(struct query_parsing *p)
{
    struct odp_expr_scope scope = scope_of(p->q);
    const struct odp_expr *again = NULL;
    struct odp_expr_fault f;
    bool json, listed = false;
    if (surely_small(odp_buffer_slice(&p->scratch)))
        return ODP_OK;
    struct odp_slice text = odp_arena_copy(p->q->arena, odp_buffer_slice(&p->scratch));
    enum odp_status status = odp_expr_compile_in(p->q->arena, text, &scope, &again, &f);
    odp_expr_release(again);
    if (status != ODP_BAD)
        return status;
    for (uint32_t k = 0; k < p->q->info->ncolumns; k++)
        listed = listed || p->listed[k] != NULL;
    if ((status = read_lang(p, &json)) != ODP_OK)
        return status;
    if (json || listed)
        return query_fault(p->q, ODP_QUERY_FILTER_INVALID, "filter", W_queries_filter_too_long_nested_too,
                           QUERY_SHOWN(QUERY_NOTHING));
    odp_buffer_clear(&p->scratch);
    odp_buffer_add_slice(&p->scratch, p->given[QUERY_P_FILTER]);
    return ODP_OK;
}

/* Adds filter= to the normal form: the filter and the body's lists, which an address can say in no other way.
 */
static enum odp_status add_normal(struct query_parsing *p)
{
    if (p->q->filter == NULL)
        return ODP_OK;
    enum odp_status status = odp_expr_normal(p->q->filter, &p->scratch);
    if (status == ODP_OK)
        status = check_normal(p);
    if (status == ODP_OK)
        query_add_pair(p, query_parameter_name(QUERY_P_FILTER), QUERY_PAIR_CONDITION);
    return status;
}

enum odp_status query_parse_filter(struct query_parsing *p)
{
    struct odp_query *q = p->q;
    const struct odp_expr *e,
        **parts = odp_arena_zero(q->arena, (size_t)q->info->ncolumns * 2 + 3, sizeof *parts);
    q->parts = parts; /* ends with NULL */
    enum odp_status status = read_filter(p, &parts);
    for (uint32_t k = 0; k < q->info->ncolumns && status == ODP_OK; k++)
        if (p->listed[k] != NULL && (status = read_listed(p, k, &e)) == ODP_OK)
            status = add_part(q, e, &parts);
    if (status == ODP_OK)
        status = add_normal(p);
    for (uint32_t k = 0; k < q->info->ncolumns && status == ODP_OK; k++)
        if (p->equal[k].ptr != NULL && (status = read_equal(p, k, &e)) == ODP_OK)
            status = add_part(q, e, &parts);
    return status;
}
