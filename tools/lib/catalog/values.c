/* Single values: each reader takes a node, reports its fault, and returns a plain value. */
#include <math.h>
#include <stdio.h>

#include "base/datetime.h"
#include "catalog/doc_internal.h"
#include "base/nearest.h"
#include "words/catalog.h"

static bool wrong_type(struct node n, const char *form)
{
    node_fault(n, ODP_C04, NULL, form);
    return false;
}

const char *node_string(struct node n)
{
    if (n.json == NULL)
        return NULL;
    if (json_is_string(n.json))
        return json_string_value(n.json);
    wrong_type(n, "string");
    return NULL;
}

bool node_is_object(struct node n)
{
    return n.json != NULL && (json_is_object(n.json) || wrong_type(n, "{…}"));
}

bool node_is_array(struct node n)
{
    return n.json != NULL && (json_is_array(n.json) || wrong_type(n, "[…]"));
}

bool node_bool(struct node n, bool absent)
{
    if (n.json == NULL)
        return absent;
    if (json_is_boolean(n.json))
        return json_is_true(n.json);
    wrong_type(n, "true, false");
    return absent;
}

bool node_int(struct node n, int64_t min, int64_t max, int64_t *out)
{
    if (n.json == NULL)
        return false;
    if (!json_is_integer(n.json))
        return wrong_type(n, "integer");
    int64_t v = json_integer_value(n.json);
    if (v < min || v > max) {
        char range[64];
        snprintf(range, sizeof range, max == INT64_MAX ? "≥ %lld" : "%lld … %lld", (long long)min,
                 (long long)max);
        node_fault(n, ODP_C05, NULL, range);
        return false;
    }
    *out = v;
    return true;
}

bool node_number(struct node n, double min, double max, double *out)
{
    if (n.json == NULL)
        return false;
    if (!json_is_number(n.json))
        return wrong_type(n, "number");
    double v = json_number_value(n.json);
    if (!isfinite(v) || v < min || v > max) {
        char range[64];
        snprintf(range, sizeof range, "%.0f … %.0f", min, max);
        node_fault(n, ODP_C05, NULL, range);
        return false;
    }
    *out = v;
    return true;
}

char node_char(struct node n, bool empty)
{
    const char *s = node_string(n);
    if (s == NULL || (*s == '\0' && empty))
        return '\0';
    bool visible = *s == '\t' || (*s >= ' ' && *s < 0x7f);
    if (visible && s[1] == '\0')
        return *s;
    node_fault(n, ODP_C05, NULL, "ASCII × 1");
    return '\0';
}

const char *doc_join(struct doc *d, const char *const *choices, size_t n)
{
    size_t len = 1;
    for (size_t i = 0; i < n; i++)
        len += strlen(choices[i]) + 2;
    char *out = doc_zero(d, len, 1), *p = out;
    for (size_t i = 0; i < n; i++)
        p = stpcpy(stpcpy(p, i > 0 ? ", " : ""), choices[i]);
    return out;
}

static size_t count_of(const char *const *list)
{
    size_t n = 0;
    while (list[n] != NULL)
        n++;
    return n;
}

int node_choice(struct node n, const char *const *choices)
{
    return node_choice_meant(n, choices, NULL);
}

int node_choice_meant(struct node n, const char *const *choices, const char *meant)
{
    const char *s = node_string(n);
    if (s == NULL)
        return -1;
    size_t count = count_of(choices);
    for (size_t i = 0; i < count; i++)
        if (strcmp(s, choices[i]) == 0)
            return (int)i;
    const char *nearest = odp_word_nearest(odp_slice_of(s), choices, count);
    node_fault_near(n, ODP_C05, NULL, doc_join(n.doc, choices, count), nearest != NULL ? nearest : meant);
    return -1;
}

struct odp_strings node_strings(struct node n, bool one_allowed)
{
    struct odp_strings out = {0};
    bool one = one_allowed && json_is_string(n.json);
    if (!one && !node_is_array(n))
        return out;
    out.item = doc_zero(n.doc, one ? 1 : json_array_size(n.json), sizeof *out.item);
    if (one) {
        out.item[out.n++] = odp_slice_of(json_string_value(n.json));
        return out;
    }
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        const char *s = node_string(it.item);
        if (s != NULL)
            out.item[out.n++] = odp_slice_of(s);
    }
    return out;
}

const char *node_date(struct node n, bool stamp)
{
    const char *s = node_string(n);
    struct odp_datetime date;
    char text[ODP_DATETIME_SIZE];
    if (s == NULL)
        return NULL;
    enum odp_date_kind kind = ODP_DATE;
    enum odp_date_fault fault = odp_date_parse(odp_slice_of(s), ODP_DATE, NULL, NULL, &date);
    if (fault == ODP_DATE_SYNTAX && stamp) {
        kind = ODP_DATETIME;
        fault = odp_date_parse(odp_slice_of(s), ODP_DATETIME, NULL, NULL, &date);
    }
    if (fault != ODP_DATE_OK) {
        node_say(n, ODP_C04, stamp ? "YYYY-MM-DD, YYYY-MM-DDThh:mm:ss+07:00" : "YYYY-MM-DD",
                 fault == ODP_DATE_SYNTAX ? doc_text(n.doc, W_catalog_no_date, n.key)
                                          : doc_text(n.doc, W_catalog_no_day, n.key));
        return NULL;
    }
    return doc_copy(n.doc, (struct odp_slice){text, odp_date_format(&date, kind, text)}).ptr;
}

bool node_bbox(struct node n, double bbox[4])
{
    static const double limit[4] = {180, 90, 180, 90};
    if (!node_is_array(n))
        return false;
    if (json_array_size(n.json) != 4)
        return wrong_type(n, "[west, south, east, north]");
    size_t good = 0, i = 0;
    for (struct node_iter it = node_iterate(n); node_next(&it); i++)
        good += node_number(it.item, -limit[i], limit[i], &bbox[i]) ? 1 : 0;
    if (good == 4 && (bbox[0] > bbox[2] || bbox[1] > bbox[3])) {
        node_fault(n, ODP_C16, "west, south", "east, north");
        return false;
    }
    return good == 4;
}

struct node node_need(struct node object, const char *key, const char *form)
{
    struct node n = node_get(object, key);
    if (n.json == NULL && json_is_object(object.json))
        node_fault(object, ODP_C03, key, form);
    return n;
}

bool odp_name_ok(const char *name, bool reserved)
{
    static const char *const words[] = {"id",     "v",   "p",       "search", "versions", "webhooks",
                                        "events", "ogc", "openapi", "index",  NULL};
    bool ok = name != NULL && *name != '\0' && strlen(name) <= 100 && strchr("-_.", *name) == NULL;
    for (const char *p = name; ok && *p != '\0'; p++)
        ok = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '-' || *p == '_' || *p == '.';
    for (size_t i = 0; ok && reserved && words[i] != NULL; i++)
        ok = strcmp(name, words[i]) != 0;
    return ok;
}

bool name_check(struct node n, const char *name, bool reserved)
{
    bool ok = odp_name_ok(name, reserved);
    if (!ok)
        node_fault(n, ODP_C06, name, "'-', '_', '.'");
    return ok;
}
