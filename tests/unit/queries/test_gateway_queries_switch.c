/* Queries while sites are switched: the list of a site's indexes, cursors that outlive their site, indexes
 * that are kept, opened or damaged, and what `odp-gateway check` says of them. */
#include "gateway_query_fixture.h"

/* ---- lists ---- */

#define ROW(collection, slug, resource, version, file)                                                       \
    "{\"collection\":" collection ",\"slug\":" slug ",\"resource\":" resource ",\"version\":" version        \
    ",\"file\":" file "}"
#define LIST_OF(rows)                                                                                        \
    "{\"odp\":\"1\",\"release\":\"2.5.0\",\"base_url\":\"https://x.example/\",\"resources\":[" rows "]}"
#define K             "\"kumuh\""
#define V             "\"2024-03-15\""
#define FILE_OF(path) "\"search/kumuh/2024-03-15/" path "\""

TEST(lists)
{
    struct fixture *f = *state;
    char path[300], why[ODP_WHY];
    struct odp_query_site *site = NULL;
    static const struct {
        const char *text;
        enum odp_status status;
        const char *why;
    } cases[] = {
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_OK, ""},
        {LIST_OF(""), ODP_OK, ""},
        {"", ODP_BAD, "no JSON"},
        {"[]", ODP_BAD, "\"odp\""},
        {"{\"odp\":\"2\"}", ODP_BAD, "\"odp\""},
        {"{\"odp\":\"1\",\"resources\":[]}", ODP_BAD, "base_url"},
        {LIST_OF("1"), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, K, "1", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, "\"../kumuh\"", "null", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_BAD,
         "an entry"},
        {LIST_OF(ROW(K, K, "null", "\"..\"", "\"search/kumuh/../kumuh-0123456789abcdef.sqlite\"")), ODP_BAD,
         "an entry"},
        {LIST_OF(ROW(K, K, "null", V, "\"/etc/kumuh-0123456789abcdef.sqlite\"")), ODP_BAD,
         "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("../kumuh-0123456789abcdef.sqlite"))), ODP_BAD,
         "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("proyek-0123456789abcdef.sqlite"))), ODP_BAD,
         "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcdeF.sqlite"))), ODP_BAD, "no digest"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcde.sqlite"))), ODP_BAD,
         "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, "\".sqlite\"")), ODP_BAD, "not where it must be"},
    };
    snprintf(path, sizeof path, "%s/hand/search", f->dir);
    must(odp_dir_make(path));
    snprintf(path, sizeof path, "%s/hand", f->dir);
    assert_int_equal(odp_query_site_read(&site, path, why), ODP_DONE);
    assert_int_equal(site->n, 0);
    odp_query_site_free(site);
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        char file[400];
        snprintf(file, sizeof file, "%s/search/index.json", path);
        write_text(file, cases[i].text);
        why[0] = '\0';
        enum odp_status st = odp_query_site_read(&site, path, why);
        if (st != cases[i].status || strstr(why, cases[i].why) == NULL)
            fail_msg("%s: %d %s", cases[i].text, st, why);
        assert_true((site != NULL) == (st == ODP_OK));
        odp_query_site_free(site);
    }
}

TEST(a_list_that_cannot_be_used_changes_nothing)
{
    struct fixture *f = *state;
    char path[400], why[ODP_WHY];
    snprintf(path, sizeof path, "%s/search", build_dir(f, 'b'));
    must(odp_dir_make(path));
    snprintf(path, sizeof path, "%s/search/index.json", build_dir(f, 'b'));
    write_text(path, "{");
    must_refuse(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why));
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_int_equal(unlink(path), 0);
    must(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why)); /* a site without queries */
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 404);
    assert_int_equal(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why), ODP_DONE);
}

/* ---- cursors and switches ---- */

/* From TARGET to the end; a step before page number AT. Returns how many pages there were; the codes of all
 * into OUT. */
static int page_through(struct fixture *f, const char *target, int at, void (*step)(struct fixture *f),
                        char *out, size_t cap)
{
    char address[4096];
    int pages = 0;
    out[0] = '\0';
    snprintf(address, sizeof address, "%s", target);
    for (;;) {
        if (++pages == at)
            step(f);
        if (get(f, address) != 200)
            fail_msg("%s: %s", address, odp_buffer_cstr(&f->a.body));
        snprintf(out + strlen(out), cap - strlen(out), "%s%s", pages > 1 ? " " : "", codes(f));
        const char *next = link_of(f, target, "next");
        if (next == NULL)
            return pages;
        snprintf(address, sizeof address, "%s", next);
    }
}

