/* What is made of the tables when all records are in them: indexes and labels. */
#include "writer_parts.h"

/* CREATE [UNIQUE] INDEX */
static int create(struct odp_search_writer *w, uint32_t number, const struct writer_index *index)
{
    odp_buffer_clear(&w->text);
    odp_buffer_printf(&w->text, "CREATE %sINDEX i%u ON data(", index->unique ? "UNIQUE " : "", number);
    for (uint32_t k = 0; k < index->n; k++)
        odp_buffer_printf(&w->text, "%sc%u", k > 0 ? ", " : "", index->columns[k]);
    odp_buffer_add_char(&w->text, ')');
    return w->text.failed ? SQLITE_NOMEM : sqlite3_exec(writer_db(w), odp_buffer_cstr(&w->text), NULL, NULL, NULL);
}

/* A primary key that is none (its fault was let pass, by odp:severity) would lose records while paging: then the record's
 * number takes its place. Only a journal can undo a statement; pages that are new are not in it, so it stays small. */
static enum odp_status create_key(struct odp_search_writer *w)
{
    struct writer_index *index = &w->indexes[0];
    for (uint32_t k = 0; k < w->info.nkey; k++)
        index->unique = index->unique && !w->columns[w->info.key[k]].null_seen;
    if (writer_exec(w, "COMMIT; PRAGMA journal_mode=MEMORY; BEGIN;") != ODP_OK)
        return w->status;
    int rc = index->unique ? create(w, 0, index) : SQLITE_CONSTRAINT;
    if ((rc & 0xff) == SQLITE_CONSTRAINT) {
        w->info.nkey = 0;
        index->unique = false;
        rc = create(w, 0, index);
    }
    if (writer_check(w, rc) != ODP_OK)
        return w->status;
    return writer_exec(w, "COMMIT; PRAGMA journal_mode=OFF; BEGIN;");
}

enum odp_status writer_make_indexes(struct odp_search_writer *w)
{
    for (uint32_t i = 0; i < w->nindexes && w->status == ODP_OK; i++) {
        struct writer_index *index = &w->indexes[i];
        bool wide = false;
        if (index->unique) {
            if (create_key(w) != ODP_OK)
                return w->status;
        } else {
            for (uint32_t k = 0; k < index->n; k++)
                wide = wide || w->info.columns[index->columns[k]].wide;
            if (wide)
                continue; /* bytes would not order its values */
            if (writer_check(w, create(w, i, index)) != ODP_OK)
                return w->status;
        }
        w->info.columns[index->columns[0]].indexed = true;
    }
    return w->status;
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

enum odp_status writer_write_labels(struct odp_search_writer *w)
{
    sqlite3_stmt *s;
    enum odp_status status = writer_prepare(w, "INSERT INTO label VALUES(?, ?, ?, ?)", &s);
    for (uint32_t k = 0; k < w->info.ncolumns && status == ODP_OK; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].labels = c->nlabels > 0;
        for (uint32_t i = 0; i < c->nlabels && status == ODP_OK; i++) {
            status = writer_check(w, bind_label(s, w->info.columns[k].name, &c->labels[i]));
            if (status == ODP_OK)
                status = writer_step(w, s);
        }
    }
    (void)sqlite3_finalize(s);
    return status == ODP_OK ? writer_exec(w, "CREATE INDEX label_code ON label(column, code)") : status;
}
