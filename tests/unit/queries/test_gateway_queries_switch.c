/* Queries while sites are switched: the list of a site's indexes, cursors that outlive their site, indexes
 * that are kept, opened or damaged, and what `odp-gateway check` says of them. */
#include <glob.h>

#include "answer_lines.h"
#include "gateway_query_fixture.h"

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

/* Gives the words of `odp-gateway check` about the indexes. */
static const char *check_says(struct fixture *f, bool *ok)
{
    static char detail[ODP_WHY];
    json_t *request = json_pack("{s:s, s:s}", "command", "check", "lang", "en"), *reply = NULL, *row;
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

/* ---- scripts ---- */

/* queries/answers/switch.txt: builds are letters, moments seconds after the first, "{b}" is the folder of
 * a build and "*" what only one file has. A line is one of
 *
 *   fresh
 *   list [TEXT or -]              whether a site with this search/index.json can be read; none: without it
 *   site BUILD WITHDRAWN INDEX…   a build; an index is "kumuh/2024-03-15/1-25": the records that it has
 *   index BUILD INDEX, remove BUILD
 *   switch BUILD TIME, prune TIME, restart
 *   get TARGET, follow REL        status, code and records of the answer; {cursor} is the one that was kept
 *   cursor, tamper                keeps the cursor to the next page; changes a digit of it
 *   version, link REL, header NAME  of the last answer
 *   kept, open                    how many files are kept, indexes open
 *   write PATH TEXT, gone PATH, private PATH, copy PATH PATH, mode PATH, spoil PATH
 *   secret [PATH]                 of cursors, from the next restart on
 *   serve BUILD, check            what `odp-gateway check` says of the indexes of that site */
struct script {
    struct fixture *f;
    char cursor[2048], target[4096], secret[400], site[400];
};

static struct site_index index_at(const char *text)
{
    static char words[8][2][40];
    static int n;
    struct site_index x = {words[n][0], NULL, words[n][1], 0, 0, false, "", ""};
    assert_int_equal(sscanf(text, "%39[^/]/%39[^/]/%d-%d", words[n][0], words[n][1], &x.first, &x.last), 4);
    n = (n + 1) % 8;
    return x;
}

static void make_build(struct script *s, char *rest)
{
    struct site_index list[4];
    size_t n = 0;
    const char *build = strsep(&rest, " "), *withdrawn = strsep(&rest, " ");
    for (const char *one; (one = strsep(&rest, " ")) != NULL; n++)
        list[n] = index_at(one);
    make_site(build_dir(s->f, build[0]), list, n, "2.5.0", withdrawn);
}

/* The file that PATH is, below the test's folder. */
static const char *file_at(struct script *s, const char *path)
{
    static char full[600];
    glob_t found;
    if (path[0] == '{')
        snprintf(full, sizeof full, "%s%s", build_dir(s->f, path[1]), path + 3);
    else
        snprintf(full, sizeof full, "%s/%s", s->f->dir, path);
    if (strchr(path, '*') == NULL)
        return full;
    assert_int_equal(glob(full, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(full, sizeof full, "%s", found.gl_pathv[0]);
    globfree(&found);
    return full;
}

static void get_line(struct script *s, const char *target, struct odp_buffer *out)
{
    const char *at = strstr(target, "{cursor}");
    char address[4096];
    snprintf(address, sizeof address, "%.*s%s%s", (int)(at != NULL ? at - target : (long)strlen(target)),
             target, at != NULL ? s->cursor : "", at != NULL ? at + 8 : "");
    memcpy(s->target, address, sizeof address);
    int status = get(s->f, address);
    odp_buffer_printf(out, "%d %s%s\n", status, fixture_problem(s->f, "code"), codes(s->f));
    odp_failure_clear();
}

static void tell(enum odp_status st, const char *why, struct odp_buffer *out)
{
    odp_buffer_add_str(out, st == ODP_OK ? "" : st == ODP_DONE ? "nothing" : why);
    assert_true(st != ODP_FAIL);
}

static void read_list(struct script *s, const char *text, struct odp_buffer *out)
{
    char path[300], file[400], why[ODP_WHY] = "";
    struct odp_query_site *site = NULL;
    snprintf(path, sizeof path, "%s/hand", s->f->dir);
    snprintf(file, sizeof file, "%s/search", path);
    must(odp_dir_make(file));
    snprintf(file, sizeof file, "%s/search/index.json", path);
    if (text != NULL)
        put_text(file, *text == '-' ? "" : text);
    enum odp_status st = odp_query_site_read(&site, path, why);
    assert_int_equal(site != NULL, st == ODP_OK || st == ODP_DONE);
    tell(st, why, out);
    if (site != NULL)
        odp_buffer_printf(out, "%s%zu", st == ODP_DONE ? ", " : "", site->n);
    odp_query_site_free(site);
}

static bool file_line(struct script *s, const char *verb, char *rest, struct odp_buffer *out)
{
    struct stat st;
    const char *path = strsep(&rest, " ");
    const bool is_write = strcmp(verb, "write") == 0;
    if (is_write) {
        put_text(file_at(s, path), odp_or_empty(rest));
    } else if (strcmp(verb, "gone") == 0) {
        assert_int_equal(unlink(file_at(s, path)), 0);
    } else if (strcmp(verb, "private") == 0) {
        assert_int_equal(chmod(file_at(s, path), 0600), 0);
    } else if (strcmp(verb, "copy") == 0) {
        char from[600];
        snprintf(from, sizeof from, "%s", file_at(s, path));
        must(odp_file_link(from, file_at(s, rest)));
    } else if (strcmp(verb, "mode") == 0) {
        assert_int_equal(stat(file_at(s, path), &st), 0);
        odp_buffer_printf(out, "%o, %s", st.st_mode & 0777, st.st_size > 44 ? "long" : "short");
    } else if (strcmp(verb, "spoil") == 0) {
        FILE *file = fopen(file_at(s, path), "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, 5000, SEEK_SET), 0);
        assert_int_equal(fputc('x', file), 'x');
        assert_int_equal(fclose(file), 0);
    } else {
        return false;
    }
    return true;
}

static void restart(struct script *s, struct odp_buffer *out)
{
    char why[ODP_WHY] = "";
    close_queries(s->f);
    s->f->options.cursor_secret = s->secret[0] != '\0' ? s->secret : NULL;
    enum odp_status st = odp_queries_new(&s->f->s.web->queries, &s->f->options, why);
    const char *at = strstr(why, s->secret);
    tell(st, at != NULL && s->secret[0] != '\0' ? at + strlen(s->secret) : why, out);
}

static void tell_answer(struct script *s, const char *verb, const char *rest, struct odp_buffer *out)
{
    const json_t *meta = json_object_get(s->f->doc, "meta");
    char text[512];
    const char *link = link_of(s->f, s->target, *rest != '\0' ? rest : "next");
    if (strcmp(verb, "follow") == 0) {
        get_line(s, odp_or_empty(link), out);
    } else if (strcmp(verb, "version") == 0) {
        odp_buffer_add_str(out, json_string_value(json_object_get(meta, "version")));
    } else if (strcmp(verb, "header") == 0) {
        odp_buffer_add_str(out, fixture_header(s->f, rest, text));
    } else if (strcmp(verb, "link") == 0) {
        odp_buffer_printf(out, "%s", link != NULL ? link : "none");
    } else {
        assert_string_equal(verb, "cursor");
        snprintf(s->cursor, sizeof s->cursor, "%s", strstr(link, "cursor="));
    }
}

static void script_line(struct script *s, const char *verb, char *rest, struct odp_buffer *out)
{
    struct fixture *f = s->f;
    char why[ODP_WHY] = "";
    const char *time = strchr(rest, ' ');
    int64_t now = FIXTURE_NOW + strtoll(time != NULL ? time : rest, NULL, 10);
    bool ok = false;
    if (strcmp(verb, "list") == 0) {
        read_list(s, *rest != '\0' ? rest : NULL, out);
    } else if (strcmp(verb, "site") == 0) {
        make_build(s, rest);
    } else if (strcmp(verb, "index") == 0) {
        struct site_index x = index_at(rest + 2);
        make_index(build_dir(f, rest[0]), &x);
    } else if (strcmp(verb, "remove") == 0) {
        must(odp_dir_remove(build_dir(f, rest[0])));
    } else if (strcmp(verb, "switch") == 0) {
        tell(odp_queries_switch(queries_of(f), build_dir(f, rest[0]), now, why), why, out);
    } else if (strcmp(verb, "prune") == 0) {
        must(odp_queries_prune(queries_of(f), now));
    } else if (strcmp(verb, "restart") == 0) {
        restart(s, out);
    } else if (strcmp(verb, "get") == 0) {
        get_line(s, rest, out);
    } else if (strcmp(verb, "tamper") == 0) {
        s->cursor[12] = s->cursor[12] == 'A' ? 'B' : 'A';
    } else if (strcmp(verb, "kept") == 0) {
        odp_buffer_printf(out, "%d", kept_files(f));
    } else if (strcmp(verb, "secret") == 0) {
        snprintf(s->secret, sizeof s->secret, "%s", *rest != '\0' ? file_at(s, rest) : "");
    } else if (strcmp(verb, "serve") == 0) {
        snprintf(s->site, sizeof s->site, "%s", build_dir(f, rest[0]));
        f->options.site = s->site;
    } else if (strcmp(verb, "check") == 0) {
        const char *says = check_says(f, &ok);
        const char *name = strstr(says, ".sqlite");
        int digest = name != NULL ? ODP_SEARCH_ID : 0, n = (int)(name != NULL ? name - says : 0) - digest;
        odp_buffer_printf(out, "%s %.*s%s", ok ? "ok" : "wrong", n, says, says + n + digest);
    } else if (!file_line(s, verb, rest, out)) {
        tell_answer(s, verb, rest, out);
    }
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    if (strcmp(verb, "fresh") == 0) {
        if (s->f != NULL)
            (void)fixture_teardown((void **)&s->f);
        *s = (struct script){0};
        (void)query_setup((void **)&s->f);
    } else {
        script_line(s, verb, rest != NULL ? rest : text + strlen(text), out);
    }
    free(text);
}

TEST(answers)
{
    struct script s = {0};
    answer_lines("queries/answers/switch.txt", answer, &s);
    (void)fixture_teardown((void **)&s.f);
}

/* ---- cursors and switches ---- */

/* A cursor to page 2 of the first site. */
static void first_cursor(struct fixture *f, char *out, size_t cap)
{
    assert_int_equal(get(f, "/v1/kumuh?limit=10&sortby=kode"), 200);
    const char *link = link_of(f, "/v1/kumuh", "next");
    assert_true(strlen(link) < cap);
    memcpy(out, link, strlen(link) + 1);
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

/* The state lies on another file system: no links, so what is open stays open. */
TEST(without_links)
{
    struct fixture *f = *state;
    char elsewhere[FRESH_FOLDER], one_dir[160], two_dir[160], cursor[2048];
    if (!fresh_folder_elsewhere(elsewhere, f->dir))
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
    must(odp_queries_prune(queries_of(f), FIXTURE_NOW + 9 + 24 * 3600));
    assert_int_equal(get(f, cursor), 200);
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
    put_text(path, "this is no database");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/indexes/index-%s.sqlite", f->state_dir, two[0].id);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    odp_failure_clear();
}

EACH(query_setup, fixture_teardown)
