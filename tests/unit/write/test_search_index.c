/* The query index, written and read back: names, keys and private fields, what is indexed, words and labels,
 * odp:queryables, odp:timeline, the span of time. Values are tested in test_search_index_values.c, shapes in
 * test_search_index_geometry.c, whole files in test_search_index_files.c. */
#include "search_index_fixture.h"

/* ---- names, keys, private fields ---- */

TEST(names_and_private_fields)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    size_t len;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "id", ODP_TYPE_STRING);
    fx_field(&fx, "NIK", ODP_TYPE_STRING)->is_public = false;
    fx_field(&fx, "ID", ODP_TYPE_STRING);
    fx_field(&fx, "rowid", ODP_TYPE_INTEGER);
    fx_field(&fx, "rank", ODP_TYPE_STRING);
    fx_field(&fx, "a \"b\" 'c'; DROP TABLE data; --", ODP_TYPE_STRING);
    fx_field(&fx, "naïve ✓", ODP_TYPE_STRING);
    fx_field(&fx, "Fid", ODP_TYPE_STRING);
    fx_key(&fx, 0, 2);
    const struct odp_slice cells[] = {
        S("b"), S("3171234567890001"), S("x"), S("1"), S("satu"), S("kutip"), S("ü"), S("f"),
        S("a"), S("3171234567890002"), S("y"), S("2"), S("dua"),  S("'"),     NUL,    S("g")};
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 2, 1, NULL));
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT name FROM pragma_table_info('uji')",
           "fid\nid\nID_\nrowid_\nrank_\na \"b\" 'c'; DROP TABLE data; --\nnaïve ✓\nFid_\n");
    expect(db, "SELECT * FROM uji ORDER BY id, \"ID_\"", "2|a|y|2|dua|'|NULL|g\n1|b|x|1|satu|kutip|ü|f\n");
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'odp_index_0'",
           "CREATE INDEX odp_index_0 ON \"uji\"(\"id\", \"ID_\")\n");
    expect(db, "SELECT rowid FROM odp_words WHERE odp_words MATCH 'rank_: dua'", "2\n");
    expect(db, "PRAGMA application_id", "1868853297\n");
    sqlite3_close(db);
    char *bytes = fx_read(&fx, "a.sqlite", &len);
    assert_null(memmem(bytes, len, "317123", 6));
    assert_null(memmem(bytes, len, "NIK", 3));
    free(bytes);
    read_info(path, &info, &arena);
    assert_int_equal(info.ncolumns, 7);
    assert_string_equal(info.columns[1].sql, "\"ID_\"");
    assert_string_equal(info.names.table, "\"uji\"");
    assert_int_equal(info.nkey, 2);
    assert_int_equal(info.key[0], 0);
    assert_int_equal(info.key[1], 1);
    assert_string_equal(info.columns[4].name, "a \"b\" 'c'; DROP TABLE data; --");
    assert_int_equal(odp_search_find(&info, ODP_LIT("naïve ✓")), 5);
    assert_int_equal(odp_search_find(&info, ODP_LIT("NIK")), -1);
    assert_true(info.columns[0].indexed);
    assert_false(info.columns[5].required);
    odp_arena_release(&arena);

    /* A key with a private part is no key here. Existing files are not overwritten. */
    fx_key(&fx, 0, 1);
    must_fail(write_index(&fx, &job, cells, 2, 2, NULL), "");
    db = open_index(path);
    expect(db, "SELECT count(*) FROM uji", "2\n");
    sqlite3_close(db);
    path_of(&fx, "b.sqlite", path);
    must(write_index(&fx, &job, cells, 2, 2, NULL));
    read_info(path, &info, &arena);
    assert_int_equal(info.nkey, 0);
    odp_arena_release(&arena);
}

