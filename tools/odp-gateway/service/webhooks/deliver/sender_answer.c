/* What the header of an answer says: how the attempt ended and how long to wait. Pure. */
#include <strings.h>

#include "base/datetime.h"
#include "service/webhooks/deliver/sender_internal.h"

void odp_answer_head_clear(struct odp_answer_head *h)
{
    *h = (struct odp_answer_head){-1, -1, -1};
}

/* Digits and nothing else; more than the largest is the largest. */
static int64_t seconds(struct odp_slice text)
{
    int64_t v = text.len > 0 ? 0 : -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return -1;
        v = v * 10 + (text.ptr[i] - '0');
        v = v > ODP_RETRY_AFTER_MAX ? ODP_RETRY_AFTER_MAX : v;
    }
    return v;
}

int64_t odp_answer_date(struct odp_slice text)
{
    static const char *const patterns[] = {"%a, %d %b %Y %H:%M:%S", "%A, %d-%b-%y %H:%M:%S",
                                           "%a %b %e %H:%M:%S %Y"};
    struct odp_datetime d;
    struct odp_slice gmt = ODP_LIT(" GMT");
    text = odp_slice_trim(text);
    bool zoned = text.len > gmt.len && memcmp(text.ptr + text.len - gmt.len, gmt.ptr, gmt.len) == 0;
    text.len -= zoned ? gmt.len : 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (zoned != (i < 2) || odp_date_parse(text, ODP_DATETIME, patterns[i], "UTC", &d) != ODP_DATE_OK)
            continue;
        int64_t at = odp_date_days(&d) * 86400 + d.hour * 3600 + d.minute * 60 + d.second;
        return at >= 0 ? at : -1;
    }
    return -1;
}

static bool is_field(struct odp_slice line, struct odp_slice name, struct odp_slice *value)
{
    if (line.len <= name.len || line.ptr[name.len] != ':' || strncasecmp(line.ptr, name.ptr, name.len) != 0)
        return false;
    *value = odp_slice_trim((struct odp_slice){line.ptr + name.len + 1, line.len - name.len - 1});
    return true;
}

void odp_answer_head_line(struct odp_answer_head *h, struct odp_slice line)
{
    struct odp_slice value;
    if (is_field(line, ODP_LIT("Retry-After"), &value)) {
        if (h->retry_after >= 0 || h->retry_date >= 0)
            return;
        h->retry_after = seconds(value);
        if (h->retry_after < 0)
            h->retry_date = odp_answer_date(value);
    } else if (h->date < 0 && is_field(line, ODP_LIT("Date"), &value)) {
        h->date = odp_answer_date(value);
    }
}

int64_t odp_answer_retry_after(const struct odp_answer_head *h, int64_t now)
{
    if (h->retry_after >= 0 || h->retry_date < 0)
        return h->retry_after;
    int64_t wait = h->retry_date - (h->date >= 0 ? h->date : now);
    return wait < 0 ? 0 : wait > ODP_RETRY_AFTER_MAX ? ODP_RETRY_AFTER_MAX : wait;
}

enum odp_outcome odp_answer_outcome(long status)
{
    switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return ODP_OUTCOME_REDIRECT;
    case 410:
        return ODP_OUTCOME_GONE;
    case 429:
    case 502:
    case 503:
    case 504:
        return ODP_OUTCOME_SLOW_DOWN;
    default:
        return status >= 200 && status < 300 ? ODP_OUTCOME_DELIVERED
               : status >= 100               ? ODP_OUTCOME_REFUSED
                                             : ODP_OUTCOME_BROKEN;
    }
}
