/* What a table's columns hold, of its profile.json: how many records have a value, from where to where the
 * values go and how they are spread. For the page alone; a version without a profile says nothing of it. */
#include <errno.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "catalog/field_type.h"
#include "site/model/model_internal.h"

enum { TOP = 10, FIRST = 3, OFTEN = 5, BAR = 10, HEIGHT = 40, WIDTH = 100 };

struct column {
    struct model *m;
    const json_t *schema, *field, *profile; /* the schema's, and the profile's */
    enum odp_type type;
    json_int_t filled;
    json_t *o;
};

/* "12.5" per cent: neither 0 nor 100 where it is not exactly that. */
static json_t *share_of(json_int_t n, json_int_t all)
{
    json_int_t tenths = all > 0 ? (1000 * n + all / 2) / all : 0;
    tenths = n > 0 && tenths == 0 ? 1 : n < all && tenths == 1000 ? 999 : tenths;
    return tenths % 10 == 0 ? json_sprintf("%d", (int)(tenths / 10))
                            : json_sprintf("%d.%d", (int)(tenths / 10), (int)(tenths % 10));
}

static bool is_day(enum odp_type type)
{
    return type == ODP_TYPE_DATE || type == ODP_TYPE_DATETIME;
}

static json_t *figure(const struct column *c, const char *text)
{
    return odp_type_is_number(c->type) ? model_decimal(text) : json_string(text);
}

/* ---- from where to where ---- */

static size_t decimals_of(const char *text)
{
    const char *point = strchr(text, '.');
    return point != NULL ? strlen(point + 1) : 0;
}

/* In one decimal more than the values have. */
static json_t *mean_of(const struct column *c, const char *low, const char *high)
{
    char text[40];
    const size_t a = decimals_of(low), b = decimals_of(high), places = (a > b ? a : b) + 1;
    const char *mean = odp_text_of(c->profile, "mean");
    const double value = strtod(mean, NULL);
    if (places < decimals_of(mean) && value > -1e14 && value < 1e14) {
        text[odp_decimal_fixed(value, (int)places, text)] = '\0';
        mean = text;
    }
    return model_decimal(mean);
}

/* The mean of codes and keys is no figure. */
static bool is_measured(const struct column *c)
{
    const char *name = odp_text_of(c->field, "name");
    const json_t *key;
    bool code = odp_model_has(json_object_get(c->schema, "primaryKey"), name) ||
                json_object_get(c->field, "categories") != NULL || model_list_of(c->schema, name) != NULL;
    size_t i;
    json_array_foreach(json_object_get(c->schema, "foreignKeys"), i, key) code =
        code || odp_model_has(json_object_get(key, "fields"), name);
    return model_is_number(c->field) && !code;
}

static void set_range(const struct column *c)
{
    const char *low = odp_text_of(c->profile, "minimum"), *high = odp_text_of(c->profile, "maximum");
    if (*low == '\0')
        return;
    json_t *range = json_pack("{s:o, s:o, s:b, s:b}", "low", figure(c, low), "high", figure(c, high),
                              "is_day", (int)is_day(c->type), "is_one", (int)(strcmp(low, high) == 0));
    if (is_measured(c) && *odp_text_of(c->profile, "mean") != '\0')
        odp_set(range, "mean", mean_of(c, low, high));
    odp_set(c->o, "range", range);
}

/* ---- how they are spread ---- */

