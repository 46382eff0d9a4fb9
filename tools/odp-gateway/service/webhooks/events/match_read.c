/* Which records differ, and these records out of the published files. */
#include "published/stage.h"
#include "published/version_reading.h"
#include "service/webhooks/events/match_internal.h"

static const struct odp_text why_no_changes = {
    {"daftar perubahan versi {0} tidak dapat dibaca", "the list of what changed in version {0} cannot be read"}};
static const struct odp_text why_counts = {
    {"untuk versi {0} hanya jumlah perubahan yang diterbitkan", "only counts of what changed are published for version {0}"}};
static const struct odp_text why_many = {
    {"terlalu banyak rekaman berubah dalam versi {0} untuk disaring", "too many records differ in version {0} to be filtered"}};
static const struct odp_text why_key = {
    {"kunci tabel {0} berubah di antara versi-versi ini", "the key of the table {0} changed among these versions"}};
static const struct odp_text why_enough = {
    {"penyaringan versi {0} memakan waktu terlalu lama", "filtering version {0} took too long"}};
static const struct odp_text why_records = {
    {"berkas data versi {0} tidak dapat dibaca", "the data files of version {0} cannot be read"}};

enum odp_status match_unknown_asked(struct match_work *w, const struct odp_text *why, const char *what)
{
    for (size_t i = 0; i < w->m->n; i++)
        if (w->asked[i] && match_unknown(w->m, i, why, what) != ODP_OK)
            return ODP_FAIL;
    return ODP_DONE;
}

/* ---- which ---- */

/* changes.json of step K on the disk, as the manifest has it. */
static enum odp_status find_changes(struct match_work *w, size_t k)
{
    const json_t *changes = json_object_get(w->steps[k].to, "changes");
    const char *version = w->steps[k].to_version;
    const char *url = odp_version_path(json_string_value(json_object_get(changes, "json")));
    if (json_is_true(json_object_get(changes, "counts_only")))
        return match_unknown_asked(w, &why_counts, version);
    const struct odp_site_file *f = url != NULL ? odp_site_find(w->m->site, url) : NULL;
    if (f == NULL)
        return match_unknown_asked(w, &why_no_changes, version);
    bool here = odp_site_has(w->m->site, f);
    enum odp_status status = odp_site_local(w->m->site, f, w->m->a, &w->changes[k], w->m->diags);
    if (status == ODP_OK && here && odp_site_intact(w->m->site, f, w->changes[k]) != ODP_OK)
        status = odp_site_complain(w->m->diags, odp_site_shown(w->m->site), f->path, "manifest.json");
    return status == ODP_BAD ? match_unknown_asked(w, &why_no_changes, version) : status;
}

static enum odp_status add_keys(struct match_work *w, struct match_changes *changes)
{
    static const uint8_t expected[] = {[ODP_CHANGE_ADDED] = MATCH_EXPECTED_TO,
                                       [ODP_CHANGE_REMOVED] = MATCH_EXPECTED_FROM,
                                       [ODP_CHANGE_CHANGED] = MATCH_EXPECTED_FROM | MATCH_EXPECTED_TO};
    struct match_change c;
    struct match_entry *e;
    enum odp_status status;
    while ((status = match_changes_next(changes, &c)) == ODP_OK) {
        status = match_keys_add(&w->keys, c.key, c.op, &e);
        if (status != ODP_OK)
            return status == ODP_DONE ? ODP_BAD : status;
        for (int i = 0; i < 2; i++) {
            uint8_t flag = (uint8_t)(i == 0 ? MATCH_EXPECTED_FROM : MATCH_EXPECTED_TO);
            w->expected[i] += (expected[c.op] & flag) != 0 && (e->flags & flag) == 0;
        }
        e->flags |= expected[c.op];
    }
    return status;
}

/* Rows can be looked up in both versions by the newest's key. */
static bool has_newest_key(const struct match_work *w, size_t k)
{
    const struct match_side *from = &w->sides[w->from[k]], *to = &w->sides[w->to[k]], *newest = &w->sides[w->nsides - 1];
    bool same = from->keyed && to->keyed && newest->layout->nkey > 0 && to->layout->nkey == newest->layout->nkey;
    for (uint32_t i = 0; same && i < newest->layout->nkey; i++)
        same = to->key[i] == to->layout->key[i];
    return same;
}

static enum odp_status load_step(struct match_work *w, size_t k)
{
    struct match_side *from = &w->sides[w->from[k]], *to = &w->sides[w->to[k]];
    struct match_changes *changes = NULL;
    const char *version = w->steps[k].to_version;
    enum odp_status status = find_changes(w, k);
    if (status == ODP_OK) {
        status = match_changes_open(&changes, w->changes[k], from->layout, to->layout);
        if (status == ODP_BAD)
            status = match_unknown_asked(w, &why_no_changes, version);
    }
    if (status != ODP_OK)
        return status;
    if (match_changes_counts_only(changes)) {
        status = match_unknown_asked(w, &why_counts, version);
    } else if (!match_changes_keyed(changes)) {
        w->kinds[k] = MATCH_ROWS;
    } else if (!has_newest_key(w, k)) {
        status = match_unknown_asked(w, &why_key, w->name);
    } else {
        w->kinds[k] = MATCH_KEYED;
        from->looked = to->looked = true;
        status = add_keys(w, changes);
        if (status == ODP_BAD)
            status = match_unknown_asked(w, w->keys.n >= ODP_EVENT_MATCH_KEYS ? &why_many : &why_no_changes, version);
        else if (status == ODP_DONE)
            status = ODP_OK;
    }
    match_changes_close(changes);
    return status;
}

