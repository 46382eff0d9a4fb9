/* What the files of a place are made of, as digests: so they are carried over without being made. A
 * table's rows are looked at once. Of a place count its own rows with their ranks, in the same tables the
 * rows of the place around and what they say of all places; the same of the places inside; and which
 * places there are. */
#include "site/model/places_internal.h"

static void add_json(struct odp_buffer *to, const json_t *value)
{
    if (value != NULL && odp_doc_print(to, value, ODP_DOC_LINE | JSON_ENCODE_ANY) != ODP_OK)
        to->failed = true;
    odp_buffer_add_char(to, '\n');
}

/* Appends the digest of TEXT, which is empty then. */
static void add_digest(struct odp_buffer *to, struct odp_buffer *text)
{
    uint8_t digest[ODP_SHA256_SIZE] = {0};
    if (text->failed || odp_digest_of(text->ptr, text->len, digest) != ODP_OK)
        to->failed = true;
    odp_buffer_add(to, digest, sizeof digest);
    odp_buffer_clear(text);
}

/* TEXT in P's arena, which fails with it; TEXT is given back. Digests have no end. */
static const char *keep(struct odp_places *p, struct odp_buffer *text)
{
    const char *kept = odp_arena_copy(&p->arena, odp_buffer_slice(text)).ptr;
    p->arena.failed = p->arena.failed || text->failed;
    odp_buffer_release(text);
    return kept;
}

/* What pages say of T whichever place they are of: its summary but for the rows, and what it is called. */
static void add_head(const struct odp_places *p, const struct place_table *t, struct odp_buffer *text)
{
    json_t *summary = json_copy(t->summary);
    (void)json_object_del(summary, "places");
    add_json(text, summary);
    add_json(text, t->title);
    add_json(text, json_object_get(t->through, "title"));
    odp_buffer_printf(text, "%s\t%s\t%s\t%d\t%d", t->slug, t->name, odp_text_of(t->through, "slug"),
                      t->through == t->entry, odp_model_is_staged(p->job, t->explore));
    for (size_t i = 0; i < p->nlists; i++)
        odp_buffer_printf(text, "\t%s", t->fields[i] != NULL ? t->fields[i] : "-");
    json_decref(summary);
}

/* T->key: the digest of its head, and of each row with its ranks. */
static void look_at(struct odp_places *p, struct place_table *t, struct odp_buffer *text)
{
    const size_t nranks = (t->ntimes + 1) * t->nmeasures;
    struct odp_buffer key = {0};
    add_head(p, t, text);
    add_digest(&key, text);
    for (size_t row = 0; row < t->nrows; row++) {
        add_json(text, t->rows[row]);
        odp_buffer_add(text, &t->ranks[row * nranks], nranks * sizeof *t->ranks);
        add_digest(&key, text);
    }
    t->key = keep(p, &key);
}

static void add_row(struct odp_buffer *to, const struct place_table *t, const struct odp_place *place)
{
    const uint32_t row = place != NULL ? t->row_of[place->number] : 0;
    odp_buffer_add_char(to, row > 0 ? '+' : '-');
    if (row > 0)
        odp_buffer_add(to, t->key + (size_t)row * ODP_SHA256_SIZE, ODP_SHA256_SIZE);
}

/* What the tables say of PLACE, beside what they say of the place around. */
static void add_own(struct odp_buffer *to, const struct odp_places *p, const struct odp_place *place,
                    struct odp_buffer *text)
{
    for (size_t i = 0; i < p->ntables; i++) {
        const struct place_table *t = &p->tables[i];
        if (t->row_of[place->number] == 0)
            continue;
        odp_buffer_add(text, t->key, ODP_SHA256_SIZE);
        add_row(text, t, place);
        add_row(text, t, place->parent);
    }
    add_digest(to, text);
}

/* P->key: the digest of all places with a page, and where they lie; then of what each has of its own. */
static void prepare(struct odp_places *p)
{
    struct odp_buffer text = {0}, key = {0};
    for (size_t i = 0; i < p->nknown; i++) {
        const struct odp_place *place = p->known[i];
        odp_buffer_printf(&text, "%s\t%s\t%s\t%d\n", place->list, place->code,
                          place->parent != NULL ? place->parent->code : "",
                          place->parent != NULL && place->parent->known);
        add_json(&text, place->name);
        add_json(&text, place->kind);
    }
    add_digest(&key, &text);
    for (size_t i = 0; i < p->ntables; i++)
        look_at(p, &p->tables[i], &text);
    for (size_t i = 0; i < p->nknown; i++)
        add_own(&key, p, p->known[i], &text);
    p->arena.failed = p->arena.failed || text.failed;
    odp_buffer_release(&text);
    p->key = keep(p, &key);
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
