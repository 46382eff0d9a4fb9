/* What stands in the folders, and which file wins. */
#include "base/template/template_internal.h"

#include <errno.h>

#include "base/file.h"

/* ---- names of files ---- */

static const struct {
    const char *ending;
    enum template_form form;
} endings[] = {{"html", TEMPLATE_HTML},   {"xml", TEMPLATE_XML},     {"txt", TEMPLATE_TXT},
               {"json", TEMPLATE_JSON},   {"py", TEMPLATE_LITERAL},  {"php", TEMPLATE_PHP},
               {"md", TEMPLATE_MARKDOWN}, {"js", TEMPLATE_LITERAL},  {"mjs", TEMPLATE_LITERAL},
               {"ts", TEMPLATE_LITERAL},  {"toml", TEMPLATE_LITERAL}};
enum { ENDINGS = sizeof endings / sizeof *endings };

enum template_form template_form_of(const char *ending)
{
    for (size_t i = 0; i < ENDINGS; i++)
        if (strcmp(ending, endings[i].ending) == 0)
            return endings[i].form;
    return TEMPLATE_FORMS;
}

const char *template_ending(enum template_form form)
{
    size_t i = 0;
    while (i + 1 < ENDINGS && endings[i].form != form)
        i++;
    return endings[i].ending;
}

static bool is_name(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || (s.ptr[i] >= '0' && s.ptr[i] <= '9') ||
              (i > 0 && (s.ptr[i] == '-' || s.ptr[i] == '_'))))
            return false;
    return s.len > 0 && s.len <= TEMPLATE_NAME_MAX;
}

/* "home.id.html" taken apart. */
static bool read_name(struct odp_templates *t, struct template_file *f, const char *file, bool languages)
{
    const char *dot = strrchr(file, '.');
    struct odp_slice stem = {file, dot != NULL ? (size_t)(dot - file) : 0};
    enum template_form form = dot != NULL ? template_form_of(dot + 1) : TEMPLATE_FORMS;
    f->lang = -1;
    f->form = (uint8_t)form;
    for (int lang = 0; lang < ODP_LANGS && languages && f->lang < 0; lang++)
        if (stem.len > 3 && memcmp(stem.ptr + stem.len - 3, lang == ODP_LANG_ID ? ".id" : ".en", 3) == 0) {
            f->lang = lang;
            stem.len -= 3;
        }
    if (form == TEMPLATE_FORMS || (form > TEMPLATE_JSON && f->compiled_in == NULL) ||
        !is_name(stem)) /* programs are compiled in */
        return false;
    f->name = odp_arena_copy(&t->arena, stem).ptr;
    return true;
}

static struct template_file *new_file(struct odp_templates *t, const char *dir, const char *name,
                                      size_t folder)
{
    struct template_file *f = odp_arena_zero(&t->arena, 1, sizeof *f);
    f->path = odp_path_join(&t->arena, dir, name);
    f->folder = folder;
    f->lang = -1;
    return f;
}

static struct template_file *same_file(const struct template_files *list, const struct template_file *f)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct template_file *g = list->items[i];
        /* parts are told apart by their form too; of a page there is one form */
        if (strcmp(g->name, f->name) == 0 && g->lang == f->lang && g->folder == f->folder)
            return list->items[i];
    }
    return NULL;
}

static void add_file(struct odp_templates *t, struct template_files *list, struct template_file *f)
{
    struct template_file *same = same_file(list, f);
    if (list == &t->pages && same != NULL) {
        template_fault(t, f, 0, 0, TEMPLATE_FILE_TWICE, &(struct fault_more){.a = same->path});
        return;
    }
    enum odp_status status = template_read_file(t, f);
    if (status == ODP_OK)
        template_tokens(t, f);
    t->failed = t->failed || status == ODP_FAIL;
    f->bad = f->bad || status != ODP_OK; /* it still wins: what it hides is not asked */
    list->items = odp_arena_more(&t->arena, list->items, list->n, sizeof *list->items);
    list->items[list->n++] = f;
}

/* ---- folders ---- */

enum { PAGES, PARTS, WORDS, KINDS };

