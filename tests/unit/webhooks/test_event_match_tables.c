/* Filters of events over tables without a key, of several, of other types than before, with files missing;
 * changes.json and keys as such; and whether a filter can be asked at all. */
#include <glob.h>

#include "event_match_fixture.h"

/* ---- other tables ---- */

TEST(without_key)
{
    static const char fields[] =
        "{\"name\": \"kode\", \"type\": \"string\"}, {\"name\": \"n\", \"type\": \"number\"}";
    struct world w;
    world_init(&w);
    put_dataset(&w, "uji", "2024-01-15",
                &(struct table){"uji", fields, NULL, "kode,n\na,1.50\na,1.50\n\"b,\"\"\",2\n,3\n", NULL}, 1);
    build(&w);
    match_one(&w, "uji", "2024-01-15", "n < 2.5");
    expect_found(&w, 0, "uji 3 0 0 null");
    match_one(&w, "uji", "2024-01-15", "n > 3");
    expect_found(&w, 0, "uji 0 0 0 + - ~");
    put_dataset(&w, "uji", "2024-02-15",
                &(struct table){"uji", fields, NULL,
                                "kode,n\na,1.50\n\"b,\"\"\",2.0\n\"b,\"\"\",2\nc\\d,4e1\n", NULL},
                1);
    build(&w);
    match_one(&w, "uji", "2024-02-15",
              "kode = 'a' OR kode IS NULL"); /* one of two a went, and the one without a kode */
    expect_found(&w, 0, "uji 0 2 0 null");
    match_one(&w, "uji", "2024-02-15",
              "n = 2 AND kode = 'b,\"' OR kode = 'c\\\\d'"); /* 2.0 is another row than 2 */
    expect_found(&w, 0, "uji 2 0 0 null");
    match(&w, "uji", (const char *const[]){"2024-01-15", "2024-02-15", NULL},
          &(struct odp_event_filter){"kode = 'a'", false}, 1);
    expect_found(&w, 0, "uji 2 1 0 null");
    world_release(&w);
}

#define KODE "{\"name\": \"kode\", \"type\": \"string\"}, "
static const struct table first = {"uji", KODE "{\"name\": \"n\", \"type\": \"number\"}", "\"kode\"",
                                   "kode,n\na,1\nb,2\n", NULL};

TEST(several_tables)
{
    static const struct table second = {"rinci", KODE "{\"name\": \"lantai\", \"type\": \"integer\"}",
                                        "\"kode\"", "kode,lantai\na,1\nz,9\n", GOING};
    struct table both[2] = {first, second};
    struct world w;
    world_init(&w);
    put_dataset(&w, "uji", "2024-01-15", both, 1);
    build(&w);
    both[0].csv = "kode,n\na,1\nb,3\n";
    put_dataset(&w, "uji", "2024-02-15", both, 2);
    build(&w);
    const struct odp_event_filter filters[] = {
        {"lantai > 5", false},           {"n > 2", false}, {"kode IN ('z','b')", false},
        {"lantai > 5 AND n > 2", false}, {"{", true},
    };
    const char *const versions[] = {"2024-02-15", NULL};
    match(&w, "uji", versions, filters, 5); /* a new table: all its records are added */
    expect_found(&w, 0, "rinci 1 0 0 +z - ~");
    expect_found(&w, 1, "uji 0 0 1 + - ~b");
    expect_found(&w, 2, "uji 0 0 1 + - ~b|rinci 1 0 0 +z - ~");
    expect_unknown(&w, 3, "tidak ada bidang", "there is no field");
    expect_unknown(&w, 4, "bukan JSON", "not valid JSON");

    both[0].csv = "kode,n\na,1\nb,4\n";
    put_dataset(&w, "uji", "2024-03-15", both, 1);
    build(&w);
    match(&w, "uji", (const char *const[]){"2024-03-15", NULL}, filters,
          3); /* the table is gone: subscriptions to it get that */
    expect_unknown(&w, 0, "rinci", "rinci");
    expect_found(&w, 1, "uji 0 0 1 + - ~b");
    expect_unknown(&w, 2, "rinci", "rinci");
    world_release(&w);
}

