/* Names of the catalogue as names of Python. What is an identifier already keeps its own; what is none, a keyword, or taken gets another. */
#include "site/clients/python_internal.h"

/* Members of records, and what the bodies of their classes refer to: an attribute of that name would be meant instead. */
static const char *const in_records[] = {"Any", "Column", "Dict", "Geometry", "List", "Literal", "Optional", "as_date", "as_datetime", "as_time", "bool", "dt", "float",
                                         "get", "int", "keys", "list_of", "str", "to_dict", NULL};
/* The same of the client. */
static const char *const in_client[] = {"catalog", "close", "dataset", "overload", "property", "register", "rotate", "str", "usage", "webhooks", NULL};
/* What datasets.py imports, and what it has itself. */
static const char *const in_module[] = {"Any", "Column", "Dataset", "Datasets", "Datetime", "Dict", "Geometry", "List", "Literal", "Mapping", "Number", "OneOrMany", "Optional",
                                        "Record", "Records", "Resource", "Scalar", "Sequence", "Session", "TypedDict", "Union", NULL};
static const char *const in_where[] = {"Literal", "Number", "OneOrMany", "Scalar", "Union", "bool", "dt", "float", "int", "str", NULL};
static const char *const keywords[] = {"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
                                       "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
                                       "while", "with", "yield", NULL};

static bool is_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_identifier(const char *name)
{
    if (!is_letter(*name))
        return false;
    for (const char *p = name; *p != '\0'; p++)
        if (!is_letter(*p) && *p != '_' && !(*p >= '0' && *p <= '9'))
            return false;
    return !is_in(name, keywords);
}

bool python_is_plain(const char *name)
{
    return is_identifier(name) && !is_in(name, in_where);
}

static bool is_whole(const char *text)
{
    text += *text == '-';
    bool zero = *text == '0' && text[1] != '\0';
    for (const char *p = text; *p != '\0'; p++)
        if (*p < '0' || *p > '9')
            return false;
    return *text != '\0' && !zero;
}

bool python_has_choice(const struct client_field *f)
{
    bool text = f->type == ODP_TYPE_STRING || f->type == ODP_TYPE_YEARMONTH, whole = f->type == ODP_TYPE_INTEGER || f->type == ODP_TYPE_YEAR;
    for (size_t i = 0; whole && i < f->nvalues; i++)
        whole = is_whole(f->values[i]);
    return f->nvalues > 0 && (text || whole);
}

/* ---- no name twice -------------------------------------------------------------------------------------------------------------------------------- */

struct names {
    struct odp_arena *arena;
    const char *const *reserved;
    const char **taken;
    size_t n, cap;
};

static bool is_taken(const struct names *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->taken[i], name) == 0)
            return true;
    return false;
}

/* WANTED, with an underscore behind it where it is reserved, with BETWEEN and a number where it is taken. NULL: no memory. */
static const char *claim(struct names *s, const char *wanted, const char *between)
{
    const char *base = wanted, *name;
    if (base != NULL && (is_in(base, s->reserved) || is_in(base, keywords)))
        base = odp_arena_printf(s->arena, "%s_", base);
    name = base;
    for (size_t i = 2; name != NULL && is_taken(s, name); i++)
        name = odp_arena_printf(s->arena, "%s%s%zu", base, between, i);
    if (name == NULL)
        return NULL;
    if (s->n == s->cap) {
        size_t cap = s->cap != 0 ? s->cap * 2 : 64;
        const char **more = odp_arena_array(s->arena, cap, sizeof *more);
        if (more == NULL)
            return NULL;
        if (s->n > 0)
            memcpy(more, s->taken, s->n * sizeof *more);
        s->taken = more;
        s->cap = cap;
    }
    s->taken[s->n++] = name;
    return name;
}

/* Appends what MAKE makes of TEXT. What would begin with an underscore (no letter does, and a digit may not) begins with INSTEAD: underscores are for what is private. */
static void add_made(struct odp_buffer *out, const char *instead, void make(struct odp_buffer *, const char *), const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    make(&b, text);
    const char *name = odp_buffer_cstr(&b);
    if (*name == '_') {
        odp_buffer_add_str(out, instead);
        name += name[1] == '\0' || make != client_snake;
    }
    odp_buffer_add_str(out, name);
    out->failed = out->failed || b.failed;
    odp_buffer_release(&b);
}

/* PREFIX and what MAKE makes of TEXT, in the arena. */
static const char *made(struct odp_arena *a, const char *prefix, const char *instead, void make(struct odp_buffer *, const char *), const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, prefix);
    add_made(&b, *prefix != '\0' ? "" : instead, make, text);
    const char *name = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return name;
}

void python_property(struct odp_buffer *out, const char *slug)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    add_made(&b, "data", client_snake, slug);
    const char *name = odp_buffer_cstr(&b);
    odp_buffer_add_str(out, name);
    if (is_in(name, in_client) || is_in(name, keywords))
        odp_buffer_add_char(out, '_');
    out->failed = out->failed || b.failed;
    odp_buffer_release(&b);
}