static const char *const kinds[KINDS] = {"pages", "parts", "words"};

/* NAME: of F, without its folder. */
static void read_file(struct odp_templates *t, int kind, struct template_file *f, const char *name)
{
    size_t len = strlen(name);
    if (kind == WORDS) {
        if (len < 6 || strcmp(name + len - 5, ".json") != 0)
            template_fault(t, f, 0, 0, TEMPLATE_FILE_NAME, &(struct fault_more){.expected = ".json"});
        else if (template_read_words(t, f) == ODP_FAIL)
            t->failed = true;
    } else if (!read_name(t, f, name, kind == PAGES)) {
        template_fault(t, f, 0, 0, TEMPLATE_FILE_NAME,
                       &(struct fault_more){.expected = kind == PAGES
                                                            ? ".html, .id.html, .en.html, .xml, .txt, .json"
                                                            : ".html, .xml, .txt, .json"});
    } else {
        add_file(t, kind == PAGES ? &t->pages : &t->parts, f);
    }
}

static void read_entry(struct odp_templates *t, int kind, const char *dir, const char *name, size_t folder)
{
    if (*name == '.' || name[strlen(name) - 1] == '~') /* editors leave these */
        return;
    read_file(t, kind, new_file(t, dir, name, folder), name);
}

/* What is compiled in: pages/, parts/ and words/ as in a folder; parts and words may lie deeper
 * ("python/parts/…"), and every other file in a folder is a page that is called by its whole path
 * ("python/datasets.py"). */
static void read_text(struct odp_templates *t, const struct odp_template_text *x)
{
    const char *slash = strrchr(x->path, '/');
    struct odp_slice folder = {x->path, slash != NULL ? (size_t)(slash - x->path) : 0};
    if (slash == NULL) /* in no folder: a model */
        return;
    struct template_file *f = new_file(t, "", x->path, t->options->nfolders);
    f->compiled_in = x->text;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t n = strlen(kinds[kind]);
        bool ends = folder.len >= n && memcmp(slash - n, kinds[kind], n) == 0 &&
                    (folder.len == n || (kind != PAGES && slash[-(ptrdiff_t)n - 1] == '/'));
        if (ends) {
            read_file(t, kind, f, slash + 1);
            return;
        }
    }
    const char *dot = strrchr(x->path, '.');
    f->name = x->path;
    f->form = (uint8_t)(dot != NULL ? template_form_of(dot + 1) : TEMPLATE_FORMS);
    if (f->form < TEMPLATE_FORMS)
        add_file(t, &t->pages, f);
}

static void read_texts(struct odp_templates *t)
{
    for (const struct odp_template_text *x = t->options->texts; x != NULL && x->path != NULL && !t->failed;
         x++)
        read_text(t, x);
}

static void read_folder(struct odp_templates *t, int kind, size_t folder)
{
    const char *dir = odp_path_join(&t->arena, t->options->folders[folder], kinds[kind]), **entries = NULL;
    size_t n = 0;
    if (odp_file_kind_of(dir) == ODP_FILE_NONE)
        return;
    enum odp_status status = odp_dir_list(dir, &t->arena, &entries, &n);
    if (status == ODP_BAD) {
        struct template_file *f = new_file(t, dir, "", folder);
        template_fault(
            t, f, 0, 0, TEMPLATE_UNREADABLE,
            &(struct fault_more){.a = strerror(odp_file_kind_of(dir) == ODP_FILE_DENIED ? EACCES : ENOTDIR)});
    }
    t->failed = t->failed || status == ODP_FAIL;
    for (size_t i = 0; i < n && !t->failed; i++)
        read_entry(t, kind, dir, entries[i], folder);
}

enum odp_status template_read_folders(struct odp_templates *t)
{
    for (size_t folder = 0; folder < t->options->nfolders; folder++)
        for (int kind = 0; kind < KINDS && t->options->folders[folder] != NULL; kind++)
            read_folder(t, kind, folder);
    read_texts(t);
    template_words_end(t);
    return t->failed ? ODP_FAIL : ODP_OK;
}
