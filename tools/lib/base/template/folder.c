/* Reads the folders: files, words, and which of them wins. */
#include "base/template/template_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_load.h"
#include "base/refusal.h"
#include "base/utf8.h"

/* ---- a file's content ---- */

static enum odp_status read_bytes(struct odp_templates *t, struct template_file *file)
{
    struct odp_buffer buffer = {0};
    int errnum = 0;
    /* The last folder is the program's own, which a package may have made of links. */
    if (file->folder + 1 < t->options->nfolders &&
        !odp_path_is_inside(t->options->folders[file->folder], file->path)) {
        template_fault(t, file, 0, 0, TEMPLATE_LINK_OUT, NULL);
        return ODP_BAD;
    }
    enum odp_status status = odp_file_read(file->path, TEMPLATE_FILE_MAX, &buffer, &errnum);
    if (status == ODP_BAD) {
        const struct odp_text why = odp_refusal_text(errnum);
        if (errnum == EFBIG)
            template_fault(t, file, 0, 0, TEMPLATE_TOO_LARGE, &(struct fault_more){.a = "1 MiB"});
        else
            template_fault(t, file, 0, 0, TEMPLATE_UNREADABLE, &(struct fault_more){.said = &why});
    }
    if (status == ODP_OK) {
        struct odp_slice s = odp_buffer_slice(&buffer);
        size_t mark = s.len >= 3 && memcmp(s.ptr, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of Windows' editors */
        file->text = odp_arena_copy(&t->arena, (struct odp_slice){s.ptr + mark, s.len - mark});
    }
    odp_buffer_release(&buffer);
    return status;
}

static enum odp_status read_content(struct odp_templates *t, struct template_file *file)
{
    file->text = odp_slice_of((const char *)file->compiled_in);
    enum odp_status status = file->compiled_in != NULL ? ODP_OK : read_bytes(t, file);
    t->failed = t->failed || status == ODP_FAIL;
    if (status != ODP_OK)
        return status;
    size_t valid = odp_utf8_valid(file->text);
    const char *nul = memchr(file->text.ptr, '\0', valid);
    if (nul != NULL || valid < file->text.len) {
        template_fault(t, file, nul != NULL ? (size_t)(nul - file->text.ptr) : valid, 1,
                       nul != NULL ? TEMPLATE_NUL : TEMPLATE_ENCODING, NULL);
        return ODP_BAD;
    }
    t->bytes += file->text.len;
    if (t->bytes <= TEMPLATE_SET_MAX)
        return ODP_OK;
    template_fault(t, file, 0, 0, TEMPLATE_SET_TOO_LARGE, &(struct fault_more){.a = "32 MiB"});
    return ODP_BAD;
}

/* ---- words ---- */

#define WORD_SHAPE "\"key\": {\"id\": \"…\", \"en\": \"…\"}"

static const char *const langs[ODP_LANGS] = {"id", "en"};

/* The byte at LINE, COLUMN (in characters). */
static size_t offset_of(struct odp_slice text, size_t line, size_t column)
{
    size_t i = 0;
    for (; line > 1 && i < text.len; i++)
        line -= text.ptr[i] == '\n';
    while (column > 1 && i < text.len && text.ptr[i] != '\n') {
        for (i++; i < text.len && ((unsigned char)text.ptr[i] & 0xc0U) == 0x80U;)
            i++;
        column--;
    }
    return i;
}

/* The byte at which member KEY of the document is named. */
static size_t place_of(struct odp_templates *t, const struct template_file *f, const char *key)
{
    struct odp_buffer pointer = {0};
    uint32_t line = 1, column = 1;
    odp_buffer_add_str(&pointer, "key:/");
    for (; *key != '\0'; key++) /* RFC 6901 */
        if (*key == '~' || *key == '/')
            odp_buffer_add_str(&pointer, *key == '~' ? "~0" : "~1");
        else
            odp_buffer_add_char(&pointer, *key);
    t->failed = t->failed || pointer.failed;
    (void)odp_json_locate(f->text, odp_buffer_cstr(&pointer), &line, &column);
    odp_buffer_release(&pointer);
    return offset_of(f->text, line, column);
}

static bool is_key(const char *key)
{
    size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n > 0 && n <= TEMPLATE_NAME_MAX && key[n] == '\0';
}

static bool is_word(const json_t *value)
{
    return json_is_object(value) && json_object_size(value) == ODP_LANGS &&
           json_is_string(json_object_get(value, "id")) && json_is_string(json_object_get(value, "en"));
}

static void add_word(struct odp_templates *t, struct template_file *f, const char *key, const json_t *value)
{
    struct template_word w = {.folder = f->folder, .file = f};
    if (!is_key(key) || !is_word(value)) {
        template_fault(t, f, place_of(t, f, key), strlen(key) + 2, TEMPLATE_WORDS_SHAPE,
                       &(struct fault_more){.a = key, .expected = WORD_SHAPE});
        return;
    }
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *text = odp_json_text(value, langs[lang]);
        if (*text == '\0')
            template_fault(t, f, place_of(t, f, key), strlen(key) + 2, TEMPLATE_WORDS_EMPTY,
                           &(struct fault_more){.a = key, .b = langs[lang]});
        w.in[lang] = odp_arena_str(&t->arena, text);
    }
    w.key = odp_arena_str(&t->arena, key);
    t->words = odp_arena_more(&t->arena, t->words, t->nwords, sizeof *t->words);
    t->words[t->nwords++] = w;
}

