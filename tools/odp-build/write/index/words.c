/* Meanings of a column's codes (odp_label), and the table odp_words: FTS5 over the table of records.
 *
 * odp_words has the columns of type string or any whose values are not only codes (a code: digits in it, no
 * white space), and all whose codes have labels; e-mail and addresses too, but no identifiers (uuid), binary
 * texts or documents, and no columns of other tables: who reads the published file finds the same records. A
 * code is followed by its label in both languages. Without a column of words this table is not made. */
#include <stdlib.h>

#include "base/map.h"
#include "write/index/index_internal.h"

/* ---- labels ---- */

static int by_code(const void *a, const void *b)
{
    const struct writer_label *x = a, *y = b;
    int c = odp_slice_cmp(x->code, y->code);
    if (c == 0)
        c = strcmp(x->text.in[ODP_LANG_ID], y->text.in[ODP_LANG_ID]);
    return c != 0 ? c : strcmp(x->text.in[ODP_LANG_EN], y->text.in[ODP_LANG_EN]);
}

void writer_set_labels(struct writer_column *c, struct writer_label *labels, uint32_t n)
{
    uint32_t kept = 0;
    qsort(labels, n, sizeof *labels, by_code);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || !odp_slice_eq(labels[kept - 1].code, labels[i].code))
            labels[kept++] = labels[i];
    c->labels = labels;
    c->nlabels = kept;
}

static const char *text_of(const struct odp_text *t, enum odp_lang lang)
{
    return t->in[lang] != NULL ? t->in[lang] : "";
}

void writer_add_label(struct writer_label *out, uint32_t *n, struct odp_slice code,
                      const struct odp_text *text)
{
    if (!odp_text_is_empty(text))
        out[(*n)++] = (struct writer_label){code, {{text_of(text, ODP_LANG_ID), text_of(text, ODP_LANG_EN)}}};
}

void writer_list_labels(struct odp_search_writer *w, struct writer_column *c,
                        const struct odp_code_list *list)
{
    size_t all;
    uint32_t n = 0;
    const struct odp_code_label *from = odp_code_lists_all(w->job.codes, list, &w->arena, &all);
    struct writer_label *labels = odp_arena_zero(&w->arena, all + 1, sizeof *labels);
    for (size_t i = 0; i < all; i++)
        writer_add_label(labels, &n, from[i].code, &from[i].text);
    writer_set_labels(c, labels, n);
}

static int bind_label(sqlite3_stmt *s, const char *name, const struct writer_label *l)
{
    int rc = writer_bind_text(s, 1, odp_slice_of(name));
    if (rc == SQLITE_OK)
        rc = writer_bind_text(s, 2, l->code);
    if (rc == SQLITE_OK)
        rc = writer_bind_text(s, 3, odp_slice_of(l->text.in[ODP_LANG_ID]));
    return rc == SQLITE_OK ? writer_bind_text(s, 4, odp_slice_of(l->text.in[ODP_LANG_EN])) : rc;
}

void writer_write_labels(struct odp_search_writer *w)
{
    sqlite3_stmt *s = writer_prepare(w, "INSERT INTO odp_label VALUES(NULL, ?, ?, ?, ?)");
    for (uint32_t k = 0; k < w->info.ncolumns; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].labels = c->nlabels > 0;
        for (uint32_t i = 0; i < c->nlabels && s != NULL; i++)
            writer_step(w, s, bind_label(s, w->info.columns[k].name, &c->labels[i]));
    }
    (void)sqlite3_finalize(s);
}

/* ---- words ---- */

enum {
    HASH_BYTES = 256 << 20
}; /* of words that FTS5 gathers before it writes them: those of 1,900,000 x 8 texts, which need no merging.
    * Segments of more are merged once, at the end. */

/* Source of a column's words. */
struct words_column {
    struct odp_search_writer *writer;
    uint32_t column;
    struct odp_map codes;       /* numbers of labels */
    struct odp_slice *meanings; /* by label; ptr NULL: not made yet */
};

