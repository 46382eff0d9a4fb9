/* Events of sites made by hand: forms of keys, what cannot be told, lines of another odp. Of real sites:
 * tests/e2e/events_of_site.py. */
#include "answer_lines.h"

#include <unistd.h>

#include "base/file.h"
#include "service/webhooks/events/events.h"

#define BASE "https://data.example.go.id/"

enum { FILES = 8 };

struct fixture {
    char dir[FRESH_FOLDER];
    const char *paths[FILES]; /* sorted */
    size_t n;
    struct odp_arena arena;
    struct odp_diags *diags;
    struct odp_site *site;
    struct odp_event_list list;
};

static void put(struct fixture *x, const char *path, struct odp_slice text)
{
    char *full = odp_path_join(&x->arena, x->dir, path), *slash = strrchr(full, '/');
    *slash = '\0';
    must(odp_dir_make(full));
    *slash = '/';
    (void)unlink(full);
    must(odp_file_put(full, text, 0644, NULL));
    size_t at = x->n++;
    assert_true(x->n <= FILES);
    for (; at > 0 && strcmp(x->paths[at - 1], path) > 0; at--)
        x->paths[at] = x->paths[at - 1];
    x->paths[at] = path;
}

/* TEXT with ' for ". */
static void put_json(struct fixture *x, const char *path, const char *text)
{
    put(x, path, odp_slice_of(double_quotes(odp_arena_str(&x->arena, text))));
}

static void fixture_begin(struct fixture *x)
{
    memset(x, 0, sizeof *x);
    fresh_folder(x->dir, "events");
    odp_arena_init(&x->arena);
    must(odp_diags_new(&x->diags, 10));
    put_json(x, "v1/index.json",
             "{'data':[{'slug':'desa','title':{'id':'Desa'},'version':'2024-02-15','odp:formerSlugs':[{'slug'"
             ":'dulu'}]}],'meta':{'release':'2.5.0','release_date':'2024-03-15'}}");
}

static void site_open(struct fixture *x)
{
    struct odp_buffer out = {0};
    odp_buffer_add_str(&out, "{\"files\":[");
    for (size_t i = 0; i < x->n; i++) {
        struct odp_file_info info;
        char hex[ODP_SHA256_HEX];
        must(odp_file_digest(odp_path_join(&x->arena, x->dir, x->paths[i]), &info));
        odp_digest_hex(info.sha256, hex);
        odp_buffer_printf(&out,
                          "%s{\"path\":\"%s\",\"type\":\"application/"
                          "json\",\"class\":\"public\",\"size\":%llu,\"sha256\":\"%s\"}",
                          i > 0 ? "," : "", x->paths[i], (unsigned long long)info.size, hex);
    }
    odp_buffer_add_str(&out, "]}");
    const char *path = odp_path_join(&x->arena, x->dir, "manifest.json");
    (void)unlink(path);
    must(odp_file_put(path, odp_buffer_slice(&out), 0644, NULL));
    odp_buffer_release(&out);
    if (odp_site_open(&x->site, x->dir, x->diags) != ODP_OK)
        fail_msg("the site cannot be opened: %s", odp_failure_text());
}

static void fixture_end(struct fixture *x)
{
    odp_events_release(&x->list);
    odp_site_close(x->site);
    odp_diags_free(x->diags);
    odp_arena_release(&x->arena);
    must(odp_dir_remove(x->dir));
}

/* The events of a line with CHANGES; BEFORE: the release of the line before, or NULL. */
static void tell(struct fixture *x, const char *before, const char *changes)
{
    struct odp_event_line line = {.n = 2};
    char *text = odp_arena_printf(&x->arena, "{'n':2,'release':'2.5.0','changes':[%s]}", changes);
    char *other = before != NULL ? odp_arena_printf(&x->arena, "{'n':1,'release':'%s'}", before) : NULL;
    line.text = odp_slice_of(double_quotes(text));
    line.before = odp_slice_of(other != NULL ? double_quotes(other) : NULL);
    memset(line.digest, 0xab, sizeof line.digest);
    odp_events_release(&x->list);
    must(odp_events_of_line(x->site, &line, BASE, &x->list, &x->arena, x->diags));
}

