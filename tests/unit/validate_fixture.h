/* For the tests of check: a catalogue in a temporary folder, rows written as text ("a|b|c"), and what became
 * of them as text. Included by one program each. */
#pragma once

#include "catalog_folder.h"

#include "check/validator.h"

#define MAX_COLUMNS 16

struct lab {
    struct folder folder;
    struct odp_keyring *keys;
    const struct odp_resource *resource;
    struct odp_source_info info;
    int columns[MAX_COLUMNS], fields[MAX_COLUMNS];
    struct odp_validator *validator;
    struct odp_batch batch;
    struct odp_diags *diags; /* of all batches and of finish */
    uint64_t rows;
    uint32_t flags; /* of the next cells */
    struct odp_buffer out;
};

static inline void lab_init(struct lab *l)
{
    memset(l, 0, sizeof *l);
    folder_init(&l->folder);
    folder_write(&l->folder, "portal.json", PORTAL);
    folder_write(
        &l->folder, "changes.json",
        "{\"releases\": [{\"version\": \"1.0.0\", \"date\": \"2024-01-01\", \"changes\": [\"x\"]}]}");
    odp_buffer_init(&l->out);
}

/* A dataset with one resource; SCHEMA is the schema's members, EXTRA more members of the resource. */
static inline void lab_dataset(struct lab *l, const char *slug, const char *schema, const char *extra)
{
    static char text[65536];
    char path[128];
    snprintf(
        text, sizeof text,
        "{\"name\": \"%s\", \"title\": \"t\", \"odp:formats\": [\"CSV\"], \"odp:lastUpdate\": \"2024-01-01\","
        " \"resources\": [{\"name\": \"%s\", \"path\": \"x.csv\", %s \"schema\": {%s}}]}",
        slug, slug, extra, schema);
    snprintf(path, sizeof path, "%s/dataset.json", slug);
    folder_write(&l->folder, path, text);
}

static inline void lab_open(struct lab *l)
{
    enum odp_status status = folder_open(&l->folder);
    if (status != ODP_OK || odp_diags_count(l->folder.diags, ODP_SEVERITY_ERROR) > 0)
        fail_msg("catalogue: %s", folder_faults(&l->folder));
    must(odp_keyring_new(&l->keys, l->folder.catalog));
    must(odp_batch_init(&l->batch, SIZE_MAX));
}

static inline void lab_stop(struct lab *l)
{
    odp_validator_free(l->validator);
    odp_diags_free(l->diags);
    l->validator = NULL;
    l->diags = NULL;
}

/* Begins with the first resource of dataset SLUG. */
static inline void lab_start(struct lab *l, const char *slug)
{
    lab_stop(l);
    const struct odp_dataset *d = odp_catalog_find(l->folder.catalog, slug);
    assert_non_null(d);
    l->resource = &d->resources[0];
    assert_true(l->resource->schema.n <= MAX_COLUMNS);
    for (int i = 0; i < MAX_COLUMNS; i++)
        l->columns[i] = l->fields[i] = i;
    l->info = (struct odp_source_info){
        .file = "x.csv",
        .column_of_field = l->columns,
        .field_of_column = l->fields,
        .ncolumns = l->resource->schema.n,
        .crs = "",
        .crs_operation = "",
    };
    must(odp_diags_new(&l->diags, SIZE_MAX));
    odp_diags_set_overrides(l->diags, l->resource->severity);
    odp_diags_set_overrides(l->batch.diags, l->resource->severity);
    odp_keyring_set(l->keys, l->resource, ODP_KEYS_ABSENT);
    must(odp_validator_new(&l->validator, l->resource, &l->info, l->keys, 1, l->diags));
    odp_batch_reset(&l->batch, l->resource);
    l->rows = 0;
}

/* One record, cells parted by '|'. "~" alone is a record that was skipped, a cell "\\N" a null of the source.
 */
static inline void lab_row(struct lab *l, const char *row)
{
    size_t len = strlen(row);
    char *copy = odp_arena_str(&l->batch.arena, row);
    struct odp_record *r = odp_batch_add_record(&l->batch);
    assert_non_null(copy);
    assert_non_null(r);
    l->rows++;
    *r = (struct odp_record){
        .row = l->rows, .line = l->rows + 1, .source = {copy, len}, .first = l->batch.ncells};
    if (strcmp(row, "~") == 0) {
        r->flags = ODP_RECORD_SKIP;
        return;
    }
    for (size_t at = 0;;) {
        const char *end = memchr(copy + at, '|', len - at);
        size_t n = end != NULL ? (size_t)(end - copy) - at : len - at;
        struct odp_cell *c = odp_batch_add_cells(&l->batch, 1);
        assert_non_null(c);
        *c = (struct odp_cell){
            .ptr = copy + at, .len = (uint32_t)n, .flags = l->flags & 7u, .pos = (uint32_t)at & 0x3ffffffu};
        if (n == 2 && memcmp(copy + at, "\\N", 2) == 0)
            c->flags = ODP_CELL_NULL;
        r->count++;
        if (end == NULL)
            break;
        at += n + 1;
    }
}

