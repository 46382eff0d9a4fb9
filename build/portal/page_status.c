/* status.html: how fresh each dataset is. A build has no clock: what is late, and whether the service answers, status.js finds out at the
 * reader's. */
#include <errno.h>

#include "base/datetime.h"
#include "portal/parts.h"

struct status_page {
    struct portal *p;
    enum odp_lang lang;
    struct odp_doc d;
    struct odp_arena arena;
};

static void set(struct status_page *s, json_t *o, const char *key, const char *text)
{
    s->d.failed = s->d.failed || text == NULL;
    odp_doc_set_str(&s->d, o, key, text != NULL ? text : "");
}

/* http://publications.europa.eu/resource/authority/frequency, as far as it says when: every so many months, or days. */
static const struct {
    const char *code;
    int months, days;
} frequencies[] = {
    {"ANNUAL", 12, 0},    {"ANNUAL_2", 6, 0},   {"ANNUAL_3", 4, 0},     {"BIENNIAL", 24, 0},  {"BIMONTHLY", 2, 0},
    {"BIWEEKLY", 0, 14},  {"DAILY", 0, 1},      {"DAILY_2", 0, 1},      {"DECENNIAL", 120, 0}, {"HOURLY", 0, 1},
    {"MONTHLY", 1, 0},    {"MONTHLY_2", 0, 16}, {"MONTHLY_3", 0, 11},   {"QUADRENNIAL", 48, 0}, {"QUARTERLY", 3, 0},
    {"QUINQUENNIAL", 60, 0}, {"TRIENNIAL", 36, 0}, {"WEEKLY", 0, 7},    {"WEEKLY_2", 0, 4},   {"WEEKLY_3", 0, 3}};

static uint8_t last_day(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* The day after DATE by FREQUENCY, in OUT; false where it says no day. 31 January and a month is the last of February. */
static bool next_day(const char *date, const char *frequency, char out[ODP_DATETIME_SIZE])
{
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(date);
    day.len = day.len > 10 ? 10 : day.len;
    if (odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        if (strcmp(frequencies[i].code, frequency) != 0)
            continue;
        int months = d.year * 12 + d.month - 1 + frequencies[i].months, year = months / 12, month = months % 12 + 1;
        if (year > 9998)
            return false;
        d.year = (int16_t)year;
        d.month = (uint8_t)month;
        d.day = d.day > last_day(year, month) ? last_day(year, month) : d.day;
        odp_date_from_days(&d, odp_date_days(&d) + frequencies[i].days);
        (void)odp_date_format(&d, ODP_DATE, out);
        return true;
    }
    return false;
}

static json_t *make_row(struct status_page *s, const json_t *entry)
{
    const char *date = portal_text(entry, "last_update"), *frequency = portal_text(entry, "frequency");
    const char *key = odp_arena_printf(&s->arena, "status_f_%s", *frequency != '\0' ? frequency : "none");
    const char *word = key != NULL ? odp_templates_word(s->p->templates, key, s->lang) : NULL;
    char due[ODP_DATETIME_SIZE];
    json_t *o = json_object();
    s->d.failed = s->d.failed || key == NULL;
    set(s, o, "title", portal_in(entry, "title", s->lang));
    set(s, o, "href", odp_arena_printf(&s->arena, "%s%s.html", portal_path(PORTAL_dataset_dir, s->lang), portal_text(entry, "slug")));
    set(s, o, "date", date);
    set(s, o, "date_text", portal_date(date, s->lang, &s->arena));
    set(s, o, "version", portal_text(entry, "version"));
    set(s, o, "frequency", word != NULL ? word : frequency);
    odp_doc_set(&s->d, o, "deprecated", json_boolean(strcmp(portal_text(entry, "state"), "deprecated") == 0));
    if (next_day(date, frequency, due)) {
        set(s, o, "due", due);
        set(s, o, "due_text", portal_date(due, s->lang, &s->arena));
    }
    return o;
}

enum odp_status portal_make_status(struct portal *p, enum odp_lang lang)
{
    static const char *const keys[] = {"status_js_ok",    "status_js_down", "status_js_static",  "status_js_time",          "status_js_release",
                                       "status_js_tiers", "status_js_code", "status_js_overdue", "status_js_overdue_count", "status_js_on_time",
                                       NULL};
    struct status_page s = {.p = p, .lang = lang};
    json_t *data = json_object(), *rows = json_array();
    odp_arena_init(&s.arena);
    for (size_t i = 0; i < json_array_size(p->job->entries); i++)
        odp_doc_add(&s.d, rows, make_row(&s, json_array_get(p->job->entries, i)));
    odp_doc_set(&s.d, data, "any_datasets", json_boolean(p->n > 0));
    odp_doc_set(&s.d, data, "datasets", rows);
    odp_doc_set(&s.d, data, "words", portal_words(p, lang, keys));
    const struct portal_head head = {.page = "status", .title = odp_templates_word(p->templates, "status_title", lang),
                                     .description = odp_templates_word(p->templates, "status_description", lang),
                                     .path = {portal_path(PORTAL_status, ODP_LANG_ID), portal_path(PORTAL_status, ODP_LANG_EN)},
                                     .cls = ODP_CLASS_PUBLIC};
    enum odp_status status;
    if (s.d.failed || head.title == NULL)
        status = odp_failure_set("make", portal_path(PORTAL_status, lang), ENOMEM);
    else
        status = portal_put(p, lang, &head, json_incref(data));
    json_decref(data);
    odp_arena_release(&s.arena);
    return status;
}