/* The last value of an interval that ends before BOUND, or NULL: between numbers there are always others. */
static const char *last_before(const struct column *c, const char *bound)
{
    struct odp_datetime d;
    if (c->type == ODP_TYPE_INTEGER || c->type == ODP_TYPE_YEAR) {
        errno = 0;
        const long long n = strtoll(bound, NULL, 10);
        return errno == 0 ? model_printf(c->m, "%lld", n - 1) : NULL;
    }
    if (odp_type_is_number(c->type))
        return NULL;
    const bool month = c->type == ODP_TYPE_YEARMONTH;
    if (odp_date_parse(odp_slice_of(bound), month ? ODP_YEARMONTH : ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return NULL; /* the year 10000 */
    d.day = month ? 1 : d.day;
    odp_date_from_days(&d, odp_date_days(&d) - 1);
    return month ? model_printf(c->m, "%04d-%02d", d.year, d.month)
                 : model_printf(c->m, "%04d-%02d-%02d", d.year, d.month, d.day);
}

static json_t *make_interval(const struct column *c, const char *low, const char *bound, json_int_t count)
{
    const char *greatest = odp_text_of(c->profile, "maximum");
    const char *last = strcmp(low, greatest) == 0 ? low : last_before(c, bound); /* 100 per cent is the end */
    return json_pack("{s:o, s:o, s:b, s:b, s:b, s:I, s:o}", "low", figure(c, low), "high",
                     figure(c, last != NULL ? last : bound), "is_day", (int)is_day(c->type), "is_one",
                     (int)(last != NULL && strcmp(low, last) == 0), "is_open", (int)(last == NULL), "count",
                     count, "share", share_of(count, c->filled));
}

/* One bar alone is no picture. */
static void set_histogram(const struct column *c)
{
    const json_t *from = json_object_get(c->profile, "histogram"), *bounds = json_object_get(from, "bounds"),
                 *counts = json_object_get(from, "counts");
    const size_t n = json_array_size(counts);
    json_int_t peak = 0;
    json_t *bars = json_array(), *list = json_array(), *most = NULL;
    for (size_t i = 0; i < n; i++) {
        const json_int_t count = json_integer_value(json_array_get(counts, i));
        const char *low = json_string_value(json_array_get(bounds, i)),
                   *high = json_string_value(json_array_get(bounds, i + 1));
        odp_add(list, make_interval(c, low != NULL ? low : "", high != NULL ? high : "", count));
        if (count > peak) {
            peak = count;
            most = json_array_get(list, i);
        }
    }
    for (size_t i = 0; i < n && peak > 0; i++) {
        const json_int_t count = json_integer_value(json_array_get(counts, i));
        const int height = (int)((HEIGHT * count + peak - 1) / peak);
        if (count > 0)
            odp_add(bars,
                    json_pack("{s:i, s:i, s:i}", "x", (int)i * BAR, "y", HEIGHT - height, "height", height));
    }
    if (n > 1 && most != NULL)
        odp_set(c->o, "histogram",
                json_pack("{s:i, s:I, s:O, s:O, s:O}", "width", (int)n * BAR, "n", (json_int_t)n, "bars",
                          bars, "intervals", list, "peak", most));
    json_decref(bars);
    json_decref(list);
}

/* ---- how often ---- */

static json_t *make_value(const struct column *c, const char *value, json_int_t count)
{
    json_t *label = model_label(c->m, c->schema, odp_text_of(c->field, "name"), value);
    const bool named = label != NULL;
    if (!named)
        label = model_shown(c->m, c->field, value);
    return json_pack("{s:s, s:o, s:b, s:I, s:o, s:I}", "value", value, "label", label, "is_code", (int)named,
                     "count", count, "share", share_of(count, c->filled), "width",
                     c->filled > 0 ? (WIDTH * count + c->filled - 1) / c->filled : 0);
}

static int most_first(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    const json_int_t m = odp_model_number(x, "count"), n = odp_model_number(y, "count");
    return m != n ? (m < n) - (m > n) : strcmp(odp_text_of(x, "value"), odp_text_of(y, "value"));
}

/* The figures of VALUE of a list: at its code, which is told anyway. */
static void count_code(const struct column *c, json_t *codes, const json_t *value)
{
    json_t *code;
    size_t i;
    json_array_foreach(codes, i,
                       code) if (strcmp(odp_text_of(code, "value"), odp_text_of(value, "value")) == 0)
    {
        odp_set_copy(code, value, "count");
        odp_set_copy(code, value, "share");
    }
}

static void set_values(const struct column *c, json_t *codes)
{
    const json_t *listed = json_object_get(c->profile, "values"),
                 *frequent = json_object_get(c->profile, "frequent"), *one;
    const char *text;
    const size_t n = json_object_size(listed) + json_array_size(frequent);
    json_t **all = odp_arena_zero(&c->m->arena, n + 1, sizeof(json_t *)), *top = json_array(), *count;
    json_int_t rest = c->filled;
    bool any = false;
    size_t k = 0, i;
    json_object_foreach((json_t *)listed, text, count) all[k++] =
        make_value(c, text, json_integer_value(count));
    json_array_foreach(frequent, i, one) all[k++] =
        make_value(c, odp_text_of(one, "value"), odp_model_number(one, "count"));
    if (k > 1)
        qsort(all, k, sizeof *all, most_first);
    for (i = 0; i < k; i++) {
        count_code(c, codes, all[i]);
        const bool first = i < FIRST && odp_model_number(all[i], "width") >= OFTEN;
        odp_set_flag(all[i], "is_first", first);
        any = any || first;
        rest -= i < TOP ? odp_model_number(all[i], "count") : 0;
        if (i < TOP)
            odp_add(top, json_incref(all[i]));
        json_decref(all[i]);
    }
    for (i = 0; k > 0 && i < json_array_size(codes); i++)
        if (json_object_get(json_array_get(codes, i), "count") == NULL) {
            odp_set_number(json_array_get(codes, i), "count", 0);
            odp_set_number(json_array_get(codes, i), "share", 0);
        }
    odp_set_flag(c->o, "has_first", any);
    odp_set_flag(c->o, "has_top", k > 0);
    odp_set(c->o, "top", top);
    if (k > 0 && rest > 0)
        odp_set_number(c->o, "rest", rest);
}

/* ---- all of a table ---- */

static void set_facts(struct model *m, const struct table *t, json_t *o, const json_t *profile,
                      json_int_t rows)
{
    const json_int_t nulls = odp_model_number(profile, "nulls"),
                     distinct = odp_model_number(profile, "distinct");
    const char *name = odp_text_of(o, "name");
    struct column c = {.m = m,
                       .schema = t->schema,
                       .field = model_field(t->schema, name),
                       .profile = profile,
                       .type = odp_type_of(odp_slice_of(odp_text_of(profile, "type"))),
                       .filled = rows - nulls,
                       .o = json_object()};
    odp_set_number(c.o, "filled", c.filled);
    odp_set(c.o, "share", share_of(c.filled, rows));
    odp_set_flag(c.o, "is_full", nulls == 0);
    odp_set_number(c.o, "distinct", distinct);
    odp_set_flag(c.o, "estimated", json_is_true(json_object_get(profile, "estimated")));
    set_range(&c);
    set_histogram(&c);
    set_values(&c, json_object_get(o, "codes"));
    odp_set(o, "facts", c.o);
}

void model_profile(struct model *m, struct table *t)
{
    json_t *profile =
               model_read(m, model_printf(m, "data/%s/%s/profile%s.json", m->slug, m->version, t->suffix)),
           *field;
    const json_int_t rows = odp_model_number(profile, "rows");
    size_t i;
    json_array_foreach(json_object_get(t->o, "fields"), i, field)
    {
        const json_t *of =
            odp_model_find(json_object_get(profile, "fields"), "name", odp_text_of(field, "name"));
        if (of != NULL && rows > 0)
            set_facts(m, t, field, of, rows);
    }
    json_decref(profile);
}
