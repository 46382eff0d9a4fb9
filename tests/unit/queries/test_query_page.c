/* Paging: every record once, in the order asked for, by every kind of sort, forward and back; cursors. The
 * order that must come out is worked out here, from the values that went in. */

#include "run.h"

#include <jansson.h>

#include "query_fixture.h"

enum { NO, TEKS, ANGKA, LEBAR, TANGGAL, YA, BESAR, KEYS, ROWS = 137 };
static const char *const names[KEYS] = {"no", "teks", "angka", "lebar", "tanggal", "ya", "besar"};

/* What a record's values are worth; -1: null. Equal ranks are equal values. */
static int ranks[ROWS][KEYS];

struct sort {
    int column;
    bool descending;
};
static const struct sort *order;
static size_t norder;

static int by_order(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    for (size_t k = 0; k < norder; k++) {
        int x = ranks[i][order[k].column], y = ranks[j][order[k].column];
        if ((x < 0) != (y < 0))
            return x < 0 ? 1 : -1; /* nulls last either way */
        if (x != y)
            return (x < y) != order[k].descending ? -1 : 1;
    }
    return i < j ? -1 : 1; /* the order of the published file */
}

/* A record's text of COLUMN for RANK; different forms of the same number are the same number. */
static const char *text_of(int column, int rank, int i, char out[80])
{
    static const char *const words[] = {"", "Ancol", "Menteng", "Ruwet, \"a\"", "menteng", "Écart", "日本"};
    static const char *const wide[] = {
        "-12345678901234567890.5", "-3", "0.1", "0.10000000000000000001", "7", "99999999999999999999",
        "99999999999999999999.25",
    };
    static const char *const great[] = {
        "-9223372036854775809", "-9223372036854775808",          "-1", "0", "9223372036854775807",
        "9223372036854775808",  "123456789012345678901234567890"};
    if (rank < 0)
        return NULL;
    switch (column) {
    case NO:
        snprintf(out, 80, "%d", rank);
        break;
    case TEKS:
        return words[rank];
    case ANGKA:
        snprintf(out, 80, i % 3 == 0 ? "%d.50" : "%d.5", rank - 3);
        break;
    case LEBAR:
        return wide[rank];
    case TANGGAL:
        snprintf(out, 80, "2024-0%d-15", rank + 1);
        break;
    case YA:
        return rank > 0 ? "true" : "false";
    default:
        return great[rank];
    }
    return out;
}

static void make(struct qf *x, int nkey)
{
    static const enum odp_type types[KEYS] = {
        ODP_TYPE_INTEGER, ODP_TYPE_STRING,  ODP_TYPE_NUMBER,  ODP_TYPE_NUMBER,
        ODP_TYPE_DATE,    ODP_TYPE_BOOLEAN, ODP_TYPE_INTEGER,
    };
    uint32_t seed = 7;
    qf_begin(x);
    for (int k = 0; k < KEYS; k++)
        (void)qf_field(x, names[k], types[k]);
    if (nkey == 2) /* the first of them with many equal values */
        qf_key(x, YA);
    if (nkey > 0)
        qf_key(x, NO);
    qf_index(x, TEKS);
    qf_index(x, ANGKA);
    qf_index(x, TANGGAL);
    for (int i = 0; i < ROWS; i++) {
        const char *cells[KEYS];
        char text[KEYS][80];
        for (int k = 0; k < KEYS; k++) {
            seed = seed * 1664525 + 1013904223;
            int values = k == YA ? 2 : 7,
                rank = (int)(seed >> 16) % (values + (k == YA && nkey == 2 ? 0 : 2));
            ranks[i][k] = k == NO ? (i * 53) % ROWS : rank >= values ? -1 : rank;
            cells[k] = text_of(k, ranks[i][k], i, text[k]);
        }
        qf_row(x, cells);
        if (i % 5 > 0)
            qf_point(x, 106 + i * 0.01, -6);
    }
    qf_open(x);
}

