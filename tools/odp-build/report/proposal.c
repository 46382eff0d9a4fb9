/* Proposals in words for people and programs, and the place in the source that they change. */
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

const char *report_action(const struct odp_diag *d)
{
    static const char *const names[] = {[ODP_ACTION_REPLACE] = "replace",
                                        [ODP_ACTION_DELETE_RECORD] = "delete-record",
                                        [ODP_ACTION_DELETE_LINES] = "delete-lines",
                                        [ODP_ACTION_RENAME_LABEL] = "rename-label",
                                        [ODP_ACTION_MEND_SHAPE] = "mend-shape"};
    return odp_diag_proposes(d) ? names[d->action] : NULL;
}

static void delete_lines(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    uint64_t last = d->line + (d->lines > 0 ? d->lines - 1 : 0);
    odp_buffer_add_str(out, last > d->line ? odp_word(lang, W_report_delete_lines)
                                           : odp_word(lang, W_report_delete_line));
    odp_text_number(out, d->line, lang);
    if (last == d->line)
        return;
    odp_buffer_add_str(out, odp_word(lang, W_report_to));
    odp_text_number(out, last, lang);
}

static void mend_shape(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    if (d->proposal.ptr != NULL) {
        odp_buffer_add_str(out, odp_word(lang, W_report_write_prj));
        report_show(out, d->proposal, NULL);
    } else {
        odp_buffer_add_str(out, d->row > 0 ? odp_word(lang, W_report_mend_shape)
                                           : odp_word(lang, W_report_mend_shapefile));
    }
}

void report_proposal(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    if (!odp_diag_proposes(d))
        return;
    switch (d->action) {
    case ODP_ACTION_REPLACE:
        odp_buffer_add_str(out, d->proposal.len == 0 ? odp_word(lang, W_report_leave_empty) : "");
        report_show(out, d->proposal, NULL);
        break;
    case ODP_ACTION_DELETE_RECORD:
        odp_buffer_add_str(out, report_counts_records(d->file) ? odp_word(lang, W_report_delete_record)
                                                               : odp_word(lang, W_report_delete_row));
        break;
    case ODP_ACTION_DELETE_LINES:
        delete_lines(out, d, lang);
        break;
    case ODP_ACTION_RENAME_LABEL:
        odp_buffer_add_str(out, odp_word(lang, W_report_rename_column));
        report_show(out, d->proposal, NULL);
        odp_buffer_add_str(out, "”");
        break;
    case ODP_ACTION_MEND_SHAPE:
        mend_shape(out, d, lang);
        break;
    }
}

bool report_mark(const struct odp_diag *d, struct odp_slice *marked)
{
    size_t start = d->mark_start, len = d->mark_len;
    if (d->line == 0 || d->column == 0 || d->sheet != NULL || d->source.ptr == NULL || len == 0 ||
        start > d->source.len || len > d->source.len - start)
        return false;
    *marked = (struct odp_slice){d->source.ptr + start, len};
    /* Over several physical lines, or cut: the end of the mark is unknown. */
    return memchr(marked->ptr, '\n', len) == NULL && memchr(marked->ptr, '\r', len) == NULL &&
           odp_utf8_valid(*marked) == len && !(len >= 3 && memcmp(marked->ptr + len - 3, "…", 3) == 0);
}

/* Whether the text between the quotes of CELL is VALUE. */
static bool unquoted_equals(struct odp_slice cell, struct odp_slice value)
{
    size_t k = 0;
    for (size_t i = 1; i + 1 < cell.len; i++, k++) {
        if (cell.ptr[i] == '"') {
            if (i + 2 >= cell.len || cell.ptr[i + 1] != '"')
                return false;
            i++;
        }
        if (k >= value.len || value.ptr[k] != cell.ptr[i])
            return false;
    }
    return k == value.len;
}

/* Whether P needs no quotes in the source line: it has no quote and not the delimiter, which is the byte
 * next to the marked cell. */
static bool is_plain(const struct odp_diag *d, struct odp_slice p)
{
    size_t end = d->mark_start + d->mark_len;
    char delimiter = end < d->source.len ? d->source.ptr[end] : '\0';
    if (d->mark_start > 0)
        delimiter = d->source.ptr[d->mark_start - 1];
    bool known = strchr(",;\t|", delimiter) != NULL; /* "\0" too: there is no other cell */
    for (size_t i = 0; i < p.len; i++)
        if (p.ptr[i] == '"' || p.ptr[i] == '\'' || p.ptr[i] == delimiter ||
            (!known && strchr(",;\t|", p.ptr[i]) != NULL))
            return false;
    return true;
}

/* P in quotes; the dialect is unknown here, but another quoted cell shows that it has quotes. */
static bool add_quoted(struct odp_buffer *out, struct odp_slice p)
{
    odp_buffer_add_char(out, '"');
    for (size_t i = 0; i < p.len; i++)
        odp_buffer_add(out, p.ptr[i] == '"' ? "\"\"" : p.ptr + i, p.ptr[i] == '"' ? 2 : 1);
    odp_buffer_add_char(out, '"');
    return true;
}

bool report_replacement(const struct odp_diag *d, struct odp_buffer *out)
{
    struct odp_slice cell, p = d->proposal;
    bool takes = d->action == ODP_ACTION_REPLACE || d->action == ODP_ACTION_RENAME_LABEL;
    if (!takes || p.ptr == NULL || d->secret || report_counts_records(d->file) || !report_mark(d, &cell) ||
        memchr(p.ptr, '\n', p.len) != NULL || memchr(p.ptr, '\r', p.len) != NULL)
        return false;
    /* The mark must be the whole cell, neither masked nor cut: only then is its place exact. */
    bool quoted = cell.len >= 2 && cell.ptr[0] == '"' && cell.ptr[cell.len - 1] == '"';
    if (d->value.ptr == NULL || (quoted ? !unquoted_equals(cell, d->value) : !odp_slice_eq(cell, d->value)))
        return false;
    if (!quoted && is_plain(d, p)) {
        odp_buffer_add_slice(out, p);
        return true;
    }
    return (quoted || memchr(d->source.ptr, '"', d->source.len) != NULL) && add_quoted(out, p);
}
