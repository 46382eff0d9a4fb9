/* Any bytes as the header of a receiver's answer, line by line. How long to wait is between nothing and a year, and what a date
 * says, written anew, says the same. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "service/webhooks/deliver/sender_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void date_again(int64_t at)
{
    char text[64];
    time_t t = (time_t)at;
    struct tm parts;
    if (at < 0)
        return;
    must(gmtime_r(&t, &parts) != NULL);
    size_t n = strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    must(parts.tm_year + 1900 < 1000 || (n == 29 && odp_answer_date((struct odp_slice){text, n}) == at));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct odp_answer_head h;
    odp_answer_head_clear(&h);
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t len = end != NULL ? (size_t)(end - (data + at)) + 1 : size - at;
        char *exact = malloc(len);
        must(exact != NULL);
        memcpy(exact, data + at, len);
        odp_answer_head_line(&h, (struct odp_slice){exact, len});
        date_again(odp_answer_date((struct odp_slice){exact, len}));
        free(exact);
        at += len;
    }
    must(h.retry_after < 0 || h.retry_date < 0);
    date_again(h.retry_date);
    date_again(h.date);
    for (int64_t now = 0; now < 5000000000; now += 1710468000) {
        int64_t wait = odp_answer_retry_after(&h, now);
        must(wait >= -1 && wait <= ODP_RETRY_AFTER_MAX);
        must((wait == -1) == (h.retry_after < 0 && h.retry_date < 0));
    }
    return 0;
}
