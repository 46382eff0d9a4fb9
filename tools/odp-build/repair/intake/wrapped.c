/* Lines that were quoted as a whole: a CSV file that a spreadsheet program took for one column, and saved
 * again ("a,b,""c d"""). Unwrapped into a scratch file. */
#include "base/file.h"
#include "repair/intake/intake_internal.h"
#include "repair/rewrite/csv_cell.h"

static const char usual[] = ",;\t|";

static bool is_quoted(const struct row *row)
{
    return !row->broken && row->n == 1 && row->cells[0].quoted && row->cells[0].raw.len == row->source.len;
}

/* Its text has cells of its own. */
static bool is_wrapped(const struct row *row)
{
    if (!is_quoted(row))
        return false;
    for (size_t i = 0; i < row->cells[0].text.len; i++)
        if (memchr(usual, row->cells[0].text.ptr[i], sizeof usual - 1) != NULL)
            return true;
    return false;
}

/* A row that may stand among wrapped ones: blank, or of many cells without quotes. */
static bool may_stand(const struct row *row)
{
    return row->blank || (!row->broken && memchr(row->source.ptr, '"', row->source.len) == NULL);
}

/* Counts wrapped lines; 0 where they are few, or other lines have quotes. With OUT: unwraps. */
static enum odp_status pass(const struct odp_intake *x, struct odp_file *out, uint64_t *wrapped,
                            struct odp_diags *diags)
{
    struct rows rows;
    struct row row;
    struct odp_resource how = x->how;
    uint64_t others = 0, lines = 0;
    how.dialect.delimiter = '\x1F'; /* in no text: each line is one cell */
    how.dialect.quote = '"';
    how.dialect.double_quote = true;
    how.dialect.escape = how.dialect.comment = '\0';
    *wrapped = 0;
    enum odp_status status = rows_open(&rows, &how, x->path, x->options.file, diags);
    while (status == ODP_OK && (status = rows_next(&rows, &row)) == ODP_OK) {
        if (rows_split(&rows, &row) != ODP_OK) {
            status = ODP_FAIL;
            break;
        }
        struct odp_slice text = is_quoted(&row) ? row.cells[0].text : row.source;
        *wrapped += is_wrapped(&row);
        lines += !row.blank;
        others += !is_quoted(&row) && !may_stand(&row);
        if (out == NULL && others > 0)
            break;
        if (out != NULL && (odp_file_write(out, text.ptr, text.len) != ODP_OK ||
                            odp_file_write(out, row.end.ptr, row.end.len) != ODP_OK))
            status = ODP_FAIL;
    }
    rows_close(&rows);
    if (others > 0 || *wrapped * 5 < lines)
        *wrapped = 0;
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status intake_unwrap(struct odp_intake *x, struct odp_diags *diags)
{
    struct odp_file *out = NULL;
    uint64_t wrapped = 0, again;
    const struct odp_slice none = {"", 0};
    if (x->resource->schema.n < 2)
        return ODP_OK;
    enum odp_status status = pass(x, NULL, &wrapped, diags);
    if (status != ODP_OK || wrapped < 2)
        return status;
    char *path = intake_scratch(x);
    status = path != NULL ? odp_file_create_scratch(&out, path) : ODP_FAIL;
    if (status == ODP_OK)
        status = pass(x, out, &again, diags);
    if (status == ODP_OK)
        status = odp_file_close(out, NULL);
    else
        odp_file_discard(out);
    x->path = path;
    x->how.encoding = "utf-8";
    intake_note(x, ODP_INTAKE_WRAPPED, none, none, wrapped);
    return status;
}
