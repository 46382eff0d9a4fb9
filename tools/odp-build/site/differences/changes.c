/* The difference of two versions: both sides sorted, then walked side by side.
 *
 * What is matched with what, and in which order it comes out, is in docs/versions.md. An old side need not
 * be unique by a new key: rows with one key are paired in the order in which they stand, the rest came or
 * went. */
#include "site/differences/changes_internal.h"

struct side {
    const struct odp_changes_side *side;
    struct packing packing;
    struct sorter *sorter;
    struct odp_buffer record; /* being packed */
    struct odp_slice *text;   /* fields of the record at hand */
    struct packed at;
    bool unpacked, ended;
    uint64_t rows;
};

struct run_state {
    struct odp_arena arena;
    struct odp_changes_job job; /* as the sinks see it */
    const struct odp_changes_options *options;
    const struct odp_changes_sink *sinks;
    size_t nsinks;
    struct odp_changes_counts *counts;
    struct side from, to;
    uint32_t *cells;
    bool geometry; /* both sides have one */
    bool alike;    /* field k is the same field k on both sides: packed rows can be compared whole */
};

/* ---- what makes a key ---- */

/* The key's fields, or without a key all fields that both sides have, in the order of the new layout. */
static void choose_parts(struct run_state *r)
{
    const struct odp_layout *old = r->from.side->layout, *now = r->to.side->layout;
    const int *old_of = r->job.schema->old_of;
    uint32_t n = r->job.keyed ? now->nkey : now->n, count = 0;
    uint32_t *parts[2] = {odp_arena_array(&r->arena, (size_t)n + 1, sizeof **parts),
                          odp_arena_array(&r->arena, (size_t)n + 1, sizeof **parts)};
    bool *integer = odp_arena_array(&r->arena, (size_t)n + 1, sizeof *integer);
    bool *number = odp_arena_array(&r->arena, (size_t)n + 1, sizeof *number);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t field = r->job.keyed ? now->key[k] : k;
        if (old_of[field] < 0)
            continue;
        enum odp_type was = old->fields[old_of[field]].type, is = now->fields[field].type;
        parts[0][count] = (uint32_t)old_of[field];
        parts[1][count] = field;
        integer[count] = was == ODP_TYPE_INTEGER && is == ODP_TYPE_INTEGER;
        /* Without a key a row is its texts: 1.5 that became 1.50 is a change then, as everywhere else. */
        number[count] = r->job.keyed && was == is && is == ODP_TYPE_NUMBER;
        count++;
    }
    for (int i = 0; i < 2; i++) {
        struct side *s = i == 0 ? &r->from : &r->to;
        s->packing = (struct packing){.parts = parts[i],
                                      .integer = integer,
                                      .number = number,
                                      .nparts = count,
                                      .nfields = s->side->layout->n,
                                      .geometry = s->side->layout->has_geometry,
                                      .geometry_in_key = !r->job.keyed && r->geometry,
                                      .whole = true};
    }
}

static bool are_alike(const struct run_state *r)
{
    const struct odp_layout *old = r->from.side->layout, *now = r->to.side->layout;
    bool alike = old->n == now->n;
    for (uint32_t k = 0; k < now->n && alike; k++)
        alike = r->job.schema->old_of[k] == (int)k;
    return alike;
}

/* ---- one side ---- */

static enum odp_status read_side(struct run_state *r, struct side *s)
{
    struct odp_reading_record rec;
    size_t memory = r->options->memory > 0 ? r->options->memory : ODP_CHANGES_MEMORY;
    s->text = odp_arena_zero(&r->arena, (size_t)s->packing.nfields + 1, sizeof *s->text);
    if (odp_digest_new(&s->packing.digest) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = sorter_new(&s->sorter, r->options->scratch, memory / 2);
    while (status == ODP_OK && (status = odp_reading_next(s->side->reading, &rec)) == ODP_OK) {
        s->rows++;
        status = pack_record(&s->packing, &rec, &s->record);
        if (status == ODP_OK)
            status = sorter_add(s->sorter, odp_buffer_slice(&s->record));
    }
    return status == ODP_DONE ? sorter_end(s->sorter) : status;
}

static enum odp_status side_next(struct side *s)
{
    const char *record = NULL;
    enum odp_status status = sorter_next(s->sorter, &record);
    s->unpacked = false;
    s->ended = status == ODP_DONE;
    if (status == ODP_OK)
        s->at = unpack(record, s->packing.geometry);
    return status == ODP_DONE ? ODP_OK : status;
}

static const struct odp_slice *side_text(struct side *s)
{
    if (!s->unpacked)
        unpack_fields(s->at.fields, s->text, s->packing.nfields);
    s->unpacked = true;
    return s->text;
}

static void side_release(struct side *s)
{
    sorter_free(s->sorter);
    odp_digest_free(s->packing.digest);
    odp_buffer_release(&s->packing.bytes);
    odp_buffer_release(&s->record);
}

/* ---- side by side ---- */

static enum odp_status tell(struct run_state *r, const struct odp_change *c)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < r->nsinks && status == ODP_OK && !r->options->counts_only; i++)
        status = r->sinks[i].row(r->sinks[i].ctx, c);
    return status;
}

