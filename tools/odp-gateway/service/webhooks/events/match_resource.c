/* One resource of a message: its versions, the filters that are asked of it, group by group, and what they found.
 *
 * Every version is seen as the newest one: its fields by their names of today (odp:formerNames), a field that it has not as null in all
 * records. A filter is asked of the tables that it fits as they are now; one that fitted only before is told with the reason, every
 * time, until its owner mends it. Records count if the filter is true of them in any of the versions told. Unknown is not true. A field
 * that was not there yet is null, so `baru IS NULL` is true of every record before: told rather than left out. In a table without a key
 * the rows stand in changes.json, and only without their geometry. A filter may be asked of so many records as its length allows
 * (MATCH_WORK), all together MATCH_WORK_ALL; beyond that it is not applied, so nobody's filter holds up what others are to be told. */
#include "service/webhooks/events/match_internal.h"

#include <stdlib.h>

#include "published/version_reading.h"

static const struct odp_text why_schema = {{"skema versi {0} tidak dapat dibaca", "the schema of version {0} cannot be read"}};
static const struct odp_text why_gone = {{"tabel atau bidang yang ditanyakan penyaring tidak ada lagi: {0}",
                                          "the table or fields that the filter asks about are there no more: {0}"}};
static const struct odp_text why_type = {{"jenis bidang yang ditanyakan penyaring berbeda dalam versi {0}",
                                          "fields that the filter asks about have another type in version {0}"}};
static const struct odp_text why_whole = {{"tabel {0} tanpa kunci: geometri rekaman yang berubah tidak diketahui",
                                           "the table {0} is without a key: the geometry of records that differ is not known"}};
static const struct odp_text why_lost = {
    {"geometri tabel {0} tidak diterbitkan utuh", "the geometry of the table {0} is not published whole"}};
static const struct odp_text why_much = {{"terlalu banyak rekaman dalam versi {0} untuk penyaring sepanjang ini",
                                          "too many records in version {0} for a filter of this length"}};

/* ---- versions ---- */

static size_t side_of(struct match_work *w, const char *version, const json_t *resource)
{
    for (size_t i = 0; i < w->nsides; i++)
        if (strcmp(w->sides[i].version, version) == 0)
            return i;
    w->sides[w->nsides] = (struct match_side){.version = version, .resource = resource};
    return w->nsides++;
}

static enum odp_status plan(struct match_work *w)
{
    struct odp_arena *a = &w->arena;
    w->kinds = odp_arena_zero(a, w->nsteps, sizeof *w->kinds);
    w->changes = odp_arena_zero(a, w->nsteps, sizeof *w->changes);
    w->from = odp_arena_zero(a, w->nsteps, sizeof *w->from);
    w->to = odp_arena_zero(a, w->nsteps, sizeof *w->to);
    w->sides = odp_arena_zero(a, 2 * w->nsteps, sizeof *w->sides);
    w->asked = odp_arena_zero(a, w->m->n + 1, sizeof *w->asked);
    w->geometry = odp_arena_zero(a, w->m->n + 1, sizeof *w->geometry);
    if (w->kinds == NULL || w->changes == NULL || w->from == NULL || w->to == NULL || w->sides == NULL || w->asked == NULL ||
        w->geometry == NULL)
        return ODP_FAIL;
    for (size_t k = 0; k < w->nsteps; k++) { /* the newest comes last: steps are in order */
        const struct match_step *s = &w->steps[k];
        if (s->from != NULL)
            w->from[k] = side_of(w, s->from_version, s->from);
        w->to[k] = side_of(w, s->to_version, s->to);
    }
    return ODP_OK;
}

/* Where the newest's key is in this version. */
static enum odp_status find_key(struct match_work *w, struct match_side *s)
{
    const struct odp_layout *newest = w->sides[w->nsides - 1].layout;
    s->key = odp_arena_array(&w->arena, (size_t)newest->nkey + 1, sizeof *s->key);
    if (s->key == NULL)
        return ODP_FAIL;
    s->keyed = newest->nkey > 0;
    for (uint32_t i = 0; i < newest->nkey; i++) {
        int field = s->view.field[newest->key[i]];
        s->keyed = s->keyed && field >= 0;
        s->key[i] = field >= 0 ? (uint32_t)field : 0;
    }
    return ODP_OK;
}

/* Of the newest key's parts, which are numbers. */
static enum odp_status init_keys(struct match_work *w)
{
    const struct odp_layout *l = w->sides[w->nsides - 1].layout;
    bool *number = odp_arena_array(&w->arena, (size_t)l->nkey + 1, sizeof *number);
    if (number == NULL)
        return ODP_FAIL;
    for (uint32_t i = 0; i < l->nkey; i++)
        number[i] = odp_type_is_number(l->fields[l->key[i]].type);
    match_keys_init(&w->keys, number, l->nkey);
    return ODP_OK;
}

