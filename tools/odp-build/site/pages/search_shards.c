/* Words by their first letters, in files of a bounded size.
 *
 * FTS5 cuts texts into words here as it did in the query indexes, in a database in memory, which also sorts
 * them. A shard has all words that begin with its key; where they would be too many bytes, one shard for each
 * next letter, and the key's own for the word that it is itself. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "site/pages/search_internal.h"

enum {
    SHARD_BYTES = 12 << 10,
    SHARD_MOST = 64 << 10, /* of a shard that cannot be divided: what is more, the rarest, is left out */
    KEY_LETTERS = 8,
    TABLES_MOST = 20, /* of a word: those with the most records */
    ITEMS_MOST = 100  /* of a word that thousands have: "desa"; another word of the name finds it */
};

struct portal_words {
    struct portal *p;
    sqlite3 *db;
    sqlite3_stmt *put, *cut;
};

/* A word in the making of shards. */
struct entry {
    const char *word;
    json_t *found, *items; /* numbers */
    size_t bytes;
};

struct sharding {
    struct portal *p;
    const json_t *items;
    json_t *shards;
    struct entry *entries;
    size_t n;
};

static void fail(struct portal_words *w)
{
    if (w->p->status == ODP_OK)
        w->p->status = odp_failure_set("sort words", "cari.json", 0);
}

static void check(struct portal_words *w, int rc)
{
    if (rc != SQLITE_OK && rc != SQLITE_DONE)
        fail(w);
}