/* The records (by NO) of the last answer, appended to OUT. */
static size_t read_page(struct qf *x, int *out, size_t n)
{
    json_error_t error;
    json_t *body = json_loadb(x->r.body.ptr, x->r.body.len, JSON_DECODE_INT_AS_REAL, &error);
    if (body == NULL)
        fail_msg("%s: %.*s", error.text, (int)x->r.body.len, x->r.body.ptr);
    json_t *data = json_object_get(body, "data");
    assert_int_equal(json_array_size(data), x->r.returned);
    for (size_t i = 0; i < json_array_size(data); i++)
        out[n++] = (int)json_number_value(json_object_get(json_array_get(data, i), "no"));
    json_decref(body);
    return n;
}

static enum odp_status follow(struct qf *x, const char *link)
{
    char copy[2000];
    const char *query = strchr(link, '?');
    assert_non_null(query);
    assert_true(strlen(query) < sizeof copy);
    strcpy(copy, query + 1);
    return qf_ask(x, copy);
}

static void must_ask(struct qf *x, const char *query)
{
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : "",
                 odp_failure_text());
}

/* All pages from QUERY on, forward and back again; WANTED records by NO. */
static void check_walk(struct qf *x, const char *query, const int *wanted, size_t n)
{
    int *got = malloc(4 * ROWS * sizeof *got);
    size_t have = 0, pages = 0;
    assert_non_null(got);
    must_ask(x, query);
    assert_null(x->r.previous);
    for (;; pages++) {
        size_t before = have;
        assert_int_equal(x->r.total, n);
        have = read_page(x, got, have);
        assert_true(have <= n);
        assert_true(have > before || n == 0);
        if (x->r.next == NULL)
            break;
        if (follow(x, x->r.next) != ODP_OK)
            fail_msg("%s: %s", query, x->fault.detail.in[1]);
        assert_non_null(x->r.previous);
    }
    if (have != n || memcmp(got, wanted, n * sizeof *got) != 0)
        fail_msg("%s: %zu records of %zu, or another order", query, have, n);
    size_t place = n - x->r.returned, page[2] = {0, 0};
    while (x->r.previous != NULL) {
        must(follow(x, x->r.previous));
        page[0] = read_page(x, got, 0);
        assert_true(page[0] > 0 && page[0] <= place);
        if (memcmp(got, wanted + place - page[0], page[0] * sizeof *got) != 0)
            fail_msg("%s: backward, before %zu", query, place);
        place -= page[0];
        assert_non_null(x->r.next);
        page[1]++;
    }
    assert_int_equal(place, 0);
    free(got);
}

static void check_sort(struct qf *x, const struct sort *s, size_t n, const char *limit)
{
    char query[200] = "sortby=";
    int place[ROWS], wanted[ROWS];
    for (size_t k = 0; k < n; k++)
        snprintf(query + strlen(query), sizeof query - strlen(query), "%s%s%s", k > 0 ? "," : "",
                 s[k].descending ? "-"
                 : k % 2 == 0    ? ""
                                 : "%2B",
                 names[s[k].column]);
    snprintf(query + strlen(query), sizeof query - strlen(query), "&%s", limit);
    const char *asked = n > 0 ? query : limit;
    order = s;
    norder = n;
    for (int i = 0; i < ROWS; i++)
        place[i] = i;
    qsort(place, ROWS, sizeof *place, by_order);
    for (int i = 0; i < ROWS; i++)
        wanted[i] = ranks[place[i]][NO];
    check_walk(x, asked, wanted, ROWS);
}

static void check_sorts(int nkey)
{
    struct qf x;
    make(&x, nkey);
    check_sort(&x, NULL, 0, "limit=20");
    for (int a = 0; a < KEYS; a++)
        for (int way = 0; way < 2; way++) {
            struct sort s[3] = {{a, way == 1}};
            check_sort(&x, s, 1, "limit=11");
            for (int b = 0; b < KEYS; b++) {
                if (b == a)
                    continue;
                s[1] = (struct sort){b, (a + b) % 2 == 0};
                check_sort(&x, s, 2, "limit=17");
                int c = (b + 3) % KEYS;
                s[2] = (struct sort){c, (b + way) % 2 == 0};
                if (c != a && c != b)
                    check_sort(&x, s, 3, "limit=40");
            }
        }
    check_sort(&x, (struct sort[]){{TEKS, false}, {YA, true}}, 2, "limit=1");
    check_sort(&x, (struct sort[]){{TEKS, true}, {LEBAR, false}}, 2, "limit=1000");
    qf_end(&x);
}

