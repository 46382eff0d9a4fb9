/* The whole of mending: what the edits ask for, the new files beside the old ones, their proof, the
 * switch. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/temporary.h"
#include "read/source.h"
#include "repair/rewrite/place.h"
#include "repair/shapes/mend_internal.h"

/* ---- what is asked ---- */

static int by_shape(const void *x, const void *y)
{
    const struct mend_change *a = x, *b = y;
    if (a->edit->at != b->edit->at)
        return a->edit->at < b->edit->at ? -1 : 1;
    return (a->edit->seq > b->edit->seq) - (a->edit->seq < b->edit->seq);
}

static void take_edits(struct mend *m)
{
    const struct odp_edits *e = m->edits;
    m->changes = odp_arena_array(m->arena, e->n + 1, sizeof *m->changes);
    for (size_t i = 0; i < e->n; i++) {
        if (e->edits[i].what != EDIT_MEND)
            continue;
        enum odp_code code = (enum odp_code)e->edits[i].place;
        bool whole = code >= ODP_G10 && code <= ODP_G13;
        m->shapes = m->shapes || (code != ODP_G09 && code != ODP_G11);
        if (code == ODP_G09)
            m->crs = e->edits[i].text.ptr;
        else if (code == ODP_G10)
            m->table = m->tidy = true;
        else if (whole || code == ODP_G24)
            m->tidy = true;
        else
            m->changes[m->nchanges++] = (struct mend_change){.edit = &e->edits[i]};
    }
    qsort(m->changes, m->nchanges, sizeof *m->changes, by_shape);
}

static void refuse(struct mend *m, const struct edit *e, enum odp_code code)
{
    const struct odp_resource *r = m->edits->resource;
    struct odp_diag d = {.code = code,
                         .dataset = r->dataset != NULL ? r->dataset->slug : NULL,
                         .resource = r->name,
                         .file = m->how->file,
                         .line = e != NULL ? e->at : 0};
    m->misfit = true;
    for (size_t i = 0; i < m->edits->n; i++)
        if (m->edits->edits[i].what == EDIT_MEND && (e == NULL || e == &m->edits->edits[i]))
            m->edits->edits[i].misfit = true;
    if (odp_diags_add(m->diags, &d) == ODP_FAIL)
        m->bodies.failed = true; /* asked before anything is written */
}

/* ---- the shapes ---- */

/* The first change of a shape decides: what else is wrong with it shows when that is gone. */
static enum odp_status mend_changes(struct mend *m)
{
    struct shape_stream shp = {.part = &m->source.parts[SHAPE_SHP]};
    enum odp_status status = ODP_OK;
    size_t kept = 0;
    for (size_t i = 0; i < m->nchanges && status != ODP_FAIL; i++) {
        struct mend_change c = m->changes[i];
        uint64_t at = c.edit->at - 1;
        if (at >= m->n || m->records[at].content == 0) {
            refuse(m, c.edit, ODP_A33);
            continue;
        }
        struct mend_record *r = &m->records[at];
        if (r->change != MEND_NONE)
            continue;
        const uint8_t *p = shape_at(&shp, r->offset, r->content);
        c.before = m->bodies.len;
        c.nbefore = r->content;
        odp_buffer_add(&m->bodies, p, p != NULL ? r->content : 0);
        c.after = m->bodies.len;
        status = p != NULL ? mend_shape((enum odp_code)c.edit->place, p, r->content, &m->bodies) : ODP_FAIL;
        c.nafter = m->bodies.len - c.after;
        if (status == ODP_BAD) {
            refuse(m, c.edit, ODP_A33);
            continue;
        }
        r->change = (uint32_t)kept;
        m->changes[kept++] = c;
    }
    m->nchanges = kept;
    shape_stream_release(&shp);
    return status == ODP_FAIL ? ODP_FAIL : odp_buffer_status(&m->bodies);
}

/* ---- the new files ---- */

