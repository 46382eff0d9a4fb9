/* Day numbers (ECMA-376 part 1, 18.17.4): the 1900 system, in which a 29 February 1900 stands that never was,
 * and the 1904 system. */
#include <math.h>

#include "base/datetime.h"
#include "read/xlsx/workbook/workbook_internal.h"

enum { DAY_MS = 86400000, DAYS_1899_12_30 = -25569, DAYS_1904 = -24107, SERIAL_MAX = 2958465 };

static size_t write_time(char *out, uint32_t ms)
{
    int n = snprintf(out, 20, "%02u:%02u:%02u", ms / 3600000 % 24, ms / 60000 % 60, ms / 1000 % 60);
    if (ms % 1000 != 0)
        n += snprintf(out + n, 8, ".%03u", ms % 1000);
    return (size_t)n;
}

size_t wb_serial_iso(double serial, bool from_1904, unsigned style, char out[40])
{
    if (!(serial >= 0) || serial > SERIAL_MAX + 1.0)
        return 0;
    double whole = floor(serial);
    int64_t day = (int64_t)whole;
    uint32_t ms = (uint32_t)lround((serial - whole) * DAY_MS);
    if (ms >= DAY_MS) {
        day++;
        ms = 0;
    }
    if (day == 0 && (style & WB_HAS_DATE) == 0)
        return write_time(out, ms);
    if ((style & WB_ELAPSED) != 0 || (!from_1904 && (day == 0 || day == 60)))
        return 0;
    struct odp_datetime d = {0};
    int64_t since = from_1904 ? day + DAYS_1904 : day + DAYS_1899_12_30 + (day < 60 ? 1 : 0);
    if (since > 2932896) /* 9999-12-31 */
        return 0;
    odp_date_from_days(&d, since);
    size_t n = (size_t)snprintf(out, 16, "%04d-%02u-%02u", d.year, d.month, d.day);
    if (ms != 0 || (style & WB_HAS_TIME) != 0) {
        out[n++] = 'T';
        n += write_time(out + n, ms);
    }
    return n;
}

bool wb_reference(const char *s, size_t n, uint32_t *row, uint32_t *column)
{
    uint32_t c = 0, r = 0;
    size_t i = 0;
    for (; i < n && i < 4; i++) {
        char up = (char)(s[i] >= 'a' && s[i] <= 'z' ? s[i] - 'a' + 'A' : s[i]);
        if (up < 'A' || up > 'Z')
            break;
        c = c * 26 + (uint32_t)(up - 'A') + 1;
    }
    if (i == 0 || i == n || n - i > 9)
        return false;
    for (; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        r = r * 10 + (uint32_t)(s[i] - '0');
    }
    *row = r;
    *column = c - 1;
    return r > 0;
}
