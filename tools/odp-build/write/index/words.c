/* The table odp_words: FTS5 over the table of records.
 *
 * It has the columns of type string or any whose values are not only codes (a code: digits in it, no white
 * space), and all whose codes have labels; e-mail and addresses too, but no identifiers (uuid), binary
 * texts or documents. A label stands behind its code in both languages. Where no column has words, there
 * is no such table. */
#include "write/index/index_internal.h"

enum {
    HASH_BYTES = 32 << 20
}; /* of words that FTS5 gathers before it writes them; its segments are merged once, at the end */

/* What the words of a column are read from. */
struct words_column {
    uint32_t column;
    struct odp_slice *meanings; /* by label; ptr NULL: not made yet */
};

/* Columns with words, and columns whose codes have labels. */
static uint32_t choose(struct odp_search_writer *w, struct words_column *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->info.ncolumns; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].text = (c->words && c->word_seen) || (c->nlabels > 0 && c->value_seen);
        if (!w->info.columns[k].text)
            continue;
        out[n].column = k;
        out[n++].meanings = odp_arena_zero(&w->arena, (size_t)c->nlabels + 1, sizeof *out->meanings);
    }
    return n;
}

/* A code, and what it means in both languages. */
static struct odp_slice meaning_of(struct odp_search_writer *w, const struct writer_label *label)
{
    const char *id = label->text.in[ODP_LANG_ID], *en = label->text.in[ODP_LANG_EN];
    odp_buffer_clear(&w->text);
    odp_buffer_add_slice(&w->text, label->code);
    if (*id != '\0')
        odp_buffer_printf(&w->text, "\n%s", id);
    if (*en != '\0' && strcmp(id, en) != 0)
        odp_buffer_printf(&w->text, "\n%s", en);
    struct odp_slice out = odp_arena_copy(&w->arena, odp_buffer_slice(&w->text));
    odp_buffer_clear(&w->text);
    return out;
}

/* What is searched for TEXT in column C: where it is a code with a label, its meaning, which is put
 * together once. */
static struct odp_slice explain(struct odp_search_writer *w, const struct words_column *c,
                                struct odp_slice text)
{
    const struct writer_column *column = &w->columns[c->column];
    const struct writer_label *label = writer_label_of(column, text);
    if (label == NULL)
        return text;
    struct odp_slice *meaning = &c->meanings[label - column->labels];
    if (meaning->ptr == NULL)
        *meaning = meaning_of(w, label);
    return *meaning;
}

static enum odp_status fill(struct odp_search_writer *w, const struct words_column *columns, uint32_t n,
                            sqlite3_stmt *from, sqlite3_stmt *to)
{
    int rc;
    while ((rc = sqlite3_step(from)) == SQLITE_ROW) {
        int bound = sqlite3_bind_int64(to, 1, sqlite3_column_int64(from, 0));
        for (uint32_t k = 0; k < n && bound == SQLITE_OK; k++) {
            const char *text = (const char *)sqlite3_column_text(from, (int)k + 1);
            struct odp_slice value = {text, (size_t)sqlite3_column_bytes(from, (int)k + 1)};
            bound = writer_bind_text(to, (int)k + 2, text != NULL ? explain(w, &columns[k], value) : value);
        }
        if (writer_step(w, to, bound) != ODP_OK)
            return ODP_FAIL;
    }
    return writer_check(w, rc);
}

static void add_columns(struct odp_search_writer *w, const struct words_column *columns, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        odp_buffer_printf(&w->text, ", %s", w->info.columns[columns[k].column].sql);
}

static enum odp_status make_table(struct odp_search_writer *w, const struct words_column *columns, uint32_t n)
{
    odp_buffer_printf(&w->text, "CREATE VIRTUAL TABLE odp_words USING fts5(content=%s, content_rowid='fid'",
                      w->info.names.table);
    add_columns(w, columns, n);
    odp_buffer_printf(&w->text,
                      ", tokenize=\"unicode61 remove_diacritics 2\", columnsize=0);"
                      "INSERT INTO odp_words(odp_words, rank) VALUES('automerge', 0), ('hashsize', %d)",
                      HASH_BYTES);
    return writer_exec_text(w);
}

enum odp_status writer_make_words(struct odp_search_writer *w)
{
    struct words_column *columns = odp_arena_array(&w->arena, (size_t)w->info.ncolumns + 1, sizeof *columns);
    sqlite3_stmt *from = NULL, *to = NULL;
    uint32_t n = choose(w, columns);
    if (n == 0)
        return w->status;
    enum odp_status status = make_table(w, columns, n);
    odp_buffer_add_str(&w->text, "SELECT fid");
    add_columns(w, columns, n);
    odp_buffer_printf(&w->text, " FROM %s ORDER BY fid", w->info.names.table);
    if (status == ODP_OK)
        status = writer_prepare_text(w, &from);
    odp_buffer_add_str(&w->text, "INSERT INTO odp_words(rowid");
    add_columns(w, columns, n);
    odp_buffer_add_str(&w->text, ") VALUES(?");
    for (uint32_t k = 0; k < n; k++)
        odp_buffer_add_str(&w->text, ", ?");
    odp_buffer_add_char(&w->text, ')');
    if (status == ODP_OK)
        status = writer_prepare_text(w, &to);
    if (status == ODP_OK)
        status = fill(w, columns, n, from, to);
    (void)sqlite3_finalize(from);
    (void)sqlite3_finalize(to);
    return status == ODP_OK ? writer_exec(w, "INSERT INTO odp_words(odp_words) VALUES('optimize')") : status;
}
