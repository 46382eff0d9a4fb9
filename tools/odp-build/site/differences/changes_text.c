/* The terminal's form. Rows are kept, as short as they are shown, until the counts are known: the counts
 * come first. A large difference without a limit would not fit: once HOLD bytes are kept, lines go out as
 * they come and the counts follow them. */
#include <errno.h>
#include <stdlib.h>

#include "base/room.h"
#include "base/utf8.h"
#include "site/differences/changes_internal.h"
#include "words/site.h"

enum { HOLD = 8 << 20, VALUE_MAX = 60, FIELDS_SHOWN = 4, KEY_WIDTH = 32, FIELD_WIDTH = 28, SCHEMA_SHOWN = 6 };

enum paint { PAINT_NONE, PAINT_BOLD, PAINT_DIM, PAINT_GREEN, PAINT_RED, PAINT_YELLOW };

struct line {
    enum odp_change_op op;
    struct odp_slice key, field, value; /* no field: the value takes its place */
};

struct text_form {
    struct odp_arena arena;
    struct odp_buffer piece;
    struct line *lines;
    size_t n, cap, bytes;
    size_t key_width, field_width;
    uint64_t shown, left_out;
    bool streaming; /* the head is out, without counts */
};

#define word(w, ...) odp_word((w)->text.lang, __VA_ARGS__)

static void paint(struct odp_changes_writer *w, enum paint p, const char *s)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[33m"};
    bool on = w->text.color && p != PAINT_NONE;
    odp_buffer_add_str(&w->out, on ? codes[p] : "");
    odp_buffer_add_str(&w->out, s);
    odp_buffer_add_str(&w->out, on ? "\033[0m" : "");
}

static void pad(struct odp_buffer *out, struct odp_slice s, size_t width)
{
    size_t used = odp_utf8_width(s);
    odp_buffer_add_slice(out, s);
    for (; used < width; used++)
        odp_buffer_add_char(out, ' ');
}

/* ---- the head ---- */

static void add_title(struct odp_changes_writer *w)
{
    struct odp_buffer place = {0};
    writer_add_place(&place, w->job);
    paint(w, PAINT_BOLD, odp_buffer_cstr(&place));
    odp_buffer_printf(&w->out, "  %s → %s", w->job->from->version, w->job->to->version);
    odp_buffer_release(&place);
}

/* Of a thing, one and several. */
struct noun {
    struct odp_text one, many;
};
static const struct noun row_noun = {{{W_site_row}}, {{W_site_rows}}},
                         changed_noun = {{{W_site_row_changed}}, {{W_site_rows_changed}}},
                         cell_noun = {{{W_site_cell}}, {{W_site_cells}}},
                         geometry_noun = {{{W_site_geometry}}, {{W_site_geometries}}},
                         left_out_noun = {{{W_site_row_left_out}}, {{W_site_rows_left_out}}};

/* "12 baris", "1 row" after BEFORE; nothing for 0. */
static void add_counted(struct odp_changes_writer *w, const char *before, uint64_t n, const struct noun *noun)
{
    if (n == 0)
        return;
    odp_buffer_add_str(&w->out, before);
    odp_text_number(&w->out, n, w->text.lang);
    odp_buffer_printf(&w->out, " %s", odp_text_get(n == 1 ? &noun->one : &noun->many, w->text.lang));
}

static void add_counts(struct odp_changes_writer *w, const struct odp_changes_counts *n)
{
    if (n->added + n->removed + n->changed == 0)
        odp_buffer_add_str(&w->out, word(w, W_site_no_row_changed));
    if (n->added > 0)
        paint(w, PAINT_GREEN, "+");
    add_counted(w, "", n->added, &row_noun);
    odp_buffer_add_str(&w->out, n->added > 0 && n->removed > 0 ? "   " : "");
    if (n->removed > 0)
        paint(w, PAINT_RED, "−");
    add_counted(w, "", n->removed, &row_noun);
    if (n->changed == 0)
        return;
    add_counted(w, n->added + n->removed > 0 ? "   " : "", n->changed, &changed_noun);
    add_counted(w, " (", n->cells, &cell_noun);
    add_counted(w, n->cells > 0 ? ", " : " (", n->geometry, &geometry_noun);
    odp_buffer_add_char(&w->out, ')');
}

