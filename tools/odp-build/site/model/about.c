/* A dataset as a whole: who answers for it, its licence, age, place and time, and what will be removed. */
#include "catalog/frequency.h"
#include "site/model/model_internal.h"

#define EU "http://publications.europa.eu/resource/authority/"

/* Appends a text, or the texts of a list, to LIST. */
static void add_texts(json_t *list, const json_t *value)
{
    const json_t *one;
    size_t i;
    json_array_foreach(value, i, one) add_texts(list, one);
    if (json_is_string(value) && json_string_length(value) > 0)
        odp_add(list, json_string(json_string_value(value)));
}

/* The texts of a member by language; it is a text, a list, or either of these by language. */
static json_t *texts_by_language(const json_t *value)
{
    json_t *o = json_object();
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *code = odp_lang_code((enum odp_lang)lang);
        const json_t *own = json_is_object(value) ? json_object_get(value, code) : value, *one;
        json_t *list = json_array();
        size_t i;
        if (own == NULL)
            own = json_object_get(value, odp_lang_code(1 - lang));
        json_array_foreach(value, i, one)
            add_texts(list, json_is_object(one) ? json_object_get(one, code) : one);
        if (!json_is_array(value))
            add_texts(list, own);
        odp_set(o, code, list);
    }
    return o;
}

/* The Indonesian keywords with their translations, if the lists are pairs. */
static json_t *make_pairs(const json_t *keywords)
{
    const json_t *id = json_object_get(keywords, "id"), *en = json_object_get(keywords, "en"), *word;
    const bool pairs = json_array_size(id) == json_array_size(en);
    json_t *list = json_array();
    size_t i;
    json_array_foreach(id, i, word)
        odp_add(list, json_pack("{s:O, s:O}", "id", word, "en", pairs ? json_array_get(en, i) : word));
    return list;
}

static json_t *make_subjects(struct model *m)
{
    const json_t *all = json_object_get(m->catalog->portal.json, "subjects"), *name;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(m->entry, "subjects"), i, name)
    {
        const json_t *subject =
            json_is_string(name) ? odp_model_find(all, "name", json_string_value(name)) : NULL;
        const char *theme = odp_text_of(subject, "theme");
        if (*theme != '\0' && strstr(theme, "://") == NULL)
            theme = model_printf(m, EU "data-theme/%s", theme);
        if (subject != NULL) /* portal.json still has it */
            odp_add(list, json_pack("{s:O, s:o, s:s}", "name", name, "title",
                                    odp_model_both(subject, "title"), "theme", theme));
    }
    return list;
}

static json_t *make_sources(struct model *m)
{
    const json_t *source;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(m->entry, "sources"), i, source)
    {
        const char *path = odp_text_of(source, "path");
        const char *title = json_object_get(source, "odp:title") != NULL ? "odp:title" : "title";
        bool web = strncmp(path, "https://", 8) == 0 || strncmp(path, "http://", 7) == 0;
        odp_add(list, json_pack("{s:o, s:s}", "title", odp_model_both_or(source, title, path), "href",
                                web ? path : ""));
    }
    return list;
}

/* The title is the portal's, which has two languages, if it is the same licence. */
static json_t *make_license(struct model *m)
{
    const json_t *from = json_object_get(m->entry, "license");
    const struct odp_portal *p = &m->catalog->portal;
    const char *name = odp_text_of(from, "name");
    bool ours = p->license_name != NULL && strcmp(name, p->license_name) == 0 &&
                !odp_text_is_empty(&p->license_title);
    json_t *o = json_pack("{s:o, s:s, s:s}", "title",
                          ours ? odp_doc_text(&p->license_title) : odp_model_both_or(from, "title", name),
                          "name", name, "path", odp_text_of(from, "path"));
    if (strcmp(odp_model_in(o, "title", ODP_LANG_ID), name) == 0)
        odp_set_str(o, "name", "");
    return o;
}

/* An address that is safe in mailto: and in text. */
static bool is_email(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@";
    const char *at = strchr(s, '@');
    return at != NULL && at != s && at[1] != '\0' && strchr(at + 1, '@') == NULL &&
           strspn(s, plain) == strlen(s);
}

/* The contact for the data, else for the portal. */
static const char *email_of(const struct model *m)
{
    const json_t *person;
    const char *best = odp_text_of(json_object_get(m->entry, "odp:contact"), "email");
    size_t i;
    json_array_foreach(json_object_get(m->entry, "contributors"), i,
                       person) if (*best == '\0' &&
                                   odp_model_has(json_object_get(person, "roles"), "contactPoint")) best =
        odp_text_of(person, "email");
    if (!is_email(best))
        best = odp_text_of(json_object_get(m->catalog->portal.json, "contact"), "email");
    return is_email(best) ? best : "";
}

