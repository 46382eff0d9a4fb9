/* One text, read as CSV every way there is: cut by masks of delimiters, by the cursor, and by libcsv alone.
 * All must tell the same, byte for byte: records with places and flags, cells, faults. For the fuzzer and for
 * a unit test; no cmocka. */
#pragma once

#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "need.h"
#include "read/csv/reader.h"
#include "read/source.h"

/* A dialect and the header that fits it; the text comes behind. Every field is a text. */
struct ways_dialect {
    const char *header;
    uint32_t columns;
    char delimiter, quote, escape, comment;
    bool single_quotes; /* doubleQuote false */
    bool skip_space;
    const char *null, *encoding;
    uint32_t comment_rows[3]; /* ended by 0 */
    uint32_t header_rows;     /* one after the other, from the first on; 0: one */
    bool declared;            /* the encoding, so that a byte order mark may contradict it */
};

static const struct ways_dialect ways_dialects[] = {
    {.header = "satu,dua,tiga\n", .columns = 3, .delimiter = ',', .quote = '"'},
    {.header = "satu;dua;tiga;empat\r\n", .columns = 4, .delimiter = ';', .quote = '\'', .null = "NA"},
    {.header = "satu\n", .columns = 1, .delimiter = ',', .quote = '"'},
    {.header = "satu\tdua\r", .columns = 2, .delimiter = '\t', .quote = '"', .comment = '#'},
    {.header = "satu,dua\n", .columns = 2, .delimiter = ',', .comment_rows = {4, 9}},
    {.header = "satu,dua,tiga\n", .columns = 3, .delimiter = ',', .quote = '"', .escape = '\\'},
    {.header = "satu,dua,tiga\n", .columns = 3, .delimiter = ',', .quote = '"', .single_quotes = true},
    {.header = "satu, dua\n", .columns = 2, .delimiter = ',', .quote = '"', .skip_space = true},
    {.header = "satu,dua,tiga\n", .columns = 3, .delimiter = ',', .quote = '"', .encoding = "windows-1252"},
    {.header = "satu|dua\n", .columns = 2, .delimiter = '|', .quote = '"', .comment_rows = {7}, .null = "-"},
};
enum { WAYS_DIALECTS = ODP_COUNT(ways_dialects) };

struct ways_resource {
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[4];
    uint32_t comment_rows[3], header_rows[3];
};

static inline void ways_describe(struct ways_resource *x, const struct ways_dialect *d)
{
    static const char *const names[] = {"satu", "dua", "tiga", "empat"};
    memset(x, 0, sizeof *x);
    x->dataset.slug = "uji";
    x->resource = (struct odp_resource){.dataset = &x->dataset, .bytes = -1};
    x->resource.name = x->resource.path = "uji.csv";
    x->resource.where = "dataset.json:1";
    x->resource.encoding = d->encoding != NULL ? d->encoding : "utf-8";
    x->resource.encoding_declared = d->declared;
    x->resource.dialect = (struct odp_dialect){
        .delimiter = d->delimiter,
        .quote = d->quote,
        .escape = d->escape,
        .comment = d->comment,
        .double_quote = !d->single_quotes,
        .skip_initial_space = d->skip_space,
        .header = true,
        .header_join = " ",
        .nheader_rows = d->header_rows != 0 ? d->header_rows : 1,
        .null_sequence = d->null,
    };
    for (uint32_t i = 0; i < 3; i++)
        x->header_rows[i] = i + 1;
    x->resource.dialect.header_rows = x->header_rows;
    x->resource.dialect.declared = true;
    while (x->resource.dialect.ncomment_rows < 3 && d->comment_rows[x->resource.dialect.ncomment_rows] != 0)
        x->resource.dialect.ncomment_rows++;
    memcpy(x->comment_rows, d->comment_rows, sizeof x->comment_rows);
    x->resource.dialect.comment_rows = x->comment_rows;
    x->resource.schema.fields = x->fields;
    x->resource.schema.n = d->columns;
    x->resource.schema.match = ODP_MATCH_EXACT;
    for (uint32_t i = 0; i < d->columns; i++) {
        x->fields[i].name = x->fields[i].source_name = names[i];
        x->fields[i].type = ODP_TYPE_STRING;
        x->fields[i].is_public = true;
    }
}

static inline void ways_slice(struct odp_buffer *out, const char *name, struct odp_slice s)
{
    odp_buffer_printf(out, " %s=%zu:", name, s.len);
    odp_buffer_add_slice(out, s);
}

