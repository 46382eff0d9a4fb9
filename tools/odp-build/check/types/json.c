/* object and array (ODP-T15), geopoint (T14), list (T16): text of other shapes to compact JSON. */
#include "base/decimal.h"
#include "base/json.h"
#include "check/types/types_internal.h"

/* S is valid JSON: quotes are balanced, so a scan for them is enough. */
struct odp_slice odp_json_compact(struct odp_check *c, struct odp_slice s)
{
    struct odp_buffer *out = &c->w->buffer;
    bool inside = false, changed = false;
    odp_buffer_clear(out);
    char *p = odp_buffer_reserve(out, s.len);
    if (p == NULL) {
        c->failed = true;
        return s;
    }
    size_t n = 0;
    for (size_t k = 0; k < s.len; k++) {
        char ch = s.ptr[k];
        if (inside && ch == '\\' && k + 1 < s.len) {
            p[n++] = ch;
            ch = s.ptr[++k];
        } else if (ch == '"') {
            inside = !inside;
        } else if (!inside && (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')) {
            changed = true;
            continue;
        }
        p[n++] = ch;
    }
    return changed ? odp_check_copy(c, (struct odp_slice){p, n}) : s;
}

void odp_type_json(struct odp_check *c, uint32_t field)
{
    bool object = odp_check_field(c, field)->type == ODP_TYPE_OBJECT;
    for (uint32_t i = 0; i < c->n; i++) {
        char first = 0;
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        if (odp_json_valid(c->text[i], &first) && first == (object ? '{' : '['))
            c->text[i] = odp_json_compact(c, c->text[i]);
        else
            odp_check_untyped(c, i, (int)field, ODP_T15)->args[0] =
                object ? ODP_LIT("object") : ODP_LIT("array");
    }
}

/* ---- geopoint ---- */

static bool coordinate(struct odp_slice s, struct odp_slice bound, char out[ODP_DECIMAL_SIZE], size_t *len)
{
    static const struct odp_decimal_form form = {.decimal = '.', .bare = true};
    bool unchanged, zero;
    if (odp_decimal_parse(odp_slice_trim(s), &form, out, len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return false;
    struct odp_slice v = {out, *len}, size = v;
    if (size.ptr[0] == '-') {
        size.ptr++;
        size.len--;
    }
    return odp_decimal_cmp(size, bound) <= 0;
}

/* "lon, lat", and the same between brackets. */
static bool split_pair(struct odp_slice s, struct odp_slice part[2])
{
    const char *comma = memchr(s.ptr, ',', s.len);
    if (comma == NULL)
        return false;
    part[0] = (struct odp_slice){s.ptr, (size_t)(comma - s.ptr)};
    part[1] = (struct odp_slice){comma + 1, s.len - part[0].len - 1};
    return true;
}

/* {"lon": n, "lat": n} in any order. The literals are taken out of the text, so that none goes through
 * double. */
static bool split_object(struct odp_slice s, struct odp_slice part[2])
{
    char first = 0;
    if (!odp_json_valid(s, &first) || first != '{')
        return false;
    part[0] = part[1] = (struct odp_slice){NULL, 0};
    s = (struct odp_slice){s.ptr + 1, s.len - 2};
    for (int k = 0; k < 2; k++) {
        const char *colon = memchr(s.ptr, ':', s.len);
        if (colon == NULL)
            return false;
        struct odp_slice name = odp_slice_trim((struct odp_slice){s.ptr, (size_t)(colon - s.ptr)});
        const char *end = memchr(colon, ',', s.len - (size_t)(colon - s.ptr));
        if ((end != NULL) != (k == 0))
            return false;
        const char *stop = end != NULL ? end : s.ptr + s.len;
        int which = odp_slice_is(name, "\"lon\"") ? 0 : odp_slice_is(name, "\"lat\"") ? 1 : -1;
        if (which < 0 || part[which].ptr != NULL)
            return false;
        part[which] = (struct odp_slice){colon + 1, (size_t)(stop - colon - 1)};
        if (end != NULL)
            s = (struct odp_slice){end + 1, s.len - (size_t)(end + 1 - s.ptr)};
    }
    return true;
}

static bool split_point(struct odp_slice s, enum odp_geopoint_format format, struct odp_slice part[2])
{
    s = odp_slice_trim(s);
    if (format == ODP_GEOPOINT_OBJECT)
        return split_object(s, part);
    if (format == ODP_GEOPOINT_ARRAY) {
        char first = 0;
        if (!odp_json_valid(s, &first) || first != '[')
            return false;
        s = (struct odp_slice){s.ptr + 1, s.len - 2};
    }
    return split_pair(s, part);
}

static struct odp_slice geopoint_form(enum odp_geopoint_format format)
{
    return format == ODP_GEOPOINT_ARRAY    ? ODP_LIT("[106.8, -6.2]")
           : format == ODP_GEOPOINT_OBJECT ? ODP_LIT("{\"lon\": 106.8, \"lat\": -6.2}")
                                           : ODP_LIT("106.8, -6.2 (lon, lat)");
}

void odp_type_geopoint(struct odp_check *c, uint32_t field)
{
    enum odp_geopoint_format format = odp_check_field(c, field)->geopoint_format;
    for (uint32_t i = 0; i < c->n; i++) {
        char lon[ODP_DECIMAL_SIZE], lat[ODP_DECIMAL_SIZE];
        size_t nlon, nlat;
        struct odp_slice part[2];
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        if (split_point(c->text[i], format, part) && coordinate(part[0], ODP_LIT("180"), lon, &nlon) &&
            coordinate(part[1], ODP_LIT("90"), lat, &nlat))
            c->text[i] = odp_check_printf(c, "[%.*s,%.*s]", (int)nlon, lon, (int)nlat, lat);
        else
            odp_check_untyped(c, i, (int)field, ODP_T14)->args[0] = geopoint_form(format);
    }
}

/* ---- list ---- */

/* One item in JSON, appended to OUT; false when it is not of TYPE. */
static bool add_item(struct odp_buffer *out, struct odp_slice s, const struct odp_field *f)
{
    char text[ODP_DECIMAL_SIZE], date[ODP_DATETIME_SIZE];
    size_t len;
    bool unchanged, zero;
    enum odp_type type = f->list_item;
    struct odp_decimal_form form = {.decimal = '.', .bare = true, .integer = type == ODP_TYPE_INTEGER};
    struct odp_datetime d;
    switch (odp_type_family(type)) {
    case ODP_FAMILY_NUMBER:
        if (odp_decimal_parse(odp_slice_trim(s), &form, text, &len, &unchanged, &zero) != ODP_DECIMAL_OK)
            return false;
        odp_buffer_add(out, text, len);
        return true;
    case ODP_FAMILY_TRUTH:
        s = odp_slice_trim(s);
        if (!odp_slice_is(s, "true") && !odp_slice_is(s, "True") && !odp_slice_is(s, "TRUE") &&
            !odp_slice_is(s, "1") && !odp_slice_is(s, "false") && !odp_slice_is(s, "False") &&
            !odp_slice_is(s, "FALSE") && !odp_slice_is(s, "0"))
            return false;
        odp_buffer_add_str(out, s.ptr[0] == 't' || s.ptr[0] == 'T' || s.ptr[0] == '1' ? "true" : "false");
        return true;
    case ODP_FAMILY_DATE: {
        enum odp_date_kind kind = odp_field_type(type)->date;
        if (odp_date_parse(odp_slice_trim(s), kind, NULL, f->time_zone, &d) != ODP_DATE_OK)
            return false;
        odp_json_add_string(out, (struct odp_slice){date, odp_date_format(&d, kind, date)});
        return true;
    }
    default:
        odp_json_add_string(out, s);
        return true;
    }
}

static bool add_list(struct odp_buffer *out, struct odp_slice s, const struct odp_field *f)
{
    char delimiter = f->list_delimiter != 0 ? f->list_delimiter : ',';
    odp_buffer_add_char(out, '[');
    for (;;) {
        const char *end = memchr(s.ptr, delimiter, s.len);
        size_t len = end != NULL ? (size_t)(end - s.ptr) : s.len;
        if (!add_item(out, (struct odp_slice){s.ptr, len}, f))
            return false;
        if (end == NULL)
            break;
        odp_buffer_add_char(out, ',');
        s = (struct odp_slice){end + 1, s.len - len - 1};
    }
    odp_buffer_add_char(out, ']');
    return true;
}

void odp_type_list(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        struct odp_buffer *out = &c->w->buffer;
        odp_buffer_clear(out);
        bool good = true;
        if (c->text[i].len == 0)
            odp_buffer_add_str(out, "[]"); /* only where "" is no missing value */
        else
            good = add_list(out, c->text[i], f);
        if (odp_buffer_status(out) != ODP_OK)
            c->failed = true;
        else if (good)
            c->text[i] = odp_check_copy(c, odp_buffer_slice(out));
        else
            odp_check_untyped(c, i, (int)field, ODP_T16)->args[0] = odp_slice_of(odp_type_name(f->list_item));
    }
}