static enum odp_status tell_one(struct run_state *r, enum odp_change_op op)
{
    char text[GEOMETRY_TEXT];
    struct side *s = op == ODP_CHANGE_ADDED ? &r->to : &r->from;
    struct odp_change c = {.op = op};
    struct odp_slice geometry = geometry_text(s->at.geometry, text);
    if (op == ODP_CHANGE_ADDED) {
        r->counts->added++;
        c.after = side_text(s);
        c.geometry_after = geometry;
    } else {
        r->counts->removed++;
        c.before = side_text(s);
        c.geometry_before = geometry;
    }
    enum odp_status status = tell(r, &c);
    return status == ODP_OK ? side_next(s) : status;
}

static uint32_t find_cells(struct run_state *r)
{
    uint32_t n = 0;
    if (r->alike && odp_slice_eq(r->from.at.fields, r->to.at.fields))
        return 0;
    const struct odp_slice *before = side_text(&r->from), *after = side_text(&r->to);
    for (uint32_t k = 0; k < r->to.packing.nfields; k++) {
        int was = r->job.schema->old_of[k];
        if (was >= 0 &&
            ((before[was].ptr == NULL) != (after[k].ptr == NULL) || !odp_slice_eq(before[was], after[k])))
            r->cells[n++] = k;
    }
    return n;
}

/* Rows with the same key; without a key they are the same row. */
static enum odp_status tell_pair(struct run_state *r)
{
    char before[GEOMETRY_TEXT], after[GEOMETRY_TEXT];
    struct odp_change c = {
        .op = ODP_CHANGE_CHANGED, .cells = r->cells, .ncells = r->job.keyed ? find_cells(r) : 0};
    c.geometry_changed = r->job.keyed && r->geometry && r->counts->geometry_compared &&
                         memcmp(r->from.at.geometry, r->to.at.geometry, GEOMETRY_SIZE) != 0;
    enum odp_status status = ODP_OK;
    if (c.ncells > 0 || c.geometry_changed) {
        r->counts->changed++;
        r->counts->cells += c.ncells;
        r->counts->geometry += c.geometry_changed;
        c.before = side_text(&r->from);
        c.after = side_text(&r->to);
        c.geometry_before = geometry_text(r->from.at.geometry, before);
        c.geometry_after = geometry_text(r->to.at.geometry, after);
        status = tell(r, &c);
    }
    if (status == ODP_OK)
        status = side_next(&r->from);
    return status == ODP_OK ? side_next(&r->to) : status;
}

/* A geometry that was not carried whole by both sides is left out of the key; the order stays. */
static struct odp_slice key_of(const struct run_state *r, const struct side *s)
{
    struct odp_slice key = s->at.key;
    if (s->packing.geometry_in_key && !r->counts->geometry_compared)
        key.len -= GEOMETRY_SIZE;
    return key;
}

static enum odp_status join(struct run_state *r)
{
    enum odp_status status = side_next(&r->from);
    if (status == ODP_OK)
        status = side_next(&r->to);
    while (status == ODP_OK && !(r->from.ended && r->to.ended)) {
        int c = r->from.ended ? 1 : r->to.ended ? -1 : odp_slice_cmp(key_of(r, &r->from), key_of(r, &r->to));
        status = c < 0   ? tell_one(r, ODP_CHANGE_REMOVED)
                 : c > 0 ? tell_one(r, ODP_CHANGE_ADDED)
                         : tell_pair(r);
    }
    return status;
}

/* ---- the whole ---- */

static void prepare(struct run_state *r)
{
    const struct odp_layout *now = r->to.side->layout;
    r->job.keyed = r->job.keyed && r->job.schema->comparable;
    r->geometry = r->from.side->layout->has_geometry && now->has_geometry;
    r->alike = are_alike(r);
    r->cells = odp_arena_array(&r->arena, (size_t)now->n + 1, sizeof *r->cells);
    choose_parts(r);
}

enum odp_status odp_changes_run(const struct odp_changes_job *job, const struct odp_changes_options *o,
                                const struct odp_changes_sink *sinks, size_t nsinks,
                                struct odp_changes_counts *counts)
{
    struct run_state r = {.job = *job, .options = o, .sinks = sinks, .nsinks = nsinks, .counts = counts};
    *counts = (struct odp_changes_counts){0};
    odp_arena_init(&r.arena);
    r.from.side = job->from;
    r.to.side = job->to;
    prepare(&r);
    enum odp_status status = read_side(&r, &r.from);
    if (status == ODP_OK)
        status = read_side(&r, &r.to);
    counts->from_rows = r.from.rows;
    counts->to_rows = r.to.rows;
    counts->geometry_compared = !r.geometry || (r.from.packing.whole && r.to.packing.whole);
    for (size_t i = 0; i < nsinks && status == ODP_OK; i++)
        status = sinks[i].begin(sinks[i].ctx, &r.job);
    if (status == ODP_OK)
        status = join(&r);
    for (size_t i = 0; i < nsinks && status == ODP_OK; i++)
        status = sinks[i].end(sinks[i].ctx, counts);
    side_release(&r.from);
    side_release(&r.to);
    odp_arena_release(&r.arena);
    return status;
}
