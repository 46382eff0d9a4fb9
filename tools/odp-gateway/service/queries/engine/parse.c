/* Parameters of a query, from the address and from a POST's body, which has the same names; each may be given
 * once. A name is a parameter's, else a column's, else it is refused with the nearest name.
 *
 * The normal form is what was understood, in one spelling, sorted by name, without defaults. It is a query
 * string itself, so links are made of it; its conditions are the key of remembered counts. */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

/* ---- collecting ---- */

static enum odp_status twice(struct query_parsing *p, struct odp_slice name, bool column)
{
    if (column)
        return query_fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_given_more_than_once_write,
                                QUERY_NOTHING);
    return query_fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_parameter_given_more_than_once,
                            QUERY_NOTHING);
}

/* Text that can go on: UTF-8 without NUL. */
static bool is_text(struct odp_slice s)
{
    return odp_utf8_valid(s) == s.len && (s.len == 0 || memchr(s.ptr, '\0', s.len) == NULL);
}

static enum odp_status take(struct query_parsing *p, struct odp_slice name, struct odp_slice value)
{
    if (!is_text(name) || name.len == 0)
        return query_fault(p->q, ODP_QUERY_PARAMETER_UNKNOWN, NULL, W_queries_parameter_has_no_name_name,
                           QUERY_SHOWN(QUERY_NOTHING));
    int parameter = query_find_parameter(name);
    int column =
        parameter < 0 && p->q->call->kind == ODP_QUERY_ITEMS ? odp_search_find(p->q->info, name) : -1;
    if ((parameter < 0 && column < 0) || (parameter >= 0 && !query_parameter_allowed(p->q, parameter)))
        return query_fault_unknown(p, name);
    if (!is_text(value))
        return query_fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_value_not_utf_8_text,
                                QUERY_NOTHING);
    struct odp_slice *slot = parameter >= 0 ? &p->given[parameter] : &p->equal[column];
    bool other = parameter == QUERY_P_FILTER ? p->filter != NULL : column >= 0 && p->listed[column] != NULL;
    if (slot->ptr != NULL || other)
        return twice(p, name, column >= 0);
    *slot = (struct odp_slice){odp_or_empty(value.ptr), value.len};
    return ODP_OK;
}

/* ---- the body ---- */

/* Adds a JSON string, number or boolean as an address writes it. False: V is none of these. */
static bool add_scalar(struct odp_buffer *b, const json_t *v)
{
    char number[40];
    if (json_is_string(v)) {
        odp_buffer_add(b, json_string_value(v), json_string_length(v));
    } else if (json_is_integer(v)) {
        odp_buffer_printf(b, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    } else if (json_is_real(v)) {
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(number, sizeof number, "%.*g", digits, json_real_value(v));
            if (strtod(number, NULL) == json_real_value(v))
                break;
        }
        odp_buffer_add_str(b, number);
    } else if (json_is_boolean(v)) {
        odp_buffer_add_str(b, json_is_true(v) ? "true" : "false");
    } else {
        return false;
    }
    return true;
}

/* V as a parameter's text: a scalar, or scalars joined by commas. ptr NULL: neither. */
static struct odp_slice value_text(struct query_parsing *p, const json_t *v)
{
    bool ok = true;
    odp_buffer_clear(&p->scratch);
    for (size_t i = 0; ok && i < json_array_size(v); i++) {
        odp_buffer_add_str(&p->scratch, i > 0 ? "," : "");
        ok = add_scalar(&p->scratch, json_array_get(v, i));
    }
    if (!json_is_array(v))
        ok = add_scalar(&p->scratch, v);
    struct odp_slice text = ok ? odp_arena_copy(p->q->arena, odp_buffer_slice(&p->scratch)) : QUERY_NOTHING;
    odp_buffer_clear(&p->scratch);
    return text;
}

static enum odp_status take_member(struct query_parsing *p, struct odp_slice name, const json_t *v)
{
    int parameter = query_find_parameter(name),
        column = parameter < 0 ? odp_search_find(p->q->info, name) : -1;
    if (parameter == QUERY_P_FILTER && json_is_object(v)) {
        if (p->given[QUERY_P_FILTER].ptr != NULL)
            return twice(p, name, false);
        p->filter = v;
        return ODP_OK;
    }
    if (column >= 0 && json_array_size(v) > 0) {
        if (p->equal[column].ptr != NULL)
            return twice(p, name, true);
        p->listed[column] = v;
        return ODP_OK;
    }
    struct odp_slice text = value_text(p, v);
    if (text.ptr == NULL && (parameter >= 0 || column >= 0))
        return query_fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_value_body_must_text_number,
                                QUERY_NOTHING);
    return take(p, name, text);
}

