/* Filters of events over tables without a key, of several, of other types than before, with files missing;
 * changes.json and keys as such; and whether a filter can be asked at all. */
#include <glob.h>

#include "answer_lines.h"
#include "event_match_fixture.h"

/* ---- scripts ---- */

/* webhooks/answers/matches.txt: a line is one of
 *
 *   fresh                             another site, empty
 *   table NAME FIELDS KEY CSV         of the next version: fields "kode:string,n:number", no key: "-", lines
 *                                     of the CSV are divided by "\n"
 *   going, unindexed                  the last table: it may go; it has no index
 *   version DATE                      of the dataset "uji", with these tables: built
 *   DATE[,DATE] FILTER[\tFILTER]      what the filters find in these versions, or why it is not known
 *   other DATE FILTER                 the same of a dataset that is not there
 *   check DATASET FILTER              whether it can be asked, and where it is wrong
 *   gone PATH, is PATH TEXT, mend     a file of the site; faults: how many such files were found
 *   changes TEXT                      as changes.json: rows and how they end; {head}, {whole}: its begin
 *   key N|- TEXT ADDED|REMOVED|CHANGED, row SIDE N TEXT    what is known of it after that; keys: anew */
struct script {
    struct world w;
    struct table tables[2];
    size_t n;
    char *kept[400];
    size_t nkept;
    char file[512];
    struct odp_buffer whole;
    struct match_work work;
};

static char *keep(struct script *s, const char *text, size_t n)
{
    assert_true(s->nkept < ODP_COUNT(s->kept));
    return s->kept[s->nkept++] = strndup(text, n);
}

/* The next word of *TEXT. */
static char *word(struct script *s, const char **text)
{
    size_t n = strcspn(*text, " ");
    char *w = keep(s, *text, n);
    *text += n + ((*text)[n] == ' ');
    return w;
}

static void clear(struct script *s)
{
    if (s->w.diags != NULL)
        world_release(&s->w);
    for (size_t i = 0; i < s->nkept; i++)
        free(s->kept[i]);
    odp_buffer_release(&s->whole);
    *s = (struct script){.n = 0};
}

static void add_table(struct script *s, const char *text)
{
    struct table *t = &s->tables[s->n++];
    struct odp_buffer fields = {0};
    assert_true(s->n <= 2);
    t->name = word(s, &text);
    for (char *all = word(s, &text), *field; (field = strsep(&all, ",")) != NULL;) {
        char *type = strchr(field, ':');
        odp_buffer_printf(&fields, "%s{\"name\": \"%.*s\", \"type\": \"%s\"}", fields.len > 0 ? ", " : "",
                          (int)(type - field), field, type + 1);
    }
    t->fields = keep(s, odp_buffer_cstr(&fields), fields.len);
    const char *key = word(s, &text);
    odp_buffer_clear(&fields);
    odp_buffer_printf(&fields, "\"%s\"", key);
    t->key = *key != '-' ? keep(s, odp_buffer_cstr(&fields), fields.len) : NULL;
    t->csv = keep(s, text, strlen(text));
    odp_buffer_release(&fields);
}

static void find_line(struct script *s, const char *slug, const char *text, struct odp_buffer *out)
{
    const char *versions[5] = {NULL};
    struct odp_event_filter filters[8] = {{NULL, false}};
    size_t n = 0;
    for (char *all = word(s, &text), **to = (char **)(uintptr_t)versions; (*to = strsep(&all, ",")) != NULL;
         to++)
        continue;
    for (char *all = keep(s, text, strlen(text)), *one; (one = strsep(&all, "\t")) != NULL;)
        filters[n++] = (struct odp_event_filter){one, one[0] == '{'};
    match(&s->w, slug, versions, filters, n);
    for (size_t i = 0; i < n; i++)
        tell_match(&s->w.out[i], out);
}

static void check_line(struct script *s, const char *text, struct odp_buffer *out)
{
    static const char *const statuses[] = {[ODP_OK] = "ok", [ODP_DONE] = "none"};
    struct odp_event_filter_fault fault;
    const char *slug = word(s, &text);
    const bool empty = strcmp(text, "(no JSON)") == 0;
    const struct odp_event_filter filter = {empty ? "" : text, empty || text[0] == '{'};
    enum odp_status st = odp_event_filter_check(s->w.site, slug, &filter, &fault, &s->w.arena, s->w.diags);
    if (st != ODP_BAD) {
        odp_buffer_add_str(out, statuses[st]);
        return;
    }
    assert_int_equal(fault.at == 0, fault.pointer != NULL);
    odp_buffer_printf(out, "at %zu, %zu long%s%s\n%s\n%s\n", fault.at, fault.len,
                      fault.pointer != NULL ? ", " : "", odp_or_empty(fault.pointer),
                      odp_text_get(&fault.message, ODP_LANG_ID), odp_text_get(&fault.message, ODP_LANG_EN));
}

/* Replaces a file of the site (AS NULL: removes it), which may be linked into other places. The path may have
 * "*" for what only one file has. */
