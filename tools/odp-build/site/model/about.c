/* What a dataset is: who answers for it, under which licence, how new it is, where and when it holds, and
 * what is about to go. */
#include "site/model/model_internal.h"

#define EU "http://publications.europa.eu/resource/authority/"

/* A text, {id, en}, or a list of either, as items of LIST. */
static void add_texts(struct model *m, json_t *list, const json_t *value)
{
    const json_t *one;
    size_t i;
    json_array_foreach(value, i, one)
        add_texts(m, list, one);
    if (json_is_string(value) && json_string_length(value) > 0)
        odp_doc_add(&m->doc, list, json_string(json_string_value(value)));
}

/* The texts of a member that is a text, a list, or either of these by language, of each language. */
static json_t *texts_by_language(struct model *m, const json_t *value)
{
    static const char *const langs[ODP_LANGS] = {[ODP_LANG_ID] = "id", [ODP_LANG_EN] = "en"};
    json_t *o = json_object();
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const json_t *own = json_is_object(value) ? json_object_get(value, langs[lang]) : value;
        json_t *list = json_array(), *one;
        size_t i;
        if (json_is_object(value) && own == NULL)
            own = json_object_get(value, langs[1 - lang]);
        if (json_is_array(value)) {
            json_array_foreach(value, i, one)
                add_texts(m, list, json_is_object(one) ? json_object_get(one, langs[lang]) : one);
        } else {
            add_texts(m, list, own);
        }
        set(m, o, langs[lang], list);
    }
    return o;
}

/* The Indonesian keywords with their translations; without these where the lists are no pairs. */
static json_t *make_pairs(struct model *m, const json_t *keywords)
{
    const json_t *id = json_object_get(keywords, "id"), *en = json_object_get(keywords, "en"), *word;
    const bool pairs = json_array_size(id) == json_array_size(en);
    json_t *list = json_array();
    size_t i;
    json_array_foreach(id, i, word)
        odp_doc_add(&m->doc, list,
                    json_pack("{s:O, s:O}", "id", word, "en", pairs ? json_array_get(en, i) : word));
    return list;
}

static json_t *make_subjects(struct model *m)
{
    const json_t *all = json_object_get(m->catalog->portal.json, "subjects"), *name;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(m->entry, "subjects"), i, name) {
        const json_t *subject =
            json_is_string(name) ? odp_model_find(all, "name", json_string_value(name)) : NULL;
        const char *theme = odp_model_text(subject, "theme");
        if (subject == NULL) /* portal.json has it no more */
            continue;
        if (*theme != '\0' && strstr(theme, "://") == NULL)
            theme = model_printf(m, EU "data-theme/%s", theme);
        odp_doc_add(&m->doc, list,
                    json_pack("{s:s, s:o, s:s}", "name", json_string_value(name), "title",
                              odp_model_both(subject, "title"), "theme", theme));
    }
    return list;
}

static json_t *make_sources(struct model *m)
{
    const json_t *source;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(m->entry, "sources"), i, source) {
        const char *path = odp_model_text(source, "path");
        bool web = strncmp(path, "https://", 8) == 0 || strncmp(path, "http://", 7) == 0;
        json_t *title = *odp_model_in(source, "title", ODP_LANG_ID) != '\0' ? odp_model_both(source, "title")
                                                                            : json_string(path);
        odp_doc_add(&m->doc, list, json_pack("{s:o, s:s}", "title", title, "href", web ? path : ""));
    }
    return list;
}

/* The title is the portal's, which has two languages, where it is the same licence. */
static json_t *make_license(struct model *m)
{
    const json_t *from = json_object_get(m->entry, "license");
    const struct odp_portal *p = &m->catalog->portal;
    const char *name = odp_model_text(from, "name"), *path = odp_model_text(from, "path");
    json_t *o = json_object(), *title = *odp_model_in(from, "title", ODP_LANG_ID) != '\0'
                                            ? odp_model_both(from, "title")
                                            : json_string(name);
    if (p->license_name != NULL && strcmp(name, p->license_name) == 0 &&
        !odp_text_is_empty(&p->license_title)) {
        json_decref(title);
        title = odp_doc_text(&p->license_title);
    }
    set(m, o, "title", title);
    set_text(m, o, "name", strcmp(odp_model_in(o, "title", ODP_LANG_ID), name) != 0 ? name : "");
    set_text(m, o, "path", path);
    return o;
}

/* An address that stays one in mailto: and shows as it is. */
static bool is_email(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@";
    const char *at = strchr(s, '@');
    return at != NULL && at != s && at[1] != '\0' && strchr(at + 1, '@') == NULL &&
           strspn(s, plain) == strlen(s);
}

/* Who answers for the data, else for the portal. */
static const char *email_of(const struct model *m)
{
    const json_t *person;
    const char *best = odp_model_text(json_object_get(m->entry, "odp:contact"), "email");
    size_t i;
    json_array_foreach(json_object_get(m->entry, "contributors"), i, person)
        if (*best == '\0' && odp_model_has(json_object_get(person, "roles"), "contactPoint"))
            best = odp_model_text(person, "email");
    if (!is_email(best))
        best = odp_model_text(json_object_get(m->catalog->portal.json, "contact"), "email");
    return is_email(best) ? best : "";
}