struct portal_words *portal_words_open(struct portal *p)
{
    static const char tables[] =
        "CREATE TABLE word(term TEXT, what INTEGER, ref INTEGER, n INTEGER);"
        "CREATE VIRTUAL TABLE text USING fts5(t, content='', tokenize='unicode61 remove_diacritics 2');"
        "CREATE VIRTUAL TABLE seen USING fts5vocab(text, instance)";
    struct portal_words *w = odp_arena_zero(&p->arena, 1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->p = p;
    check(w, sqlite3_open(":memory:", &w->db));
    check(w, sqlite3_exec(w->db, tables, NULL, NULL, NULL));
    check(w, sqlite3_prepare_v2(w->db, "INSERT INTO word VALUES(?, ?, ?, ?)", -1, &w->put, NULL));
    check(w, sqlite3_prepare_v2(w->db, "INSERT INTO text(rowid, t) VALUES(?, ?)", -1, &w->cut, NULL));
    check(w, sqlite3_exec(w->db, "BEGIN", NULL, NULL, NULL));
    return w;
}

void portal_words_put(struct portal_words *w, const char *word, size_t ref, json_int_t n)
{
    check(w, sqlite3_bind_text(w->put, 1, word, -1, SQLITE_STATIC));
    check(w, sqlite3_bind_int(w->put, 2, PORTAL_IN_TABLE));
    check(w, sqlite3_bind_int64(w->put, 3, (sqlite3_int64)ref));
    check(w, sqlite3_bind_int64(w->put, 4, n));
    check(w, sqlite3_step(w->put));
    check(w, sqlite3_reset(w->put));
}

/* The row of a text says what it is of. */
void portal_words_put_text(struct portal_words *w, enum portal_found what, size_t ref, struct odp_slice text)
{
    check(w, sqlite3_bind_int64(w->cut, 1, (sqlite3_int64)ref * 4 + (int)what));
    check(w, sqlite3_bind_text64(w->cut, 2, text.ptr != NULL ? text.ptr : "", text.len, SQLITE_STATIC,
                                 SQLITE_UTF8));
    check(w, sqlite3_step(w->cut));
    check(w, sqlite3_reset(w->cut));
}

/* ---- words as entries ---- */

static void add_row(struct entry *e, sqlite3_stmt *s)
{
    json_int_t ref = sqlite3_column_int64(s, 2);
    switch ((enum portal_found)sqlite3_column_int(s, 1)) {
    case PORTAL_IN_TABLE:
        if (json_array_size(e->found) >= (size_t)TABLES_MOST * 2)
            return;
        odp_add(e->found, json_integer(ref));
        odp_add(e->found, json_integer(sqlite3_column_int64(s, 3)));
        e->bytes += 8;
        break;
    case PORTAL_IN_DOC:
        odp_add(e->found, json_integer(-1 - ref));
        e->bytes += 4;
        break;
    case PORTAL_IN_ITEM:
        if (json_array_size(e->items) >= ITEMS_MOST)
            return;
        odp_add(e->items, json_integer(ref));
        e->bytes += 60; /* about what an item takes */
        break;
    }
}

static void gather(struct portal_words *w, struct sharding *s)
{
    static const char select[] =
        "INSERT INTO word SELECT DISTINCT term, doc % 4, doc / 4, 0 FROM seen WHERE length(term) <= 40",
                      sorted[] = "SELECT term, what, ref, n FROM word ORDER BY term, what, n DESC, ref";
    sqlite3_stmt *rows = NULL, *count = NULL;
    check(w, sqlite3_exec(w->db, select, NULL, NULL, NULL));
    check(w, sqlite3_prepare_v2(w->db, "SELECT count(DISTINCT term) FROM word", -1, &count, NULL));
    check(w, sqlite3_prepare_v2(w->db, sorted, -1, &rows, NULL));
    size_t most =
        count != NULL && sqlite3_step(count) == SQLITE_ROW ? (size_t)sqlite3_column_int64(count, 0) : 0;
    s->entries = odp_arena_zero(&w->p->arena, most + 1, sizeof *s->entries);
    int rc = SQLITE_DONE;
    while (w->p->status == ODP_OK && s->entries != NULL && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *term = (const char *)sqlite3_column_text(rows, 0);
        struct entry *e = s->n > 0 ? &s->entries[s->n - 1] : NULL;
        if (term == NULL)
            break;
        if (e == NULL || strcmp(e->word, term) != 0) {
            e = &s->entries[s->n++];
            *e = (struct entry){odp_arena_str(&w->p->arena, term), json_array(), json_array(),
                                strlen(term) + 6};
        }
        add_row(e, rows);
    }
    check(w, rc == SQLITE_ROW ? SQLITE_ERROR : rc);
    (void)sqlite3_finalize(rows);
    (void)sqlite3_finalize(count);
}

/* ---- shards ---- */

/* Bytes of the first LETTERS letters of WORD; fewer where it is shorter. */
static size_t prefix(const char *word, size_t letters)
{
    size_t at = 0, len = strlen(word);
    uint32_t cp;
    for (size_t i = 0; i < letters && at < len; i++)
        at += odp_utf8_decode(word + at, len - at, &cp);
    return at;
}

static void stage_shard(struct sharding *s, struct odp_slice key, size_t from, size_t to)
{
    struct odp_buffer out = {0};
    json_t *words = json_object(), *items = json_array(), *number,
           *shard = json_pack("{s:o, s:o}", "items", items, "words", words);
    struct odp_map seen;
    size_t bytes = 0, k;
    bool fresh;
    odp_map_init(&seen);
    for (size_t i = from; i < to && bytes <= SHARD_MOST; i++) {
        const struct entry *e = &s->entries[i];
        bytes += e->bytes;
        if (json_array_size(e->found) > 0)
            odp_set(words, e->word, json_incref(e->found));
        json_array_foreach(e->items, k, number)
        {
            json_int_t ref = json_integer_value(number);
            (void)odp_map_put(&seen, (struct odp_slice){(const char *)&ref, sizeof ref}, &fresh);
            if (fresh)
                odp_add(items, json_incref(json_array_get(s->items, (size_t)ref)));
        }
    }
    if (s->p->status == ODP_OK)
        s->p->status = odp_doc_print(&out, shard, ODP_DOC_LINE);
    if (s->p->status == ODP_OK)
        s->p->status = portal_asset_put(s->p, "search_shard", ".json", odp_buffer_slice(&out));
    const char *path = odp_text_of(json_object_get(s->p->assets, "search_shard"), "path");
    if (s->p->status == ODP_OK) /* "assets/<digest>.json" */
        odp_set(s->shards, portal_printf(s->p, "%.*s", (int)key.len, key.ptr),
                json_sprintf("%.32s", path + strlen("assets/")));
    odp_map_release(&seen);
    json_decref(shard);
    odp_buffer_release(&out);
}

/* The words from FROM up to TO begin with the same LETTERS letters. */
static void divide(struct sharding *s, size_t from, size_t to, size_t letters)
{
    size_t bytes = 0, length = from < to ? prefix(s->entries[from].word, letters) : 0;
    for (size_t i = from; i < to; i++)
        bytes += s->entries[i].bytes;
    if (from == to || s->p->status != ODP_OK)
        return;
    if (letters > 0 && (bytes <= SHARD_BYTES || letters == KEY_LETTERS || from + 1 == to)) {
        stage_shard(s, (struct odp_slice){s->entries[from].word, length}, from, to);
        return;
    }
    for (size_t next; from < to; from = next) {
        const char *word = s->entries[from].word;
        size_t longer = prefix(word, letters + 1);
        for (next = from + 1; next < to && strncmp(s->entries[next].word, word, longer) == 0;)
            next++;
        if (longer == length && letters > 0) { /* the word that is the key itself, sorted first */
            stage_shard(s, (struct odp_slice){word, length}, from, from + 1);
            next = from + 1;
        } else {
            divide(s, from, next, letters + 1);
        }
    }
}

json_t *portal_words_shards(struct portal_words *w, const json_t *items)
{
    struct sharding s = {.p = w->p, .items = items, .shards = json_object()};
    gather(w, &s);
    divide(&s, 0, s.n, 0);
    for (size_t i = 0; i < s.n; i++) {
        json_decref(s.entries[i].found);
        json_decref(s.entries[i].items);
    }
    return s.shards;
}

void portal_words_close(struct portal_words *w)
{
    if (w == NULL)
        return;
    (void)sqlite3_finalize(w->put);
    (void)sqlite3_finalize(w->cut);
    (void)sqlite3_close(w->db);
}
