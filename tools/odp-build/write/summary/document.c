/* The summary as JSON, and what is left out where it would be too large: first the times of places (of the
 * measures that are no highlights), then their totals, then the times of highlights from the last on, at
 * last the places themselves. */
#include "base/json.h"
#include "write/summary/summary_internal.h"
#include "words/summary.h"

/* Of the measures of places, the first so many have times and totals; the places of the first lists are not
 * there. */
struct extent {
    uint32_t times, totals, level;
};

/* ---- texts ---- */

static struct odp_text record_of(const struct odp_summary *s)
{
    const struct odp_text *own = &s->measures->record;
    return odp_text_is_empty(own) ? (struct odp_text){{W_summary_records}} : *own;
}

/* One of them; empty: the catalogue has no word for it. */
static struct odp_text one_of(const struct odp_summary *s)
{
    const bool plain = odp_text_is_empty(&s->measures->record) && odp_text_is_empty(&s->measures->one);
    return plain ? (struct odp_text){{W_summary_record}} : s->measures->one;
}

/* ---- measures ---- */

/* "Jumlah kawasan"; of another measure its field's. */
static void add_title(struct odp_buffer *out, struct odp_summary *s, const struct odp_measure *m)
{
    struct odp_text record = record_of(s), title = {0};
    if (m->field >= 0) {
        title = s->resource->schema.fields[m->field].title;
        for (int lang = 0; lang < ODP_LANGS && odp_text_is_empty(&title); lang++)
            title.in[lang] = s->resource->schema.fields[m->field].name;
    }
    for (int lang = 0; lang < ODP_LANGS && m->field < 0; lang++)
        title.in[lang] = odp_arena_printf(&s->arena, odp_word((enum odp_lang)lang, W_summary_number_of),
                                          odp_text_get(&record, (enum odp_lang)lang));
    odp_json_add_text(out, ",\"title\":", &title);
}

static void add_category(struct odp_buffer *out, struct odp_summary *s, const struct odp_measure *m)
{
    const struct odp_category *c = m->category;
    const char *value = odp_arena_copy(&s->arena, c->value).ptr;
    const struct odp_text label = odp_text_is_empty(&c->label) ? (struct odp_text){{value, value}} : c->label;
    odp_json_add_slice(out, ",\"value\":", c->value);
    odp_json_add_text(out, ",\"label\":", &label);
    if (s->resource->schema.fields[m->field].categories_ordered)
        odp_buffer_add_str(out, ",\"ordered\":true");
}

static void add_classes(struct odp_buffer *out, struct odp_summary *s, uint32_t k, uint32_t level)
{
    const char *before = ",\"classes\":{";
    fixed breaks[SUMMARY_BREAKS];
    for (; level < s->nlevels; level++) {
        uint32_t n = summary_classes(s, k, &s->levels[level], breaks);
        if (n == 0)
            continue;
        odp_json_add_str(out, before, s->levels[level].list->dataset->slug);
        for (uint32_t i = 0; i < n; i++) {
            odp_buffer_add_str(out, i == 0 ? ":[" : ",");
            fixed_json(out, breaks[i]);
        }
        odp_buffer_add_char(out, ']');
        before = ",";
    }
    odp_buffer_add_str(out, *before == ',' && before[1] == '\0' ? "}" : "");
}

static void add_measure(struct odp_buffer *out, struct odp_summary *s, uint32_t k, uint32_t level)
{
    static const char *const aggregates[] = {
        [ODP_CHART_COUNT] = "count", [ODP_CHART_SUM] = "sum", [ODP_CHART_MEAN] = "mean"};
    const struct odp_measure *m = &s->measures->item[k];
    const struct odp_field *f = m->field >= 0 ? &s->resource->schema.fields[m->field] : NULL;
    odp_json_add_str(out, k == 0 ? "\n{\"name\":" : ",\n{\"name\":", m->name);
    if (f != NULL)
        odp_json_add_str(out, ",\"field\":", f->name);
    if (m->category != NULL)
        add_category(out, s, m);
    odp_json_add_str(out, ",\"aggregate\":", aggregates[m->aggregate]);
    add_title(out, s, m);
    if (f != NULL && m->category == NULL && !odp_text_is_empty(&f->unit))
        odp_json_add_text(out, ",\"unit\":", &f->unit);
    odp_buffer_printf(out, ",\"decimals\":%u", m->aggregate == ODP_CHART_COUNT ? 0 : summary_decimals(s, k));
    if (k < s->measures->nhighlights)
        odp_buffer_add_str(out, ",\"highlight\":true");
    add_classes(out, s, k, level);
    odp_buffer_add_char(out, '}');
}

