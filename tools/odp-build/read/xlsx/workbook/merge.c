/* Merged ranges. They follow the rows in the part but are needed with them, so the part is unpacked once
 * before it is read, and parsed only if it names any. */
#include <stdlib.h>

#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

static const char word[] = "mergeCell";
enum { WORD = sizeof(word) - 1 };

/* Whether the word is in the part at all, or cannot be looked for (UTF-16). */
static enum odp_status look(struct odp_workbook *w, const char *part, bool *found,
                            struct odp_workbook_fault *fault)
{
    struct wb_part p = {.w = w, .name = part, .fault = fault};
    enum odp_status status = wb_entry_open(&p);
    if (status != ODP_OK)
        return status;
    char *buf = malloc(WORD + WB_CHUNK);
    size_t kept = 0, got = 1;
    if (buf == NULL)
        status = odp_failure_memory();
    *found = false;
    while (status == ODP_OK && got > 0 && !*found) {
        status = wb_entry_read(&p, buf + kept, WB_CHUNK, &got);
        if (status != ODP_OK)
            break;
        bool wide =
            p.read == got && got >= 2 && (buf[0] == '\0' || buf[1] == '\0' || (unsigned char)buf[0] >= 0xFE);
        *found = wide || memmem(buf, kept + got, word, WORD) != NULL;
        size_t all = kept + got;
        kept = all < WORD - 1 ? all : WORD - 1;
        memmove(buf, buf + all - kept, kept);
    }
    free(buf);
    zip_fclose(p.file);
    return status;
}

struct merges {
    struct wb_range *ranges;
    size_t n;
};

static void merges_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct merges *m = x->ctx;
    if (strcmp(name, word) != 0)
        return;
    const char *ref = wb_attribute(attributes, "ref"), *colon = ref != NULL ? strchr(ref, ':') : NULL;
    struct wb_range r;
    if (colon == NULL || !wb_reference(ref, (size_t)(colon - ref), &r.row, &r.column) ||
        !wb_reference(colon + 1, strlen(colon + 1), &r.last_row, &r.last_column) || r.last_row < r.row ||
        r.last_column < r.column || r.last_column >= x->in.w->limits.columns ||
        r.last_row > x->in.w->limits.rows)
        return; /* no range at all: nothing of the data hangs on it */
    if (m->n >= WB_MERGES_MAX) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_merged_cells);
        return;
    }
    m->ranges = odp_arena_more(&x->in.w->arena, m->ranges, m->n, sizeof(*m->ranges));
    m->ranges[m->n++] = r;
}

static int by_row(const void *a, const void *b)
{
    const struct wb_range *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

enum odp_status wb_merges_read(struct odp_workbook *w, const char *part, struct wb_range **out, size_t *n,
                               struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {.start = merges_start};
    struct merges m = {0};
    bool found;
    *out = NULL;
    *n = 0;
    enum odp_status status = look(w, part, &found, fault);
    if (status == ODP_OK && found)
        status = wb_xml_run(w, part, &events, &m, false, fault);
    if (status != ODP_OK)
        return status;
    if (m.n > 0)
        qsort(m.ranges, m.n, sizeof(*m.ranges), by_row);
    *out = m.ranges;
    *n = m.n;
    return odp_arena_status(&w->arena);
}
