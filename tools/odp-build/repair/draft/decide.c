/* The type of a column, by counts over the whole file: numbers, days, years, yes and no. Anything else is a
 * string (decide_text.c).
 *
 * 1.203 in all values: thousands or decimals? The file's other columns tell; else what excludes one
 * (a plain 3000, a 0.5, a latitude); else thousands, with a doubt. If the file groups thousands, smaller
 * numbers take the same groupChar: the next delivery may be larger. 05/06/2024 in all values: day first, with
 * a doubt; one date in the whole file may decide otherwise. Text around numbers is dropped (bareNumber false)
 * only if it is a currency or unit: SNS-0012 is a code. */
#include <strings.h>

#include "repair/draft/draft_internal.h"
#include "words/draft.h"

enum {
    PLAIN_INT,
    INT_DOT,
    INT_COMMA,
    INT_SPACE,
    INT_QUOTE,
    DEC_POINT,
    DEC_COMMA,
    DEC_COMMA_DOT,
    DEC_POINT_COMMA
};

/* One value in ten may be wrong: a fault of the file, which the check names. */
static bool is_enough(uint64_t fits, uint64_t n)
{
    return n > 0 && fits > 0 && (n - fits) * 10 <= n;
}

static const char *form_name(const struct odp_decimal_form *f, enum odp_lang lang)
{
    if (f->integer)
        switch (f->group) {
        case 0:
            return odp_word(lang, W_draft_whole_numbers);
        case '.':
            return odp_word(lang, W_draft_whole_numbers_with_points_between);
        case ',':
            return odp_word(lang, W_draft_whole_numbers_with_commas_between);
        case '\'':
            return odp_word(lang, W_draft_whole_numbers_with_apostrophes);
        default:
            return odp_word(lang, W_draft_whole_numbers_with_spaces_between);
        }
    if (f->decimal == ',')
        return f->group != 0 ? odp_word(lang, W_draft_decimal_numbers_with_comma_grouped)
                             : odp_word(lang, W_draft_decimal_numbers_with_comma);
    return f->group != 0 ? odp_word(lang, W_draft_decimal_numbers_with_point_grouped)
                         : odp_word(lang, W_draft_decimal_numbers_with_point);
}

void column_form(struct column *c, int form)
{
    const struct odp_decimal_form *f = &draft_forms[form];
    c->form_index = form;
    c->type = f->integer ? ODP_TYPE_INTEGER : ODP_TYPE_NUMBER;
    c->decimal = f->integer ? '.' : f->decimal;
    c->group = f->group;
}

static uint64_t fits(const struct column *c, int form)
{
    return c->form[form] + (c->bare_false ? c->affixed[form] : 0);
}

/* The simplest of the forms that fit the most values. */
static int best_form(const struct column *c)
{
    int best = PLAIN_INT;
    for (int i = 1; i < FORMS; i++)
        if (fits(c, i) > fits(c, best))
            best = i;
    return best;
}

/* 1.203: a thousand or one and a bit? True if every value leaves it open; *POINT: the form with a decimal
 * sign. */
static bool is_open(const struct column *c, int best, int *group, int *point)
{
    if (best == INT_DOT && fits(c, DEC_POINT) == fits(c, INT_DOT))
        *group = INT_DOT, *point = DEC_POINT;
    else if (best == INT_COMMA && fits(c, DEC_COMMA) == fits(c, INT_COMMA))
        *group = INT_COMMA, *point = DEC_COMMA;
    else
        return false;
    return true;
}

static bool is_place(const struct column *c)
{
    return odp_name_has(c->name, "lat latitude lintang lon lng long longitude bujur koordinat x y");
}

/* How this file writes numbers, by its columns without a doubt. */
static void file_marks(struct odp_draft *d)
{
    uint64_t comma = 0, point = 0, dots = 0, commas = 0, open_dots = 0, open_commas = 0;
    int group, mark;
    for (uint32_t i = 0; i < d->n; i++) {
        struct column *c = &d->columns[i];
        uint64_t n = column_values(c);
        c->bare_false = c->affix.ptr != NULL && affix_is_unit(c->affix); /* only here */
        int best = best_form(c);
        if (c->native != 0 || !is_enough(fits(c, best), n) || c->leading_zero > 0)
            continue;
        if (is_open(c, best, &group, &mark)) {
            bool plain = c->wide_plain == 0 && c->zero_fraction == 0 && !is_place(c);
            open_dots += plain && group == INT_DOT;
            open_commas += plain && group == INT_COMMA;
            continue;
        }
        if (best == PLAIN_INT || (column_is_code(c) && best == DEC_POINT))
            continue;
        const struct odp_decimal_form *f = &draft_forms[best];
        comma += !f->integer && f->decimal == ',';
        point += !f->integer && f->decimal == '.';
        dots += f->group == '.';
        commas += f->group == ',';
    }
    d->file_decimal = comma > point ? ',' : point > comma ? '.' : 0;
    dots += comma > point ? open_dots : 0; /* the decimal sign is known, so the other mark is not one */
    commas += point > comma ? open_commas : 0;
    d->file_group = dots > commas ? '.' : commas > dots ? ',' : 0;
}

