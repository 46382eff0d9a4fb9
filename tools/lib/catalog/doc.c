#include "catalog/doc_internal.h"

#include <stdlib.h>

#include "base/diag_text.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_load.h"
#include "base/path.h"
#include "base/utf8.h"
#include "words/json.h"

#define LARGEST_FILE (16U << 20) /* a descriptor of more than 16 MiB is not a descriptor */
#define LONGEST_TEXT (1U << 20)  /* bytes of one text in it */

static void add(struct doc *d, struct odp_diag *diag)
{
    diag->dataset = d->slug;
    diag->resource = d->resource;
    diag->field = d->field;
    diag->file = d->file;
    const struct odp_code_info *info = odp_code_info(diag->code);
    if (info->severity == ODP_SEVERITY_ERROR) {
        d->bad = true; /* an error of the catalogue cannot be switched off: what follows relies on it */
    } else if (d->severity != NULL && d->severity[diag->code] >= 0) {
        if (d->severity[diag->code] == (signed char)ODP_SEVERITY_OFF)
            return;
        diag->severity = (enum odp_severity)d->severity[diag->code];
        d->bad = d->bad || diag->severity == ODP_SEVERITY_ERROR;
    }
    if (odp_diags_add(d->diags, diag) == ODP_FAIL)
        d->failed = true;
}

/* Of the document as a whole: BAD, or FAIL. */
static enum odp_status refuse(struct doc *d, struct odp_diag diag)
{
    add(d, &diag);
    return d->failed ? ODP_FAIL : ODP_BAD;
}

static enum odp_status fault_of_syntax(struct doc *d, const json_error_t *e)
{
    size_t len, at = odp_json_fault_at(e, d->text, &len);
    const char *line = d->text.ptr, *end = line + at;
    const struct odp_text said = odp_json_say(d->arena, e);
    struct odp_text message;
    struct odp_diag diag = {.code = ODP_C01, .message = &message, .line = 1, .offset = at};
    for (int lang = 0; lang < ODP_LANGS; lang++)
        message.in[lang] = doc_printf(d, odp_word((enum odp_lang)lang, W_json_not_valid), said.in[lang]);
    for (const char *p; (p = memchr(line, '\n', (size_t)(end - line))) != NULL; line = p + 1)
        diag.line++;
    diag.column = odp_utf8_count((struct odp_slice){line, (size_t)(end - line)}) + 1;
    odp_diag_show_line(&diag, d->text, at, at + (len > 0 ? len : 1));
    return refuse(d, diag);
}

/* Copies the bytes of BUFFER, without a byte order mark (Windows editors write one), into the arena. */
static void copy_text(struct doc *d, const struct odp_buffer *buffer)
{
    struct odp_slice s = odp_buffer_slice(buffer);
    if (s.len >= 3 && memcmp(s.ptr, "\xef\xbb\xbf", 3) == 0) {
        s.ptr += 3;
        s.len -= 3;
    }
    d->text = odp_arena_copy(d->arena, s.len > 0 ? s : ODP_LIT(""));
}

/* Every text is in pages, in indexes and in each language: nobody reads one of many MiB. */
static void check_texts(struct node n)
{
    if (json_is_string(n.json) && json_string_length(n.json) > LONGEST_TEXT)
        node_fault(n, ODP_C18, NULL, "1048576");
    else if (json_is_object(n.json) || json_is_array(n.json))
        for (struct node_iter it = node_iterate(n); node_next(&it);)
            check_texts(it.item);
}

enum odp_status doc_open(struct doc *d, const char *path, const char *name)
{
    struct odp_buffer buffer = {0};
    int errnum = 0;
    d->file = path;
    d->name = name;
    if (!odp_path_is_inside(d->within, path))
        return refuse(d, (struct odp_diag){.code = ODP_C36});
    enum odp_status status = odp_file_read(path, LARGEST_FILE, &buffer, &errnum);
    if (status == ODP_BAD)
        status =
            refuse(d, (struct odp_diag){.code = ODP_C02, .args = {odp_slice_of(strerrorname_np(errnum))}});
    else if (status == ODP_OK)
        copy_text(d, &buffer);
    odp_buffer_release(&buffer);
    if (status != ODP_OK)
        return status;

