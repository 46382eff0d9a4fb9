/* What kind of value a field has, and the values of canonical texts. */
#include "base/bytes.h"
#include "base/datetime.h"
#include "catalog/expr/expr_internal.h"

enum kind expr_kind_of(enum odp_type t)
{
    static const enum kind families[ODP_FAMILIES] = {
        [ODP_FAMILY_TEXT] = KIND_TEXT,       [ODP_FAMILY_NUMBER] = KIND_NUMBER,
        [ODP_FAMILY_TRUTH] = KIND_BOOL,      [ODP_FAMILY_DURATION] = KIND_DURATION,
        [ODP_FAMILY_LIST] = KIND_COMPLEX,    [ODP_FAMILY_POINT] = KIND_COMPLEX,
        [ODP_FAMILY_GEOJSON] = KIND_COMPLEX, [ODP_FAMILY_JSON] = KIND_COMPLEX,
        [ODP_FAMILY_ANY] = KIND_TEXT};
    static const enum kind dates[] = {[ODP_DATE] = KIND_DATE,
                                      [ODP_TIME] = KIND_TIME,
                                      [ODP_DATETIME] = KIND_DATETIME,
                                      [ODP_YEAR] = KIND_NUMBER,
                                      [ODP_YEARMONTH] = KIND_YEARMONTH};
    const struct odp_field_type *type = odp_field_type(t);
    return type->family == ODP_FAMILY_DATE ? dates[type->date] : families[type->family];
}

static __int128 nanos_of(const struct odp_datetime *d)
{
    return ((__int128)d->hour * 3600 + d->minute * 60 + d->second) * 1000000000 + d->nanos;
}

/* Two digits at P as canonical text has them; 100 or more: not digits. */
static int64_t two(const char *p)
{
    unsigned a = (unsigned char)p[0] - (unsigned)'0', b = (unsigned char)p[1] - (unsigned)'0';
    return a > 9 || b > 9 ? 100 : a * 10 + b;
}

/* "2024-03-15" as 20240315. */
static int64_t day_of(const char *p)
{
    uint64_t w = odp_bytes_load8(p), day = odp_bytes_load(p + 8, 2);
    return odp_bytes_number8((w & 0xffffffffu) | (w >> 40 & 0xffff) << 32 | day << 48);
}

struct num expr_value(enum kind kind, struct odp_slice text)
{
    struct odp_datetime d = {0};
    switch (kind) {
    case KIND_NUMBER:
        return num_parse(text);
    case KIND_DATE: /* by digits: 20240315 orders as the calendar does */
        if (text.len == 10 && text.ptr[4] == '-' && text.ptr[7] == '-')
            return num_of(day_of(text.ptr));
        break;
    case KIND_YEARMONTH:
        if (text.len == 7 && text.ptr[4] == '-')
            return num_of(two(text.ptr) * 10000 + two(text.ptr + 2) * 100 + two(text.ptr + 5));
        break;
    case KIND_TIME:
        if (odp_date_parse(text, ODP_TIME, NULL, NULL, &d) == ODP_DATE_OK)
            return num_of(nanos_of(&d));
        break;
    case KIND_DATETIME: /* an instant: nanoseconds since 1970-01-01T00:00:00Z */
        if (odp_date_parse(text, ODP_DATETIME, NULL, NULL, &d) == ODP_DATE_OK)
            return num_of(((__int128)odp_date_days(&d) * 86400 - (__int128)d.offset * 60) * 1000000000 +
                          nanos_of(&d));
        break;
    default:
        break;
    }
    return (struct num){.state = NUM_NULL};
}

int odp_expr_compare(enum odp_type type, struct odp_slice a, struct odp_slice b)
{
    enum kind kind = expr_kind_of(type);
    if (kind == KIND_NUMBER || kind == KIND_DATE || kind == KIND_TIME || kind == KIND_DATETIME ||
        kind == KIND_YEARMONTH) {
        const struct num x = expr_value(kind, a), y = expr_value(kind, b);
        if (x.state != NUM_NULL && y.state != NUM_NULL)
            return num_cmp(&x, &y);
    }
    return odp_slice_cmp(a, b);
}