static void settle_open(struct odp_draft *d, uint32_t i, int group, int point)
{
    static const struct odp_text thousands[2] = {{{W_draft_separates_thousands}}, {{W_draft_decimal_sign}}};
    struct column *c = &d->columns[i];
    char mark = draft_forms[group].group;
    bool is_decimal = c->zero_fraction > 0 || c->wide_plain > 0 || is_place(c);
    column_form(c, is_decimal ? point : group);
    if (is_decimal)
        return;
    bool by_file = d->file_decimal != 0 || d->file_group != 0;
    if (by_file && d->file_decimal == mark)
        column_form(c, point);
    if (by_file)
        return; /* the file's other columns decide */
    char text[] = {mark, '\0'};
    (void)draft_doubt(d, DOUBT_NUMBER, c, draft_text(d, W_draft_what_means, ARGS(C(c->name), C(text))),
                      draft_text(d, W_draft_followed_by_exactly_three_digits, ARGS(C(text))), thousands);
}

/* The one word in all cells that are no number or date. */
static void find_missing_word(struct odp_draft *d, uint32_t i, uint64_t misfits)
{
    static const struct odp_text options[2] = {{{W_draft_no_value_missingvalues}}, {{W_draft_fault_data}}};
    struct column *c = &d->columns[i];
    if (misfits < 2 || c->nwords != 1 || c->words_over > 0 || c->words != misfits || c->word[0].len > 40)
        return;
    c->missing_word = odp_arena_copy(&d->arena, (struct odp_slice){c->word[0].text, c->word[0].len});
    struct odp_doubt *q = draft_doubt(
        d, DOUBT_MISSING, c, draft_text(d, W_draft_what_means, ARGS(C(c->name), S(c->missing_word))),
        draft_text(d, W_draft_cells_have_word_all_others, ARGS(N(misfits))), options);
    q->detail = -1;
}

/* 51, 52, 53 a thousand times are more likely codes than amounts. */
static void note_few_values(struct odp_draft *d, uint32_t i, uint64_t n)
{
    static const struct odp_text yes[2] = {{{W_draft_numbers}}, {{W_draft_yes_no_boolean_1_0}}};
    static const struct odp_text options[2] = {{{W_draft_numbers}}, {{W_draft_codes_string_with_categories}}};
    struct column *c = &d->columns[i];
    if (c->type != ODP_TYPE_INTEGER || c->small_over || c->nsmall < 2 || c->nsmall > 12 || n < 50 ||
        n < 20 * (uint64_t)c->nsmall || c->native != 0)
        return;
    bool binary = c->nsmall == 2 && c->small[0].len == 1 && c->small[1].len == 1 &&
                  c->small[0].text[0] + c->small[1].text[0] == '0' + '1';
    if (binary && (strncmp(c->name, "is_", 3) == 0 || odp_name_has(c->name, "ada punya flag apakah sudah"))) {
        column_to_yes(c);
        c->evidence = draft_text(d, W_draft_1_yes_0_no, NULL);
        return;
    }
    struct odp_doubt *q = draft_doubt(
        d, DOUBT_CODE, c, column_title(d, c, T(W_draft_numbers_codes)),
        draft_text(d, W_draft_only_distinct_values_cells, ARGS(N(c->nsmall), N(n))), binary ? yes : options);
    q->detail = binary;
}

void column_to_yes(struct column *c)
{
    c->type = ODP_TYPE_BOOLEAN;
    c->group = c->decimal = 0;
    c->form_index = -1;
    c->yes = ODP_LIT("1");
    c->no = ODP_LIT("0");
}

void column_to_code(struct column *c)
{
    c->type = ODP_TYPE_STRING;
    c->group = c->decimal = 0;
    c->form_index = -1;
    c->categories = true;
}