/* ---- what has names --------------------------------------------------------------------------------------------------------------------------------- */

/* Names that are identifiers come first: they keep theirs, whatever the others would like. */
static bool name_fields(struct python_resource *p, struct names *classes)
{
    const struct client_resource *r = p->resource;
    struct names own = {.arena = classes->arena, .reserved = in_records};
    bool own_geometry = false;
    for (size_t i = 0; i < r->nfields; i++)
        own_geometry = own_geometry || strcmp(r->fields[i].name, "geometry") == 0;
    if (r->geometry && !own_geometry && (p->geometry = claim(&own, "geometry", "_")) == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->nfields; i++) {
            const char *name = r->fields[i].name;
            bool plain = is_identifier(name) && !is_in(name, in_records);
            if (plain != (pass == 0))
                continue;
            if ((p->fields[i].attribute = claim(&own, plain || is_identifier(name) ? name : made(own.arena, "", "column", client_snake, name), "_")) == NULL)
                return false;
        }
    for (size_t i = 0; i < r->nfields; i++) {
        if (!python_has_choice(&r->fields[i]))
            continue;
        p->fields[i].choice = claim(classes, made(own.arena, p->record, "", client_studly, r->fields[i].name), "");
        if (p->fields[i].choice == NULL)
            return false;
    }
    return true;
}

static const char *with(struct names *classes, const char *name, const char *ending)
{
    const char *whole = name != NULL ? odp_arena_printf(classes->arena, "%s%s", name, ending) : NULL;
    return whole != NULL ? claim(classes, whole, "") : NULL;
}

static enum odp_status name_records(struct python_dataset *list, const struct client_model *m, struct names *classes)
{
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        list[i].dataset = d;
        list[i].resources = odp_arena_zero(m->arena, d->nresources, sizeof *list[i].resources);
        const char *first = made(m->arena, "", "Data", client_studly, d->slug);
        if (list[i].resources == NULL || first == NULL)
            return ODP_FAIL;
        for (size_t k = 0; k < d->nresources; k++) {
            struct python_resource *p = &list[i].resources[k];
            p->resource = &d->resources[k];
            p->fields = odp_arena_zero(m->arena, p->resource->nfields, sizeof *p->fields);
            p->record = claim(classes, k == 0 ? first : made(m->arena, first, "", client_studly, p->resource->name), "");
            if (p->record == NULL || (p->fields == NULL && p->resource->nfields > 0))
                return ODP_FAIL;
        }
    }
    return ODP_OK;
}

enum odp_status python_names_make(struct python_dataset **out, const struct client_model *m)
{
    struct python_dataset *list = odp_arena_zero(m->arena, m->ndatasets, sizeof *list);
    struct names classes = {.arena = m->arena, .reserved = in_module}, properties = {.arena = m->arena, .reserved = in_client};
    if (list == NULL || name_records(list, m, &classes) != ODP_OK)
        return ODP_FAIL;
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = list[i].dataset;
        list[i].property = claim(&properties, made(m->arena, "", "data", client_snake, d->slug), "_");
        list[i].type = d->nresources > 1 ? with(&classes, list[i].resources[0].record, "Dataset") : NULL;
        if (list[i].property == NULL || (d->nresources > 1 && list[i].type == NULL))
            return ODP_FAIL;
        for (size_t k = 0; k < d->nresources; k++) {
            struct python_resource *p = &list[i].resources[k];
            p->where = with(&classes, p->record, "Where");
            p->format = with(&classes, p->record, "Format");
            if (p->where == NULL || p->format == NULL || !name_fields(p, &classes))
                return ODP_FAIL;
        }
    }
    *out = list;
    return ODP_OK;
}

static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    python_property(out, slug);
    return odp_buffer_status(out);
}

static enum odp_status called(struct client_called *out, const struct client_model *m)
{
    struct python_dataset *list = NULL;
    size_t n = 0, at = 0;
    enum odp_status status = python_names_make(&list, m);
    for (size_t i = 0; i < m->ndatasets; i++)
        n += m->datasets[i].nresources;
    *out = (struct client_called){odp_arena_zero(m->arena, m->ndatasets + 1, sizeof *out->properties), odp_arena_zero(m->arena, n + 1, sizeof *out->records)};
    if (status != ODP_OK || out->properties == NULL || out->records == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < m->ndatasets; i++) {
        out->properties[i] = list[i].property;
        for (size_t k = 0; k < m->datasets[i].nresources; k++)
            out->records[at++] = list[i].resources[k].record;
    }
    return ODP_OK;
}

const struct client_language client_python = {
    .name = "python", .label = "Python", .requires = "Python 3.9+", .extension = ".py", .accessor = accessor, .called = called, .readme = NULL};
