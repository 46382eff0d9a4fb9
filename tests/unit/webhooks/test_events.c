/* Kinds of events, lines of the log, joined events, and messages that are never too large. Events of sites:
 * test_events_site.c. */
#include "answer_lines.h"
#include "json_holds.h"

#include "base/json.h"
#include "service/webhooks/events/events.h"

/* ---- kinds ---- */

TEST(kinds)
{
    static const char *const names[] = {
        "dataset.version.published", "dataset.corrected", "dataset.deprecated", "dataset.withdrawn",
        "release.published",         "quota.warning",     "webhook.test",       "webhook.challenge"};
    assert_int_equal(ODP_EVENT_TYPES, 8);
    for (int t = 0; t < ODP_EVENT_TYPES; t++) {
        const struct odp_event_info *info = odp_event_info((enum odp_event_type)t);
        assert_string_equal(info->name, names[t]);
        assert_int_equal(odp_event_find(odp_slice_of(names[t])), t);
        assert_int_equal(info->audience, t < 5 ? ODP_EVENT_ALL : t == 5 ? ODP_EVENT_OWN : ODP_EVENT_ONE);
        assert_int_equal(info->coalesced, t < 2);
        assert_true(info->title.in[ODP_LANG_ID][0] != '\0' && info->title.in[ODP_LANG_EN][0] != '\0');
        assert_int_equal(strspn(info->name, "abcdefghijklmnopqrstuvwxyz._"),
                         strlen(info->name)); /* Standard Webhooks */
    }
    assert_int_equal(odp_event_find(ODP_LIT("dataset")), -1);
    assert_int_equal(odp_event_find(ODP_LIT("dataset.version.published.")), -1);
    assert_int_equal(odp_event_find((struct odp_slice){NULL, 0}), -1);
}

/* ---- lines ---- */

struct log {
    char text[4096];
    size_t len, last; /* where the last line begins */
    int n;
};

static void add_line(struct log *l, const char *release)
{
    char previous[80] = "null", hex[ODP_SHA256_HEX];
    uint8_t digest[ODP_SHA256_SIZE];
    if (l->n > 0) {
        must(odp_digest_of(l->text + l->last, l->len - l->last - 1, digest));
        odp_digest_hex(digest, hex);
        snprintf(previous, sizeof previous, "\"sha256:%s\"", hex);
    }
    l->last = l->len;
    int n = snprintf(l->text + l->len, sizeof l->text - l->len,
                     "{\"n\":%d,\"previous\":%s,\"base\":null,\"date\":\"2024-03-15\",\"release\":\"%s\","
                     "\"changes\":[]}\n",
                     ++l->n, previous, release);
    assert_true(n > 0 && (size_t)n < sizeof l->text - l->len);
    l->len += (size_t)n;
}

static enum odp_status read_lines(const struct log *l, struct odp_arena *a, struct odp_event_line **lines,
                                  size_t *n, const char **why)
{
    *why = NULL;
    return odp_events_lines((struct odp_slice){l->text, l->len}, lines, n, a, why);
}

TEST(lines)
{
    struct odp_arena a = {0};
    struct odp_event_line *lines;
    struct log log = {.n = 0};
    uint8_t digest[ODP_SHA256_SIZE];
    const char *why;
    size_t n;
    must(odp_events_lines((struct odp_slice){NULL, 0}, &lines, &n, &a, &why));
    assert_int_equal(n, 0);
    for (int i = 0; i < 5; i++)
        add_line(&log, i < 3 ? "2.5.0" : "2.6.0");
    must(read_lines(&log, &a, &lines, &n, &why));
    assert_int_equal(n, 5);
    for (size_t i = 0, at = 0; i < n; i++) {
        assert_int_equal(lines[i].n, i + 1);
        assert_ptr_equal(lines[i].text.ptr, log.text + at);
        assert_int_equal(lines[i].text.ptr[lines[i].text.len], '\n');
        at += lines[i].text.len + 1;
        must(odp_digest_of(lines[i].text.ptr, lines[i].text.len, digest));
        assert_memory_equal(lines[i].digest, digest, sizeof digest);
        assert_ptr_equal(lines[i].before.ptr, i > 0 ? lines[i - 1].text.ptr : NULL);
        assert_int_equal(lines[i].before.len, i > 0 ? lines[i - 1].text.len : 0);
    }
    odp_arena_release(&a);
}

static void expect_broken(const struct log *log, const char *where)
{
    struct odp_arena a = {0};
    struct odp_event_line *lines;
    const char *why;
    size_t n;
    must_refuse(read_lines(log, &a, &lines, &n, &why));
    assert_int_equal(n, 0);
    assert_non_null(why);
    if (strncmp(why, where, strlen(where)) != 0)
        fail_msg("%s is not at %s", why, where);
    odp_arena_release(&a);
}

