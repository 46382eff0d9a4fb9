/* For tests of the CSV source: a resource made by hand, a file made from bytes, and all that comes out of it.
 */
#pragma once
#include "run.h"

#include <unistd.h>

#include "base/utf8.h"
#include "read/source.h"

struct out_row {
    struct odp_record rec;
    struct odp_cell *cells;
    struct odp_slice source;
};

struct fixture {
    struct odp_arena arena;
    struct odp_dataset dataset;
    struct odp_resource resource;
    struct odp_field fields[64];
    struct odp_diags *diags;
    enum odp_status opened;
    struct odp_source_info info; /* copied; arrays in arena */
    struct out_row *rows;        /* every record, SKIP or not */
    size_t nrows, cap;
    size_t batches, lasts;
    uint64_t source_bytes, file_bytes;
};

/* NAMES: "a b c". */
static inline void fixture_init(struct fixture *x, const char *names)
{
    static const uint32_t one = 1;
    memset(x, 0, sizeof(*x));
    odp_arena_init(&x->arena);
    must(odp_diags_new(&x->diags, 1000));
    x->dataset.slug = "uji";
    x->resource.dataset = &x->dataset;
    x->resource.name = "uji";
    x->resource.path = "uji.csv";
    x->resource.encoding = "utf-8";
    x->resource.bytes = -1;
    x->resource.where = "dataset.json:1";
    x->resource.dialect = (struct odp_dialect){
        .delimiter = ',',
        .quote = '"',
        .double_quote = true,
        .header = true,
        .header_join = " ",
        .nheader_rows = 1,
    };
    x->resource.dialect.header_rows = (uint32_t *)(uintptr_t)&one;
    x->resource.schema.fields = x->fields;
    x->resource.schema.match = ODP_MATCH_EXACT;
    char *copy = odp_arena_str(&x->arena, names);
    assert_non_null(copy);
    for (char *save = NULL, *word = strtok_r(copy, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save)) {
        assert_true(x->resource.schema.n < 64);
        struct odp_field *f = &x->fields[x->resource.schema.n++];
        f->name = f->source_name = word;
        f->type = ODP_TYPE_STRING;
        f->is_public = true;
    }
}

static inline void fixture_release(struct fixture *x)
{
    odp_diags_free(x->diags);
    odp_arena_release(&x->arena);
    free(x->rows);
}
#define FIXTURE(v, ...) OWNED(fixture, v, fixture, &v, __VA_ARGS__)

static inline void fixture_keep(struct fixture *x, const struct odp_batch *b)
{
    for (uint32_t i = 0; i < b->nrecords; i++) {
        if (x->nrows == x->cap) {
            x->cap = x->cap == 0 ? 64 : x->cap * 2;
            x->rows = realloc(x->rows, x->cap * sizeof(*x->rows));
            assert_non_null(x->rows);
        }
        struct out_row *o = &x->rows[x->nrows++];
        o->rec = b->records[i];
        o->source = odp_arena_copy(&x->arena, b->records[i].source);
        o->cells = odp_arena_array(&x->arena, o->rec.count + 1, sizeof(*o->cells));
        for (uint32_t c = 0; c < o->rec.count; c++) {
            o->cells[c] = b->cells[o->rec.first + c];
            struct odp_slice text =
                odp_arena_copy(&x->arena, (struct odp_slice){o->cells[c].ptr, o->cells[c].len});
            o->cells[c].ptr = text.ptr;
        }
    }
}

/* Opens PATH and reads it to its end. KEEP: rows are kept, else only counted. */
static inline void fixture_read(struct fixture *x, const char *path, bool keep)
{
    struct odp_source *s = NULL;
    struct odp_batch b;
    enum odp_status status;
    x->opened = odp_source_open(&s, &x->resource, path, "uji.csv", 1, x->diags);
    assert_int_not_equal(x->opened, ODP_FAIL);
    if (x->opened != ODP_OK) {
        assert_null(s);
        return;
    }
    x->info = *odp_source_info(s);
    x->file_bytes = x->info.bytes;
    int *columns = odp_arena_array(&x->arena, x->resource.schema.n + 1, sizeof(int));
    memcpy(columns, x->info.column_of_field, x->resource.schema.n * sizeof(int));
    x->info.column_of_field = columns;
    must(odp_batch_init(&b, 1000));
    for (;;) {
        odp_batch_reset(&b, &x->resource);
        status = odp_source_read(s, &b);
        assert_int_not_equal(status, ODP_FAIL);
        if (status == ODP_DONE)
            break;
        assert_int_equal(b.index, x->batches);
        x->batches++;
        x->lasts += b.last;
        x->source_bytes += b.source_bytes;
        must(odp_source_slice(s, &b, 0));
        if (keep)
            fixture_keep(x, &b);
        else
            x->nrows += b.nrecords;
        must(odp_diags_merge(x->diags, b.diags));
    }
    odp_batch_release(&b);
    odp_source_close(s);
}

static inline void write_file(char path[FRESH_FOLDER], const void *bytes, size_t len)
{
    snprintf(path, FRESH_FOLDER, "%s/odp-csv-XXXXXX", odp_temporary_place());
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "wb");
    assert_non_null(f);
    assert_true(len == 0 || fwrite(bytes, 1, len, f) == len);
    assert_int_equal(fclose(f), 0);
}

static inline void fixture_bytes(struct fixture *x, const void *bytes, size_t len)
{
    char path[FRESH_FOLDER];
    write_file(path, bytes, len);
    fixture_read(x, path, true);
    assert_int_equal(unlink(path), 0);
}

static inline void fixture_text(struct fixture *x, const char *text)
{
    fixture_bytes(x, text, strlen(text));
}

/* Row I as "a|b|c", skipped ones as "-". Good until the next call. */
static inline const char *row_text(const struct fixture *x, size_t i)
{
    static char text[4096];
    size_t n = 0;
    assert_true(i < x->nrows);
    if ((x->rows[i].rec.flags & ODP_RECORD_SKIP) != 0)
        return "-";
    for (uint32_t c = 0; c < x->rows[i].rec.count; c++) {
        const struct odp_cell *cell = &x->rows[i].cells[c];
        assert_true(n + cell->len + 2 < sizeof(text));
        if (c > 0)
            text[n++] = '|';
        memcpy(text + n, cell->ptr, cell->len);
        n += cell->len;
    }
    text[n] = '\0';
    return text;
}

/* The faults as "R02 3:5 R04 4:1", in order of groups. */
static inline const char *faults(const struct fixture *x)
{
    static char text[4096];
    size_t n = 0, groups;
    const struct odp_diag_group *const *g = odp_diags_groups(x->diags, &groups);
    text[0] = '\0';
    for (size_t i = 0; i < groups; i++)
        for (const struct odp_diag_node *e = g[i]->examples; e != NULL; e = e->next)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %llu:%llu", n == 0 ? "" : " ",
                                  odp_code_info(g[i]->code)->code + 4, (unsigned long long)e->diag.line,
                                  (unsigned long long)e->diag.column);
    return text;
}

static inline const struct odp_diag *first_fault(const struct fixture *x)
{
    size_t n;
    const struct odp_diag_group *const *g = odp_diags_groups(x->diags, &n);
    assert_true(n > 0 && g[0]->examples != NULL);
    return &g[0]->examples->diag;
}