/* ---- records ---- */

/* The next record of R. BAD becomes DONE: it was said of all filters. */
static enum odp_status next_record(struct match_work *w, const struct match_side *s, struct odp_reading *r,
                                   struct odp_reading_record *rec, bool *ended)
{
    enum odp_status status = odp_reading_next(r, rec);
    *ended = status == ODP_DONE;
    if (status == ODP_BAD) {
        if (odp_version_reading_complain(r, w->m->site, s->resource, w->m->diags) == ODP_FAIL)
            return ODP_FAIL;
        return match_unknown_asked(w, &why_records, s->version);
    }
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status open_records(struct match_work *w, const struct match_side *s, bool geometry, struct odp_reading **out,
                                    struct odp_layout **layout)
{
    enum odp_status status = odp_version_reading_open(out, layout, w->m->site, s->resource, geometry, &w->arena, w->m->diags);
    return status == ODP_BAD ? match_unknown_asked(w, &why_records, s->version) : status;
}

static const struct odp_slice *parts_of(const struct match_work *w, const struct match_side *s, const struct odp_slice *text,
                                        struct odp_slice *parts)
{
    for (uint32_t i = 0; i < w->keys.nparts; i++)
        parts[i] = text[s->key[i]];
    return parts;
}

/* All keys of a first version, where others are told with it. */
static enum odp_status load_all(struct match_work *w, size_t k)
{
    struct match_side *s = &w->sides[w->to[k]];
    struct odp_reading *reading = NULL;
    struct odp_layout *layout = NULL;
    struct odp_reading_record rec;
    struct match_entry *e;
    bool ended = false;
    struct odp_slice *parts = odp_arena_array(&w->arena, (size_t)w->keys.nparts + 1, sizeof *parts);
    enum odp_status status = parts != NULL ? open_records(w, s, false, &reading, &layout) : ODP_FAIL;
    s->looked = true;
    while (status == ODP_OK && (status = next_record(w, s, reading, &rec, &ended)) == ODP_OK && !ended) {
        status = match_keys_add(&w->keys, parts_of(w, s, rec.text, parts), ODP_CHANGE_ADDED, &e);
        if (status == ODP_DONE)
            status = match_unknown_asked(w, &why_many, s->version);
    }
    odp_version_reading_close(reading, layout);
    return status;
}

enum odp_status match_load(struct match_work *w)
{
    const struct match_side *newest = &w->sides[w->nsides - 1];
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < w->nsteps && status == ODP_OK; k++) {
        w->kinds[k] = MATCH_ALL;
        if (w->steps[k].from != NULL)
            status = load_step(w, k);
        else if (w->nsteps > 1 && newest->layout->nkey > 0)
            status = w->sides[w->to[k]].keyed ? load_all(w, k) : match_unknown_asked(w, &why_key, w->name);
    }
    return status;
}

/* Whether a key stands once in the version S, so that one found need not be looked for further. */
static bool is_unique(const struct match_work *w, const struct match_side *s)
{
    bool same = s->layout->nkey == w->keys.nparts;
    for (uint32_t i = 0; same && i < s->layout->nkey; i++)
        same = s->key[i] == s->layout->key[i];
    return same;
}

struct looking {
    const struct match_side *side;
    struct match_rows *rows;
    struct odp_slice *parts;
    uint8_t expected, seen;
    uint64_t left;       /* expected and not seen */
    bool counted, stops; /* LEFT means something; at 0 there is no more to find */
};

static enum odp_status look(struct match_work *w, struct looking *l, struct odp_reading *reading)
{
    struct odp_reading_record rec;
    struct match_entry *e;
    bool ended = false;
    enum odp_status status = ODP_OK;
    while (!(l->stops && l->left == 0) && (status = next_record(w, l->side, reading, &rec, &ended)) == ODP_OK && !ended) {
        status = match_keys_find(&w->keys, parts_of(w, l->side, rec.text, l->parts), &e);
        if (status != ODP_OK)
            return status;
        if (e == NULL)
            continue;
        l->left -= (e->flags & l->expected) != 0 && (e->flags & l->seen) == 0;
        w->lost = w->lost || (match_rows_geometry(l->rows) && !rec.geometry_whole);
        status = match_rows_add(l->rows, rec.text, rec.geometry, (uint32_t)(e - w->keys.items));
        if (status != ODP_OK)
            return status;
    }
    return status == ODP_OK ? match_rows_end(l->rows) : status;
}