/* A table without an index cannot be filtered, and hinders no filter of another. */
TEST(without_index)
{
    static const struct table second = {"rinci", KODE "{\"name\": \"lantai\", \"type\": \"integer\"}",
                                        "\"kode\"", "kode,lantai\na,1\nz,9\n", ", \"odp:index\": false"};
    const struct table both[2] = {first, second};
    const char *const versions[] = {"2024-01-15", NULL};
    const struct odp_event_filter filters[] = {{"n > 1", false}, {"lantai > 5", false}};
    struct odp_event_filter_fault fault;
    struct world w;
    world_init(&w);
    put_dataset(&w, "uji", "2024-01-15", both, 2);
    build(&w);
    match(&w, "uji", versions, filters, 2);
    expect_found(&w, 0, "uji 1 0 0 +b - ~");
    expect_unknown(&w, 1, "tidak ada bidang", "there is no field");
    must_refuse(odp_event_filter_check(w.site, "uji", &filters[1], &fault, &w.arena, w.diags));
    world_release(&w);
}

/* Events list the keys of at most ODP_EVENT_KEYS records of all tables together. */
TEST(keys_of_all)
{
    struct odp_buffer csv = {0};
    struct world w;
    world_init(&w);
    odp_buffer_add_str(&csv, "kode,n\n");
    for (int i = 0; i < ODP_EVENT_KEYS; i++)
        odp_buffer_printf(&csv, "k%d,%d\n", i, i);
    struct table both[2] = {first, first};
    both[1].name = "rinci";
    both[0].csv = both[1].csv = odp_buffer_cstr(&csv);
    put_dataset(&w, "uji", "2024-01-15", both, 2);
    build(&w);
    for (int n = ODP_EVENT_KEYS / 2 - 1; n <= ODP_EVENT_KEYS / 2; n++) {
        char filter[32];
        snprintf(filter, sizeof filter, "n <= %d", n); /* N + 1 of each */
        match_one(&w, "uji", "2024-01-15", filter);
        const json_t *list = json_object_get(w.out[0].json, "resources");
        assert_int_equal(json_array_size(list), 2);
        for (size_t i = 0; i < 2; i++) {
            const json_t *one = json_array_get(list, i);
            assert_int_equal(json_integer_value(json_object_get(one, "added")), n + 1);
            assert_int_equal(json_array_size(json_object_get(json_object_get(one, "keys"), "added")),
                             n < ODP_EVENT_KEYS / 2 ? n + 1 : 0);
            assert_int_equal(json_is_null(json_object_get(one, "keys")), n == ODP_EVENT_KEYS / 2);
        }
    }
    odp_buffer_release(&csv);
    world_release(&w);
}

/* Another type, another key, more than one such version. */
TEST(other_types)
{
    struct table t = first;
    struct world w;
    world_init(&w);
    t.fields = KODE "{\"name\": \"n\", \"type\": \"string\"}";
    put_dataset(&w, "uji", "2024-01-15", &t, 1);
    build(&w);
    t = first;
    t.csv = "kode,n\na,1\nb,5\n";
    put_dataset(&w, "uji", "2024-02-15", &t, 1);
    build(&w);
    match_one(&w, "uji", "2024-02-15", "n = 5");
    expect_unknown(&w, 0, "2024-01-15", "another type in version 2024-01-15");
    match_one(&w, "uji", "2024-02-15", "kode = 'b'");
    expect_found(&w, 0, "uji 0 0 1 + - ~b");
    t.key = "\"n\""; /* a number: sent as 5.0, equal to 5 */
    t.csv = "kode,n\na,1\nc,5.0\n";
    put_dataset(&w, "uji", "2024-03-15", &t, 1);
    build(&w);
    match_one(&w, "uji", "2024-03-15", "kode = 'b'");
    expect_found(&w, 0, "uji 0 0 1 + - ~5.0");
    match(&w, "uji", (const char *const[]){"2024-02-15", "2024-03-15", NULL},
          &(struct odp_event_filter){"kode = 'b'", false}, 1);
    expect_unknown(&w, 0, "kunci tabel uji berubah", "the key of the table uji changed");
    world_release(&w);
}

/* ---- what is not there ---- */

/* Replaces a file of the site (AS NULL: removes it); it may be linked into other places. */
static void spoil(const struct world *w, const char *path, const char *as, size_t len)
{
    char full[512];
    path_of(w, path, full);
    (void)unlink(full);
    if (as != NULL)
        put(w, path, as, len);
}

