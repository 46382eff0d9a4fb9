/* Parameters of a query: from the address, and from the body of a POST, which names the same ones. Each
 * may be given once. A name that is a parameter's is one, else it is a column's, else it is refused with
 * the nearest name. */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "service/queries/engine/parse_internal.h"
#include "words/queries.h"

#define NONE ((struct odp_slice){NULL, 0})

/* ---- collecting ---- */

static enum odp_status fault_name(struct query_parsing *p, enum odp_query_problem problem,
                                  struct odp_slice name, const char *id, const char *en,
                                  struct odp_slice second)
{
    struct odp_slice copy = odp_arena_copy(
        p->q->arena,
        (struct odp_slice){name.ptr,
                           odp_utf8_valid((struct odp_slice){name.ptr, name.len < 64 ? name.len : 64})});
    if (copy.ptr == NULL)
        return ODP_FAIL;
    return query_fault(p->q, p->fault, problem, copy.ptr, id, en, name, second);
}

static enum odp_status unknown(struct query_parsing *p, struct odp_slice name)
{
    struct odp_slice near;
    if (query_is_geometry(p->q, name))
        return fault_name(p, ODP_QUERY_PARAMETER_UNKNOWN, name, W_queries_geometry_no_parameter_use_bbox,
                          NONE);
    enum odp_status status = query_name_nearest(p->q, name, true, &near);
    if (status != ODP_OK)
        return status;
    if (near.ptr != NULL)
        return fault_name(p, ODP_QUERY_PARAMETER_UNKNOWN, name, W_queries_there_no_parameter_did_you, near);
    if (p->q->call->kind == ODP_QUERY_ITEM)
        return fault_name(p, ODP_QUERY_PARAMETER_UNKNOWN, name, W_queries_there_no_parameter_single_record,
                          NONE);
    if ((status = query_column_list(p->q, &near)) != ODP_OK)
        return status;
    return fault_name(p, ODP_QUERY_PARAMETER_UNKNOWN, name, W_queries_there_no_parameter_nor_column, near);
}

static enum odp_status twice(struct query_parsing *p, struct odp_slice name, bool column)
{
    if (column)
        return fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_given_more_than_once_write, NONE);
    return fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_parameter_given_more_than_once, NONE);
}

/* Text that can go on: UTF-8 without NUL. */
static bool is_text(struct odp_slice s)
{
    return odp_utf8_valid(s) == s.len && (s.len == 0 || memchr(s.ptr, '\0', s.len) == NULL);
}

static enum odp_status take(struct query_parsing *p, struct odp_slice name, struct odp_slice value)
{
    int parameter = is_text(name) ? query_parameter_find(name) : -1;
    int column = parameter < 0 && is_text(name) && p->q->call->kind == ODP_QUERY_ITEMS
                     ? odp_search_find(p->q->info, name)
                     : -1;
    if (!is_text(name) || name.len == 0)
        return query_fault(p->q, p->fault, ODP_QUERY_PARAMETER_UNKNOWN, NULL,
                           W_queries_parameter_has_no_name_name, NONE, NONE);
    if ((parameter < 0 && column < 0) || (parameter >= 0 && !query_parameter_allowed(p->q, parameter)))
        return unknown(p, name);
    if (!is_text(value))
        return fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_value_not_utf_8_text, NONE);
    struct odp_slice *slot = parameter >= 0 ? &p->given[parameter] : &p->equal[column];
    bool other = parameter == QUERY_P_FILTER ? p->filter != NULL : column >= 0 && p->listed[column] != NULL;
    if (slot->ptr != NULL || other)
        return twice(p, name, column >= 0);
    *slot = (struct odp_slice){value.ptr != NULL ? value.ptr : "", value.len};
    return ODP_OK;
}

/* ---- the body ---- */

/* A JSON number or boolean as it would stand in an address; false: neither. */
static bool scalar_text(const json_t *v, char out[40])
{
    if (json_is_integer(v)) {
        (void)snprintf(out, 40, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    } else if (json_is_real(v)) {
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(out, 40, "%.*g", digits, json_real_value(v));
            if (strtod(out, NULL) == json_real_value(v))
                break;
        }
    } else if (json_is_boolean(v)) {
        (void)snprintf(out, 40, "%s", json_is_true(v) ? "true" : "false");
    } else {
        return false;
    }
    return true;
}

static struct odp_slice string_of(const json_t *v)
{
    return (struct odp_slice){json_string_value(v), json_string_length(v)};
}

/* V as the text of a parameter: a string, a scalar, or an array of them joined by commas. ptr NULL: none
 * of these (or no memory: *FAILED). */
