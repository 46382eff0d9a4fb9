/* A set of templates: opened, queried, rendered, closed. */
#include "base/template/template_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_load.h"

/* ---- pages ---- */

static const struct odp_template_model *find_model(const struct odp_templates *t, const char *page)
{
    for (size_t i = 0; i < t->options->nmodels; i++)
        if (strcmp(t->options->models[i].page, page) == 0)
            return &t->options->models[i];
    static const struct odp_template_model none = {.page = ""};
    return strchr(page, '/') != NULL ? &none : NULL; /* COMMON has all its names */
}

/* Of the first folder that has NAME in LANG: the file of that language before the one of both. Files are in
 * the folders' order. */
static struct template_file *find_page(const struct odp_templates *t, const char *name, enum odp_lang lang)
{
    struct template_file *found = NULL;
    for (size_t i = 0; i < t->pages.n; i++) {
        struct template_file *f = t->pages.items[i];
        if (strcmp(f->name, name) != 0 || (found != NULL && f->folder != found->folder) ||
            (f->lang >= 0 && f->lang != (int)lang))
            continue;
        if (found == NULL || f->lang >= 0)
            found = f;
    }
    return found;
}

static void fault_of_unknown(struct odp_templates *t, struct template_file *f)
{
    struct template_names names = {.n = 0};
    for (size_t i = 0; i < t->options->nmodels; i++)
        template_names_add(&names, t->options->models[i].page);
    struct fault_more more = {.a = f->name};
    template_names_suggest(t, &names, SIZE_MAX, odp_slice_of(f->name), &more);
    template_fault(t, f, 0, 0, TEMPLATE_PAGE_UNKNOWN, &more);
}

static bool is_made(const struct odp_templates *t, const char *name)
{
    for (size_t i = 0; i < t->nmade; i++)
        if (strcmp(t->made[i].name, name) == 0)
            return true;
    return false;
}

static void compile(struct odp_templates *t, struct template_page *page, enum odp_lang lang)
{
    page->programs[lang] = template_compile(t, find_page(t, page->name, lang), page->name,
                                            find_model(t, page->name)->names, lang);
}

static void make_page(struct odp_templates *t, struct template_file *f)
{
    static const char *const langs[ODP_LANGS] = {"id", "en"};
    struct template_page *page = &t->made[t->nmade++];
    page->name = f->name;
    if (find_model(t, f->name) == NULL) {
        fault_of_unknown(t, f);
        return;
    }
    for (int lang = 0; lang < ODP_LANGS && !t->failed; lang++)
        if (find_page(t, f->name, (enum odp_lang)lang) == NULL)
            template_fault(t, f, 0, 0, TEMPLATE_PAGE_LANGUAGE,
                           &(struct fault_more){.a = f->name, .b = langs[lang]});
        else if (!t->options->proven)
            compile(t, page, (enum odp_lang)lang);
}

static void make_pages(struct odp_templates *t)
{
    t->made = odp_arena_zero(&t->arena, t->pages.n + 1, sizeof *t->made);
    for (size_t i = 0; i < t->pages.n && !t->failed; i++)
        if (!is_made(t, t->pages.items[i]->name))
            make_page(t, t->pages.items[i]);
    if (t->nmade > 1)
        qsort(t->made, t->nmade, sizeof *t->made, odp_by_string); /* a string comes first in them */
}

/* In a folder that wins, a part or word without use is a slip more often than not. */
static void warn_unused(struct odp_templates *t)
{
    size_t ours = t->options->texts != NULL  ? t->options->nfolders
                  : t->options->nfolders > 0 ? t->options->nfolders - 1
                                             : 0;
    for (size_t i = 0; i < t->parts.n; i++)
        if (!t->parts.items[i]->used && t->parts.items[i]->folder < ours)
            template_fault(t, t->parts.items[i], 0, 0, TEMPLATE_PART_UNUSED,
                           &(struct fault_more){.severity = ODP_SEVERITY_WARNING});
    for (size_t i = 0; i < t->nwords; i++)
        if (!t->words[i].used && t->words[i].folder < ours)
            template_fault(t, t->words[i].file, 0, 0, TEMPLATE_WORD_UNUSED,
                           &(struct fault_more){.a = t->words[i].key, .severity = ODP_SEVERITY_WARNING});
}

/* ---- the set ---- */

static enum odp_status check_models(const struct odp_templates_options *o)
{
    enum odp_status status = template_model_check(o->common, "");
    for (size_t i = 0; i < o->nmodels && status == ODP_OK; i++)
        status = template_model_check(o->models[i].names, o->models[i].page);
    return status;
}

