/* See words.h. Memory is a block that fills up; the lists of terms grow in it as chains of chunks, as the bytes that a leaf will have. Only the size before a list is known later
 * than the place where it stands. */
#include "write/index/words_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"

enum {
    AT_ONCE = 24 << 20,
    AT_LEAST = 128 << 10,
    CHUNK_FIRST = 28,    /* bytes: two rows that have the word once */
    CHUNK_MAX = 504,
    POSITION_MAX = 18,   /* bytes of a row, its size, a column and a position */
    RESERVE = 4096,      /* what a token may take, but for the bytes of a new term: for three terms a chunk that is full, and one that is parted */
    MEMOS = 8192,
    MEMO_TEXT = 256,     /* longer texts are not remembered */
    BYTES_A_BUCKET = 192 /* of memory, for one place in the table of terms */
};

/* ---- numbers ---------------------------------------------------------------------------------------------------------------- */

size_t words_get_long(const unsigned char *p, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t k = 0; k < WORDS_VARINT - 1; k++) {
        v = v << 7 | (p[k] & 0x7f);
        if (p[k] < 0x80) {
            *out = v;
            return k + 1;
        }
    }
    *out = v << 8 | p[WORDS_VARINT - 1];
    return WORDS_VARINT;
}

void words_add_number(struct odp_buffer *out, uint64_t v)
{
    unsigned char bytes[WORDS_VARINT];
    odp_buffer_add(out, bytes, odp_varint_put(bytes, v));
}

/* ---- memory ----------------------------------------------------------------------------------------------------------------- */

static uint32_t room(const struct words *w)
{
    return w->size - w->used;
}

/* There is room: asked for before. */
static uint32_t take(struct words *w, size_t n)
{
    uint32_t at = w->used;
    w->used += (uint32_t)(n + 7) & ~7u;
    return at;
}

void words_empty(struct words *w)
{
    memset(w->table, 0, ((size_t)w->mask + 1) * sizeof *w->table);
    w->used = 8; /* 0 is nothing */
    w->nentries = 0;
    w->memo_bytes = 0;
    w->generation++;
}

static enum odp_status allocate(struct words *w)
{
    size_t size = w->job.at_once != 0 ? w->job.at_once : AT_ONCE, buckets = 256;
    size = size < AT_LEAST ? AT_LEAST : size > INT32_MAX ? INT32_MAX : size;
    while (buckets < size / BYTES_A_BUCKET)
        buckets *= 2;
    w->size = (uint32_t)size & ~7u;
    w->mask = (uint32_t)buckets - 1;
    w->remember = (uint32_t)(size / (64 * RESERVE)); /* so that emptying memory for one text is rare */
    w->remember = w->remember > WORDS_REMEMBERED ? WORDS_REMEMBERED : w->remember;
    w->bytes = odp_realloc_array(NULL, w->size, 1);
    w->table = odp_realloc_array(NULL, buckets, sizeof *w->table);
    w->memos = calloc(MEMOS, sizeof *w->memos);
    w->sizes = calloc((size_t)w->job.ncolumns + 1, sizeof *w->sizes);
    w->totals = calloc((size_t)w->job.ncolumns + 1, sizeof *w->totals);
    if (w->bytes == NULL || w->table == NULL || w->memos == NULL || w->sizes == NULL || w->totals == NULL)
        return odp_failure_set("write query index: words", w->job.path, ENOMEM);
    words_empty(w);
    return tree_new(&w->doc_sizes, w->job.pages, false);
}

enum odp_status words_new(struct words **out, const struct words_job *job)
{
    *out = NULL;
    struct words *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("write query index: words", job->path, ENOMEM);
    w->job = *job;
    w->at = job->at;
    w->row = WORDS_NO_ROW;
    odp_buffer_init(&w->text);
    tree_row_init(&w->record);
    if (allocate(w) != ODP_OK) {
        words_free(w);
        return ODP_FAIL;
    }
    *out = w;
    return ODP_OK;
}

