/* What cells can be: ways to write a number or a day, words for no value and for yes and no, the shape of a
 * code. All by the parsers of the check (base/decimal.h, base/datetime.h). */

#include "base/ascii.h"
#include "base/utf8.h"
#include "repair/draft/draft_internal.h"

/* Simplest first: among equal ones the first is taken, unless the file's other columns decide otherwise. */
const struct odp_decimal_form draft_forms[FORMS] = {
    {.decimal = '.', .bare = true, .integer = true},
    {.decimal = ',', .group = '.', .bare = true, .integer = true},
    {.decimal = '.', .group = ',', .bare = true, .integer = true},
    {.decimal = '.', .group = ' ', .bare = true, .integer = true},
    {.decimal = '.', .group = '\'', .bare = true, .integer = true},
    {.decimal = '.', .bare = true},
    {.decimal = ',', .bare = true},
    {.decimal = ',', .group = '.', .bare = true},
    {.decimal = '.', .group = ',', .bare = true},
    {.decimal = ',', .group = ' ', .bare = true},
    {.decimal = '.', .group = ' ', .bare = true},
    {.decimal = '.', .group = '\'', .bare = true},
};

const struct pattern draft_patterns[PATTERNS] = {
    {ODP_TYPE_DATE, NULL, false, false, false},
    {ODP_TYPE_DATE, "%d/%m/%Y", false, false, false},
    {ODP_TYPE_DATE, "%m/%d/%Y", true, false, false},
    {ODP_TYPE_DATE, "%d-%m-%Y", false, false, false},
    {ODP_TYPE_DATE, "%m-%d-%Y", true, false, false},
    {ODP_TYPE_DATE, "%d.%m.%Y", false, false, false},
    {ODP_TYPE_DATE, "%Y/%m/%d", false, false, false},
    {ODP_TYPE_DATE, "%Y.%m.%d", false, false, false},
    {ODP_TYPE_DATE, "%d %B %Y", false, false, false},
    {ODP_TYPE_DATE, "%d-%B-%Y", false, false, false},
    {ODP_TYPE_DATE, "%B %d, %Y", true, false, false},
    {ODP_TYPE_DATE, "%A, %d %B %Y", false, false, false},
    {ODP_TYPE_DATE, "%d/%m/%y", false, true, false},
    {ODP_TYPE_DATE, "%m/%d/%y", true, true, false},
    {ODP_TYPE_DATE, "%d-%B-%y", false, true, false},
    {ODP_TYPE_DATE, "%d-%m-%y", false, true, false},
    {ODP_TYPE_DATE, "%Y%m%d", false, false, false},
    {ODP_TYPE_DATETIME, NULL, false, false, false},
    {ODP_TYPE_DATETIME, NULL, false, false, true},
    {ODP_TYPE_DATETIME, "%Y-%m-%d %H:%M:%S", false, false, true},
    {ODP_TYPE_DATETIME, "%Y-%m-%d %H:%M:%S.%f", false, false, true},
    {ODP_TYPE_DATETIME, "%Y-%m-%d %H:%M", false, false, true},
    {ODP_TYPE_DATETIME, "%Y-%m-%dT%H:%M", false, false, true},
    {ODP_TYPE_DATETIME, "%d/%m/%Y %H:%M", false, false, true},
    {ODP_TYPE_DATETIME, "%m/%d/%Y %H:%M", true, false, true},
    {ODP_TYPE_DATETIME, "%d/%m/%Y %H:%M:%S", false, false, true},
    {ODP_TYPE_DATETIME, "%m/%d/%Y %H:%M:%S", true, false, true},
    {ODP_TYPE_DATETIME, "%d-%m-%Y %H:%M", false, false, true},
    {ODP_TYPE_DATETIME, "%d-%m-%Y %H:%M:%S", false, false, true},
    {ODP_TYPE_DATETIME, "%Y/%m/%d %H:%M:%S", false, false, true},
    {ODP_TYPE_DATETIME, "%d/%m/%Y %H:%M:%S %Z", false, false, false},
    {ODP_TYPE_DATETIME, "%d/%m/%Y %H:%M %Z", false, false, false},
    {ODP_TYPE_DATETIME, "%Y-%m-%d %H:%M:%S %Z", false, false, false},
    {ODP_TYPE_TIME, NULL, false, false, false},
    {ODP_TYPE_TIME, "%H:%M", false, false, false},
    {ODP_TYPE_TIME, "%H.%M", false, false, false},
    {ODP_TYPE_YEARMONTH, NULL, false, false, false},
};