/* The records of side I whose keys differ. */
static enum odp_status read_keyed(struct match_work *w, size_t i)
{
    struct match_side *s = &w->sides[i];
    bool single = w->nsteps == 1, after = i + 1 == w->nsides;
    struct match_sink sink = {.keys = &w->keys,
                              .bits = w->bits,
                              .words = w->words,
                              .seen = (uint8_t)(after ? MATCH_SEEN_TO : MATCH_SEEN_FROM),
                              .m = w->m};
    struct looking l = {.side = s,
                        .expected = (uint8_t)(after ? MATCH_EXPECTED_TO : MATCH_EXPECTED_FROM),
                        .seen = sink.seen,
                        .left = w->expected[after],
                        .counted = single,
                        .stops = single && is_unique(w, s)};
    struct odp_reading *reading = NULL;
    struct odp_layout *layout = NULL;
    if (single && l.left == 0)
        return ODP_OK;
    for (uint32_t k = 0; k < w->keys.n; k++)
        w->keys.items[k].flags &= (uint8_t)~sink.seen;
    l.parts = odp_arena_array(&w->arena, (size_t)w->keys.nparts + 1, sizeof *l.parts);
    enum odp_status status =
        l.parts != NULL ? match_rows_new(&l.rows, w->ones, w->nones, i, &s->view, &sink, &w->arena) : ODP_FAIL;
    if (status == ODP_OK)
        status = open_records(w, s, match_rows_geometry(l.rows), &reading, &layout);
    if (status == ODP_OK)
        status = look(w, &l, reading);
    if (status == ODP_BAD)
        status = match_unknown_asked(w, &why_enough, s->version);
    if (status == ODP_OK && l.counted && l.left > 0) /* changes.json and the data do not belong together */
        status = match_unknown_asked(w, &why_records, s->version);
    odp_version_reading_close(reading, layout);
    match_rows_free(l.rows);
    return status;
}

/* Every record of a first version. */
static enum odp_status read_all(struct match_work *w, size_t i)
{
    const struct match_side *s = &w->sides[i];
    const struct match_sink sink = {
        .op = ODP_CHANGE_ADDED, .key = s->layout->key, .nkey = w->nsteps == 1 ? s->layout->nkey : 0, .m = w->m};
    struct match_rows *rows = NULL;
    struct odp_reading *reading = NULL;
    struct odp_layout *layout = NULL;
    struct odp_reading_record rec;
    bool ended = false;
    enum odp_status status = match_rows_new(&rows, w->ones, w->nones, i, &s->view, &sink, &w->arena);
    if (status == ODP_OK)
        status = open_records(w, s, match_rows_geometry(rows), &reading, &layout);
    while (status == ODP_OK && (status = next_record(w, s, reading, &rec, &ended)) == ODP_OK && !ended) {
        w->lost = w->lost || (match_rows_geometry(rows) && !rec.geometry_whole);
        status = match_rows_add(rows, rec.text, rec.geometry, 0);
    }
    if (status == ODP_OK)
        status = match_rows_end(rows);
    if (status == ODP_BAD)
        status = match_unknown_asked(w, &why_enough, s->version);
    odp_version_reading_close(reading, layout);
    match_rows_free(rows);
    return status;
}

/* Rows without a key stand in changes.json as they are. */
static enum odp_status read_rows(struct match_work *w, size_t k)
{
    struct match_rows *rows[2] = {NULL, NULL};
    struct match_changes *changes = NULL;
    struct match_change c;
    enum odp_status status = ODP_OK;
    for (int i = 0; i < 2 && status == ODP_OK; i++) {
        size_t side = i == 0 ? w->from[k] : w->to[k];
        const struct match_sink sink = {.op = i == 0 ? ODP_CHANGE_REMOVED : ODP_CHANGE_ADDED, .m = w->m};
        status = match_rows_new(&rows[i], w->ones, w->nones, side, &w->sides[side].view, &sink, &w->arena);
    }
    if (status == ODP_OK)
        status = match_changes_open(&changes, w->changes[k], w->sides[w->from[k]].layout, w->sides[w->to[k]].layout);
    while (status == ODP_OK && (status = match_changes_next(changes, &c)) == ODP_OK)
        status = match_rows_add(rows[c.op == ODP_CHANGE_ADDED], c.record, NULL, 0);
    if (status == ODP_DONE)
        status = ODP_OK;
    for (int i = 0; i < 2; i++) {
        if (status == ODP_OK)
            status = match_rows_end(rows[i]);
        match_rows_free(rows[i]);
    }
    if (status == ODP_BAD)
        status = match_unknown_asked(w, w->m->stopped ? &why_enough : &why_no_changes, w->steps[k].to_version);
    match_changes_close(changes);
    return status;
}

enum odp_status match_read(struct match_work *w)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < w->nsides && status == ODP_OK; i++)
        if (w->sides[i].looked)
            status = read_keyed(w, i);
    for (size_t k = 0; k < w->nsteps && status == ODP_OK; k++) {
        if (w->kinds[k] == MATCH_ROWS)
            status = read_rows(w, k);
        else if (w->kinds[k] == MATCH_ALL && !w->sides[w->to[k]].looked)
            status = read_all(w, w->to[k]);
    }
    return status;
}