TEST(broken_lines)
{
    struct log whole = {.n = 0}, log;
    for (int i = 0; i < 3; i++)
        add_line(&whole, "2.5.0");
    log = whole;
    log.len--;
    expect_broken(&log, "releases.log:3: ");
    log = whole;
    *strstr(log.text, "2.5.0") = '3'; /* the first line is other than the second says */
    expect_broken(&log, "releases.log:2: ");
    log = whole;
    log.text[log.last] = 'x'; /* no JSON */
    expect_broken(&log, "releases.log:3: ");
    log = whole;
    size_t first = strcspn(log.text, "\n") + 1; /* the first line is not there */
    memmove(log.text, log.text + first, log.len - first);
    log.len -= first;
    expect_broken(&log, "releases.log:1: ");
    log = whole;
    memcpy(log.text + log.len++, "\n", 1);
    expect_broken(&log, "releases.log:4: ");
}

/* ---- told as one ---- */

static void expect_json(const json_t *got, const char *want)
{
    json_t *v = parsed(want);
    char *text = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY),
         *other = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, other);
    free(text);
    free(other);
    json_decref(v);
}

/* A version of one table; the three lists of its keys, or NULL. */
static json_t *make(const char *version, const char *previous, const char *added, const char *removed,
                    const char *changed)
{
    char keys[400] = "null", all[1200];
    if (added != NULL)
        snprintf(keys, sizeof keys, "{'added':[%s],'removed':[%s],'changed':[%s]}", added, removed, changed);
    long rows = strtol(version, NULL, 10);
    int n = snprintf(all, sizeof all,
                     "{'dataset':'desa','title':{'id':'Desa','en':'Villages'},'version':'%s','previous':'%s',"
                     "'versions':['%s'],'release':'2.5.0','rows':%ld,'resources':[{'name':'desa','rows':%ld,'"
                     "changes':[{'from':'%s','to':'%s','added':1,'removed':2,'changed':3,'url':'u%s'}],'keys'"
                     ":%s}],'url':'v1/desa','versions_url':'v'}",
                     version, previous, version, rows, rows, previous, version, version, keys);
    assert_true(n > 0 && (size_t)n < sizeof all);
    return parsed(all);
}

static const json_t *keys_of(const json_t *data, size_t resource)
{
    return json_object_get(json_array_get(json_object_get(data, "resources"), resource), "keys");
}

static void merge(json_t *data, json_t *later_take)
{
    must(odp_event_merge(data, later_take));
    json_decref(later_take);
}

/* ---- messages ---- */