/* Faults of keys may be let pass (odp:severity): such a key orders nothing. */
TEST(key_that_is_none)
{
    for (int round = 0; round < 2; round++) {
        char path[PATH_SIZE];
        struct odp_search_info info;
        struct odp_arena arena;
        FX(fx);
        path_of(&fx, "a.sqlite", path);
        fx_field(&fx, "kode", ODP_TYPE_STRING);
        fx_field(&fx, "nama", ODP_TYPE_STRING);
        fx_key(&fx, 0, -1);
        const struct odp_slice cells[] = {S("a"),   S("satu"), S("b"), S("dua"), round == 0 ? S("a") : NUL,
                                          S("tiga")};
        struct odp_search_job job = job_of(&fx, path);
        must(write_index(&fx, &job, cells, 3, 3, NULL));
        sqlite3 *db = open_index(path);
        check_sound(db);
        expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'odp_index_0'",
               "CREATE INDEX odp_index_0 ON \"uji\"(\"kode\")\n");
        expect(db, "SELECT fid, nama FROM uji", "1|satu\n2|dua\n3|tiga\n");
        sqlite3_close(db);
        read_info(path, &info, &arena);
        assert_int_equal(info.nkey, 0);
        odp_arena_release(&arena);
    }
}

/* No records at all; records of which nothing is public. */
TEST(next_to_nothing)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "tanggal", ODP_TYPE_DATE);
    fx_key(&fx, 0, -1);
    fx.resource.datetime[0] = fx.resource.datetime[1] = 1;
    fx.resource.geometry.present = true;
    struct odp_search_job job = job_of(&fx, path);
    job.has_geometry = true;
    job.geometry_name = "geometry";
    must(write_index(&fx, &job, NULL, 0, 1, NULL));
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db,
           "SELECT (SELECT count(*) FROM uji), (SELECT count(*) FROM odp_geometry), (SELECT count(*) FROM "
           "rtree_uji_geometry)",
           "0|0|0\n");
    expect(db, "SELECT rtreecheck('rtree_uji_geometry')", "ok\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_int_equal(info.rows, 0);
    assert_int_equal(info.nkey, 1);
    assert_int_equal(info.datetime[0], 1);
    assert_null(info.interval[0]);
    assert_false(info.has_bbox);
    assert_false(info.columns[0].text);
    odp_arena_release(&arena);

    fx.fields[0].is_public = fx.fields[1].is_public = false;
    path_of(&fx, "b.sqlite", path);
    job.has_geometry = false;
    const struct odp_slice cells[] = {S("rahasia"), S("2024-01-01"), S("rahasia juga"), NUL};
    must(write_index(&fx, &job, cells, 2, 1, NULL));
    db = open_index(path);
    check_sound(db);
    expect(db, "SELECT * FROM uji", "1\n2\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    assert_int_equal(info.rows, 2);
    assert_int_equal(info.ncolumns, 0);
    assert_int_equal(info.nkey, 0);
    assert_int_equal(info.datetime[0], -1);
    odp_arena_release(&arena);
}

/* ---- indexes ---- */

TEST(indexes)
{
    char path[PATH_SIZE];
    struct odp_slice choices[] = {S("a"), S("b")};
    struct odp_dataset other = {.slug = "lain"};
    struct odp_resource target = {.dataset = &other, .name = "lain"};
    uint32_t code[] = {1}, pair[] = {4, 1}, declared[][2] = {{5, 0}, {4, 0}};
    struct odp_foreign_key foreign[] = {{.local = {code, 1, NULL}, .target = &target},
                                        {.local = {pair, 2, NULL}, .target = &target}};
    struct odp_key indexes[] = {{declared[0], 1, NULL}, {declared[1], 1, NULL}};
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kunci", ODP_TYPE_STRING);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "pilihan", ODP_TYPE_STRING)->constraints.enumeration = (struct odp_strings){choices, 2};
    fx_field(&fx, "tanggal", ODP_TYPE_DATE);
    fx_field(&fx, "luas", ODP_TYPE_NUMBER);
    fx_field(&fx, "harga", ODP_TYPE_NUMBER);
    fx_field(&fx, "unik", ODP_TYPE_STRING)->constraints.unique = true;
    fx_field(&fx, "biasa", ODP_TYPE_STRING);
    fx_field(&fx, "daftar", ODP_TYPE_LIST)->constraints.unique = true;
    fx_key(&fx, 0, -1);
    fx.resource.foreign = foreign;
    fx.resource.nforeign = 2;
    fx.resource.indexes = indexes;
    fx.resource.nindexes = 2;
    fx.resource.datetime[0] = fx.resource.datetime[1] = 3;
    const struct odp_slice cells[] = {S("k1"), S("31"), S("a"), S("2024-01-05"), S("1"),
                                      S("2"),  S("u1"), S("b"), S("[\"x\"]")};
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 1, 1, NULL));
    sqlite3 *db = open_index(path);
    expect(db, "SELECT sql FROM sqlite_schema WHERE name GLOB 'odp_index_*'",
           "CREATE INDEX odp_index_0 ON \"uji\"(\"kunci\")\n"
           "CREATE INDEX odp_index_1 ON \"uji\"(\"harga\")\n"
           "CREATE INDEX odp_index_2 ON \"uji\"(\"luas\")\n"
           "CREATE INDEX odp_index_3 ON \"uji\"(\"kode\")\n"
           "CREATE INDEX odp_index_4 ON \"uji\"(\"luas\", \"kode\")\n"
           "CREATE INDEX odp_index_5 ON \"uji\"(\"tanggal\")\n"
           "CREATE INDEX odp_index_6 ON \"uji\"(\"pilihan\")\n"
           "CREATE INDEX odp_index_7 ON \"uji\"(\"unik\")\n");
    expect(db, "SELECT count(*) > 0 FROM sqlite_stat1", "1\n");
    sqlite3_close(db);
}

