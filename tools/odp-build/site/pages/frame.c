/* One page: its head around what it says, rendered and staged. */
#include "site/pages/pages_internal.h"

#include <errno.h>

static void set_other(struct odp_doc *d, json_t *head, const struct portal_head *h, enum odp_lang lang,
                      const char *root)
{
    json_t *other = json_object();
    enum odp_lang there = lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID;
    /* An answer of the service has no address in the other language. */
    odp_doc_set(d, other, "href",
                json_sprintf("%s%s", root,
                             h->cls == ODP_CLASS_INTERNAL ? odp_path(ODP_PATH_home, there) : h->path[there]));
    odp_doc_set_str(d, other, "lang", there == ODP_LANG_ID ? "id" : "en");
    odp_doc_set_str(d, other, "label", there == ODP_LANG_ID ? "Indonesia" : "English");
    odp_doc_set(d, head, "other", other);
}

/* The address of PATH; of index.html its folder's. */
static json_t *make_address(const struct portal *p, const char *path)
{
    const char *last = strrchr(path, '/'), *file = last != NULL ? last + 1 : path;
    size_t len = strcmp(file, "index.html") == 0 ? (size_t)(file - path) : strlen(path);
    return json_sprintf("%s%.*s", p->catalog->portal.base_url, (int)len, path);
}

static json_t *make_head(const struct portal *p, const struct portal_head *h, enum odp_lang lang,
                         struct odp_doc *d, struct odp_arena *a)
{
    const char *path = h->path[lang], *root = h->root != NULL ? h->root : portal_root(path, a);
    const char *any = odp_path(ODP_PATH_image, lang); /* of pages that have none of their own */
    const char *image = h->image != NULL || h->lasting || !odp_model_is_staged(p->job, any) ? h->image : any;
    json_t *head = json_object(), *nav = json_object();
    d->failed = d->failed || root == NULL;
    odp_doc_set_str(d, head, "root", root != NULL ? root : "");
    odp_doc_set_str(d, head, "path", path);
    odp_doc_set(d, head, "canonical", make_address(p, path));
    json_t *alternate = json_object();
    odp_doc_set(d, alternate, "id", make_address(p, h->path[ODP_LANG_ID]));
    odp_doc_set(d, alternate, "en", make_address(p, h->path[ODP_LANG_EN]));
    odp_doc_set(d, head, "alternate", alternate);
    odp_doc_set_str(d, head, "title", h->title);
    if (h->description != NULL)
        odp_doc_set_str(d, head, "description", h->description);
    if (image != NULL)
        odp_doc_set_str(d, head, "image", image);
    if (h->feed != NULL)
        odp_doc_set_str(d, head, "feed", h->feed);
    if (h->jsonld != NULL)
        odp_doc_set(d, head, "jsonld", json_incref(h->jsonld));
    odp_doc_set(d, head, "is_home", json_boolean(strcmp(h->page, "home") == 0));
    odp_doc_set(d, head, "noindex", json_boolean(h->noindex));
    odp_doc_set(d, head, "lasting", json_boolean(h->lasting));
    if (h->nav != NULL)
        odp_doc_set(d, nav, h->nav, json_true());
    odp_doc_set(d, head, "nav", nav);
    set_other(d, head, h, lang, root != NULL ? root : "");
    return head;
}

enum odp_status portal_render(const struct portal *p, enum odp_lang lang, const struct portal_head *h,
                              const json_t *data, struct odp_buffer *out)
{
    struct odp_arena arena;
    struct odp_doc d = {0};
    odp_arena_init(&arena);
    json_t *head = make_head(p, h, lang, &d, &arena);
    const json_t *scopes[] = {p->site[lang], head, data};
    enum odp_status status = d.failed || data == NULL
                                 ? odp_failure_set("make", h->path[lang], ENOMEM)
                                 : odp_templates_render(p->templates, h->page, lang, scopes, 3, out);
    json_decref(head);
    odp_arena_release(&arena);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status portal_put(struct portal *p, enum odp_lang lang, const struct portal_head *h,
                           json_t *data_take)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    enum odp_status status = portal_render(p, lang, h, data_take, &out);
    if (status == ODP_OK)
        status = odp_stage_put(p->job->stage, h->path[lang], "text/html; charset=utf-8", h->cls,
                               odp_buffer_slice(&out));
    json_decref(data_take);
    odp_buffer_release(&out);
    return status;
}

enum odp_status portal_words(const struct portal *p, const char *prefix, enum odp_lang lang, json_t *words)
{
    return odp_templates_words(p->templates, prefix, lang, words);
}

const char *portal_word(const struct portal *p, const char *key, enum odp_lang lang)
{
    const char *word = odp_templates_word(p->templates, key, lang);
    return word != NULL ? word : key;
}
