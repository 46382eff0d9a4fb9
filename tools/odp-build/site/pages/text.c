/* Texts, dates and numbers as people read them; the order of entries. */
#include "site/pages/pages_internal.h"

#include <stdlib.h>

const char *portal_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

const char *portal_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const json_t *text = json_object_get(o, key);
    if (!json_is_object(text))
        return portal_text(o, key);
    const char *mine = portal_text(text, lang == ODP_LANG_ID ? "id" : "en"),
               *other = portal_text(text, lang == ODP_LANG_ID ? "en" : "id");
    return *mine != '\0' ? mine : other;
}

struct dated {
    const json_t *entry;
    struct odp_datetime at;
    size_t order;
};

/* A date is its 00:00 UTC here: the order need not be finer. */
static void read_date(const json_t *entry, struct odp_datetime *at)
{
    struct odp_slice text = odp_slice_of(portal_text(entry, "last_update"));
    if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return;
    if (odp_date_parse(text, ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        *at = (struct odp_datetime){.year = 1, .month = 1, .day = 1};
    at->has_date = at->has_time = at->has_offset = true;
}

static int newest_first(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;
    int c = odp_date_cmp(&y->at, &x->at);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

const json_t **portal_newest(const json_t *entries, size_t *n, struct odp_arena *a)
{
    *n = json_array_size(entries);
    struct dated *dated = odp_arena_zero(a, *n + 1, sizeof *dated);
    const json_t **out = odp_arena_array(a, *n + 1, sizeof *out);
    if (dated == NULL || out == NULL)
        return NULL;
    for (size_t i = 0; i < *n; i++) {
        dated[i].entry = json_array_get(entries, i);
        dated[i].order = i;
        read_date(dated[i].entry, &dated[i].at);
    }
    if (*n > 1)
        qsort(dated, *n, sizeof *dated, newest_first);
    for (size_t i = 0; i < *n; i++)
        out[i] = dated[i].entry;
    return out;
}

json_t *portal_rows_beside(const json_t *of, enum odp_lang lang, struct odp_arena *a)
{
    const json_t *resources = json_object_get(of, "resources");
    json_t *list = json_array();
    for (size_t i = 1; i < json_array_size(resources) && list != NULL; i++) {
        const json_t *r = json_array_get(resources, i);
        const char *rows = portal_number((uint64_t)json_integer_value(json_object_get(r, "rows")), lang, a);
        if (rows == NULL || json_array_append_new(list, json_pack("{s:s, s:s}", "name", portal_text(r, "name"), "rows", rows)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

const char *portal_date(const char *date, enum odp_lang lang, struct odp_arena *a)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_html_plain_date(&out, date, lang);
    const char *text = odp_buffer_status(&out) == ODP_OK ? odp_arena_copy(a, odp_buffer_slice(&out)).ptr : NULL;
    odp_buffer_release(&out);
    return text;
}

const char *portal_number(uint64_t n, enum odp_lang lang, struct odp_arena *a)
{
    char digits[32], out[48];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            out[k++] = lang == ODP_LANG_ID ? '.' : ',';
        out[k++] = digits[i];
    }
    return odp_arena_printf(a, "%.*s", k, out);
}

const char *portal_bytes(uint64_t n, enum odp_lang lang, struct odp_arena *a)
{
    static const char *const units[ODP_LANGS][5] = {{"bita", "KB", "MB", "GB", "TB"}, {"bytes", "kB", "MB", "GB", "TB"}};
    if (n < 1000)
        return odp_arena_printf(a, "%llu %s", (unsigned long long)n, units[lang][0]);
    size_t unit = 1;
    uint64_t tenths = n / 100 + (n % 100 >= 50); /* of 1000 bytes */
    for (; tenths >= 10000 && unit < 4; unit++)
        tenths = (tenths + 500) / 1000;
    const char *whole = portal_number(tenths / 10, lang, a);
    return whole == NULL ? NULL : odp_arena_printf(a, "%s%s%llu %s", whole, lang == ODP_LANG_ID ? "," : ".", (unsigned long long)(tenths % 10), units[lang][unit]);
}
