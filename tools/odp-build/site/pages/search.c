/* cari.json (search_internal.h says what is in it): of the index, the schemas, search/index.json, the query
 * indexes and the documentation's pages. */
#include "base/json_load.h"
#include "published/parts.h"
#include "site/model/places.h"
#include "site/pages/search_internal.h"
#include "site/versions/among.h"

enum {
    KIND_BYTES = 48 << 10,      /* of items of one kind in cari.json */
    WORDS_OF_ALL = 2000 * 1000, /* of all tables, by which the memory is bounded */
    WORDS_LEAST = 1000          /* of a table */
};
enum kind { DATASETS, COLUMNS, VALUES, HEADINGS, KINDS };

struct search {
    struct portal *p;
    json_t *tables, *groups, *docs, *items[KINDS];
    json_t *codes;  /* of each group: {code: item} */
    json_t *listed; /* the resources of search/index.json, by "slug" or "slug/table" */
    struct odp_map columns, group_keys;
    struct portal_words *words;
};

/* The English text of O's member KEY, "" where it is the same. */
static const char *english(const json_t *o, const char *key)
{
    const char *en = odp_model_in(o, key, ODP_LANG_EN);
    return strcmp(en, odp_model_in(o, key, ODP_LANG_ID)) != 0 ? en : "";
}

/* ---- columns ---- */

/* A column that many tables have is one item. */
static void add_column(struct search *s, const json_t *field, size_t table)
{
    const char *key = json_object_get(field, "odp:title") != NULL ? "odp:title" : "title",
               *name = odp_text_of(field, "name"), *id = odp_model_in(field, key, ODP_LANG_ID);
    bool fresh;
    uint32_t at = odp_map_put(
        &s->columns, odp_slice_of(portal_printf(s->p, "%s\n%s\n%s", name, id, english(field, key))), &fresh);
    if (fresh)
        odp_add(s->items[COLUMNS], json_pack("[s, s, s, s, []]", "k", name, id, english(field, key)));
    odp_add(json_array_get(json_array_get(s->items[COLUMNS], at), 4), json_integer((json_int_t)table));
}

/* ---- values ---- */

/* The list that a column of SCHEMA refers to ("kabkota"), or NULL; *OWN: it can be filtered by in the
 * published file, a field of the table or the beginning of one. */
static const char *list_of(const json_t *schema, const char *column, bool *own)
{
    const json_t *queryable = odp_model_find(json_object_get(schema, "odp:queryables"), "name", column), *key;
    const char *list = odp_text_of(json_object_get(queryable, "reference"), "dataset"), *slash;
    size_t i;
    *own = odp_model_find(json_object_get(schema, "fields"), "name",
                          queryable != NULL ? odp_text_of(queryable, "field") : column) != NULL;
    json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i,
                       key) if (json_array_size(json_object_get(key, "fields")) == 1 &&
                                odp_model_has(json_object_get(key, "fields"), column)) list =
        odp_text_of(json_object_get(key, "reference"), "dataset");
    slash = strrchr(list, '/');
    return *list == '\0' ? NULL : slash != NULL ? slash + 1 : list;
}

/* The title of a list, as the index or its labels have it. */
static json_t *title_of_list(struct search *s, const char *list)
{
    const json_t *entry = odp_model_find(s->p->job->entries, "slug", list);
    return entry != NULL
               ? json_pack("[s, s]", odp_model_in(entry, "title", ODP_LANG_ID), english(entry, "title"))
               : NULL;
}