static int64_t count_indexes(const char *path)
{
    sqlite3 *db = open_index(path);
    int64_t n =
        strtoll(ask(db, "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'odp_index_*'"), NULL, 10);
    sqlite3_close(db);
    return n;
}

/* Twenty at most by default; what odp:index names is always made. */
TEST(how_many_indexes)
{
    enum { FIELDS = 20, PAIRS = 25 };
    static const char *const names[FIELDS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                              "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    char path[PATH_SIZE];
    uint32_t pairs[PAIRS][2];
    struct odp_key keys[PAIRS];
    struct odp_slice cells[FIELDS];
    FX(fx);
    for (uint32_t k = 0; k < FIELDS; k++) {
        fx_field(&fx, names[k], ODP_TYPE_STRING)->constraints.unique = true;
        cells[k] = S("x1");
    }
    for (uint32_t k = 0; k < PAIRS; k++) {
        pairs[k][0] = k % FIELDS;
        pairs[k][1] = (k + 1 + k / FIELDS) % FIELDS;
        keys[k] = (struct odp_key){pairs[k], 2, NULL};
    }
    fx_key(&fx, 0, -1);
    fx.resource.schema.unique = keys;
    fx.resource.schema.nunique = PAIRS;
    path_of(&fx, "a.sqlite", path);
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 1, 1, NULL));
    assert_int_equal(count_indexes(path), 20);
    fx.resource.indexes = keys;
    fx.resource.nindexes = PAIRS;
    path_of(&fx, "b.sqlite", path);
    must(write_index(&fx, &job, cells, 1, 1, NULL));
    assert_int_equal(count_indexes(path), 1 + PAIRS);
}

