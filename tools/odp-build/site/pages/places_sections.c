/* What tables tell of a place, in each of its files. That of a table that has not changed is in the files of
 * the site before and is taken from there: a place is told of by most tables, and of them one has changed (a
 * build that one of 220 datasets has changed takes a quarter less by it). */
#include "site/pages/places_internal.h"

#include "published/parts.h"

/* What a table tells, in the files of a place. */
struct section {
    uint8_t key[ODP_SHA256_SIZE]; /* of all that it is made of */
    uint32_t at[PLACE_FILES], len[PLACE_FILES];
};

/* ---- of the site before ---- */

/* Whether what S says lies in the files of the site before. */
static bool lies_within(const struct place_files *f, const struct section *s)
{
    for (int i = 0; i < PLACE_FILES; i++)
        if (s->at[i] > f->before[i].len || s->len[i] > f->before[i].len - s->at[i])
            return false;
    return true;
}

static void read_before(struct place_files *f)
{
    struct odp_stage *stage = f->p->job->stage;
    f->known = odp_part_text_before(stage);
    for (int i = 0; i < PLACE_FILES && f->known.len > 0 && f->p->status == ODP_OK; i++)
        f->p->status = odp_part_read_before(stage, f->path[i], &f->before[i]);
}

/* The one with KEY, in S. Tables follow one another as they did, so it is looked for after the last one. */
static bool find_before(struct place_files *f, const uint8_t key[ODP_SHA256_SIZE], struct section *s)
{
    const size_t n = f->known.len / sizeof *s;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (f->next + i) % n;
        memcpy(s, f->known.ptr + at * sizeof *s, sizeof *s);
        if (memcmp(s->key, key, sizeof s->key) == 0) {
            f->next = at + 1;
            return lies_within(f, s);
        }
    }
    return false;
}

/* ---- made ---- */

static void make_pages(struct place_files *f, struct place_table *t)
{
    struct portal *p = f->p;
    json_t *table = odp_place_table_facts(p->job->places, t, f->place);
    for (int lang = 0; lang < ODP_LANGS && table != NULL && p->status == ODP_OK; lang++) {
        const json_t *const scopes[] = {p->site[lang], f->frame[lang], table};
        p->status = odp_templates_render(p->templates, "place-table", (enum odp_lang)lang, scopes,
                                         ODP_COUNT(scopes), &f->text[lang]);
    }
    json_decref(table);
}

/* Between what two tables tell. */
static void add_between(struct place_files *f)
{
    struct odp_buffer *json = &f->text[PLACE_JSON];
    if (json->len > 0 && json->ptr[json->len - 1] == '}')
        odp_buffer_add_str(json, ",\n");
}

static void add_section(struct place_files *f, struct place_table *t)
{
    struct odp_places *places = f->p->job->places;
    struct section was, now;
    const uint8_t *key = odp_place_table_key(places, t);
    const bool taken = find_before(f, key, &was);
    add_between(f);
    for (int i = 0; i < PLACE_FILES; i++)
        now.at[i] = (uint32_t)f->text[i].len;
    for (int i = 0; i < PLACE_FILES && taken; i++)
        odp_buffer_add(&f->text[i], f->before[i].ptr + was.at[i], was.len[i]);
    if (!taken) {
        make_pages(f, t);
        odp_place_csv(places, t, f->place, &f->text[PLACE_CSV]);
        odp_place_json(places, t, f->place, &f->text[PLACE_JSON]);
    }
    for (int i = 0; i < PLACE_FILES; i++)
        now.len[i] = (uint32_t)f->text[i].len - now.at[i];
    memcpy(now.key, key, sizeof now.key);
    odp_buffer_add(&f->made, &now, sizeof now);
}

static json_t *make_frame(const struct place_files *f, enum odp_lang lang)
{
    const struct odp_place *parent = f->place->parent;
    json_t *frame = json_pack("{s:s}", "root", portal_root(f->path[lang], &f->p->arena));
    if (parent != NULL && parent->known)
        odp_set(frame, "parent", json_pack("{s:s, s:O}", "code", parent->code, "name", parent->name));
    return frame;
}

void portal_place_sections(struct place_files *f)
{
    struct place_table *t = NULL;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        f->frame[lang] = make_frame(f, (enum odp_lang)lang);
    read_before(f);
    odp_place_csv_begin(&f->text[PLACE_CSV]);
    odp_place_json_begin(f->place, &f->text[PLACE_JSON]);
    while ((t = odp_place_next_table(f->p->job->places, f->place, t)) != NULL && f->p->status == ODP_OK)
        add_section(f, t);
    odp_place_json_end(&f->text[PLACE_JSON]);
    for (int i = 0; i < PLACE_FILES && f->p->status == ODP_OK; i++)
        f->p->status = odp_buffer_status(&f->text[i]);
}

/* ---- for the next build ---- */

/* A page of a theme that does not show them as they are leaves nothing to take. */
void portal_place_sections_at(struct place_files *f, enum odp_lang lang, struct odp_slice page)
{
    enum { BEGIN = 256 }; /* bytes: the name of the first table is in them */
    const struct odp_slice text = odp_buffer_slice(&f->text[lang]);
    const char *at = memmem(page.ptr, page.len, text.ptr, text.len < BEGIN ? text.len : BEGIN);
    const size_t from = at != NULL ? (size_t)(at - page.ptr) : 0;
    if (at == NULL || page.len - from < text.len || memcmp(at, text.ptr, text.len) != 0) {
        odp_buffer_clear(&f->made);
        return;
    }
    for (size_t i = 0; i < f->made.len; i += sizeof(struct section)) {
        struct section s;
        memcpy(&s, f->made.ptr + i, sizeof s);
        s.at[lang] += (uint32_t)from;
        memcpy(f->made.ptr + i, &s, sizeof s);
    }
}

void portal_place_sections_release(struct place_files *f)
{
    for (int i = 0; i < PLACE_FILES; i++) {
        odp_buffer_release(&f->text[i]);
        odp_buffer_release(&f->before[i]);
    }
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(f->frame[lang]);
    odp_buffer_release(&f->made);
}
