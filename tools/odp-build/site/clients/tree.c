/* The files of a package, and the libraries' own sources under the catalogue's names. */
#include "site/clients/clients_internal.h"

#include <ctype.h>
#include <errno.h>

#include "base/json_load.h"

enum odp_status client_tree_add(struct client_tree *t, const char *path, struct odp_slice bytes)
{
    if (client_tree_find(t, path) != NULL)
        return odp_failure_set("two files of a package at", path, EEXIST);
    t->files = odp_arena_more(t->arena, t->files, t->n, sizeof *t->files);
    t->files[t->n++] = (struct client_file){odp_arena_str(t->arena, path), odp_arena_copy(t->arena, bytes)};
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

/* The namespace as PHP's quotes need it. */
static const char *double_backslashes(const char *s, struct odp_arena *a)
{
    struct odp_buffer out = {0};
    for (; *s != '\0'; s++)
        odp_buffer_add(&out, *s == '\\' ? "\\\\" : s, *s == '\\' ? 2 : 1);
    return odp_buffer_keep(&out, a);
}

const char *client_rename(const struct client_model *m, enum odp_client_language l, struct odp_slice text)
{
    if (l == ODP_CLIENT_LANGUAGES) /* a text of no language */
        return odp_arena_copy(m->arena, text).ptr;
    const char *package = m->names.package[l], *module = m->names.module[l];
    const struct {
        enum odp_client_language l;
        const char *from, *to;
    } renames[] = {{ODP_CLIENT_JAVASCRIPT, "@odp/client", package},
                   {ODP_CLIENT_PYTHON, "odp_client", module},
                   {ODP_CLIENT_PYTHON, "odp-client", package},
                   {ODP_CLIENT_PHP, "Odp\\\\Client", double_backslashes(module, m->arena)},
                   {ODP_CLIENT_PHP, "Odp\\Client", module},
                   {ODP_CLIENT_PHP, "odp/client", package}};
    enum { N = ODP_COUNT(renames) };
    struct odp_buffer out = {0};
    for (size_t i = 0; i < text.len;) {
        size_t k = 0, len = 0;
        for (; k < N; k++) {
            len = strlen(renames[k].from);
            if (renames[k].l == l && text.len - i >= len && memcmp(text.ptr + i, renames[k].from, len) == 0 &&
                (i == 0 || !isalnum((unsigned char)text.ptr[i - 1])) &&
                (i + len == text.len || !isalnum((unsigned char)text.ptr[i + len])))
                break;
        }
        if (k < N)
            odp_buffer_add_str(&out, renames[k].to);
        else
            odp_buffer_add_char(&out, text.ptr[i]);
        i += k < N ? len : 1;
    }
    return odp_buffer_keep(&out, m->arena);
}

/* ---- sources ---- */

const struct odp_template_text *client_source_find(const char *path)
{
    for (const struct odp_template_text *s = odp_client_sources; s->path != NULL; s++)
        if (strcmp(s->path, path) == 0)
            return s;
    return NULL;
}

json_t *client_source_json(const char *path)
{
    const struct odp_template_text *source = client_source_find(path);
    const char *text = source != NULL ? (const char *)source->text : "null";
    return odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
}