static struct odp_slice value_text(struct odp_arena *a, const json_t *v, bool *failed)
{
    char number[40];
    struct odp_slice out = NONE;
    if (json_is_string(v))
        return string_of(v);
    if (scalar_text(v, number)) {
        out = odp_arena_copy(a, odp_slice_of(number));
        *failed = out.ptr == NULL;
        return out;
    }
    if (!json_is_array(v))
        return out;
    struct odp_buffer b;
    odp_buffer_init(&b);
    bool ok = true;
    for (size_t i = 0; i < json_array_size(v) && ok; i++) {
        const json_t *item = json_array_get(v, i);
        odp_buffer_add_str(&b, i > 0 ? "," : "");
        if (json_is_string(item))
            odp_buffer_add_slice(&b, string_of(item));
        else if ((ok = scalar_text(item, number)))
            odp_buffer_add_str(&b, number);
    }
    if (ok) {
        out = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(a, odp_buffer_slice(&b)) : NONE;
        *failed = out.ptr == NULL;
    }
    odp_buffer_release(&b);
    return out;
}

static enum odp_status take_member(struct query_parsing *p, struct odp_slice name, const json_t *v)
{
    int parameter = query_parameter_find(name),
        column = parameter < 0 ? odp_search_find(p->q->info, name) : -1;
    bool failed = false;
    if (parameter == QUERY_P_FILTER && json_is_object(v)) {
        if (p->given[QUERY_P_FILTER].ptr != NULL)
            return twice(p, name, false);
        p->filter = v;
        return ODP_OK;
    }
    if (column >= 0 && json_is_array(v) && json_array_size(v) > 0) {
        if (p->equal[column].ptr != NULL)
            return twice(p, name, true);
        p->listed[column] = v;
        return ODP_OK;
    }
    struct odp_slice text = value_text(p->q->arena, v, &failed);
    if (failed)
        return ODP_FAIL;
    if (text.ptr == NULL && (parameter >= 0 || column >= 0))
        return fault_name(p, ODP_QUERY_PARAMETER_INVALID, name, W_queries_value_body_must_text_number, NONE);
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
        return query_fault(p->q, p->fault, ODP_QUERY_PARAMETER_INVALID, NULL,
                           W_queries_body_must_json_object_filter, NONE, NONE);
    json_object_foreach((json_t *)(uintptr_t)call->body, key, value)
    {
        status = take_member(p, odp_slice_of(key), value);
        if (status != ODP_OK)
            break;
    }
    return status;
}

/* ---- all of it ---- */

static enum odp_status check_form(struct query_parsing *p)
{
    static const char *const forms[] = {"json", "geojson", "csv", "html"};
    struct odp_slice f = p->given[QUERY_P_F];
    bool found = f.ptr == NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        found = found || odp_slice_is(f, forms[i]);
    if (!found)
        return query_fault_in(p, QUERY_P_F, 0, f.len, W_queries_there_no_form_json_geojson, f, NONE);
    if (p->q->view == QUERY_RECORDS && p->q->call->form == ODP_QUERY_GEOJSON && !p->q->info->has_geometry &&
        !p->q->call->ogc)
        return query_fault(p->q, p->fault, ODP_QUERY_NOT_ACCEPTABLE, NULL,
                           W_queries_these_data_have_no_geometry, NONE, NONE);
    return ODP_OK;
}

enum odp_status query_parse(struct odp_query *q, struct odp_query_fault *fault)
{
    static enum odp_status (*const steps[])(struct query_parsing *) = {
        collect,           query_parse_view,     check_form,       query_parse_filter, query_parse_bbox,
        query_parse_words, query_parse_datetime, query_parse_page, query_parse_normal};
    struct query_parsing p = {.q = q, .fault = fault};
    enum odp_status status = ODP_OK;
    *fault = (struct odp_query_fault){0};
    p.equal = odp_arena_zero(q->arena, (size_t)q->info->ncolumns, sizeof *p.equal);
    p.listed = odp_arena_zero(q->arena, (size_t)q->info->ncolumns, sizeof *p.listed);
    p.pairs = odp_arena_array(q->arena, QUERY_P_COUNT + (size_t)q->info->ncolumns, sizeof *p.pairs);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == ODP_OK; i++)
        status = steps[i](&p);
    if (status == ODP_OK && p.given[QUERY_P_CURSOR].ptr != NULL) {
        q->cursor = odp_arena_copy(q->arena, p.given[QUERY_P_CURSOR]).ptr;
        status = query_cursor_read(q, p.given[QUERY_P_CURSOR], fault);
    }
    return status;
}