static json_t *message_of(enum odp_event_type type, int64_t time, const json_t *data, const json_t *match,
                          struct odp_buffer *out)
{
    odp_buffer_clear(out);
    odp_buffer_add_str(out, "before");
    must(odp_event_message(out, type, time, data, match));
    assert_memory_equal(out->ptr, "before", 6);
    assert_true(out->len - 6 < ODP_EVENT_MESSAGE_MAX);
    char first;
    assert_true(odp_json_valid((struct odp_slice){out->ptr + 6, out->len - 6}, &first));
    json_t *v = json_loadb(out->ptr + 6, out->len - 6, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(v);
    return v;
}

/* webhooks/answers/events.txt: an event is made and others are joined to it. A line is one of
 *
 *   event VERSION PREVIOUS [ADDED REMOVED CHANGED]   of one table; lists of keys "a,b" or "-"; none: no keys
 *   join VERSION PREVIOUS [ADDED REMOVED CHANGED]    such another; first: it has no version before
 *   is TEXT, and TEXT                                the same with JSON, ' for "
 *   all, versions, keys                              what the event says
 *   message TYPE MS [MATCH]                          as it is sent, at so many ms since 1970 */
static json_t *event_line(const char *text)
{
    char words[5][40] = {"", "", "", "", ""}, lists[3][120] = {"", "", ""};
    int n = sscanf(text, "%39s %39s %39s %39s %39s", words[0], words[1], words[2], words[3], words[4]);
    for (int i = 0; i + 2 < n; i++)
        for (char *all = words[i + 2], *key;
             strcmp(words[i + 2], "-") != 0 && (key = strsep(&all, ",")) != NULL;)
            snprintf(lists[i] + strlen(lists[i]), sizeof lists[i] - strlen(lists[i]), "%s'%s'",
                     lists[i][0] != '\0' ? "," : "", key);
    return make(words[0], words[1], n > 2 ? lists[0] : NULL, lists[1], lists[2]);
}

static void tell(const json_t *v, struct odp_buffer *out)
{
    char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
    odp_buffer_printf(out, "%s\n", text);
    free(text);
}

static void tell_versions(const json_t *data, struct odp_buffer *out)
{
    const json_t *changes = json_object_get(json_array_get(json_object_get(data, "resources"), 0), "changes");
    tell(json_object_get(data, "previous"), out);
    tell(json_object_get(data, "versions"), out);
    for (size_t i = 0; i < json_array_size(changes); i++)
        odp_buffer_printf(out, "to %s\n",
                          json_string_value(json_object_get(json_array_get(changes, i), "to")));
}

static void message_line(const json_t *data, char *text, struct odp_buffer *out)
{
    struct odp_buffer message = {0};
    const char *name = strsep(&text, " "), *time = strsep(&text, " ");
    json_t *match = text != NULL ? parsed(text) : NULL;
    json_decref(message_of((enum odp_event_type)odp_event_find(odp_slice_of(name)), strtoll(time, NULL, 10),
                           data, match, &message));
    odp_buffer_add_str(out, odp_buffer_cstr(&message) + 6);
    odp_buffer_release(&message);
    json_decref(match);
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    json_t **data = ctx, *made = NULL;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    bool is_text = strcmp(verb, "is") == 0 || strcmp(verb, "and") == 0;
    if (is_text || strcmp(verb, "event") == 0 || strcmp(verb, "join") == 0 || strcmp(verb, "first") == 0)
        made = is_text ? parsed(rest) : event_line(rest);
    if (strcmp(verb, "first") == 0)
        json_object_set_new(made, "previous", json_null());
    if (strcmp(verb, "event") == 0 || strcmp(verb, "is") == 0) {
        json_decref(*data);
        *data = made;
    } else if (made != NULL) {
        char *before = json_dumps(made, 0), *after = NULL;
        if (odp_event_merge(*data, made) != ODP_OK) {
            odp_buffer_add_str(out, "failed");
            odp_failure_clear();
        }
        after = json_dumps(made, 0);
        assert_string_equal(before, after); /* it is another's */
        free(before);
        free(after);
        json_decref(made);
    } else if (strcmp(verb, "message") == 0) {
        message_line(*data, rest, out);
    } else if (strcmp(verb, "versions") == 0) {
        tell_versions(*data, out);
    } else {
        tell(strcmp(verb, "keys") == 0 ? keys_of(*data, 0) : *data, out);
    }
    free(text);
}

TEST(answers)
{
    json_t *data = NULL;
    answer_lines("webhooks/answers/events.txt", answer, &data);
    json_decref(data);
}

TEST(no_time)
{
    struct odp_buffer out = {0};
    json_t *empty = parsed("{}");
    assert_int_equal(odp_event_message(&out, ODP_EVENT_TEST, INT64_MAX, empty, NULL), ODP_FAIL);
    odp_failure_clear();
    odp_buffer_release(&out);
    json_decref(empty);
}

/* Joined keys are at most ODP_EVENT_KEYS, too. */
TEST(join_many_keys)
{
    char many[400] = "";
    for (int i = 0; i < ODP_EVENT_KEYS; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "%s'%d'", i > 0 ? "," : "", i);
    json_t *data = make("2", "1", many, "", "");
    merge(data, make("3", "2", "", "", "'0','49'"));
    assert_int_equal(json_array_size(json_object_get(keys_of(data, 0), "added")), ODP_EVENT_KEYS);
    merge(data, make("4", "3", "", "", "'50'")); /* one too many */
    assert_true(json_is_null(keys_of(data, 0)));
    json_decref(data);
}

static void pad_keys(json_t *keys, int n, size_t len)
{
    char text[1024];
    memset(text, 'k', sizeof text);
    for (int i = 0; i < n; i++) {
        text[0] = (char)('0' + i / 10);
        text[1] = (char)('0' + i % 10);
        json_array_append_new(json_object_get(keys, "changed"), json_stringn(text, len));
    }
}

/* Keys go first: those of the differences, then those that a filter found. */
TEST(large_keys)
{
    struct odp_buffer out = {0};
    json_t *data = make("2", "1", "", "", ""),
           *match = parsed("{'applied':true,'resources':[{'name':'desa','added':0,'removed':0,'changed':50,'"
                           "keys':{'added':[],'removed':[],'changed':[]}}]}");
    json_t *found = json_object_get(json_array_get(json_object_get(match, "resources"), 0), "keys");
    pad_keys((json_t *)(uintptr_t)keys_of(data, 0), ODP_EVENT_KEYS, 380);
    json_t *m = message_of(ODP_EVENT_CORRECTED, 0, data, NULL, &out);
    assert_int_equal(json_array_size(json_object_get(keys_of(json_object_get(m, "data"), 0), "changed")),
                     ODP_EVENT_KEYS); /* 19,5 kB: it fits */
    json_decref(m);
    pad_keys(found, ODP_EVENT_KEYS, 100);
    m = message_of(ODP_EVENT_CORRECTED, 0, data, match, &out);
    assert_true(json_is_null(keys_of(json_object_get(m, "data"), 0)));
    assert_true(json_equal(json_object_get(json_object_get(m, "data"), "match"), match));
    json_decref(m);
    pad_keys(found, ODP_EVENT_KEYS, 400);
    m = message_of(ODP_EVENT_CORRECTED, 0, data, match, &out);
    expect_json(
        json_object_get(json_object_get(m, "data"), "match"),
        "{'applied':true,'resources':[{'name':'desa','added':0,'removed':0,'changed':50,'keys':null}]}");
    assert_int_equal(json_array_size(json_object_get(keys_of(data, 0), "changed")),
                     ODP_EVENT_KEYS); /* what was given is as it was */
    json_decref(m);
    odp_buffer_release(&out);
    json_decref(match);
    json_decref(data);
}

/* A minute's versions of a day: the newest stay, with the number of those left out. */
TEST(many_versions)
{
    struct odp_buffer out = {0};
    char name[40], before[40] = "2024-03-14T235900Z";
    json_t *data = make(before, "2024-03-14", "'a'", "", "");
    for (int i = 0; i < 1440; i++) {
        snprintf(name, sizeof name, "2024-03-15T%02d%02d00Z", i / 60, i % 60);
        json_t *later = make(name, before, "", "", "'a'");
        json_object_set_new(later, "rows", json_integer(i));
        merge(data, later);
        memcpy(before, name, sizeof before);
    }
    json_t *m = message_of(ODP_EVENT_VERSION_PUBLISHED, 0, data, NULL, &out);
    const json_t *told = json_object_get(m, "data"), *versions = json_object_get(told, "versions");
    const json_t *changes = json_object_get(json_array_get(json_object_get(told, "resources"), 0), "changes");
    size_t n = json_array_size(versions);
    assert_true(n > 50 && out.len > ODP_EVENT_MESSAGE_MAX * 3 / 4); /* as many as there is room for */
    assert_int_equal(json_array_size(changes), n);
    assert_int_equal(json_integer_value(json_object_get(told, "versions_left_out")), 1441 - (json_int_t)n);
    assert_string_equal(json_string_value(json_array_get(versions, n - 1)), "2024-03-15T235900Z");
    for (size_t i = 0; i < n; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(changes, i), "to")),
                            json_string_value(json_array_get(versions, i)));
    assert_string_equal(json_string_value(json_object_get(told, "previous")), "2024-03-14");
    assert_int_equal(json_array_size(json_object_get(data, "versions")), 1441);
    json_decref(m);
    odp_buffer_release(&out);
    json_decref(data);
}

