/* The list: which members there are, what a document has of them, and which it should have. */
#include <strings.h>

#include "base/ascii.h"
#include "base/json_load.h"
#include "base/path.h"
#include "catalog/frequency.h"
#include "metadata/metadata_internal.h"

const struct member metadata_members[] = {
    {OF_PORTAL, MEMBER_LINE, "title", NULL, "title", .both = true, .must = true,
     .label = {{W_metadata_portal_title}}},
    {OF_PORTAL, MEMBER_LONG, "description", NULL, "description", .both = true,
     .label = {{W_metadata_description}}, .hint = {{W_metadata_portal_description_hint}}},
    {OF_PORTAL, MEMBER_LINE, "publisher", NULL, "publisher", .both = true, .must = true,
     .label = {{W_metadata_publisher}}},
    {OF_PORTAL, MEMBER_LINE, "license", "license", "name", .label = {{W_metadata_license}},
     .hint = {{W_metadata_license_hint}}},
    {OF_PORTAL, MEMBER_URL, "license-address", "license", "path", .label = {{W_metadata_license_address}},
     .hint = {{W_metadata_license_address_hint}}},
    {OF_PORTAL, MEMBER_LINE, "contact", "contact", "name", .label = {{W_metadata_contact}}},
    {OF_PORTAL, MEMBER_EMAIL, "contact-email", "contact", "email", .label = {{W_metadata_contact_email}},
     .hint = {{W_metadata_contact_email_hint}}},

    {OF_DATASET, MEMBER_LINE, "title", NULL, "title", "odp:title", .both = true, .must = true,
     .label = {{W_metadata_title}}, .hint = {{W_metadata_title_hint}}},
    {OF_DATASET, MEMBER_LONG, "description", NULL, "description", "odp:description", .both = true,
     .label = {{W_metadata_description}}, .hint = {{W_metadata_description_hint}}},
    {OF_DATASET, MEMBER_SUBJECTS, "subjects", NULL, "odp:subjects", .label = {{W_metadata_subjects}}},
    {OF_DATASET, MEMBER_WORDS, "keywords", NULL, "keywords", "odp:keywords", .both = true,
     .label = {{W_metadata_keywords}}, .hint = {{W_metadata_keywords_hint}}},
    {OF_DATASET, MEMBER_CODE, "frequency", NULL, "odp:frequency", .label = {{W_metadata_frequency}}},
    {OF_DATASET, MEMBER_DAY, "updated", NULL, "odp:lastUpdate", .label = {{W_metadata_updated}},
     .hint = {{W_metadata_updated_hint}}},
    {OF_DATASET, MEMBER_LINE, "record", NULL, "odp:record", .both = true, .label = {{W_metadata_record}},
     .hint = {{W_metadata_record_hint}}},
    {OF_DATASET, MEMBER_LINE, "producer", NULL, "sdi:produsenData", .both = true, .more = true,
     .label = {{W_metadata_producer}}},
    {OF_DATASET, MEMBER_LINE, "walidata", NULL, "sdi:walidata", .both = true, .more = true,
     .label = {{W_metadata_walidata}}},
    {OF_DATASET, MEMBER_LINE, "pembina", NULL, "sdi:pembina", .both = true, .more = true,
     .label = {{W_metadata_pembina}}},
    {OF_DATASET, MEMBER_LINE, "sdsn", NULL, "sdi:kodeSDSN", .more = true, .label = {{W_metadata_sdsn}}},
    {OF_DATASET, MEMBER_STATUS, "status", NULL, "odp:status", .label = {{W_metadata_status}},
     .hint = {{W_metadata_status_hint}}},

    {OF_FIELD, MEMBER_LINE, "title", NULL, "title", "odp:title", .both = true, .label = {{W_metadata_title}}},
    {OF_FIELD, MEMBER_LONG, "description", NULL, "description", "odp:description", .both = true,
     .label = {{W_metadata_meaning}}},
    {OF_FIELD, MEMBER_LINE, "unit", NULL, "sdi:satuan", .both = true, .label = {{W_metadata_unit}},
     .hint = {{W_metadata_unit_hint}}},
    {OF_FIELD, MEMBER_LINE, "concept", NULL, "sdi:konsep", .both = true, .more = true,
     .label = {{W_metadata_concept}}},
    {OF_FIELD, MEMBER_LONG, "definition", NULL, "sdi:definisi", .both = true, .more = true,
     .label = {{W_metadata_definition}}},
    {OF_FIELD, MEMBER_LINE, "measure", NULL, "sdi:ukuran", .both = true, .more = true,
     .label = {{W_metadata_measure}}},
    {OF_FIELD, MEMBER_LINE, "classification", NULL, "sdi:klasifikasi", .both = true, .more = true,
     .label = {{W_metadata_classification}}},

    {OF_CATEGORY, MEMBER_LINE, "label", NULL, "label", "odp:label", .both = true,
     .label = {{W_metadata_label}}},
};
const size_t metadata_nmembers = ODP_COUNT(metadata_members);