/* The group of COLUMN's values, by its list, else by its name and title. */
static size_t group_of(struct search *s, const json_t *schema, const char *column, const char *list)
{
    const json_t *field = odp_model_find(json_object_get(schema, "fields"), "name", column);
    const char *key = json_object_get(field, "odp:title") != NULL ? "odp:title" : "title";
    bool fresh;
    if (field == NULL) {
        field = odp_model_find(json_object_get(schema, "odp:queryables"), "name", column);
        key = "title";
    }
    uint32_t at =
        odp_map_put(&s->group_keys,
                    odp_slice_of(list != NULL ? list
                                              : portal_printf(s->p, "%s\n%s", column,
                                                              odp_model_in(field, key, ODP_LANG_ID))),
                    &fresh);
    if (fresh) {
        json_t *title = list != NULL ? title_of_list(s, list) : NULL;
        if (title == NULL)
            title = json_pack("[s, s]", odp_model_in(field, key, ODP_LANG_ID), english(field, key));
        const int kind = odp_places_has(s->p->job->places, list != NULL ? list : "") ? 2 : list != NULL;
        odp_add(s->groups,
                json_pack("[O, O, [], i]", json_array_get(title, 0), json_array_get(title, 1), kind));
        odp_add(s->codes, json_object());
        json_decref(title);
    }
    return at;
}

/* A place without a page says so. */
static void mark_pageless(struct search *s, json_t *item, const char *list, const char *code)
{
    const struct odp_places *places = s->p->job->places;
    if (list != NULL && odp_places_has(places, list) && odp_places_find(places, list, code) == NULL)
        odp_add(item, json_integer(0));
}

static void add_value(struct search *s, size_t group, const char *list, size_t use, const json_t *value)
{
    json_t *codes = json_array_get(s->codes, group);
    const char *code = json_string_value(json_array_get(value, 0)),
               *id = json_string_value(json_array_get(value, 1)),
               *en = json_string_value(json_array_get(value, 2));
    json_t *item = json_object_get(codes, code), *counts;
    if (item == NULL) {
        item =
            json_pack("[s, I, s, s, s, []]", "v", (json_int_t)group, code, id, strcmp(id, en) != 0 ? en : "");
        odp_add(s->items[VALUES], item);
        odp_set(codes, code, json_incref(item));
        mark_pageless(s, item, list, code);
    }
    counts = json_array_get(item, 5);
    while (json_array_size(counts) < use)
        odp_add(counts, json_integer(0));
    odp_add(counts, json_incref(json_array_get(value, 3)));
}

static void add_values(struct search *s, const json_t *schema, size_t table, const json_t *values)
{
    const json_t *of, *value;
    size_t i, k;
    json_array_foreach(values, i, of)
    {
        const char *column = json_string_value(json_array_get(of, 0));
        bool own;
        const char *list = list_of(schema, column, &own);
        if (!own)
            continue;
        size_t group = group_of(s, schema, column, list);
        json_t *uses = json_array_get(json_array_get(s->groups, group), 2);
        json_array_foreach(json_array_get(of, 1), k, value)
            add_value(s, group, list, json_array_size(uses), value);
        odp_add(uses, json_pack("[I, s]", (json_int_t)table, column));
    }
}

/* ---- what a dataset tells: the text of a part ---- */

static void add_keywords(struct odp_buffer *text, const json_t *list)
{
    const json_t *word;
    size_t i;
    json_array_foreach(list, i, word) if (json_is_string(word))
        odp_buffer_printf(text, "%s ", json_string_value(word));
}

/* The item of ENTRY, but for the number of its first table. */
static json_t *tell_item(const json_t *entry)
{
    const json_t *keywords = json_object_get(entry, "odp:keywords");
    struct odp_buffer text = {0};
    odp_buffer_printf(&text, "%s ", odp_text_of(entry, "name"));
    for (int lang = 0; lang < ODP_LANGS; lang++)
        add_keywords(&text, json_object_get(keywords, odp_lang_code((enum odp_lang)lang)));
    if (!json_is_object(keywords))
        add_keywords(&text, json_object_get(entry, "keywords"));
    json_t *item = json_pack("[s, n, s, s, s]", odp_model_is_list(entry) ? "l" : "d", odp_buffer_cstr(&text),
                             odp_model_in(entry, "description", ODP_LANG_ID), english(entry, "description"));
    odp_buffer_release(&text);
    return item;
}