/* Compared without case. The first mean nothing else; the rest may be values of a text column. */
const char *const draft_tokens[TOKENS] = {
    "-",
    "--",
    "---",
    "\u2013",
    "n/a",
    "#n/a",
    "na",
    "n.a.",
    "null",
    "nan",
    "none",
    "nil",
    "(null)",
    "\\N",
    "?",
    ".",
    "..",
    "...",
    "*",
    "tidak ada",
    "tidak tersedia",
    "tidak ada data",
    "tad",
    "nihil",
};

int draft_token(struct odp_slice s)
{
    s = odp_slice_trim(s);
    if (s.len == 0 || s.len > 16)
        return -1;
    for (int i = 0; i < TOKENS; i++)
        if (odp_slice_is_nocase(s, draft_tokens[i]))
            return i;
    return -1;
}

bool draft_number(struct odp_slice s, const struct odp_decimal_form *form, char out[ODP_DECIMAL_SIZE],
                  size_t *len)
{
    bool unchanged, zero;
    if (odp_decimal_parse(s, form, out, len, &unchanged, &zero) != ODP_DECIMAL_OK)
        return false;
    if (unchanged)
        memcpy(out, s.ptr, *len = s.len);
    return true;
}

bool draft_date(struct odp_slice s, const struct pattern *p, struct odp_datetime *out)
{
    return odp_date_parse(s, odp_field_type(p->type)->date, p->pattern, p->zone ? "Asia/Jakarta" : NULL,
                          out) == ODP_DATE_OK;
}

int draft_boolean_pair(struct odp_slice a, struct odp_slice b, struct odp_slice *yes, struct odp_slice *no)
{
    static const char *const pairs[][2] = {
        {"true", "false"},  {"ya", "tidak"}, {"yes", "no"},     {"benar", "salah"}, {"y", "t"},
        {"y", "n"},         {"t", "f"},      {"ada", "tidak"},  {"iya", "tidak"},   {"ada", "tidak ada"},
        {"sudah", "belum"}, {"ya", "bukan"}, {"betul", "salah"}};
    for (size_t i = 0; i < ODP_COUNT(pairs); i++)
        for (int turn = 0; turn < 2; turn++) {
            struct odp_slice x = turn == 0 ? a : b, y = turn == 0 ? b : a;
            if (odp_slice_is_nocase(x, pairs[i][0]) && odp_slice_is_nocase(y, pairs[i][1])) {
                *yes = x;
                *no = y;
                return (int)i;
            }
        }
    return -1;
}

static bool is_unit_word(struct odp_slice s)
{
    static const char *const units[] = {
        "rp",   "rp.",   "rupiah", "idr",     "usd",    "us$",    "$",       "dolar", "eur",    "€",
        "£",    "ribu",  "jt",     "juta",    "miliar", "milyar", "triliun", "%",     "persen", "mm",
        "cm",   "m",     "meter",  "km",      "ha",     "hektar", "hektare", "are",   "m2",     "m²",
        "km2",  "km²",   "m3",     "m³",      "ml",     "l",      "liter",   "g",     "gr",     "gram",
        "mg",   "kg",    "ton",    "kuintal", "detik",  "menit",  "jam",     "hari",  "bulan",  "tahun",
        "jiwa", "orang", "unit",   "kk",      "rumah",  "buah",   "sr",      "°",     "°c",     "watt",
        "kw",   "kva",   "kwh",    "mw",      "ppm",    ",-",     "/-"};
    for (size_t k = 0; k < ODP_COUNT(units); k++)
        if (odp_slice_is_nocase(s, units[k]))
            return true;
    return false;
}