/* ---- what is there ---- */

static const char *joined(const struct entries *l, const json_t *words)
{
    struct odp_buffer b = {0};
    const json_t *word;
    size_t i;
    json_array_foreach(words, i, word) if (json_is_string(word))
        odp_buffer_printf(&b, "%s%s", b.len > 0 ? ", " : "", json_string_value(word));
    return odp_buffer_keep(&b, l->arena);
}

static void take_text(const struct entries *l, struct entry *e, const json_t *v)
{
    const int first = e->member->both ? (int)l->first : 0;
    if (json_is_string(v) || json_is_array(v)) {
        e->value[first] = json_is_string(v) ? json_string_value(v) : joined(l, v);
        e->plain = true;
        return;
    }
    for (int lang = 0; lang < ODP_LANGS && json_is_object(v) && e->member->both; lang++) {
        const json_t *own = json_object_get(v, odp_lang_code((enum odp_lang)lang));
        if (json_is_string(own) || json_is_array(own))
            e->value[lang] = json_is_string(own) ? json_string_value(own) : joined(l, own);
        e->plain = false;
    }
}

static struct entry *add(struct entries *l, const struct member *m, const char *at, const char *owner,
                         const json_t *object)
{
    l->item = odp_arena_more(l->arena, l->item, l->n, sizeof *l->item);
    struct entry *e = &l->item[l->n++];
    *e = (struct entry){.member = m, .value = {"", ""}};
    e->at = m->in != NULL ? odp_arena_printf(l->arena, "%s/%s", at, m->in) : at;
    e->name = odp_arena_printf(l->arena, "%s%s", owner, m->name);
    const json_t *holder = m->in != NULL ? json_object_get(object, m->in) : object;
    take_text(l, e, json_object_get(holder, m->key));
    if (m->twin != NULL)
        take_text(l, e, json_object_get(holder, m->twin));
    return e;
}

/* ---- what should be there ---- */

static bool is_said(const struct entry *e)
{
    return *e->value[0] != '\0' || *e->value[1] != '\0';
}

/* In each language; of what is the same in all languages, one is enough. */
static void want(struct entry *e, bool all)
{
    for (int lang = 0; lang < entry_langs(e); lang++)
        e->lacks[lang] = *e->value[lang] == '\0' && (!is_said(e) || (all && !e->plain));
    if (!all && e->lacks[1])
        e->lacks[1] = false; /* a gap of one text is one gap */
}

static bool refers(const struct odp_resource *r, uint32_t field)
{
    for (size_t i = 0; i < r->nforeign; i++)
        if (odp_key_has(&r->foreign[i].local, field))
            return true;
    return false;
}

/* A column that holds the units of others, record by record: "satuan", "satuan_nilai", "unit". */
static bool has_units(const struct odp_schema *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (strncmp(s->fields[i].name, "satuan", 6) == 0 || strcmp(s->fields[i].name, "unit") == 0)
            return true;
    return false;
}

/* A figure has a unit; one that is bound on both sides is a score on a scale. */
static bool needs_unit(const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    return odp_schema_is_figure(&r->schema, field) && f->ncategories == 0 && !has_units(&r->schema) &&
           (f->constraints.minimum.len == 0 || f->constraints.maximum.len == 0) && !refers(r, field);
}

/* "1", "L": nobody knows what that means, unless the field's description says so. */
static bool is_code(const struct odp_field *f, struct odp_slice value)
{
    bool digits = value.len > 0;
    for (size_t i = 0; i < value.len; i++)
        digits = digits && odp_is_digit(value.ptr[i]);
    const char *said = odp_text_get(&f->description, ODP_LANG_ID);
    return (digits || value.len == 1) && memmem(said, strlen(said), value.ptr, value.len) == NULL;
}