static void expect_faults(const struct fixture *x, uint64_t n)
{
    assert_int_equal(odp_diags_count(x->diags, ODP_SEVERITY_ERROR), n);
    assert_int_equal(odp_diags_code_count(x->diags, ODP_V03), n);
}

/* ---- keys ---- */

#define HEAD  "{\"dataset\":\"desa\",\"resource\":\"desa\",\n\"from\":{},\n\"to\":{},\n"
#define KEYED HEAD "\"key\":[\"a\",\"b\"],\n\"schema\":[\n{\"change\":\"]\"}\n],\n"
#define TAIL  "\n],\n\"summary\":{}}\n"

struct differences {
    int added, removed, changed;
    const char *more; /* members of "changes" */
    const char *text; /* changes.json, or NULL */
};

/* A version with a table for each of N differences; the second's file is changes-b.json. */
static void version_tell(struct fixture *x, const struct differences *d, size_t n)
{
    struct odp_buffer all = {0};
    fixture_begin(x);
    odp_buffer_add_str(&all,
                       "{'data':[{'version':'2024-02-15','date':'2024-02-15','state':'published','rows':7,'"
                       "previous':'2024-01-15','digest':'sha256:"
                       "0000000000000000000000000000000000000000000000000000000000000000','resources':[");
    for (size_t i = 0; i < n; i++) {
        const char *name = i == 0 ? "" : "-b";
        odp_buffer_printf(&all,
                          "%s{'name':'desa%s','rows':7,'changes':{'from':'2024-01-15','added':%d,'removed':%"
                          "d,'changed':%d%s,'json':'../../data/desa/2024-02-15/changes%s.json'}}",
                          i > 0 ? "," : "", name, d[i].added, d[i].removed, d[i].changed,
                          d[i].more != NULL ? d[i].more : "", name);
        if (d[i].text != NULL)
            put(x, i == 0 ? "data/desa/2024-02-15/changes.json" : "data/desa/2024-02-15/changes-b.json",
                odp_slice_of(d[i].text));
    }
    odp_buffer_add_str(&all, "]}]}");
    put_json(x, "data/desa/versions.json", odp_buffer_cstr(&all));
    odp_buffer_release(&all);
    site_open(x);
    tell(x, "2.5.0", "{'dataset':'desa','version':'2024-02-15','what':'published'}");
    assert_int_equal(x->list.n, 1);
}

static const json_t *keys_told(const struct fixture *x, size_t resource)
{
    return json_object_get(json_array_get(json_object_get(x->list.items[0].data, "resources"), resource),
                           "keys");
}

static void expect_keys(const struct differences *d, const char *want, uint64_t faults)
{
    struct fixture x;
    version_tell(&x, d, 1);
    char *text = json_dumps(keys_told(&x, 0), JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, want);
    expect_faults(&x, faults);
    free(text);
    fixture_end(&x);
}

/* ---- scripts ---- */

/* webhooks/answers/events_site.txt: a line is
 *
 *   keys ADDED REMOVED CHANGED [counts] [TEXT]    what is told of a version with so many differences, which
 *                                                 changes.json lists: keys, then faults if there are some
 *   line BEFORE CHANGES                           the events of a line of the log; BEFORE: the release of
 *                                                 the line before, "none": it says none
 *   raw TEXT                                      how many events a line has that is this text
 *
 * {head}, {keyed} and {tail} are what the file has around its rows. */
