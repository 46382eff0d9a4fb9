#include "write/facts/facts.h"

#include "words/facts.h"
#include "write/typesetting/words.h"

/* ---- texts ---- */

struct odp_text odp_facts_member(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    if (json_is_string(v))
        return (struct odp_text){{json_string_value(v), NULL}};
    return (struct odp_text){
        {json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

static bool is_text(const char *s)
{
    return s != NULL && *s != '\0';
}

const char *odp_facts_english(const struct odp_text *t)
{
    const char *en = t->in[ODP_LANG_EN], *id = t->in[ODP_LANG_ID];
    return is_text(en) && is_text(id) && strcmp(en, id) != 0 ? en : "";
}

const struct odp_text *odp_facts_title(const struct odp_resource *r)
{
    return odp_text_is_empty(&r->title) || r->primary ? &r->dataset->title : &r->title;
}

static struct odp_text same(const char *text)
{
    return (struct odp_text){{text, NULL}};
}

/* A text that is made for each language. */
static struct odp_text made(const struct odp_facts_of *of,
                            void (*make)(struct odp_buffer *, const char *, enum odp_lang), const char *from)
{
    struct odp_text t = {{NULL, NULL}};
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer b = {0};
        make(&b, from, lang);
        t.in[lang] = odp_arena_str(of->arena, odp_buffer_cstr(&b));
        odp_buffer_release(&b);
    }
    return t;
}

/* ---- facts of a dataset ---- */

static const json_t *licence_of(const struct odp_resource *r)
{
    return json_array_get(json_object_get(r->dataset->json, "licenses"), 0);
}

const char *odp_facts_licence_path(const struct odp_catalog *c, const struct odp_resource *r)
{
    const json_t *own = licence_of(r);
    const char *path = json_string_value(json_object_get(own, "path"));
    return path != NULL ? path : c->portal.license_path;
}

static struct odp_text licence(const struct odp_facts_of *of)
{
    const struct odp_portal *portal = &of->catalog->portal;
    const json_t *own = licence_of(of->resource);
    struct odp_text title = own != NULL ? odp_facts_member(own, "title") : portal->license_title;
    const char *name = own != NULL ? json_string_value(json_object_get(own, "name")) : portal->license_name;
    if (name != NULL && portal->license_name != NULL && strcmp(name, portal->license_name) == 0)
        title = portal->license_title; /* the same one, in both languages */
    return odp_text_is_empty(&title) ? same(name) : title;
}

/* The EU frequency list's codes (odp:frequency). */
static struct odp_text frequency(const char *code)
{
    static const struct {
        const char *code;
        struct odp_text words;
    } known[] = {
#define ODP_FREQUENCY(code, months, days, word, plain) {#code, {{word}}},
#include "catalog/frequency.def"
#undef ODP_FREQUENCY
    };
    for (size_t i = 0; code != NULL && i < ODP_COUNT(known); i++)
        if (strcmp(code, known[i].code) == 0)
            return known[i].words;
    return same(NULL);
}

static void put_date(struct odp_buffer *out, const char *date, enum odp_lang lang)
{
    odp_words_date(out, odp_slice_of(date), lang);
}

static void put_number(struct odp_buffer *out, const char *digits, enum odp_lang lang)
{
    odp_words_number(out, odp_slice_of(digits), lang, true);
}

static struct odp_text total(const struct odp_facts_of *of)
{
    return made(of, put_number, odp_arena_printf(of->arena, "%llu", (unsigned long long)of->total));
}

static struct odp_text slice(const struct odp_facts_of *of)
{
    const struct odp_slice v = of->slice_value;
    return same(of->slice_field != NULL
                    ? odp_arena_printf(of->arena, "%s = %.*s", of->slice_field, (int)v.len, v.ptr)
                    : NULL);
}

/* Texts of LIST's members KEYS, or of LIST itself where it is a list of texts, with commas between them. */
static const char *joined(const struct odp_facts_of *of, const json_t *list, const char *const keys[3],
                          enum odp_lang lang)
{
    struct odp_buffer b = {0};
    for (size_t i = 0; i < (keys != NULL ? 3 : json_array_size(list)); i++) {
        struct odp_text t =
            keys != NULL ? odp_facts_member(list, keys[i]) : same(json_string_value(json_array_get(list, i)));
        const char *text = odp_text_get(&t, lang);
        odp_buffer_add_str(&b, b.len > 0 && is_text(text) ? ", " : "");
        odp_buffer_add_str(&b, text);
    }
    const char *kept = odp_arena_str(of->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return kept;
}

static struct odp_text keywords(const struct odp_facts_of *of)
{
    const json_t *json = of->resource->dataset->json, *words = json_object_get(json, "odp:keywords");
    if (words == NULL)
        return same(joined(of, json_object_get(json, "keywords"), NULL, ODP_LANG_ID));
    return (struct odp_text){{joined(of, json_object_get(words, "id"), NULL, ODP_LANG_ID),
                              joined(of, json_object_get(words, "en"), NULL, ODP_LANG_ID)}};
}

struct list {
    struct odp_fact_told *fact;
    size_t n;
    unsigned place;
};

static void add(struct list *l, unsigned where, struct odp_text label, struct odp_text value,
                const char *address)
{
    if ((where & l->place) == 0 || !is_text(odp_text_get(&value, ODP_LANG_ID)))
        return;
    if (*odp_facts_english(&value) == '\0')
        value = same(odp_text_get(&value, ODP_LANG_ID));
    l->fact[l->n++] = (struct odp_fact_told){label, value, is_text(address) ? address : NULL, false};
}

/* One fact for each object of the dataset's LIST: its members KEYS; its path is what it leads to. */
static void add_each(const struct odp_facts_of *of, struct list *l, unsigned where, const char *list,
                     struct odp_text label)
{
    const json_t *all = json_object_get(of->resource->dataset->json, list);
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        const bool both = json_object_get(one, "odp:title") != NULL;
        const char *const keys[] = {both ? "odp:title" : "title", "organization", "email"};
        const struct odp_text value = {
            {joined(of, one, keys, ODP_LANG_ID), joined(of, one, keys, ODP_LANG_EN)}};
        add(l, where, i == 0 ? label : same(""), value, json_string_value(json_object_get(one, "path")));
    }
}

/* Members of the dataset, each a fact. */
static const struct {
    const char *name;
    unsigned where;
    struct odp_text label;
} members[] = {
    {"sdi:produsenData", ODP_FACTS_COVER | ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_producer}}},
    {"sdi:walidata", ODP_FACTS_COVER | ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_steward}}},
    {"sdi:pembina", ODP_FACTS_COVER | ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_adviser}}},
    {"sdi:kodeSDSN", ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_sdsn_code}}},
    {"sdi:kodeKegiatan", ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_activity_code}}},
    {"sdi:levelEstimasi", ODP_FACTS_APPENDIX | ODP_FACTS_STANDARD, {{W_facts_estimation_level}}},
    {"odp:note", ODP_FACTS_APPENDIX, {{W_facts_note}}},
};
enum { MEMBERS = ODP_COUNT(members) };