/* "+ sumber_air", "luas → luas_ha", "~ tingkat": a change of the schema in a word or two. */
static void add_schema_change(struct odp_changes_writer *w, const struct odp_schema_change *c)
{
    if (c->kind == ODP_SCHEMA_FIELD_ADDED)
        odp_buffer_printf(&w->out, "+ %s", c->to);
    else if (c->kind == ODP_SCHEMA_FIELD_REMOVED)
        odp_buffer_printf(&w->out, "− %s", c->from);
    else if (c->kind == ODP_SCHEMA_FIELD_RENAMED)
        odp_buffer_printf(&w->out, "%s → %s", c->from, c->to);
    else if (c->to != NULL)
        odp_buffer_printf(&w->out, "~ %s", c->to);
    else
        odp_schema_change_text(&w->out, c, w->text.lang);
}

/* One field may have several changes; the head names it once. */
static bool is_named_before(const struct odp_schema_change *c, size_t i)
{
    bool plain =
        c[i].kind != ODP_SCHEMA_FIELD_ADDED && c[i].kind != ODP_SCHEMA_FIELD_RENAMED && c[i].to != NULL;
    for (size_t k = 0; k < i && plain; k++)
        if (c[k].to != NULL && strcmp(c[k].to, c[i].to) == 0)
            return true;
    return false;
}

static void add_schema(struct odp_changes_writer *w)
{
    const struct odp_schema_changes *s = w->job->schema;
    size_t shown = 0, more = 0;
    if (s->n == 0)
        return;
    odp_buffer_add_str(&w->out, word(w, W_site_schema));
    for (size_t i = 0; i < s->n; i++) {
        if (is_named_before(s->items, i))
            continue;
        if (shown == SCHEMA_SHOWN) {
            more++;
            continue;
        }
        odp_buffer_add_str(&w->out, shown++ > 0 ? ", " : "");
        add_schema_change(w, &s->items[i]);
    }
    if (more > 0)
        odp_buffer_printf(&w->out, ", … +%zu", more);
    odp_buffer_printf(&w->out, " (%s)", odp_level_name(s->level));
}

/* Changes that the head names but does not explain. */
static void add_schema_lines(struct odp_changes_writer *w)
{
    const struct odp_schema_changes *s = w->job->schema;
    for (size_t i = 0; i < s->n; i++) {
        const struct odp_schema_change *c = &s->items[i];
        if (c->kind == ODP_SCHEMA_FIELD_ADDED || c->kind == ODP_SCHEMA_FIELD_REMOVED ||
            c->kind == ODP_SCHEMA_FIELD_RENAMED || c->to == NULL)
            continue;
        odp_buffer_add_str(&w->out, "  ~ ");
        odp_schema_change_text(&w->out, c, w->text.lang);
        odp_buffer_printf(&w->out, " (%s)\n", odp_level_name(odp_schema_change_level(c->kind)));
    }
}

static void add_head(struct odp_changes_writer *w, const struct odp_changes_counts *n)
{
    add_title(w);
    if (n != NULL) {
        odp_buffer_add_str(&w->out, "     ");
        add_counts(w, n);
    }
    add_schema(w);
    odp_buffer_add_char(&w->out, '\n');
    add_schema_lines(w);
}

/* ---- values ---- */

static void add_value(struct odp_changes_writer *w, struct odp_buffer *out, enum odp_type type,
                      struct odp_slice s)
{
    if (s.ptr == NULL || s.len == 0) {
        odp_buffer_add_str(out, s.ptr == NULL ? word(w, W_site_null) : "\"\"");
    } else if (type == ODP_TYPE_NUMBER) {
        for (size_t i = 0; i < s.len && i < VALUE_MAX; i++)
            odp_buffer_add_char(out, s.ptr[i] == '.' && w->text.lang == ODP_LANG_ID ? ',' : s.ptr[i]);
    } else {
        writer_add_clean(out, s, VALUE_MAX);
    }
}