static void fill(const char *text, struct odp_buffer *out)
{
    static const char *const words[][2] = {{"{head}", HEAD}, {"{keyed}", KEYED}, {"{tail}", TAIL}};
    while (*text != '\0') {
        size_t n = 0;
        for (size_t i = 0; i < ODP_COUNT(words) && n == 0; i++)
            if (strncmp(text, words[i][0], strlen(words[i][0])) == 0) {
                n = strlen(words[i][0]);
                odp_buffer_add_str(out, words[i][1]);
            }
        if (n == 0)
            odp_buffer_add_char(out, *text);
        text += n > 0 ? n : 1;
    }
}

static void tell_keys(const char *line, struct odp_buffer *out)
{
    struct fixture x;
    struct differences d = {0};
    struct odp_buffer text = {0};
    int n = 0;
    assert_int_equal(sscanf(line, "%d %d %d %n", &d.added, &d.removed, &d.changed, &n), 3);
    if (strncmp(line + n, "counts ", 7) == 0) {
        d.more = ",'counts_only':true";
        n += 7;
    }
    fill(line + n, &text);
    d.text = strcmp(line + n, "none") != 0 ? odp_buffer_cstr(&text) : NULL;
    version_tell(&x, &d, 1);
    char *told = json_dumps(keys_told(&x, 0), JSON_COMPACT | JSON_ENCODE_ANY);
    uint64_t faults = odp_diags_count(x.diags, ODP_SEVERITY_ERROR);
    odp_buffer_add_str(out, told);
    if (faults > 0)
        odp_buffer_printf(out, " %llu fault", (unsigned long long)faults);
    expect_faults(&x, faults);
    free(told);
    odp_buffer_release(&text);
    fixture_end(&x);
}

/* Place, type, dataset, version, and what is told. */
static void tell_events(const struct fixture *x, struct odp_buffer *out)
{
    for (size_t i = 0; i < x->list.n; i++) {
        const struct odp_event *e = &x->list.items[i];
        for (int k = 0; k < 64; k++)
            assert_int_equal(e->key[k], "ab"[k % 2]);
        char *data = json_dumps(e->data, JSON_COMPACT);
        odp_buffer_printf(out, "%s %s %s %s\n%s\n", e->key + 64, odp_event_info(e->type)->name,
                          e->dataset != NULL ? e->dataset : "-", e->version != NULL ? e->version : "-", data);
        free(data);
    }
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct fixture x;
    const char *rest = question.ptr + strcspn(question.ptr, " ");
    rest += *rest == ' ';
    if (strncmp(question.ptr, "keys ", 5) == 0) {
        tell_keys(rest, out);
        return;
    }
    fixture_begin(&x);
    site_open(&x);
    if (strncmp(question.ptr, "line ", 5) == 0) {
        const char *before = odp_arena_printf(&x.arena, "%.*s", (int)strcspn(rest, " "), rest);
        rest += strcspn(rest, " ");
        tell(&x, strcmp(before, "none") != 0 ? before : "", rest + (*rest == ' '));
        tell_events(&x, out);
    } else {
        const struct odp_event_line line = {.n = 1, .text = odp_slice_of(rest)};
        must(odp_events_of_line(x.site, &line, BASE, &x.list, &x.arena, x.diags));
        odp_buffer_printf(out, "%zu", x.list.n);
    }
    expect_faults(&x, 0);
    fixture_end(&x);
}

TEST(answers)
{
    answer_lines("webhooks/answers/events_site.txt", answer, NULL);
}