/* ---- figures ---- */

/* Of the first N measures; null: there is no record. */
static void add_row(struct odp_buffer *out, const struct odp_summary *s, const struct cell *cells, uint32_t n)
{
    fixed v;
    if (cells == NULL) {
        odp_buffer_add_str(out, "null");
        return;
    }
    odp_buffer_add_char(out, '[');
    for (uint32_t k = 0; k < n; k++) {
        odp_buffer_add_str(out, k > 0 ? "," : "");
        if (summary_value(s, k, cells, &v))
            fixed_json(out, v);
        else
            odp_buffer_add_str(out, "null");
    }
    odp_buffer_add_char(out, ']');
}

static void add_block(struct odp_buffer *out, const struct odp_summary *s, const struct block *b,
                      uint32_t totals, uint32_t times)
{
    odp_buffer_add_str(out, "{\"total\":");
    add_row(out, s, b->total, totals);
    for (uint32_t t = 0; t < s->ntimes && times > 0; t++) {
        odp_buffer_add_str(out, t == 0 ? ",\"times\":[" : ",");
        add_row(out, s, b->times[t], times);
    }
    odp_buffer_add_str(out, s->ntimes > 0 && times > 0 ? "]}" : "}");
}

static void add_places(struct odp_buffer *out, const struct odp_summary *s, const struct extent *e)
{
    const char *before = ",\n\"places\":{";
    for (uint32_t l = e->level; l < s->nlevels; l++) {
        const struct level *level = &s->levels[l];
        odp_json_add_str(out, before, level->list->dataset->slug);
        odp_buffer_add_str(out, ":{");
        for (uint32_t i = 0; i < level_places(level); i++) {
            odp_json_add_slice(out, i == 0 ? "\n" : ",\n", level->places[i].code);
            odp_buffer_add_char(out, ':');
            add_block(out, s, &level->places[i], e->totals, e->times);
        }
        odp_buffer_add_char(out, '}');
        before = ",\n";
    }
    odp_buffer_add_str(out, e->level < s->nlevels ? "}" : "");
}

/* ---- the whole ---- */

/* The key to the records that FIELD is of: "through":{"field":"id_proyek","dataset":"proyek"}. */
static void add_through(struct odp_buffer *out, const struct odp_summary *s)
{
    const struct odp_resource *r = s->through->target;
    odp_json_add_str(out,
                     "\"through\":{\"field\":", s->resource->schema.fields[s->through->local.fields[0]].name);
    odp_json_add_str(out, ",\"dataset\":", r->dataset->slug);
    if (!r->primary)
        odp_json_add_str(out, ",\"resource\":", r->name);
    odp_buffer_add_str(out, "},");
}

static void add_place(struct odp_buffer *out, const struct odp_summary *s)
{
    const struct odp_foreign_key *above = odp_place_key(s->place->target);
    const struct odp_resource *holder = s->through != NULL ? s->through->target : s->resource;
    odp_buffer_add_str(out, ",\n\"place\":{");
    if (s->through != NULL)
        add_through(out, s);
    odp_json_add_str(out, "\"field\":", holder->schema.fields[s->place->local.fields[0]].name);
    odp_json_add_str(out, ",\"list\":", s->place->target->dataset->slug);
    odp_json_add_str(out, ",\"edition\":", s->place->target->edition);
    if (above != NULL) {
        odp_json_add_str(out, ",\"parent\":", above->target->dataset->slug);
        odp_json_add_str(out, ",\"parent_edition\":", above->target->edition);
    }
    odp_buffer_add_char(out, '}');
}

static void add_time(struct odp_buffer *out, const struct odp_summary *s)
{
    odp_json_add_str(out, ",\n\"time\":{\"field\":", s->resource->schema.fields[s->measures->time].name);
    odp_buffer_printf(out, ",\"panel\":%s,\"values\":[", s->measures->panel ? "true" : "false");
    for (uint32_t t = 0; t < s->ntimes; t++)
        odp_json_add_slice(out, t > 0 ? "," : "", s->times[t]);
    odp_buffer_add_str(out, "]}");
}

