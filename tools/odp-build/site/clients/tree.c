/* The files of a package, and how the libraries' own sources get into it under the names of the catalogue. */
#include "site/clients/clients_internal.h"

#include <errno.h>

enum odp_status client_tree_add(struct client_tree *t, const char *path, struct odp_slice bytes)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->files[i].path, path) == 0)
            return odp_failure_set("two files of a package at", path, EEXIST);
    if (t->n == t->cap) {
        size_t cap = t->cap != 0 ? t->cap * 2 : 64;
        struct client_file *files = odp_arena_array(t->arena, cap, sizeof *files);
        if (t->n > 0)
            memcpy(files, t->files, t->n * sizeof *files);
        t->files = files;
        t->cap = cap;
    }
    struct client_file f = {.path = odp_arena_str(t->arena, path), .bytes = odp_arena_copy(t->arena, bytes)};
    if (f.path == NULL || f.bytes.ptr == NULL)
        return ODP_FAIL;
    t->files[t->n++] = f;
    return ODP_OK;
}

const struct client_file *client_tree_find(const struct client_tree *t, const char *path)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->files[i].path, path) == 0)
            return &t->files[i];
    return NULL;
}

/* ---- names ---- */

struct rename {
    struct odp_slice from;
    const char *to;
};

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What stands for which name in sources of L; *N of them. DOUBLED: room for PHP's namespace as it stands
 * within quotes. */
static size_t renames(struct rename out[3], const struct odp_client_names *names, enum odp_client_language l,
                      const char *doubled)
{
    switch (l) {
    case ODP_CLIENT_JAVASCRIPT:
        out[0] = (struct rename){ODP_LIT("@odp/client"), names->package[l]};
        return 1;
    case ODP_CLIENT_PYTHON:
        out[0] = (struct rename){ODP_LIT("odp_client"), names->module[l]};
        out[1] = (struct rename){ODP_LIT("odp-client"), names->package[l]};
        return 2;
    case ODP_CLIENT_PHP:
        out[0] = (struct rename){ODP_LIT("Odp\\\\Client"), doubled};
        out[1] = (struct rename){ODP_LIT("Odp\\Client"), names->module[l]};
        out[2] = (struct rename){ODP_LIT("odp/client"), names->package[l]};
        return 3;
    default:
        return 0;
    }
}

static enum odp_status double_backslashes(struct odp_buffer *out, const char *s)
{
    for (; *s != '\0'; s++) {
        odp_buffer_add_char(out, *s);
        if (*s == '\\')
            odp_buffer_add_char(out, '\\');
    }
    return odp_buffer_status(out);
}

enum odp_status client_rename(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, struct odp_slice text)
{
    struct rename list[3];
    struct odp_buffer doubled;
    odp_buffer_init(&doubled);
    enum odp_status status = double_backslashes(&doubled, m->names.module[l]);
    size_t n = renames(list, &m->names, l, odp_buffer_cstr(&doubled)), i = 0;
    while (i < text.len && status == ODP_OK) {
        size_t k = 0;
        for (; k < n; k++) {
            size_t len = list[k].from.len;
            bool fits = text.len - i >= len && memcmp(text.ptr + i, list[k].from.ptr, len) == 0;
            if (fits && (i == 0 || !is_word(text.ptr[i - 1])) &&
                (i + len == text.len || !is_word(text.ptr[i + len])))
                break;
        }
        if (k < n) {
            odp_buffer_add_str(out, list[k].to);
            i += list[k].from.len;
        } else {
            odp_buffer_add_char(out, text.ptr[i++]);
        }
    }
    odp_buffer_release(&doubled);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

/* ---- sources ---- */

const struct odp_template_text *client_source_find(const char *path)
{
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL; s++)
        if (strcmp(s->path, path) == 0)
            return s;
    return NULL;
}