/* A row of N bytes more than its key, or whose key has N bytes. */
static char *large_row(size_t n, bool in_key)
{
    struct odp_buffer out = {0};
    odp_buffer_add_str(&out, KEYED "\"changes\":[\n{\"op\":\"added\",\"key\":{\"a\":\"");
    for (size_t i = 0; i < n && in_key; i++)
        odp_buffer_add_char(&out, 'k');
    odp_buffer_add_str(&out, "\",\"b\":2},\"record\":\"");
    for (size_t i = 0; i < n && !in_key; i++)
        odp_buffer_add_char(&out, 'r');
    odp_buffer_add_str(&out, "\"}" TAIL);
    char *text = strdup(odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

TEST(large_rows)
{
    char *text = large_row(3 << 20, false);
    expect_keys(&(struct differences){1, 0, 0, NULL, text},
                "{\"added\":[\",2\"],\"removed\":[],\"changed\":[]}", 0);
    free(text);
    text = large_row(70000, true); /* nobody writes such an address */
    expect_keys(&(struct differences){1, 0, 0, NULL, text}, "null", 0);
    free(text);
}

static char *many_rows(int from, int n)
{
    struct odp_buffer out = {0};
    odp_buffer_add_str(&out, KEYED "\"changes\":[");
    for (int i = 0; i < n; i++)
        odp_buffer_printf(&out, "%s{\"op\":\"changed\",\"key\":{\"a\":%d,\"b\":\"x\"},\"cells\":{}}",
                          i > 0 ? ",\n" : "\n", from + i);
    odp_buffer_add_str(&out, TAIL);
    char *text = strdup(odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

/* ODP_EVENT_KEYS keys are listed, of all tables together; a table without a key does not count. */
TEST(limit)
{
    struct fixture x;
    char *thirty = many_rows(0, 30), *twenty = many_rows(30, 20), *more = many_rows(30, 21);
    struct differences d[2] = {{0, 0, 30, NULL, thirty}, {0, 0, 20, NULL, twenty}};
    version_tell(&x, d, 2);
    assert_int_equal(json_array_size(json_object_get(keys_told(&x, 0), "changed")), 30);
    assert_int_equal(json_array_size(json_object_get(keys_told(&x, 1), "changed")), 20);
    assert_string_equal(json_string_value(json_array_get(json_object_get(keys_told(&x, 1), "changed"), 19)),
                        "49,x");
    fixture_end(&x);
    d[1] = (struct differences){0, 0, 21, NULL, more};
    version_tell(&x, d, 2);
    assert_true(json_is_null(keys_told(&x, 0)) && json_is_null(keys_told(&x, 1)));
    expect_faults(&x, 0);
    fixture_end(&x);
    d[1] = (struct differences){1000000, 0, 0, NULL, HEAD "\"key\":null,\n"};
    version_tell(&x, d, 2);
    assert_int_equal(json_array_size(json_object_get(keys_told(&x, 0), "changed")), 30);
    assert_true(json_is_null(keys_told(&x, 1)));
    expect_faults(&x, 0);
    fixture_end(&x);
    free(thirty);
    free(twenty);
    free(more);
}

/* A sparse site: what is elsewhere is not asked for. (Nobody listens at that address: asking would be a
 * fault.) */
TEST(files_that_are_elsewhere)
{
    struct fixture x;
    char *text = many_rows(0, 1);
    version_tell(&x, &(struct differences){0, 0, 1, NULL, text}, 1);
    assert_int_equal(json_array_size(json_object_get(keys_told(&x, 0), "changed")), 1);
    odp_site_close(x.site);
    const char *remote = odp_arena_printf(&x.arena, "%s.remote", x.dir);
    must(odp_file_put(remote, ODP_LIT("http://127.0.0.1:1/\n"), 0644, NULL));
    assert_int_equal(unlink(odp_path_join(&x.arena, x.dir, "data/desa/2024-02-15/changes.json")), 0);
    must(odp_site_open(&x.site, x.dir, x.diags));
    tell(&x, "2.5.0", "{'dataset':'desa','version':'2024-02-15','what':'published'}");
    assert_true(json_is_null(keys_told(&x, 0)));
    assert_int_equal(json_integer_value(json_object_get(x.list.items[0].data, "rows")), 7);
    assert_int_equal(unlink(odp_path_join(&x.arena, x.dir, "data/desa/versions.json")), 0);
    tell(&x, "2.5.0", "{'dataset':'desa','version':'2024-02-15','what':'published'}");
    assert_true(json_is_null(json_object_get(x.list.items[0].data, "rows")));
    expect_faults(&x, 0);
    assert_int_equal(unlink(remote), 0);
    fixture_end(&x);
    free(text);
}
