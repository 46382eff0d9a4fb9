/* changes.csv: RFC 4180 as the exact CSV of the data (CRLF; null is an unquoted empty field, the empty string
 * is ""). One line a cell. */
#include "site/differences/changes_internal.h"

static void add_value(struct odp_buffer *out, struct odp_slice s)
{
    odp_buffer_add_char(out, ',');
    if (s.ptr == NULL)
        return;
    bool quote = s.len == 0 || s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[s.len - 1] == ' ' ||
                 s.ptr[s.len - 1] == '\t';
    for (size_t i = 0; i < s.len && !quote; i++)
        quote = s.ptr[i] == ',' || s.ptr[i] == '"' || s.ptr[i] == '\r' || s.ptr[i] == '\n';
    if (!quote) {
        odp_buffer_add_slice(out, s);
        return;
    }
    odp_buffer_add_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        odp_buffer_add_char(out, s.ptr[i]);
        if (s.ptr[i] == '"')
            odp_buffer_add_char(out, '"');
    }
    odp_buffer_add_char(out, '"');
}

/* Whether NAME is a column of every changes.csv, or a field of the key. */
static bool is_taken(const struct odp_layout *l, struct odp_slice name)
{
    static const char *const fixed[] = {"change", "field", "before", "after"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (odp_slice_is(name, fixed[i]))
            return true;
    for (uint32_t k = 0; k < l->nkey; k++)
        if (odp_slice_is(name, l->fields[l->key[k]].name))
            return true;
    return false;
}

/* A key's field under its name, or with "key_" before it as often as it takes where it has the name of
 * another column. */
static void add_key_name(struct odp_buffer *out, const struct odp_layout *l, const char *name)
{
    struct odp_buffer free_name;
    odp_buffer_init(&free_name);
    bool fixed = strcmp(name, "change") == 0 || strcmp(name, "field") == 0 || strcmp(name, "before") == 0 ||
                 strcmp(name, "after") == 0;
    odp_buffer_add_str(&free_name, name);
    while (fixed && is_taken(l, odp_buffer_slice(&free_name)) && !free_name.failed) {
        struct odp_buffer longer;
        odp_buffer_init(&longer);
        odp_buffer_printf(&longer, "key_%.*s", (int)free_name.len, free_name.ptr);
        odp_buffer_release(&free_name);
        free_name = longer;
    }
    add_value(out, odp_buffer_slice(&free_name));
    out->failed = out->failed || free_name.failed;
    odp_buffer_release(&free_name);
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    const struct odp_layout *now = job->to->layout;
    w->job = job;
    odp_buffer_add_str(&w->out, "change");
    for (uint32_t k = 0; k < now->nkey && job->keyed; k++)
        add_key_name(&w->out, now, now->fields[now->key[k]].name);
    odp_buffer_add_str(&w->out, job->keyed ? ",field,before,after\r\n" : ",row,field,before,after\r\n");
    return writer_flush(w, false);
}

/* The name under which the geometry stands, as in the files of the data: free of fields. */
static void add_geometry_name(struct odp_buffer *out, const struct odp_changes_job *job)
{
    char name[80] = "geometry";
    while (odp_layout_find(job->from->layout, name) >= 0 || odp_layout_find(job->to->layout, name) >= 0) {
        if (strlen(name) + 10 > sizeof name)
            break;
        memmove(name + 9, name, strlen(name) + 1);
        memcpy(name, "geometry_", 9);
    }
    odp_buffer_add_char(out, ',');
    odp_buffer_add_str(out, name);
}

static void add_head(struct odp_changes_writer *w, const struct odp_change *c)
{
    static const char *const ops[] = {"added", "removed", "changed"};
    odp_buffer_add_str(&w->out, ops[c->op]);
    for (uint32_t k = 0; k < w->job->to->layout->nkey && w->job->keyed; k++)
        add_value(&w->out, writer_key(w, c, k));
    if (!w->job->keyed) {
        odp_buffer_add_char(&w->out, ',');
        odp_buffer_add_u64(&w->out, w->rows);
    }
}

static void add_line(struct odp_changes_writer *w, const struct odp_change *c, const char *field,
                     struct odp_slice before, struct odp_slice after)
{
    add_head(w, c);
    if (field != NULL)
        add_value(&w->out, odp_slice_of(field));
    else
        add_geometry_name(&w->out, w->job);
    add_value(&w->out, before);
    add_value(&w->out, after);
    odp_buffer_add_str(&w->out, "\r\n");
}

static struct odp_slice or_null(struct odp_slice s)
{
    return s.len > 0 ? s : (struct odp_slice){NULL, 0};
}

/* All that is not null of a row that came or went; a row of nulls only is one line without a field. */
static void add_row(struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_slice nothing = {NULL, 0};
    const bool added = c->op == ODP_CHANGE_ADDED;
    const struct odp_layout *l = added ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = added ? c->after : c->before,
                           geometry = added ? c->geometry_after : c->geometry_before;
    bool any = geometry.len > 0;
    for (uint32_t k = 0; k < l->n; k++) {
        if (text[k].ptr == NULL)
            continue;
        add_line(w, c, l->fields[k].name, added ? nothing : text[k], added ? text[k] : nothing);
        any = true;
    }
    if (geometry.len > 0)
        add_line(w, c, NULL, added ? nothing : geometry, added ? geometry : nothing);
    if (!any) {
        add_head(w, c);
        odp_buffer_add_str(&w->out, ",,,\r\n");
    }
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    w->rows++;
    if (c->op != ODP_CHANGE_CHANGED) {
        add_row(w, c);
        return writer_flush(w, false);
    }
    for (uint32_t i = 0; i < c->ncells; i++) {
        uint32_t k = c->cells[i];
        add_line(w, c, w->job->to->layout->fields[k].name, writer_before(w, c, k), c->after[k]);
    }
    if (c->geometry_changed)
        add_line(w, c, NULL, or_null(c->geometry_before), or_null(c->geometry_after));
    return writer_flush(w, false);
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *counts)
{
    return writer_flush(ctx, true);
}

const struct odp_changes_sink changes_csv = {NULL, begin, row, end};