static void add_members(const struct odp_facts_of *of, struct list *l)
{
    const json_t *json = of->resource->dataset->json, *value;
    const char *key;
    for (size_t i = 0; i < MEMBERS; i++)
        add(l, members[i].where, members[i].label, odp_facts_member(json, members[i].name), NULL);
    json_object_foreach((json_t *)json, key, value)
    {
        size_t i = 0;
        while (i < MEMBERS && strcmp(members[i].name, key) != 0)
            i++;
        if (i == MEMBERS && strncmp(key, "sdi:", 4) == 0)
            add(l, ODP_FACTS_STANDARD, same(key), odp_facts_member(json, key), NULL);
    }
}

static void add_version(const struct odp_facts_of *of, struct list *l)
{
    const unsigned both = ODP_FACTS_COVER | ODP_FACTS_WORKBOOK;
    add(l, both, (struct odp_text){{W_facts_version}}, same(of->version), NULL);
    add(l, both, (struct odp_text){{W_facts_date}}, made(of, put_date, of->date), NULL);
    add(l, both, (struct odp_text){{W_facts_records}}, total(of), NULL);
    if (l->n > 0 && (l->place & both) != 0)
        l->fact[l->n - 1].is_count = true;
    add(l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_slice}}, slice(of), NULL);
    add(l, both, (struct odp_text){{W_facts_updates}}, frequency(of->resource->dataset->frequency), NULL);
    add(l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_address}}, same(of->url), of->url);
    add(l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_digest}}, same(of->digest), NULL);
}

struct odp_fact_told *odp_facts_make(const struct odp_facts_of *of, unsigned place, size_t *n)
{
    const struct odp_resource *r = of->resource;
    const struct odp_portal *portal = &of->catalog->portal;
    size_t most = json_object_size(r->dataset->json) +
                  json_array_size(json_object_get(r->dataset->json, "sources")) +
                  json_array_size(json_object_get(r->dataset->json, "contributors")) + MEMBERS + 20;
    struct list l = {.fact = odp_arena_zero(of->arena, most, sizeof *l.fact), .place = place};
    *n = 0;
    if (l.fact == NULL)
        return NULL;
    add(&l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_title}}, r->dataset->title, NULL);
    add(&l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_table}}, r->title, NULL);
    add(&l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_description}}, r->dataset->description, NULL);
    add(&l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_table_description}}, r->description, NULL);
    add_version(of, &l);
    add(&l, ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_publisher}}, portal->publisher, NULL);
    add_members(of, &l);
    add(&l, ODP_FACTS_COVER | ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_licence}}, licence(of),
        odp_facts_licence_path(of->catalog, r));
    add_each(of, &l, ODP_FACTS_APPENDIX | ODP_FACTS_WORKBOOK, "sources", (struct odp_text){{W_facts_source}});
    add_each(of, &l, ODP_FACTS_APPENDIX, "contributors", (struct odp_text){{W_facts_contributor}});
    add(&l, ODP_FACTS_APPENDIX, (struct odp_text){{W_facts_keywords}}, keywords(of), NULL);
    add(&l, ODP_FACTS_COVER | ODP_FACTS_WORKBOOK, (struct odp_text){{W_facts_legal_basis}},
        portal->legal_basis, NULL);
    *n = l.n;
    return l.fact;
}

