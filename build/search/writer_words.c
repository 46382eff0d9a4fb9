/* The table words: which columns it has is known when all values were seen, so it is filled from `data` at the end. All of it
 * goes through FTS5's own hash, made large, and what that leaves is merged once. */
#include "writer_parts.h"

enum { HASH_BYTES = 32 << 20 };

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

/* Appends ", c1, c4". */
static void add_columns(struct odp_search_writer *w, struct odp_buffer *out)
{
    for (uint32_t k = 0; k < w->info.ncolumns; k++)
        if (w->info.columns[k].text)
            odp_buffer_printf(out, ", c%u", k);
}

static enum odp_status create(struct odp_search_writer *w)
{
    odp_buffer_clear(&w->text);
    odp_buffer_add_str(&w->text, "CREATE VIRTUAL TABLE words USING fts5(content=''");
    add_columns(w, &w->text);
    odp_buffer_add_str(&w->text, ", tokenize=\"unicode61 remove_diacritics 2\", prefix='2 3');");
    odp_buffer_printf(&w->text,
                      "INSERT INTO words(words, rank) VALUES('hashsize', %d);"
                      "INSERT INTO words(words, rank) VALUES('automerge', 0);",
                      HASH_BYTES);
    return odp_buffer_status(&w->text) == ODP_OK ? writer_exec(w, odp_buffer_cstr(&w->text)) : ODP_FAIL;
}

static enum odp_status prepare(struct odp_search_writer *w, uint32_t n, sqlite3_stmt **select, sqlite3_stmt **insert)
{
    odp_buffer_clear(&w->text);
    odp_buffer_add_str(&w->text, "SELECT id");
    add_columns(w, &w->text);
    odp_buffer_add_str(&w->text, " FROM data ORDER BY id");
    if (odp_buffer_status(&w->text) != ODP_OK || writer_prepare(w, odp_buffer_cstr(&w->text), select) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_clear(&w->text);
    odp_buffer_add_str(&w->text, "INSERT INTO words(rowid");
    add_columns(w, &w->text);
    odp_buffer_add_str(&w->text, ") VALUES(?");
    for (uint32_t k = 0; k < n; k++)
        odp_buffer_add_str(&w->text, ", ?");
    odp_buffer_add_char(&w->text, ')');
    return odp_buffer_status(&w->text) == ODP_OK ? writer_prepare(w, odp_buffer_cstr(&w->text), insert) : ODP_FAIL;
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

/* The texts of one record, from FROM to TO. Texts with labels are put together in w->text, so that must not move: it is filled
 * first. */
static enum odp_status add_record(struct odp_search_writer *w, sqlite3_stmt *from, sqlite3_stmt *to)
{
    int n = 1, rc = sqlite3_bind_int64(to, 1, sqlite3_column_int64(from, 0));
    for (uint32_t k = 0; k < w->info.ncolumns && rc == SQLITE_OK; k++) {
        if (!w->info.columns[k].text)
            continue;
        const char *value = (const char *)sqlite3_column_text(from, n);
        struct odp_slice text = {value, value != NULL ? (size_t)sqlite3_column_bytes(from, n) : 0};
        const struct writer_label *label = value != NULL ? writer_label_of(&w->columns[k], text) : NULL;
        n++;
        if (label == NULL) {
            rc = writer_bind_text(to, n, text);
            continue;
        }
        odp_buffer_clear(&w->text);
        add_meaning(&w->text, text, label);
        if (odp_buffer_status(&w->text) != ODP_OK)
            return ODP_FAIL;
        rc = sqlite3_bind_text64(to, n, w->text.ptr, w->text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return writer_check(w, rc) == ODP_OK ? writer_step(w, to) : ODP_FAIL;
}

enum odp_status writer_make_words(struct odp_search_writer *w)
{
    sqlite3_stmt *select = NULL, *insert = NULL;
    uint32_t n = choose(w);
    if (n == 0)
        return w->status;
    w->has_words = true;
    enum odp_status status = create(w);
    if (status == ODP_OK)
        status = prepare(w, n, &select, &insert);
    while (status == ODP_OK) {
        int rc = sqlite3_step(select);
        status = writer_check(w, rc);
        if (rc != SQLITE_ROW)
            break;
        status = add_record(w, select, insert);
    }
    (void)sqlite3_finalize(select);
    (void)sqlite3_finalize(insert);
    return status == ODP_OK ? writer_exec(w, "INSERT INTO words(words) VALUES('optimize')") : status;
}