/* DONE: one cannot be read; that was said of all filters, since it is not known which of them ask about this table. */
static enum odp_status open_sides(struct match_work *w)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < w->nsides && status == ODP_OK; i++) {
        struct match_side *s = &w->sides[i];
        status = odp_version_layout_open(&s->layout, w->m->site, s->resource, &w->arena, w->m->diags);
        if (status == ODP_BAD)
            status = match_unknown_all(w->m, &why_schema, s->version) == ODP_OK ? ODP_DONE : ODP_FAIL;
    }
    for (size_t i = 0; i < w->nsides && status == ODP_OK; i++) {
        struct match_side *s = &w->sides[i];
        status = match_view_make(&s->view, s->layout, w->sides[w->nsides - 1].layout, &w->arena);
        if (status == ODP_OK)
            status = find_key(w, s);
    }
    return status;
}

/* ---- which filters ---- */

/* Whether F can be asked of L by L's own words. */
static enum odp_status fits(const struct match_filter *f, const struct odp_layout *l, struct odp_arena *a, bool *yes)
{
    struct match_view view;
    const struct odp_expr *expr = NULL;
    struct odp_event_filter_fault fault;
    bool geometry;
    enum odp_status status = match_view_make(&view, l, l, a);
    if (status == ODP_OK)
        status = match_compile(f, &view, a, &expr, &geometry, &fault);
    odp_expr_release(expr);
    *yes = status == ODP_OK;
    return status == ODP_BAD ? ODP_OK : status;
}

/* A filter that the newest version has no answer for, though one before had, is about what is gone. */
static enum odp_status not_asked(struct match_work *w, size_t i, const struct odp_event_filter_fault *fault,
                                 struct odp_arena *a)
{
    struct match_answer *answer = &w->m->answers[i];
    for (size_t k = 0; k + 1 < w->nsides; k++) {
        bool was = false;
        if (fits(&w->m->filters[i], w->sides[k].layout, a, &was) != ODP_OK)
            return ODP_FAIL;
        if (was)
            return match_unknown(w->m, i, &why_gone, odp_text_get(&fault->message, ODP_LANG_EN));
    }
    if (answer->why.in[ODP_LANG_ID] != NULL)
        return ODP_OK;
    for (int l = 0; l < ODP_LANGS; l++)
        if ((answer->why.in[l] = odp_arena_str(w->m->a, odp_text_get(&fault->message, (enum odp_lang)l))) == NULL)
            return ODP_FAIL;
    return ODP_OK;
}

/* *ANY: some filter is asked of this resource. */
static enum odp_status choose(struct match_work *w, bool *any)
{
    struct odp_arena scratch;
    enum odp_status status = ODP_OK;
    *any = false;
    odp_arena_init(&scratch);
    for (size_t i = 0; i < w->m->n && status == ODP_OK; i++) {
        const struct odp_expr *expr = NULL;
        struct odp_event_filter_fault fault;
        if (w->m->answers[i].unknown)
            continue;
        status = match_compile(&w->m->filters[i], &w->sides[w->nsides - 1].view, &scratch, &expr, &w->geometry[i], &fault);
        w->asked[i] = status == ODP_OK;
        *any = *any || w->asked[i];
        if (status == ODP_BAD)
            status = not_asked(w, i, &fault, &scratch);
        odp_expr_release(expr);
        odp_arena_reset(&scratch);
    }
    odp_arena_release(&scratch);
    return status;
}

/* Records that one filter will be asked of. */
static uint64_t rows_of(const struct match_work *w)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < w->nsides; i++)
        rows += w->sides[i].looked ? w->keys.n : 0;
    for (size_t k = 0; k < w->nsteps; k++) {
        const json_t *to = w->steps[k].to, *changes = json_object_get(to, "changes");
        json_int_t n = 0;
        if (w->kinds[k] == MATCH_ALL && !w->sides[w->to[k]].looked)
            n = json_integer_value(json_object_get(to, "rows"));
        else if (w->kinds[k] == MATCH_ROWS)
            n = json_integer_value(json_object_get(changes, "added")) + json_integer_value(json_object_get(changes, "removed"));
        rows += n > 0 ? (uint64_t)n : 0;
    }
    return rows;
}