TEST(sorts_with_key)
{
    check_sorts(1);
}

TEST(sorts_with_two_keys)
{
    check_sorts(2);
}

TEST(sorts_without_key)
{
    check_sorts(0);
}

/* Pages that end by bytes, with conditions, from an offset. */
TEST(other_pages)
{
    struct qf x;
    int wanted[ROWS], place[ROWS];
    size_t n = 0;
    make(&x, 1);
    order = NULL;
    norder = 0;
    for (int i = 0; i < ROWS; i++)
        place[i] = i;
    qsort(place, ROWS, sizeof *place, by_order);
    for (int i = 0; i < ROWS; i++)
        wanted[i] = ranks[place[i]][NO];
    x.limits.bytes = 900;
    check_walk(&x, "limit=1000", wanted, ROWS);
    x.limits.bytes = 1; /* one record at least */
    check_walk(&x, "limit=1000", wanted, ROWS);
    x.limits.bytes = 1 << 20;
    for (int i = 0; i < ROWS; i++)
        if (ranks[place[i]][ANGKA] >= 3)
            wanted[n++] = ranks[place[i]][NO];
    check_walk(&x, "filter=angka%20%3E%200&limit=7", wanted, n);
    n = 0; /* records without geometry match a box, too */
    for (int i = 0; i < ROWS; i++)
        if (place[i] % 5 == 0 || place[i] <= 50)
            wanted[n++] = ranks[place[i]][NO];
    check_walk(&x, "bbox=105,-7,106.5,-5&limit=7", wanted, n);
    check_walk(&x, "bbox=105,-7,0,106.5,-5,10&limit=7", wanted, n);
    n = 0;
    for (int i = 0; i < ROWS; i++)
        if (ranks[place[i]][TEKS] == 2 || ranks[place[i]][TEKS] == 4)
            wanted[n++] = ranks[place[i]][NO];
    check_walk(&x, "q=MENT*&limit=5", wanted, n);
    check_walk(&x, "q=m%C3%A9nteng&limit=5", wanted, n);
    check_walk(&x, "q=tidak-ada&limit=5", wanted, 0);
    for (int i = 0; i < ROWS; i++)
        wanted[i] = ranks[place[i]][NO];
    must_ask(&x, "offset=130&limit=5");
    int got[ROWS];
    assert_int_equal(read_page(&x, got, 0), 5);
    assert_memory_equal(got, wanted + 130, 5 * sizeof *got);
    assert_int_equal(x.r.total, ROWS);
    assert_non_null(x.r.previous);
    assert_null(strstr(x.r.next, "offset"));
    must(follow(&x, x.r.next));
    assert_int_equal(read_page(&x, got, 0), 2);
    assert_memory_equal(got, wanted + 135, 2 * sizeof *got);
    must_ask(&x, "offset=137&limit=5");
    assert_int_equal(x.r.returned, 0);
    assert_int_equal(x.r.total, ROWS);
    qf_end(&x);
}

/* ---- cursors ---- */

static const char *cursor_of(const char *link)
{
    const char *at = strstr(link, "cursor=");
    assert_non_null(at);
    return at + 7;
}

static void refused(struct qf *x, const char *query)
{
    if (qf_ask(x, query) != ODP_BAD)
        fail_msg("taken: %s", query);
    assert_int_equal(x->fault.problem, ODP_QUERY_CURSOR_INVALID);
    assert_string_equal(x->fault.parameter, "cursor");
    assert_true(strlen(x->fault.detail.in[0]) > 0 && strlen(x->fault.detail.in[1]) > 0);
}

