/* datetime: an RFC 3339 date-time or date, or an interval: a · a/b · ../b · a/.. (an empty end is open too; a
 * date may end in T, as GDAL writes it).
 *
 * A column of dates is compared by day: a date-time means its day in its own offset. A column of date-times
 * is compared by instant; a date means the whole day in UTC. Records without a date match (OGC 17-069r4,
 * 7.15.4); of two columns, start and end, a missing one is open. */
#include <math.h>
#include <stdlib.h>

#include "base/line.h"
#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

/* ---- words ---- */

/* q: words that must all occur, in any order and in any text column.
 *
 *   q=kampung menteng      both words
 *   q="kampung kumuh"      these words next to each other
 *   q=kamp*                words that begin so
 *   q=10%20ha              marks, case and diacritics do not matter
 *
 * Nothing else has a meaning: AND, OR, NEAR, column: are words. A prefix has a star and at least two letters
 * or digits. For FTS5 each word and phrase is quoted; it drops what has no letter or digit. */

enum { BYTES_MAX = 1000, WORDS_MAX = 32, PREFIX_MIN = 2 };

/* Whether CP may be part of a token: letters and digits. Beyond ASCII: all but the blocks of punctuation
 * and symbols. */
static bool in_token(uint32_t cp)
{
    if (cp < 0x80)
        return (cp >= '0' && cp <= '9') || ((cp | 0x20) >= 'a' && (cp | 0x20) <= 'z');
    if (cp < 0xc0)
        return cp == 0xaa || cp == 0xb5 || cp == 0xba || cp == 0xb2 || cp == 0xb3 || cp == 0xb9 ||
               (cp >= 0xbc && cp <= 0xbe);
    if (cp == 0xd7 || cp == 0xf7)
        return false;
    return !(cp >= 0x2000 && cp <= 0x2bff) && !(cp >= 0x3000 && cp <= 0x3003) &&
           !(cp >= 0x3008 && cp <= 0x3020) && !(cp >= 0xfe10 && cp <= 0xfe6b) &&
           !(cp >= 0x1f000 && cp <= 0x1faff) && !(cp >= 0xe0000);
}

/* Counts the token characters in S, and those at its end. */
static size_t count_token(struct odp_slice s, size_t *at_end)
{
    size_t all = 0;
    *at_end = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp;
        i += odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        bool in = in_token(cp);
        all += in;
        *at_end = in ? *at_end + 1 : 0;
    }
    return all;
}

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct word {
    struct odp_slice whole, text; /* with and without quotes and star */
    bool phrase, prefix;
};

/* The next word from *AT on. False: no more. */
static bool next_word(struct odp_slice s, size_t *at, struct word *w)
{
    size_t i = *at;
    while (i < s.len && blank(s.ptr[i]))
        i++;
    if (i == s.len)
        return false;
    size_t begin = i;
    *w = (struct word){.phrase = s.ptr[i] == '"'};
    if (w->phrase) {
        size_t end = i + 1;
        while (end < s.len && s.ptr[end] != '"')
            end++;
        w->text = (struct odp_slice){s.ptr + i + 1, end - i - 1};
        i = end < s.len ? end + 1 : end;
        if (i < s.len && s.ptr[i] == '*')
            w->prefix = true, i++;
    } else {
        while (i < s.len && !blank(s.ptr[i]) && s.ptr[i] != '"')
            i++;
        w->text = (struct odp_slice){s.ptr + begin, i - begin};
        while (w->text.len > 0 && w->text.ptr[w->text.len - 1] == '*')
            w->prefix = true, w->text.len--;
    }
    w->whole = (struct odp_slice){s.ptr + begin, i - begin};
    *at = i;
    return true;
}

static void add_quoted(struct odp_buffer *b, const struct word *w)
{
    odp_buffer_add_str(b, b->len > 0 ? " \"" : "\"");
    for (size_t i = 0; i < w->text.len; i++) {
        odp_buffer_add_char(b, w->text.ptr[i]);
        if (w->text.ptr[i] == '"')
            odp_buffer_add_char(b, '"');
    }
    odp_buffer_add_str(b, w->prefix ? "\"*" : "\"");
}

