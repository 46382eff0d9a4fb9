#include "command/values.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "core/origin.h"
#include "service/webhooks/deliver/address.h"

bool value_number(const char *s, int64_t max, int64_t *out)
{
    uint64_t n;
    bool is = strlen(s) <= 15 && odp_number_read(odp_slice_of(s), &n) && n <= (uint64_t)max;
    if (is)
        *out = (int64_t)n;
    return is;
}

/* The unit after the MOST digits, at most, that S begins with, which are *OUT; NULL: there are none, or
 * more. */
static const char *unit_after(const char *s, size_t most, int64_t *out)
{
    uint64_t n;
    struct odp_slice digits = {s, strspn(s, "0123456789")};
    if (digits.len > most || !odp_number_read(digits, &n))
        return NULL;
    *out = (int64_t)n;
    return s + digits.len;
}

/* "64m", "512k", "8g", "1048576". */
bool value_size(const char *s, int64_t *out)
{
    static const char units[] = "kmgt";
    const char *end = unit_after(s, 12, out);
    if (end == NULL || *out == 0 || *end == '\0')
        return end != NULL && *out > 0;
    const char *unit = strchr(units, tolower((unsigned char)*end));
    if (unit == NULL || end[1] != '\0')
        return false;
    int shift = 10 * (int)(unit - units + 1);
    if (*out > (INT64_MAX >> shift))
        return false;
    *out <<= shift;
    return true;
}

/* Days; or with a unit: "7", "7d", "12h", "30m", "90s". Into seconds. */
bool value_span(const char *s, int64_t *out)
{
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {{"", 86400}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}};
    const char *end = unit_after(s, 9, out);
    for (size_t i = 0; end != NULL && i < ODP_COUNT(units); i++)
        if (strcmp(end, units[i].unit) == 0) {
            *out *= units[i].seconds;
            return *out <= 100000LL * 86400;
        }
    return false;
}

/* A word that may go into nginx's configuration or an address unchanged: no blanks, quotes, braces,
 * semicolons, variables. */
static bool is_plain(const char *s)
{
    for (const char *p = s; *p != '\0'; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("\"'{};\\$`", *p) != NULL)
            return false;
    return *s != '\0';
}

bool value_is_url(const char *s)
{
    return is_plain(s) && strlen(s) < 1000 &&
           ((strncmp(s, "https://", 8) == 0 && isalnum((unsigned char)s[8])) ||
            (strncmp(s, "http://", 7) == 0 && (isalnum((unsigned char)s[7]) || s[7] == '[')) ||
            (strncmp(s, "file:///", 8) == 0));
}

bool value_is_host(const char *s)
{
    return odp_origin_host_ok(odp_slice_of(s));
}

bool value_is_cidr(const char *s)
{
    char host[64];
    unsigned char bytes[16];
    const char *slash = strchr(s, '/');
    size_t n = slash != NULL ? (size_t)(slash - s) : strlen(s);
    int64_t bits = 0;
    if (strcmp(s, "unix:") == 0)
        return true;
    if (n == 0 || n >= sizeof host)
        return false;
    memcpy(host, s, n);
    host[n] = '\0';
    bool v6 = inet_pton(AF_INET6, host, bytes) == 1;
    if (!v6 && inet_pton(AF_INET, host, bytes) != 1)
        return false;
    return slash == NULL || value_number(slash + 1, v6 ? 128 : 32, &bits);
}

bool value_is_prefix(const char *s)
{
    struct odp_prefix p;
    return odp_prefix_parse(&p, odp_slice_of(s));
}

/* A parameter's name, as nginx's $arg_NAME can read it. */
bool value_is_parameter(const char *s)
{
    return strlen(s) < 40 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s) && *s != '\0';
}

bool value_content(const char *s, struct content *c)
{
    c->text = s;
    c->mode = strncmp(s, "proxy=", 6) == 0      ? CONTENT_PROXY
              : strncmp(s, "redirect=", 9) == 0 ? CONTENT_REDIRECT
                                                : CONTENT_LOCAL;
    if (c->mode == CONTENT_LOCAL)
        return strcmp(s, "local") == 0;
    if (c->mode == CONTENT_PROXY)
        return value_is_url(s + 6) && strncmp(s + 6, "file:", 5) != 0;
    const char *rest = strchr(s + 9, ',');
    return rest != NULL && is_plain(s) &&
           (strncmp(s + 9, "secure_link,", 12) == 0 || strncmp(s + 9, "s3,", 3) == 0) &&
           value_is_url(rest + 1);
}

bool value_address(const char *text, char host[256], unsigned *port, const char **unix_path)
{
    struct odp_slice name;
    int64_t alone;
    int n;
    unsigned char bytes[16];
    char plain[256];
    *unix_path = NULL;
    *port = 8080;
    if (strncmp(text, "unix:", 5) == 0) {
        *unix_path = text + 5;
        return text[5] == '/' && strlen(text + 5) < 108 && is_plain(text);
    }
    if (!is_plain(text) || strlen(text) > 253)
        return false;
    if (value_number(text, 65535, &alone)) {
        strcpy(host, "127.0.0.1");
        *port = (unsigned)alone;
        return alone > 0;
    }
    if (!odp_host_port(odp_slice_of(text), &name, &n) || n == 0)
        return false;
    if (n > 0)
        *port = (unsigned)n;
    bool v6 = *text == '[';
    (void)snprintf(plain, sizeof plain, "%.*s", (int)name.len, name.ptr);
    (void)snprintf(host, 256, v6 ? "[%.253s]" : "%s", plain);
    return v6 ? inet_pton(AF_INET6, plain, bytes) == 1
              : strcmp(plain, "*") == 0 || strcmp(plain, "localhost") == 0 ||
                    inet_pton(AF_INET, plain, bytes) == 1;
}

bool value_is_loopback(const char *s)
{
    return is_plain(s) && strchr(s, ':') != NULL &&
           (strncmp(s, "127.", 4) == 0 || strncmp(s, "[::1]:", 6) == 0 || strncmp(s, "localhost:", 10) == 0);
}