static inline void ways_faults(struct odp_buffer *out, const struct odp_diags *diags)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_printf(out, "%s %llu times\n", odp_code_info(groups[i]->code)->code,
                          (unsigned long long)groups[i]->count);
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next) {
            const struct odp_diag *d = &e->diag;
            odp_buffer_printf(out, "  %llu:%llu row %llu offset %llu mark %u+%u", (unsigned long long)d->line,
                              (unsigned long long)d->column, (unsigned long long)d->row,
                              (unsigned long long)d->offset, d->mark_start, d->mark_len);
            ways_slice(out, "value", d->value);
            ways_slice(out, "source", d->source);
            for (size_t k = 0; k < ODP_DIAG_ARGS; k++)
                ways_slice(out, "arg", d->args[k]);
            odp_buffer_add_char(out, '\n');
        }
    }
}

/* Looks at a tame record byte by byte: it may hold nothing rare. */
static inline bool ways_is_tame(const struct odp_cell *cell)
{
    const char *p = cell->ptr;
    for (uint32_t i = 0; i < cell->len; i++)
        if ((unsigned char)p[i] >= 0x7f || ((unsigned char)p[i] < ' ' && strchr("\t\n\r", p[i]) == NULL) ||
            strchr("@#", p[i]) != NULL ||
            (i > 0 && (p[i] | 0x20) == 'e' && p[i - 1] >= '0' && p[i - 1] <= '9'))
            return false;
    return cell->len == 0 ||
           (strchr("=+- \t\n\v\f\r", p[0]) == NULL && strchr(" \t\n\v\f\r", p[cell->len - 1]) == NULL);
}

static inline void ways_batch(struct odp_buffer *out, const struct odp_batch *b)
{
    odp_buffer_printf(out, "batch %llu last %d bytes %llu\n", (unsigned long long)b->index, b->last,
                      (unsigned long long)b->source_bytes);
    for (uint32_t i = 0; i < b->nrecords; i++) {
        const struct odp_record *r = &b->records[i];
        odp_buffer_printf(out, "row %llu line %llu offset %llu flags %u aux %u", (unsigned long long)r->row,
                          (unsigned long long)r->line, (unsigned long long)r->offset,
                          r->flags & ~(uint32_t)ODP_RECORD_TAME, r->aux); /* the cursor does not look */
        ways_slice(out, "source", r->source);
        for (uint32_t c = 0; c < r->count; c++) {
            const struct odp_cell *cell = &b->cells[r->first + c];
            odp_buffer_printf(out, " [%u %u]", cell->flags, cell->pos);
            ways_slice(out, "cell", (struct odp_slice){cell->ptr, cell->len});
            NEED((r->flags & ODP_RECORD_TAME) == 0 || ways_is_tame(cell));
        }
        odp_buffer_add_char(out, '\n');
    }
}

/* libcsv's cells of a text, one after the other, as length and bytes. A row of white space alone does not
 * count. */
struct ways_oracle {
    struct odp_buffer rows, row;
    uint32_t cells;
    bool blank;
    uint64_t nrows;
};

static inline void ways_oracle_cell(void *text, size_t len, void *ctx)
{
    struct ways_oracle *o = ctx;
    for (size_t i = 0; i < len; i++)
        o->blank = o->blank && (((char *)text)[i] == ' ' || ((char *)text)[i] == '\t');
    ways_slice(&o->row, "", (struct odp_slice){text, len});
    o->cells++;
}

static inline void ways_oracle_row(int c, void *ctx)
{
    struct ways_oracle *o = ctx;
    if (!o->blank) {
        odp_buffer_printf(&o->rows, "%u", o->cells);
        odp_buffer_add_slice(&o->rows, odp_buffer_slice(&o->row));
        odp_buffer_add_char(&o->rows, '\n');
        o->nrows++;
    }
    odp_buffer_clear(&o->row);
    o->cells = 0;
    o->blank = true;
}

static inline int ways_never(unsigned char c)
{
    return 0;
}

static inline void ways_oracle_read(struct ways_oracle *o, const struct ways_dialect *d, const char *text,
                                    size_t len)
{
    struct csv_parser parser;
    memset(o, 0, sizeof *o);
    o->blank = true;
    NEED(csv_init(&parser, 0) == 0);
    csv_set_delim(&parser, (unsigned char)d->delimiter);
    csv_set_quote(&parser, (unsigned char)d->quote);
    csv_set_space_func(&parser, ways_never);
    NEED(csv_parse(&parser, text, len, ways_oracle_cell, ways_oracle_row, o) == len);
    NEED(csv_fini(&parser, ways_oracle_cell, ways_oracle_row, o) == 0);
    csv_free(&parser);
}

/* The records of B in the oracle's form; of a record that lacks cells only the number. */
static inline void ways_as_oracle(struct odp_buffer *out, const struct odp_batch *b)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        const struct odp_record *r = &b->records[i];
        bool blank = true;
        for (uint32_t c = 0; c < r->count; c++)
            for (uint32_t k = 0; k < b->cells[r->first + c].len; k++)
                blank =
                    blank && (b->cells[r->first + c].ptr[k] == ' ' || b->cells[r->first + c].ptr[k] == '\t');
        if (blank)
            continue;
        odp_buffer_printf(out, "%u", r->count);
        for (uint32_t c = 0; c < r->count; c++)
            ways_slice(out, "", (struct odp_slice){b->cells[r->first + c].ptr, b->cells[r->first + c].len});
        odp_buffer_add_char(out, '\n');
    }
}