/* ---- the documents ---- */

/* Licences that are known by their names alone. */
static bool is_known_license(const char *name)
{
    static const char *const names[] = {"CC0-1.0",  "CC-BY-4.0",  "CC-BY-SA-4.0", "CC-BY-3.0", "CC-BY-SA-3.0",
                                        "ODbL-1.0", "ODC-BY-1.0", "PDDL-1.0",     "OGL-UK-3.0"};
    bool known = *name == '\0';
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        known = known || strcasecmp(name, names[i]) == 0;
    return known;
}

static void list_portal(struct entries *l)
{
    for (size_t i = 0; i < metadata_nmembers; i++) {
        const struct member *m = &metadata_members[i];
        if (m->of != OF_PORTAL)
            continue;
        struct entry *e = add(l, m, "", "", l->json);
        const char *license = odp_json_text(json_object_get(l->json, "license"), "name");
        const bool vague = !is_known_license(license != NULL ? license : "");
        if (strcmp(m->name, "contact") != 0 && (vague || strcmp(m->name, "license-address") != 0))
            want(e, true);
    }
}

static void list_dataset(struct entries *l)
{
    for (size_t i = 0; i < metadata_nmembers; i++) {
        const struct member *m = &metadata_members[i];
        const bool dated = m->kind == MEMBER_DAY;
        if (m->of != OF_DATASET || (m->kind == MEMBER_SUBJECTS && l->catalog->portal.nsubjects == 0) ||
            (dated && l->dataset->last_update_field >= 0))
            continue;
        struct entry *e = add(l, m, "", "", l->json);
        if (m->kind == MEMBER_STATUS && strcmp(e->value[0], "draft") != 0) {
            l->n--;
            continue;
        }
        if (m->kind == MEMBER_CODE && *odp_frequency_known(e->value[0]) == '\0')
            e->value[0] = "";
        if (!m->more && m->kind != MEMBER_WORDS && m->kind != MEMBER_STATUS && strcmp(m->name, "record") != 0)
            want(e, true);
    }
}

/* What a column means is said by one of three members. */
static bool means(const struct entries *l, const struct odp_field *f, int lang)
{
    struct entry e = {.member = metadata_members};
    bool said = false;
    for (size_t i = 0; i < metadata_nmembers; i++) {
        const struct member *m = &metadata_members[i];
        e = (struct entry){.member = m, .value = {"", ""}};
        if (m->of != OF_FIELD || (strcmp(m->name, "concept") != 0 && strcmp(m->name, "definition") != 0))
            continue;
        take_text(l, &e, json_object_get(f->json, m->key));
        said = said || *e.value[lang] != '\0' || (e.plain && is_said(&e));
    }
    return said;
}

static void want_of_field(const struct entries *l, const struct odp_resource *r, uint32_t field,
                          struct entry *e)
{
    const struct odp_field *f = &r->schema.fields[field];
    if (!f->is_public)
        return;
    if (strcmp(e->member->name, "title") == 0)
        want(e, true);
    if (strcmp(e->member->name, "unit") == 0 && needs_unit(r, field) &&
        !json_string_length(json_object_get(f->json, "sdi:ukuran")) &&
        !json_is_object(json_object_get(f->json, "sdi:ukuran")))
        want(e, false);
    if (e->member->kind == MEMBER_LONG && !e->member->more) {
        want(e, true);
        for (int lang = 0; lang < ODP_LANGS; lang++)
            e->lacks[lang] = e->lacks[lang] && !means(l, f, lang);
    }
}

static void list_categories(struct entries *l, const struct odp_resource *r, const struct odp_field *f,
                            const char *at)
{
    const struct member *m = &metadata_members[metadata_nmembers - 1];
    const json_t *list = json_object_get(f->json, "categories");
    for (size_t i = 0; i < f->ncategories && i < json_array_size(list); i++) {
        const struct odp_category *c = &f->categories[i];
        const char *owner = odp_arena_printf(l->arena, "%s/%s=%.*s/", r->name, f->name, (int)c->value.len,
                                             c->value.ptr),
                   *place = odp_arena_printf(l->arena, "%s/categories/%zu", at, i);
        struct entry *e = add(l, m, place, owner, json_array_get(list, i));
        e->resource = r;
        e->field = f;
        e->category = c;
        if (f->is_public && (is_said(e) || is_code(f, c->value)))
            want(e, true);
    }
}