static bool decide_number(struct odp_draft *d, uint32_t i, uint64_t n)
{
    struct column *c = &d->columns[i];
    int best = best_form(c), group, point;
    if (!is_enough(c->form[best], n)) {
        uint64_t with = 0;
        for (int k = 0; k < FORMS; k++)
            with = c->affixed[k] + c->form[k] > with ? c->affixed[k] + c->form[k] : with;
        if (!is_enough(with, n) || c->affix.ptr == NULL || c->affix_other * 20 > with ||
            !affix_is_unit(c->affix))
            return false;
        c->bare_false = true;
        best = best_form(c);
        draft_note(d, c, T(W_draft_text_around_numbers), T(W_draft_dropped_when_read_barenumber_false),
                   ARGS(S(draft_shown(d, c->affix))));
    }
    if (is_open(c, best, &group, &point))
        settle_open(d, i, group, point);
    else
        column_form(c, best);
    if (c->group == 0 && c->wide_plain == 0 && d->file_group != 0 && !c->bare_false) {
        bool takes =
            c->type == ODP_TYPE_INTEGER ||
            (c->decimal != d->file_group && c->form_index == (d->file_group == '.' ? DEC_COMMA : DEC_POINT));
        if (takes && !is_place(c))
            c->group = d->file_group; /* like the other columns: values from 1000 on would have it */
    }
    find_missing_word(d, i, n - fits(c, best));
    const struct odp_decimal_form *f = &draft_forms[c->form_index];
    c->evidence = (struct odp_text){{form_name(f, ODP_LANG_ID), form_name(f, ODP_LANG_EN)}};
    note_few_values(d, i, n);
    if (c->scientific > 0)
        draft_note(d, c, T(W_draft_scientific_notation), T(W_draft_values_such_1_2e_05),
                   ARGS(N(c->scientific)));
    return true;
}

/* ---- days and times ---- */

static bool wants_word(const struct pattern *p, const struct column *c)
{
    if (p->pattern != NULL && strcmp(p->pattern, "%Y%m%d") == 0)
        return odp_name_has(c->name, "tanggal tgl date waktu hari day");
    if (p->pattern != NULL && strcmp(p->pattern, "%H.%M") == 0)
        return odp_name_has(c->name, "jam pukul waktu time");
    return true;
}

/* The pattern with day and month exchanged; -1: none. */
static int turned(int p)
{
    const char *a = draft_patterns[p].pattern;
    if (a == NULL || strlen(a) < 8)
        return -1;
    for (int i = 0; i < PATTERNS; i++) {
        const char *b = draft_patterns[i].pattern;
        if (b != NULL && i != p && strlen(a) == strlen(b) && a[1] == b[4] && a[4] == b[1] &&
            strcmp(a + 5, b + 5) == 0 && a[2] == b[2] && a[1] != b[1])
            return i;
    }
    return -1;
}

static bool decide_date(struct odp_draft *d, uint32_t i, uint64_t n)
{
    static const struct odp_text day_first[2] = {{{W_draft_day_month}}, {{W_draft_month_day}}};
    struct column *c = &d->columns[i];
    int best = -1;
    for (int p = 0; p < PATTERNS; p++)
        if (c->date[p] > 0 && wants_word(&draft_patterns[p], c) && (best < 0 || c->date[p] > c->date[best]))
            best = p;
    if (best < 0 || !is_enough(c->date[best], n))
        return false;
    const struct pattern *p = &draft_patterns[best];
    int other = turned(best);
    c->type = p->type;
    c->format = p->pattern;
    c->zone = p->zone;
    c->form_index = -1;
    const char *shown = p->pattern != NULL ? p->pattern : "ISO 8601";
    c->evidence = draft_text(d, W_draft_in_the_form, ARGS(C(shown)));
    if (other >= 0 && c->date[other] == c->date[best]) {
        struct odp_doubt *q =
            draft_doubt(d, DOUBT_DATE, c, column_title(d, c, T(W_draft_day_month_month_day)),
                        draft_text(d, W_draft_all_dates_can_read_both, ARGS(N(c->date[best]))), day_first);
        q->detail = other;
    } else if (other >= 0)
        c->evidence = draft_text(d, W_draft_form_fit_other_way_round,
                                 ARGS(C(shown), N(c->date[best]), N(c->date[other])));
    if (p->two_digits)
        draft_note(d, c, T(W_draft_years_two_digits), T(W_draft_century_guessed_69_99_1969), NULL);
    if (p->zone)
        draft_note(d, c, T(W_draft_time_zone), T(W_draft_times_without_zone_odp_timezone), NULL);
    find_missing_word(d, i, n - c->date[best]);
    return true;
}