/* Keeps what is in PIECE. */
static struct odp_slice keep(struct text_form *t)
{
    struct odp_slice s = odp_arena_copy(&t->arena, odp_buffer_slice(&t->piece));
    t->bytes += s.len + sizeof(struct line);
    odp_buffer_clear(&t->piece);
    return s;
}

static void add_line(struct text_form *t, enum odp_change_op op, struct odp_slice key, struct odp_slice field,
                     struct odp_slice value)
{
    if (!odp_room(t->lines, t->n, t->cap)) {
        t->piece.failed = true;
        return;
    }
    size_t key_width = odp_utf8_width(key), field_width = odp_utf8_width(field);
    if (key_width > t->key_width)
        t->key_width = key_width < KEY_WIDTH ? key_width : KEY_WIDTH;
    if (field_width > t->field_width)
        t->field_width = field_width < FIELD_WIDTH ? field_width : FIELD_WIDTH;
    t->lines[t->n++] = (struct line){op, key, field, value};
}

static struct odp_slice key_text(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct text_form *t = w->own;
    const struct odp_layout *now = w->job->to->layout;
    for (uint32_t k = 0; k < now->nkey && w->job->keyed; k++) {
        odp_buffer_add_str(&t->piece, k > 0 ? ", " : "");
        add_value(w, &t->piece, ODP_TYPE_STRING,
                  writer_key(w, c, k)); /* unchanged, because people look a key up */
    }
    return keep(t);
}

static bool is_key(const struct odp_changes_writer *w, const struct odp_layout *l, uint32_t k)
{
    const struct odp_layout *now = w->job->to->layout;
    for (uint32_t i = 0; i < now->nkey && w->job->keyed; i++)
        if ((l == now ? now->key[i] : (uint32_t)w->job->schema->old_of[now->key[i]]) == k)
            return true;
    return false;
}

/* "luas_ha 12,5 · tingkat Ringan · …" */
static void add_record(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct text_form *t = w->own;
    const struct odp_layout *l = c->op == ODP_CHANGE_ADDED ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = c->op == ODP_CHANGE_ADDED ? c->after : c->before;
    struct odp_slice key = key_text(w, c);
    uint32_t shown = 0;
    for (uint32_t k = 0; k < l->n && shown <= FIELDS_SHOWN; k++) {
        if (text[k].ptr == NULL || is_key(w, l, k))
            continue;
        odp_buffer_add_str(&t->piece, shown > 0 ? " · " : "");
        if (shown++ == FIELDS_SHOWN) {
            odp_buffer_add_str(&t->piece, "…");
            break;
        }
        odp_buffer_printf(&t->piece, "%s ", l->fields[k].name);
        add_value(w, &t->piece, l->fields[k].type, text[k]);
    }
    add_line(t, c->op, key, (struct odp_slice){NULL, 0}, keep(t));
}

/* "Polygon, 12 titik" */
static void add_geometry_text(struct odp_changes_writer *w, struct odp_buffer *out, struct odp_slice text)
{
    static const char points[] = " points"; /* as changes.c has it */
    const size_t n = sizeof points - 1;
    const bool counted = text.len > n && memcmp(text.ptr + text.len - n, points, n) == 0;
    if (text.len == 0)
        text = odp_slice_of(word(w, W_site_null));
    odp_buffer_add(out, text.ptr, text.len - (counted ? n : 0));
    odp_buffer_add_str(out, counted ? word(w, W_site_points) : "");
}

static void add_geometry(struct odp_changes_writer *w, const struct odp_change *c, struct odp_slice key)
{
    struct text_form *t = w->own;
    add_geometry_text(w, &t->piece, c->geometry_before);
    if (odp_slice_eq(c->geometry_before, c->geometry_after)) {
        odp_buffer_add_str(&t->piece, word(w, W_site_moved));
    } else {
        odp_buffer_add_str(&t->piece, " → ");
        add_geometry_text(w, &t->piece, c->geometry_after);
    }
    add_line(t, c->op, key, odp_slice_of(word(w, W_site_the_geometry)), keep(t));
}

