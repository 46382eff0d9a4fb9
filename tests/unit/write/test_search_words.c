/* The full-text table, written by us and by FTS5 from the same rows: the same words, rows, places and sizes; FTS5 finds ours sound and answers the same questions in the same way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "write/index/words.h"

enum { COLUMNS = 3, PATH_SIZE = 100 };

/* What is written: the texts of row K (from 0), borrowed until the next one; ptr NULL: none. Returns its rowid. */
struct rows {
    uint32_t n;
    int64_t (*make)(uint32_t k, struct odp_slice texts[COLUMNS]);
    size_t at_once;
    uint32_t page;
};

struct made {
    char dir[32], path[PATH_SIZE];
    sqlite3 *db; /* ours is main, FTS5's is ref */
};

static uint32_t state;
static uint32_t roll(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

/* ---- ours --------------------------------------------------------------------------------------------------------------------- */

static enum odp_status write_rows(const struct rows *rows, const struct words_job *job, struct words_made *out)
{
    struct words *w;
    enum odp_status status = words_new(&w, job);
    state = 1;
    for (uint32_t k = 0; k < rows->n && status == ODP_OK; k++) {
        struct odp_slice texts[COLUMNS];
        words_row(w, rows->make(k, texts));
        for (uint32_t c = 0; c < COLUMNS && status == ODP_OK; c++)
            if (texts[c].ptr != NULL)
                status = words_text(w, c, texts[c]);
        if (status == ODP_OK)
            status = words_row_end(w);
    }
    if (status == ODP_OK)
        status = words_end(w, out);
    words_free(w);
    return status;
}

static void put_block(sqlite3 *db, int id, const struct odp_buffer *block)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO words_data VALUES(?, ?)", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_int(s, 1, id);
    sqlite3_bind_blob(s, 2, block->ptr, (int)block->len, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
}

static const char declaration[] = "CREATE VIRTUAL TABLE %swords USING fts5(content='', c0, c1, c2, " WORDS_OPTIONS ")";

/* Names the trees by the statements that FTS5 itself has made in REF. */
static void name_tables(sqlite3 *db, struct words_made *m)
{
    static const char names[] = "INSERT INTO sqlite_schema SELECT type, name, tbl_name, CASE name WHEN 'words_data' THEN %u WHEN 'words_idx' THEN %u "
                                "WHEN 'words_docsize' THEN %u WHEN 'words_config' THEN %u ELSE 0 END, sql FROM ref.sqlite_schema WHERE name GLOB 'words*'";
    char *sql = sqlite3_mprintf(names, m->data, m->index, m->sizes, m->config);
    run(db, "PRAGMA writable_schema=ON");
    run(db, sql);
    run(db, "PRAGMA writable_schema=RESET");
    sqlite3_free(sql);
    put_block(db, 1, &m->averages);
    put_block(db, 10, &m->structure);
    odp_buffer_release(&m->averages);
    odp_buffer_release(&m->structure);
}

static void fill_reference(sqlite3 *db, const struct rows *rows)
{
    sqlite3_stmt *s;
    state = 1;
    assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO ref.words(rowid, c0, c1, c2) VALUES(?, ?, ?, ?)", -1, &s, NULL), SQLITE_OK);
    run(db, "BEGIN");
    for (uint32_t k = 0; k < rows->n; k++) {
        struct odp_slice texts[COLUMNS];
        sqlite3_bind_int64(s, 1, rows->make(k, texts));
        for (int c = 0; c < COLUMNS; c++)
            sqlite3_bind_text(s, c + 2, texts[c].ptr, (int)texts[c].len, SQLITE_STATIC);
        assert_int_equal(sqlite3_step(s), SQLITE_DONE);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    run(db, "COMMIT");
}

static void both_new(struct made *m, const struct rows *rows)
{
    struct tree_pages *pages;
    struct words_made made;
    FILE *scratch = tmpfile();
    assert_non_null(scratch);
    strcpy(m->dir, "/tmp/odp-words-XXXXXX");
    assert_non_null(mkdtemp(m->dir));
    snprintf(m->path, PATH_SIZE, "%s/a.sqlite", m->dir);
    assert_int_equal(tree_pages_new(&pages, m->path), ODP_OK);
    const struct words_job job = {.path = m->path, .pages = pages, .ncolumns = COLUMNS, .fd = fileno(scratch), .at = 5, .at_once = rows->at_once, .page = rows->page};
    assert_int_equal(write_rows(rows, &job, &made), ODP_OK);
    assert_int_equal(tree_pages_end(pages, 0, 0), ODP_OK);
    fclose(scratch);
    assert_int_equal(sqlite3_open(m->path, &m->db), SQLITE_OK);
    run(m->db, "ATTACH ':memory:' AS ref");
    char *sql = sqlite3_mprintf(declaration, "ref.");
    run(m->db, sql);
    sqlite3_free(sql);
    name_tables(m->db, &made);
    fill_reference(m->db, rows);
}

static void both_free(struct made *m)
{
    assert_int_equal(sqlite3_close(m->db), SQLITE_OK);
    assert_int_equal(unlink(m->path), 0);
    assert_int_equal(rmdir(m->dir), 0);
}

/* ---- comparing ------------------------------------------------------------------------------------------------------------------ */

/* The only value of SQL (with one %s, by ARG). */
static char *ask(sqlite3 *db, const char *sql, const char *arg)
{
    sqlite3_stmt *s;
    char *whole = sqlite3_mprintf(sql, arg), *out;
    if (sqlite3_prepare_v2(db, whole, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
        fail_msg("%s: %s", whole, sqlite3_errmsg(db));
    const char *text = (const char *)sqlite3_column_text(s, 0);
    out = strdup(text != NULL ? text : "NULL");
    assert_non_null(out);
    sqlite3_finalize(s);
    sqlite3_free(whole);
    return out;
}

static void expect(sqlite3 *db, const char *sql, const char *want)
{
    char *got = ask(db, sql, "");
    if (strcmp(got, want) != 0)
        fail_msg("%s\n%s\ninstead of %s", sql, got, want);
    free(got);
}

/* Rows that match WORDS (an expression of FTS5), both ways round and in part. */
static void same_answer(sqlite3 *db, const char *words)
{
    static const char *const asked[] = {
        "SELECT count(*) || ' ' || group_concat(rowid) FROM (SELECT rowid FROM %%s.words(%Q) ORDER BY rowid LIMIT 3000)",
        "SELECT count(*) || ' ' || group_concat(rowid) FROM (SELECT rowid FROM %%s.words(%Q) ORDER BY rowid DESC LIMIT 3000)",
        "SELECT count(*) || ' ' || total(rowid) FROM %%s.words(%Q)",
        "SELECT count(*) || ' ' || total(rowid) FROM %%s.words(%Q) WHERE rowid BETWEEN 700 AND 90000",
        "SELECT count(*) || ' ' || group_concat(rowid) FROM (SELECT rowid FROM %%s.words(%Q) WHERE rowid <= 65000 ORDER BY rowid DESC LIMIT 50)",
        "SELECT count(*) || ' ' || group_concat(rowid) FROM (SELECT rowid FROM %%s.words(%Q) WHERE rowid >= 4321 ORDER BY rowid LIMIT 50)"};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        char *sql = sqlite3_mprintf(asked[k], words);
        char *ours = ask(db, sql, "main"), *theirs = ask(db, sql, "ref");
        if (strcmp(ours, theirs) != 0)
            fail_msg("%s\nours   %.200s\nFTS5's %.200s", sql, ours, theirs);
        free(ours);
        free(theirs);
        sqlite3_free(sql);
    }
}

/* Every beginning of N characters that a word has. */
static void same_prefixes(sqlite3 *db, int n)
{
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT DISTINCT substr(term, 1, ?) FROM temp.rows LIMIT 60", -1, &s, NULL), SQLITE_OK);
    sqlite3_bind_int(s, 1, n);
    while (sqlite3_step(s) == SQLITE_ROW) {
        char *words = sqlite3_mprintf("\"%s\" *", sqlite3_column_text(s, 0));
        same_answer(db, words);
        sqlite3_free(words);
    }
    sqlite3_finalize(s);
}

/* All that two tables say; INSTANCES: every place of every word is compared, too. */
static void check_same(sqlite3 *db, bool instances)
{
    run(db, "CREATE VIRTUAL TABLE temp.ours USING fts5vocab(main, words, col); CREATE VIRTUAL TABLE temp.theirs USING fts5vocab(ref, words, col);"
            "CREATE VIRTUAL TABLE temp.rows USING fts5vocab(ref, words, row); CREATE VIRTUAL TABLE temp.places USING fts5vocab(main, words, instance);"
            "CREATE VIRTUAL TABLE temp.their_places USING fts5vocab(ref, words, instance)");
    expect(db, "PRAGMA main.integrity_check", "ok");
    run(db, "INSERT INTO words(words) VALUES('integrity-check')");
    expect(db, "SELECT count(*) FROM (SELECT * FROM temp.ours EXCEPT SELECT * FROM temp.theirs)", "0");
    expect(db, "SELECT count(*) FROM (SELECT * FROM temp.theirs EXCEPT SELECT * FROM temp.ours)", "0");
    expect(db, "SELECT count(*) FROM (SELECT * FROM main.words_docsize EXCEPT SELECT * FROM ref.words_docsize)", "0");
    expect(db, "SELECT count(*) FROM (SELECT * FROM ref.words_docsize EXCEPT SELECT * FROM main.words_docsize)", "0");
    expect(db, "SELECT m.block = r.block FROM main.words_data m, ref.words_data r WHERE m.id = 1 AND r.id = 1", "1");
    expect(db, "SELECT m.v = r.v FROM main.words_config m, ref.words_config r WHERE m.k = 'version' AND r.k = 'version'", "1");
    if (instances) {
        expect(db, "SELECT count(*) FROM (SELECT * FROM temp.places EXCEPT SELECT * FROM temp.their_places)", "0");
        expect(db, "SELECT (SELECT count(*) FROM temp.places) = (SELECT count(*) FROM temp.their_places)", "1");
    }
    const int lengths[] = {1, 2, 3, 5};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        same_prefixes(db, lengths[k]);
}

static void check_rows(const struct rows *rows, bool instances, const char *const *words, size_t n)
{
    struct made m;
    both_new(&m, rows);
    check_same(m.db, instances);
    for (size_t k = 0; k < n; k++)
        same_answer(m.db, words[k]);
    both_free(&m);
}

/* ---- texts ---------------------------------------------------------------------------------------------------------------------- */

static const char *const pieces[] = {
    "Pelatihan", "tukang", "bangunan", "PELATIHAN", "air", "a", "ab", "abc", "abcd", "x", "35.78", "PBD-00001", "kelompok", "pengelola", "km²", "é", "Éa", "café",
    "CAFE\xcc\x81", "naïve", "المدينة", "مياه", "東京都", "水", "水道", "😀", "a😀b", "Straße", "ﬁ", "Ǆ", "ñ", "n\xcc\x83o", "0", "42", "rumah-tangga", "İstanbul", "a_b", "!?",
    "\xe2\x80\x94", "o'brien", "ÅNGSTRÖM", "ｱｲｳ", "Ⅷ", "kelurahan", "kelas", "kelok"};
enum { PIECES = sizeof pieces / sizeof *pieces };

static char text[1 << 20];

static struct odp_slice add_words(size_t *used, uint32_t n, uint32_t from)
{
    char *at = text + *used;
    size_t len = 0;
    for (uint32_t k = 0; k < n; k++)
        len += (size_t)sprintf(at + len, "%s%s", pieces[roll(from)], roll(4) == 0 ? ", " : " ");
    *used += len + 1;
    return (struct odp_slice){at, len};
}

static int64_t mixed(uint32_t k, struct odp_slice texts[COLUMNS])
{
    size_t used = 0;
    for (int c = 0; c < COLUMNS; c++) {
        uint32_t kind = roll(12);
        if (kind == 0)
            texts[c] = (struct odp_slice){NULL, 0};
        else if (kind == 1)
            texts[c] = ODP_LIT("");
        else if (kind == 2) {
            char *at = text + used;
            size_t len = (size_t)sprintf(at, "KODE%u sendiri %c%u", k, 'a' + (int)roll(26), roll(100000));
            texts[c] = (struct odp_slice){at, len};
            used += len + 1;
        } else if (kind == 3)
            texts[c] = ODP_LIT("sama\0dengan nol");
        else
            texts[c] = add_words(&used, kind == 4 ? 200 : 1 + roll(6), kind < 9 ? PIECES : 12);
    }
    return (int64_t)k * 3 + 1 + (k > 2000 ? 5000000000 : 0);
}

static const char *const questions[] = {"pelatihan", "\"pelatihan tukang\"", "cafe", "\"e ea\"", "c1:air", "{c0 c2}:abc", "tukang NOT air", "kel* AND air", "\"東京都\"", "مياه", "n*",
                                        "NEAR(air abc, 3)", "^pelatihan", "sama nol", "none", "c2:ab*", "\"a b\""};

static void test_texts(void **unused)
{
    (void)unused;
    const struct rows kinds[] = {{4000, mixed, 0, 0}, {4000, mixed, 128 << 10, 0}, {3000, mixed, 1 << 20, 300}, {600, mixed, 128 << 10, 32}, {1, mixed, 0, 0}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        check_rows(&kinds[k], true, questions, sizeof questions / sizeof *questions);
}

/* ---- long lists ----------------------------------------------------------------------------------------------------------------- */

static int64_t common(uint32_t k, struct odp_slice texts[COLUMNS])
{
    texts[0] = ODP_LIT("the");
    texts[1] = k % 7 == 0 ? ODP_LIT("the other") : (struct odp_slice){NULL, 0};
    texts[2] = k % 500 == 3 ? ODP_LIT("rare thorn") : (struct odp_slice){NULL, 0};
    return (int64_t)k + 1;
}

/* Doclists over many pages, with an index of one level and of several, in one run and in many. */
static void test_common_word(void **unused)
{
    (void)unused;
    static const char *const asked[] = {"the", "th*", "the rare", "rare the other", "c1:the", "\"the other\"", "t*", "rare", "thorn NOT other"};
    const struct rows kinds[] = {{100000, common, 0, 0}, {100000, common, 256 << 10, 80}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        check_rows(&kinds[k], k == 0, asked, sizeof asked / sizeof *asked);
}

static int64_t long_record(uint32_t k, struct odp_slice texts[COLUMNS])
{
    size_t used = 0;
    texts[0] = texts[2] = (struct odp_slice){NULL, 0};
    texts[1] = add_words(&used, k == 1 ? 100000 : 40, 10);
    if (k != 1) {
        texts[0] = ODP_LIT("air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air air");
        texts[2] = ODP_LIT("abc tukang abc");
    }
    return (int64_t)k + 1;
}

/* Lists that are longer than a page, and one row that memory does not hold: its parts are put together again. */
static void test_long_record(void **unused)
{
    (void)unused;
    static const char *const asked[] = {"pelatihan", "\"tukang bangunan\"", "c1:a*", "abc", "air", "\"air air\""};
    const struct rows kinds[] = {{5, long_record, 0, 0}, {5, long_record, 128 << 10, 0}, {300, long_record, 128 << 10, 64}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        check_rows(&kinds[k], k != 2, asked, sizeof asked / sizeof *asked);
}

/* One row, whose last word in the order of terms stands at places more than 127 apart: its list may end with the leaf, or a byte beyond. */
static int64_t far_places(uint32_t k, struct odp_slice texts[COLUMNS])
{
    size_t len = 0;
    for (int i = 0; i < 127 * 20; i++)
        len += (size_t)sprintf(text + len, "%s ", i % 127 == 0 ? "z" : "a");
    texts[0] = (struct odp_slice){text, len};
    texts[1] = texts[2] = (struct odp_slice){NULL, 0};
    return (int64_t)k + 1;
}

/* A list that ends where its leaf does is the last one: no leaf comes behind it. */
static void test_full_last_leaf(void **unused)
{
    (void)unused;
    static const char *const asked[] = {"z", "z*", "\"a z\"", "a"};
    for (uint32_t page = 32; page < 64; page++) {
        const struct rows rows = {1, far_places, 0, page};
        check_rows(&rows, true, asked, sizeof asked / sizeof *asked);
    }
}

/* ---- limits --------------------------------------------------------------------------------------------------------------------- */

static int64_t long_words(uint32_t k, struct odp_slice texts[COLUMNS])
{
    static const size_t lengths[] = {32766, 32767, 32768, 32769, 40000, 4040, 4050, 16000};
    size_t n = lengths[k % 8];
    memset(text, 'q', n);
    memset(text + 40001, 'q', n);
    memcpy(text + 40001 + n, "\xc3\xa9 kecil", 9);
    texts[0] = (struct odp_slice){text, n};
    texts[1] = (struct odp_slice){text + 40001, n + 8};
    texts[2] = ODP_LIT("a");
    return (int64_t)k + 1;
}

static int64_t no_words(uint32_t k, struct odp_slice texts[COLUMNS])
{
    texts[0] = ODP_LIT(" - . ");
    texts[1] = ODP_LIT("");
    texts[2] = k % 2 == 0 ? ODP_LIT("\xe2\x80\x94") : (struct odp_slice){NULL, 0};
    return (int64_t)k + 1;
}

static void test_limits(void **unused)
{
    (void)unused;
    static const char *const asked[] = {"a", "q*", "qq*", "qqq*", "qqqqq*", "kecil", "z"};
    const struct rows kinds[] = {{20, long_words, 0, 0}, {20, long_words, 128 << 10, 0}, {50, no_words, 0, 0}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        check_rows(&kinds[k], true, asked, sizeof asked / sizeof *asked);
}

/* ---- failures ------------------------------------------------------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit l;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
    l.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* A disk that is full, for the tables and for what memory does not hold; a scratch file that cannot be read back. */
static void test_failures(void **unused)
{
    (void)unused;
    const struct rows rows = {4000, mixed, 128 << 10, 0};
    (void)signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < 8; k++) {
        char path[] = "/tmp/odp-words-XXXXXX";
        struct tree_pages *pages;
        struct words_made made = {0};
        assert_true(close(mkstemp(path)) == 0 && unlink(path) == 0);
        FILE *scratch = tmpfile();
        assert_non_null(scratch);
        assert_int_equal(tree_pages_new(&pages, path), ODP_OK);
        struct words_job job = {.path = path, .pages = pages, .ncolumns = COLUMNS, .fd = k == 7 ? -1 : fileno(scratch), .at_once = rows.at_once};
        limit_files(k == 7 ? RLIM_INFINITY : (rlim_t)k * 100000);
        enum odp_status status = write_rows(&rows, &job, &made);
        if (status == ODP_OK) /* then its last pages are left */
            status = tree_pages_end(pages, 0, 0);
        else
            tree_pages_abort(pages);
        limit_files(RLIM_INFINITY);
        assert_int_equal(status, ODP_FAIL);
        assert_non_null(strstr(odp_failure_text(), path));
        odp_failure_clear();
        odp_buffer_release(&made.averages);
        odp_buffer_release(&made.structure);
        fclose(scratch);
        assert_int_equal(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),  cmocka_unit_test(test_common_word), cmocka_unit_test(test_long_record),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_full_last_leaf), cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