/* Reads PATH. OUT: everything reported; RECORDS: the records in the oracle's form. */
static inline void ways_read(const struct ways_dialect *d, const char *path, bool slow,
                             struct odp_buffer *out, struct odp_buffer *records)
{
    struct ways_resource x;
    struct odp_source *source = NULL;
    struct odp_diags *diags;
    struct odp_batch b;
    ways_describe(&x, d);
    NEED(odp_diags_new(&diags, 200) == ODP_OK && odp_batch_init(&b, 200) == ODP_OK);
    enum odp_status status = odp_source_open(&source, &x.resource, path, "uji.csv", 1, diags);
    NEED(status != ODP_FAIL);
    if (status == ODP_OK)
        ((struct csv_source *)(void *)source)->slow = slow;
    while (status == ODP_OK) {
        odp_batch_reset(&b, &x.resource);
        status = odp_source_read(source, &b);
        NEED(status != ODP_FAIL);
        if (status == ODP_DONE)
            break;
        NEED(odp_source_slice(source, &b, 0) == ODP_OK);
        ways_batch(out, &b);
        ways_as_oracle(records, &b);
        NEED(odp_diags_merge(diags, b.diags) == ODP_OK);
    }
    ways_faults(out, diags);
    NEED(odp_buffer_status(out) == ODP_OK && odp_buffer_status(records) == ODP_OK);
    odp_batch_release(&b);
    odp_source_close(source);
    odp_diags_free(diags);
}

static inline void ways_equal(const char *what, const struct odp_buffer *a, const struct odp_buffer *b)
{
    size_t i = 0;
    while (i < a->len && i < b->len && a->ptr[i] == b->ptr[i])
        i++;
    if (i == a->len && i == b->len)
        return;
    size_t from = i > 200 ? i - 200 : 0;
    fprintf(stderr, "%s differ at byte %zu:\n--- %.*s\n+++ %.*s\n", what, i,
            (int)(a->len - from < 400 ? a->len - from : 400), a->ptr + from,
            (int)(b->len - from < 400 ? b->len - from : 400), b->ptr + from);
    abort();
}

/* Codes after which libcsv, which repairs in silence, tells another story: not closed quotes, text behind
 * them, unreadable bytes. Records with too few or too many cells (totals and notes may be such) and repeated
 * headers are refused before all their cells are there. */
static inline bool ways_oracle_knows(const struct ways_dialect *d, const struct odp_buffer *told)
{
    static const char *const codes[] = {
        "\nODP-R03 ", "\nODP-R05 ", "\nODP-R06 ", "\nODP-R07 ", "\nODP-R02 ", "\nODP-R08 ",
        "\nODP-R10 ", "\nODP-R11 ", "\nODP-E0",   "\nODP-H",    "\nODP-F",
    };
    if (d->quote == '\0' || d->escape != '\0' || d->single_quotes || d->skip_space || d->comment != '\0' ||
        d->comment_rows[0] != 0 || d->encoding != NULL)
        return false;
    for (size_t i = 0; i < ODP_COUNT(codes); i++)
        if (told->len > 0 && memmem(told->ptr, told->len, codes[i], strlen(codes[i])) != NULL)
            return false;
    return told->len > 6 && memcmp(told->ptr, "batch ", 6) == 0;
}

/* True where libcsv alone was asked, too. */
static inline bool ways_compare(const struct ways_dialect *d, const void *text, size_t len)
{
    char path[40];
    struct odp_buffer told[2], records[2];
    int fd = memfd_create("csv", MFD_CLOEXEC);
    NEED(fd >= 0 && write(fd, d->header, strlen(d->header)) == (ssize_t)strlen(d->header));
    NEED(len == 0 || write(fd, text, len) == (ssize_t)len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (size_t i = 0; i < 2; i++) {
        odp_buffer_init(&told[i]);
        odp_buffer_init(&records[i]);
        ways_read(d, path, i == 1, &told[i], &records[i]);
    }
    ways_equal("by masks and by the cursor", &told[0], &told[1]);
    bool asked = ways_oracle_knows(d, &told[0]);
    if (asked) {
        struct ways_oracle oracle;
        ways_oracle_read(&oracle, d, text, len);
        ways_equal("our records and libcsv's", &records[0], &oracle.rows);
        odp_buffer_release(&oracle.rows);
        odp_buffer_release(&oracle.row);
    }
    for (size_t i = 0; i < 2; i++) {
        odp_buffer_release(&told[i]);
        odp_buffer_release(&records[i]);
    }
    close(fd);
    return asked;
}