/* The one file that PATTERN is. */
static void find(const struct world *w, const char *pattern, char out[512])
{
    char full[512];
    glob_t found;
    path_of(w, pattern, full);
    assert_int_equal(glob(full, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(out, 512, "%s", found.gl_pathv[0] + strlen(w->dir) + 1);
    globfree(&found);
}

TEST(missing_files)
{
    static const struct {
        const char *path, *as, *id, *en;
    } cases[] = {
        {"site/data/uji/2024-02-15/changes.json", NULL, "daftar perubahan versi 2024-02-15",
         "what changed in version 2024-02-15"},
        {"site/data/uji/2024-02-15/changes.json", "{}\n", "daftar perubahan versi 2024-02-15",
         "what changed in version 2024-02-15"},
        {"site/search/uji/2024-01-15/*.sqlite", NULL, "indeks versi 2024-01-15",
         "index of version 2024-01-15"},
        {"site/search/uji/2024-02-15/*.sqlite", "kode,n\r\n", "indeks versi 2024-02-15",
         "index of version 2024-02-15"},
        {"site/data/uji/2024-01-15/schema.json", NULL, "skema atau indeks versi 2024-01-15",
         "schema or the index of version 2024-01-15"},
        {"site/data/uji/versions.json", NULL, "daftar versi", "list of the dataset's versions"},
    };
    enum { CASES = ODP_COUNT(cases) };
    struct table t = first;
    struct world w;
    world_init(&w);
    put_dataset(&w, "uji", "2024-01-15", &first, 1);
    build(&w);
    t.csv = "kode,n\na,1\nb,5\n";
    put_dataset(&w, "uji", "2024-02-15", &t, 1);
    build(&w);
    for (size_t i = 0; i <= CASES; i++) {
        match_one(&w, "uji", "2024-02-15", "n = 7");
        assert_false(w.out[0].relevant); /* the last one has been mended */
        assert_int_equal(odp_diags_code_count(w.diags, ODP_V03), 0);
        match_one(&w, "uji", "2024-05-15", "n = 7"); /* a version that is not there */
        expect_unknown(&w, 0, "2024-05-15", "2024-05-15");
        match_one(&w, "lain", "2024-02-15", "n = 7");
        expect_unknown(&w, 0, "daftar versi", "list of the dataset's versions");
        if (i == CASES)
            break;
        char found[512];
        find(&w, cases[i].path, found);
        struct odp_buffer whole = get(&w, found);
        spoil(&w, found, cases[i].as, cases[i].as != NULL ? strlen(cases[i].as) : 0);
        reopen(&w);
        match_one(&w, "uji", "2024-02-15", "n = 7");
        expect_unknown(&w, 0, cases[i].id, cases[i].en);
        assert_true(odp_diags_code_count(w.diags, ODP_V03) > 0);
        odp_diags_clear(w.diags);
        spoil(&w, found, whole.ptr, whole.len);
        odp_buffer_release(&whole);
        reopen(&w);
    }
    world_release(&w);
}

/* A filter too long for so many records; and so many long filters that they go in groups. */
static bool count_down(void *ctx)
{
    int *left = ctx;
    return (*left)-- > 0;
}

/* The caller stops early: the rest is reported with the reason, and nothing is half counted. */
TEST(enough)
{
    enum { MOST = 12 };
    const struct odp_event_filter filters[] = {{"kode = 'k1'", false}, {"n > 2", false}, {"n > 900", false}};
    struct odp_event_match out[3];
    struct world w;
    world_init(&w);
    struct table t = first;
    t.csv = "kode,n\nk1,1\nk2,2\nk3,3\n";
    put_dataset(&w, "uji", "2024-01-15", &t, 1);
    build(&w);
    json_t *data = json_pack("{s:s, s:[s]}", "dataset", "uji", "versions", "2024-01-15");
    bool was_told = false, was_applied = false;
    for (int i = 0; i < MOST; i++) {
        int left = i;
        const struct odp_event_match_limits limits = {count_down, &left};
        must(odp_event_match(&(struct odp_event_matching){&limits, w.site, data, &w.arena, w.diags}, filters,
                             3, out));
        bool applied = true;
        for (int k = 0; k < 3; k++) {
            bool is = json_is_true(json_object_get(out[k].json, "applied"));
            const char *en = json_string_value(json_object_get(json_object_get(out[k].json, "why"), "en"));
            assert_true(is ? applied : strstr(en, "took too long") != NULL);
            assert_int_equal(out[k].relevant, !is || k < 2);
            applied = is;
        }
        was_told = was_told || !applied;
        was_applied = was_applied || applied;
        odp_event_matches_release(out, 3);
    }
    assert_true(was_told && was_applied);
    json_decref(data);
    world_release(&w);
}

TEST(long_filters)
{
    enum { ROWS = 9000, LONG = 60000, MANY = 75 };
    struct odp_buffer csv = {0};
    struct odp_event_filter filters[MANY];
    char *text[MANY];
    struct world w;
    world_init(&w);
    odp_buffer_add_str(&csv, "kode,n\n");
    for (int i = 0; i < ROWS; i++)
        odp_buffer_printf(&csv, "k%d,%d\n", i, i % 100);
    struct table t = first;
    t.csv = odp_buffer_cstr(&csv);
    put_dataset(&w, "uji", "2024-01-15", &t, 1);
    build(&w);
    for (int i = 0; i < MANY; i++) {
        text[i] = malloc(LONG + 1);
        memset(text[i], ' ', LONG);
        text[i][LONG] = '\0';
        char condition[32];
        memcpy(text[i], condition, (size_t)snprintf(condition, sizeof condition, "n = %d", i));
        filters[i] = (struct odp_event_filter){text[i], false};
    }
    const char *const versions[] = {"2024-01-15", NULL};
    const struct odp_event_filter two[] = {filters[0], {"n = 99", false}};
    match(&w, "uji", versions, two, 2);
    expect_unknown(&w, 0, "terlalu banyak rekaman", "too many records");
    assert_int_equal(json_integer_value(json_object_get(
                         json_array_get(json_object_get(w.out[1].json, "resources"), 0), "added")),
                     ROWS / 100);
    odp_buffer_clear(&csv);
    odp_buffer_add_str(&csv, "kode,n\n");
    for (int i = 100; i < ROWS; i++)
        odp_buffer_printf(&csv, "k%d,%d\n", i, i % 100);
    t.csv = odp_buffer_cstr(&csv);
    put_dataset(&w, "uji", "2024-02-15", &t, 1);
    build(&w);
    match(&w, "uji", (const char *const[]){"2024-02-15", NULL}, filters,
          MANY); /* k0 to k99 went: one for each */
    for (int i = 0; i < MANY; i++) {
        char want[32];
        snprintf(want, sizeof want, "uji 0 1 0 + -k%d ~", i);
        expect_found(&w, (size_t)i, want);
        free(text[i]);
    }
    odp_buffer_release(&csv);
    world_release(&w);
}

/* ---- changes.json as such ---- */

static enum odp_status read_changes(const struct world *w, const char *text, size_t *n, bool *noted)
{
    char path[512];
    struct events_rows r;
    put(w, "x.json", text, strlen(text));
    path_of(w, "x.json", path);
    enum odp_status status = events_rows_open(&r, path);
    *noted = status == ODP_OK && r.counts_only;
    for (*n = 0; status == ODP_OK && (status = events_rows_next(&r)) == ODP_OK;)
        (*n)++;
    events_rows_close(&r);
    return status;
}

TEST(changes_read)
{
#define HEAD  "{\"dataset\":\"uji\",\n\"key\":[\"a\"],\n\"schema\":[]"
#define WHOLE "{\"dataset\":\"uji\",\n\"key\":null,\n\"schema\":[],\n\"changes\":[\n"
    static const struct {
        const char *text;
        enum odp_status status;
        size_t n;
        bool noted;
    } cases[] = {
        {HEAD ",\n\"changes\":[],\n\"summary\":{}}\n", ODP_DONE, 0, false},
        {HEAD ",\n\"note\":{\"id\":\"x\"},\n\"changes\":[],\n\"summary\":{}}\n", ODP_DONE, 0, true},
        {HEAD ",\n\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":\"x\\\"}{\"},\"record\":{}},\n{\"op\":"
              "\"removed\",\"key\":{\"a\":null},\"record\":{}}\n],\n",
         ODP_DONE, 2, false},
        {WHOLE "{\"op\":\"added\",\"record\":{\"a\":\"\\u00e9\",\"b\":{\"x\":[1,\"}]\\\\\"]}}}\n],\n",
         ODP_DONE, 1, false},
        {WHOLE "{\"op\":\"changed\",\"record\":{\"a\":null,\"b\":null}}\n],\n", ODP_BAD, 0, false},
        {WHOLE "{\"op\":\"added\",\"record\":{\"a\":\"\\ud800\",\"b\":null}}\n],\n", ODP_BAD, 0, false},
        {HEAD ",\n\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":\"x\"}}", ODP_BAD, 0,
         false}, /* cut short */
        {HEAD ",\n\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":\"x\"}}\n", ODP_BAD, 1, false},
        {HEAD ",\n\"changes\":[\n{\"op\":\"moved\",\"key\":{\"a\":\"x\"}}\n],\n", ODP_BAD, 0, false},
        {HEAD ",\n\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":}}\n],\n", ODP_BAD, 0, false},
        {HEAD ",\n\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":\"x\\\n],\n", ODP_BAD, 0, false},
        {"{\"dataset\":\"uji\",\n\"changes\":[],\n", ODP_BAD, 0, false},
        {HEAD "\n", ODP_BAD, 0, false},
        {"", ODP_BAD, 0, false},
    };
    struct world w;
    world_init(&w);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        size_t n = 0;
        bool noted = false;
        enum odp_status status = read_changes(&w, cases[i].text, &n, &noted);
        if (status != cases[i].status || n != cases[i].n || noted != cases[i].noted)
            fail_msg("case %zu: status %d, %zu rows, note %d", i, (int)status, n, noted);
    }
    world_release(&w);
}