static void add_word(struct odp_buffer *b, const struct word *w)
{
    const char *quote = w->phrase ? "\"" : "";
    odp_buffer_printf(b, "%s%s%.*s%s%s", b->len > 0 ? " " : "", quote, (int)w->text.len, w->text.ptr, quote,
                      w->prefix ? "*" : "");
}

static enum odp_status read_words(struct query_parsing *p, struct odp_buffer *match)
{
    struct odp_slice value = p->given[QUERY_P_Q];
    struct word w;
    size_t n = 0, end;
    for (size_t at = 0; next_word(value, &at, &w);) {
        if (count_token(w.text, &end) == 0)
            continue;
        if (w.prefix && end < PREFIX_MIN)
            return query_fault_in(p, QUERY_P_Q, w.whole, W_queries_prefix_too_short_at_least, QUERY_NOTHING);
        if (++n > WORDS_MAX)
            return query_fault_in(p, QUERY_P_Q, w.whole, W_queries_more_than_32_words, QUERY_NOTHING);
        p->q->prefixes = p->q->prefixes || w.prefix;
        add_quoted(match, &w);
        add_word(&p->scratch, &w);
    }
    if (n == 0)
        return query_fault_in(p, QUERY_P_Q, value, W_queries_has_no_word_at_least, QUERY_NOTHING);
    query_add_pair(p, query_parameter_name(QUERY_P_Q), QUERY_PAIR_CONDITION);
    return ODP_OK;
}

enum odp_status query_parse_words(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_Q];
    bool text = false;
    if (value.ptr == NULL)
        return ODP_OK;
    for (uint32_t k = 0; k < p->q->info->ncolumns; k++)
        text = text || p->q->info->columns[k].text;
    if (!text)
        return query_fault_in(p, QUERY_P_Q, QUERY_NOTHING, W_queries_these_data_have_no_text, QUERY_NOTHING);
    if (value.len > BYTES_MAX)
        return query_fault_in(p, QUERY_P_Q, QUERY_NOTHING, W_queries_more_than_1_000_bytes, QUERY_NOTHING);
    struct odp_buffer match = {0};
    enum odp_status status = read_words(p, &match);
    p->q->words = odp_buffer_keep(&match, p->q->arena);
    return status;
}

/* ---- space ---- */

/* bbox, and the names of coordinate systems. There is one: CRS84 (WGS 84, longitude before latitude). */

static bool is_crs84(struct odp_slice s)
{
    static const char *const all[] = {"http://www.opengis.net/def/crs/OGC/1.3/CRS84",
                                      "https://www.opengis.net/def/crs/OGC/1.3/CRS84",
                                      "http://www.opengis.net/def/crs/OGC/0/CRS84h",
                                      "urn:ogc:def:crs:OGC:1.3:CRS84",
                                      "[OGC:CRS84]",
                                      "OGC:CRS84",
                                      "CRS84"};
    return odp_word_index(s, all, ODP_COUNT(all)) >= 0;
}

static enum odp_status check_crs(struct query_parsing *p, enum query_parameter parameter)
{
    struct odp_slice value = p->given[parameter];
    if (value.ptr == NULL || is_crs84(value))
        return ODP_OK;
    return query_fault_in(p, parameter, value, W_queries_there_no_coordinate_system_here,
                          ODP_LIT("http://www.opengis.net/def/crs/OGC/1.3/CRS84"));
}

static enum odp_status fault_number(struct query_parsing *p, struct odp_slice item, const char *id,
                                    const char *en)
{
    return query_fault_in(p, QUERY_P_BBOX, item, id, en, QUERY_NOTHING);
}

/* 4 or 6 numbers; of 6, the third and sixth are heights, which are not looked at. */
static enum odp_status read_numbers(struct query_parsing *p, struct odp_slice items[7], double numbers[7],
                                    size_t *n)
{
    struct odp_decimal_form form = {.decimal = '.', .bare = true};
    struct odp_slice value = p->given[QUERY_P_BBOX], item;
    char text[ODP_DECIMAL_SIZE + 1];
    size_t at = 0, len;
    bool same, zero;
    for (*n = 0; *n < 7 && query_next_item(value, &at, &item); ++*n) {
        items[*n] = item;
        if (odp_decimal_parse(item, &form, text, &len, &same, &zero) != ODP_DECIMAL_OK)
            return fault_number(p, item, W_queries_no_number_four_numbers_expected);
        text[len] = '\0';
        numbers[*n] = strtod(text, NULL);
        if (!isfinite(numbers[*n]))
            numbers[*n] = numbers[*n] < 0 ? -1e300 : 1e300;
    }
    if (*n == 4 || *n == 6)
        return ODP_OK;
    return fault_number(p, value, W_queries_four_numbers_west_south_east);
}

