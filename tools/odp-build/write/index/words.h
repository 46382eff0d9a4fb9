/* Inside of write/index: the full-text table `words`, written as FTS5 would leave it after 'optimize', without FTS5.
 *
 * FTS5 looks up each token three times (the word, and its beginnings of two and three characters), and merges what it has gathered by reading tables. What we write is all
 * there is, comes by ascending rowid, and is written once: so a token is looked up once (or its whole text, where that came before), and what memory does not hold is
 * kept as sorted runs whose rowids follow each other. The tables are those of
 *
 *   fts5(content='', <columns>, tokenize="unicode61 remove_diacritics 2", prefix='2 3')
 *
 *   words.c          rows and their texts taken in, the tables written
 *   words_text.c     texts to tokens
 *   words_gather.c   terms, each with its list of rows and positions
 *   words_run.c      what was gathered, in order of terms, to the scratch file and back; merging
 *   words_segment.c  the leaves: words_data, words_idx
 *   words_number.c   numbers
 *
 * Texts are UTF-8. A failure of the machine is told by odp_failure_set; after one only words_free may be called. */
#ifndef ODP_WRITE_INDEX_WORDS_H
#define ODP_WRITE_INDEX_WORDS_H

#include "write/index/tree.h"

#define WORDS_OPTIONS "tokenize=\"unicode61 remove_diacritics 2\", prefix='2 3'"

enum { WORDS_VERSION = 4 }; /* of FTS5's format, in words_config */

struct words;
/* All borrowed, until words_free. */
struct words_job {
    const char *path;         /* for messages */
    struct tree_pages *pages; /* where the tables go */
    uint32_t ncolumns;
    int fd;           /* a scratch file, free from AT on */
    uint64_t at;
    size_t at_once;   /* bytes that are gathered in memory; 0: 24 MiB */
    uint32_t page;    /* bytes of a leaf, about; 0: FTS5's default */
};

struct words_made {
    uint32_t data, index, sizes, config; /* roots of words_data, words_idx, words_docsize, words_config */
    uint64_t leaves, separators;         /* rows of words_data so far, and of words_idx */
    /* Two rows of words_data that come before all others, known last: 1, how much there is; 10, where the leaves are. */
    struct odp_buffer averages, structure;
};

enum odp_status words_new(struct words **out, const struct words_job *job) ODP_MUST_USE;
void words_free(struct words *w); /* NULL is allowed */
/* The row ROWID, larger than the one before; then its texts by ascending column, those without one left out; then its end. */
void words_row(struct words *w, int64_t rowid);
enum odp_status words_text(struct words *w, uint32_t column, struct odp_slice text) ODP_MUST_USE;
enum odp_status words_row_end(struct words *w) ODP_MUST_USE;
/* Writes the tables. The buffers of *OUT are initialised in every case; their owner is the caller. */
enum odp_status words_end(struct words *w, struct words_made *out) ODP_MUST_USE;

#endif
