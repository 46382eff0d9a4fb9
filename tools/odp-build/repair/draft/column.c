/* One cell of a column: counted for everything that it could be. */

#include "base/ascii.h"
#include "base/utf8.h"
#include "repair/draft/draft_internal.h"

/* The kinds of characters of a cell: most parsers can be skipped. */
struct kinds {
    uint32_t digits, letters, points, commas, spaces, dashes, slashes, colons, others;
    bool ascii;
};

static struct kinds count_kinds(struct odp_slice s)
{
    struct kinds k = {.ascii = true};
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        k.digits += odp_is_digit(c);
        k.letters += odp_is_letter(c);
        k.points += c == '.';
        k.commas += c == ',';
        k.spaces += c == ' ';
        k.dashes += c == '-';
        k.slashes += c == '/';
        k.colons += c == ':';
        k.ascii = k.ascii && (unsigned char)c < 0x80;
    }
    k.others = (uint32_t)s.len - k.digits - k.letters - k.points - k.commas - k.spaces - k.dashes -
               k.slashes - k.colons;
    return k;
}

/* The place of S among N values, or N. */
static uint32_t find_value(const struct small *list, uint32_t n, struct odp_slice s)
{
    uint32_t i = 0;
    while (i < n && (list[i].len != s.len || memcmp(list[i].text, s.ptr, s.len) != 0))
        i++;
    return i;
}

static void set_value(struct small *v, struct odp_slice s, uint64_t line)
{
    v->len = (uint32_t)s.len;
    v->count = 1;
    v->line = line;
    memcpy(v->text, s.ptr, s.len);
}

static void count_small(struct odp_draft *d, struct column *c, struct odp_slice s, uint64_t line)
{
    uint32_t i = c->small_over ? 0 : find_value(c->small, c->nsmall, s);
    if (c->small_over)
        return;
    if (i < c->nsmall) {
        c->small[i].count++;
        if (i > 0 && c->small[i].count > c->small[i - 1].count + 8) { /* frequent ones come first */
            struct small other = c->small[i - 1];
            c->small[i - 1] = c->small[i];
            c->small[i] = other;
        }
        return;
    }
    if (c->nsmall == SMALL || s.len > SMALL_BYTES) {
        c->small_over = true;
        return;
    }
    if (c->small == NULL)
        c->small = odp_arena_array(&d->arena, SMALL, sizeof *c->small);
    set_value(&c->small[c->nsmall++], s, line);
}

/* A value without a digit. */
static void count_word(struct column *c, struct odp_slice s, uint64_t line)
{
    uint32_t i = find_value(c->word, c->nwords, s);
    c->words++;
    if (i < c->nwords)
        c->word[i].count++;
    else if (c->nwords == WORDS || s.len > SMALL_BYTES)
        c->words_over++;
    else
        set_value(&c->word[c->nwords++], s, line);
}

static void add_spelling(struct column *c, struct odp_slice s)
{
    if (c->nspellings < SPELLINGS && find_value(c->spelling, c->nspellings, s) == c->nspellings)
        set_value(&c->spelling[c->nspellings++], s, 0);
}

/* What surrounds a number: everything but digits, signs and separators at both ends. */
static void note_affix(struct odp_draft *d, struct column *c, struct odp_slice s)
{
    size_t from = 0, to = s.len;
    char text[48];
    while (from < s.len && !odp_is_digit(s.ptr[from]) && s.ptr[from] != '-' && s.ptr[from] != '+')
        from++;
    while (to > from && !odp_is_digit(s.ptr[to - 1]))
        to--;
    size_t before = from, after = s.len - to;
    if (before + after + 1 >= sizeof text || before + after == 0) {
        c->affix_other++;
        return;
    }
    memcpy(text, s.ptr, before);
    text[before] = '|';
    memcpy(text + before + 1, s.ptr + to, after);
    struct odp_slice affix = {text, before + after + 1};
    if (c->affix.ptr == NULL)
        c->affix = odp_arena_copy(&d->arena, affix);
    c->affix_other += !odp_slice_eq(c->affix, affix);
}

static void try_numbers(struct odp_draft *d, struct column *c, struct odp_slice s, const struct kinds *k)
{
    char out[ODP_DECIMAL_SIZE];
    size_t len;
    if (k->digits == 0 || s.len > 60)
        return;
    if (k->digits == s.len) { /* fits every form */
        for (int i = 0; i < FORMS; i++)
            c->form[i]++;
        c->wide_plain += s.len > 3;
        c->leading_zero += s.len > 1 && *s.ptr == '0';
        c->year += s.len == 4 && (memcmp(s.ptr, "19", 2) == 0 || memcmp(s.ptr, "20", 2) == 0);
        return;
    }
    bool zero = s.len > 1 && *s.ptr == '0' && odp_is_digit(s.ptr[1]);
    bool sign_only = k->letters + k->others + k->slashes + k->colons == 0 &&
                     (k->dashes == 0 || (k->dashes == 1 && *s.ptr == '-'));
    bool any = false;
    uint32_t whole = 0;
    while (whole < s.len && (odp_is_digit(s.ptr[whole]) || (whole == 0 && s.ptr[0] == '-')))
        whole++;
    for (int i = 0; i < FORMS; i++) {
        const struct odp_decimal_form *f = &draft_forms[i];
        if (!draft_number(s, f, out, &len))
            continue;
        c->form[i]++;
        any = true;
    }
    if (any) {
        c->wide_plain += whole > 3 + (*s.ptr == '-');
        c->leading_zero += zero && sign_only;
        c->scientific += k->letters > 0;
        return;
    }
    if (s.len > 40 || k->digits * 4 < s.len || k->slashes + k->colons > 0 || k->dashes > 1)
        return;
    for (int i = 0; i < FORMS; i++) {
        struct odp_decimal_form f = draft_forms[i];
        f.bare = false;
        if (!draft_number(s, &f, out, &len))
            continue;
        c->affixed[i]++;
        any = true;
    }
    if (any)
        note_affix(d, c, s);
}

