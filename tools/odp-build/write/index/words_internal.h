/* Inside of write/index: what words*.c share. Everything gathered lies in one block of memory and is pointed to by its offset in it (0: nothing). */
#ifndef ODP_WRITE_INDEX_WORDS_INTERNAL_H
#define ODP_WRITE_INDEX_WORDS_INTERNAL_H

#include "write/index/tree_row.h"
#include "write/index/varint.h"
#include "write/index/words.h"

enum {
    WORDS_PREFIXES = 2,     /* of 2 and of 3 characters */
    WORDS_TOKEN_MAX = 32768, /* bytes; FTS5 cuts what is longer */
    WORDS_REMEMBERED = 32,  /* tokens of a text that is remembered */
    WORDS_RESERVE = 4096    /* what a token may take, but for the bytes of a new term: for three terms a chunk that is full, and one that is parted */
};
#define WORDS_NO_ROW INT64_MIN

/* ---- numbers (varint.h, words_number.c), read where it is known that they end ------------------------------------------------------------------- */

enum { WORDS_VARINT = 9 };
size_t words_get_long(const unsigned char *p, uint64_t *out);

/* Looks at no more bytes than the number has. */
static inline size_t words_get(const unsigned char *p, uint64_t *out)
{
    if (p[0] < 0x80) {
        *out = p[0];
        return 1;
    }
    if (p[1] < 0x80) {
        *out = (uint64_t)(p[0] & 0x7f) << 7 | p[1];
        return 2;
    }
    return words_get_long(p, out);
}

static inline size_t words_size(uint64_t v)
{
    size_t n = 1;
    while (n < WORDS_VARINT && (v >>= 7) != 0)
        n++;
    return n;
}

void words_add_number(struct odp_buffer *out, uint64_t v);

/* ---- what is gathered ------------------------------------------------------------------------------------------------------- */

/* A piece of a doclist (FTS5's: rows, each with the size of its list and the list), in a chain. */
struct words_chunk {
    uint32_t next, n;
    unsigned char bytes[];
};

/* A term: one character ('0' word, '1' and '2' beginnings) and a token. The list of the row that was seen last is open: its size is not known yet, and a byte is left for it. */
struct words_entry {
    int64_t row;
    uint32_t at, end;          /* where the next byte goes, and the end of its chunk */
    uint32_t first, last;      /* chunks */
    uint32_t size, size_chunk; /* where the open list's size is, and in which chunk */
    uint32_t from, before;     /* the open list has BEFORE bytes in other chunks, and in the last one those from FROM on */
    uint32_t column, position; /* the last one in it */
    uint32_t prefix[WORDS_PREFIXES];
    uint32_t next, hash; /* of the table of terms */
    uint32_t n;
    unsigned char term[];
};

/* A text that came twice: its tokens. */
struct words_memo {
    uint64_t hash;
    uint32_t generation;
    uint32_t text, n;          /* 0: seen once */
    uint32_t tokens, ntokens;  /* offsets of entries */
};

struct words_run {
    uint64_t at, end;
    int64_t row; /* it may go on in the next run */
};

struct words_tokenizer;

struct words {
    struct words_job job;
    unsigned char *bytes;
    uint32_t used, size;
    uint32_t *table, mask, nentries;
    uint32_t generation; /* how often memory was emptied, and one */

    struct words_memo *memos;
    uint32_t memo_bytes, remember; /* tokens at most */
    uint32_t tokens[WORDS_REMEMBERED];
    uint32_t ntokens; /* of the text */

    int64_t row;
    uint32_t column, position;
    uint32_t *sizes;  /* tokens of the row, by column */
    uint64_t *totals; /* of all rows */
    uint64_t rows;

    struct words_run *runs;
    size_t nruns;
    uint64_t at; /* the end of the scratch file */
    struct tree *doc_sizes;
    struct tree_row record;
    struct odp_buffer text; /* a token, folded; what else is put together */
    struct words_tokenizer *tokenizer; /* FTS5's, when it was needed */
};

static inline struct words_entry *words_entry_at(const struct words *w, uint32_t at)
{
    return (struct words_entry *)(void *)(w->bytes + at);
}

static inline struct words_chunk *words_chunk_at(const struct words *w, uint32_t at)
{
    return (struct words_chunk *)(void *)(w->bytes + at);
}

/* Bytes of the open list. */
static inline uint32_t words_open_size(const struct words_entry *e)
{
    return e->before + (e->at - e->from);
}

static inline uint32_t words_room(const struct words *w)
{
    return w->size - w->used;
}

/* There is room: asked for before. */
static inline uint32_t words_take(struct words *w, size_t n)
{
    uint32_t at = w->used;
    w->used += (uint32_t)(n + 7) & ~7u;
    return at;
}

/* words_gather.c: the next token of the text, N bytes; HASH of them by words_hash_byte. */
#define WORDS_HASH 2166136261u
static inline uint32_t words_hash_byte(uint32_t hash, unsigned char c)
{
    return (hash ^ c) * 16777619u;
}
enum odp_status words_token(struct words *w, const unsigned char *token, size_t n, uint32_t hash) ODP_MUST_USE;
/* The tokens of a text that is remembered; there is room for them. */
void words_tokens_again(struct words *w, const struct words_memo *m);

/* words_text.c: all tokens of TEXT, which is ASCII or not, to words_token. */
enum odp_status words_tokens(struct words *w, struct odp_slice text, bool ascii) ODP_MUST_USE;
void words_tokenizer_free(struct words_tokenizer *t);

/* words_run.c: what was gathered goes to the scratch file. */
enum odp_status words_spill(struct words *w) ODP_MUST_USE;
/* Forgets all that was gathered; it has been written. */
void words_empty(struct words *w);
struct words_segment;
/* All runs and what is in memory, term by term. */
enum odp_status words_merge(struct words *w, struct words_segment *to) ODP_MUST_USE;

/* words_segment.c */
enum odp_status words_segment_new(struct words_segment **out, const struct words_job *job) ODP_MUST_USE;
void words_segment_free(struct words_segment *s);
/* TERM, larger than the one before, and its first row with its list. */
enum odp_status words_segment_term(struct words_segment *s, struct odp_slice term, int64_t row, struct odp_slice list) ODP_MUST_USE;
enum odp_status words_segment_list(struct words_segment *s, int64_t row, struct odp_slice list) ODP_MUST_USE;
/* Rows (steps from the one before, *ROW), sizes and lists: copies those that are whole, fit in the page and are before STOP. Returns how many of the N bytes it took. Behind them
 * two numbers more can be read. */
size_t words_segment_lists(struct words_segment *s, const unsigned char *bytes, size_t n, int64_t stop, int64_t *row);
enum odp_status words_segment_end(struct words_segment *s, struct words_made *out) ODP_MUST_USE;

#endif