static void add_cells(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct text_form *t = w->own;
    struct odp_slice key = key_text(w, c);
    const struct odp_layout *old = w->job->from->layout, *now = w->job->to->layout;
    for (uint32_t i = 0; i < c->ncells; i++) {
        uint32_t k = c->cells[i];
        add_value(w, &t->piece, old->fields[w->job->schema->old_of[k]].type, writer_before(w, c, k));
        odp_buffer_add_str(&t->piece, " → ");
        add_value(w, &t->piece, now->fields[k].type, c->after[k]);
        add_line(t, c->op, key, odp_slice_of(now->fields[k].name), keep(t));
        key = ODP_LIT("");
    }
    if (c->geometry_changed)
        add_geometry(w, c, key);
}

/* ---- lines go out ---- */

static enum odp_status put_lines(struct odp_changes_writer *w)
{
    static const char *const signs[] = {"+", "−", " "};
    static const enum paint paints[] = {PAINT_GREEN, PAINT_RED, PAINT_NONE};
    struct text_form *t = w->own;
    enum odp_status status = odp_buffer_status(&t->piece);
    for (size_t i = 0; i < t->n && status == ODP_OK; i++) {
        const struct line *l = &t->lines[i];
        paint(w, paints[l->op], signs[l->op]);
        odp_buffer_add_char(&w->out, ' ');
        if (t->key_width > 0) {
            pad(&w->out, l->key, t->key_width);
            odp_buffer_add_str(&w->out, "   ");
        }
        if (l->field.ptr != NULL) {
            pad(&w->out, l->field, t->field_width);
            odp_buffer_add_str(&w->out, "   ");
        }
        odp_buffer_add_slice(&w->out, l->value);
        while (w->out.len > 0 && w->out.ptr[w->out.len - 1] == ' ') /* a row that is only its key */
            w->out.len--;
        odp_buffer_add_char(&w->out, '\n');
        status = writer_flush(w, false);
    }
    t->n = t->bytes = 0;
    odp_arena_reset(&t->arena);
    return status;
}

static void release(void *own)
{
    struct text_form *t = own;
    odp_arena_release(&t->arena);
    odp_buffer_release(&t->piece);
    free(t->lines);
    free(t);
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    struct text_form *t = calloc(1, sizeof *t);
    if (t == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    w->job = job;
    w->own = t;
    w->release = release;
    return ODP_OK;
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    struct text_form *t = w->own;
    if (w->text.limit > 0 && t->shown == w->text.limit) {
        t->left_out++;
        return ODP_OK;
    }
    t->shown++;
    if (c->op == ODP_CHANGE_CHANGED)
        add_cells(w, c);
    else
        add_record(w, c);
    if (t->bytes < HOLD)
        return odp_buffer_status(&t->piece);
    if (!t->streaming)
        add_head(w, NULL);
    t->streaming = true;
    return put_lines(w);
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    struct text_form *t = w->own;
    if (!t->streaming)
        add_head(w, n);
    if (w->job->note.in[ODP_LANG_ID] != NULL) {
        odp_buffer_add_str(&w->out, "  ");
        writer_add_clean(&w->out, odp_slice_of(odp_text_get(&w->job->note, w->text.lang)), SIZE_MAX);
        odp_buffer_add_char(&w->out, '\n');
    }
    enum odp_status status = put_lines(w);
    add_counted(w, "  … ", t->left_out, &left_out_noun);
    if (t->streaming) {
        odp_buffer_add_str(&w->out, "  ");
        add_counts(w, n);
        odp_buffer_add_char(&w->out, '\n');
    }
    if (!n->geometry_compared)
        odp_buffer_add_str(&w->out, word(w, W_site_geometries_not_compared));
    return status == ODP_OK ? writer_flush(w, true) : status;
}

const struct odp_changes_sink changes_text = {NULL, begin, row, end};