/* The rows so far, as one batch. The batch can be looked at until the next row. */
static inline void lab_batch(struct lab *l)
{
    must(odp_validator_batch(l->validator, &l->batch, 0));
    must(odp_validator_merge(l->validator, &l->batch));
    must(odp_diags_merge(l->diags, l->batch.diags));
}

static inline void lab_next(struct lab *l)
{
    odp_batch_reset(&l->batch, l->resource);
    odp_diags_set_overrides(l->batch.diags, l->resource->severity);
}

static inline const char *lab_show(struct lab *l, bool with_line)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(l->diags, &n);
    for (size_t i = 0; i < n; i++)
        for (const struct odp_diag_node *e = groups[i]->examples; e != NULL; e = e->next) {
            const struct odp_diag *d = &e->diag;
            if (l->out.len > 0)
                odp_buffer_add_char(&l->out, ' ');
            odp_buffer_add_str(&l->out, odp_code_info(d->code)->code + 4);
            if (with_line && d->field != NULL)
                odp_buffer_printf(&l->out, ".%s", d->field);
            if (with_line && d->line > 0)
                odp_buffer_printf(&l->out, ":%llu", (unsigned long long)d->line);
            if (with_line && d->args[0].len > 0)
                odp_buffer_printf(&l->out, "(%.*s)", (int)d->args[0].len, d->args[0].ptr);
            if (d->proposal.ptr != NULL)
                odp_buffer_printf(&l->out, ">%.*s", (int)d->proposal.len, d->proposal.ptr);
        }
    return odp_buffer_cstr(&l->out);
}

/* Ends; the faults as "K01.kode:3(2) …". Frees the validator, keeps the keys as READY or REJECTED. */
static inline const char *lab_finish(struct lab *l)
{
    if (l->batch.nrecords > 0)
        lab_batch(l);
    lab_next(l);
    must(odp_validator_finish(l->validator, l->diags));
    bool good = odp_diags_count(l->diags, ODP_SEVERITY_ERROR) == 0;
    odp_keyring_set(l->keys, l->resource, good ? ODP_KEYS_READY : ODP_KEYS_REJECTED);
    odp_buffer_clear(&l->out);
    return lab_show(l, true);
}

/* All of it: rows of dataset SLUG (ended by NULL) through the stages. */
static inline const char *lab_run(struct lab *l, const char *slug, const char *const *rows)
{
    lab_start(l, slug);
    for (; *rows != NULL; rows++)
        lab_row(l, *rows);
    return lab_finish(l);
}
#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void lab_close(struct lab *l)
{
    lab_stop(l);
    odp_keyring_free(l->keys);
    odp_batch_release(&l->batch);
    folder_close(&l->folder);
    l->keys = NULL;
}

static inline void lab_release(struct lab *l)
{
    lab_close(l);
    odp_buffer_release(&l->out);
    folder_release(&l->folder);
}

/* A table of one field: what becomes of CELL: "=text" or "null", then the codes with their proposals. */
static inline const char *lab_cell_flags(struct lab *l, const char *field, const char *cell, uint32_t flags)
{
    char schema[8192];
    snprintf(schema, sizeof schema,
             "\"fields\": [{\"name\": \"f\", %s}, {\"name\": \"nomor\", \"type\": \"integer\"}], "
             "\"primaryKey\": [\"nomor\"]",
             field);
    lab_dataset(l, "satu", schema, "");
    lab_open(l);
    lab_start(l, "satu");
    l->flags = flags;
    char row[4096];
    snprintf(row, sizeof row, "%s|1", cell);
    lab_row(l, row);
    l->flags = 0;
    lab_batch(l);
    odp_buffer_clear(&l->out);
    struct odp_slice s = l->batch.columns[0].text[0];
    switch (l->batch.columns[0].state[0]) {
    case ODP_VALUE_OK:
        odp_buffer_printf(&l->out, "=%.*s", (int)s.len, s.ptr);
        break;
    case ODP_VALUE_NULL:
        odp_buffer_add_str(&l->out, "null");
        break;
    default:
        assert_int_equal(l->batch.record_bad[0], 1);
        break;
    }
    const char *shown = lab_show(l, false);
    lab_close(l);
    return shown;
}

static inline const char *lab_cell(struct lab *l, const char *field, const char *cell)
{
    return lab_cell_flags(l, field, cell, 0);
}