TEST(cursors)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct qf x;
    char cursor[400], query[800], id[ODP_SEARCH_ID + 1];
    uint8_t other[32] = {1};
    make(&x, 1);
    must_ask(&x, "sortby=teks&limit=5");
    snprintf(cursor, sizeof cursor, "%s", cursor_of(x.r.next));
    size_t len = strlen(cursor);
    assert_true(len < 100); /* however long the values of the sort are */
    assert_true(odp_query_cursor_index(odp_slice_of(cursor), qf_secret, id));
    assert_string_equal(id, odp_index_info(x.index)->id);
    assert_false(odp_query_cursor_index(odp_slice_of(cursor), other, id));
    snprintf(query, sizeof query, "sortby=teks&limit=9&cursor=%s", cursor); /* the page's size may change */
    must_ask(&x, query);
    assert_int_equal(x.r.returned, 9);
    snprintf(query, sizeof query, "sortby=teks&properties=no&skipGeometry=true&cursor=%s", cursor);
    must_ask(&x, query);
    static const char *const others[] = {"sortby=-teks&limit=5", "limit=5", "sortby=teks&no=5",
                                         "sortby=teks&filter=no%3E5", "sortby=teks&q=menteng"};
    for (size_t i = 0; i < ODP_COUNT(others); i++) {
        snprintf(query, sizeof query, "%s&cursor=%s", others[i], cursor);
        refused(&x, query);
        assert_non_null(strstr(x.fault.detail.in[1], "another query"));
    }
    for (size_t i = 0; i < len; i++) /* every digit, by each of its bits */
        for (int bit = 1; bit < 64; bit *= 2) {
            char *at = &cursor[i], was = *at;
            *at = digits[(strchr(digits, was) - digits) ^ bit];
            snprintf(query, sizeof query, "sortby=teks&limit=5&cursor=%s", cursor);
            refused(&x, query);
            assert_false(odp_query_cursor_index(odp_slice_of(cursor), qf_secret, id));
            *at = was;
        }
    for (size_t i = 0; i < len; i++) { /* every beginning */
        snprintf(query, sizeof query, "sortby=teks&limit=5&cursor=%.*s", (int)i, cursor);
        refused(&x, query);
    }
    static const char *const odd[] = {
        "%20", "A",  "AA==",  "%00",
        "%FF", "AQ", "a/b+c", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};
    for (size_t i = 0; i < ODP_COUNT(odd); i++) {
        snprintf(query, sizeof query, "cursor=%s", odd[i]);
        must_refuse(qf_ask(&x, query));
    }
    char *huge = malloc(100000);
    assert_non_null(huge);
    memset(huge, 'A', 99999);
    memcpy(huge, "cursor=", 7);
    huge[99999] = '\0';
    refused(&x, huge);
    free(huge);
    x.call.secret = other;
    snprintf(query, sizeof query, "sortby=teks&limit=5&cursor=%s", cursor);
    refused(&x, query);
    qf_end(&x);
}

/* A cursor of one index is invalid in another. */
TEST(cursor_of_another_index)
{
    struct qf x, y;
    char query[800], id[ODP_SEARCH_ID + 1];
    make(&x, 1);
    make(&y, 0);
    must_ask(&x, "limit=5");
    snprintf(query, sizeof query, "limit=5&cursor=%s", cursor_of(x.r.next));
    refused(&y, query);
    assert_non_null(strstr(y.fault.detail.in[1], "another version"));
    assert_true(odp_query_cursor_index(odp_slice_of(cursor_of(query)), qf_secret, id));
    assert_string_equal(id, odp_index_info(x.index)->id);
    qf_end(&x);
    qf_end(&y);
}

/* ---- one record ---- */

static void ask_item(struct qf *x, const char *key, int wanted)
{
    int got[ROWS];
    x->call.kind = ODP_QUERY_ITEM;
    x->call.key = odp_slice_of(key);
    enum odp_status status = qf_ask(x, "");
    x->call.kind = ODP_QUERY_ITEMS;
    if (wanted < 0) {
        must_refuse(status);
        assert_int_equal(x->fault.problem, ODP_QUERY_NOT_FOUND);
        return;
    }
    must(status);
    assert_int_equal(read_page(x, got, 0), 1);
    assert_int_equal(got[0], wanted);
    assert_null(x->r.next);
}