    /* jansson takes a NUL byte after the document for its end. */
    const char *nul = memchr(d->text.ptr, '\0', d->text.len);
    json_error_t error = {.text = "NUL", .position = nul != NULL ? (int)(nul - d->text.ptr) : 0};
    if (nul == NULL)
        d->root = odp_json_load(d->text.ptr, d->text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (d->root == NULL)
        return fault_of_syntax(d, &error);
    own_add(d->own, &d->own->json, d->root);
    d->places = places_scan(d->text);
    if (d->places == NULL)
        return ODP_FAIL;
    if (d->text.len > LONGEST_TEXT)
        check_texts(doc_root(d));
    return d->failed ? ODP_FAIL : ODP_OK;
}

void own_add(struct catalog_own *own, struct own_item **list, void *p)
{
    struct own_item *item = odp_arena_alloc(&own->c.arena, sizeof *item);
    *item = (struct own_item){p, *list};
    *list = item;
}

void doc_close(struct doc *d)
{
    free(d->places);
    d->places = NULL;
}

struct node doc_root(struct doc *d)
{
    return (struct node){.doc = d, .json = d->root, .key = "/"};
}

struct node_iter node_iterate(struct node container)
{
    struct node_iter it = {.item = container, .of = container.json, .place = container.place + 1};
    it.item.json = NULL;
    if (json_is_array(container.json))
        it.count = json_array_size(container.json);
    return it;
}

/* Members come in the text's order: jansson keeps it, so text and tree are walked side by side. */
bool node_next(struct node_iter *it)
{
    if (it->started && it->item.json != NULL)
        it->place = it->item.doc->places[it->place].next;
    if (json_is_object(it->of)) {
        json_t *object =
            (json_t *)(uintptr_t)it->of; /* jansson's iterators want it writable and do not write */
        it->member = it->started ? json_object_iter_next(object, it->member) : json_object_iter(object);
        it->item.json = it->member != NULL ? json_object_iter_value(it->member) : NULL;
        it->item.key = it->member != NULL ? json_object_iter_key(it->member) : it->item.key;
    } else {
        it->index += it->started ? 1 : 0;
        it->item.json = it->index < it->count ? json_array_get(it->of, it->index) : NULL;
    }
    it->started = true;
    it->item.place = it->place;
    return it->item.json != NULL;
}

struct node node_get(struct node parent, const char *key)
{
    struct node absent = {.doc = parent.doc, .place = parent.place, .key = key};
    if (!json_is_object(parent.json) || json_object_get(parent.json, key) == NULL)
        return absent;
    struct node_iter it = node_iterate(parent);
    while (node_next(&it))
        if (strcmp(it.item.key, key) == 0)
            return it.item;
    return absent;
}

struct node node_inherited(struct node resource, const char *key, bool first)
{
    struct node own = node_get(resource, key);
    return own.json != NULL || !first ? own : node_get(doc_root(resource.doc), key);
}

struct odp_slice node_literal(struct node n)
{
    const struct place *p = &n.doc->places[n.place];
    return (struct odp_slice){n.doc->text.ptr + p->at, p->end - p->at};
}

const char *node_where(struct node n)
{
    return doc_printf(n.doc, "%s:%u", n.doc->name, n.doc->places[n.place].line);
}

/* The line of what has N's name and value before it, or "": the nearest, since lists in which a name may be
 * there once follow each other. */
static const char *line_before(struct node n)
{
    enum { SEARCHED = 10000 }; /* a hostile document must not cost much */
    const struct place *own = &n.doc->places[n.place];
    const char *text = n.doc->text.ptr;
    const size_t len = own->end - own->at, key = n.key != NULL && own->key_line > 0 ? strlen(n.key) + 2 : 0;
    for (uint32_t i = n.place; i-- > 0 && n.place - i < SEARCHED;) {
        const struct place *p = &n.doc->places[i];
        if (p->end - p->at == len && memcmp(text + p->at, text + own->at, len) == 0 &&
            (p->key_line > 0) == (key > 0) && memcmp(text + p->key_at, text + own->key_at, key) == 0)
            return doc_printf(n.doc, "%u", p->line);
    }
    return "";
}

/* Adds what the templates of some codes need besides: the line where a name is already; what is expected as
 * one of some ({2}), or as the only form ({3}). */
static void complete(struct node n, struct odp_diag *diag)
{
    if (diag->code == ODP_C08 && diag->value.ptr != NULL)
        diag->args[2] = odp_slice_of(line_before(n));
    if (diag->code == ODP_C05)
        diag->args[strstr(diag->args[1].ptr, ", ") != NULL ? 2 : 3] = diag->args[1];
}

/* DIAG has code, arguments, and what else is known of it. */
static void fault(struct node n, struct odp_diag diag, bool at_key)
{
    const struct place *p = &n.doc->places[n.place];
    bool container = json_is_object(n.json) || json_is_array(n.json);
    size_t at = at_key && p->key_line > 0 ? p->key_at : p->at;
    size_t end = at_key || n.json == NULL || container ? at + 1 : p->end;
    if (at_key && p->key_line > 0)
        end = at + strlen(n.key) + 2;
    diag.line = at_key && p->key_line > 0 ? p->key_line : p->line;
    diag.column = at_key && p->key_line > 0 ? p->key_column : p->column;
    diag.offset = at;
    if (json_is_string(n.json) && !at_key)
        diag.value = odp_slice_of(json_string_value(n.json));
    else if (n.json != NULL && !container && !at_key)
        diag.value = node_literal(n);
    complete(n, &diag);
    odp_diag_show_line(&diag, n.doc->text, at, end);
    add(n.doc, &diag);
}

static struct odp_diag new_fault(struct node n, enum odp_code code, const char *a0, const char *a1)
{
    return (struct odp_diag){
        .code = code, .args = {odp_slice_of(a0 != NULL ? a0 : n.key), odp_slice_of(a1 != NULL ? a1 : "")}};
}

void node_fault(struct node n, enum odp_code code, const char *a0, const char *a1)
{
    fault(n, new_fault(n, code, a0, a1), false);
}

void node_fault_near(struct node n, enum odp_code code, const char *a0, const char *a1, const char *proposal)
{
    struct odp_diag diag = new_fault(n, code, a0, a1);
    diag.proposal = odp_slice_of(proposal);
    fault(n, diag, false);
}

void node_fault_key(struct node n, enum odp_code code, const char *a0, const char *a1)
{
    fault(n, new_fault(n, code, a0, a1), true);
}

void node_say(struct node n, enum odp_code code, const char *form, struct odp_text message)
{
    struct odp_diag diag = new_fault(n, code, NULL, form);
    diag.message = &message;
    fault(n, diag, false);
}

bool node_misplaced(struct node n, const char *form)
{
    if (n.json != NULL)
        node_fault_key(n, ODP_C11, n.key, form);
    return n.json != NULL;
}

void *doc_zero(struct doc *d, size_t n, size_t size)
{
    return odp_arena_zero(d->arena, n > 0 ? n : 1, size);
}

struct odp_slice doc_copy(struct doc *d, struct odp_slice s)
{
    return odp_arena_copy(d->arena, s);
}
