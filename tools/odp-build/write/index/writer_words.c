/* The table words: which columns it has is known when all values were seen. Until then the texts of all columns that may be in it are put aside in a file without a name beside the index,
 * where later also goes what the gathering of words (words.h) does not hold in memory. In that file a row is a step from the one before, and for each of these columns 0 (null), or one more
 * than its bytes, and these; numbers are varints.
 *
 * It has the columns of type string or any whose values are not only codes (a code: digits in it, no white space), and all whose codes have labels; e-mail and
 * addresses too, but no identifiers (uuid), binary texts or documents. A label stands behind its code in both languages. Where no column has words, there is no
 * such table. When the file is whole FTS5 is asked a question. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scratch.h"
#include "write/index/index_internal.h"
#include "write/index/words_internal.h"

enum { BUFFER = 64 << 10, NUMBER_SIZE = 40 };

struct writer_words {
    const char *path; /* of the file, for messages */
    int fd;
    uint64_t at; /* its end */
    uint32_t *columns, n;
    int64_t row; /* the last one */
    struct odp_buffer bytes;

    /* while they are read back */
    uint64_t from;
    size_t used;
    struct odp_slice **meanings; /* by column and label; ptr NULL: not made yet */
    struct words *words;
    struct words_made made;
    bool any; /* there is the table */
};

/* ---- putting aside ------------------------------------------------------------------------------------------------------------ */

static bool may_have(const struct writer_column *c)
{
    return c->words || c->nlabels > 0;
}

enum odp_status writer_words_new(struct odp_search_writer *w)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        n += may_have(&w->columns[k]);
    if (n == 0)
        return ODP_OK;
    struct writer_words *t = w->words = odp_arena_zero(&w->arena, 1, sizeof *t);
    if (t == NULL)
        return ODP_FAIL;
    t->fd = -1;
    odp_buffer_init(&t->bytes);
    odp_buffer_init(&t->made.averages);
    odp_buffer_init(&t->made.structure);
    t->columns = odp_arena_array(&w->arena, n, sizeof *t->columns);
    t->path = odp_arena_printf(&w->arena, "%s-words", w->job.path);
    if (t->columns == NULL || t->path == NULL)
        return ODP_FAIL;
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        if (may_have(&w->columns[k]))
            t->columns[t->n++] = k;
    do
        t->fd = open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (t->fd < 0 && errno == EINTR);
    return t->fd < 0 || unlink(t->path) != 0 ? odp_failure_set("create", t->path, errno) : ODP_OK;
}

void writer_words_free(struct odp_search_writer *w)
{
    struct writer_words *t = w->words;
    if (t == NULL)
        return;
    if (t->fd >= 0)
        (void)close(t->fd);
    words_free(t->words);
    odp_buffer_release(&t->bytes);
    odp_buffer_release(&t->made.averages);
    odp_buffer_release(&t->made.structure);
    w->words = NULL;
}

/* V of a column of TYPE as SQLite would read it as a text: there a decimal stays one, whole or not. BUF: NUMBER_SIZE bytes. */
static struct odp_slice text_of(enum odp_type type, const struct writer_value *v, char *buf)
{
    if (type == ODP_TYPE_NUMBER && (v->tag == WRITER_INT || v->tag == WRITER_REAL))
        return odp_slice_of(sqlite3_snprintf(NUMBER_SIZE, buf, "%!.15g", v->tag == WRITER_INT ? (double)v->i : v->r));
    switch (v->tag) {
    case WRITER_NULL:
        return (struct odp_slice){NULL, 0};
    case WRITER_INT:
        return (struct odp_slice){buf, (size_t)snprintf(buf, NUMBER_SIZE, "%lld", (long long)v->i)};
    case WRITER_REAL:
        return odp_slice_of(sqlite3_snprintf(NUMBER_SIZE, buf, "%!.15g", v->r));
    default:
        return v->text.ptr != NULL ? v->text : ODP_LIT("");
    }
}

static enum odp_status flush(struct writer_words *t)
{
    enum odp_status status = odp_buffer_status(&t->bytes);
    if (status == ODP_OK)
        status = odp_scratch_write(t->fd, t->bytes.ptr, t->bytes.len, t->at, t->path);
    t->at += t->bytes.len;
    odp_buffer_clear(&t->bytes);
    return status;
}

enum odp_status writer_words_add(struct odp_search_writer *w)
{
    struct writer_words *t = w->words;
    if (t == NULL)
        return ODP_OK;
    words_add_number(&t->bytes, (uint64_t)(w->record.id - t->row));
    t->row = w->record.id;
    for (uint32_t i = 0; i < t->n; i++) {
        char buf[NUMBER_SIZE];
        uint32_t k = t->columns[i];
        struct odp_slice text = text_of(w->info.columns[k].type, &w->record.values[k], buf);
        words_add_number(&t->bytes, text.ptr != NULL ? (uint64_t)text.len + 1 : 0);
        odp_buffer_add_slice(&t->bytes, text);
    }
    return t->bytes.len >= BUFFER || t->bytes.failed ? flush(t) : ODP_OK;
}