static bool decide_year(struct odp_draft *d, uint32_t i, uint64_t n)
{
    struct column *c = &d->columns[i];
    if (!is_enough(c->year, n) || !odp_name_has(c->name, "tahun thn th year yr ta vintage"))
        return false;
    c->type = ODP_TYPE_YEAR;
    c->form_index = -1;
    c->evidence = draft_text(d, W_draft_years_four_digits_label_says, NULL);
    find_missing_word(d, i, n - c->year);
    return true;
}

/* ---- yes and no ---- */

static bool decide_boolean(struct odp_draft *d, uint32_t i)
{
    struct column *c = &d->columns[i];
    struct odp_slice first = {0}, second = {0};
    if (c->small_over || c->nsmall < 2 || c->nsmall > 12)
        return false;
    for (uint32_t k = 0; k < c->nsmall; k++) {
        struct odp_slice s = {c->small[k].text, c->small[k].len};
        if (draft_token(s) >= 0 && strncasecmp(s.ptr, "tidak", 5) != 0)
            continue;
        if (first.ptr == NULL || odp_slice_alike(first, s))
            first = first.ptr == NULL ? s : first;
        else if (second.ptr == NULL || odp_slice_alike(second, s))
            second = second.ptr == NULL ? s : second;
        else
            return false;
    }
    if (second.ptr == NULL || draft_boolean_pair(first, second, &c->yes, &c->no) < 0)
        return false;
    c->type = ODP_TYPE_BOOLEAN;
    for (int t = 0; t < TOKENS; t++)
        if (odp_slice_alike(odp_slice_of(draft_tokens[t]), c->no))
            c->missing &= ~(UINT64_C(1) << t);
    c->evidence = draft_text(d, W_draft_pair_words, ARGS(S(c->yes), S(c->no)));
    return true;
}

/* ---- the columns ---- */

static bool decide_native(struct odp_draft *d, uint32_t i, uint64_t n)
{
    struct column *c = &d->columns[i];
    char type[] = {c->native, '\0'};
    if (c->native == 0)
        return false;
    if (c->native == 'D')
        c->type = ODP_TYPE_DATE;
    else if (c->native == 'L')
        c->type = ODP_TYPE_BOOLEAN;
    else if (c->native == 'N' || c->native == 'F') {
        if (c->reference != NULL || (column_is_code(c) && d->kind == ODP_DRAFT_SHAPEFILE))
            return false; /* codes stored as numbers: decide_text.c reports them */
        if (decide_year(d, i, n))
            return true;
        column_form(c, c->form[PLAIN_INT] == n ? PLAIN_INT : DEC_POINT);
    } else
        return false;
    c->evidence = d->kind == ODP_DRAFT_SHAPEFILE
                      ? draft_text(d, W_draft_type_width_dbf_file, ARGS(C(type), N(c->width)))
                      : draft_text(d, W_draft_as_workbook_stores, NULL);
    return true;
}

static void choose_reference(const struct odp_draft *d, struct column *c)
{
    size_t n = c->distinct.n;
    for (int t = 0; t < TOKENS; t++)
        n -= c->token[t] > 0 && n > 0;
    c->reference = NULL;
    if (c->nhits == 0 ||
        c->hit[0].target->resource->schema.fields[c->hit[0].target->field].type != ODP_TYPE_STRING)
        return; /* both sides of a key are of one type */
    if (!c->distinct.repeated && column_same_table(d, c))
        return; /* most likely that dataset itself: reported, not made a key */
    size_t absent = n > c->hit[0].common ? n - c->hit[0].common : 0;
    if (absent * 20 <= n || (absent == 1 && n >= 5))
        c->reference = c->hit[0].target;
}

static void decide_column(struct odp_draft *d, uint32_t i)
{
    struct column *c = &d->columns[i];
    c->missing = 0;
    for (int t = 0; t < TOKENS; t++)
        c->missing |= c->token[t] > 0 ? UINT64_C(1) << t : 0;
    c->missing_word = (struct odp_slice){0};
    c->group = c->decimal = 0;
    c->format = NULL;
    c->bare_false = c->zone = c->pattern = c->categories = c->secret = false;
    c->form_index = -1;
    choose_reference(d, c);
    uint64_t n = column_values(c);
    bool settled = n > 0 && (decide_native(d, i, n) || decide_boolean(d, i));
    if (!settled && n > 0 && c->reference == NULL && c->leading_zero == 0 && c->native == 0) {
        bool code = column_is_code(c);
        settled = decide_date(d, i, n) || (!code && (decide_year(d, i, n) || decide_number(d, i, n)));
    }
    if (!settled)
        c->type = ODP_TYPE_STRING;
    column_text(d, i, n);
    n = column_values(c);
    c->required = c->cells == d->rows && d->rows > 0 && n == c->cells;
    c->unique = c->required && !c->distinct.full && !c->distinct.repeated && c->distinct.n == d->rows;
    c->lat = c->type == ODP_TYPE_NUMBER && odp_name_has(c->name, "lat latitude lintang");
    c->lon = c->type == ODP_TYPE_NUMBER && odp_name_has(c->name, "lon lng long longitude bujur");
}