/* Filters that cannot be answered here, though they are asked. */
static enum odp_status refuse(struct match_work *w)
{
    bool whole = false;
    uint64_t rows = rows_of(w);
    const char *newest = w->sides[w->nsides - 1].version;
    for (size_t k = 0; k < w->nsteps; k++)
        whole = whole || w->kinds[k] == MATCH_ROWS;
    for (size_t i = 0; i < w->m->n; i++) {
        enum odp_status status = ODP_OK;
        if (!w->asked[i])
            continue;
        uint64_t work =
            rows > 0 && w->m->filters[i].text.len > MATCH_WORK / rows ? UINT64_MAX : rows * w->m->filters[i].text.len;
        if (whole && w->geometry[i])
            status = match_unknown(w->m, i, &why_whole, w->name);
        else if (work > MATCH_WORK || w->m->work + work > MATCH_WORK_ALL)
            status = match_unknown(w->m, i, &why_much, newest);
        else
            w->m->work += work;
        if (status != ODP_OK)
            return status;
    }
    return ODP_OK;
}

/* ---- a group ---- */

/* The filter in every version; BAD: in one of them its fields have other types. */
static enum odp_status compile(struct match_work *w, struct match_one *one, struct odp_arena *a)
{
    const struct match_filter *f = &w->m->filters[one->filter];
    struct odp_event_filter_fault fault;
    bool geometry;
    enum odp_status status = ODP_OK;
    size_t newest = w->nsides - 1;
    one->exprs = odp_arena_zero(a, w->nsides, sizeof(const struct odp_expr *));
    one->keys = odp_arena_array(a, ODP_EVENT_KEYS, sizeof *one->keys);
    if (one->exprs == NULL || one->keys == NULL)
        return ODP_FAIL;
    for (size_t i = w->nsides; i-- > 0 && status == ODP_OK;) {
        if (i != newest && w->sides[i].view.same) {
            one->exprs[i] = one->exprs[newest];
            continue;
        }
        status = match_compile(f, &w->sides[i].view, a, &one->exprs[i], &geometry, &fault);
        if (status == ODP_BAD) {
            status = match_unknown(w->m, one->filter, &why_type, w->sides[i].version);
            return status == ODP_OK ? ODP_BAD : status;
        }
    }
    return status;
}

static void release_one(const struct match_work *w, const struct match_one *one)
{
    size_t newest = w->nsides - 1;
    for (size_t i = 0; one->exprs != NULL && i < w->nsides; i++)
        if (i == newest || one->exprs[i] != one->exprs[newest])
            odp_expr_release(one->exprs[i]);
}

/* The next filters from *NEXT on that go together, as many as memory allows, compiled. */
static enum odp_status gather(struct match_work *w, size_t *next, struct odp_arena *a)
{
    size_t most = w->m->n, text = 0, row = (size_t)w->keys.n * sizeof(uint64_t);
    if (row > 0 && most > MATCH_BITS / row * 64)
        most = MATCH_BITS / row * 64; /* two million keys still leave 256 */
    w->nones = 0;
    w->ones = odp_arena_zero(a, most + 1, sizeof *w->ones);
    if (w->ones == NULL)
        return ODP_FAIL;
    for (; *next < w->m->n && w->nones < most; (*next)++) {
        struct match_one *one = &w->ones[w->nones];
        if (!w->asked[*next] || w->m->answers[*next].unknown)
            continue;
        text += w->m->filters[*next].text.len;
        if (text > MATCH_TEXT && w->nones > 0)
            break;
        *one = (struct match_one){.filter = *next, .geometry = w->geometry[*next], .told_all = true};
        enum odp_status status = compile(w, one, a);
        if (status == ODP_BAD) {
            release_one(w, one);
            continue;
        }
        w->nones++; /* also of one that failed half way: it is released with the others */
        if (status != ODP_OK)
            return status;
    }
    w->words = (w->nones + 63) / 64;
    return ODP_OK;
}

/* The bits of keys become counts. */
static enum odp_status count(struct match_work *w, struct odp_arena *a)
{
    for (uint32_t e = 0; e < w->keys.n; e++) {
        struct match_entry *entry = &w->keys.items[e];
        const char *text = NULL;
        for (size_t i = 0; i < w->nones; i++) {
            struct match_one *one = &w->ones[i];
            if (w->bits[e * w->words + i / 64] == 0) {
                i |= 63; /* none of these */
                continue;
            }
            if ((w->bits[e * w->words + i / 64] >> (i % 64) & 1) == 0)
                continue;
            one->counts[entry->op]++;
            if (!one->told_all || one->nkeys == ODP_EVENT_KEYS) {
                one->told_all = false;
                continue;
            }
            if (text == NULL && (text = match_keys_text(&w->keys, entry, a)) == NULL)
                return ODP_FAIL;
            one->told_all = strlen(text) <= MATCH_TOLD;
            one->keys[one->nkeys++] = (struct match_told){(enum odp_change_op)entry->op, text};
        }
    }
    return ODP_OK;
}

