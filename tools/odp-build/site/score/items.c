/* What the four principles share: items, their sums, and the words for what is missing. */
#include "site/score/score_internal.h"

bool score_has_text(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *id = json_string_value(json_is_object(v) ? json_object_get(v, "id") : v), *en = json_string_value(json_object_get(v, "en"));
    return (id != NULL && *id != '\0') || (en != NULL && *en != '\0');
}

bool score_in_key(const struct odp_key *key, uint32_t field)
{
    for (uint32_t i = 0; i < key->n; i++)
        if (key->fields[i] == field)
            return true;
    return false;
}

const struct odp_foreign_key *score_foreign(const struct odp_resource *r, uint32_t field, bool list)
{
    for (size_t k = 0; k < r->nforeign; k++)
        if (r->foreign[k].target->dataset->reference == list && score_in_key(&r->foreign[k].local, field))
            return &r->foreign[k];
    return NULL;
}

/* ---- items --------------------------------------------------------------------------------------------------------------------- */

void score_begin(struct scoring *s, struct odp_score *score, enum odp_principle principle, const char *id, struct odp_text title, size_t most)
{
    s->principle = &score->principle[principle];
    *s->principle = (struct odp_score_principle){.id = id, .title = title};
    s->items = odp_arena_zero(s->arena, most + 1, sizeof *s->items);
    s->room = most;
}

void score_end(struct scoring *s)
{
    struct odp_score_principle *p = s->principle;
    p->items = s->items;
    for (size_t i = 0; i < p->n; i++) {
        p->have += p->items[i].have;
        p->need += p->items[i].need;
    }
}

void score_item(struct scoring *s, const char *id, struct odp_text label, uint64_t have, uint64_t need, struct odp_text note)
{
    if (need == 0 || s->principle->n == s->room)
        return;
    s->failed = s->failed || id == NULL;
    s->items[s->principle->n++] = (struct odp_score_item){.id = id, .label = label, .note = note, .have = have, .need = need};
}

void score_check(struct scoring *s, const char *id, struct odp_text label, bool there, struct odp_text missing)
{
    const struct odp_text none = {{NULL}};
    score_item(s, id, label, there, 1, there ? none : missing);
}

/* ---- words --------------------------------------------------------------------------------------------------------------------- */

static const char *with_names(struct scoring *s, const char *text, const char *names)
{
    const char *at = strstr(text, "{1}");
    if (at == NULL)
        return text;
    const char *made = odp_arena_printf(s->arena, "%.*s%s%s", (int)(at - text), text, names, at + 3);
    return made;
}

struct odp_text score_text(struct scoring *s, const char *id, const char *en, const char *names)
{
    return (struct odp_text){{with_names(s, id, names), with_names(s, en, names)}};
}

void score_forget(struct scoring *s)
{
    s->missing.n = 0;
}

void score_name(struct scoring *s, const struct odp_resource *r, const struct odp_field *f)
{
    const char *name = r->primary ? f->name : odp_arena_printf(s->arena, "%s.%s", r->name, f->name);
    s->failed = s->failed || name == NULL;
    if (name != NULL && s->missing.n < s->missing.cap)
        s->missing.item[s->missing.n++] = name;
}

static const char *list_in(struct scoring *s, enum odp_lang lang, const char *before, const char *behind)
{
    struct odp_buffer b;
    size_t n = s->missing.n, shown = n > SCORE_NAMES ? SCORE_NAMES : n;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, before);
    for (size_t i = 0; i < shown; i++) {
        odp_buffer_add_str(&b, i > 0 ? ", " : "");
        odp_buffer_add_str(&b, s->missing.item[i]);
    }
    if (shown < n)
        odp_buffer_printf(&b, lang == ODP_LANG_ID ? " dan %zu lainnya" : " and %zu more", n - shown);
    odp_buffer_add_str(&b, behind);
    const char *text = b.failed ? NULL : odp_arena_str(s->arena, odp_buffer_cstr(&b));
    s->failed = s->failed || text == NULL;
    odp_buffer_release(&b);
    return text != NULL ? text : "";
}

struct odp_text score_list(struct scoring *s, struct odp_text before, struct odp_text behind)
{
    struct odp_text out = {{NULL}};
    for (int lang = 0; lang < ODP_LANGS && s->missing.n > 0; lang++)
        out.in[lang] = list_in(s, (enum odp_lang)lang, before.in[lang], behind.in[lang]);
    return out;
}