/* The content that record I is to have. NULL: FAIL. */
static const uint8_t *content_of(struct mend *m, struct shape_stream *shp, uint32_t i,
                                 struct odp_buffer *room, size_t *n)
{
    static const uint8_t null_shape[4] = {0};
    const struct mend_record *r = &m->records[i];
    *n = sizeof null_shape;
    if (r->content == 0)
        return null_shape;
    if (r->change != MEND_NONE) {
        const struct mend_change *c = &m->changes[r->change];
        *n = c->nafter;
        return (const uint8_t *)m->bodies.ptr + c->after;
    }
    const uint8_t *p = shape_at(shp, r->offset, r->content);
    *n = r->content;
    if (p == NULL || !m->tidy)
        return p;
    odp_buffer_clear(room);
    odp_buffer_add(room, p, r->content);
    if (odp_buffer_status(room) != ODP_OK)
        return NULL;
    mend_box((uint8_t *)room->ptr, room->len);
    return (const uint8_t *)room->ptr;
}

static void put_be32(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Both headers: the old one's type and ranges, the records' own length and box. *BYTES: of the .shp. */
static enum odp_status make_header(struct mend *m, uint8_t head[MEND_HEADER], uint64_t *bytes)
{
    struct shape_stream shp = {.part = &m->source.parts[SHAPE_SHP]};
    struct odp_buffer room = {0};
    double box[4] = {0};
    bool has = false;
    const uint8_t *old = shape_at(&shp, 0, MEND_HEADER);
    enum odp_status status = old != NULL ? ODP_OK : ODP_FAIL;
    if (old != NULL)
        memcpy(head, old, MEND_HEADER);
    *bytes = MEND_HEADER;
    for (uint32_t i = 0; i < m->n && status == ODP_OK; i++) {
        size_t n;
        const uint8_t *p = content_of(m, &shp, i, &room, &n);
        if (p == NULL)
            status = ODP_FAIL;
        else
            mend_extend(p, n, box, &has);
        *bytes += 8 + n;
    }
    put_be32(head, 9994);
    memcpy(head + 28, "\xE8\x03\0", 4);
    if (m->writes[SHAPE_SHP])
        memcpy(head + 36, box, sizeof box);
    odp_buffer_release(&room);
    shape_stream_release(&shp);
    return status == ODP_OK && *bytes > UINT32_MAX ? odp_failure_set("write", m->how->path, EFBIG) : status;
}

static enum odp_status write_records(struct mend *m, struct odp_file *shp, struct odp_file *shx)
{
    struct shape_stream old = {.part = &m->source.parts[SHAPE_SHP]};
    struct odp_buffer room = {0};
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < m->n && status == ODP_OK; i++) {
        size_t n;
        uint8_t record[8], entry[8];
        const uint8_t *p = content_of(m, &old, i, &room, &n);
        put_be32(entry, odp_file_size(shp) / 2);
        put_be32(entry + 4, n / 2);
        put_be32(record, i + 1);
        put_be32(record + 4, n / 2);
        status = p != NULL ? odp_file_write(shp, record, sizeof record) : ODP_FAIL;
        if (status == ODP_OK)
            status = odp_file_write(shp, p, n);
        if (status == ODP_OK)
            status = odp_file_write(shx, entry, sizeof entry);
    }
    odp_buffer_release(&room);
    shape_stream_release(&old);
    return status;
}

static enum odp_status close_both(struct odp_file *shp, struct odp_file *shx, enum odp_status status)
{
    if (status != ODP_OK) {
        odp_file_discard(shp);
        odp_file_discard(shx);
        return status;
    }
    enum odp_status first = odp_file_close(shp, NULL), second = odp_file_close(shx, NULL);
    return first == ODP_OK ? second : first;
}