static void add_head(struct odp_buffer *out, struct odp_summary *s, uint32_t level)
{
    const struct odp_text record = record_of(s), one = one_of(s);
    odp_json_add_str(out, "{\"table\":", s->resource->name);
    odp_buffer_printf(out, ",\"records\":%llu", (unsigned long long)s->records);
    odp_json_add_text(out, ",\"record\":", &record);
    if (!odp_text_is_empty(&one))
        odp_json_add_text(out, ",\"one\":", &one);
    if (s->place != NULL)
        add_place(out, s);
    if (s->measures->time >= 0)
        add_time(out, s);
    odp_buffer_add_str(out, ",\n\"measures\":[");
    for (uint32_t k = 0; k < s->measures->n; k++)
        add_measure(out, s, k, level);
    odp_buffer_add_str(out, "],\n\"all\":");
    add_block(out, s, &s->all, s->measures->n, s->measures->n);
}

/* "left_out": of how many measures (the last ones) places have no times, no totals; lists whose places are
 * not there; how many times came before those there are. */
static void add_left_out(struct odp_buffer *out, const struct odp_summary *s, const struct extent *e)
{
    uint32_t n = s->measures->n, times = s->ntimes > 0 && e->level < s->nlevels ? n - e->times : 0;
    bool places = s->place != NULL && (s->no_places || e->level > 0);
    if (times + (n - e->totals) + s->earlier == 0 && !places)
        return;
    odp_buffer_printf(out, ",\n\"left_out\":{\"times\":%u,\"totals\":%u,\"earlier\":%u,\"places\":[", times,
                      n - e->totals, s->earlier);
    const struct odp_foreign_key *key = places ? s->place : NULL;
    for (uint32_t l = 0; key != NULL && (s->no_places || l < e->level);
         l++, key = odp_place_key(key->target)) {
        odp_json_add_str(out, l > 0 ? "," : "", key->target->dataset->slug);
    }
    odp_buffer_add_str(out, "]}");
}

/* One thing less. False: nothing can be left out any more. */
static bool lessen(const struct odp_summary *s, struct extent *e)
{
    const uint32_t least = s->measures->nhighlights > 0 ? s->measures->nhighlights : 1;
    if (s->ntimes > 0 && e->times > least)
        e->times--;
    else if (e->totals > least)
        e->totals--;
    else if (s->ntimes > 0 && e->times > 0)
        e->times--;
    else if (e->level < s->nlevels)
        *e = (struct extent){s->measures->n, s->measures->n, e->level + 1};
    else
        return false;
    return true;
}

static enum odp_status status_of(const struct odp_summary *s)
{
    const struct odp_map *maps[] = {&s->codes.map, &s->stamps.map, &s->row_keys, &s->levels[0].codes.map,
                                    &s->levels[1].codes.map};
    enum odp_status status = odp_arena_status(&s->arena);
    for (size_t i = 0; i < ODP_COUNT(maps) && status == ODP_OK; i++)
        status = odp_arena_status(&maps[i]->keys) == ODP_OK ? odp_arena_status(&maps[i]->table) : ODP_FAIL;
    return status;
}

enum odp_status odp_summary_json(struct odp_summary *s, const struct odp_code_lists *codes,
                                 struct odp_buffer *out)
{
    struct extent e = {s->measures->n, s->measures->n, 0};
    uint32_t level;
    summary_finish(s, codes);
    do {
        level = e.level;
        odp_buffer_clear(out);
        add_head(out, s, level);
        size_t head = out->len;
        add_places(out, s, &e);
        add_left_out(out, s, &e);
        odp_buffer_add_str(out, "}\n");
        while (out->len > SUMMARY_BYTES && lessen(s, &e) && e.level == level) {
            out->len = head;
            add_places(out, s, &e);
            add_left_out(out, s, &e);
            odp_buffer_add_str(out, "}\n");
        }
    } while (e.level != level);
    return odp_buffer_status(out) == ODP_OK ? status_of(s) : ODP_FAIL;
}
