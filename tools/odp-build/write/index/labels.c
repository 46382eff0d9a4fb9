/* What the codes of a column mean: sorted, looked up, written. */
#include <stdlib.h>
#include <string.h>

#include "write/index/index_internal.h"

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
    if (n > 1)
        qsort(labels, n, sizeof *labels, by_code);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || !odp_slice_eq(labels[kept - 1].code, labels[i].code))
            labels[kept++] = labels[i];
    c->labels = labels;
    c->nlabels = kept;
}

const struct writer_label *writer_label_of(const struct writer_column *c, struct odp_slice code)
{
    for (uint32_t low = 0, high = c->nlabels; low < high;) {
        uint32_t mid = low + (high - low) / 2;
        int order = odp_slice_cmp(c->labels[mid].code, code);
        if (order == 0)
            return &c->labels[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
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
    enum odp_status status = writer_prepare(w, "INSERT INTO odp_label VALUES(NULL, ?, ?, ?, ?)", &s);
    for (uint32_t k = 0; k < w->info.ncolumns && status == ODP_OK; k++) {
        const struct writer_column *c = &w->columns[k];
        w->info.columns[k].labels = c->nlabels > 0;
        for (uint32_t i = 0; i < c->nlabels && status == ODP_OK; i++)
            status = writer_step(w, s, bind_label(s, w->info.columns[k].name, &c->labels[i]));
    }
    (void)sqlite3_finalize(s);
    return status;
}