static enum odp_status write_shapes(struct mend *m, const char *shp_path, const char *shx_path)
{
    struct odp_file *shp = NULL, *shx = NULL;
    uint8_t head[MEND_HEADER];
    uint64_t bytes;
    enum odp_status status = make_header(m, head, &bytes);
    if (status == ODP_OK)
        status = odp_file_create(&shp, shp_path, 0600);
    if (status == ODP_OK)
        status = odp_file_create(&shx, shx_path, 0600);
    put_be32(head + 24, bytes / 2);
    if (status == ODP_OK)
        status = odp_file_write(shp, head, sizeof head);
    put_be32(head + 24, (MEND_HEADER + 8 * (uint64_t)m->n) / 2);
    if (status == ODP_OK)
        status = odp_file_write(shx, head, sizeof head);
    if (status == ODP_OK)
        status = write_records(m, shp, shx);
    return close_both(shp, shx, status);
}

static enum odp_status write_text(const char *path, const char *text)
{
    return odp_file_put(path, odp_slice_of(text), 0600, NULL);
}

static enum odp_status write_prj(const struct mend *m, const char *path)
{
    char text[1024];
    unsigned code =
        m->crs != NULL && strncmp(m->crs, "EPSG:", 5) == 0 ? (unsigned)strtoul(m->crs + 5, NULL, 10) : 0;
    return shape_prj_text(code, text, sizeof text) ? write_text(path, text) : ODP_BAD;
}

/* The new parts at FRESH, and second names of those that stay: together a shapefile. */
static enum odp_status write_parts(struct mend *m, char *const fresh[SHAPE_PARTS])
{
    enum odp_status status = ODP_OK;
    if (m->writes[SHAPE_SHX]) /* the .shp, too, where it would not differ: for the proof */
        status = write_shapes(m, fresh[SHAPE_SHP], fresh[SHAPE_SHX]);
    if (status == ODP_OK && m->writes[SHAPE_DBF])
        status = mend_write_table(m, fresh[SHAPE_DBF]);
    if (status == ODP_OK && m->writes[SHAPE_PRJ])
        status = write_prj(m, fresh[SHAPE_PRJ]);
    if (status == ODP_OK && m->writes[SHAPE_CPG])
        status = write_text(fresh[SHAPE_CPG], "UTF-8");
    for (int k = 0; k < SHAPE_PARTS && status == ODP_OK; k++)
        if (!m->writes[k] && m->source.parts[k].present && !(k == SHAPE_SHP && m->writes[SHAPE_SHX]))
            status = odp_file_link(m->source.parts[k].name, fresh[k]);
    return status;
}

/* ---- the proof ---- */

/* Reads the shapefile at PATH as the check does: what was mended must be gone, all rows there. */
static enum odp_status prove(struct mend *m, const char *path)
{
    static const enum odp_code gone[] = {ODP_G09, ODP_G10, ODP_G11, ODP_G12, ODP_G13, ODP_G24};
    struct odp_source *source = NULL;
    struct odp_diags *own = NULL;
    struct odp_batch batch = {0};
    uint64_t rows = 0;
    enum odp_status status = odp_diags_new(&own, 20);
    if (status == ODP_OK)
        status = odp_batch_init(&batch, 0);
    if (status == ODP_OK)
        status = odp_source_open(&source, m->edits->resource, path, path, 1, own);
    bool opened = status == ODP_OK;
    while (status == ODP_OK) {
        odp_batch_reset(&batch, m->edits->resource);
        status = odp_source_read(source, &batch);
        rows += status == ODP_OK ? batch.nrecords : 0;
    }
    bool counted = !m->writes[SHAPE_SHX] || rows + odp_diags_code_count(own, ODP_G18) == m->n;
    bool proved = status != ODP_FAIL && (!opened || counted);
    for (size_t i = 0; i < ODP_COUNT(gone) && m->tidy && status != ODP_FAIL; i++)
        proved = proved && (gone[i] == ODP_G09 || odp_diags_code_count(own, gone[i]) == 0);
    proved = proved && (m->crs == NULL || odp_diags_code_count(own, ODP_G09) == 0);
    odp_source_close(source);
    odp_batch_release(&batch);
    odp_diags_free(own);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    if (!proved)
        refuse(m, NULL, ODP_A07);
    return proved ? ODP_OK : ODP_BAD;
}