static void try_dates(struct column *c, struct odp_slice s, const struct kinds *k)
{
    struct odp_datetime date;
    if (k->digits < 3 || s.len < 4 || s.len > 40 || k->digits > 24 || !k->ascii ||
        k->dashes + k->slashes + k->colons + k->points + k->letters == 0) {
        if (k->digits == 8 && s.len == 8) /* 20240315 */
            for (int i = 0; i < PATTERNS; i++)
                if (draft_patterns[i].pattern != NULL && strcmp(draft_patterns[i].pattern, "%Y%m%d") == 0)
                    c->date[i] += draft_date(s, &draft_patterns[i], &date);
        return;
    }
    if (k->points == 1 && k->dashes + k->slashes + k->colons + k->letters == 0 && s.len != 5)
        return; /* 1234.56 is no date; 08.30 may be a time */
    for (int i = 0; i < PATTERNS; i++) {
        const char *p = draft_patterns[i].pattern;
        bool names = p != NULL && (strstr(p, "%B") != NULL || strstr(p, "%A") != NULL);
        bool clock = draft_patterns[i].type == ODP_TYPE_DATETIME || draft_patterns[i].type == ODP_TYPE_TIME;
        if (names ? k->letters < 3 : k->letters > 4 || (clock && k->colons + k->points == 0))
            continue;
        if (p != NULL && ((strchr(p, '/') != NULL) != (k->slashes > 0)))
            continue;
        c->date[i] += draft_date(s, &draft_patterns[i], &date);
    }
}

static void try_privacy(struct column *c, struct odp_slice s, const struct kinds *k, uint64_t line)
{
    size_t from = 0, start, len;
    bool any = false;
    if (k->digits < 7 && k->others == 0)
        return;
    for (int n = 0; n < 8; n++) {
        enum odp_privacy_kind kind = odp_privacy_find(s, from, &start, &len);
        if (kind == ODP_PRIVACY_NONE)
            break;
        if (c->privacy[kind]++ == 0)
            c->privacy_line[kind] = line;
        any = true;
        from = start + (len > 0 ? len : 1);
    }
    c->private_cells += any;
}

void column_take(struct odp_draft *d, struct column *c, const struct odp_cell *cell, uint64_t line,
                 uint64_t row)
{
    struct odp_slice raw = {cell->ptr, cell->len}, s = odp_slice_trim(raw);
    c->cells++;
    if (s.len == 0) {
        c->empty++;
        return;
    }
    c->spaced += s.len != raw.len;
    int token = draft_token(s);
    if (token >= 0) {
        if (c->token[token]++ == 0)
            c->token_line[token] = line;
        c->tokens++;
        add_spelling(c, s);
    }
    struct kinds k = count_kinds(s);
    size_t chars = k.ascii ? s.len : odp_utf8_count((struct odp_slice){s.ptr, odp_utf8_valid(s)});
    c->longest = chars > c->longest ? chars : c->longest;
    c->shortest = c->shortest == 0 || chars < c->shortest ? chars : c->shortest;
    c->multiline += memchr(s.ptr, '\n', s.len) != NULL;
    c->uri += s.len > 10 && (memcmp(s.ptr, "http://", 7) == 0 || memcmp(s.ptr, "https://", 8) == 0) &&
              k.spaces == 0;
    if (token < 0) {
        try_numbers(d, c, s, &k);
        try_dates(c, s, &k);
        shape_take(&c->shape, s);
        if (k.digits == 0)
            count_word(c, s, line);
        c->zero_fraction += s.len > 2 && *s.ptr == '0' && (s.ptr[1] == '.' || s.ptr[1] == ',');
        uint64_t v = 0;
        for (size_t i = 0; k.digits == s.len && s.len < 12 && i < s.len; i++)
            v = v * 10 + (uint64_t)(s.ptr[i] - '0');
        c->sequence += k.digits == s.len && s.len < 12 && v == row;
    }
    try_privacy(c, s, &k, line);
    count_small(d, c, s, line);
    (void)distinct_add(&c->distinct, distinct_hash(s), DISTINCT_MOST, &d->budget);
}

bool column_null(const struct column *c, struct odp_slice s)
{
    s = odp_slice_trim(s);
    if (s.len == 0)
        return true;
    if (c->missing_word.ptr != NULL && odp_slice_eq(s, c->missing_word))
        return true;
    int token = c->missing != 0 ? draft_token(s) : -1;
    return token >= 0 && (c->missing >> token & 1U) != 0;
}

uint64_t column_values(const struct column *c)
{
    uint64_t n = c->cells - c->empty;
    for (int i = 0; i < TOKENS; i++)
        if ((c->missing >> i & 1U) != 0)
            n -= c->token[i];
    for (uint32_t i = 0; i < c->nwords && c->missing_word.ptr != NULL; i++)
        if (odp_slice_eq((struct odp_slice){c->word[i].text, c->word[i].len}, c->missing_word))
            n -= c->word[i].count;
    return n;
}

bool column_trims(const struct column *c)
{
    return c->type == ODP_TYPE_STRING && c->spaced > 0 &&
           (c->pattern || c->categories || c->reference != NULL || c->missing != 0);
}
