#include "service/state/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/status.h"
#include "core/keys/key.h"

enum { TEXT_MAX = 1024, LINE_MAX_BYTES = 2048 };

size_t odp_log_line(char *out, size_t cap, int64_t now, const char *level, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    char stamp[ODP_DATETIME_SIZE];
    int head = snprintf(out, cap, "%s %s ", odp_moment_utc(now, stamp), level);
    if (head < 0 || cap < 6 || (size_t)head > cap - 6)
        return 0;
    size_t n = (size_t)head;
    for (; *text != '\0' && n + 5 < cap; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != 0x7f) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '\\';
        out[n++] = 'x';
        out[n++] = hex[c >> 4];
        out[n++] = hex[c & 15];
    }
    out[n++] = '\n';
    return n;
}

void odp_log(const char *level, const char *fmt, ...)
{
    char text[TEXT_MAX], line[LINE_MAX_BYTES];
    int errnum = errno;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    (void)odp_key_redact(text, strlen(text));
    size_t len = odp_log_line(line, sizeof line, (int64_t)time(NULL), level, text);
    size_t done = 0;
    while (done < len) { /* one write is one line; a log that cannot be written is nobody's error */
        ssize_t w = write(STDERR_FILENO, line + done, len - done);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            break;
        done += (size_t)w;
    }
    errno = errnum;
}

void odp_log_failure(const char *where)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%s", odp_failure_text());
    odp_failure_clear();
    if (text[0] != '\0')
        odp_log("error", "%s: %s", where, text);
}

void odp_log_change(int *was, int wrong, const char *wrong_text, const char *right_text)
{
    if (*was == wrong)
        return;
    *was = wrong;
    odp_log(wrong != 0 ? "warning" : "info", "%s", wrong != 0 ? wrong_text : right_text);
}

void odp_log_fault(int *was, int wrong, const char *where, const char *why, const char *wrong_text,
                   const char *right_text)
{
    if (wrong != 0 && *was == 0 && why != NULL)
        odp_log("error", "%s: %s", where, why);
    else if (wrong != 0 && *was == 0)
        odp_log_failure(where);
    odp_failure_clear();
    odp_log_change(was, wrong, wrong_text, right_text);
}
