/* The store: opening, migrations, statements, the audit chain, backups. */
#include "gateway_state_fixture.h"

#include "service/state/store.h"

static enum odp_status open_file(const char *path, char why[ODP_WHY])
{
    sqlite3 *db = NULL;
    enum odp_status st = odp_store_open(&db, path, why);
    odp_store_close(db);
    return st;
}

static void sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST(migrates_from_nothing)
{
    struct fixture *f = *state;
    struct stat st;
    char why[ODP_WHY];
    sqlite3 *db = NULL;
    const char *path = in(f, f->dir, "new.sqlite");
    mode_t mask = umask(0);
    must(odp_store_open(&db, path, why));
    umask(mask);
    struct odp_sql q = {.db = db};
    assert_int_equal(odp_sql_number(&q, "PRAGMA user_version", ""), odp_store_version());
    assert_int_equal(odp_sql_number(&q, "PRAGMA application_id", ""), ODP_STORE_APPLICATION);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(in(f, f->dir, "new.sqlite-wal"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    odp_store_close(db);
    must(open_file(path, why)); /* and again */
}

TEST(settings_of_the_connection)
{
    struct fixture *f = *state;
    assert_int_equal(number(f, "PRAGMA synchronous"), 2);
    assert_int_equal(number(f, "PRAGMA foreign_keys"), 1);
    assert_int_equal(number(f, "PRAGMA secure_delete"), 1);
    assert_int_equal(number(f, "PRAGMA trusted_schema"), 0);
    assert_int_equal(number(f, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"), 1);
    assert_int_equal(odp_store_run(f->s.db,
                                   "INSERT INTO token(digest, purpose, holder, email, created, until) "
                                   "VALUES(zeroblob(32), 'x', 99, '', 0, 0)",
                                   ""),
                     ODP_FAIL); /* there is no such holder */
    odp_failure_clear();
    assert_int_equal(odp_store_run(f->s.db, "INSERT INTO machine(name) VALUES(x'00')", ""),
                     ODP_FAIL); /* STRICT */
    odp_failure_clear();
}

TEST(refuses_others)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    const char *path = in(f, f->dir, "other");
    sql(path, "CREATE TABLE notes(text)");
    must_refuse(open_file(path, why));
    assert_non_null(strstr(why, "not a store of odp-gateway"));
    assert_int_equal(unlink(path), 0);
    put_text(path, "This is not a database at all, but it is longer than a header of one hundred bytes, "
                   "which is what SQLite looks at first.");
    must_refuse(open_file(path, why));
    assert_non_null(strstr(why, "restore a backup"));
    assert_int_equal(unlink(path), 0);
    must(open_file(path, why));
    sql(path, "PRAGMA user_version = 1000");
    must_refuse(open_file(path, why));
    assert_non_null(strstr(why, "newer odp-gateway"));
    must_refuse(open_file(f->dir, why)); /* a folder */
    assert_int_equal(symlink("other", in(f, f->dir, "link")), 0);
    must_refuse(open_file(in(f, f->dir, "link"), why));
    assert_string_equal(odp_failure_text(), "");
}

TEST(transactions)
{
    struct fixture *f = *state;
    sqlite3 *db = f->s.db;
    must(odp_sql_begin(db).st);
    must(odp_store_run(db, "INSERT INTO machine(name) VALUES(?)", "t", "two"));
    odp_store_rollback(db);
    odp_store_rollback(db); /* nothing to do */
    assert_int_equal(number(f, "SELECT count(*) FROM machine WHERE name = 'two'"), 0);
    must(odp_store_run(db, "SELECT ?, ?, ?, ?", "itsb", INT64_MAX, (const char *)NULL, ODP_LIT(""),
                       (const void *)"x", 1));
    assert_int_equal(odp_store_run(db, "no such words", ""), ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "syntax error"));
    odp_failure_clear();
}

/* Disk full, as SQLite sees it. */
TEST(full)
{
    struct fixture *f = *state;
    struct odp_issued k = register_as(f, "a@example.org");
    char text[64];
    snprintf(text, sizeof text, "PRAGMA max_page_count = %lld", (long long)number(f, "PRAGMA page_count"));
    assert_true(number(f, text) > 0);
    enum odp_status st = ODP_OK;
    int n = 0;
    for (; n < 500 && st == ODP_OK; n++) {
        struct odp_registration r = person("x@example.org");
        char email[64];
        snprintf(email, sizeof email, "x%d@example.org", n);
        r.email = odp_slice_of(email);
        st = odp_keys_register(&f->s, order(f), &r, &k);
    }
    assert_int_equal(st, ODP_FAIL);
    assert_non_null(strstr(odp_failure_text(), "No space left"));
    odp_failure_clear();
    assert_int_equal(number(f, "SELECT count(*) FROM key"), n); /* the first and n - 1 of the others */
    assert_int_equal(odp_keytable_count(f->s.table), n);
    assert_true(number(f, "PRAGMA max_page_count = 1000000") > 0);
    register_as(f, "later@example.org"); /* there is room again */
    audit_is_whole(f);
}

/* ---- audit ---- */

TEST(chain)
{
    struct fixture *f = *state;
    sqlite3 *db = f->s.db;
    int64_t seq = 0;
    must(odp_audit_check(db, &seq));
    for (int i = 0; i < 5; i++)
        must(odp_audit_add(db, 1000 + i, "command:sari", "test", "odp_live_Ab3dE", "{}"));
    must(odp_audit_check(db, &seq));
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE seq = 1 AND previous = "
                               "'0000000000000000000000000000000000000000000000000000000000000000'"),
                     1);
    static const char *const refused[] = {
        "UPDATE audit SET act = 'x' WHERE seq = 2",
        "DELETE FROM audit WHERE seq = 5",
        "DELETE FROM audit",
        "INSERT OR REPLACE INTO audit VALUES(2, 0, '', '', '', '', '', '')",
        "INSERT INTO audit VALUES(9, 0, '', '', '', '', '', '')",
    };
    for (size_t i = 0; i < ODP_COUNT(refused); i++) {
        assert_int_equal(odp_store_run(db, refused[i], ""), ODP_FAIL);
        assert_non_null(strstr(odp_failure_text(), "append-only"));
        odp_failure_clear();
    }
    must(odp_audit_check(db, &seq));
}