/* Columns with few values are put in order here, others by SQLite: what is found does not tell. */
TEST(orders)
{
    enum { N = 1500, FIELDS = 4 };
    static struct odp_slice cells[FIELDS * N];
    static char text[N][24];
    static const char *const columns[] = {"kode", "tahun", "tanggal", "nama"};
    char path[PATH_SIZE];
    uint32_t fields[FIELDS] = {0, 1, 2, 3};
    struct odp_key indexes[FIELDS];
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "tahun", ODP_TYPE_INTEGER);
    fx_field(&fx, "tanggal", ODP_TYPE_DATE);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    for (uint32_t k = 0; k < FIELDS; k++)
        indexes[k] = (struct odp_key){&fields[k], 1, NULL};
    fx.resource.indexes = indexes;
    fx.resource.nindexes = FIELDS;
    for (uint32_t i = 0; i < N; i++) {
        static const char *const years[] = {"-3", "2024", "7", "0", "-300"};
        snprintf(text[i], sizeof text[i], "Nama %u", i * 7919 % N);
        cells[FIELDS * i] = i % 3 == 0 ? S("b") : i % 7 == 0 ? S("") : S("ab");
        cells[FIELDS * i + 1] = odp_slice_of(years[i * i % 5]);
        cells[FIELDS * i + 2] = i % 4 == 0 ? NUL : i % 2 == 0 ? S("2024-03-15") : S("2023-12-31");
        cells[FIELDS * i + 3] = i < 10 ? NUL : odp_slice_of(text[i]);
    }
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, N, 400, NULL));
    sqlite3 *db = open_index(path);
    check_sound(db);
    for (uint32_t k = 0; k < FIELDS; k++) {
        char sql[256];
        snprintf(sql, sizeof sql, "SELECT type, tbl_name, sql FROM sqlite_schema WHERE name = 'odp_index_%u'",
                 k);
        char want[128];
        snprintf(want, sizeof want, "index|uji|CREATE INDEX odp_index_%u ON \"uji\"(\"%s\")\n", k,
                 columns[k]);
        expect(db, sql, want);
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM (SELECT fid, row_number() OVER () AS n FROM uji INDEXED BY "
                 "odp_index_%u ORDER BY %s, fid) AS a JOIN (SELECT fid, row_number() OVER (ORDER BY %s, fid) "
                 "AS n FROM uji NOT INDEXED) AS b USING(n, fid)",
                 k, columns[k], columns[k]);
        expect(db, sql, "1500\n");
    }
    sqlite3_close(db);

    /* The planner is told what SQLite would find out. */
    static const char *const statistics =
        "SELECT idx, stat FROM sqlite_stat1 WHERE idx NOT NULL ORDER BY idx";
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *told = strdup(ask(db, statistics));
    assert_non_null(strstr(told, "odp_index_2|1500 500\n"));
    ask(db, "ANALYZE uji");
    expect(db, statistics, told);
    free(told);
    sqlite3_close(db);
}

/* ---- words and labels ---- */

