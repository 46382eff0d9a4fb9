/* Words by their first letters, in files of a bounded size.
 *
 * FTS5's tokenizer cuts texts into words, as it did for the query indexes. A shard has all words that begin
 * with its key; where they would be too many bytes, one shard for each next letter, and the key's own for the
 * word that it is itself. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/line.h"
#include "base/utf8.h"
#include "site/pages/search_internal.h"

enum {
    SHARD_BYTES = 12 << 10,
    SHARD_MOST = 64 << 10, /* of a shard that cannot be divided: what is more, the rarest, is left out */
    KEY_LETTERS = 8,
    WORD_LETTERS = 40, /* of a text */
    TABLES_MOST = 20,  /* of a word: those with the most records */
    ITEMS_MOST = 100   /* of a word that thousands have: "desa"; another word of the name finds it */
};

/* Where a word is found. */
struct found {
    struct found *before; /* of the same word */
    enum portal_found what;
    size_t ref;
    json_int_t n; /* records of a table */
};

struct word {
    const char *text;
    struct found *found; /* the last; once they are in order, the first of an array */
    size_t n, bytes;     /* bytes: what it takes in a shard, about */
};

struct portal_words {
    struct portal *p;
    sqlite3 *db; /* the tokenizer's */
    fts5_tokenizer fts5;
    Fts5Tokenizer *tokenizer;
    struct odp_map cut;     /* the words of the text that is cut */
    struct odp_map numbers; /* of all words */
    struct word *words;
};

struct sharding {
    struct portal *p;
    const json_t *items;
    json_t *shards;
    const struct word *words;
};

/* ---- words ---- */

static void check(struct portal_words *w, int rc)
{
    if (rc != SQLITE_OK && rc != SQLITE_ROW && w->p->status == ODP_OK)
        w->p->status = odp_failure_set("cut texts into words", "cari.json", 0);
}

static void open_tokenizer(struct portal_words *w)
{
    const char *arguments[] = {"remove_diacritics", "2"};
    fts5_api *fts5 = NULL;
    sqlite3_stmt *s = NULL;
    void *ctx = NULL;
    check(w, sqlite3_open(":memory:", &w->db));
    check(w, sqlite3_prepare_v2(w->db, "SELECT fts5(?)", -1, &s, NULL));
    check(w, sqlite3_bind_pointer(s, 1, &fts5, "fts5_api_ptr", NULL));
    check(w, sqlite3_step(s));
    check(w, sqlite3_finalize(s));
    check(w, fts5 != NULL ? fts5->xFindTokenizer(fts5, "unicode61", &ctx, &w->fts5) : SQLITE_ERROR);
    if (w->p->status == ODP_OK)
        check(w, w->fts5.xCreate(ctx, arguments, 2, &w->tokenizer));
}

struct portal_words *portal_words_open(struct portal *p)
{
    struct portal_words *w = odp_arena_zero(&p->arena, 1, sizeof *w);
    w->p = p;
    odp_map_init(&w->cut);
    odp_map_init(&w->numbers);
    open_tokenizer(w);
    return w;
}

void portal_words_put(struct portal_words *w, struct odp_slice word, struct portal_ref in, json_int_t n)
{
    bool fresh;
    const uint32_t number = odp_map_put(&w->numbers, word, &fresh);
    if (fresh) {
        w->words = odp_arena_more(&w->p->arena, w->words, number, sizeof *w->words);
        w->words[number] = (struct word){.text = odp_arena_copy(&w->p->arena, word).ptr};
    }
    struct word *of = &w->words[number];
    struct found *one = odp_arena_alloc(&w->p->arena, sizeof *one);
    *one = (struct found){of->found, in.what, in.ref, n};
    of->found = one;
    of->n++;
}

struct cut {
    struct portal_words *words;
    struct odp_buffer *out;
};

static int add_token(void *ctx, int flags, const char *token, int len, int from, int to)
{
    struct cut *c = ctx;
    const struct odp_slice word = {token, (size_t)len};
    bool fresh = false;
    if (odp_utf8_count(word) <= WORD_LETTERS)
        (void)odp_map_put(&c->words->cut, word, &fresh);
    if (fresh) {
        odp_buffer_add_slice(c->out, word);
        odp_buffer_add_char(c->out, ' ');
    }
    return SQLITE_OK;
}

void portal_words_cut(struct portal_words *w, struct odp_slice text, struct odp_buffer *out)
{
    struct cut c = {w, out};
    odp_map_clear(&w->cut);
    if (w->p->status == ODP_OK && text.len > 0)
        check(w, w->fts5.xTokenize(w->tokenizer, &c, FTS5_TOKENIZE_DOCUMENT, text.ptr, (int)text.len,
                                   add_token));
}

void portal_words_put_all(struct portal_words *w, struct odp_slice words, struct portal_ref in)
{
    while (words.len > 0) {
        struct odp_slice word = odp_slice_cut(&words, ' ');
        if (word.len > 0)
            portal_words_put(w, word, in, 0);
    }
}

/* ---- words in order ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

/* Tables, those with the most records first. */
static int by_records(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->ref > y->ref) - (x->ref < y->ref);
}

