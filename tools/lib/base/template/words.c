/* The files of words/: {"key": {"id": "…", "en": "…"}}. */
#include "base/template/template_internal.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/json_load.h"

static const char *const langs[ODP_LANGS] = {"id", "en"};

/* Byte where LINE, COLUMN (in characters) is. */
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

/* Where member KEY of the document is named. */
static size_t place_of(struct odp_templates *t, const struct template_file *f, const char *key)
{
    struct odp_buffer pointer;
    uint32_t line = 1, column = 1;
    odp_buffer_init(&pointer);
    odp_buffer_add_str(&pointer, "key:/");
    for (; *key != '\0'; key++) /* RFC 6901 */
        odp_buffer_add_str(&pointer, *key == '~' ? "~0" : *key == '/' ? "~1" : (char[2]){*key, '\0'});
    if (odp_buffer_status(&pointer) != ODP_OK)
        t->failed = true;
    else
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
    static const char shape[] = "\"key\": {\"id\": \"…\", \"en\": \"…\"}";
    struct template_word w = {.folder = f->folder, .file = f};
    if (!is_key(key) || !is_word(value)) {
        template_fault(t, f, place_of(t, f, key), strlen(key) + 2, TEMPLATE_WORDS_SHAPE,
                       &(struct fault_more){.a = key, .expected = shape});
        return;
    }
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *text = json_string_value(json_object_get(value, langs[lang]));
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
    size_t at = e->line > 0 ? offset_of(f->text, (size_t)e->line, e->column > 0 ? (size_t)e->column : 1) : 0;
    template_fault(t, f, at, 1, TEMPLATE_WORDS_JSON, &(struct fault_more){.a = e->text});
}

enum odp_status template_read_words(struct odp_templates *t, struct template_file *f)
{
    json_error_t error;
    const char *key;
    json_t *value;
    enum odp_status status = template_read_file(t, f);
    if (status != ODP_OK)
        return status;
    json_t *root = odp_json_load(f->text.ptr, f->text.len, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fault_of_syntax(t, f, &error);
    else if (!json_is_object(root))
        template_fault(
            t, f, 0, 1, TEMPLATE_WORDS_SHAPE,
            &(struct fault_more){.a = "/", .expected = "{\"key\": {\"id\": \"…\", \"en\": \"…\"}}"});
    else
        json_object_foreach(root, key, value) add_word(t, f, key, value);
    json_decref(root);
    return t->failed ? ODP_FAIL : ODP_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct template_word *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    if (c == 0)
        c = (x->folder > y->folder) - (x->folder < y->folder);
    return c != 0 ? c : strcmp(x->file->path, y->file->path);
}

void template_words_end(struct odp_templates *t)
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
        last->used = true; /* it stands for one of ours */
    }
    t->nwords = kept;
}

struct template_word *template_word_find(const struct odp_templates *t, struct odp_slice key)
{
    size_t from = 0, to = t->nwords;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int c = odp_slice_cmp(key, odp_slice_of(t->words[middle].key));
        if (c == 0)
            return &t->words[middle];
        if (c < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}