/* O, with models and folders of its own. */
static const struct odp_templates_options *keep_options(struct odp_templates *t,
                                                        const struct odp_templates_options *o)
{
    struct odp_templates_options *kept = odp_arena_array(&t->arena, 1, sizeof *kept);
    struct odp_template_model *models = odp_arena_array(&t->arena, o->nmodels + 1, sizeof *models);
    const char **folders = odp_arena_array(&t->arena, o->nfolders + 1, sizeof *folders);
    t->models = json_pack("[O]", o->common);
    for (size_t i = 0; i < o->nmodels; i++) {
        models[i] =
            (struct odp_template_model){odp_arena_str(&t->arena, o->models[i].page), o->models[i].names};
        json_array_append(t->models, (json_t *)(uintptr_t)o->models[i].names);
    }
    for (size_t i = 0; i < o->nfolders; i++)
        folders[i] = o->folders[i];
    *kept = *o;
    kept->models = models;
    kept->folders = folders;
    return kept;
}

enum odp_status odp_templates_open(struct odp_templates **out, const struct odp_templates_options *o,
                                   struct odp_diags *diags)
{
    *out = NULL;
    struct odp_templates *t = calloc(1, sizeof *t);
    if (t == NULL)
        return odp_failure_set("open", "templates", ENOMEM);
    t->options = o->proven ? keep_options(t, o) : o;
    t->diags = diags;
    t->failed = check_models(o) != ODP_OK;
    if (!t->failed)
        template_read_folders(t);
    if (!t->failed)
        make_pages(t);
    if (!t->failed && !t->bad && !o->proven)
        warn_unused(t);
    t->failed = t->failed || odp_arena_status(&t->arena) != ODP_OK;
    enum odp_status status = t->failed
                                 ? odp_failure_set("open", "templates", ENOMEM) /* an earlier record stays */
                             : t->bad ? ODP_BAD
                                      : ODP_OK;
    t->diags = NULL;
    if (!o->proven) {
        t->options = NULL;
        t->pages = t->parts = (struct template_files){0};
    }
    if (status == ODP_OK)
        *out = t;
    else
        odp_templates_close(t);
    return status;
}

void odp_templates_close(struct odp_templates *t)
{
    if (t == NULL)
        return;
    json_decref(t->models);
    odp_arena_release(&t->arena);
    free(t);
}

static struct template_page *find_made(const struct odp_templates *t, const char *name)
{
    const struct template_page key = {.name = name};
    return t->nmade > 0 ? bsearch(&key, t->made, t->nmade, sizeof key, odp_by_string) : NULL;
}

bool odp_templates_has(const struct odp_templates *t, const char *page)
{
    return find_made(t, page) != NULL;
}

enum odp_status odp_templates_render(struct odp_templates *t, const char *page, enum odp_lang lang,
                                     const json_t *const *scopes, size_t n, struct odp_buffer *out)
{
    struct template_page *p = find_made(t, page);
    if (p == NULL)
        return odp_failure_set("render: no such page", page, 0);
    if (p->programs[lang] == NULL)
        compile(t, p, lang);
    if (t->failed || odp_arena_status(&t->arena) != ODP_OK)
        return odp_failure_set("compile", page, 0);
    return template_run(t, p->programs[lang], lang, scopes, n, out);
}

const char *odp_templates_word(const struct odp_templates *t, const char *key, enum odp_lang lang)
{
    const struct template_word *w = template_word_find(t, odp_slice_of(key));
    return w != NULL ? w->in[lang] : NULL;
}

enum odp_status odp_templates_words(const struct odp_templates *t, const char *prefix, enum odp_lang lang,
                                    json_t *into)
{
    const size_t len = strlen(prefix);
    for (size_t i = template_word_from(t, odp_slice_of(prefix));
         i < t->nwords && strncmp(t->words[i].key, prefix, len) == 0; i++)
        json_object_set_new(into, t->words[i].key, json_string(t->words[i].in[lang]));
    return ODP_OK;
}

/* ---- sets that are compiled in ---- */

enum { PAGES_MAX = 32 };

enum odp_status odp_templates_open_made(struct odp_templates **out, const struct odp_template_text *texts,
                                        const unsigned char *models)
{
    struct odp_template_model model[PAGES_MAX];
    struct odp_diags *faults = NULL;
    const char *text = (const char *)models, *name;
    json_t *pages = odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL), *none = json_object(),
           *names;
    const json_t *common = json_object_get(pages, "common");
    struct odp_templates_options o = {
        .texts = texts, .common = common != NULL ? common : none, .models = model};
    *out = NULL;
    json_object_foreach(pages, name, names) if (names != common && o.nmodels < PAGES_MAX) model[o.nmodels++] =
        (struct odp_template_model){name, names};
    enum odp_status status = odp_diags_new(&faults, 1);
    if (status == ODP_OK)
        status = odp_templates_open(out, &o, faults);
    odp_diags_free(faults);
    json_decref(none);
    json_decref(pages);
    return status == ODP_OK ? ODP_OK : odp_failure_set("open", "templates", 0);
}

enum odp_status odp_templates_write(const struct odp_template_text *texts, const unsigned char *models,
                                    const char *page, enum odp_lang lang, json_t *m, struct odp_buffer *out)
{
    struct odp_templates *templates;
    enum odp_status status = odp_templates_open_made(&templates, texts, models);
    if (status == ODP_OK)
        status = odp_templates_render(templates, page, lang, (const json_t *const[]){m}, 1, out);
    odp_templates_close(templates);
    json_decref(m);
    return status;
}
