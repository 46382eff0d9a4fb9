/* changes.json: a header, then one change a line, then the counts. See docs/versions.md. */
#include "base/json.h"
#include "site/differences/changes_internal.h"

static void add_string(struct odp_buffer *out, const char *s)
{
    odp_json_add_string(out, odp_slice_of(s));
}

/* ,"NAME":"VALUE" */
static void add_member(struct odp_buffer *out, const char *name, const char *value)
{
    odp_buffer_printf(out, ",\"%s\":", name);
    if (value != NULL)
        add_string(out, value);
    else
        odp_buffer_add_str(out, "null");
}

static void add_side(struct odp_buffer *out, const char *name, const struct odp_changes_side *s)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(s->digest, hex);
    odp_buffer_printf(out, ",\n\"%s\":{\"version\":", name);
    add_string(out, s->version);
    odp_buffer_printf(out, ",\"digest\":\"sha256:%s\"}", hex);
}

static void add_schema_change(struct odp_buffer *out, const struct odp_schema_change *c)
{
    static const char *const langs[] = {[ODP_LANG_ID] = "id", [ODP_LANG_EN] = "en"};
    odp_buffer_printf(out, "{\"change\":\"%s\",\"level\":\"%s\"", odp_schema_change_name(c->kind),
                      odp_level_name(odp_schema_change_level(c->kind)));
    add_member(out, "from", c->from);
    add_member(out, "to", c->to);
    add_member(out, "before", c->before[0] != '\0' ? c->before : NULL);
    add_member(out, "after", c->after[0] != '\0' ? c->after : NULL);
    odp_buffer_add_str(out, ",\"text\":{");
    for (int l = 0; l < ODP_LANGS; l++) {
        struct odp_buffer text;
        odp_buffer_init(&text);
        odp_schema_change_text(&text, c, (enum odp_lang)l);
        odp_buffer_printf(out, "%s\"%s\":", l > 0 ? "," : "", langs[l]);
        odp_json_add_string(out, odp_buffer_slice(&text));
        out->failed = out->failed || text.failed;
        odp_buffer_release(&text);
    }
    odp_buffer_add_str(out, "}}");
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    struct odp_buffer *out = &w->out;
    const struct odp_layout *now = job->to->layout;
    w->job = job;
    odp_buffer_add_str(out, "{\"dataset\":");
    add_string(out, job->dataset);
    add_member(out, "resource", job->resource);
    add_side(out, "from", job->from);
    add_side(out, "to", job->to);
    odp_buffer_add_str(out, ",\n\"key\":");
    for (uint32_t k = 0; k < now->nkey && job->keyed; k++) {
        odp_buffer_add_char(out, k == 0 ? '[' : ',');
        add_string(out, now->fields[now->key[k]].name);
    }
    odp_buffer_add_str(out, job->keyed ? "]" : "null");
    odp_buffer_add_str(out, ",\n\"schema\":[");
    for (size_t i = 0; i < job->schema->n; i++) {
        odp_buffer_add_str(out, i > 0 ? ",\n" : "\n");
        add_schema_change(out, &job->schema->items[i]);
    }
    odp_buffer_add_str(out, job->schema->n > 0 ? "\n]" : "]");
    if (job->note.in[ODP_LANG_ID] != NULL) {
        odp_buffer_add_str(out, ",\n\"note\":{\"id\":");
        odp_json_add_string(out, odp_slice_of(odp_text_get(&job->note, ODP_LANG_ID)));
        odp_buffer_add_str(out, ",\"en\":");
        odp_json_add_string(out, odp_slice_of(odp_text_get(&job->note, ODP_LANG_EN)));
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_str(out, ",\n\"changes\":[");
    return writer_flush(w, false);
}

static void add_name(struct odp_buffer *out, const char *name, bool first)
{
    if (!first)
        odp_buffer_add_char(out, ',');
    add_string(out, name);
    odp_buffer_add_char(out, ':');
}

static void add_key(struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_layout *now = w->job->to->layout;
    odp_buffer_add_str(&w->out, ",\"key\":{");
    for (uint32_t k = 0; k < now->nkey; k++) {
        const struct odp_layout_field *f = &now->fields[now->key[k]];
        add_name(&w->out, f->name, k == 0);
        writer_add_json(&w->out, f->type, writer_key(w, c, k));
    }
    odp_buffer_add_char(&w->out, '}');
}

static void add_record(struct odp_buffer *out, const struct odp_layout *l, const struct odp_slice *text)
{
    odp_buffer_add_str(out, ",\"record\":{");
    for (uint32_t k = 0; k < l->n; k++) {
        add_name(out, l->fields[k].name, k == 0);
        writer_add_json(out, l->fields[k].type, text[k]);
    }
    odp_buffer_add_char(out, '}');
}

static void add_cells(struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_layout *old = w->job->from->layout, *now = w->job->to->layout;
    odp_buffer_add_str(&w->out, ",\"cells\":{");
    for (uint32_t i = 0; i < c->ncells; i++) {
        uint32_t k = c->cells[i];
        add_name(&w->out, now->fields[k].name, i == 0);
        odp_buffer_add_char(&w->out, '[');
        writer_add_json(&w->out, old->fields[w->job->schema->old_of[k]].type, writer_before(w, c, k));
        odp_buffer_add_char(&w->out, ',');
        writer_add_json(&w->out, now->fields[k].type, c->after[k]);
        odp_buffer_add_char(&w->out, ']');
    }
    odp_buffer_add_char(&w->out, '}');
}

static void add_geometry(struct odp_buffer *out, const struct odp_change *c)
{
    const struct odp_slice text[] = {c->geometry_before, c->geometry_after};
    static const char *const names[] = {"before", "after"};
    odp_buffer_add_str(out, ",\"geometry\":{");
    for (int i = 0, n = 0; i < 2; i++) {
        bool there = c->op == (i == 0 ? ODP_CHANGE_REMOVED : ODP_CHANGE_ADDED) || c->op == ODP_CHANGE_CHANGED;
        if (!there)
            continue;
        add_name(out, names[i], n++ == 0);
        if (text[i].len > 0)
            odp_json_add_string(out, text[i]);
        else
            odp_buffer_add_str(out, "null");
    }
    odp_buffer_add_char(out, '}');
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    static const char *const ops[] = {"added", "removed", "changed"};
    struct odp_changes_writer *w = ctx;
    odp_buffer_printf(&w->out, "%s{\"op\":\"%s\"", w->rows++ > 0 ? ",\n" : "\n", ops[c->op]);
    if (w->job->keyed)
        add_key(w, c);
    if (c->op == ODP_CHANGE_ADDED)
        add_record(&w->out, w->job->to->layout, c->after);
    else if (c->op == ODP_CHANGE_REMOVED)
        add_record(&w->out, w->job->from->layout, c->before);
    else if (c->ncells > 0)
        add_cells(w, c);
    bool one_sided = c->op != ODP_CHANGE_CHANGED && (c->geometry_before.len > 0 || c->geometry_after.len > 0);
    if (c->geometry_changed || one_sided)
        add_geometry(&w->out, c);
    odp_buffer_add_char(&w->out, '}');
    return writer_flush(w, false);
}

static void add_number(struct odp_buffer *out, const char *name, uint64_t n, bool first)
{
    odp_buffer_printf(out, "%s\"%s\":", first ? "" : ",", name);
    odp_buffer_add_u64(out, n);
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    odp_buffer_add_str(&w->out, w->rows > 0 ? "\n],\n\"summary\":{" : "],\n\"summary\":{");
    add_number(&w->out, "from_rows", n->from_rows, true);
    add_number(&w->out, "to_rows", n->to_rows, false);
    add_number(&w->out, "added", n->added, false);
    add_number(&w->out, "removed", n->removed, false);
    add_number(&w->out, "changed", n->changed, false);
    add_number(&w->out, "cells", n->cells, false);
    add_number(&w->out, "geometry", n->geometry, false);
    odp_buffer_add_str(&w->out, n->geometry_compared ? ",\"geometry_compared\":true}}\n"
                                                     : ",\"geometry_compared\":false}}\n");
    return writer_flush(w, true);
}

const struct odp_changes_sink changes_json = {NULL, begin, row, end};
