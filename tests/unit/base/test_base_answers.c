/* Numbers, dates and identifiers in texts: the rows of answers/decimals.txt, dates.txt and identifiers.txt.
 */
#include "answer_lines.h"

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/privacy.h"

/* "WORDS [TEXT]": TEXT, and the words before it. */
static struct odp_slice bracketed(struct odp_slice question, char *words, size_t cap)
{
    const char *open = memchr(question.ptr, '[', question.len), *close = question.ptr + question.len - 1;
    assert_true(open != NULL && *close == ']');
    snprintf(words, cap, "%.*s", (int)(open - question.ptr), question.ptr);
    return (struct odp_slice){open + 1, (size_t)(close - open) - 1};
}

/* ---- decimals ---- */

static void read_form(struct odp_decimal_form *form, const char *words)
{
    *form = (struct odp_decimal_form){
        .decimal = *words,
        .bare = strstr(words, " bare") != NULL,
        .integer = strstr(words, " integer") != NULL,
    };
    if (words[1] == ' ' && (words[2] == '.' || words[2] == ','))
        form->group = words[2];
    else if (strstr(words, " space") != NULL)
        form->group = ' ';
}

static void parse_decimal(const struct odp_decimal_form *form, struct odp_slice text, struct odp_buffer *out)
{
    static const char *const faults[] = {
        [ODP_DECIMAL_EMPTY] = "empty",           [ODP_DECIMAL_SYNTAX] = "not a number",
        [ODP_DECIMAL_GROUP] = "misplaced group", [ODP_DECIMAL_OTHER_MARK] = "the other decimal sign",
        [ODP_DECIMAL_FRACTION] = "a fraction",   [ODP_DECIMAL_NOT_FINITE] = "not finite",
        [ODP_DECIMAL_TOO_LONG] = "too long"};
    char literal[ODP_DECIMAL_SIZE];
    size_t n;
    bool same, zeros;
    enum odp_decimal_fault fault = odp_decimal_parse(text, form, literal, &n, &same, &zeros);
    if (fault != ODP_DECIMAL_OK) {
        odp_buffer_printf(out, "refused: %s", faults[fault]);
        return;
    }
    odp_buffer_printf(out, "%.*s%s%s", (int)n, literal, same ? ", unchanged" : "",
                      zeros ? ", zeros in front" : "");
}

static void answer_decimal(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char words[40], text[ODP_DECIMAL_SIZE];
    if (strncmp(question.ptr, "form ", 5) == 0) {
        read_form(ctx, question.ptr + 5);
        return;
    }
    struct odp_slice number = bracketed(question, words, sizeof words);
    if (*words == '\0') {
        parse_decimal(ctx, number, out);
    } else if (strcmp(words, "normal ") == 0) {
        odp_buffer_add(out, text, odp_decimal_normal(number, text));
    } else {
        text[odp_decimal_fixed(strtod(number.ptr, NULL), atoi(words + strlen("fixed ")), text)] = '\0';
        odp_buffer_printf(out, "%s", *text != '\0' ? text : "refused");
    }
}

/* ---- dates ---- */

struct dates {
    enum odp_date_kind kind;
    char zone[32], pattern[64];
};

static const char *const kinds[] = {"date", "time", "datetime", "year", "yearmonth"};

static enum odp_date_kind kind_of(const char *word)
{
    for (size_t i = 0; i < ODP_COUNT(kinds); i++)
        if (strcmp(word, kinds[i]) == 0)
            return (enum odp_date_kind)i;
    fail_msg("%s", word);
    return ODP_DATE;
}

static void set_dates(struct dates *d, const char *words)
{
    char kind[16];
    const char *zone = strstr(words, " zone="), *pattern = strstr(words, " pattern=");
    assert_true(zone != NULL && pattern != NULL);
    snprintf(kind, sizeof kind, "%.*s", (int)(zone - words), words);
    snprintf(d->zone, sizeof d->zone, "%.*s", (int)(pattern - zone - 6), zone + 6);
    snprintf(d->pattern, sizeof d->pattern, "%s", pattern + 9);
    d->kind = kind_of(kind);
    assert_true(*d->pattern == '\0' || odp_date_pattern_ok(d->pattern, d->kind));
}

static void parse_date(const struct dates *dates, struct odp_slice text, struct odp_buffer *out)
{
    static const char *const faults[] = {
        [ODP_DATE_SYNTAX] = "not of the pattern",
        [ODP_DATE_RANGE] = "no such day or time",
        [ODP_DATE_NO_OFFSET] = "no offset",
        [ODP_DATE_WEEKDAY] = "another weekday",
    };
    struct odp_datetime d;
    char canonical[ODP_DATETIME_SIZE];
    enum odp_date_fault fault =
        odp_date_parse(text, dates->kind, *dates->pattern != '\0' ? dates->pattern : NULL,
                       *dates->zone != '\0' ? dates->zone : NULL, &d);
    if (fault != ODP_DATE_OK)
        odp_buffer_printf(out, "refused: %s", faults[fault]);
    else
        odp_buffer_add(out, canonical, odp_date_format(&d, dates->kind, canonical));
}

static void answer_date(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char words[40];
    if (question.ptr[question.len - 1] != ']') {
        set_dates(ctx, question.ptr);
        return;
    }
    struct odp_slice text = bracketed(question, words, sizeof words);
    int16_t minutes;
    if (*words == '\0') {
        parse_date(ctx, text, out);
    } else if (strncmp(words, "pattern of ", 11) == 0) {
        char pattern[64];
        snprintf(pattern, sizeof pattern, "%.*s", (int)text.len, text.ptr);
        words[strlen(words) - 1] = '\0';
        odp_buffer_add_str(out, odp_date_pattern_ok(pattern, kind_of(words + 11)) ? "fits" : "refused");
    } else if (strcmp(words, "duration ") == 0) {
        odp_buffer_add_str(out, odp_duration_ok(text) ? "a duration" : "refused");
    } else {
        snprintf(words, sizeof words, "%.*s", (int)text.len, text.ptr);
        if (odp_zone_offset(words, &minutes))
            odp_buffer_printf(out, "%d", minutes);
        else
            odp_buffer_add_str(out, "unknown");
    }
}

/* ---- identifiers ---- */

static void answer_identifier(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static const char *const names[] = {
        [ODP_PRIVACY_NIK] = "NIK",
        [ODP_PRIVACY_NPWP] = "NPWP",
        [ODP_PRIVACY_PHONE] = "telephone",
        [ODP_PRIVACY_EMAIL] = "e-mail",
    };
    char words[8];
    size_t start, len, at = 0;
    struct odp_slice text = bracketed(question, words, sizeof words);
    for (enum odp_privacy_kind kind; (kind = odp_privacy_find(text, at, &start, &len)) != ODP_PRIVACY_NONE;
         at = start + len)
        odp_buffer_printf(out, "%s %.*s\n", names[kind], (int)len, text.ptr + start);
    odp_buffer_add_str(out, "shown: ");
    odp_privacy_mask(text, out);
}

TEST(answers)
{
    struct odp_decimal_form form = {.decimal = '.', .bare = true};
    struct dates dates = {.kind = ODP_DATE};
    answer_lines("base/answers/decimals.txt", answer_decimal, &form);
    answer_lines("base/answers/dates.txt", answer_date, &dates);
    answer_lines("base/answers/identifiers.txt", answer_identifier, NULL);
}
