/* See words.h: rows and their texts taken in, the tables written at the end. A text that came twice is remembered with its tokens. */
#include "write/index/words_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"

enum {
    AT_ONCE = 24 << 20,
    AT_LEAST = 128 << 10,
    MEMOS = 8192,
    MEMO_TEXT = 256,     /* longer texts are not remembered */
    BYTES_A_BUCKET = 192 /* of memory, for one place in the table of terms */
};

/* ---- memory ----------------------------------------------------------------------------------------------------------------- */

static enum odp_status allocate(struct words *w)
{
    size_t size = w->job.at_once != 0 ? w->job.at_once : AT_ONCE, buckets = 256;
    size = size < AT_LEAST ? AT_LEAST : size > INT32_MAX ? INT32_MAX : size;
    while (buckets < size / BYTES_A_BUCKET)
        buckets *= 2;
    w->size = (uint32_t)size & ~7u;
    w->mask = (uint32_t)buckets - 1;
    w->remember = (uint32_t)(size / (64 * WORDS_RESERVE)); /* so that emptying memory for one text is rare */
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
    if (w->ntokens > w->remember || text.len > MEMO_TEXT || w->memo_bytes > w->size / 8 || words_room(w) < WORDS_RESERVE + text.len + bytes)
        return;
    m->text = words_take(w, text.len);
    m->n = (uint32_t)text.len;
    memcpy(w->bytes + m->text, text.ptr, text.len);
    m->tokens = words_take(w, bytes);
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
        if (words_room(w) < (m->ntokens + 1) * WORDS_RESERVE) {
            if (words_spill(w) != ODP_OK)
                return ODP_FAIL;
        } else {
            words_tokens_again(w, m);
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