void words_free(struct words *w)
{
    if (w == NULL)
        return;
    free(w->bytes);
    free(w->table);
    free(w->memos);
    free(w->sizes);
    free(w->totals);
    free(w->runs);
    tree_free(w->doc_sizes);
    tree_row_release(&w->record);
    odp_buffer_release(&w->text);
    words_tokenizer_free(w->tokenizer);
    free(w);
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------ */

/* The last chunk is full, or nearly. */
static __attribute__((noinline)) void add_chunk(struct words *w, struct words_entry *e)
{
    uint32_t size = CHUNK_FIRST;
    if (e->last != 0) {
        struct words_chunk *full = words_chunk_at(w, e->last);
        uint32_t start = e->last + (uint32_t)sizeof *full;
        full->n = e->at - start;
        size = 2 * (e->end - start);
        size = size < CHUNK_FIRST ? CHUNK_FIRST : size > CHUNK_MAX ? CHUNK_MAX : size;
    }
    uint32_t at = take(w, sizeof(struct words_chunk) + size);
    struct words_chunk *c = words_chunk_at(w, at);
    c->next = c->n = 0;
    if (e->last != 0)
        words_chunk_at(w, e->last)->next = at;
    else
        e->first = at;
    e->before += e->at - e->from; /* of a closed list: not looked at any more */
    e->last = at;
    e->at = e->from = at + (uint32_t)sizeof *c;
    e->end = e->at + size;
}

/* The open list's size takes more than a byte: the chunk is parted there, the size and what follows it get a chunk of their own. */
static __attribute__((noinline)) void part_chunk(struct words *w, struct words_entry *e)
{
    uint32_t n = words_open_size(e);
    struct words_chunk *c = words_chunk_at(w, e->size_chunk);
    uint32_t start = e->size_chunk + (uint32_t)sizeof *c, end = e->size_chunk == e->last ? e->at : start + c->n, rest = end - (e->size + 1);
    uint32_t at = take(w, sizeof *c + WORDS_VARINT + rest);
    struct words_chunk *parted = words_chunk_at(w, at);
    parted->n = (uint32_t)odp_varint_put(parted->bytes, (uint64_t)n * 2);
    memcpy(parted->bytes + parted->n, w->bytes + e->size + 1, rest);
    parted->n += rest;
    parted->next = c->next;
    c->next = at;
    c->n = e->size - start;
    if (e->size_chunk == e->last) {
        e->last = at;
        e->at = e->from = e->end = at + (uint32_t)sizeof *parted + parted->n;
    }
}

/* The word stands at the text's place where we are. What is rare is kept out of it: this runs three times a token. */
static inline void add_position(struct words *w, struct words_entry *e)
{
    bool begins = e->row != w->row;
    if (begins && e->row != WORDS_NO_ROW) {
        uint32_t n = words_open_size(e);
        if (n < 64)
            w->bytes[e->size] = (unsigned char)(n * 2);
        else
            part_chunk(w, e);
    }
    if (e->end - e->at < POSITION_MAX)
        add_chunk(w, e);
    unsigned char *p = w->bytes + e->at;
    if (begins) {
        p += odp_varint_put(p, e->row == WORDS_NO_ROW ? (uint64_t)w->row : (uint64_t)(w->row - e->row));
        e->row = w->row;
        e->size = (uint32_t)(p - w->bytes);
        e->size_chunk = e->last;
        *p++ = 0;
        e->from = e->size + 1;
        e->before = e->column = e->position = 0;
    }
    if (e->column != w->column) {
        *p++ = 1;
        p += odp_varint_put(p, w->column);
        e->column = w->column;
        e->position = 0;
    }
    p += odp_varint_put(p, w->position - e->position + 2);
    e->position = w->position;
    e->at = (uint32_t)(p - w->bytes);
}

static void add_token(struct words *w, uint32_t at)
{
    struct words_entry *e = words_entry_at(w, at);
    add_position(w, e);
    for (int k = 0; k < WORDS_PREFIXES && e->prefix[k] != 0; k++)
        add_position(w, words_entry_at(w, e->prefix[k]));
    w->position++;
}

/* ---- terms ------------------------------------------------------------------------------------------------------------------ */

/* The term INDEX and TOKEN, made where there is none. */
static uint32_t find(struct words *w, char index, const unsigned char *token, size_t n, uint32_t hash, bool *made)
{
    hash = words_hash_byte(hash, (unsigned char)index);
    uint32_t *bucket = &w->table[(hash ^ hash >> 16) & w->mask];
    for (uint32_t at = *bucket; at != 0; at = words_entry_at(w, at)->next) {
        const struct words_entry *e = words_entry_at(w, at);
        if (e->hash == hash && e->n == n + 1 && e->term[0] == (unsigned char)index && memcmp(e->term + 1, token, n) == 0)
            return at;
    }
    uint32_t at = take(w, sizeof(struct words_entry) + n + 1);
    struct words_entry *e = words_entry_at(w, at);
    *e = (struct words_entry){.row = WORDS_NO_ROW, .next = *bucket, .hash = hash, .n = (uint32_t)n + 1};
    e->term[0] = (unsigned char)index;
    memcpy(e->term + 1, token, n);
    *bucket = at;
    *made = true;
    w->nentries++;
    return at;
}

/* Bytes of the first N characters; 0: there are fewer. */
static size_t beginning(const unsigned char *token, size_t len, int n)
{
    size_t at = 0;
    for (; n > 0; n--) {
        if (at == len)
            return 0;
        if (token[at++] >= 0xc0)
            while (at < len && (token[at] & 0xc0) == 0x80)
                at++;
    }
    return at;
}

static uint32_t find_word(struct words *w, const unsigned char *token, size_t n, uint32_t hash)
{
    bool made = false, ignored;
    uint32_t at = find(w, '0', token, n, hash, &made);
    for (int k = 0; k < WORDS_PREFIXES && made; k++) {
        size_t part = beginning(token, n, 2 + k);
        if (part == 0)
            break;
        uint32_t part_hash = WORDS_HASH;
        for (size_t i = 0; i < part; i++)
            part_hash = words_hash_byte(part_hash, token[i]);
        uint32_t prefix = find(w, (char)('1' + k), token, part, part_hash, &ignored);
        words_entry_at(w, at)->prefix[k] = prefix;
    }
    return at;
}

enum odp_status words_token(struct words *w, const unsigned char *token, size_t n, uint32_t hash)
{
    if (n > WORDS_TOKEN_MAX) {
        n = WORDS_TOKEN_MAX;
        hash = WORDS_HASH;
        for (size_t i = 0; i < n; i++)
            hash = words_hash_byte(hash, token[i]);
    }
    if (room(w) < RESERVE + n && words_spill(w) != ODP_OK)
        return ODP_FAIL;
    uint32_t at = find_word(w, token, n, hash);
    if (w->ntokens < w->remember)
        w->tokens[w->ntokens] = at;
    w->ntokens++;
    add_token(w, at);
    return ODP_OK;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------------ */

/* Of the bytes of TEXT; *ASCII. */
static uint64_t hash_text(struct odp_slice text, bool *ascii)
{
    uint64_t h = text.len * 0x9e3779b97f4a7c15u, all = 0, part;
    size_t i = 0;
    for (; i + sizeof part <= text.len; i += sizeof part) {
        memcpy(&part, text.ptr + i, sizeof part);
        all |= part;
        h = (h ^ part) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    part = 0;
    if (i < text.len)
        memcpy(&part, text.ptr + i, text.len - i);
    *ascii = ((all | part) & 0x8080808080808080u) == 0;
    h = (h ^ part) * 0xff51afd7ed558ccdu;
    return h ^ h >> 29;
}

static bool is_memo_of(const struct words *w, const struct words_memo *m, uint64_t hash, struct odp_slice text)
{
    return m->hash == hash && m->generation == w->generation && m->text != 0 && m->n == text.len && memcmp(w->bytes + m->text, text.ptr, text.len) == 0;
}

/* A text that came a second time; w->tokens are its. */
static void remember(struct words *w, struct words_memo *m, struct odp_slice text)
{
    size_t bytes = w->ntokens * sizeof *w->tokens;
    if (w->ntokens > w->remember || text.len > MEMO_TEXT || w->memo_bytes > w->size / 8 || room(w) < RESERVE + text.len + bytes)
        return;
    m->text = take(w, text.len);
    m->n = (uint32_t)text.len;
    memcpy(w->bytes + m->text, text.ptr, text.len);
    m->tokens = take(w, bytes);
    m->ntokens = w->ntokens;
    memcpy(w->bytes + m->tokens, w->tokens, bytes);
    w->memo_bytes += (uint32_t)(text.len + bytes);
}

enum odp_status words_text(struct words *w, uint32_t column, struct odp_slice text)
{
    bool ascii;
    if (text.len == 0)
        return ODP_OK;
    uint64_t hash = hash_text(text, &ascii);
    struct words_memo *m = &w->memos[hash % MEMOS];
    w->column = column;
    w->position = w->ntokens = 0;
    if (is_memo_of(w, m, hash, text)) {
        if (room(w) < (m->ntokens + 1) * RESERVE) {
            if (words_spill(w) != ODP_OK)
                return ODP_FAIL;
        } else {
            for (uint32_t k = 0; k < m->ntokens; k++) {
                uint32_t at;
                memcpy(&at, w->bytes + m->tokens + k * sizeof at, sizeof at);
                add_token(w, at);
            }
            w->sizes[column] += w->position;
            return ODP_OK;
        }
    }
    uint32_t generation = w->generation;
    bool again = m->hash == hash && m->generation == generation;
    if (words_tokens(w, text, ascii) != ODP_OK)
        return ODP_FAIL;
    w->sizes[column] += w->position;
    if (generation != w->generation)
        return ODP_OK;
    if (again)
        remember(w, m, text);
    else
        *m = (struct words_memo){.hash = hash, .generation = generation};
    return ODP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------- */

void words_row(struct words *w, int64_t rowid)
{
    w->row = rowid;
    memset(w->sizes, 0, w->job.ncolumns * sizeof *w->sizes);
}

enum odp_status words_row_end(struct words *w)
{
    odp_buffer_clear(&w->text);
    for (uint32_t k = 0; k < w->job.ncolumns; k++) {
        words_add_number(&w->text, w->sizes[k]);
        w->totals[k] += w->sizes[k];
    }
    w->rows++;
    tree_row_begin(&w->record);
    tree_row_null(&w->record);
    tree_row_blob(&w->record, odp_buffer_slice(&w->text));
    return odp_buffer_status(&w->text) == ODP_OK ? tree_add_row(w->doc_sizes, w->row, tree_row_end(&w->record)) : ODP_FAIL;
}

/* ---- end -------------------------------------------------------------------------------------------------------------------- */

static enum odp_status write_config(struct words *w, uint32_t *root)
{
    struct tree *t = NULL;
    tree_row_begin(&w->record);
    tree_row_text(&w->record, ODP_LIT("version"));
    tree_row_int(&w->record, WORDS_VERSION);
    enum odp_status status = tree_new(&t, w->job.pages, true);
    if (status == ODP_OK)
        status = tree_add_key(t, tree_row_end(&w->record));
    if (status == ODP_OK)
        status = tree_end(t, root);
    tree_free(t);
    return status;
}

enum odp_status words_end(struct words *w, struct words_made *out)
{
    struct words_segment *s = NULL;
    *out = (struct words_made){0};
    odp_buffer_init(&out->averages);
    odp_buffer_init(&out->structure);
    enum odp_status status = words_segment_new(&s, &w->job);
    if (status == ODP_OK)
        status = words_merge(w, s);
    if (status == ODP_OK)
        status = words_segment_end(s, out);
    words_segment_free(s);
    if (status == ODP_OK)
        status = tree_end(w->doc_sizes, &out->sizes);
    if (status == ODP_OK)
        status = write_config(w, &out->config);
    words_add_number(&out->averages, w->rows);
    for (uint32_t k = 0; k < w->job.ncolumns; k++)
        words_add_number(&out->averages, w->totals[k]);
    return status == ODP_OK ? odp_buffer_status(&out->averages) : status;
}