/* ---- the switch ---- */

/* A number that no original of the set has yet: "" , ".2", … */
static const char *free_number(const struct mend *m, char *const place[SHAPE_PARTS], char out[16])
{
    for (unsigned i = 1; i < 10000; i++) {
        bool taken = false;
        snprintf(out, 16, i == 1 ? "%.0u" : ".%u", i == 1 ? 0 : i);
        for (int k = 0; k < SHAPE_PARTS; k++)
            taken = taken || (m->writes[k] &&
                              access(odp_arena_printf(m->arena, "%s.asli%s", place[k], out), F_OK) == 0);
        if (!taken)
            return out;
    }
    return NULL;
}

/* The .shp last: it is the source. */
static enum odp_status switch_in(struct mend *m, char *const fresh[SHAPE_PARTS],
                                 char *const place[SHAPE_PARTS], struct odp_rewritten *out)
{
    static const int order[SHAPE_PARTS] = {SHAPE_CPG, SHAPE_PRJ, SHAPE_DBF, SHAPE_SHX, SHAPE_SHP};
    char number[16];
    enum odp_status status = ODP_OK;
    for (int k = 0; k < SHAPE_PARTS; k++) {
        struct odp_file_state now = odp_file_state_of(m->source.parts[k].name);
        if (m->source.parts[k].present && !odp_file_state_same(&m->began[k], &now)) {
            refuse(m, NULL, ODP_A09);
            return ODP_BAD;
        }
    }
    if (free_number(m, place, number) == NULL)
        return odp_failure_set("keep the original of", m->how->path, EEXIST);
    for (int i = 0; i < SHAPE_PARTS && status == ODP_OK; i++) {
        int k = order[i];
        if (!m->writes[k])
            continue;
        if (m->source.parts[k].present) {
            out->original = odp_arena_printf(m->arena, "%s.asli%s", place[k], number);
            status = odp_file_link(place[k], out->original);
        }
        if (status == ODP_OK)
            status = odp_place_copy_owner(fresh[k], &m->began[m->source.parts[k].present ? k : SHAPE_SHP].st);
        if (status == ODP_OK)
            status = odp_file_rename(fresh[k], place[k]);
    }
    return status;
}

static enum odp_status replace(struct mend *m, struct odp_rewritten *out)
{
    char *fresh[SHAPE_PARTS], *place[SHAPE_PARTS];
    const char *name = odp_path_last(m->stem);
    const char *before = odp_arena_printf(m->arena, "%.*s.%s.", (int)(name - m->stem), m->stem, name);
    for (int k = 0; k < SHAPE_PARTS; k++) {
        const struct shape_part *p = &m->source.parts[k];
        place[k] = p->present ? odp_arena_str(m->arena, p->name)
                              : odp_arena_printf(m->arena, "%s%s", m->stem, shape_extensions[k]);
        fresh[k] = odp_temporary(m->arena, before, odp_arena_printf(m->arena, ".tmp%s", shape_extensions[k]));
        if (fresh[k] == NULL)
            return ODP_FAIL;
    }
    if (access(odp_path_folder(m->arena, m->stem), W_OK | X_OK) != 0) {
        refuse(m, NULL, ODP_A04);
        return ODP_BAD;
    }
    enum odp_status status = write_parts(m, fresh);
    if (status == ODP_BAD)
        refuse(m, NULL, ODP_A32);
    if (status == ODP_OK)
        status = prove(m, fresh[SHAPE_SHP]);
    if (status == ODP_OK)
        status = odp_memory_status();
    if (status == ODP_OK)
        status = switch_in(m, fresh, place, out);
    for (int k = 0; k < SHAPE_PARTS; k++)
        unlink(fresh[k]);
    return status;
}