static void set_state(struct model *m)
{
    const json_t *withdrawn = json_object_get(m->entry, "withdrawn"), *old;
    json_t *former = json_array();
    size_t i;
    bool deprecated = strcmp(odp_text_of(m->entry, "state"), "deprecated") == 0;
    odp_set_flag(m->root, "is_deprecated", deprecated);
    if (deprecated)
        odp_set(m->root, "deprecated",
                json_pack("{s:s, s:s, s:o, s:o}", "since", odp_text_of(m->entry, "odp:deprecated"), "sunset",
                          odp_text_of(m->entry, "odp:sunset"), "heir",
                          model_other(m, odp_text_of(m->entry, "odp:replacedBy")), "note",
                          odp_model_both(m->entry, "odp:note")));
    if (withdrawn != NULL)
        odp_set(m->root, "withdrawn",
                json_pack("{s:s, s:s, s:o}", "which", odp_text_of(withdrawn, "version"), "reason",
                          odp_text_of(withdrawn, "reason"), "note", odp_model_both(withdrawn, "note")));
    json_array_foreach(json_object_get(m->entry, "odp:formerSlugs"), i, old)
        odp_add(former, json_pack("{s:s, s:s}", "slug", odp_text_of(old, "slug"), "until",
                                  odp_text_of(old, "sunset")));
    odp_set(m->root, "former", former);
}

/* The box, and the earliest start and latest end of odp:datetime from the API's collection. */
static void set_coverage(struct model *m)
{
    static const char *const ends[] = {"from", "to"};
    json_t *collection = model_read(
               m, model_printf(m, "%scollections/%s.json", odp_path(ODP_PATH_ogc, ODP_LANG_ID), m->slug)),
           *period = json_object(), *box = model_box(json_object_get(m->entry, "bbox"), false);
    const json_t *interval = json_array_get(
        json_object_get(json_object_get(json_object_get(collection, "extent"), "temporal"), "interval"), 0);
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        char day[11];
        const char *end = json_string_value(json_array_get(interval, i));
        odp_set_str(period, ends[i], odp_model_day(end != NULL ? end : "", day));
        any = any || *day != '\0';
    }
    if (any)
        odp_set(m->root, "period", json_incref(period));
    if (box != NULL)
        odp_set(m->root, "bbox", box);
    json_decref(period);
    json_decref(collection);
}

void model_about(struct model *m)
{
    static const char *const texts[][2] = {{"title", "title"},         {"description", "description"},
                                           {"producer", "producer"},   {"walidata", "sdi:walidata"},
                                           {"pembina", "sdi:pembina"}, {"sdsn", "sdi:kodeSDSN"},
                                           {"note", "odp:note"}},
                             *const lists[][2] = {{"themes", "odp:theme"},
                                                  {"keywords", "odp:keywords"},
                                                  {"spatial", "odp:spatial"},
                                                  {"temporal", "odp:temporal"}};
    const char *updated = odp_text_of(m->entry, "last_update");
    json_t *formats = json_array();
    char day[11];
    for (size_t i = 0; i < ODP_COUNT(texts); i++)
        odp_set(m->root, texts[i][0], odp_model_both(m->entry, texts[i][1]));
    odp_set_str(m->root, "updated", updated);
    odp_set_str(m->root, "day", odp_model_day(updated, day));
    odp_set_str(m->root, "frequency", odp_frequency_known(odp_text_of(m->entry, "frequency")));
    odp_set_copy(m->root, m->entry, "rows");
    odp_set(m->root, "beside", odp_model_beside(m->entry));
    add_texts(formats, json_object_get(m->entry, "formats"));
    odp_set(m->root, "formats", formats);
    odp_set(m->root, "license", make_license(m));
    odp_set(m->root, "subjects", make_subjects(m));
    for (size_t i = 0; i < ODP_COUNT(lists); i++) {
        const json_t *own = json_object_get(m->entry, lists[i][1]);
        if (own == NULL && i == 1)
            own = json_object_get(m->entry, "keywords");
        odp_set(m->root, lists[i][0], texts_by_language(own));
    }
    odp_set(m->root, "keyword_pairs", make_pairs(json_object_get(m->root, "keywords")));
    odp_set(m->root, "sources", make_sources(m));
    odp_set_str(m->root, "email", email_of(m));
    set_state(m);
    set_coverage(m);
}
