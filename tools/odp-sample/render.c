/* Values as text: plainly, and as a source writes them. */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>

#include "base/datetime.h"
#include "sample.h"

static const char iso_date[] = "%Y-%m-%d", iso_time[] = "%Y-%m-%dT%H:%M:%S%z";

int64_t sample_days(int y, int m, int d)
{
    struct odp_datetime t = {.year = (int16_t)y, .month = (uint8_t)m, .day = (uint8_t)d, .has_date = true};
    return odp_date_days(&t);
}

struct odp_datetime sample_civil(int64_t days)
{
    struct odp_datetime t = {.has_date = true};
    odp_date_from_days(&t, days);
    return t;
}

static void plain_number(int64_t n, int places, char decimal, char group, struct odp_buffer *out)
{
    char digit[32];
    uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    int len = snprintf(digit, sizeof digit, "%0*llu", places + 1, (unsigned long long)u),
        whole = len - places;
    if (n < 0)
        odp_buffer_add_char(out, '-');
    for (int i = 0; i < whole; i++) {
        if (i > 0 && group != '\0' && (whole - i) % 3 == 0)
            odp_buffer_add_char(out, group);
        odp_buffer_add_char(out, digit[i]);
    }
    if (places > 0) {
        odp_buffer_add_char(out, decimal);
        odp_buffer_add(out, digit + whole, (size_t)places);
    }
}

/* A date (days since 1970) or a time (seconds) by a pattern like strftime's. */
static void by_pattern(const struct sample_value *v, const char *pattern, struct odp_buffer *out)
{
    int64_t local = v->kind == VALUE_TIME ? v->n + (int64_t)v->offset * 60 : v->n * 86400,
            days = (local - (local % 86400 + 86400) % 86400) / 86400;
    int second = (int)(local - days * 86400), hours = v->offset / 60;
    const struct odp_datetime t = sample_civil(days);
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%' || p[1] == '\0') {
            odp_buffer_add_char(out, *p);
            continue;
        }
        const struct {
            char letter;
            int width, value;
        } numbers[] = {{'d', 2, t.day},         {'m', 2, t.month},          {'Y', 4, t.year},
                       {'H', 2, second / 3600}, {'M', 2, second / 60 % 60}, {'S', 2, second % 60}};
        p++;
        for (size_t i = 0; i < ODP_COUNT(numbers); i++)
            if (numbers[i].letter == *p)
                odp_buffer_printf(out, "%0*d", numbers[i].width, numbers[i].value);
        if (*p == 'B')
            odp_buffer_add_str(out, odp_date_month_name(t.month, false));
        else if (*p == 'z')
            odp_buffer_printf(out, "+%02d:%02d", hours, v->offset % 60);
        else if (*p == 'Z')
            odp_buffer_add_str(out, hours == 8 ? "WITA" : hours == 9 ? "WIT" : "WIB");
        else if (strchr("dmYHMS", *p) == NULL)
            odp_buffer_add_char(out, *p);
    }
}

void sample_canonical(const struct sample_value *v, struct odp_buffer *out)
{
    static const struct sample_field plain = {.decimal = '.', .bare = true};
    sample_render(&plain, v, 0, out);
}

static void number(const struct sample_field *f, const struct sample_value *v, struct odp_buffer *out)
{
    const char *form = !f->bare && f->recipe->form != NULL ? f->recipe->form : "{}";
    const char *hole = strstr(form, "{}");
    odp_buffer_add(out, form, (size_t)(hole - form));
    plain_number(v->n, v->places, f->decimal, f->type == FORM_YEAR ? '\0' : f->group, out);
    odp_buffer_add_str(out, hole + 2);
}

void sample_render(const struct sample_field *f, const struct sample_value *v, uint64_t pick,
                   struct odp_buffer *out)
{
    const char *truth = v->n != 0 ? f->true_text : f->false_text, *pattern = f->pattern;
    switch (v->kind) {
    case VALUE_NULL:
        if (f->missing.n > 0)
            odp_buffer_add_slice(out, f->missing.item[pick % f->missing.n]);
        break;
    case VALUE_TEXT:
        odp_buffer_add_slice(out, v->text);
        break;
    case VALUE_NUMBER:
        number(f, v, out);
        break;
    case VALUE_DATE:
        if (f->type == FORM_YEARMONTH)
            pattern = "%Y-%m";
        by_pattern(v, pattern != NULL ? pattern : iso_date, out);
        break;
    case VALUE_TIME:
        by_pattern(v, pattern != NULL ? pattern : iso_time, out);
        break;
    case VALUE_BOOL:
        odp_buffer_add_str(out, truth != NULL ? truth : v->n != 0 ? "true" : "false");
        break;
    }
}

struct odp_slice sample_encode(struct sample_context *c, const char *encoding, struct odp_slice text,
                               struct odp_buffer *buffer)
{
    size_t ascii = 0;
    while (ascii < text.len && ((unsigned char)text.ptr[ascii] & 0x80) == 0)
        ascii++;
    if (encoding == NULL || ascii == text.len)
        return text;
    char *in = (char *)(uintptr_t)text.ptr;
    size_t left = text.len, room = text.len * 4 + 16;
    odp_buffer_clear(buffer);
    char *to = odp_buffer_reserve(buffer, room), *start = to;
    sample_note(c, odp_buffer_status(buffer));
    if (to == NULL)
        return odp_buffer_slice(buffer);
    iconv_t cd = iconv_open(encoding, "UTF-8");
    if (cd == (iconv_t)-1) {
        sample_note(c, odp_failure_set("iconv_open", encoding, errno));
        return odp_buffer_slice(buffer);
    }
    if (iconv(cd, &in, &left, &to, &room) == (size_t)-1)
        sample_note(c, odp_failure_set("iconv", encoding, errno));
    (void)iconv_close(cd);
    buffer->len = (size_t)(to - start);
    return odp_buffer_slice(buffer);
}
