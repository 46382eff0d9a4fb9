/* Gathering: tokens become terms, each with its list of rows and positions. The lists grow in memory (words_internal.h) as
 * chains of chunks, as the bytes that a leaf will have. Only the size before a list is known later than the place where it
 * stands. */
#include "write/index/words_internal.h"

enum {
    CHUNK_FIRST = 28,    /* bytes: two rows that have the word once */
    CHUNK_MAX = 504,
    POSITION_MAX = 18    /* bytes of a row, its size, a column and a position */
};

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
    uint32_t at = words_take(w, sizeof(struct words_chunk) + size);
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
    uint32_t at = words_take(w, sizeof *c + WORDS_VARINT + rest);
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
    uint32_t at = words_take(w, sizeof(struct words_entry) + n + 1);
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
    if (words_room(w) < WORDS_RESERVE + n && words_spill(w) != ODP_OK)
        return ODP_FAIL;
    uint32_t at = find_word(w, token, n, hash);
    if (w->ntokens < w->remember)
        w->tokens[w->ntokens] = at;
    w->ntokens++;
    add_token(w, at);
    return ODP_OK;
}

void words_tokens_again(struct words *w, const struct words_memo *m)
{
    for (uint32_t k = 0; k < m->ntokens; k++) {
        uint32_t at;
        memcpy(&at, w->bytes + m->tokens + k * sizeof at, sizeof at);
        add_token(w, at);
    }
}