/* Table I of ENTRY, as it stands in "tables", and what columns and values take of its schema. */
static json_t *tell_table(const struct odp_site_job *job, const json_t *entry, size_t i,
                          enum odp_status *status)
{
    static const char *const members[] = {"name", "title", "odp:title"};
    const json_t *resource = json_array_get(json_object_get(entry, "resources"), i), *field,
                 *titled = i == 0 ? entry : resource;
    const char *slug = odp_text_of(entry, "slug");
    json_t *schema = NULL, *fields = json_array();
    if (*status == ODP_OK)
        *status = odp_job_schema(job, slug, resource, &schema);
    json_array_foreach(json_object_get(schema, "fields"), i, field)
    {
        json_t *one = json_object();
        for (size_t k = 0; k < ODP_COUNT(members); k++)
            odp_set_copy(one, field, members[k]);
        odp_add(fields, one);
    }
    json_t *told = json_pack("{s:[s, s?, s, s, I], s:o}", "table", slug,
                             titled == entry ? NULL : odp_text_of(resource, "name"),
                             odp_model_in(titled, "title", ODP_LANG_ID), english(titled, "title"),
                             odp_model_number(resource, "rows"), "fields", fields);
    odp_set_copy(told, schema, "odp:queryables");
    odp_set_copy(told, schema, "odp:foreignKeys");
    json_decref(schema);
    return told;
}

static enum odp_status tell(void *ctx, const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    struct search *s = ctx;
    json_t *tables = json_array();
    *out = json_pack("{s:o, s:o, s:o*}", "item", tell_item(entry), "tables", tables, "doc",
                     portal_search_api(s->p, s->words, odp_text_of(entry, "slug")));
    for (size_t i = 0; i < json_array_size(json_object_get(entry, "resources")); i++)
        odp_add(tables, tell_table(job, entry, i, &s->p->status));
    return s->p->status;
}

/* ---- datasets ---- */

/* Where "values" and "words" of a table's index are (write/search_table.h). NULL: nowhere. */
static const char *words_path(struct search *s, const json_t *indexed)
{
    const char *file = odp_text_of(indexed, "file"), *end = strrchr(file, '.');
    return end != NULL ? portal_printf(s->p, "%.*s.words.json", (int)(end - file), file) : NULL;
}

/* MOST of WORDS, which begin with the most frequent. */
static void add_words(struct search *s, size_t table, const json_t *words, size_t most)
{
    const char *word;
    json_t *n;
    json_object_foreach((json_t *)(uintptr_t)words, word, n)
    {
        if (most-- == 0)
            break;
        portal_words_put(s->words, odp_slice_of(word), (struct portal_ref){PORTAL_IN_TABLE, table},
                         json_integer_value(n));
    }
}

static const char *name_of(struct search *s, const char *slug, const char *table)
{
    return table != NULL ? portal_printf(s->p, "%s/%s", slug, table) : slug;
}

static void list_all(struct search *s, const json_t *index)
{
    const json_t *resource;
    size_t i;
    json_array_foreach(json_object_get(index, "resources"), i, resource) odp_set(
        s->listed,
        name_of(s, odp_text_of(resource, "slug"), json_string_value(json_object_get(resource, "resource"))),
        json_incref((json_t *)(uintptr_t)resource));
}

/* TOLD: as tell_table() has it. */
static void add_table(struct search *s, const json_t *told)
{
    const json_t *named = json_object_get(told, "table"), *field;
    const char *slug = json_string_value(json_array_get(named, 0)),
               *name = json_string_value(json_array_get(named, 1)),
               *path = words_path(s, json_object_get(s->listed, name_of(s, slug, name)));
    size_t table = json_array_size(s->tables), i, most = WORDS_OF_ALL / (json_object_size(s->listed) + 1);
    json_t *found = NULL;
    odp_add(s->tables, json_incref((json_t *)(uintptr_t)named));
    json_array_foreach(json_object_get(told, "fields"), i, field) add_column(s, field, table);
    if (s->p->status == ODP_OK && path != NULL)
        s->p->status = odp_job_read(s->p->job, path, &found);
    add_values(s, told, table, json_object_get(found, "values"));
    add_words(s, table, json_object_get(found, "words"), most > WORDS_LEAST ? most : WORDS_LEAST);
    json_decref(found);
}

