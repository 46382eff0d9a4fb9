/* One page: its head around what it says, rendered and staged. */
#include "site/pages/pages_internal.h"

#include <stdio.h>

#include "published/parts.h"

const char *portal_root(const char *path, struct odp_arena *a)
{
    size_t n = 0;
    char *root = odp_arena_array(a, 3 * strlen(path) + 1, 1);
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/') {
            memcpy(root + n, "../", 3);
            n += 3;
        }
    root[n] = '\0';
    return root;
}

/* The address of PATH; of index.html its folder's. */
static json_t *make_address(const struct portal *p, const char *path)
{
    const char *last = strrchr(path, '/'), *file = last != NULL ? last + 1 : path;
    size_t len = strcmp(file, "index.html") == 0 ? (size_t)(file - path) : strlen(path);
    return json_sprintf("%s%.*s", p->catalog->portal.base_url, (int)len, path);
}

static json_t *make_head(const struct portal *p, const struct portal_head *h, enum odp_lang lang,
                         struct odp_arena *a)
{
    static const char *const labels[] = {[ODP_LANG_ID] = "Indonesia", [ODP_LANG_EN] = "English"};
    const enum odp_lang there = 1 - lang;
    const char *path = h->path[lang], *root = h->root != NULL ? h->root : portal_root(path, a),
               *any = odp_path(ODP_PATH_image, lang), *image = h->image;
    /* An answer of the service has no address in the other language. */
    const char *other = h->cls == ODP_CLASS_INTERNAL ? odp_path(ODP_PATH_home, there) : h->path[there];
    if (image == NULL && !h->lasting && odp_model_is_staged(p->job, any))
        image = any; /* of pages that have none of their own */
    const struct odp_dataset *d = h->dataset != NULL ? odp_catalog_find(p->catalog, h->dataset) : NULL;
    const bool draft = d != NULL && d->draft;
    json_t *head =
        json_pack("{s:s, s:s, s:o, s:{s:o, s:o}, s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:O*, s:b, s:b, s:b}",
                  "root", root, "path", path, "canonical", make_address(p, path), "alternate", "id",
                  make_address(p, h->path[ODP_LANG_ID]), "en", make_address(p, h->path[ODP_LANG_EN]), "title",
                  h->title, "description", h->description, "image", image, "feed", h->feed, "oembed",
                  h->oembed, "previewed", p->catalog->preview ? h->dataset : NULL, "jsonld", h->jsonld,
                  "is_home", (int)(strcmp(h->page, "home") == 0), "noindex", (int)(h->noindex || draft),
                  "lasting", (int)h->lasting);
    odp_set_flag(head, "draft", draft);
    odp_set(head, "nav", h->nav != NULL ? json_pack("{s:b}", h->nav, 1) : json_object());
    odp_set(head, "other",
            json_pack("{s:s+, s:s, s:s}", "href", root, other, "lang", odp_lang_code(there), "label",
                      labels[there]));
    return head;
}

const char *portal_last_update(const struct portal *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!odp_model_is_list(p->newest[i]))
            return odp_text_of(p->newest[i], "last_update");
    return "";
}

struct portal_head portal_head_of(const struct portal *p, enum odp_lang lang, const char *page,
                                  enum odp_path path, const char *title, const char *description)
{
    return (struct portal_head){.page = page,
                                .title = portal_word(p, title, lang),
                                .description = description != NULL ? portal_word(p, description, lang) : NULL,
                                .path = {odp_path(path, ODP_LANG_ID), odp_path(path, ODP_LANG_EN)}};
}

enum odp_status portal_render(const struct portal *p, enum odp_lang lang, const struct portal_head *h,
                              const json_t *data, struct odp_buffer *out)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    json_t *head = make_head(p, h, lang, &arena);
    const json_t *const scopes[] = {p->site[lang], head, data};
    enum odp_status status = odp_templates_render(p->templates, h->page, lang, scopes, 3, out);
    json_decref(head);
    odp_arena_release(&arena);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status portal_put_text(const struct portal *p, enum odp_lang lang, const struct portal_head *h,
                                struct odp_slice text)
{
    return odp_stage_put(p->job->stage, h->path[lang], "text/html; charset=utf-8", h->cls, text);
}

void portal_put(struct portal *p, enum odp_lang lang, const struct portal_head *h, json_t *data_take)
{
    struct odp_buffer out = {0};
    if (p->status == ODP_OK)
        p->status = portal_render(p, lang, h, data_take, &out);
    if (p->status == ODP_OK)
        p->status = portal_put_text(p, lang, h, odp_buffer_slice(&out));
    json_decref(data_take);
    odp_buffer_release(&out);
}

bool portal_part_begin_of(struct portal *p, const char *name, struct odp_buffer *key_take)
{
    if (p->status == ODP_OK)
        p->status = odp_buffer_status(key_take);
    if (p->status == ODP_OK)
        p->status = odp_part_begin(p->job->stage, name, odp_buffer_slice(key_take));
    odp_buffer_release(key_take);
    const bool made = p->status == ODP_OK;
    p->status = p->status == ODP_DONE ? ODP_OK : p->status;
    return made;
}

bool portal_part_begin(struct portal *p, const char *name, enum odp_lang lang, const json_t *more)
{
    struct odp_buffer key = {0};
    odp_buffer_add(&key, p->site_key[lang], ODP_SHA256_SIZE);
    odp_doc_key(&key, more);
    return portal_part_begin_of(p, portal_printf(p, "%s.%s", name, odp_lang_code(lang)), &key);
}

void portal_part_end(struct portal *p)
{
    p->status = odp_part_end(p->job->stage, p->status);
}

void portal_put_page(struct portal *p, enum odp_lang lang, const struct portal_head *h, json_t *data_take)
{
    json_t *all = json_pack("[o, O]", make_head(p, h, lang, &p->arena), data_take);
    if (portal_part_begin(p, h->path[lang], lang, all)) {
        portal_put(p, lang, h, json_incref(data_take));
        portal_part_end(p);
    }
    json_decref(all);
    json_decref(data_take);
}

/* Those of each prefix of LIST, between which there are spaces. */
static void add_words(struct portal *p, const char *list, enum odp_lang lang, json_t *words)
{
    char prefix[32];
    int n = 0;
    for (; p->status == ODP_OK && sscanf(list, " %31s%n", prefix, &n) == 1; list += n)
        p->status = odp_templates_words(p->templates, prefix, lang, words);
}

json_t *portal_words(struct portal *p, const char *prefix, const char *more, enum odp_lang lang)
{
    json_t *words = json_object();
    add_words(p, prefix, lang, words);
    if (more != NULL)
        add_words(p, more, lang, words);
    return words;
}

const char *portal_word(const struct portal *p, const char *key, enum odp_lang lang)
{
    const char *word = odp_templates_word(p->templates, key, lang);
    return word != NULL ? word : key;
}