static json_t *long_text(size_t n)
{
    char *text = malloc(3 * n + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + 3 * i, i % 2 == 0 ? "…" : "日", 3);
    text[3 * n] = '\0';
    json_t *o = json_pack("{s:s, s:s}", "id", text, "en", text);
    free(text);
    return o;
}

/* Whatever else is too large: words are cut between characters, tables left out, and what cannot fit is
 * refused. */
TEST(large_words)
{
    struct odp_buffer out = {0};
    json_t *data = make("2", "1", "", "", ""), *resources = json_object_get(data, "resources"),
           *found = parsed("{'applied':false}");
    json_object_set_new(data, "correction", long_text(5000));
    json_object_set_new(found, "why", long_text(5000));
    json_t *m = message_of(ODP_EVENT_CORRECTED, 0, data, found, &out);
    const char *words =
        json_string_value(json_object_get(json_object_get(json_object_get(m, "data"), "correction"), "en"));
    assert_int_equal(strlen(words), 3 * 1000 + 3);
    assert_string_equal(words + 3 * 999, "日…");
    json_decref(m);
    for (int i = 0; i < 400; i++)
        json_array_append_new(resources,
                              json_pack("{s:s, s:i, s:[], s:n}", "name", "tabel-yang-bernama-panjang-sekali",
                                        "rows", i, "changes", "keys"));
    m = message_of(ODP_EVENT_CORRECTED, 0, data, NULL, &out);
    const json_t *told = json_object_get(json_object_get(m, "data"), "resources");
    assert_true(json_array_size(told) > 150 && json_array_size(told) < 401);
    assert_string_equal(json_string_value(json_object_get(json_array_get(told, 0), "name")), "desa");
    json_decref(m);
    char *huge = calloc(1, 30000);
    memset(huge, 'x', 29999);
    json_object_set_new(data, "dataset", json_string(huge));
    odp_buffer_clear(&out);
    odp_buffer_add_str(&out, "before");
    assert_int_equal(odp_event_message(&out, ODP_EVENT_CORRECTED, 0, data, NULL), ODP_FAIL);
    assert_int_equal(out.len, 6);
    odp_failure_clear();
    free(huge);
    odp_buffer_release(&out);
    json_decref(found);
    json_decref(data);
}