/* TOLD: as tell() has it. */
static void add_dataset(struct search *s, const json_t *told)
{
    json_t *item = json_object_get(told, "item"), *table;
    size_t i;
    (void)json_array_set_new(item, 1, json_integer((json_int_t)json_array_size(s->tables)));
    odp_add(s->items[DATASETS], json_incref(item));
    json_array_foreach(json_object_get(told, "tables"), i, table) add_table(s, table);
}

/* ---- the file ---- */

/* Each of ITEMS as cari.json has it; *BYTES: of all of them, with what is around and between. */
static json_t *print_items(struct search *s, const json_t *items, size_t *bytes)
{
    struct odp_buffer text = {0};
    json_t *texts = json_array();
    const json_t *item;
    size_t i;
    *bytes = 1;
    json_array_foreach(items, i, item)
    {
        odp_buffer_clear(&text);
        if (s->p->status == ODP_OK)
            s->p->status = odp_doc_print(&text, item, ODP_DOC_LINE);
        *bytes += text.len + 1;
        odp_add(texts, json_string(odp_buffer_cstr(&text)));
    }
    odp_buffer_release(&text);
    return texts;
}

/* ITEM, which is PRINTED, goes to FAR, with all its words and those of the table whose dataset it is. */
static void spill(struct search *s, json_t *far, const json_t *item, json_t *printed)
{
    struct odp_buffer text = {0}, words = {0};
    const json_t *part,
        *table = json_array_get(s->tables, (size_t)json_integer_value(json_array_get(item, 1)));
    const char *kind = json_string_value(json_array_get(item, 0));
    size_t i;
    json_array_foreach(item, i, part) if (i > 0 && json_is_string(part))
        odp_buffer_printf(&text, "%s ", json_string_value(part));
    for (i = 0; (*kind == 'd' || *kind == 'l') && i < 4; i++)
        if (json_is_string(json_array_get(table, i)))
            odp_buffer_printf(&text, "%s ", json_string_value(json_array_get(table, i)));
    portal_words_cut(s->words, odp_buffer_slice(&text), &words);
    portal_words_put_all(s->words, odp_buffer_slice(&words),
                         (struct portal_ref){PORTAL_IN_ITEM, json_array_size(far)});
    odp_add(far, json_incref(printed));
    odp_buffer_release(&words);
    odp_buffer_release(&text);
}

/* The items of cari.json; FAR gets those of kinds that are too many for it, as text. */
static json_t *near_items(struct search *s, json_t *far)
{
    json_t *near = json_array(), *item;
    size_t i, bytes;
    for (int kind = 0; kind < KINDS; kind++) {
        json_t *texts = print_items(s, s->items[kind], &bytes);
        json_array_foreach(s->items[kind], i, item)
        {
            if (bytes <= KIND_BYTES)
                odp_add(near, json_incref(item));
            else
                spill(s, far, item, json_array_get(texts, i));
        }
        json_decref(texts);
    }
    return near;
}