/* Clips BOX to the world; across 180° (west > east) both longitudes must lie in it. */
static enum odp_status check_box(struct query_parsing *p, const struct odp_slice items[4], double box[4])
{
    if (box[1] > box[3])
        return fault_number(p, items[1], W_queries_south_greater_than_north_order);
    if (box[3] < -90 || box[1] > 90)
        return fault_number(p, items[1], W_queries_latitude_not_within_90_90);
    if (box[0] > box[2])
        for (int i = 0; i < 3; i += 2)
            if (box[i] < -180 || box[i] > 180)
                return fault_number(p, items[i], W_queries_longitude_not_within_180_180);
    if (box[2] < -180 || box[0] > 180)
        return fault_number(p, items[0], W_queries_longitude_not_within_180_180_2);
    for (int i = 0; i < 4; i++) {
        double most = i % 2 == 0 ? 180 : 90;
        box[i] = box[i] < -most ? -most : box[i] > most ? most : box[i];
    }
    return ODP_OK;
}

/* V in the fewest digits that read back as V. */
static void add_double(struct odp_buffer *b, double v)
{
    char text[48];
    for (int places = 0; places <= 15; places++) {
        size_t n = odp_decimal_fixed(v, places, text);
        text[n] = '\0';
        if (n > 0 && strtod(text, NULL) == v) {
            odp_buffer_add(b, text, n);
            return;
        }
    }
    odp_buffer_printf(b, "%.17g", v);
}

enum odp_status query_parse_bbox(struct query_parsing *p)
{
    static const enum query_parameter systems[] = {QUERY_P_FILTER_CRS, QUERY_P_BBOX_CRS, QUERY_P_CRS};
    struct odp_query *q = p->q;
    struct odp_slice items[7];
    double numbers[7];
    size_t n;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < ODP_COUNT(systems) && status == ODP_OK; i++)
        status = check_crs(p, systems[i]);
    if (status != ODP_OK || p->given[QUERY_P_BBOX].ptr == NULL)
        return status;
    if ((status = read_numbers(p, items, numbers, &n)) != ODP_OK)
        return status;
    size_t east = n == 6 ? 3 : 2;
    struct odp_slice corners[4] = {items[0], items[1], items[east], items[east + 1]};
    double box[4] = {numbers[0], numbers[1], numbers[east], numbers[east + 1]};
    if (n == 6 && numbers[2] > numbers[5])
        return fault_number(p, items[2], W_queries_lowest_height_greater_than_highest);
    if ((status = check_box(p, corners, box)) != ODP_OK || !q->info->has_geometry)
        return status; /* without geometry all records match */
    struct odp_expr_scope scope = {.schema = &q->info->schema, .geometry = q->info->geometry_name};
    if ((status = odp_expr_box(q->arena, &scope, box, &q->box)) == ODP_BAD)
        return fault_number(p, p->given[QUERY_P_BBOX], W_queries_no_box_west_south_east);
    if (status != ODP_OK)
        return status;
    memcpy(q->bounds, box, sizeof box);
    for (int i = 0; i < 4; i++) {
        odp_buffer_add_str(&p->scratch, i > 0 ? "," : "");
        add_double(&p->scratch, box[i]);
    }
    query_add_pair(p, query_parameter_name(QUERY_P_BBOX), QUERY_PAIR_CONDITION);
    return ODP_OK;
}

struct end {
    bool open, day; /* DAY: a date */
    struct odp_datetime d;
};

static enum odp_status fault_end(struct query_parsing *p, struct odp_slice s, const char *id, const char *en)
{
    return query_fault_in(p, QUERY_P_DATETIME, s, id, en, QUERY_NOTHING);
}

