#include "sample.h"

#include <stdio.h>

static const char *const months[] = {"Januari", "Februari", "Maret",     "April",   "Mei",      "Juni",
                                     "Juli",    "Agustus",  "September", "Oktober", "November", "Desember"};

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

static const char *zone_name(int offset)
{
    return offset == 480 ? "WITA" : offset == 540 ? "WIT" : "WIB";
}

static void by_pattern(const char *pattern, int64_t days, int64_t seconds, int offset, struct odp_buffer *out)
{
    int y, m, d;
    sample_civil(days, &y, &m, &d);
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p != '%' || p[1] == '\0') {
            odp_buffer_add_char(out, *p);
            continue;
        }
        switch (*++p) {
        case 'd':
            odp_buffer_printf(out, "%02d", d);
            break;
        case 'm':
            odp_buffer_printf(out, "%02d", m);
            break;
        case 'Y':
            odp_buffer_printf(out, "%04d", y);
            break;
        case 'B':
            odp_buffer_add_str(out, months[m - 1]);
            break;
        case 'H':
            odp_buffer_printf(out, "%02d", (int)(seconds / 3600));
            break;
        case 'M':
            odp_buffer_printf(out, "%02d", (int)(seconds / 60 % 60));
            break;
        case 'S':
            odp_buffer_printf(out, "%02d", (int)(seconds % 60));
            break;
        case 'z':
            odp_buffer_printf(out, "+%02d:%02d", offset / 60, offset % 60);
            break;
        case 'Z':
            odp_buffer_add_str(out, zone_name(offset));
            break;
        default:
            odp_buffer_add_char(out, *p);
        }
    }
}

static void moment(const struct sample_value *v, const char *pattern, struct odp_buffer *out)
{
    int64_t local = v->n + (int64_t)v->offset * 60, days = local / 86400, rest = local % 86400;
    if (rest < 0)
        days--, rest += 86400;
    by_pattern(pattern, days, rest, v->offset, out);
}

void sample_canonical(const struct sample_value *v, struct odp_buffer *out)
{
    switch (v->kind) {
    case VALUE_NULL:
        break;
    case VALUE_TEXT:
        odp_buffer_add_slice(out, v->text);
        break;
    case VALUE_NUMBER:
        plain_number(v->n, v->places, '.', '\0', out);
        break;
    case VALUE_DATE:
        by_pattern("%Y-%m-%d", v->n, 0, 0, out);
        break;
    case VALUE_TIME:
        moment(v, "%Y-%m-%dT%H:%M:%S%z", out);
        break;
    case VALUE_BOOL:
        odp_buffer_add_str(out, v->n != 0 ? "true" : "false");
        break;
    }
}

static void number(const struct sample_field *f, const struct recipe *e, const struct sample_value *v,
                   struct odp_buffer *out)
{
    const char *form = !f->bare && e->form != NULL ? e->form : "{}";
    const char *hole = strstr(form, "{}");
    odp_buffer_add(out, form, (size_t)(hole - form));
    plain_number(v->n, v->places, f->decimal, f->type == FORM_YEAR ? '\0' : f->group, out);
    odp_buffer_add_str(out, hole + 2);
}

void sample_render(const struct sample_field *f, const struct recipe *e, const struct sample_value *v,
                   uint64_t pick, struct odp_buffer *out)
{
    switch (v->kind) {
    case VALUE_NULL:
        if (f->missing.n > 0)
            odp_buffer_add_slice(out, f->missing.item[pick % f->missing.n]);
        break;
    case VALUE_TEXT:
        odp_buffer_add_slice(out, v->text);
        break;
    case VALUE_NUMBER:
        number(f, e, v, out);
        break;
    case VALUE_DATE:
        by_pattern(f->type == FORM_YEARMONTH ? "%Y-%m"
                   : f->pattern != NULL      ? f->pattern
                                             : "%Y-%m-%d",
                   v->n, 0, 0, out);
        break;
    case VALUE_TIME:
        moment(v, f->pattern != NULL ? f->pattern : "%Y-%m-%dT%H:%M:%S%z", out);
        break;
    case VALUE_BOOL:
        odp_buffer_add_str(out, v->n != 0 ? (f->true_text != NULL ? f->true_text : "true")
                                          : (f->false_text != NULL ? f->false_text : "false"));
        break;
    }
}