static void list_field(struct entries *l, size_t resource, uint32_t field)
{
    const struct odp_resource *r = &l->dataset->resources[resource];
    const struct odp_field *f = &r->schema.fields[field];
    const char *at = odp_arena_printf(l->arena, "/resources/%zu/schema/fields/%u", resource, field),
               *owner = odp_arena_printf(l->arena, "%s/%s/", r->name, f->name);
    const bool number = odp_type_is_number(f->type);
    for (size_t i = 0; i < metadata_nmembers; i++) {
        const struct member *m = &metadata_members[i];
        bool measured = strcmp(m->name, "unit") == 0 || strcmp(m->name, "measure") == 0,
             classed = strcmp(m->name, "classification") == 0;
        if (m->of != OF_FIELD)
            continue;
        struct entry *e = add(l, m, at, owner, f->json);
        if (!is_said(e) && ((measured && !number) || (classed && f->ncategories == 0 && !refers(r, field)))) {
            l->n--;
            continue;
        }
        e->resource = r;
        e->field = f;
        want_of_field(l, r, field, e);
    }
    list_categories(l, r, f, at);
}

/* Fields as dataset.json has them; a resource that was left out, or a field, has another number there. */
static bool is_whole(const struct entries *l)
{
    const json_t *resources = json_object_get(l->json, "resources");
    bool whole = json_array_size(resources) == l->dataset->nresources;
    for (size_t i = 0; whole && i < l->dataset->nresources; i++) {
        const json_t *fields =
            json_object_get(json_object_get(json_array_get(resources, i), "schema"), "fields");
        const struct odp_schema *s = &l->dataset->resources[i].schema;
        whole = json_array_size(fields) == s->n;
        for (uint32_t k = 0; whole && k < s->n; k++)
            whole = json_array_get(fields, k) == s->fields[k].json;
    }
    return whole;
}

static enum odp_lang first_language(const struct odp_catalog *c)
{
    const json_t *first = json_array_get(json_object_get(c->portal.json, "languages"), 0);
    return json_is_string(first) && strcmp(json_string_value(first), "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
}

/* A portal in one language needs no other. */
static void spare_language(struct entries *l)
{
    const json_t *languages = json_object_get(l->catalog->portal.json, "languages");
    for (size_t i = 0; i < l->n && json_array_size(languages) == 1; i++)
        if (l->item[i].member->both)
            l->item[i].lacks[l->first == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID] = false;
}

void metadata_list(struct entries *l, const struct odp_catalog *c, const struct odp_dataset *d,
                   struct odp_arena *a)
{
    *l = (struct entries){.catalog = c,
                          .dataset = d,
                          .json = d != NULL ? d->json : c->portal.json,
                          .path = d != NULL ? d->file : odp_path_join(a, c->dir, "portal.json"),
                          .arena = a,
                          .first = first_language(c)};
    if (d == NULL)
        list_portal(l);
    else
        list_dataset(l);
    for (size_t i = 0; d != NULL && is_whole(l) && i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++)
            list_field(l, i, k);
    spare_language(l);
}

/* ---- an entry ---- */

const char *entry_control(const struct entries *l, const struct entry *e, int lang)
{
    return e->member->both ? odp_arena_printf(l->arena, "%s.%s", e->name, odp_lang_code((enum odp_lang)lang))
                           : e->name;
}

bool entry_changes(const struct entry *e)
{
    bool any = false;
    for (int lang = 0; lang < entry_langs(e); lang++)
        any = any || (e->fresh[lang] != NULL && strcmp(e->fresh[lang], e->value[lang]) != 0);
    return any;
}

const char *entry_place(const struct entries *l, const struct entry *e)
{
    if (e->field == NULL)
        return "";
    const char *table = e->resource->primary ? "" : odp_arena_printf(l->arena, "%s.", e->resource->name);
    const struct odp_slice value = e->category != NULL ? e->category->value : ODP_LIT("");
    return odp_arena_printf(l->arena, "%s%s%s%.*s", table, e->field->name, e->category != NULL ? "=" : "",
                            (int)value.len, value.ptr);
}

bool metadata_word(const char **at, struct odp_slice *word)
{
    while (**at != '\0') {
        size_t n = strcspn(*at, ",");
        *word = odp_slice_trim((struct odp_slice){*at, n});
        *at += n + ((*at)[n] == ',');
        if (word->len > 0)
            return true;
    }
    return false;
}