static void stage(struct search *s)
{
    struct odp_buffer out = {0};
    struct portal *p = s->p;
    json_t *far = json_array(), *near = near_items(s, far), *shards = portal_words_shards(s->words, far);
    json_t *root = json_pack(
        "{s:s, s:s, s:{s:o, s:o}, s:[s, s], s:[s, s], s:O, s:O, s:O, s:o, s:o}", "same",
        portal_word(p, "search_same", ODP_LANG_ID), "stop", portal_word(p, "search_stop", ODP_LANG_ID),
        "words", "id", portal_words(p, "search_js_", NULL, ODP_LANG_ID), "en",
        portal_words(p, "search_js_", NULL, ODP_LANG_EN), "paths",
        odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID), odp_path(ODP_PATH_dataset_dir, ODP_LANG_EN), "places",
        odp_path(ODP_PATH_place_dir, ODP_LANG_ID), odp_path(ODP_PATH_place_dir, ODP_LANG_EN), "tables",
        s->tables, "groups", s->groups, "docs", s->docs, "items", near, "shards", shards);
    if (p->status == ODP_OK)
        p->status = odp_doc_print(&out, root, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status = odp_stage_put(p->job->stage, odp_path(ODP_PATH_search_words, ODP_LANG_ID),
                                  "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    json_decref(root);
    json_decref(far);
    odp_buffer_release(&out);
}

/* What each dataset tells. KEY gets it, and what else the search is made of: words of tables, places. */
static struct odp_slice *tell_all(struct search *s, struct odp_buffer *key)
{
    struct portal *p = s->p;
    struct odp_slice *texts = odp_arena_zero(&p->arena, json_array_size(p->job->entries) + 1, sizeof *texts);
    const json_t *entry, *indexed;
    const char *name;
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
    {
        if (p->status == ODP_OK)
            p->status = odp_among_text(p->job, "search", entry, tell, s, &texts[i]);
        odp_buffer_add_slice(key, texts[i]);
    }
    json_object_foreach(s->listed, name, indexed)
    {
        const char *path = words_path(s, indexed);
        const struct odp_site_file *words = path != NULL ? odp_stage_find(p->job->stage, path) : NULL;
        odp_buffer_add(key, name, strlen(name) + 1);
        if (words != NULL)
            odp_buffer_add(key, words->sha256, sizeof words->sha256);
    }
    const struct odp_place *const *places = odp_places_all(p->job->places, &i);
    while (i-- > 0)
        odp_buffer_printf(key, "%s %s\n", places[i]->list, places[i]->code);
    return texts;
}

static void make(struct search *s, const struct odp_slice *texts)
{
    json_t *all = json_array(), *told;
    size_t i;
    for (i = 0; i < json_array_size(s->p->job->entries); i++) {
        odp_add(all, odp_json_load(texts[i].ptr, texts[i].len, 0, NULL));
        add_dataset(s, json_array_get(all, i));
    }
    odp_part_key_tells(s->p->job->stage); /* of the tables' words, whose path is another in each version */
    portal_search_docs(s->p, s->docs, s->items[HEADINGS], s->words);
    json_array_foreach(all, i, told) if (json_object_get(told, "doc") != NULL)
        portal_search_add(s->docs, s->words, json_object_get(told, "doc"));
    stage(s);
    json_decref(all);
}

void portal_search(struct portal *p)
{
    struct search s = {.p = p,
                       .tables = json_array(),
                       .groups = json_array(),
                       .docs = json_array(),
                       .codes = json_array(),
                       .listed = json_object()};
    struct odp_buffer key = {0};
    json_t *index = json_incref(p->job->searches);
    for (int kind = 0; kind < KINDS; kind++)
        s.items[kind] = json_array();
    odp_map_init(&s.columns);
    odp_map_init(&s.group_keys);
    if (index == NULL)
        p->status = odp_job_read(p->job, "search/index.json", &index);
    list_all(&s, index);
    s.words = portal_words_open(p);
    const struct odp_slice *texts = tell_all(&s, &key);
    if (portal_part_begin_of(p, "search", &key)) {
        make(&s, texts);
        portal_part_end(p);
    }
    portal_words_close(s.words);
    odp_map_release(&s.columns);
    odp_map_release(&s.group_keys);
    for (int kind = 0; kind < KINDS; kind++)
        json_decref(s.items[kind]);
    json_decref(s.tables);
    json_decref(s.groups);
    json_decref(s.docs);
    json_decref(s.codes);
    json_decref(s.listed);
    json_decref(index);
}