bool column_is_measure(const struct odp_draft *d, const struct column *c)
{
    return c->type == ODP_TYPE_INTEGER && c->title.len > 0 && c->sequence != d->rows &&
           !odp_name_has(c->name, KEY_WORDS);
}

static int single_points(const struct odp_draft *d, const struct column *c)
{
    if (!c->unique || c->secret || c->type == ODP_TYPE_NUMBER || c->type == ODP_TYPE_BOOLEAN ||
        c->longest > 80)
        return 0;
    int points = c->type == ODP_TYPE_STRING ? 3 : c->type == ODP_TYPE_INTEGER ? 2 : 1;
    points += odp_name_has(c->name, KEY_WORDS) ? 8 : 0;
    points += c->pattern ? 4 : 0;
    points -= c->sequence == d->rows ? 4 : 0;
    points -= c->longest > 40 || c->multiline > 0 ? 3 : 0;
    return points < 1 && c->title.len == 0 ? 1 : points; /* an index without a label is better than none */
}

/* One doubt about all columns without a value. */
static void note_empty(struct odp_draft *d)
{
    enum { NAMED = 12 };
    struct odp_text names = T(W_draft_columns_without_value);
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const char *name = n < NAMED ? d->columns[i].name : "…";
        if (column_values(&d->columns[i]) == 0 && n++ <= NAMED)
            names = draft_join(
                d, names, draft_text(d, n > 1 ? ", {0}" : "{0}", n > 1 ? ", {0}" : "{0}", ARGS(C(name))));
    }
    if (n > 0)
        (void)draft_doubt(d, DOUBT_NOTE, NULL, draft_text(d, W_draft_empty_columns, ARGS(N(n))), names, NULL);
}

/* A single key: required, unique, public, and naming a record. Columns called code or number come first; a
 * measure only if somebody says so. */
static void choose_key(struct odp_draft *d)
{
    static const struct odp_text options[2] = {{{W_draft_no_primary_key}}, {{W_draft_yes_column_key}}};
    int best = -1, measure = -1, best_points = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        int points = single_points(d, &d->columns[i]);
        if (points > 0 && column_is_measure(d, &d->columns[i])) {
            measure = measure < 0 ? (int)i : measure;
        } else if (points > best_points) {
            best = (int)i;
            best_points = points;
        }
    }
    d->primary.n = 0;
    d->primary.fields = odp_arena_array(&d->arena, 4, sizeof *d->primary.fields);
    if (best >= 0)
        d->primary.fields[d->primary.n++] = (uint32_t)best;
    else if (measure >= 0 && d->rows > 1)
        (void)draft_doubt(d, DOUBT_KEY, &d->columns[measure],
                          column_title(d, &d->columns[measure], T(W_draft_primary_key)),
                          draft_text(d, W_draft_numbers_differ_all_rows_but, ARGS(N(d->rows))), options);
}

static void choose_update(struct odp_draft *d)
{
    d->last_update = -1;
    for (uint32_t i = 0; i < d->n && d->last_update < 0; i++) {
        const struct column *c = &d->columns[i];
        if ((c->type == ODP_TYPE_DATE || c->type == ODP_TYPE_DATETIME) && !c->secret && c->required &&
            odp_name_has(
                c->name,
                "update updated pemutakhiran dimutakhirkan pembaruan diperbarui perbarui mutakhir modified"))
            d->last_update = (int)i;
    }
}

void draft_decide(struct odp_draft *d)
{
    for (uint32_t i = 0; i < d->n; i++) { /* references first: codes are no numbers */
        struct column *c = &d->columns[i];
        c->missing = 0;
        for (int t = 0; t < TOKENS; t++)
            c->missing |= c->token[t] > 0 ? UINT64_C(1) << t : 0;
        choose_reference(d, c);
    }
    file_marks(d);
    for (uint32_t i = 0; i < d->n; i++)
        decide_column(d, i);
    note_empty(d);
    choose_key(d);
    choose_update(d);
}