static void all_codes(int first, int last, char *out)
{
    *out = '\0';
    for (int k = first; k <= last; k++)
        out += sprintf(out, "%sK-%03d", k > first ? " " : "", k);
}

static void use_site_two(struct fixture *f)
{
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""},
                               {"proyek", NULL, "2024-03-15", 1, 3, false, "", ""}};
    make_site(build_dir(f, 'b'), two, 2, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
}

static void drop_build_one(struct fixture *f)
{
    use_site_two(f);
    must(odp_dir_remove(build_dir(f, 'a')));
}

TEST(pages_through_a_switch)
{
    struct fixture *f = *state;
    char got[1024], want[1024];
    assert_int_equal(page_through(f, "/v1/kumuh?limit=10", 2, drop_build_one, got, sizeof got), 3);
    all_codes(1, 25, want);
    assert_string_equal(got, want); /* as it was when the reader began */
    assert_string_equal(json_string_value(json_object_get(json_object_get(f->doc, "meta"), "version")),
                        "2024-03-15");
    assert_int_equal(page_through(f, "/v1/kumuh?limit=10", 0, NULL, got, sizeof got), 3);
    all_codes(4, 31, want);
    assert_string_equal(got, want);
}

/* A cursor to page 2 of the first site. */
static void first_cursor(struct fixture *f, char *out, size_t cap)
{
    assert_int_equal(get(f, "/v1/kumuh?limit=10&sortby=kode"), 200);
    const char *link = link_of(f, "/v1/kumuh", "next");
    assert_true(strlen(link) < cap);
    memcpy(out, link, strlen(link) + 1);
}

static int kept_files(const struct fixture *f)
{
    struct odp_arena a = {0};
    const char **names;
    char path[300];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/indexes", f->state_dir);
    must(odp_dir_list(path, &a, &names, &n));
    odp_arena_release(&a);
    return (int)n - 1; /* less the record */
}

TEST(expires_after_a_day)
{
    struct fixture *f = *state;
    char cursor[2048], text[512];
    first_cursor(f, cursor, sizeof cursor);
    assert_int_equal(kept_files(f), 3);
    drop_build_one(f);
    assert_int_equal(kept_files(f), 4);
    int64_t end = FIXTURE_NOW + 10 + 24 * 3600;
    must(odp_queries_prune(queries_of(f), end - 1));
    assert_int_equal(get(f, cursor), 200);
    close_queries(f); /* a restart forgets nothing */
    open_queries(f);
    switch_to(f, build_dir(f, 'b'), end - 1);
    must(odp_queries_prune(queries_of(f), end - 1));
    assert_int_equal(get(f, cursor), 200);
    assert_string_equal(codes(f), "K-011 K-012 K-013 K-014 K-015 K-016 K-017 K-018 K-019 K-020");
    must(odp_queries_prune(queries_of(f), end));
    assert_int_equal(kept_files(f), 2);
    assert_int_equal(get(f, cursor), 410);
    assert_string_equal(fixture_problem(f, "code"), "cursor-expired");
    const char *first = link_of(f, "/v1/kumuh", "first");
    assert_non_null(first);
    assert_null(strstr(first, "cursor"));
    assert_non_null(strstr(fixture_header(f, "Link", text), "rel=\"first\""));
    char again[4096];
    snprintf(again, sizeof again, "%s", first);
    assert_int_equal(get(f, again), 200);
    assert_string_equal(codes(f), "K-004 K-005 K-006 K-007 K-008 K-009 K-010 K-011 K-012 K-013");
}

TEST(found_in_older_builds)
{
    struct fixture *f = *state;
    char cursor[2048];
    first_cursor(f, cursor, sizeof cursor);
    use_site_two(f);
    must(odp_queries_prune(queries_of(f), FIXTURE_NOW + 11 + 24 * 3600));
    assert_int_equal(kept_files(f), 2);
    assert_int_equal(get(f, cursor), 200); /* of build one, which is there still */
    close_queries(f);
    open_queries(f);
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 12 + 24 * 3600);
    struct site_index old = {"kumuh", NULL, "2024-03-15", 1, 25, false, "", ""};
    must(odp_dir_remove(build_dir(f, 'a')));
    assert_int_equal(get(f, cursor), 410);
    make_index(build_dir(f, 'b'), &old); /* where the compiler leaves it for five builds */
    assert_int_equal(get(f, cursor), 200);
    assert_string_equal(codes(f), "K-011 K-012 K-013 K-014 K-015 K-016 K-017 K-018 K-019 K-020");
}

