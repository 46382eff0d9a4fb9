/* Orders patches and replaces the file as a whole (place.h). Before the switch the new file is synced and
 * compared (proof.h), and the old one must still be the file that was read (file_state.h). */
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/path.h"
#include "read/source.h"
#include "repair/rewrite/place.h"
#include "repair/rewrite/rewrite_internal.h"
#include "repair/shapes/mend.h"

static bool goes(const struct patch *p)
{
    return p->kind == ODP_EDIT_DELETE || p->kind == ODP_EDIT_LINES;
}

static int by_place(const void *x, const void *y)
{
    const struct patch *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (goes(a) != goes(b)) /* so that pieces within it are recognized */
        return goes(a) ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static void count(struct plan *p, const struct patch *patch)
{
    p->counts.cells += patch->kind == ODP_EDIT_CELL;
    p->counts.deleted += patch->kind == ODP_EDIT_DELETE;
    p->counts.appended += patch->kind == ODP_EDIT_APPEND;
    p->counts.labels += patch->kind == ODP_EDIT_LABEL;
    p->counts.lines += patch->kind == ODP_EDIT_LINES ? patch->count : 0;
}

/* Orders patches by place; drops those within a deleted piece. */
static void sort_patches(struct plan *p)
{
    uint64_t gone = 0; /* the end of the deleted piece */
    size_t n = 0, last = 0;
    if (p->n > 1)
        qsort(p->patches, p->n, sizeof *p->patches, by_place);
    for (size_t i = 0; i < p->n; i++) {
        struct patch q = p->patches[i];
        if (q.start < gone && q.kind == ODP_EDIT_APPEND)
            q.start = q.end = gone;
        if (q.start < gone) {
            if (q.end > gone) /* overlapping deletions become one */
                p->patches[last].end = gone = q.end;
            continue;
        }
        if (goes(&q)) {
            gone = q.end;
            last = n;
        }
        p->patches[n++] = q;
        count(p, &q);
    }
    p->n = n;
}

static enum odp_status show_all(const struct plan *p)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; p->how->show != NULL && i < p->n && status == ODP_OK; i++) {
        const struct patch *q = &p->patches[i];
        struct odp_edit_shown e = {.kind = q->kind, .row = q->row, .line = q->line, .field = q->field};
        const char *text = p->shown.ptr != NULL ? p->shown.ptr : "";
        e.before = (struct odp_slice){text + q->before, q->nbefore};
        e.after = (struct odp_slice){text + q->after, q->nafter};
        status = p->how->show(p->how->ctx, &e);
    }
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- the file ---- */

static enum odp_status refuse(struct plan *p, enum odp_code code, const char *arg)
{
    struct odp_diag d = {.code = code, .args = {odp_slice_of(arg)}};
    odp_plan_refuse(p, NULL, &d);
    return p->failed ? ODP_FAIL : ODP_BAD;
}

/* The .dbf of a shapefile alone is not a source. */
static bool wants_preview(const struct plan *p)
{
    return p->how->preview != NULL && p->target == p->how->path;
}

/* When dry: only to show it. */
static enum odp_status replace(struct plan *p)
{
    bool dry = p->how->dry;
    struct odp_place place;
    if (odp_place_find(&place, p->target, p->arena) != ODP_OK)
        return ODP_FAIL;
    if (!odp_place_may_write(&place))
        return dry ? ODP_OK : refuse(p, ODP_A04, place.folder);
    enum odp_status status = odp_copy_patched(p, place.temporary);
    if (status != ODP_OK)
        return status;
    if (!dry)
        status = odp_prove(p, place.temporary);
    if (status == ODP_OK && wants_preview(p))
        status = p->how->preview(p->how->ctx, p->edits->resource, place.temporary);
    if (status != ODP_OK || dry) {
        unlink(place.temporary);
        return status;
    }
    status = odp_place_switch(&place, &p->before, p->arena, &p->counts.original);
    return status == ODP_BAD ? refuse(p, ODP_A09, "") : status;
}

/* ---- the whole ---- */

static enum odp_status make_plan(struct plan *p)
{
    const struct odp_source_kind *kind = odp_source_kind_at(p->edits->resource, p->how->path);
    const char *name = kind != NULL ? kind->name : "?";
    if (strcmp(name, "csv") == 0)
        return odp_plan_csv(p);
    if (strcmp(name, "shapefile") == 0 && !odp_path_ends(p->how->path, ".zip"))
        return odp_plan_shape(p);
    if (strcmp(name, "xlsx") == 0)
        return refuse(p, ODP_A35, p->edits->resource->dataset->slug);
    return refuse(p, ODP_A03, strcmp(name, "shapefile") == 0 ? "zip" : name);
}

static bool has_mends(const struct odp_edits *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->edits[i].what == EDIT_MEND)
            return true;
    return false;
}

static bool has_others(const struct odp_edits *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->edits[i].what != EDIT_MEND)
            return true;
    return false;
}

void odp_original_drop(const char *original)
{
    static const char *const parts[] = {".shp", ".shx", ".dbf", ".prj", ".cpg"};
    const char *end = strstr(original, ".asli");
    char path[4096];
    unlink(original);
    if (end == NULL || end - original < 4 || strncasecmp(end - 4, ".shp", 4) != 0)
        return;
    for (size_t i = 0; i < ODP_COUNT(parts); i++)
        if (snprintf(path, sizeof path, "%.*s%s%s", (int)(end - 4 - original), original, parts[i], end) <
            (int)sizeof path)
            unlink(path);
}

enum odp_status odp_rewrite(struct odp_edits *e, const struct odp_rewriting *how, struct odp_arena *arena,
                            struct odp_rewritten *out, struct odp_diags *diags)
{
    struct plan p = {.edits = e, .how = how, .arena = arena, .diags = diags, .target = how->path};
    *out = (struct odp_rewritten){0};
    if (odp_edits_is_empty(e))
        return ODP_OK;
    bool mends = has_mends(e), edits = !mends || has_others(e);
    enum odp_status status = edits ? make_plan(&p) : ODP_OK;
    if (status != ODP_FAIL && (odp_plan_status(&p) != ODP_OK || odp_arena_status(&e->arena) != ODP_OK))
        status = ODP_FAIL;
    if (status == ODP_OK && p.misfit)
        status = ODP_BAD;
    sort_patches(&p);
    if (status == ODP_OK)
        status = show_all(&p);
    if (status == ODP_OK && p.n > 0 && (!how->dry || wants_preview(&p)))
        status = replace(&p);
    if (status == ODP_OK)
        *out = p.counts;
    if (status == ODP_OK && mends)
        status = odp_mend(e, how, arena, out, diags);
    odp_buffer_release(&p.bytes);
    odp_buffer_release(&p.shown);
    return status;
}
