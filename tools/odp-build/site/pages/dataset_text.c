/* Small texts of the dataset page. */
#include "site/pages/dataset_internal.h"

#include <stdlib.h>

void dataset_set(struct dataset_page *g, json_t *o, const char *key, const char *value)
{
    if (value == NULL)
        g->d.failed = true;
    else
        odp_doc_set_str(&g->d, o, key, value);
}

const char *dataset_word(const struct dataset_page *g, const char *key)
{
    const char *word = odp_templates_word(g->p->templates, key, g->lang);
    return word != NULL ? word : key;
}

static const char *taken(struct odp_buffer *b, struct odp_arena *a)
{
    const char *text = odp_buffer_status(b) == ODP_OK ? odp_arena_copy(a, (struct odp_slice){odp_buffer_cstr(b), b->len}).ptr : NULL;
    odp_buffer_release(b);
    return text;
}

const char *dataset_phrase(struct dataset_page *g, const char *key, const char *a, const char *b)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    if (a == NULL)
        out.failed = true;
    for (const char *c = dataset_word(g, key); *c != '\0';) {
        if (strncmp(c, "{1}", 3) == 0 || strncmp(c, "{2}", 3) == 0) {
            odp_buffer_add_str(&out, c[1] == '1' || b == NULL ? (a != NULL ? a : "") : b);
            c += 3;
        } else {
            odp_buffer_add_char(&out, *c++);
        }
    }
    const char *text = taken(&out, g->arena);
    g->d.failed = g->d.failed || text == NULL; /* not every use looks */
    return text;
}

const char *dataset_site_path(const char *url)
{
    while (strncmp(url, "../", 3) == 0)
        url += 3;
    return url;
}

const struct odp_site_file *dataset_file(const struct dataset_page *g, const char *path)
{
    return path != NULL ? odp_stage_find(g->p->job->stage, path) : NULL;
}

const char *dataset_percent(const char *s, struct odp_arena *a)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t n = strlen(s), k = 0;
    char *out = odp_arena_array(a, 3 * n + 1, 1);
    for (size_t i = 0; out != NULL && i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            out[k++] = (char)c;
        } else {
            out[k++] = '%';
            out[k++] = digits[c >> 4];
            out[k++] = digits[c & 15];
        }
    }
    if (out != NULL)
        out[k] = '\0';
    return out;
}

/* ---- values ----------------------------------------------------------------------------------------------------------------- */

const char *dataset_decimal(const char *text, enum odp_lang lang, struct odp_arena *a)
{
    const char *digits = text + (*text == '-'), *end = digits;
    while (*end >= '0' && *end <= '9')
        end++;
    size_t whole = (size_t)(end - digits), fraction = *end == '.' ? strspn(end + 1, "0123456789") : 0;
    if (whole == 0 || (*end == '.' && fraction == 0) || end[*end == '.' ? fraction + 1 : 0] != '\0')
        return text; /* an exponent, INF, or no number */
    char *out = odp_arena_array(a, strlen(text) + whole / 3 + 2, 1), *o = out;
    if (out == NULL)
        return NULL;
    if (*text == '-')
        *o++ = '-';
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            *o++ = lang == ODP_LANG_ID ? '.' : ',';
        *o++ = digits[i];
    }
    if (fraction > 0) {
        *o++ = lang == ODP_LANG_ID ? ',' : '.';
        memcpy(o, end + 1, fraction);
        o += fraction;
    }
    *o = '\0';
    return out;
}

const char *dataset_scalar(const json_t *value, struct odp_arena *a)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return odp_arena_printf(a, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value))
        return odp_arena_printf(a, "%.15g", json_real_value(value));
    return json_is_true(value) ? "true" : json_is_false(value) ? "false" : "";
}

const char *dataset_value(struct dataset_page *g, const json_t *value)
{
    const char *text = dataset_scalar(value, g->arena);
    return text != NULL && json_is_number(value) ? dataset_decimal(text, g->lang, g->arena) : text;
}

bool dataset_is_number(const json_t *field)
{
    const char *type = portal_text(field, "type");
    return strcmp(type, "number") == 0 || strcmp(type, "integer") == 0;
}

const char *dataset_plain(struct dataset_page *g, const json_t *field, const char *text)
{
    if (dataset_is_number(field))
        return dataset_decimal(text, g->lang, g->arena);
    if (strcmp(portal_text(field, "type"), "boolean") == 0)
        return dataset_word(g, strcmp(text, "true") == 0 ? "ds_true" : "ds_false");
    return text;
}

const char *dataset_shown(struct dataset_page *g, const json_t *field, const char *text)
{
    const json_t *categories = json_object_get(field, "categories");
    for (size_t i = 0; i < json_array_size(categories); i++) {
        const json_t *c = json_array_get(categories, i), *label = json_object_get(c, "odp:label");
        const char *value = dataset_scalar(json_object_get(c, "value"), g->arena);
        if (label != NULL && value != NULL && strcmp(value, text) == 0)
            return portal_in(c, "odp:label", g->lang);
    }
    return dataset_plain(g, field, text);
}

/* ---- lists and names -------------------------------------------------------------------------------------------------------- */

bool dataset_has_text(const json_t *list, const char *field)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one != NULL && strcmp(one, field) == 0)
            return true;
    }
    return false;
}

const char *dataset_list(struct dataset_page *g, const char *const *names, size_t n, size_t most)
{
    struct odp_buffer out;
    size_t shown = n > most ? most : n;
    odp_buffer_init(&out);
    for (size_t i = 0; i < shown; i++) {
        if (i > 0)
            odp_buffer_add_str(&out, ", ");
        odp_buffer_add_str(&out, names[i]);
    }
    if (n > shown) {
        const char *rest = dataset_phrase(g, "ds_and_more", portal_number(n - shown, g->lang, g->arena), NULL);
        odp_buffer_add_char(&out, ' ');
        if (rest != NULL)
            odp_buffer_add_str(&out, rest);
        out.failed = out.failed || rest == NULL;
    }
    return taken(&out, g->arena);
}

const json_t *dataset_field(const json_t *schema, const char *name)
{
    const json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (strcmp(portal_text(json_array_get(fields, i), "name"), name) == 0)
            return json_array_get(fields, i);
    return NULL;
}

const char *dataset_page_of(struct dataset_page *g, const char *slug, const char **title)
{
    for (size_t i = 0; i < g->p->n; i++) {
        const json_t *entry = g->p->newest[i];
        if (strcmp(portal_text(entry, "slug"), slug) != 0)
            continue;
        *title = portal_in(entry, "title", g->lang);
        const char *page = odp_arena_printf(g->arena, "%s%s%s.html", g->root, portal_path(PORTAL_dataset_dir, g->lang), slug);
        g->d.failed = g->d.failed || page == NULL; /* NULL says that there is none */
        return page;
    }
    return NULL;
}

const char *dataset_title_of(const struct dataset_page *g, const struct dataset_resource *r)
{
    const char *title = portal_in(r->entry, "title", g->lang);
    return *title != '\0' ? title : r->name;
}