/* Columns with words, and columns whose codes have labels. */
static uint32_t choose(struct odp_search_writer *w, struct words_column *out)
{
    uint32_t n = 0;
    bool fresh;
    for (uint32_t k = 0; k < w->info.ncolumns; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].text = c->taken == NULL && c->value_seen && (c->word_seen || c->nlabels > 0);
        if (!w->info.columns[k].text)
            continue;
        out[n] = (struct words_column){.writer = w, .column = k};
        odp_map_init(&out[n].codes);
        for (uint32_t i = 0; i < c->nlabels; i++)
            (void)odp_map_put(&out[n].codes, c->labels[i].code, &fresh);
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
    if (*id != '\0' && !odp_slice_is(label->code, id))
        odp_buffer_printf(&w->text, "\n%s", id);
    if (*en != '\0' && strcmp(id, en) != 0 && !odp_slice_is(label->code, en))
        odp_buffer_printf(&w->text, "\n%s", en);
    struct odp_slice out = odp_arena_copy(&w->arena, odp_buffer_slice(&w->text));
    odp_buffer_clear(&w->text);
    return out;
}

/* The searchable text of a value as an SQL function: of a code with a label the meaning, which is composed
 * once. */
static void explain(sqlite3_context *to, int n, sqlite3_value **value)
{
    const struct words_column *c = sqlite3_user_data(to);
    const char *text = (const char *)sqlite3_value_text(*value);
    const struct odp_slice code = {text, (size_t)sqlite3_value_bytes(*value)};
    const uint32_t label = text != NULL ? odp_map_find(&c->codes, code) : ODP_MAP_NONE;
    if (label == ODP_MAP_NONE) {
        sqlite3_result_value(to, *value);
        return;
    }
    struct odp_slice *meaning = &c->meanings[label];
    if (meaning->ptr == NULL)
        *meaning = meaning_of(c->writer, &c->writer->columns[c->column].labels[label]);
    sqlite3_result_text(to, meaning->ptr, -1, SQLITE_STATIC); /* known to end with NUL: not copied */
}

static void add_columns(struct odp_search_writer *w, const struct words_column *columns, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        odp_buffer_printf(&w->text, ", %s", w->info.columns[columns[k].column].sql);
}

static void make_table(struct odp_search_writer *w, const struct words_column *columns, uint32_t n)
{
    odp_buffer_printf(&w->text, "CREATE VIRTUAL TABLE odp_words USING fts5(content=%s, content_rowid='fid'",
                      w->info.names.table);
    add_columns(w, columns, n);
    odp_buffer_printf(&w->text,
                      ", tokenize=\"unicode61 remove_diacritics 2\", columnsize=0);"
                      "INSERT INTO odp_words(odp_words, rank) VALUES('automerge', 0), ('hashsize', %d)",
                      HASH_BYTES);
    writer_exec_text(w);
}

/* The words of all records; SQLite hands them from one table to the other by itself. */
static void fill(struct odp_search_writer *w, struct words_column *columns, uint32_t n)
{
    odp_buffer_add_str(&w->text, "INSERT INTO odp_words(rowid");
    add_columns(w, columns, n);
    odp_buffer_add_str(&w->text, ") SELECT fid");
    for (uint32_t k = 0; k < n; k++) {
        const char *column = w->info.columns[columns[k].column].sql;
        if (columns[k].codes.n > 0 && w->status == ODP_OK) {
            const char *name = odp_arena_printf(&w->arena, "odp_explain_%u", k);
            (void)writer_check(w, writer_function(w, name, explain, &columns[k]));
            odp_buffer_printf(&w->text, ", %s(%s)", name, column);
        } else {
            odp_buffer_printf(&w->text, ", %s", column);
        }
    }
    odp_buffer_printf(&w->text, " FROM %s ORDER BY fid", w->info.names.table);
    sqlite3_stmt *s = writer_prepare_text(w);
    if (s != NULL)
        writer_step(w, s, SQLITE_OK);
    (void)sqlite3_finalize(s);
}

void writer_make_words(struct odp_search_writer *w)
{
    struct words_column *columns = odp_arena_array(&w->arena, (size_t)w->info.ncolumns + 1, sizeof *columns);
    uint32_t n = choose(w, columns);
    if (n == 0)
        return;
    make_table(w, columns, n);
    fill(w, columns, n);
    for (uint32_t k = 0; k < n; k++)
        odp_map_release(&columns[k].codes);
    writer_exec(w, "INSERT INTO odp_words(odp_words) VALUES('optimize')");
}