TEST(withdrawn)
{
    struct fixture *f = *state;
    char cursor[2048];
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    first_cursor(f, cursor, sizeof cursor);
    assert_int_equal(get(f, cursor), 200);
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[\"kumuh/2024-03-15\"]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
    assert_int_equal(get(f, cursor), 410); /* at once, though the file is in build one */
    char path[400];
    snprintf(path, sizeof path, "%s/indexes", f->state_dir);
    assert_int_equal(kept_files(f), 3); /* the new one, and the two of proyek */
    assert_int_equal(get(f, "/v1/proyek?limit=1"), 404);
}

TEST(withdrawn_while_in_use)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_query_lease lease;
    struct odp_queries *q = queries_of(f);
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    struct odp_query_site *site = odp_holder_acquire(&q->site);
    must(odp_queries_lease(q, site, odp_query_site_find(site, ODP_LIT("kumuh"), ODP_LIT("")), NULL, &lease,
                           why));
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[\"kumuh/2024-03-15\"]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
    assert_int_equal(odp_queries_open(q), 1);
    assert_string_equal(odp_index_info(lease.index)->version,
                        "2024-03-15"); /* still there for who holds it */
    odp_queries_return(q, &lease);
    assert_int_equal(odp_queries_open(q), 0);
    odp_holder_drop(&q->site, site);
}

/* A cursor of one dataset at another, of another machine, and one that was tampered with. */
TEST(foreign_cursors)
{
    struct fixture *f = *state;
    char cursor[2048], address[4096];
    first_cursor(f, cursor, sizeof cursor);
    char *text = strstr(cursor, "cursor=");
    assert_non_null(text);
    snprintf(address, sizeof address, "/v1/proyek?limit=10&sortby=kode&%s", text);
    assert_int_equal(get(f, address), 400);
    assert_string_equal(fixture_problem(f, "code"), "cursor-invalid");
    snprintf(address, sizeof address, "/v1/kumuh?limit=10&sortby=-kode&%s", text); /* of another query */
    assert_int_equal(get(f, address), 400);
    text[12] = text[12] == 'A' ? 'B' : 'A';
    assert_int_equal(get(f, cursor), 400);
    assert_string_equal(fixture_problem(f, "code"), "cursor-invalid");
}

TEST(secrets)
{
    struct fixture *f = *state;
    char cursor[2048], path[300], file[300], why[ODP_WHY];
    struct stat st;
    first_cursor(f, cursor, sizeof cursor);
    snprintf(path, sizeof path, "%s/cursor.key", f->state_dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(st.st_size > 44);
    snprintf(file, sizeof file, "%s/shared", f->dir);
    must(odp_file_link(path, file));
    close_queries(f);
    f->options.cursor_secret = file; /* a copy on another machine is the same secret */
    open_queries(f);
    switch_to(f, build_dir(f, 'a'), FIXTURE_NOW);
    assert_int_equal(get(f, cursor), 200);
    close_queries(f);
    assert_int_equal(unlink(file), 0);
    write_text(file, "0123456789abcdef0123456789abcdef0123456789abcdef\n");
    assert_int_equal(chmod(file, 0600), 0);
    open_queries(f);
    switch_to(f, build_dir(f, 'a'), FIXTURE_NOW);
    assert_int_equal(get(f, cursor), 400);
    close_queries(f);
    write_text(file, "short\n");
    assert_int_equal(chmod(file, 0600), 0);
    struct odp_queries *q = NULL;
    must_refuse(odp_queries_new(&q, &f->options, why));
    assert_non_null(strstr(why, file));
    f->options.cursor_secret = NULL;
    write_text(path, "damaged");
    assert_int_equal(chmod(path, 0600), 0);
    open_queries(f);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 44);
}

/* The state lies on another file system: no links, so what is open stays open. */
TEST(without_links)
{
    struct fixture *f = *state;
    struct stat here, there;
    char elsewhere[] = "/dev/shm/odp-query-XXXXXX", one_dir[100], two_dir[100], cursor[2048];
    if (stat(f->dir, &here) != 0 || stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev ||
        mkdtemp(elsewhere) == NULL)
        skip();
    snprintf(one_dir, sizeof one_dir, "%s/one", elsewhere);
    snprintf(two_dir, sizeof two_dir, "%s/two", elsewhere);
    struct site_index one[] = {{"kumuh", NULL, "2025-01-01", 100, 125, false, "", ""}},
                      two[] = {{"kumuh", NULL, "2025-02-01", 100, 120, false, "", ""}};
    make_site(one_dir, one, 1, "2.5.0", "[]");
    switch_to(f, one_dir, FIXTURE_NOW);
    int files = kept_files(f);
    first_cursor(f, cursor, sizeof cursor);
    make_site(two_dir, two, 1, "2.5.0", "[]");
    switch_to(f, two_dir, FIXTURE_NOW + 10);
    assert_int_equal(kept_files(f), files);
    must(odp_dir_remove(one_dir));
    assert_int_equal(get(f, cursor), 200);
    assert_memory_equal(codes(f), "K-110", 5);
    must(odp_queries_prune(queries_of(f), FIXTURE_NOW + 10 + 24 * 3600));
    assert_int_equal(get(f, cursor), 410);
    must(odp_dir_remove(elsewhere));
}

/* ---- the indexes ---- */

/* More resources than indexes are kept open. */
TEST(opens_and_closes)
{
    struct fixture *f = *state;
    enum { MANY = 70 };
    static struct site_index many[MANY];
    static char names[MANY][16];
    char address[64];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "data-%d", i);
        many[i] = (struct site_index){names[i], NULL, "2024-03-15", i + 1, i + 1, false, "", ""};
    }
    make_site(build_dir(f, 'c'), many, MANY, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'c'), FIXTURE_NOW);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char want[16];
            snprintf(address, sizeof address, "/v1/data-%d?limit=%d", i, round + 1);
            snprintf(want, sizeof want, "K-%03d", i + 1);
            assert_int_equal(get(f, address), 200);
            assert_string_equal(codes(f), want);
        }
    assert_int_equal(odp_queries_open(queries_of(f)), 64);
}

