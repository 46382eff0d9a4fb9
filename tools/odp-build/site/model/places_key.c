/* What the files of a place are made of, as digests: so they are carried over without being made. Of a
 * place count the tables that tell of it, each as a whole, for beside its own figures there are its rank, and
 * those of the place around and of all places; the same of the places inside; and which places there are. */
#include "site/model/places_internal.h"

static void add_json(struct odp_buffer *to, const json_t *value)
{
    if (value != NULL && odp_doc_print(to, value, ODP_DOC_LINE | JSON_ENCODE_ANY) != ODP_OK)
        to->failed = true;
    odp_buffer_add_char(to, '\n');
}

/* The digest of TEXT, which is empty then. */
static void take_digest(struct odp_buffer *text, uint8_t digest[ODP_SHA256_SIZE])
{
    if (text->failed || odp_digest_of(text->ptr, text->len, digest) != ODP_OK)
        text->failed = true;
    else
        odp_buffer_clear(text);
}

static void add_digest(struct odp_buffer *to, struct odp_buffer *text)
{
    uint8_t digest[ODP_SHA256_SIZE] = {0};
    take_digest(text, digest);
    odp_buffer_add(to, digest, sizeof digest);
}

enum odp_status places_key_lists(struct odp_places *p)
{
    struct odp_buffer text = {0};
    for (size_t i = 0; i < p->nlists; i++) {
        odp_buffer_printf(&text, "%s\t%zu\n", p->lists[i].slug, p->lists[i].parent);
        add_json(&text, p->lists[i].title);
    }
    for (size_t i = 0; i < p->nall; i++) {
        const struct odp_place *place = &p->all[i];
        odp_buffer_printf(&text, "%zu\t%s\t%s\n", place->level, place->code,
                          place->parent != NULL ? place->parent->code : "");
        add_json(&text, place->name);
    }
    take_digest(&text, p->lists_key);
    enum odp_status status = odp_buffer_status(&text);
    odp_buffer_release(&text);
    return status;
}

/* T->key: of its summary, and of what else pages say of it; PLACES: digest of which there are. */
static void look_at(const struct odp_places *p, struct place_table *t, const uint8_t places[ODP_SHA256_SIZE],
                    struct odp_buffer *text)
{
    const struct odp_site_file *summary = odp_stage_find(p->job->stage, t->path);
    odp_buffer_add(text, places, ODP_SHA256_SIZE);
    if (summary != NULL)
        odp_buffer_add(text, summary->sha256, sizeof summary->sha256);
    add_json(text, t->title);
    add_json(text, json_object_get(t->through, "title"));
    odp_buffer_printf(text, "%s\t%s\t%s\t%d\t%d", t->slug, t->name, odp_text_of(t->through, "slug"),
                      t->through == t->entry, odp_model_is_staged(p->job, t->explore));
    for (size_t i = 0; i < p->nlists; i++)
        odp_buffer_printf(text, "\t%s", t->fields[i] != NULL ? t->fields[i] : "-");
    take_digest(text, t->key);
}

/* Which tables tell of PLACE, and what those are made of. */
static void add_own(struct odp_buffer *to, const struct odp_places *p, const struct odp_place *place,
                    struct odp_buffer *text)
{
    for (size_t i = 0; i < p->ntables; i++)
        if (place_has(&p->tables[i], place, PLACE_ROW))
            odp_buffer_add(text, p->tables[i].key, sizeof p->tables[i].key);
    add_digest(to, text);
}

/* P->key: the digest of all places with a page, and where they lie; then of what each has of its own. */
static void prepare(struct odp_places *p)
{
    struct odp_buffer text = {0}, key = {0};
    uint8_t places[ODP_SHA256_SIZE] = {0};
    odp_buffer_add(&text, p->lists_key, sizeof p->lists_key);
    for (size_t i = 0; i < p->nall; i++)
        odp_buffer_add_char(&text, p->all[i].known ? '1' : '0');
    take_digest(&text, places);
    odp_buffer_add(&key, places, sizeof places);
    for (size_t i = 0; i < p->ntables; i++)
        look_at(p, &p->tables[i], places, &text);
    for (size_t i = 0; i < p->nknown; i++)
        add_own(&key, p, p->known[i], &text);
    p->arena.failed = p->arena.failed || text.failed || key.failed;
    p->key = odp_arena_copy(&p->arena, odp_buffer_slice(&key)).ptr;
    odp_buffer_release(&text);
    odp_buffer_release(&key);
}

void odp_place_made_of(struct odp_places *p, const struct odp_place *place, struct odp_buffer *out)
{
    if (p->key == NULL)
        prepare(p);
    odp_buffer_add(out, p->key, ODP_SHA256_SIZE);
    odp_buffer_printf(out, "%s\t%s\n", place->list, place->code);
    for (size_t i = 0; i < p->nknown; i++)
        if (p->known[i] == place || p->known[i]->parent == place)
            odp_buffer_add(out, p->key + (i + 1) * ODP_SHA256_SIZE, ODP_SHA256_SIZE);
}

const uint8_t *odp_place_table_key(struct odp_places *p, const struct place_table *t)
{
    if (p->key == NULL)
        prepare(p);
    return t->key;
}