/* Keys: numbers by value, everything else by its bytes; what happens after what. Whole rows: each of its
 * version, by its bytes.
 */
TEST(keys)
{
    static const struct {
        size_t side;
        const char *n, *text;
        enum odp_change_op op, after;
        bool fresh;
        uint32_t times;
    } cases[] = {
        {MATCH_KEYED, "1.50", "a", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {MATCH_KEYED, "1.5", "a", ODP_CHANGE_CHANGED, ODP_CHANGE_ADDED, false, 1},
        {MATCH_KEYED, "15e-1", "a", ODP_CHANGE_REMOVED, ODP_CHANGE_CHANGED, false, 1},
        {MATCH_KEYED, "1.5", "a", ODP_CHANGE_REMOVED, ODP_CHANGE_REMOVED, false, 1},
        {MATCH_KEYED, "1.5", "a", ODP_CHANGE_ADDED, ODP_CHANGE_CHANGED, false, 1},
        {MATCH_KEYED, "1", "A", ODP_CHANGE_REMOVED, ODP_CHANGE_REMOVED, true, 1},
        {MATCH_KEYED, "1", "A", ODP_CHANGE_CHANGED, ODP_CHANGE_CHANGED, false, 1},
        {MATCH_KEYED, "x", "/ ?", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {MATCH_KEYED, NULL, "x", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {MATCH_KEYED, "", "x", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {0, "1.5", "a", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {0, "1.50", "a", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {1, "1.5", "a", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, true, 1},
        {1, "1.5", "a", ODP_CHANGE_ADDED, ODP_CHANGE_ADDED, false, 2},
    };
    static struct odp_search_column columns[] = {{.type = ODP_TYPE_NUMBER}, {.type = ODP_TYPE_STRING}};
    static uint32_t key[] = {0, 1};
    const struct odp_search_info info = {.columns = columns, .ncolumns = 2, .key = key, .nkey = 2};
    struct match_side side = {.info = &info};
    struct match_work w = {.newest = &side};
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        const struct odp_slice parts[2] = {odp_slice_of(cases[i].n), odp_slice_of(cases[i].text)};
        uint64_t before = w.nkeys;
        assert_int_equal(match_keys_find(&w, cases[i].side, parts, 2) == NULL, cases[i].fresh);
        must(match_keys_add(&w, cases[i].side, parts, 2, cases[i].op));
        assert_int_equal(w.nkeys - before, cases[i].fresh);
        const struct match_entry *e = match_keys_find(&w, cases[i].side, parts, 2);
        for (int op = 0; op < EVENTS_OPS; op++)
            assert_int_equal(e->times[op], op == (int)cases[i].after ? cases[i].times : 0);
    }
    match_keys_release(&w);
    odp_arena_release(&w.arena);
}

/* ---- filters as they are given ---- */

TEST(check)
{
    static const struct table second = {"rinci", KODE "{\"name\": \"lantai\", \"type\": \"integer\"}",
                                        "\"kode\"", "kode,lantai\na,1\n", NULL};
    static const struct {
        const char *slug, *text;
        bool json;
        enum odp_status status;
        size_t at, len;
        const char *pointer, *en;
    } cases[] = {
        {"uji", "n > 1 AND kode = 'a'", false, ODP_OK, 0, 0, NULL, NULL},
        {"uji", "lantai > 1", false, ODP_OK, 0, 0, NULL, NULL},
        {"uji", "awal = 'a'", false, ODP_OK, 0, 0, NULL, NULL},
        {"uji",
         "{\"op\":\"and\",\"args\":[{\"op\":\">\",\"args\":[{\"property\":\"n\"},1]},{\"op\":\"isNull\","
         "\"args\":[{\"property\":\"kode\"}]}]}",
         true, ODP_OK, 0, 0, NULL, NULL},
        {"tidak-ada", "n > 1", false, ODP_DONE, 0, 0, NULL, NULL},
        {"uji", "kode = '\xC3\xA9\xE6\x97\xA5' AND salah = 1", false, ODP_BAD, 17, 5, NULL, "no field salah"},
        {"uji", "kode = 'a' AND lantai > 1 AND n = 1", false, ODP_BAD, 31, 1, NULL,
         "no field n"}, /* the second table came closer */
        {"uji", "kode > 1", false, ODP_BAD, 8, 1, NULL, ""},
        {"uji", "kode = ", false, ODP_BAD, 8, 0, NULL, "expected"},
        {"uji", "", false, ODP_BAD, 1, 0, NULL, ""},
        {"uji", "S_INTERSECTS(geometry, POINT(1 2))", false, ODP_BAD, 0, 0, NULL, "geometry"},
        {"uji",
         "{\"op\":\"and\",\"args\":[{\"op\":\"=\",\"args\":[{\"property\":\"lantai\"},1]},{\"op\":\"=\","
         "\"args\":[{\"property\":\"n\"},1]}]}",
         true, ODP_BAD, 0, 0, "/args/1/args/0", "n"},
        {"uji", "{\"op\":\"=\", }", true, ODP_BAD, 1, 0, NULL, "not valid JSON"},
        {"uji", "", true, ODP_BAD, 1, 0, NULL, "not valid JSON"},
    };
    struct world w;
    world_init(&w);
    const struct table both[2] = {first, second};
    put_dataset(&w, "uji", "2024-01-15", both, 2);
    build(&w);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_event_filter_fault fault;
        const struct odp_event_filter filter = {cases[i].text, cases[i].json};
        enum odp_status status =
            odp_event_filter_check(w.site, cases[i].slug, &filter, &fault, &w.arena, w.diags);
        const char *en = odp_text_get(&fault.message, ODP_LANG_EN),
                   *id = odp_text_get(&fault.message, ODP_LANG_ID);
        if (status != cases[i].status)
            fail_msg("%s: %d, %s", cases[i].text, (int)status, en);
        if (status != ODP_BAD)
            continue;
        bool pointed = cases[i].pointer == NULL
                           ? fault.pointer == NULL
                           : fault.pointer != NULL &&
                                 strncmp(fault.pointer, cases[i].pointer, strlen(cases[i].pointer)) == 0;
        if (strstr(en, cases[i].en) == NULL || en[0] == '\0' || id[0] == '\0' || !pointed)
            fail_msg("%s: %s / %s at %s", cases[i].text, id, en, fault.pointer != NULL ? fault.pointer : "-");
        if (cases[i].at > 1)
            assert_int_equal(fault.at, cases[i].at);
        if (cases[i].len > 0)
            assert_int_equal(fault.len, cases[i].len);
        assert_int_equal(fault.at == 0, fault.pointer != NULL);
    }
    world_release(&w);
}