TEST(words)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    struct odp_category levels[] = {
        {S("1"), {{"Ringan", "Light"}}}, {S("2"), {{"Berat sekali", ""}}}, {S("3"), {{"", ""}}}};
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "kode", ODP_TYPE_STRING);
    fx_field(&fx, "nama", ODP_TYPE_STRING);
    struct odp_field *level = fx_field(&fx, "tingkat", ODP_TYPE_STRING);
    level->categories = levels;
    level->ncategories = 3;
    fx_field(&fx, "surel", ODP_TYPE_STRING)->string_format = ODP_STRING_UUID;
    const struct odp_slice cells[] = {
        S("31.71-0001"),
        S("Kampung Sukaramé, José"),
        S("1"),
        S("satu dua"),
        S("31.71-0002"),
        S("Jalan Mawar Melati"),
        S("2"),
        S("tiga"),
        S("PRJ-3"),
        NUL,
        S("3"),
        NUL,
        NUL,
        S("Melati Mawar"),
        NUL,
        NUL,
    };
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 4, 4, NULL));
    sqlite3 *db = open_index(path);
    check_sound(db);
    expect(db, "SELECT sql FROM sqlite_schema WHERE name = 'odp_words'",
           "CREATE VIRTUAL TABLE odp_words USING fts5(content=\"uji\", content_rowid='fid', \"nama\", "
           "\"tingkat\", tokenize=\"unicode61 remove_diacritics 2\", columnsize=0)\n");
    static const struct {
        const char *words, *found;
    } cases[] = {
        {"sukarame", "1\n"}, {"JOSÉ", "1\n"},  {"\"mawar melati\"", "2\n"}, {"mela*", "2\n4\n"},
        {"me*", "2\n4\n"},   {"light", "1\n"}, {"ringan", "1\n"},           {"\"berat sekali\"", "2\n"},
        {"3", "3\n"},        {"71", ""}, /* only codes */
        {"dua", ""}};                    /* an identifier's format */
    for (size_t k = 0; k < ODP_COUNT(cases); k++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT rowid FROM odp_words('%s')", cases[k].words);
        expect(db, sql, cases[k].found);
    }
    expect(db, "SELECT * FROM odp_label", "1|tingkat|1|Ringan|Light\n2|tingkat|2|Berat sekali|\n");
    sqlite3_close(db);
    read_info(path, &info, &arena);
    const bool text[] = {false, true, true, false}, labels[] = {false, false, true, false};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(info.columns[k].text, text[k]);
        assert_int_equal(info.columns[k].labels, labels[k]);
    }
    odp_arena_release(&arena);

    /* Nothing to search for words in: no such table. */
    path_of(&fx, "b.sqlite", path);
    const struct odp_slice codes[] = {S("31.71-0001"), NUL, NUL, NUL};
    must(write_index(&fx, &job, codes, 1, 1, NULL));
    db = open_index(path);
    expect(db, "SELECT name FROM sqlite_schema WHERE name GLOB 'odp_words*'", "");
    sqlite3_close(db);
}

/* ---- columns that are no fields ---- */