/* ---- the whole ---- */

static enum odp_status open_parts(struct mend *m)
{
    struct shape_source *s = &m->source;
    const char *path = m->how->path;
    size_t n = strlen(path);
    odp_arena_init(&s->arena);
    s->base.resource = m->edits->resource;
    s->base.info.file = path;
    s->diags = m->diags;
    for (int k = 0; k < SHAPE_PARTS; k++)
        s->parts[k].fd = -1;
    m->stem = odp_arena_printf(m->arena, "%.*s", (int)(n > 4 ? n - 4 : n), path);
    enum odp_status status = shape_find(s, path);
    for (int k = 0; k < SHAPE_PARTS && status == ODP_OK; k++)
        if (s->parts[k].present)
            m->began[k] = odp_file_state_of(s->parts[k].name);
    return status;
}

static void close_parts(struct mend *m)
{
    shape_parts_release(&m->source);
    odp_arena_release(&m->source.arena);
    odp_buffer_release(&m->list);
    odp_buffer_release(&m->bodies);
}

static enum odp_status find(struct mend *m)
{
    uint32_t rows = UINT32_MAX;
    enum odp_status status = ODP_OK;
    if (m->tidy || m->nchanges > 0) {
        status = mend_count_rows(m, &rows);
        if (status == ODP_OK)
            status = mend_find_records(m, rows);
        if (status == ODP_BAD)
            refuse(m, NULL, ODP_A32);
    }
    m->writes[SHAPE_SHX] = m->tidy || m->nchanges > 0;
    m->writes[SHAPE_SHP] = m->writes[SHAPE_SHX] && m->shapes;
    m->writes[SHAPE_DBF] = m->tidy && mend_table_differs(m, rows);
    m->writes[SHAPE_PRJ] = m->crs != NULL;
    m->writes[SHAPE_CPG] = m->table;
    return status == ODP_OK ? mend_changes(m) : status;
}

/* Tells of each shape, then of each file that is written for other reasons. */
static enum odp_status show(struct mend *m, struct odp_rewritten *out)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < m->nchanges && status == ODP_OK; i++) {
        const struct mend_change *c = &m->changes[i];
        struct odp_shape_change change;
        mend_measure(m, c, &change);
        const struct odp_edit_shown e = {
            .kind = ODP_EDIT_SHAPE, .line = c->edit->at, .row = c->edit->at, .shape = &change};
        out->shapes++;
        if (m->how->show != NULL)
            status = m->how->show(m->how->ctx, &e);
    }
    for (int k = 0; k < SHAPE_PARTS && status == ODP_OK; k++) {
        bool own = k == SHAPE_SHP || k == SHAPE_SHX ? m->tidy : true;
        if (!m->writes[k] || !own)
            continue;
        const struct odp_edit_shown e = {.kind = ODP_EDIT_PART, .field = shape_extensions[k]};
        out->parts++;
        if (m->how->show != NULL)
            status = m->how->show(m->how->ctx, &e);
    }
    return status;
}

enum odp_status odp_mend(struct odp_edits *e, const struct odp_rewriting *how, struct odp_arena *arena,
                         struct odp_rewritten *out, struct odp_diags *diags)
{
    struct mend m = {.edits = e, .how = how, .arena = arena, .diags = diags};
    take_edits(&m);
    enum odp_status status = open_parts(&m);
    if (status == ODP_OK)
        status = find(&m);
    if (status == ODP_OK && m.misfit)
        status = ODP_BAD;
    if (status == ODP_OK)
        status = show(&m, out);
    if (status == ODP_OK && how->picture != NULL && m.nchanges > 0)
        status = mend_picture(&m, how->picture, how->lang);
    if (status == ODP_OK && !how->dry)
        status = replace(&m, out);
    close_parts(&m);
    return status;
}
