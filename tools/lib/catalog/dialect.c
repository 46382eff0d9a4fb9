/* `dialect` of a resource (Table Dialect v2). */
#include "catalog/catalog_internal.h"

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Row numbers from 1, sorted, none twice. */
static uint32_t *read_rows(struct node n, size_t *count)
{
    *count = 0;
    if (!node_is_array(n))
        return NULL;
    uint32_t *rows = doc_zero(n.doc, json_array_size(n.json), sizeof *rows);
    if (rows == NULL)
        return NULL;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        int64_t row;
        if (node_int(it.item, 1, 1000000, &row))
            rows[(*count)++] = (uint32_t)row;
    }
    qsort(rows, *count, sizeof *rows, ascending);
    for (size_t i = 1; i < *count; i++)
        if (rows[i] == rows[i - 1]) {
            node_fault(n, ODP_C08, doc_printf(n.doc, "%s %u", n.key, rows[i]), NULL);
            *count = 0;
        }
    return rows;
}

static void read_header(struct node n, struct odp_dialect *d)
{
    struct node rows = node_get(n, "headerRows"), comments = node_get(n, "commentRows");
    d->header = node_bool(node_get(n, "header"), true);
    if (rows.json != NULL) {
        d->header_rows = read_rows(rows, &d->nheader_rows);
        if (json_is_array(rows.json) && json_array_size(rows.json) == 0 && d->header)
            node_fault(rows, ODP_C16, "headerRows []", "header true");
    }
    if (!d->header)
        d->nheader_rows = 0;
    d->comment_rows = read_rows(comments, &d->ncomment_rows);
    /* Row 1, the default header, is the first that is no comment. */
    for (size_t i = 0; rows.json != NULL && i < d->ncomment_rows; i++)
        for (size_t j = 0; j < d->nheader_rows; j++)
            if (d->comment_rows[i] == d->header_rows[j])
                node_fault(comments, ODP_C16, "commentRows", "headerRows");
    const char *join = node_string(node_get(n, "headerJoin"));
    if (join != NULL)
        d->header_join = join;
}

static void check_characters(struct node n, const struct odp_dialect *d)
{
    const struct {
        const char *name;
        char c;
    } all[] = {{"delimiter", d->delimiter}, {"quoteChar", d->quote}, {"escapeChar", d->escape}, {"commentChar", d->comment}};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            bool quote_escapes = i == 1 && j == 2; /* escapeChar '"' says what doubleQuote says */
            if (all[i].c != '\0' && all[i].c == all[j].c && !quote_escapes)
                node_fault(node_get(n, all[j].name), ODP_C16, all[j].name, all[i].name);
        }
}

/* Which sheet of a workbook: by name or by number, not both. */
static void read_sheet(struct node n, struct odp_dialect *d)
{
    struct node name = node_get(n, "sheetName"), number = node_get(n, "sheetNumber");
    int64_t at;
    d->sheet_name = node_string(name);
    if (node_int(number, 1, 4096, &at))
        d->sheet_number = (uint32_t)at;
    if (name.json != NULL && number.json != NULL)
        node_fault(number, ODP_C16, "sheetNumber", "sheetName");
}

void dialect_read(struct node n, struct odp_dialect *d)
{
    static const char *const known[] = {"$schema",     "header",       "headerRows",       "headerJoin", "commentRows",
                                        "commentChar", "delimiter",    "lineTerminator",   "quoteChar",  "doubleQuote",
                                        "escapeChar",  "nullSequence", "skipInitialSpace",
                                        "sheetName",   "sheetNumber",  NULL};
    static const char *const ends[] = {"\r\n", "\n", "\r"};
    *d = (struct odp_dialect){.delimiter = ',', .quote = '"', .double_quote = true, .header = true, .header_join = " "};
    d->header_rows = doc_zero(n.doc, 1, sizeof *d->header_rows);
    if (d->header_rows == NULL)
        return;
    d->header_rows[0] = 1;
    d->nheader_rows = 1;
    if (!node_is_object(n))
        return;
    d->declared = true;
    node_known(n, known, true);
    read_header(n, d);
    char delimiter = node_char(node_get(n, "delimiter"), false);
    if (delimiter != '\0')
        d->delimiter = delimiter;
    struct node quote = node_get(n, "quoteChar");
    if (quote.json != NULL)
        d->quote = node_char(quote, true);
    d->double_quote = node_bool(node_get(n, "doubleQuote"), true);
    d->escape = node_char(node_get(n, "escapeChar"), true);
    d->comment = node_char(node_get(n, "commentChar"), true);
    d->null_sequence = node_string(node_get(n, "nullSequence"));
    d->skip_initial_space = node_bool(node_get(n, "skipInitialSpace"), false);
    check_characters(n, d);
    read_sheet(n, d);

    struct node end = node_get(n, "lineTerminator");
    const char *text = node_string(end);
    for (size_t i = 0; text != NULL && i < 3; i++)
        if (strcmp(text, ends[i]) == 0)
            d->line_terminator = ends[i];
    if (text != NULL && d->line_terminator == NULL)
        node_fault(end, ODP_C05, NULL, "\\r\\n, \\n, \\r");
}