TEST(items)
{
    struct qf x;
    char key[80];
    make(&x, 1);
    ask_item(&x, "0", 0);
    ask_item(&x, "136", 136);
    static const char *const none[] = {"137", "-1", "x",  "", "1.5", "99999999999999999999999",
                                       "1,2", "1 ", "%31"};
    for (size_t i = 0; i < ODP_COUNT(none); i++)
        ask_item(&x, none[i], -1);
    x.call.kind = ODP_QUERY_ITEM;
    x.call.key = odp_slice_of("5");
    must(qf_ask(&x, "properties=no,teks&f=json&skipGeometry=true"));
    must_refuse(qf_ask(&x, "limit=5"));
    assert_int_equal(x.fault.problem, ODP_QUERY_PARAMETER_UNKNOWN);
    must_refuse(qf_ask(&x, "teks=a"));
    qf_end(&x);
    make(&x, 0);
    ask_item(&x, "1", ranks[0][NO]);
    ask_item(&x, "137", ranks[136][NO]);
    ask_item(&x, "0", -1);
    ask_item(&x, "138", -1);
    qf_end(&x);
    make(&x, 2);
    for (int i = 0; i < ROWS; i++) {
        snprintf(key, sizeof key, "%s,%d", ranks[i][YA] > 0 ? "true" : "false", ranks[i][NO]);
        ask_item(&x, key, ranks[i][NO]);
        snprintf(key, sizeof key, "%s,%d", ranks[i][YA] > 0 ? "false" : "true", ranks[i][NO]);
        ask_item(&x, key, -1);
    }
    ask_item(&x, "true", -1);
    ask_item(&x, "true,", -1);
    ask_item(&x, ",5", -1);
    ask_item(&x, "true,5,6", -1);
    qf_end(&x);
}

/* Keys with commas and percent signs; wide keys. */
TEST(item_texts)
{
    static const char *const a[] = {"a,b", "a", "%2C", "%", "", "a%2Cb"};
    static const char *const b[] = {"c", "b,c", "%25", "", "%", ""};
    static const char *const keys[] = {"a%2Cb,c", "a,b%2Cc", "%252C,%2525", "%25,", ",%25", "a%252Cb,"};
    struct qf x;
    for (int nkey = 1; nkey <= 2; nkey++) {
        qf_begin(&x);
        (void)qf_field(&x, "a", ODP_TYPE_STRING);
        (void)qf_field(&x, "b", ODP_TYPE_STRING);
        (void)qf_field(&x, "no", ODP_TYPE_INTEGER);
        qf_key(&x, 0);
        if (nkey == 2)
            qf_key(&x, 1);
        for (int i = 0; i < 6; i++) {
            char no[20];
            snprintf(no, sizeof no, "%d", i);
            qf_row(&x, (const char *const[]){a[i], b[i], no});
        }
        qf_open(&x);
        for (int i = 0; i < 6 && nkey == 2; i++)
            ask_item(&x, keys[i], i);
        if (nkey == 1) {
            ask_item(&x, "a,b", 0);
            ask_item(&x, "a%2Cb", 5); /* a key of one field is its value, as it is */
            ask_item(&x, "a%252Cb", -1);
            ask_item(&x, "%25", -1);
            ask_item(&x, "%2C", 2);
            ask_item(&x, "%", 3);
            ask_item(&x, "", 4);
        }
        qf_end(&x);
    }
    qf_begin(&x);
    (void)qf_field(&x, "besar", ODP_TYPE_INTEGER);
    (void)qf_field(&x, "no", ODP_TYPE_INTEGER);
    qf_key(&x, 0);
    qf_row(&x, (const char *const[]){"123456789012345678901234567890", "1"});
    qf_row(&x, (const char *const[]){"123456789012345678901234567891", "2"});
    qf_row(&x, (const char *const[]){"7", "3"});
    qf_open(&x);
    ask_item(&x, "123456789012345678901234567890", 1);
    ask_item(&x, "123456789012345678901234567891", 2);
    ask_item(&x, "7", 3);
    ask_item(&x, "123456789012345678901234567892", -1);
    qf_end(&x);
}