static const char *const op_names[] = {
    [ODP_CHANGE_ADDED] = "added", [ODP_CHANGE_REMOVED] = "removed", [ODP_CHANGE_CHANGED] = "changed"};

static json_t *keys_json(const struct match_one *one)
{
    json_t *keys = json_object();
    int failed = keys == NULL;
    for (int op = 0; op < MATCH_OPS; op++)
        failed |= json_object_set_new(keys, op_names[op], json_array());
    for (uint32_t i = 0; i < one->nkeys && !failed; i++)
        failed |= json_array_append_new(json_object_get(keys, op_names[one->keys[i].op]), json_string(one->keys[i].text));
    if (failed)
        json_decref(keys);
    return failed ? NULL : keys;
}

static enum odp_status answer(struct match_work *w, const struct match_one *one)
{
    struct match_answer *out = &w->m->answers[one->filter];
    json_t *item = json_object();
    int failed = json_object_set_new(item, "name", json_string(w->name));
    for (int op = 0; op < MATCH_OPS; op++) {
        failed |= json_object_set_new(item, op_names[op], json_integer((json_int_t)one->counts[op]));
        out->total += one->counts[op];
    }
    failed |= json_object_set_new(item, "keys", one->told_all ? keys_json(one) : json_null());
    failed |= json_array_append_new(out->resources, item);
    out->asked = true;
    return failed ? odp_failure_set("write JSON", "match", 0) : ODP_OK;
}

static enum odp_status conclude(struct match_work *w, struct odp_arena *a)
{
    enum odp_status status = w->bits != NULL ? count(w, a) : ODP_OK;
    for (size_t i = 0; i < w->nones && status == ODP_OK; i++)
        status = w->lost && w->ones[i].geometry ? match_unknown(w->m, w->ones[i].filter, &why_lost, w->name)
                                                : answer(w, &w->ones[i]);
    return status;
}

/* DONE: nothing more can be known of this resource. */
static enum odp_status ask_group(struct match_work *w, size_t *next)
{
    struct odp_arena group;
    odp_arena_init(&group);
    enum odp_status status = gather(w, next, &group);
    if (status == ODP_OK && w->nones > 0 && w->keys.n > 0) {
        w->bits = odp_realloc_array(NULL, w->keys.n * w->words, sizeof *w->bits);
        status = w->bits != NULL ? ODP_OK : ODP_FAIL;
        if (status == ODP_OK)
            memset(w->bits, 0, w->keys.n * w->words * sizeof *w->bits);
    }
    w->lost = false;
    if (status == ODP_OK && w->nones > 0)
        status = match_read(w);
    if (status == ODP_OK)
        status = conclude(w, &group);
    for (size_t i = 0; i < w->nones; i++)
        release_one(w, &w->ones[i]);
    free(w->bits);
    w->bits = NULL;
    odp_arena_release(&group);
    return status;
}

enum odp_status match_resource(struct match_message *m, const char *name, const struct match_step *steps, size_t nsteps)
{
    struct match_work w = {.m = m, .name = name, .steps = steps, .nsteps = nsteps};
    bool any = false;
    odp_arena_init(&w.arena);
    match_keys_init(&w.keys, NULL, 0);
    enum odp_status status = plan(&w);
    if (status == ODP_OK)
        status = open_sides(&w);
    if (status == ODP_OK)
        status = init_keys(&w);
    if (status == ODP_OK)
        status = choose(&w, &any);
    if (status == ODP_OK && any)
        status = match_load(&w);
    if (status == ODP_OK && any)
        status = refuse(&w);
    for (size_t next = 0; status == ODP_OK && any && next < m->n;)
        status = ask_group(&w, &next);
    match_keys_release(&w.keys);
    for (size_t i = 0; i < w.nsides; i++)
        odp_version_reading_close(NULL, w.sides[i].layout);
    odp_arena_release(&w.arena);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status match_resource_gone(struct match_message *m, const json_t *resource)
{
    struct odp_layout *layout = NULL;
    struct odp_arena scratch;
    const char *name = json_string_value(json_object_get(resource, "name"));
    odp_arena_init(&scratch);
    enum odp_status status = odp_version_layout_open(&layout, m->site, resource, &scratch, m->diags);
    if (status == ODP_BAD)
        status = match_unknown_all(m, &why_gone, name) == ODP_OK ? ODP_DONE : ODP_FAIL;
    for (size_t i = 0; i < m->n && status == ODP_OK; i++) {
        bool was = false;
        status = m->answers[i].unknown ? ODP_OK : fits(&m->filters[i], layout, &scratch, &was);
        if (status == ODP_OK && was)
            status = match_unknown(m, i, &why_gone, name);
    }
    odp_version_reading_close(NULL, layout);
    odp_arena_release(&scratch);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}