static void set_state(struct model *m)
{
    const json_t *withdrawn = json_object_get(m->entry, "withdrawn"), *old;
    json_t *former = json_array();
    size_t i;
    bool deprecated = strcmp(odp_model_text(m->entry, "state"), "deprecated") == 0;
    set_flag(m, m->root, "is_deprecated", deprecated);
    if (deprecated)
        set(m, m->root, "deprecated",
            json_pack("{s:s, s:s, s:o, s:o}", "since", odp_model_text(m->entry, "odp:deprecated"), "sunset",
                      odp_model_text(m->entry, "odp:sunset"), "heir",
                      model_other(m, odp_model_text(m->entry, "odp:replacedBy")), "note",
                      odp_model_both(m->entry, "odp:note")));
    if (withdrawn != NULL)
        set(m, m->root, "withdrawn",
            json_pack("{s:s, s:s, s:o}", "which", odp_model_text(withdrawn, "version"), "reason",
                      odp_model_text(withdrawn, "reason"), "note", odp_model_both(withdrawn, "note")));
    json_array_foreach(json_object_get(m->entry, "odp:formerSlugs"), i, old)
        odp_doc_add(&m->doc, former,
                    json_pack("{s:s, s:s}", "slug", odp_model_text(old, "slug"), "until",
                              odp_model_text(old, "sunset")));
    set(m, m->root, "former", former);
}

/* [west, south, east, north], and the earliest start and latest end of odp:datetime, which the API's
 * collection knows. */
static void set_coverage(struct model *m)
{
    const json_t *box = json_object_get(m->entry, "bbox");
    json_t *collection = model_read(
               m, model_printf(m, "%scollections/%s.json", odp_path(ODP_PATH_ogc, ODP_LANG_ID), m->slug)),
           *period = json_object();
    const json_t *interval = json_array_get(
        json_object_get(json_object_get(json_object_get(collection, "extent"), "temporal"), "interval"), 0);
    static const char *const ends[] = {"from", "to"}, *const sides[] = {"west", "south", "east", "north"};
    char day[11];
    for (size_t i = 0; i < 2; i++) {
        const char *end = json_string_value(json_array_get(interval, i));
        set_text(m, period, ends[i], odp_model_day(end != NULL ? end : "", day));
    }
    if (*odp_model_text(period, "from") != '\0' || *odp_model_text(period, "to") != '\0')
        set(m, m->root, "period", json_incref(period));
    json_decref(period);
    json_decref(collection);
    if (json_array_size(box) != 4)
        return;
    json_t *o = json_object();
    for (size_t i = 0; i < 4; i++)
        set_text(m, o, sides[i], model_printf(m, "%.10g", json_number_value(json_array_get(box, i))));
    set(m, m->root, "bbox", o);
}

void model_about(struct model *m)
{
    static const char *const texts[][2] = {{"title", "title"},         {"description", "description"},
                                           {"producer", "producer"},   {"walidata", "sdi:walidata"},
                                           {"pembina", "sdi:pembina"}, {"sdsn", "sdi:kodeSDSN"},
                                           {"note", "odp:note"}};
    const json_t *keywords = json_object_get(m->entry, "odp:keywords");
    char day[11];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        set(m, m->root, texts[i][0], odp_model_both(m->entry, texts[i][1]));
    set_text(m, m->root, "updated", odp_model_text(m->entry, "last_update"));
    set_text(m, m->root, "day", odp_model_day(odp_model_text(m->entry, "last_update"), day));
    set_text(m, m->root, "frequency", odp_model_text(m->entry, "frequency"));
    if (json_object_get(m->entry, "rows") != NULL)
        set_number(m, m->root, "rows", odp_model_number(m->entry, "rows"));
    set(m, m->root, "beside", odp_model_beside(m->entry));
    json_t *formats = json_array();
    add_texts(m, formats, json_object_get(m->entry, "formats"));
    set(m, m->root, "formats", formats);
    set(m, m->root, "license", make_license(m));
    set(m, m->root, "subjects", make_subjects(m));
    set(m, m->root, "themes", texts_by_language(m, json_object_get(m->entry, "odp:theme")));
    set(m, m->root, "keywords",
        texts_by_language(m, keywords != NULL ? keywords : json_object_get(m->entry, "keywords")));
    set(m, m->root, "keyword_pairs", make_pairs(m, json_object_get(m->root, "keywords")));
    set(m, m->root, "spatial", texts_by_language(m, json_object_get(m->entry, "odp:spatial")));
    set(m, m->root, "temporal", texts_by_language(m, json_object_get(m->entry, "odp:temporal")));
    set(m, m->root, "sources", make_sources(m));
    set_text(m, m->root, "email", email_of(m));
    set_state(m);
    set_coverage(m);
}
