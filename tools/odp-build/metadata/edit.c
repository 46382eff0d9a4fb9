/* Changes JSON text in place: what is not touched stays byte for byte, and a new member is written as its
 * neighbour is. The tree gets the same changes, so that the text can be proven against it. */
#include <stdlib.h>

#include "base/json.h"
#include "base/json_load.h"
#include "metadata/metadata_internal.h"

json_t *edit_at(const struct edit *e, const char *pointer)
{
    json_t *tree = e->tree;
    char part[64];
    while (tree != NULL && *pointer == '/') {
        size_t n = strcspn(++pointer, "/");
        if (n >= sizeof part)
            return NULL;
        memcpy(part, pointer, n);
        part[n] = '\0';
        pointer += n;
        tree = json_is_array(tree) ? json_array_get(tree, (size_t)strtoul(part, NULL, 10))
                                   : json_object_get(tree, part);
    }
    return tree;
}

/* KEY as a part of a pointer. */
static void add_part(struct odp_buffer *b, const char *key)
{
    for (; *key != '\0'; key++)
        if (*key == '~' || *key == '/')
            odp_buffer_add_str(b, *key == '~' ? "~0" : "~1");
        else
            odp_buffer_add_char(b, *key);
}

/* The bytes of member KEY at POINTER: *START where its name begins (of an item: its value). */
static struct odp_slice member_at(const struct edit *e, const char *pointer, const char *key,
                                  const char **start)
{
    struct odp_buffer b = {0};
    odp_buffer_add_str(&b, pointer);
    odp_buffer_add_char(&b, '/');
    add_part(&b, key);
    struct odp_slice text = odp_buffer_slice(&e->text), value = odp_json_at(text, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    *start = value.ptr;
    for (const char *p = value.ptr; p != NULL && p > text.ptr; p--) {
        if (p[-1] != ':')
            continue;
        for (p--; p > text.ptr && p[-1] != '"';)
            p--;
        for (p--; p > text.ptr && !(p[-1] == '"' && (p - 1 == text.ptr || p[-2] != '\\'));)
            p--;
        *start = p > text.ptr ? p - 1 : NULL;
        break;
    }
    return value;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Replaces the bytes from AT to END of the text. */
static void splice(struct edit *e, size_t at, size_t end, struct odp_slice with)
{
    struct odp_buffer b = {0};
    odp_buffer_add(&b, e->text.ptr, at);
    odp_buffer_add_slice(&b, with);
    odp_buffer_add(&b, e->text.ptr + end, e->text.len - end);
    odp_buffer_release(&e->text);
    e->text = b;
}

static void remove_member(struct edit *e, const char *start, struct odp_slice value)
{
    const char *text = e->text.ptr, *end = text + e->text.len, *after = value.ptr + value.len;
    while (start > text && is_space(start[-1]))
        start--;
    const char *next = after;
    while (next < end && is_space(*next))
        next++;
    if (next < end && *next == ',')
        after = next + 1;
    else if (start > text && start[-1] == ',')
        start--;
    splice(e, (size_t)(start - text), (size_t)(after - text), ODP_LIT(""));
}

/* The white space between members, as it is before the one that begins at START. */
static struct odp_slice gap_before(const struct edit *e, const char *start)
{
    const char *p = start;
    while (p > e->text.ptr && is_space(p[-1]))
        p--;
    return p < start ? (struct odp_slice){p, (size_t)(start - p)} : odp_slice_of(" ");
}

/* The key after which a new one comes: AFTER where it is there, else the last of O. NULL: O is empty. */
static const char *neighbour(json_t *o, const char *after)
{
    const char *last = NULL;
    if (after != NULL && json_object_get(o, after) != NULL)
        return after;
    for (void *it = json_object_iter(o); it != NULL; it = json_object_iter_next(o, it))
        last = json_object_iter_key(it);
    return last;
}

static void insert(struct edit *e, const char *pointer, const char *beside, struct odp_slice member)
{
    struct odp_slice object = odp_json_at(odp_buffer_slice(&e->text), pointer);
    struct odp_buffer b = {0};
    const char *start = NULL;
    size_t at;
    if (beside == NULL) {
        at = (size_t)(object.ptr - e->text.ptr) + 1;
    } else {
        struct odp_slice value = member_at(e, pointer, beside, &start);
        if (value.ptr == NULL || start == NULL)
            return;
        at = (size_t)(value.ptr + value.len - e->text.ptr);
        odp_buffer_add_char(&b, ',');
        odp_buffer_add_slice(&b, gap_before(e, start));
    }
    odp_buffer_add_slice(&b, member);
    if (object.ptr != NULL)
        splice(e, at, at, odp_buffer_slice(&b));
    e->text.failed = e->text.failed || b.failed;
    odp_buffer_release(&b);
}

static void set_text(struct edit *e, const char *pointer, const char *key, const char *beside,
                     const json_t *value)
{
    const char *start = NULL;
    struct odp_slice old = member_at(e, pointer, key, &start);
    struct odp_buffer b = {0};
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (value == NULL) {
        if (old.ptr != NULL && start != NULL)
            remove_member(e, start, old);
    } else if (text != NULL && old.ptr != NULL) {
        splice(e, (size_t)(old.ptr - e->text.ptr), (size_t)(old.ptr + old.len - e->text.ptr),
               odp_slice_of(text));
    } else if (text != NULL) {
        odp_json_add_string(&b, odp_slice_of(key));
        odp_buffer_add_str(&b, ": ");
        odp_buffer_add_str(&b, text);
        insert(e, pointer, beside, odp_buffer_slice(&b));
    }
    e->text.failed = e->text.failed || b.failed;
    odp_json_free_text(text);
    odp_buffer_release(&b);
}

void edit_set(struct edit *e, const char *pointer, const char *key, const char *after, json_t *value)
{
    json_t *at = edit_at(e, pointer);
    set_text(e, pointer, key, neighbour(at, after), value);
    if (json_is_array(at))
        (void)json_array_set_new(at, (size_t)strtoul(key, NULL, 10), value);
    else if (value == NULL)
        (void)json_object_del(at, key);
    else
        (void)json_object_set_new(at, key, value);
}

bool edit_holds(const struct edit *e)
{
    json_t *read = odp_json_load(e->text.ptr, e->text.len, 0, NULL);
    bool holds = read != NULL && json_equal(read, e->tree);
    json_decref(read);
    return holds;
}