/* "2024-03-15T00:00:00 07:00": a plus sign that became a space on its way. */
static bool lost_plus(struct odp_slice s)
{
    return s.len > 17 && s.ptr[s.len - 6] == ' ' && s.ptr[s.len - 3] == ':';
}

static enum odp_status read_end(struct query_parsing *p, struct odp_slice s, bool interval, struct end *e)
{
    *e = (struct end){.open = interval && (s.len == 0 || odp_slice_is(s, ".."))};
    if (e->open)
        return ODP_OK;
    struct odp_slice text = s;
    text.len -= s.len == 11 && s.ptr[10] == 'T';
    e->day = text.len == 10;
    enum odp_date_fault f = odp_date_parse(text, e->day ? ODP_DATE : ODP_DATETIME, NULL, NULL, &e->d);
    if (f == ODP_DATE_OK)
        return ODP_OK;
    if (lost_plus(s))
        return fault_end(p, s, W_queries_plus_sign_address_means_space);
    if (f == ODP_DATE_NO_OFFSET)
        return fault_end(p, s, W_queries_has_no_time_zone_z);
    if (f == ODP_DATE_RANGE)
        return fault_end(p, s, W_queries_there_no_such_date_time);
    return fault_end(p, s, W_queries_no_time_expected_2024_03);
}

/* E as a bound of COLUMN, in the index's form. */
static const char *bound(struct query_parsing *p, const struct end *e, int column, bool upper)
{
    char text[ODP_DATETIME_SIZE], out[ODP_DATETIME_SIZE];
    size_t n = odp_date_format(&e->d, ODP_DATE, text);
    if (p->q->info->columns[column].type == ODP_TYPE_DATE)
        return odp_arena_copy(p->q->arena, (struct odp_slice){text, n}).ptr;
    if (e->day)
        return odp_arena_printf(p->q->arena, "%.*s%s", (int)n, text,
                                upper ? "T23:59:59.999Z999999" : "T00:00:00.000Z");
    n = odp_date_format(&e->d, ODP_DATETIME, text);
    n = odp_search_instant((struct odp_slice){text, n}, out);
    return odp_arena_copy(p->q->arena, (struct odp_slice){out, n}).ptr;
}

/* Instants by instant, else by day. */
static bool later(const struct end *a, const struct end *b)
{
    if (a->open || b->open)
        return false;
    if (!a->day && !b->day)
        return odp_date_cmp(&a->d, &b->d) > 0;
    return odp_date_days(&a->d) > odp_date_days(&b->d);
}

static void add_normal(struct query_parsing *p, const struct end *e)
{
    char text[ODP_DATETIME_SIZE];
    if (e->open)
        odp_buffer_add_str(&p->scratch, "..");
    else
        odp_buffer_add(&p->scratch, text, odp_date_format(&e->d, e->day ? ODP_DATE : ODP_DATETIME, text));
}

enum odp_status query_parse_datetime(struct query_parsing *p)
{
    struct odp_slice value = p->given[QUERY_P_DATETIME];
    const int *columns = p->q->info->datetime;
    struct end e[2];
    if (value.ptr == NULL)
        return ODP_OK;
    struct odp_slice second = value, first = odp_slice_cut(&second, '/');
    const bool range = first.len < value.len;
    second = range ? second : value;
    enum odp_status status = read_end(p, first, range, &e[0]);
    if (status == ODP_OK)
        status = read_end(p, second, range, &e[1]);
    if (status != ODP_OK)
        return status;
    if (e[0].open && e[1].open)
        return fault_end(p, value, W_queries_open_at_both_ends_at);
    if (later(&e[0], &e[1]))
        return fault_end(p, second, W_queries_end_before_beginning);
    if (columns[0] < 0)
        return ODP_OK; /* without dates all records match */
    p->q->datetime[0] = e[0].open ? NULL : bound(p, &e[0], columns[1], false);
    p->q->datetime[1] = e[1].open ? NULL : bound(p, &e[1], columns[0], true);
    add_normal(p, &e[0]);
    odp_buffer_add_str(&p->scratch, range ? "/" : "");
    if (range)
        add_normal(p, &e[1]);
    query_add_pair(p, query_parameter_name(QUERY_P_DATETIME), QUERY_PAIR_CONDITION);
    return ODP_OK;
}
