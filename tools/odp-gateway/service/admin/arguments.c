/* What a command was given: texts, numbers, the key, days and moments. */
#include <stdio.h>
#include <string.h>

#include "base/datetime.h"
#include "service/admin/admin_internal.h"
#include "words/admin.h"

const char *odp_admin_text(const struct odp_admin *x, const char *name)
{
    return json_string_value(json_object_get(x->request, name));
}

int64_t odp_admin_number(const struct odp_admin *x, const char *name, int64_t otherwise)
{
    const json_t *v = json_object_get(x->request, name);
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

enum odp_status odp_admin_key(struct odp_admin *x, struct odp_key_info *k)
{
    char number[32];
    enum odp_problem problem = ODP_PROBLEM_INTERNAL;
    const json_t *v = json_object_get(x->request, "key");
    (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
    enum odp_status st = odp_keys_find(x->s, json_is_string(v) ? json_string_value(v) : number, x->now, k, &problem);
    if (st == ODP_BAD && problem == ODP_PROBLEM_CONFLICT)
        return odp_admin_refuse(x, problem, "key", W_admin_more_than_one_key_matches);
    return odp_admin_result(x, st, problem, "key");
}

/* DATE "2024-03-15" as days since 1970. */
static bool parse_day(const char *text, int64_t *day)
{
    struct odp_datetime d;
    if (odp_date_parse(odp_slice_of(text), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    *day = odp_date_days(&d);
    return true;
}

static bool parse_moment(const char *text, int32_t zone_minutes, int64_t *t)
{
    struct odp_datetime d;
    int64_t day = 0;
    if (parse_day(text, &day)) {
        *t = (day + 1) * 86400 - (int64_t)zone_minutes * 60;
        return true;
    }
    if (odp_date_parse(odp_slice_of(text), ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    *t = odp_date_days(&d) * 86400 + d.hour * 3600 + d.minute * 60 + d.second - (int64_t)d.offset * 60;
    return true;
}

enum odp_status odp_admin_day(struct odp_admin *x, const char *name, int64_t otherwise, int64_t *day)
{
    const char *text = odp_admin_text(x, name);
    *day = otherwise;
    if (text == NULL || parse_day(text, day))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, "Tulis tanggal seperti 2024-03-15.",
                            "Write a date like 2024-03-15.");
}

enum odp_status odp_admin_moment(struct odp_admin *x, const char *name, int64_t *t)
{
    const char *text = odp_admin_text(x, name);
    *t = 0;
    if (text == NULL || parse_moment(text, x->settings.zone_minutes, t))
        return ODP_OK;
    return odp_admin_refuse(x, ODP_PROBLEM_FIELD_INVALID, name, W_admin_write_date_moment_like_2024);
}