/* ---- reading back --------------------------------------------------------------------------------------------------------------- */

/* N bytes in one piece from t->used on, or all that are left. Behind them a number can be read. */
static enum odp_status view(struct writer_words *t, size_t n)
{
    size_t left = t->bytes.len - t->used;
    if (left >= n || t->from == t->at)
        return ODP_OK;
    memmove(t->bytes.ptr, t->bytes.ptr + t->used, left);
    t->bytes.len = left;
    t->used = 0;
    size_t more = n - left > BUFFER ? n - left : BUFFER;
    more = t->at - t->from < more ? (size_t)(t->at - t->from) : more;
    char *to = odp_buffer_reserve(&t->bytes, more + WORDS_VARINT);
    if (to == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_scratch_read(t->fd, to, more, t->from, t->path);
    memset(to + more, 0, WORDS_VARINT);
    t->bytes.len += more;
    t->from += more;
    return status;
}

static enum odp_status take_number(struct writer_words *t, uint64_t *out)
{
    if (view(t, WORDS_VARINT) != ODP_OK)
        return ODP_FAIL;
    t->used += words_get((const unsigned char *)t->bytes.ptr + t->used, out);
    return t->used <= t->bytes.len ? ODP_OK : odp_failure_set("read query index: texts", t->path, 0);
}

/* A text of N bytes, borrowed until the next one. */
static enum odp_status take_text(struct writer_words *t, size_t n, struct odp_slice *out)
{
    if (view(t, n) != ODP_OK)
        return ODP_FAIL;
    if (t->bytes.len - t->used < n)
        return odp_failure_set("read query index: texts", t->path, 0);
    *out = (struct odp_slice){t->bytes.ptr + t->used, n};
    t->used += n;
    return ODP_OK;
}

/* ---- words ---------------------------------------------------------------------------------------------------------------------- */

/* Columns with words, and columns whose codes have labels. */
static uint32_t choose(struct odp_search_writer *w)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->info.ncolumns; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].text = (c->words && c->word_seen) || (c->nlabels > 0 && c->value_seen);
        n += w->info.columns[k].text;
    }
    return n;
}

/* A code, and what it means in both languages. */
static void add_meaning(struct odp_buffer *out, struct odp_slice code, const struct writer_label *label)
{
    const char *id = label->text.in[ODP_LANG_ID], *en = label->text.in[ODP_LANG_EN];
    odp_buffer_add_slice(out, code);
    if (*id != '\0') {
        odp_buffer_add_char(out, '\n');
        odp_buffer_add_str(out, id);
    }
    if (*en != '\0' && strcmp(id, en) != 0) {
        odp_buffer_add_char(out, '\n');
        odp_buffer_add_str(out, en);
    }
}

/* TEXT becomes what is searched for it in column K: where it is a code with a label, its meaning, which is put together once. */
static enum odp_status explain(struct odp_search_writer *w, uint32_t k, struct odp_slice *text)
{
    const struct writer_column *c = &w->columns[k];
    const struct writer_label *label = writer_label_of(c, *text);
    if (label == NULL)
        return ODP_OK;
    struct odp_slice *meaning = &w->words->meanings[k][label - c->labels];
    if (meaning->ptr == NULL) {
        odp_buffer_clear(&w->text);
        add_meaning(&w->text, *text, label);
        if (odp_buffer_status(&w->text) != ODP_OK)
            return ODP_FAIL;
        *meaning = odp_arena_copy(&w->arena, odp_buffer_slice(&w->text));
        if (meaning->ptr == NULL)
            return ODP_FAIL;
    }
    *text = *meaning;
    return ODP_OK;
}

/* The next row of what was put aside. */
static enum odp_status gather_row(struct odp_search_writer *w)
{
    struct writer_words *t = w->words;
    uint64_t step, n;
    if (take_number(t, &step) != ODP_OK)
        return ODP_FAIL;
    t->row += (int64_t)step;
    words_row(t->words, t->row);
    for (uint32_t i = 0, column = 0; i < t->n; i++) {
        struct odp_slice text = {NULL, 0};
        if (take_number(t, &n) != ODP_OK || (n > 1 && take_text(t, (size_t)n - 1, &text) != ODP_OK))
            return ODP_FAIL;
        uint32_t k = t->columns[i];
        if (!w->info.columns[k].text)
            continue;
        if (n > 0 && (explain(w, k, &text) != ODP_OK || words_text(t->words, column, text) != ODP_OK))
            return ODP_FAIL;
        column++;
    }
    return words_row_end(t->words);
}