static enum odp_status collect(struct query_parsing *p)
{
    const struct odp_query_call *call = p->q->call;
    const char *key;
    json_t *value;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < call->nparams && status == ODP_OK; i++)
        status = take(p, call->params[i].name, call->params[i].value);
    if (status != ODP_OK || call->body == NULL)
        return status;
    if (!json_is_object(call->body))
        return query_fault(p->q, ODP_QUERY_PARAMETER_INVALID, NULL, W_queries_body_must_json_object_filter,
                           QUERY_SHOWN(QUERY_NOTHING));
    json_object_foreach((json_t *)(uintptr_t)call->body, key, value)
    {
        status = take_member(p, odp_slice_of(key), value);
        if (status != ODP_OK)
            break;
    }
    return status;
}

static enum odp_status check_form(struct query_parsing *p)
{
    static const char *const forms[] = {"json", "geojson", "csv", "html"};
    struct odp_query *q = p->q;
    struct odp_slice f = p->given[QUERY_P_F];
    if (f.ptr != NULL && odp_word_index(f, forms, ODP_COUNT(forms)) < 0)
        return query_fault_in(p, QUERY_P_F, f, W_queries_there_no_form_json_geojson, QUERY_NOTHING);
    if (q->view == QUERY_RECORDS && q->call->form == ODP_QUERY_GEOJSON && !q->info->has_geometry &&
        !q->call->ogc)
        return query_fault(q, ODP_QUERY_NOT_ACCEPTABLE, NULL, W_queries_these_data_have_no_geometry,
                           QUERY_SHOWN(QUERY_NOTHING));
    return ODP_OK;
}

/* ---- the normal form ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct query_pair *)a)->name, ((const struct query_pair *)b)->name);
}

/* The pairs of KIND, or all (KIND < 0). Characters that mean nothing in a query stay. */
static const char *join(const struct query_parsing *p, int kind)
{
    static const char keep[] = ",:/()*!@";
    struct odp_buffer b = {0};
    for (uint32_t i = 0; i < p->npairs; i++) {
        if (kind >= 0 && (int)p->pairs[i].kind != kind)
            continue;
        odp_buffer_add_str(&b, b.len > 0 ? "&" : "");
        odp_text_percent_but(&b, odp_slice_of(p->pairs[i].name), keep);
        odp_buffer_add_char(&b, '=');
        odp_text_percent_but(&b, odp_slice_of(p->pairs[i].value), keep);
    }
    return odp_buffer_keep(&b, p->q->arena);
}

static enum odp_status make_normal(struct query_parsing *p)
{
    if (p->npairs > 0)
        qsort(p->pairs, p->npairs, sizeof *p->pairs, by_name);
    p->q->normal = join(p, -1);
    p->q->conditions = join(p, QUERY_PAIR_CONDITION);
    p->q->order = join(p, QUERY_PAIR_ORDER);
    return ODP_OK;
}

/* ---- all of it ---- */

enum odp_status query_parse(struct odp_query *q)
{
    static enum odp_status (*const steps[])(struct query_parsing *) = {
        collect,           query_parse_view,     check_form,       query_parse_filter, query_parse_bbox,
        query_parse_words, query_parse_datetime, query_parse_page, make_normal};
    struct query_parsing p = {.q = q};
    enum odp_status status = ODP_OK;
    p.equal = odp_arena_zero(q->arena, (size_t)q->info->ncolumns, sizeof *p.equal);
    p.listed = odp_arena_zero(q->arena, (size_t)q->info->ncolumns, sizeof *p.listed);
    p.pairs = odp_arena_array(q->arena, QUERY_P_COUNT + (size_t)q->info->ncolumns, sizeof *p.pairs);
    for (size_t i = 0; i < ODP_COUNT(steps) && status == ODP_OK; i++)
        status = steps[i](&p);
    if (status == ODP_OK && p.given[QUERY_P_CURSOR].ptr != NULL) {
        q->cursor = odp_arena_copy(q->arena, p.given[QUERY_P_CURSOR]).ptr;
        status = query_cursor_read(q, p.given[QUERY_P_CURSOR]);
    }
    q->failed = q->failed || odp_buffer_status(&p.scratch) != ODP_OK;
    odp_buffer_release(&p.scratch);
    return status;
}
