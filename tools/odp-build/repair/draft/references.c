/* Compares the catalogue's code lists and keys, as hashes, with each column's values.
 *
 * A code list becomes a reference if at least 95 % of the distinct values (or all but one of five) are in
 * it; of equal editions the newest. A dataset with most of the same labels is probably the same table:
 * reported, not referred to. */

#include "read/source.h"
#include "repair/draft/draft_internal.h"

enum { TARGETS = 200, TARGET_VALUES = 1000000 };

/* Values of the key of R's own source. Unreadable ones are left out: its own check reports why. */
static enum odp_status read_values(struct odp_draft *d, const struct odp_resource *r, struct target *t)
{
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    struct odp_batch b;
    struct odp_arena scratch = {0};
    if (odp_batch_init(&b, 0) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = odp_diags_new(&own, 0);
    char *path = odp_resource_source(r, NULL, &scratch);
    if (status == ODP_OK)
        status = odp_source_open(&source, r, path, path, 1, own);
    int column = status == ODP_OK ? odp_source_info(source)->column_of_field[t->field] : -1;
    while (status == ODP_OK && column >= 0) {
        odp_batch_reset(&b, r);
        status = odp_source_read(source, &b);
        if (status != ODP_OK)
            break;
        status = odp_source_slice(source, &b, 0);
        for (uint32_t i = 0; i < b.nrecords && status == ODP_OK; i++) {
            struct odp_cell cell;
            if ((b.records[i].flags & ODP_RECORD_SKIP) != 0 || !draft_cell(&b, i, (uint32_t)column, &cell) ||
                cell.len == 0)
                continue;
            struct odp_slice s = odp_slice_trim((struct odp_slice){cell.ptr, cell.len});
            t->bytes += s.len;
            (void)distinct_add(&t->values, distinct_hash(s), TARGET_VALUES, &d->budget);
        }
    }
    odp_source_close(source);
    odp_diags_free(own);
    odp_batch_release(&b);
    odp_arena_release(&scratch);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status add_target(struct odp_draft *d, const struct odp_dataset *set,
                                  const struct odp_resource *r)
{
    if (d->ntargets == TARGETS || r->schema.primary.n != 1 || strcmp(set->slug, d->slug) == 0)
        return ODP_OK;
    struct target *t = &d->targets[d->ntargets];
    *t = (struct target){.resource = r, .field = r->schema.primary.fields[0]};
    if (!r->schema.fields[t->field].is_public && !set->reference)
        return ODP_OK; /* private values are not compared */
    t->label = set->reference ? odp_arena_printf(&d->arena, "%s@%s", set->path, r->edition)
                              : odp_arena_str(&d->arena, set->slug);
    d->ntargets++;
    return read_values(d, r, t);
}

enum odp_status draft_targets(struct odp_draft *d)
{
    const struct odp_catalog *c = d->options.catalog;
    enum odp_status status = ODP_OK;
    if (c == NULL || d->targets_read)
        return ODP_OK;
    d->targets_read = true;
    d->targets = odp_arena_zero(&d->arena, TARGETS, sizeof *d->targets);
    const size_t own = c->ndatasets - c->nlists; /* the code lists first, by all their editions */
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++) {
        const struct odp_dataset *set = &c->datasets[(own + i) % c->ndatasets];
        for (size_t k = 0; k < (set->reference ? set->nresources : set->nresources > 0) && status == ODP_OK;
             k++)
            status = add_target(d, set, &set->resources[k]);
    }
    return status;
}

/* "kabkota" of "references/kabkota@2025"; the name of a dataset's key. */
static bool name_fits(const struct column *c, const struct target *t)
{
    const struct odp_dataset *set = t->resource->dataset;
    const char *key = t->resource->schema.fields[t->field].name;
    if (strcmp(c->name, key) == 0 && !set->reference)
        return true;
    const char *word = set->slug;
    char plain[64];
    size_t n = 0;
    for (; word[n] != '\0' && n + 1 < sizeof plain; n++)
        plain[n] = word[n] == '-' ? '_' : word[n];
    plain[n] = '\0';
    return strstr(c->name, plain) != NULL ||
           (strlen(c->name) >= 4 && set->reference && strstr(plain, c->name) != NULL) ||
           (strstr(plain, "provinsi") != NULL && odp_name_has(c->name, "prov propinsi")) ||
           (strstr(plain, "kabkota") != NULL && odp_name_has(c->name, "kab kabupaten kota kdkab wilayah"));
}

/* A better comparison: more values in common, then the name, then the later edition. */
static bool is_better(const struct column *c, const struct hit *a, const struct hit *b)
{
    bool x = name_fits(c, a->target), y = name_fits(c, b->target);
    if (a->common != b->common)
        return a->common > b->common;
    if (x != y)
        return x;
    const char *e = a->target->resource->edition_date, *f = b->target->resource->edition_date;
    if (e != NULL && f != NULL && strcmp(e, f) != 0)
        return strcmp(e, f) > 0;
    return a->target->values.n < b->target->values.n;
}

/* Small numbers and single letters are in many lists by chance. */
static bool is_worth(const struct column *c, const struct target *t, size_t common)
{
    size_t n = c->distinct.n;
    uint64_t mean = t->values.n > 0 ? t->bytes / t->values.n : 0;
    if (common == 0 || common * 2 < n || c->spaced * 2 > c->cells)
        return false;
    if (name_fits(c, t))
        return true;
    if (!t->resource->dataset->reference)
        return common == n && n >= 5 && mean >= 5;
    return mean >= 4 ? n >= 2 : common == n && (n >= 10 ? mean >= 2 : n >= 3 && mean >= 3);
}

void draft_compare(struct odp_draft *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        struct column *c = &d->columns[i];
        c->nhits = 0;
        if (c->distinct.cap == 0 || c->distinct.n == 0 || c->private_cells > 0)
            continue;
        for (size_t k = 0; k < d->ntargets; k++) {
            if (d->targets[k].values.cap == 0)
                continue;
            struct hit h = {&d->targets[k], distinct_common(&c->distinct, &d->targets[k].values)};
            if (!is_worth(c, h.target, h.common))
                continue;
            uint32_t at = c->nhits;
            while (at > 0 && is_better(c, &h, &c->hit[at - 1]))
                at--;
            if (at == HITS)
                continue;
            for (uint32_t m = c->nhits < HITS ? c->nhits++ : HITS - 1; m > at; m--)
                c->hit[m] = c->hit[m - 1];
            c->hit[at] = h;
        }
    }
}

bool column_same_table(const struct odp_draft *d, const struct column *c)
{
    const struct odp_resource *r = c->nhits > 0 ? c->hit[0].target->resource : NULL;
    uint32_t same = 0;
    if (r == NULL || r->dataset->reference)
        return false;
    for (uint32_t f = 0; f < r->schema.n; f++)
        for (uint32_t i = 0; i < d->n; i++)
            if (odp_slice_is(d->columns[i].label, r->schema.fields[f].source_name)) {
                same++;
                break;
            }
    return same * 2 > r->schema.n;
}