/* ---- columns ---- */

static const struct {
    const char *name;
    struct odp_text title, meaning;
} places[2][3] = {
    {{"label_lon", {{W_facts_label_lon}}, {{W_facts_label_lon_meaning}}},
     {"label_lat", {{W_facts_label_lat}}, {{W_facts_label_lat_meaning}}},
     {"geometry_type", {{W_facts_geometry_type}}, {{W_facts_geometry_type_meaning}}}},
    {{"lon", {{W_facts_lon}}, {{W_facts_lon_meaning}}}, {"lat", {{W_facts_lat}}, {{W_facts_lat_meaning}}}}};

struct odp_text odp_facts_place_title(bool point, unsigned k)
{
    return k < 3 ? places[point][k].title : same("");
}

/* "Usang sejak 1 Januari 2024, dihapus 1 Januari 2025, diganti luas_ha." after the meaning. */
static void put_end(struct odp_buffer *out, const struct odp_field *f, enum odp_lang lang)
{
    struct odp_buffer date = {0};
    odp_words_date(&date, odp_slice_of(f->deprecated), lang);
    odp_buffer_add_str(out, out->len > 0 ? " " : "");
    odp_buffer_printf(out, odp_word(lang, W_facts_deprecated), odp_buffer_cstr(&date));
    odp_buffer_clear(&date);
    if (f->sunset != NULL) {
        odp_words_date(&date, odp_slice_of(f->sunset), lang);
        odp_buffer_printf(out, odp_word(lang, W_facts_sunset), odp_buffer_cstr(&date));
    }
    if (f->replaced_by != NULL)
        odp_buffer_printf(out, odp_word(lang, W_facts_replaced_by), f->replaced_by);
    odp_buffer_add_char(out, '.');
    odp_buffer_release(&date);
}

/* The definition, else the description, and when the field ends. */
static const char *meaning(const struct odp_facts_of *of, const struct odp_field *f, enum odp_lang lang)
{
    struct odp_text definition = odp_facts_member(f->json, "sdi:definisi");
    const char *text = is_text(definition.in[lang]) ? definition.in[lang] : f->description.in[lang];
    if (f->deprecated == NULL)
        return text;
    struct odp_buffer b = {0};
    odp_buffer_add_str(&b, text != NULL ? text : "");
    put_end(&b, f, lang);
    text = odp_arena_str(of->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    return text;
}

static bool is_key(const struct odp_schema *s, uint32_t field)
{
    for (uint32_t i = 0; i < s->primary.n; i++)
        if (s->primary.fields[i] == field)
            return true;
    return false;
}

size_t odp_facts_columns(const struct odp_facts_of *of, bool has_geometry, struct odp_fact_column **out)
{
    const struct odp_schema *s = &of->resource->schema;
    bool point = of->resource->geometry.types == ODP_GEOM_BIT_POINT;
    struct odp_fact_column *c = *out = odp_arena_zero(of->arena, (size_t)s->n + 4, sizeof *c);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct odp_field *f = &s->fields[i];
        if (!f->is_public)
            continue;
        const struct odp_text what = {{meaning(of, f, ODP_LANG_ID), meaning(of, f, ODP_LANG_EN)}};
        c[n++] = (struct odp_fact_column){
            f, f->name, f->title, what, f->unit, f->type, f->constraints.required, is_key(s, i)};
    }
    for (unsigned k = 0; has_geometry && k < (point ? 2u : 3u); k++) {
        const char *name = places[point][k].name;
        if (odp_schema_find(s, odp_slice_of(name)) >= 0)
            name = odp_arena_printf(of->arena, "geometry_%s", name);
        const struct odp_text unit = {{W_facts_degrees}};
        c[n++] = (struct odp_fact_column){.name = name,
                                          .title = places[point][k].title,
                                          .meaning = places[point][k].meaning,
                                          .unit = k < 2 ? unit : same(NULL),
                                          .type = k < 2 ? ODP_TYPE_NUMBER : ODP_TYPE_STRING,
                                          .required = of->resource->geometry.required};
    }
    return n;
}