TEST(queryables_and_timeline)
{
    static struct projects p;
    struct odp_search_info info;
    struct odp_arena arena;
    projects_init(&p);
    const struct odp_slice projects[] = {
        S("P1"),    S("Saluran air"),          S("31.71"), S("12.50"), S("P2"), S("Jalan \"Mawar\""),
        S("é1.02"), S("99999999999999999999"), S("P3"),    S("Taman"), NUL,     NUL,
    };
    const struct odp_slice steps[] = {
        S("P1"),
        S("Lelang"),
        S("2024-01-10"),
        S("2024-01-15"), /* late by 5 */
        S("P1"),
        S("Mulai"),
        S("2024-03-01"),
        NUL, /* 14 days after, not reached */
        S("P2"),
        S("Été 1"),
        S("2024-02-10"),
        S("2024-02-01"), /* 9 days early */
        S("P3"),
        S("x"),
        S("2024-12-31"),
        NUL, /* not due yet */
        S("P3"),
        S("yz"),
        S("2024-03-15"),
        NUL, /* due on the day */
        S("P9"),
        S("tak ada"),
        NUL,
        S("2023-02-28"), /* unplanned, unknown */
        NUL,
        NUL,
        NUL,
        NUL,
    };
    struct odp_search_job job = job_of(&p.main, p.main_path);
    must(write_index(&p.main, &job, projects, 3, 2, NULL));
    job = job_of(&p.steps, p.steps_path);
    job.searches = p.searches;
    must(write_index(&p.steps, &job, steps, 7, 3, NULL));
    sqlite3 *db = open_index(p.steps_path);
    check_sound(db);
    expect(db,
           "SELECT fid, quote(kode_kabkota), quote(kode_provinsi), typeof(pagu), CAST(pagu AS TEXT), "
           "quote(awal), quote(tanggal), quote(terlambat_hari) FROM \"uji-timeline\"",
           "1|'31.71'|'31'|real|12.5|'Lel'|'2024-01-15'|5\n"
           "2|'31.71'|'31'|real|12.5|'Mul'|'2024-03-01'|14\n"
           "3|'é1.02'|'é1'|blob|99999999999999999999|'Été'|'2024-02-01'|-9\n"
           "4|NULL|NULL|null|NULL|'x'|'2024-12-31'|NULL\n"
           "5|NULL|NULL|null|NULL|'yz'|'2024-03-15'|NULL\n"
           "6|NULL|NULL|null|NULL|'tak'|'2023-02-28'|NULL\n"
           "7|NULL|NULL|null|NULL|NULL|NULL|NULL\n");
    expect(db, "SELECT pagu FROM odp_exact", "12.50\n12.50\n99999999999999999999\nNULL\nNULL\nNULL\nNULL\n");
    expect(db, "SELECT * FROM odp_label", "1|kode_kabkota|31.71|Kota Jakarta Pusat|Central Jakarta\n");
    expect(db, "SELECT rowid FROM odp_words('jakarta')", ""); /* words of another table are not this one's */
    sqlite3_close(db);
    read_info(p.steps_path, &info, &arena);
    assert_string_equal(info.resource, "timeline");
    assert_int_equal(info.nfields, 4);
    assert_int_equal(info.ncolumns, 10);
    assert_int_equal(info.nkey, 0); /* a record without its key */
    const int timeline[] = {info.project, info.milestone, info.planned, info.actual, info.date, info.delay};
    for (int k = 0; k < 6; k++)
        assert_int_equal(timeline[k], k < 4 ? k : k + 4);
    assert_int_equal(info.datetime[0], 8);
    assert_int_equal(info.datetime[1], 8);
    assert_string_equal(info.interval[0], "2023-02-28");
    assert_string_equal(info.interval[1], "2024-12-31");
    assert_string_equal(info.columns[5].title.in[ODP_LANG_EN], "Province");
    assert_string_equal(info.columns[6].unit.in[ODP_LANG_ID], "rupiah");
    assert_string_equal(info.columns[9].unit.in[ODP_LANG_EN], "days");
    assert_true(info.columns[6].wide);
    assert_int_equal(info.columns[9].type, ODP_TYPE_INTEGER);
    for (uint32_t k = 0; k < 10; k++)
        assert_int_equal(info.columns[k].of_record, k < 4);
    odp_arena_release(&arena);

    /* Without the other index there is nothing to take from. */
    assert_int_equal(unlink(p.steps_path), 0);
    p.searches[0].disk = NULL;
    must_fail(write_index(&p.steps, &job, steps, 7, 3, NULL), "has no index");
    assert_int_equal(access(p.steps_path, F_OK), -1);
    p.searches[0].disk = "/nonexistent/index.sqlite";
    must_fail(write_index(&p.steps, &job, steps, 7, 3, NULL), "");
    projects_release(&p);
}

/* Start and end in two columns of instants: by the instant, told as published. */
TEST(interval)
{
    char path[PATH_SIZE];
    struct odp_search_info info;
    struct odp_arena arena;
    FX(fx);
    path_of(&fx, "a.sqlite", path);
    fx_field(&fx, "dari", ODP_TYPE_DATETIME);
    fx_field(&fx, "sampai", ODP_TYPE_DATE);
    fx.resource.datetime[0] = 0;
    fx.resource.datetime[1] = 1;
    const struct odp_slice cells[] = {
        S("2024-03-15T01:00:00+07:00"), S("2024-03-16"), S("2024-03-14T20:00:00Z"), S("2024-03-20"), NUL, NUL,
        S("2024-03-15T03:00:00+09:00"), S("2024-03-17")};
    struct odp_search_job job = job_of(&fx, path);
    must(write_index(&fx, &job, cells, 4, 2, NULL));
    read_info(path, &info, &arena);
    assert_int_equal(info.datetime[0], 0);
    assert_int_equal(info.datetime[1], 1);
    assert_string_equal(info.interval[0],
                        "2024-03-15T01:00:00+07:00"); /* the first of two that are the same instant */
    assert_string_equal(info.interval[1], "2024-03-20");
    odp_arena_release(&arena);
}