TEST(damaged_index)
{
    struct fixture *f = *state;
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    char path[600];
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[]");
    snprintf(path, sizeof path, "%s/%s", build_dir(f, 'b'), two[0].file);
    write_text(path, "this is no database");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/indexes/index-%s.sqlite", f->state_dir, two[0].id);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    odp_failure_clear();
}

/* What `odp-gateway check` says of the indexes. */
static const char *check_says(struct fixture *f, bool *ok)
{
    static char detail[ODP_WHY];
    json_t *request = json_pack("{s:s}", "command", "check"), *reply = NULL, *row;
    size_t i;
    detail[0] = '\0';
    must(odp_admin_run(&f->s, request, "command:test", FIXTURE_NOW, &reply));
    json_array_foreach(json_object_get(reply, "data"), i,
                       row) if (strcmp(json_string_value(json_object_get(row, "check")), "queries") == 0)
    {
        snprintf(detail, sizeof detail, "%s", json_string_value(json_object_get(row, "detail")));
        *ok = json_is_true(json_object_get(row, "ok"));
    }
    json_decref(request);
    json_decref(reply);
    return detail;
}

TEST(check)
{
    struct fixture *f = *state;
    struct site_index one[] = SITE_ONE;
    char path[600], site[300];
    bool ok = false;
    assert_string_equal(check_says(f, &ok), ""); /* there is no site */
    snprintf(site, sizeof site, "%s", build_dir(f, 'b'));
    f->options.site = site;
    make_site(site, one, 3, "2.5.0", "[]");
    assert_non_null(strstr(check_says(f, &ok), "3 resources can be queried"));
    assert_true(ok);
    snprintf(path, sizeof path, "%s/%s", site, one[1].file);
    FILE *out = fopen(path, "r+");
    assert_non_null(out);
    assert_int_equal(fseek(out, 5000, SEEK_SET), 0);
    assert_int_equal(fputc('x', out), 'x');
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(check_says(f, &ok), "damaged"));
    assert_false(ok);
    assert_non_null(strstr(check_says(f, &ok), one[1].file));
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(check_says(f, &ok), "missing"));
    assert_false(ok);
    snprintf(path, sizeof path, "%s/search/index.json", site);
    write_text(path, "{}");
    assert_non_null(strstr(check_says(f, &ok), "not a list"));
    assert_false(ok);
    assert_int_equal(unlink(path), 0);
    assert_non_null(
        strstr(check_says(f, &ok), "no query indexes")); /* control does not list it: an older compiler's */
    assert_true(ok);
    snprintf(path, sizeof path, "%s/control", site);
    write_text(
        path,
        "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"
        "search/index.json\t\"0\"\tapplication/json\t-\tinternal\tactive\t-\t-\t-\t2\t-\n");
    assert_non_null(strstr(check_says(f, &ok), "index.json is missing"));
    assert_false(ok);
}

EACH(query_setup, fixture_teardown)