/* Puts the places of W in order, and leaves out those that are too many. */
static void gather(struct word *w, struct odp_arena *a)
{
    static const size_t most[] = {TABLES_MOST, SIZE_MAX, ITEMS_MOST},
                        bytes[] = {8, 4, 60 /* about what an item takes */};
    size_t kinds[ODP_COUNT(most)] = {0}, n = w->n, tables = 0, kept = 0;
    struct found *list = odp_arena_array(a, n, sizeof *list);
    for (const struct found *one = w->found; one != NULL; one = one->before) {
        list[--n] = *one;
        tables += one->what == PORTAL_IN_TABLE;
    }
    qsort(list, tables, sizeof *list, by_records);
    w->bytes = strlen(w->text) + 6;
    for (size_t i = 0; i < w->n; i++) {
        if (kinds[list[i].what]++ >= most[list[i].what])
            continue;
        w->bytes += bytes[list[i].what];
        list[kept++] = list[i];
    }
    w->found = list;
    w->n = kept;
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

/* A comma, but for the first of a list. */
static void add_comma(struct odp_buffer *out)
{
    if (out->len > 0 && strchr("[{", out->ptr[out->len - 1]) == NULL)
        odp_buffer_add_char(out, ',');
}

/* "sukamaju":[table,records,-1 - doc]; nothing of what is in items alone. */
static void add_word(struct odp_buffer *out, const struct word *w)
{
    if (w->found->what == PORTAL_IN_ITEM) /* they are the last */
        return;
    add_comma(out);
    odp_json_add_string(out, odp_slice_of(w->text));
    odp_buffer_add_str(out, ":[");
    for (size_t i = 0; i < w->n && w->found[i].what != PORTAL_IN_ITEM; i++) {
        const bool in_doc = w->found[i].what == PORTAL_IN_DOC;
        add_comma(out);
        odp_json_add_u64(out, in_doc ? "-" : "", w->found[i].ref + in_doc);
        if (!in_doc)
            odp_buffer_printf(out, ",%" JSON_INTEGER_FORMAT, w->found[i].n);
    }
    odp_buffer_add_char(out, ']');
}

/* The items of W that are not SEEN. */
static void add_items(const struct sharding *s, struct odp_buffer *out, const struct word *w,
                      struct odp_map *seen)
{
    for (size_t i = 0; i < w->n; i++) {
        const size_t ref = w->found[i].ref;
        bool fresh = false;
        if (w->found[i].what == PORTAL_IN_ITEM)
            (void)odp_map_put(seen, (struct odp_slice){(const char *)&ref, sizeof ref}, &fresh);
        if (!fresh)
            continue;
        add_comma(out);
        odp_buffer_add_str(out, json_string_value(json_array_get(s->items, ref)));
    }
}

static void stage_shard(const struct sharding *s, struct odp_slice key, size_t from, size_t to)
{
    struct odp_buffer out = {0};
    struct odp_map seen;
    size_t bytes = 0, end = from;
    while (end < to && bytes <= SHARD_MOST)
        bytes += s->words[end++].bytes;
    odp_map_init(&seen);
    odp_buffer_add_str(&out, "{\"items\":[");
    for (size_t i = from; i < end; i++)
        add_items(s, &out, &s->words[i], &seen);
    odp_buffer_add_str(&out, "],\"words\":{");
    for (size_t i = from; i < end; i++)
        add_word(&out, &s->words[i]);
    odp_buffer_add_str(&out, "}}");
    if (s->p->status == ODP_OK)
        s->p->status = odp_buffer_status(&out);
    if (s->p->status == ODP_OK)
        s->p->status = portal_asset_put(s->p, "search_shard", ".json", odp_buffer_slice(&out));
    const char *path = odp_text_of(json_object_get(s->p->assets, "search_shard"), "path");
    if (s->p->status == ODP_OK) /* "assets/<digest>.json" */
        odp_set(s->shards, portal_printf(s->p, "%.*s", (int)key.len, key.ptr),
                json_sprintf("%.32s", path + strlen("assets/")));
    odp_map_release(&seen);
    odp_buffer_release(&out);
}

/* The words from FROM up to TO begin with the same LETTERS letters. */
static void divide(const struct sharding *s, size_t from, size_t to, size_t letters)
{
    size_t bytes = 0, length = from < to ? prefix(s->words[from].text, letters) : 0;
    for (size_t i = from; i < to; i++)
        bytes += s->words[i].bytes;
    if (from == to || s->p->status != ODP_OK)
        return;
    if (letters > 0 && (bytes <= SHARD_BYTES || letters == KEY_LETTERS || from + 1 == to)) {
        stage_shard(s, (struct odp_slice){s->words[from].text, length}, from, to);
        return;
    }
    for (size_t next; from < to; from = next) {
        const char *word = s->words[from].text;
        size_t longer = prefix(word, letters + 1);
        for (next = from + 1; next < to && strncmp(s->words[next].text, word, longer) == 0;)
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
    const struct sharding s = {w->p, items, json_object(), w->words};
    const size_t n = w->numbers.n;
    if (n > 1)
        qsort(w->words, n, sizeof *w->words, by_text);
    for (size_t i = 0; i < n; i++)
        gather(&w->words[i], &w->p->arena);
    divide(&s, 0, n, 0);
    return s.shards;
}

void portal_words_close(struct portal_words *w)
{
    if (w == NULL)
        return;
    if (w->tokenizer != NULL)
        w->fts5.xDelete(w->tokenizer);
    odp_map_release(&w->cut);
    odp_map_release(&w->numbers);
    (void)sqlite3_close(w->db);
}