static void spoil(struct script *s, const char *path, const char *as)
{
    char full[512];
    glob_t found;
    path_of(&s->w, path, full);
    assert_int_equal(glob(full, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(s->file, sizeof s->file, "%s", found.gl_pathv[0] + strlen(s->w.dir) + 1);
    odp_buffer_release(&s->whole);
    s->whole = get(&s->w, s->file);
    assert_int_equal(unlink(found.gl_pathv[0]), 0);
    globfree(&found);
    if (as != NULL)
        put(&s->w, s->file, as, strlen(as));
    reopen(&s->w);
}

static void mend(struct script *s)
{
    char full[512];
    path_of(&s->w, s->file, full);
    (void)unlink(full);
    put(&s->w, s->file, s->whole.ptr, s->whole.len);
    reopen(&s->w);
    odp_diags_clear(s->w.diags);
}

static void changes_line(struct script *s, const char *text, struct odp_buffer *out)
{
    static const char head[] = "{\"dataset\":\"uji\",\n\"key\":[\"a\"],\n\"schema\":[]",
                      whole[] = "{\"dataset\":\"uji\",\n\"key\":null,\n\"schema\":[],\n\"changes\":[\n";
    static const char *const ends[] = {[ODP_DONE] = "whole", [ODP_BAD] = "bad", [ODP_FAIL] = "failed"};
    struct odp_buffer file = {0};
    char path[512];
    struct events_rows r;
    size_t n = 0;
    bool is_head = strncmp(text, "{head}", 6) == 0, is_whole = strncmp(text, "{whole}", 7) == 0;
    odp_buffer_printf(&file, "%s%s",
                      is_head    ? head
                      : is_whole ? whole
                                 : "",
                      text + (is_head    ? 6
                              : is_whole ? 7
                                         : 0));
    put(&s->w, "x.json", odp_buffer_cstr(&file), file.len);
    path_of(&s->w, "x.json", path);
    enum odp_status status = events_rows_open(&r, path);
    bool noted = status == ODP_OK && r.counts_only;
    while (status == ODP_OK && (status = events_rows_next(&r)) == ODP_OK)
        n++;
    events_rows_close(&r);
    odp_buffer_printf(out, "%zu, %s%s", n, ends[status], noted ? ", only counts" : "");
    odp_buffer_release(&file);
}

/* Keys: numbers by value, everything else by its bytes. Whole rows: each of its version, by its bytes. */
static void key_line(struct script *s, bool keyed, const char *text, struct odp_buffer *out)
{
    static struct odp_search_column columns[] = {{.type = ODP_TYPE_NUMBER}, {.type = ODP_TYPE_STRING}};
    static uint32_t key[] = {0, 1};
    static const struct odp_search_info info = {.columns = columns, .ncolumns = 2, .key = key, .nkey = 2};
    static struct match_side side = {.info = &info};
    static const char *const names[EVENTS_OPS] = {
        [ODP_CHANGE_ADDED] = "added", [ODP_CHANGE_REMOVED] = "removed", [ODP_CHANGE_CHANGED] = "changed"};
    size_t which = keyed ? MATCH_KEYED : (size_t)(word(s, &text)[0] - '0');
    const char *op = word(s, &text), *n = word(s, &text);
    const struct odp_slice parts[2] = {odp_slice_of(*n == '-' ? NULL : n), odp_slice_of(text)};
    int did = 0;
    while (strcmp(names[did], op) != 0)
        did++;
    s->work.newest = &side;
    uint64_t before = s->work.nkeys;
    bool fresh = match_keys_find(&s->work, which, parts, 2) == NULL;
    must(match_keys_add(&s->work, which, parts, 2, (enum odp_change_op)did));
    assert_int_equal(s->work.nkeys - before, fresh);
    const struct match_entry *e = match_keys_find(&s->work, which, parts, 2);
    odp_buffer_add_str(out, fresh ? "new:" : "known:");
    for (int i = 0; i < EVENTS_OPS; i++)
        if (e->times[i] > 0)
            odp_buffer_printf(out, " %s %u", names[i], e->times[i]);
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    const char *rest = question.ptr, *verb = word(s, &rest);
    if (*verb >= '0' && *verb <= '9') {
        find_line(s, "uji", question.ptr, out);
    } else if (strcmp(verb, "other") == 0) {
        find_line(s, "lain", rest, out);
    } else if (strcmp(verb, "fresh") == 0) {
        clear(s);
        world_init(&s->w);
    } else if (strcmp(verb, "table") == 0) {
        add_table(s, rest);
    } else if (strcmp(verb, "going") == 0) {
        s->tables[s->n - 1].more = GOING;
    } else if (strcmp(verb, "unindexed") == 0) {
        s->tables[s->n - 1].more = ", \"odp:index\": false";
    } else if (strcmp(verb, "version") == 0) {
        put_dataset(&s->w, "uji", rest, s->tables, s->n);
        build(&s->w);
        memset(s->tables, 0, sizeof s->tables);
        s->n = 0;
    } else if (strcmp(verb, "check") == 0) {
        check_line(s, rest, out);
    } else if (strcmp(verb, "gone") == 0) {
        spoil(s, rest, NULL);
    } else if (strcmp(verb, "is") == 0) {
        const char *path = word(s, &rest);
        spoil(s, path, rest);
    } else if (strcmp(verb, "mend") == 0) {
        mend(s);
    } else if (strcmp(verb, "faults") == 0) {
        odp_buffer_add_str(out, odp_diags_code_count(s->w.diags, ODP_V03) > 0 ? "some" : "none");
    } else if (strcmp(verb, "changes") == 0) {
        changes_line(s, rest, out);
    } else {
        key_line(s, strcmp(verb, "key") == 0, rest, out);
    }
}

TEST(answers)
{
    static struct script s;
    answer_lines("webhooks/answers/matches.txt", answer, &s);
    match_keys_release(&s.work);
    odp_arena_release(&s.work.arena);
    clear(&s);
}

/* ---- what is too much ---- */

#define KODE "{\"name\": \"kode\", \"type\": \"string\"}, "
static const struct table first = {"uji", KODE "{\"name\": \"n\", \"type\": \"number\"}", "\"kode\"",
                                   "kode,n\na,1\nb,2\n", NULL};

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