static void fault_of_syntax(struct odp_templates *t, struct template_file *f, const json_error_t *e)
{
    size_t len, at = odp_json_fault_at(e, f->text, &len);
    const struct odp_text said = odp_json_say(&t->arena, e);
    template_fault(t, f, at, len > 0 ? len : 1, TEMPLATE_WORDS_JSON, &(struct fault_more){.said = &said});
}

static void read_words(struct odp_templates *t, struct template_file *f)
{
    json_error_t error;
    const char *key;
    json_t *value;
    if (read_content(t, f) != ODP_OK)
        return;
    json_t *root = odp_json_load(f->text.ptr, f->text.len, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fault_of_syntax(t, f, &error);
    else if (!json_is_object(root))
        template_fault(t, f, 0, 1, TEMPLATE_WORDS_SHAPE,
                       &(struct fault_more){.a = "/", .expected = "{" WORD_SHAPE "}"});
    else
        json_object_foreach(root, key, value) add_word(t, f, key, value);
    json_decref(root);
}

static int by_key(const void *a, const void *b)
{
    const struct template_word *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    if (c == 0)
        c = (x->folder > y->folder) - (x->folder < y->folder);
    return c != 0 ? c : strcmp(x->file->path, y->file->path);
}

static void sort_words(struct odp_templates *t)
{
    size_t kept = 0;
    if (t->nwords > 1)
        qsort(t->words, t->nwords, sizeof *t->words, by_key);
    for (size_t i = 0; i < t->nwords; i++) {
        struct template_word *w = &t->words[i], *last = kept > 0 ? &t->words[kept - 1] : NULL;
        if (last == NULL || strcmp(last->key, w->key) != 0) {
            t->words[kept++] = *w;
            continue;
        }
        if (last->folder == w->folder)
            template_fault(t, w->file, place_of(t, w->file, w->key), strlen(w->key) + 2, TEMPLATE_WORDS_TWICE,
                           &(struct fault_more){.a = w->key, .b = last->file->path});
        last->used = true; /* it replaces one of ours */
    }
    t->nwords = kept;
}

size_t template_word_from(const struct odp_templates *t, struct odp_slice key)
{
    size_t from = 0, to = t->nwords;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (odp_slice_cmp(odp_slice_of(t->words[middle].key), key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct template_word *template_word_find(const struct odp_templates *t, struct odp_slice key)
{
    size_t at = template_word_from(t, key);
    return at < t->nwords && odp_slice_eq(odp_slice_of(t->words[at].key), key) ? &t->words[at] : NULL;
}

/* ---- names of files ---- */

static const struct {
    const char *ending;
    enum template_form form;
} endings[] = {{"html", TEMPLATE_HTML},   {"xml", TEMPLATE_XML},     {"txt", TEMPLATE_TXT},
               {"json", TEMPLATE_JSON},   {"py", TEMPLATE_LITERAL},  {"php", TEMPLATE_PHP},
               {"md", TEMPLATE_MARKDOWN}, {"js", TEMPLATE_LITERAL},  {"mjs", TEMPLATE_LITERAL},
               {"ts", TEMPLATE_LITERAL},  {"toml", TEMPLATE_LITERAL}};
enum { ENDINGS = ODP_COUNT(endings) };

/* The form of a file that ends in ENDING ("py"); TEMPLATE_FORMS: it is no template's. */
static enum template_form form_of(const char *ending)
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
    enum template_form form = dot != NULL ? form_of(dot + 1) : TEMPLATE_FORMS;
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
        /* parts differ by their form too; a page has one form */
        if (strcmp(g->name, f->name) == 0 && g->lang == f->lang && g->folder == f->folder)
            return list->items[i];
    }
    return NULL;
}

void template_read_file(struct odp_templates *t, struct template_file *f)
{
    if (read_content(t, f) == ODP_OK)
        template_tokens(t, f);
    else
        f->bad = true; /* it still wins over what it hides */
}

static void add_file(struct odp_templates *t, struct template_files *list, struct template_file *f)
{
    struct template_file *same = same_file(list, f);
    if (list == &t->pages && same != NULL) {
        template_fault(t, f, 0, 0, TEMPLATE_FILE_TWICE, &(struct fault_more){.a = same->path});
        return;
    }
    if (!t->options->proven)
        template_read_file(t, f);
    list->items = odp_arena_more(&t->arena, list->items, list->n, sizeof *list->items);
    list->items[list->n++] = f;
}

/* ---- folders ---- */

enum { PAGES, PARTS, WORDS, KINDS };

static const char *const kinds[KINDS] = {"pages", "parts", "words"};

/* NAME is F's, without its folder. */
static void read_file(struct odp_templates *t, int kind, struct template_file *f, const char *name)
{
    size_t len = strlen(name);
    if (kind == WORDS) {
        if (len < 6 || strcmp(name + len - 5, ".json") != 0)
            template_fault(t, f, 0, 0, TEMPLATE_FILE_NAME, &(struct fault_more){.expected = ".json"});
        else
            read_words(t, f);
    } else if (!read_name(t, f, name, kind == PAGES)) {
        template_fault(t, f, 0, 0, TEMPLATE_FILE_NAME,
                       &(struct fault_more){.expected = kind == PAGES
                                                            ? ".html, .id.html, .en.html, .xml, .txt, .json"
                                                            : ".html, .xml, .txt, .json"});
    } else {
        add_file(t, kind == PAGES ? &t->pages : &t->parts, f);
    }
}

/* A compiled-in file: pages/, parts/ and words/ as in a folder; parts and words may be deeper
 * ("python/parts/…"), and every other file in a folder is a page named by its whole path
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
    f->form = (uint8_t)(dot != NULL ? form_of(dot + 1) : TEMPLATE_FORMS);
    if (f->form < TEMPLATE_FORMS)
        add_file(t, &t->pages, f);
}

static void read_folder(struct odp_templates *t, int kind, size_t folder)
{
    const char *dir = odp_path_join(&t->arena, t->options->folders[folder], kinds[kind]), **entries = NULL;
    size_t n = 0;
    if (odp_file_kind_of(dir) == ODP_FILE_NONE)
        return;
    enum odp_status status = odp_dir_list(dir, &t->arena, &entries, &n);
    if (status == ODP_BAD) {
        const struct odp_text why = odp_refusal_text(errno);
        struct template_file *f = new_file(t, dir, "", folder);
        template_fault(t, f, 0, 0, TEMPLATE_UNREADABLE, &(struct fault_more){.said = &why});
    }
    t->failed = t->failed || status == ODP_FAIL;
    for (size_t i = 0; i < n && !t->failed; i++)
        if (*entries[i] != '.' && entries[i][strlen(entries[i]) - 1] != '~') /* editors leave these */
            read_file(t, kind, new_file(t, dir, entries[i], folder), entries[i]);
}

void template_read_folders(struct odp_templates *t)
{
    for (size_t folder = 0; folder < t->options->nfolders; folder++)
        for (int kind = 0; kind < KINDS && t->options->folders[folder] != NULL; kind++)
            read_folder(t, kind, folder);
    for (const struct odp_template_text *x = t->options->texts; x != NULL && x->path != NULL; x++)
        read_text(t, x);
    sort_words(t);
}
