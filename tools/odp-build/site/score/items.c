/* What the four principles share: items, sums, the words for what is missing. */
#include "site/score/score_internal.h"

enum { NAMES_SHOWN = 12 };

bool score_has_text(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return *odp_text_of(o, key) != '\0' || *odp_text_of(v, "id") != '\0' || *odp_text_of(v, "en") != '\0';
}

bool score_has_geometry(const struct odp_dataset *d)
{
    bool any = false;
    for (size_t i = 0; i < d->nresources; i++)
        any = any || d->resources[i].geometry.present;
    return any;
}

const struct odp_foreign_key *score_foreign(const struct odp_resource *r, uint32_t field, bool list)
{
    for (size_t k = 0; k < r->nforeign; k++)
        if (r->foreign[k].target->dataset->reference == list && odp_key_has(&r->foreign[k].local, field))
            return &r->foreign[k];
    return NULL;
}

/* ---- items ---- */

void score_begin(struct scoring *s, struct odp_score *score, enum odp_principle principle,
                 struct odp_text title, size_t most)
{
    static const char *const ids[] = {[ODP_PRINCIPLE_STANDARD] = "standard",
                                      [ODP_PRINCIPLE_METADATA] = "metadata",
                                      [ODP_PRINCIPLE_INTEROPERABILITY] = "interoperability",
                                      [ODP_PRINCIPLE_CODES] = "codes"};
    s->principle = &score->principle[principle];
    s->items = odp_arena_zero(s->arena, most + 1, sizeof *s->items);
    s->room = most;
    s->nmissing = 0;
    *s->principle = (struct odp_score_principle){.id = ids[principle], .title = title, .items = s->items};
}

void score_end(struct scoring *s)
{
    struct odp_score_principle *p = s->principle;
    for (size_t i = 0; i < p->n; i++) {
        p->have += p->items[i].have;
        p->need += p->items[i].need;
    }
}

void score_item(struct scoring *s, const char *id, struct odp_text label, const uint64_t have_need[2],
                struct odp_text note)
{
    if (have_need[1] > 0 && s->principle->n < s->room)
        s->items[s->principle->n++] = (struct odp_score_item){id, label, note, have_need[0], have_need[1]};
    s->nmissing = 0;
}

void score_check(struct scoring *s, const char *id, struct odp_text label, bool there,
                 struct odp_text missing)
{
    score_item(s, id, label, (const uint64_t[]){there, 1}, there ? (struct odp_text){{NULL}} : missing);
}

/* ---- words ---- */

struct odp_text score_text(struct scoring *s, struct odp_text text, struct odp_text names)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *whole = text.in[lang], *at = strstr(whole, "{1}");
        if (at != NULL)
            text.in[lang] = odp_arena_printf(s->arena, "%.*s%s%s", (int)(at - whole), whole,
                                             odp_text_get(&names, (enum odp_lang)lang), at + 3);
    }
    return text;
}

const char *score_name(struct scoring *s, const struct odp_resource *r, const struct odp_field *f)
{
    return r->primary ? f->name : odp_arena_printf(s->arena, "%s.%s", r->name, f->name);
}

static const char *line_of(const struct odp_field *f)
{
    const char *line = f->where != NULL ? strrchr(f->where, ':') : NULL;
    return line != NULL ? line : "";
}

struct odp_text score_at(struct scoring *s, struct odp_text text, const struct odp_field *f)
{
    for (int lang = 0; lang < ODP_LANGS; lang++)
        text.in[lang] = odp_arena_printf(s->arena, "%s%s", text.in[lang], line_of(f));
    return text;
}

void score_miss(struct scoring *s, const struct odp_resource *r, const struct odp_field *f)
{
    s->missing[s->nmissing++] = odp_arena_printf(s->arena, "%s%s", score_name(s, r, f), line_of(f));
}

struct odp_text score_list(struct scoring *s, struct odp_text before, struct odp_text behind)
{
    struct odp_text out = {{NULL}};
    for (int lang = 0; lang < ODP_LANGS && s->nmissing > 0; lang++) {
        struct odp_buffer b = {0};
        odp_buffer_add_str(&b, before.in[lang]);
        for (size_t i = 0; i < s->nmissing && i < NAMES_SHOWN; i++)
            odp_buffer_printf(&b, "%s%s", i > 0 ? ", " : "", s->missing[i]);
        if (s->nmissing > NAMES_SHOWN)
            odp_buffer_printf(&b, odp_word((enum odp_lang)lang, W_score_and_more), s->nmissing - NAMES_SHOWN);
        odp_buffer_add_str(&b, behind.in[lang]);
        out.in[lang] = odp_buffer_keep(&b, s->arena);
    }
    return out;
}