/* Somebody with the file and a tool. */
TEST(chain_breaks)
{
    static const struct {
        const char *change;
        int64_t at;
    } cases[] = {
        {"UPDATE audit SET actor = 'command:eve' WHERE seq = 2", 2},
        {"UPDATE audit SET time = time + 1 WHERE seq = 1", 1},
        {"UPDATE audit SET detail = '{\"a\":1}' WHERE seq = 3", 3},
        {"DELETE FROM audit WHERE seq = 3", 3},
        {"DELETE FROM audit WHERE seq = 5", 5},
        {"DELETE FROM audit", 1},
        {"UPDATE audit SET act = 'ab', subject = 'c' WHERE seq = 4", 4},
        {"UPDATE audit SET previous = digest WHERE seq = 2", 2},
    };
    struct fixture *f = *state;
    for (int i = 0; i < 5; i++)
        must(odp_audit_add(f->s.db, 1000 + i, "command:sari", "a", "bc", "{}"));
    close_state(f);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        char text[512], command[1024];
        int64_t seq = 0;
        sqlite3 *db = NULL;
        snprintf(text, sizeof text, "%s", in(f, f->dir, "copy"));
        snprintf(command, sizeof command, "cp %s %s", in(f, f->state_dir, "store.sqlite"), text);
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof command, "DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete; %s",
                 cases[i].change);
        sql(text, command);
        assert_int_equal(sqlite3_open(text, &db), SQLITE_OK);
        enum odp_status st = odp_audit_check(db, &seq);
        sqlite3_close(db);
        if (st != ODP_BAD || seq != cases[i].at)
            fail_msg("%s: %d at %lld", cases[i].change, (int)st, (long long)seq);
    }
}

/* ---- backups ---- */

TEST(backup)
{
    struct fixture *f = *state;
    struct stat st;
    char why[ODP_WHY], detail[200];
    sqlite3 *copy = NULL;
    const char *path = in(f, f->dir, "backup");
    register_as(f, "a@example.org");
    must(odp_store_backup(f->s.db, path, why));
    register_as(f, "b@example.org");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    must(odp_store_open_copy(&copy, path, why));
    must(odp_store_verify(copy, false, detail, sizeof detail));
    struct odp_sql q = {.db = copy};
    assert_int_equal(odp_sql_number(&q, "SELECT count(*) FROM key", ""), 1);
    odp_store_close(copy);
    must(odp_store_backup(f->s.db, path, why)); /* over the older one */
    put_text(in(f, f->dir, "letter"), "Dear");
    must_refuse(odp_store_backup(f->s.db, in(f, f->dir, "letter"), why));
    assert_non_null(strstr(why, "is not a backup"));
    must_refuse(odp_store_backup(f->s.db, f->dir, why));
    must_refuse(odp_store_backup(f->s.db, in(f, f->dir, "no/such/folder"), why));
    assert_string_equal(odp_failure_text(), "");
    assert_int_not_equal(access(in(f, f->dir, "backup-wal"), F_OK), 0);
    assert_int_not_equal(access(in(f, f->dir, "backup-journal"), F_OK), 0);
}

TEST(verify_finds_damage)
{
    struct fixture *f = *state;
    char why[ODP_WHY], detail[200];
    sqlite3 *copy = NULL;
    const char *path = in(f, f->dir, "backup");
    for (int i = 0; i < 50; i++) {
        char email[64];
        snprintf(email, sizeof email, "p%d@example.org", i);
        register_as(f, email);
    }
    must(odp_store_backup(f->s.db, path, why));
    int fd = open(path, O_RDWR);
    char junk[2048];
    memset(junk, 0x5a, sizeof junk);
    assert_true(fd >= 0 && pwrite(fd, junk, sizeof junk, 3 * 4096) == (ssize_t)sizeof junk);
    close(fd);
    enum odp_status st = odp_store_open_copy(&copy, path, why);
    if (st == ODP_OK)
        st = odp_store_verify(copy, false, detail, sizeof detail);
    odp_store_close(copy);
    must_refuse(st);
    assert_string_equal(odp_failure_text(), "");
}

EACH(setup, teardown)