bool draft_is_unit(struct odp_slice s)
{
    const char *end = s.ptr + s.len, *p = s.ptr;
    while (p < end && *p != ' ' && *p != '/')
        p++;
    return is_unit_word(s) ||
           (p > s.ptr && p < end && is_unit_word((struct odp_slice){s.ptr, (size_t)(p - s.ptr)}) &&
            draft_is_unit((struct odp_slice){p + 1, (size_t)(end - p) - 1}));
}

struct odp_slice draft_unbracketed(struct odp_slice s)
{
    bool brackets = s.len > 2 && *s.ptr == '(' && s.ptr[s.len - 1] == ')';
    return brackets ? odp_slice_trim((struct odp_slice){s.ptr + 1, s.len - 2}) : s;
}

bool affix_is_unit(struct odp_slice affix)
{
    const char *bar = memchr(affix.ptr, '|', affix.len);
    if (bar == NULL)
        return false;
    struct odp_slice part[2] = {{affix.ptr, (size_t)(bar - affix.ptr)},
                                {bar + 1, affix.len - (size_t)(bar - affix.ptr) - 1}};
    for (int i = 0; i < 2; i++) {
        struct odp_slice s = odp_slice_trim(part[i]);
        if (s.len > 0 && !draft_is_unit(s))
            return false;
    }
    return true;
}

bool draft_numbers_columns(const struct odp_slice *cell, uint32_t n, uint32_t plain_from)
{
    char number[16];
    bool brackets = n > 1, plain = n >= plain_from;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%u", i + 1);
        plain = plain && odp_slice_is(cell[i], number);
        brackets = brackets && cell[i].len > 2 && *cell[i].ptr == '(' &&
                   odp_slice_is(draft_unbracketed(cell[i]), number);
    }
    return brackets || plain;
}

/* ---- shapes ---- */

static char kind_of(char c)
{
    if (odp_is_digit(c))
        return '9';
    if (c >= 'A' && c <= 'Z')
        return 'A';
    return c >= 'a' && c <= 'z' ? 'a' : c;
}

static bool measure(struct odp_slice v, struct shape *out)
{
    out->n = 0;
    for (size_t i = 0; i < v.len; i++) {
        char kind = kind_of(v.ptr[i]);
        if ((unsigned char)kind < ' ' || (unsigned char)kind >= 0x7f || kind == ' ' || kind == '"')
            return false;
        if (out->n > 0 && out->run[out->n - 1].kind == kind && out->run[out->n - 1].least < 40) {
            out->run[out->n - 1].least++;
            continue;
        }
        if (out->n == RUNS || (out->n > 0 && out->run[out->n - 1].kind == kind))
            return false;
        out->run[out->n++] = (struct run){.kind = kind, .least = 1};
    }
    return out->n > 0;
}

void shape_take(struct shape *s, struct odp_slice v)
{
    struct shape here = {0};
    if (s->none)
        return;
    if (!measure(v, &here) || (s->n != 0 && s->n != here.n)) {
        s->none = true;
        return;
    }
    for (uint32_t i = 0; i < here.n; i++) {
        if (s->n != 0 && s->run[i].kind != here.run[i].kind) {
            s->none = true;
            return;
        }
        uint32_t len = here.run[i].least;
        if (s->n == 0) {
            here.run[i].most = len;
            continue;
        }
        s->run[i].least = len < s->run[i].least ? len : s->run[i].least;
        s->run[i].most = len > s->run[i].most ? len : s->run[i].most;
    }
    if (s->n == 0)
        *s = here;
}

void shape_pattern(const struct shape *s, struct odp_buffer *out)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct run *r = &s->run[i];
        if (r->kind == '9' || r->kind == 'A' || r->kind == 'a')
            odp_buffer_add_str(out, r->kind == '9' ? "[0-9]" : r->kind == 'A' ? "[A-Z]" : "[a-z]");
        else {
            if (strchr("\\.[]{}()*+?|^$-", r->kind) != NULL && r->kind != '-')
                odp_buffer_add_char(out, '\\');
            odp_buffer_add_char(out, r->kind);
        }
        if (r->least != r->most)
            odp_buffer_printf(out, "{%u,%u}", r->least, r->most);
        else if (r->least != 1)
            odp_buffer_printf(out, "{%u}", r->least);
    }
}