static enum odp_status make_meanings(struct odp_search_writer *w)
{
    w->words->meanings = odp_arena_zero(&w->arena, w->info.ncolumns, sizeof *w->words->meanings);
    for (uint32_t k = 0; k < w->info.ncolumns && w->words->meanings != NULL; k++) {
        uint32_t n = w->columns[k].nlabels;
        if (n > 0 && (w->words->meanings[k] = odp_arena_zero(&w->arena, n, sizeof *w->words->meanings[k])) == NULL)
            return ODP_FAIL;
    }
    return w->words->meanings != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status writer_words_write(struct odp_search_writer *w)
{
    struct writer_words *t = w->words;
    uint32_t n = choose(w);
    if (n == 0)
        return ODP_OK;
    struct words_job job = {.path = w->job.path, .pages = w->pages, .ncolumns = n, .fd = t->fd, .at_once = w->job.sorted_at_once};
    if (flush(t) != ODP_OK || make_meanings(w) != ODP_OK)
        return ODP_FAIL;
    writer_start(); /* words.h may ask for FTS5's tokenizer */
    job.at = t->at;
    t->row = 0;
    enum odp_status status = words_new(&t->words, &job);
    for (uint64_t i = 0; i < w->info.rows && status == ODP_OK; i++)
        status = gather_row(w);
    odp_buffer_release(&t->bytes);
    if (status == ODP_OK)
        status = words_end(t->words, &t->made);
    words_free(t->words);
    t->words = NULL;
    t->any = status == ODP_OK;
    return status;
}

/* ---- what SQLite has to know ------------------------------------------------------------------------------------------------------ */

static bool any(const struct odp_search_writer *w)
{
    return w->words != NULL && w->words->any;
}

static enum odp_status put_table(struct odp_search_writer *w, const char *name, const char *columns, uint32_t root)
{
    odp_buffer_printf(&w->text, "CREATE TABLE '%s'(%s", name, columns); /* as FTS5 puts it */
    return writer_put_schema(w, "table", name, name, root);
}

enum odp_status writer_words_schema(struct odp_search_writer *w)
{
    if (!any(w))
        return ODP_OK;
    const struct words_made *m = &w->words->made;
    odp_buffer_clear(&w->text);
    odp_buffer_add_str(&w->text, "CREATE VIRTUAL TABLE words USING fts5(content=''");
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        if (w->info.columns[k].text)
            odp_buffer_printf(&w->text, ", c%u", k);
    odp_buffer_add_str(&w->text, ", " WORDS_OPTIONS ")");
    enum odp_status status = writer_put_schema(w, "table", "words", "words", 0);
    if (status == ODP_OK)
        status = put_table(w, "words_data", "id INTEGER PRIMARY KEY, block BLOB)", m->data);
    if (status == ODP_OK)
        status = put_table(w, "words_idx", "segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID", m->index);
    if (status == ODP_OK)
        status = put_table(w, "words_docsize", "id INTEGER PRIMARY KEY, sz BLOB)", m->sizes);
    return status == ODP_OK ? put_table(w, "words_config", "k PRIMARY KEY, v) WITHOUT ROWID", m->config) : status;
}

static enum odp_status put_block(struct odp_search_writer *w, int id, struct odp_slice block)
{
    sqlite3_stmt *s;
    enum odp_status status = writer_prepare(w, "INSERT INTO words_data VALUES(?, ?)", &s);
    if (status == ODP_OK)
        status = writer_check(w, sqlite3_bind_int(s, 1, id));
    if (status == ODP_OK)
        status = writer_check(w, sqlite3_bind_blob64(s, 2, block.ptr, block.len, SQLITE_STATIC));
    if (status == ODP_OK)
        status = writer_step(w, s);
    (void)sqlite3_finalize(s);
    return status;
}

/* The two rows that stand before the leaves; then FTS5 is asked something, so that a library that does not know our tables is found here and not by who asks the index. */
enum odp_status writer_words_end(struct odp_search_writer *w)
{
    if (!any(w))
        return w->status;
    enum odp_status status = put_block(w, 1, odp_buffer_slice(&w->words->made.averages));
    if (status == ODP_OK)
        status = put_block(w, 10, odp_buffer_slice(&w->words->made.structure));
    return status == ODP_OK ? writer_exec(w, "SELECT rowid FROM words WHERE words MATCH 'a' LIMIT 1") : status;
}

enum odp_status writer_words_statistics(struct odp_search_writer *w)
{
    if (!any(w))
        return w->status;
    const struct words_made *m = &w->words->made;
    unsigned long long leaves = m->leaves + 2, rows = w->info.rows, separators = m->separators;
    odp_buffer_clear(&w->text);
    odp_buffer_printf(&w->text, "%llu", leaves);
    enum odp_status status = writer_put_statistics(w, "words_data", NULL);
    odp_buffer_clear(&w->text);
    odp_buffer_printf(&w->text, "%llu", rows);
    if (status == ODP_OK)
        status = writer_put_statistics(w, "words_docsize", NULL);
    odp_buffer_clear(&w->text);
    odp_buffer_printf(&w->text, "1 1");
    if (status == ODP_OK)
        status = writer_put_statistics(w, "words_config", "words_config");
    odp_buffer_clear(&w->text);
    odp_buffer_printf(&w->text, "%llu %llu 1", separators, separators);
    return status == ODP_OK && separators > 0 ? writer_put_statistics(w, "words_idx", "words_idx") : status;
}
