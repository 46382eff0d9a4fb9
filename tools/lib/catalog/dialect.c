/* `dialect` of a resource (Table Dialect v2). */
#include "catalog/catalog_internal.h"

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool row_read(struct node n, void *into)
{
    int64_t row;
    if (!node_int(n, 1, 1000000, &row))
        return false;
    *(uint32_t *)into = (uint32_t)row;
    return true;
}

/* Row numbers from 1: sorted, none twice. */
static void check_rows(struct node n, uint32_t *rows, size_t *count)
{
    if (*count > 1)
        qsort(rows, *count, sizeof *rows, ascending);
    for (size_t i = 1; i < *count; i++)
        if (rows[i] == rows[i - 1]) {
            node_fault(n, ODP_C08, doc_printf(n.doc, "%s %u", n.key, rows[i]), NULL);
            *count = 0;
        }
}

static void check_header(struct node n, struct odp_dialect *d)
{
    struct node rows = node_get(n, "headerRows"), comments = node_get(n, "commentRows");
    if (d->header_rows == NULL) /* present, but no array */
        d->nheader_rows = 0;
    if (json_is_array(rows.json) && json_array_size(rows.json) == 0 && d->header)
        node_fault(rows, ODP_C16, "headerRows []", "header true");
    check_rows(rows, d->header_rows, &d->nheader_rows);
    check_rows(comments, d->comment_rows, &d->ncomment_rows);
    if (!d->header)
        d->nheader_rows = 0;
    /* Row 1, the default header, is the first that is no comment. */
    for (size_t i = 0; rows.json != NULL && i < d->ncomment_rows; i++)
        for (size_t j = 0; j < d->nheader_rows; j++)
            if (d->comment_rows[i] == d->header_rows[j])
                node_fault(comments, ODP_C16, "commentRows", "headerRows");
}

static void check_characters(struct node n, const struct odp_dialect *d)
{
    const struct {
        const char *name;
        char c;
    } all[] = {{"delimiter", d->delimiter},
               {"quoteChar", d->quote},
               {"escapeChar", d->escape},
               {"commentChar", d->comment}};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            bool quote_escapes = i == 1 && j == 2; /* escapeChar '"' means doubleQuote */
            if (all[i].c != '\0' && all[i].c == all[j].c && !quote_escapes)
                node_fault(node_get(n, all[j].name), ODP_C16, all[j].name, all[i].name);
        }
}

/* Which sheet of a workbook: by name or by number, not both. */
static bool sheet_number_read(struct node n, void *into)
{
    int64_t at;
    if (node_int(n, 1, 4096, &at))
        ((struct odp_dialect *)into)->sheet_number = (uint32_t)at;
    return true;
}

static bool terminator_read(struct node n, void *into)
{
    static const char *const ends[] = {"\r\n", "\n", "\r"};
    struct odp_dialect *d = into;
    const char *text = node_string(n);
    for (size_t i = 0; text != NULL && i < 3; i++)
        if (strcmp(text, ends[i]) == 0)
            d->line_terminator = ends[i];
    if (text != NULL && d->line_terminator == NULL)
        node_fault(n, ODP_C05, NULL, "\\r\\n, \\n, \\r");
    return true;
}

void dialect_read(struct node n, struct odp_dialect *d)
{
    static const struct list header_rows = {sizeof(uint32_t), AT(odp_dialect, nheader_rows),
                                            .read = row_read},
                             comment_rows = {sizeof(uint32_t), AT(odp_dialect, ncomment_rows),
                                             .read = row_read};
    static const struct key keys[] = {
        KNOWN("$schema"),
        {"header", KEY_BOOL, .at = AT(odp_dialect, header)},
        {"headerRows", KEY_LIST, .at = AT(odp_dialect, header_rows), .list = &header_rows},
        {"headerJoin", KEY_STRING, .at = AT(odp_dialect, header_join)},
        {"commentRows", KEY_LIST, .at = AT(odp_dialect, comment_rows), .list = &comment_rows},
        {"commentChar", KEY_CHAR, .at = AT(odp_dialect, comment)},
        {"delimiter", KEY_CHAR, .at = AT(odp_dialect, delimiter), .most = 1},
        {"lineTerminator", KEY_READ, .read = terminator_read},
        {"quoteChar", KEY_CHAR, .at = AT(odp_dialect, quote)},
        {"doubleQuote", KEY_BOOL, .at = AT(odp_dialect, double_quote)},
        {"escapeChar", KEY_CHAR, .at = AT(odp_dialect, escape)},
        {"nullSequence", KEY_STRING, .at = AT(odp_dialect, null_sequence)},
        {"skipInitialSpace", KEY_BOOL, .at = AT(odp_dialect, skip_initial_space)},
        {"sheetName", KEY_STRING, .at = AT(odp_dialect, sheet_name)},
        {"sheetNumber", KEY_READ, .read = sheet_number_read},
    };
    *d = (struct odp_dialect){
        .delimiter = ',', .quote = '"', .double_quote = true, .header = true, .header_join = " "};
    d->header_rows = doc_zero(n.doc, 1, sizeof *d->header_rows);
    d->header_rows[0] = 1;
    d->nheader_rows = 1;
    d->declared = object_read(n, &TABLE(keys), d);
    if (!d->declared)
        return;
    check_header(n, d);
    check_characters(n, d);
    if (node_get(n, "sheetName").json != NULL && node_get(n, "sheetNumber").json != NULL)
        node_fault(node_get(n, "sheetNumber"), ODP_C16, "sheetNumber", "sheetName");
}
