/* The JavaScript package: its own source, and what it knows of the catalogue: package.json, datasets.js (names and keys, for the program) and
 * datasets.d.ts (a type for each table's records, for TypeScript and editors). */
#include "site/clients/javascript_internal.h"

#include <ctype.h>

#include "base/json.h"
#include "published/doc.h"

/* ---- pieces of both files ------------------------------------------------------------------------------------------------------- */

static void add_string(struct odp_buffer *out, const char *text)
{
    odp_json_add_string(out, odp_slice_of(text));
}

/* "a", "b": between what the caller opens and closes. */
static void add_strings(struct odp_buffer *out, const char *const *texts, size_t n, const char *between)
{
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(out, i > 0 ? between : "");
        add_string(out, texts[i]);
    }
}

/* A member's name: in quotes where it is no plain word, or one with a meaning of its own in a declaration. */
static void add_name(struct odp_buffer *out, const char *name)
{
    static const char *const special[] = {"constructor", "get", "new", "readonly", "set", NULL};
    bool plain = (isalpha((unsigned char)*name) || *name == '_') && !javascript_is_one_of(name, special);
    for (const char *p = name; *p != '\0' && plain; p++)
        plain = isalnum((unsigned char)*p) || *p == '_';
    if (plain)
        odp_buffer_add_str(out, name);
    else
        add_string(out, name);
}

static const char *english(const struct odp_text *t)
{
    return odp_text_get(t, ODP_LANG_EN);
}

/* A comment of one line: title, unit, description. */
static void add_comment(struct odp_buffer *out, const char *indent, const struct odp_text *title, const struct odp_text *unit, const struct odp_text *description,
                        bool deprecated)
{
    const char *said = english(title), *more = english(description);
    odp_buffer_printf(out, "%s/** ", indent);
    client_prose(out, said);
    if (unit != NULL && !odp_text_is_empty(unit)) {
        odp_buffer_add_str(out, " (");
        client_prose(out, english(unit));
        odp_buffer_add_char(out, ')');
    }
    if (*more != '\0' && strcmp(said, more) != 0) {
        odp_buffer_add_str(out, *said != '\0' ? ": " : "");
        client_prose(out, more);
    }
    odp_buffer_add_str(out, deprecated ? " @deprecated */\n" : " */\n");
}

/* ---- datasets.js ------------------------------------------------------------------------------------------------------------------ */

static void add_resource(struct odp_buffer *out, const struct client_resource *r)
{
    odp_buffer_add_str(out, "{ name: ");
    add_string(out, r->name);
    odp_buffer_add_str(out, ", path: ");
    add_string(out, r->path);
    odp_buffer_add_str(out, ", key: [");
    add_strings(out, r->key, r->nkey, ", ");
    odp_buffer_add_str(out, r->is_timeline ? "], timeline: true }" : "] }");
}

static void add_program(struct odp_buffer *out, const struct client_model *m, const struct javascript_names *names)
{
    odp_buffer_add_str(out, "/* Made from the catalogue. */\n\nexport const packageName = ");
    add_string(out, m->names->package[ODP_CLIENT_JAVASCRIPT]);
    odp_buffer_add_str(out, ";\nexport const release = ");
    add_string(out, m->release);
    odp_buffer_add_str(out, ";\nexport const baseUrl = ");
    add_string(out, m->base_url);
    odp_buffer_add_str(out, ";\n\nexport const datasets = [\n");
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        odp_buffer_add_str(out, "  { slug: ");
        add_string(out, d->slug);
        odp_buffer_add_str(out, ", property: ");
        add_string(out, names->properties[i]);
        odp_buffer_add_str(out, ", resources: [");
        for (size_t k = 0; k < d->nresources; k++) {
            odp_buffer_add_str(out, k > 0 ? ", " : "");
            add_resource(out, &d->resources[k]);
        }
        odp_buffer_add_str(out, "] },\n");
    }
    odp_buffer_add_str(out, "];\n");
}

/* ---- datasets.d.ts ------------------------------------------------------------------------------------------------------------------ */

static const char *type_of(enum odp_type t)
{
    return odp_field_type(t)->typescript;
}

/* A number as TypeScript may write it: as JSON does, without an exponent. */
static bool is_literal(const char *text)
{
    const char *p = text + (*text == '-');
    size_t whole = strspn(p, "0123456789");
    if (whole == 0 || (whole > 1 && *p == '0'))
        return false;
    p += whole;
    if (*p != '.')
        return *p == '\0';
    size_t part = strspn(p + 1, "0123456789");
    return part > 0 && p[1 + part] == '\0';
}

/* The values of a closed list, else the type. */
static void add_type(struct odp_buffer *out, const struct client_field *f)
{
    const char *plain = type_of(f->type);
    bool text = strcmp(plain, "string") == 0, number = strcmp(plain, "number") == 0, closed = f->nvalues > 0 && (text || number);
    for (size_t i = 0; i < f->nvalues && closed && number; i++)
        closed = is_literal(f->values[i]);
    if (closed && text)
        add_strings(out, f->values, f->nvalues, " | ");
    for (size_t i = 0; i < f->nvalues && closed && number; i++)
        odp_buffer_printf(out, "%s%s", i > 0 ? " | " : "", f->values[i]);
    if (!closed && f->type == ODP_TYPE_LIST)
        odp_buffer_printf(out, "%s[]", type_of(f->item));
    else if (!closed)
        odp_buffer_add_str(out, plain);
    odp_buffer_add_str(out, f->required ? "" : " | null");
}

static const struct client_field *field_of(const struct client_resource *r, const char *name)
{
    for (size_t i = 0; i < r->nfields; i++)
        if (strcmp(r->fields[i].name, name) == 0)
            return &r->fields[i];
    return NULL;
}

static void add_record(struct odp_buffer *out, const struct client_resource *r, const char *name, const struct odp_text *about)
{
    odp_buffer_add_char(out, '\n');
    add_comment(out, "", &r->title, NULL, about, false);
    odp_buffer_printf(out, "export interface %s {\n", name);
    for (size_t i = 0; i < r->nfields; i++) {
        const struct client_field *f = &r->fields[i];
        if (!odp_text_is_empty(&f->title) || !odp_text_is_empty(&f->description) || f->deprecated)
            add_comment(out, "  ", &f->title, &f->unit, &f->description, f->deprecated);
        odp_buffer_add_str(out, "  ");
        add_name(out, f->name);
        odp_buffer_add_str(out, ": ");
        add_type(out, f);
        odp_buffer_add_str(out, ";\n");
    }
    if (r->geometry && field_of(r, "geometry") == NULL)
        odp_buffer_add_str(out, "  /** Where it lies (GeoJSON, WGS 84). */\n  geometry: Geometry | null;\n");
    odp_buffer_add_str(out, "}\n");
}

static const char *key_type(const struct client_resource *r, const char *name)
{
    const struct client_field *f = field_of(r, name);
    return f != NULL ? type_of(f->type) : "string";
}

/* What get takes: a value; a list or an object of the parts; without a key the record's number. */
static void add_key(struct odp_buffer *out, const struct client_resource *r)
{
    if (r->nkey < 2) {
        bool text = r->nkey == 1 && strcmp(key_type(r, r->key[0]), "string") == 0;
        odp_buffer_add_str(out, text ? "string" : "number | bigint | string");
        return;
    }
    odp_buffer_add_str(out, "readonly [");
    for (size_t i = 0; i < r->nkey; i++)
        odp_buffer_printf(out, "%s%s", i > 0 ? ", " : "", key_type(r, r->key[i]));
    odp_buffer_add_str(out, "] | { ");
    for (size_t i = 0; i < r->nkey; i++) {
        odp_buffer_add_str(out, i > 0 ? "; " : "");
        add_name(out, r->key[i]);
        odp_buffer_printf(out, ": %s", key_type(r, r->key[i]));
    }
    odp_buffer_add_str(out, " }");
}

static void add_union(struct odp_buffer *out, const char *const *texts, size_t n)
{
    odp_buffer_add_str(out, n == 0 ? "never" : "");
    add_strings(out, texts, n, " | ");
}

/* "record: …; key: …; queryable: …; format: …" */
static void add_shape(struct odp_buffer *out, const struct client_resource *r, const char *name)
{
    odp_buffer_printf(out, "record: %s; key: ", name);
    add_key(out, r);
    odp_buffer_add_str(out, "; queryable: ");
    add_union(out, r->queryables, r->nqueryables);
    odp_buffer_add_str(out, "; format: ");
    add_union(out, r->formats, r->nformats);
}

/* NAMES: of D's resources. */
static void add_dataset(struct odp_buffer *out, const struct client_dataset *d, const char *const *names)
{
    const struct client_resource *timeline = NULL;
    odp_buffer_add_str(out, "  ");
    add_string(out, d->slug);
    odp_buffer_add_str(out, ": {\n    ");
    add_shape(out, &d->resources[0], names[0]);
    odp_buffer_add_str(out, ";\n    resources: {");
    for (size_t k = 1; k < d->nresources; k++) {
        odp_buffer_add_str(out, "\n      ");
        add_string(out, d->resources[k].name);
        odp_buffer_add_str(out, ": { ");
        add_shape(out, &d->resources[k], names[k]);
        odp_buffer_add_str(out, " };");
    }
    odp_buffer_add_str(out, d->nresources > 1 ? "\n    };\n    timeline: " : "};\n    timeline: ");
    for (size_t k = 0; k < d->nresources; k++)
        if (d->resources[k].is_timeline && timeline == NULL)
            timeline = &d->resources[k];
    if (timeline == NULL) {
        odp_buffer_add_str(out, "never");
    } else {
        odp_buffer_add_str(out, "{ ");
        add_shape(out, timeline, names[timeline - d->resources]);
        odp_buffer_add_str(out, " }");
    }
    odp_buffer_add_str(out, ";\n  };\n");
}

static void add_declarations(struct odp_buffer *out, const struct client_model *m, const struct javascript_names *names)
{
    size_t at = 0;
    odp_buffer_add_str(out, "/* Made from the catalogue: ");
    client_prose(out, english(&m->title));
    odp_buffer_printf(out, ", release %s. */\nimport type { Dataset, Geometry } from \"./index.js\";\n", m->release);
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        static const struct odp_text nothing;
        for (size_t k = 0; k < d->nresources; k++, at++)
            add_record(out, &d->resources[k], names->records[at], k == 0 ? &d->description : &nothing);
    }
    odp_buffer_add_str(out, "\n/** What is known of each dataset, by its slug. */\nexport interface Datasets {\n");
    at = 0;
    for (size_t i = 0; i < m->ndatasets; at += m->datasets[i].nresources, i++)
        add_dataset(out, &m->datasets[i], names->records + at);
    odp_buffer_add_str(out, "}\n\n/** The datasets as properties of a client. */\nexport interface DatasetProperties {\n");
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        add_comment(out, "  ", &d->title, NULL, &d->description, false);
        odp_buffer_printf(out, "  readonly %s: Dataset<Datasets[", names->properties[i]);
        add_string(out, d->slug);
        odp_buffer_add_str(out, "]>;\n");
    }
    odp_buffer_add_str(out, "}\n\nexport {};\n");
}

/* ---- package.json -------------------------------------------------------------------------------------------------------------------- */

static enum odp_status add_manifest(struct odp_buffer *out, const struct client_model *m, struct odp_arena *a)
{
    const char *description = odp_arena_printf(a, "Client of the API: %s", english(&m->title));
    json_t *o = description == NULL ? NULL
                                    : json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:{s:s}, s:s, s:s, s:{s:{s:s, s:s, s:s}, s:s}, s:[s, s, s, s, s]}",
                                                "name", m->names->package[ODP_CLIENT_JAVASCRIPT], "version", m->release, "description", description,
                                                "license", "Apache-2.0", "homepage", m->base_url, "type", "module", "sideEffects", 0,
                                                "engines", "node", ">=18", "main", "./node.js", "types", "./index.d.ts",
                                                "exports", ".", "types", "./index.d.ts", "node", "./node.js", "default", "./index.js",
                                                "./package.json", "./package.json", "files", "*.js", "*.d.ts", "lib/", "README.md", "README.id.md");
    enum odp_status status = o != NULL ? odp_doc_print(out, o, JSON_INDENT(2)) : ODP_FAIL;
    json_decref(o);
    odp_buffer_add_char(out, '\n');
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

/* ---- the package ----------------------------------------------------------------------------------------------------------------------- */

static enum odp_status put(struct client_tree *t, const char *path, const struct odp_buffer *b)
{
    enum odp_status status = odp_buffer_status(b);
    return status == ODP_OK ? client_tree_add(t, path, odp_buffer_slice(b)) : status;
}

enum odp_status client_write_javascript(struct client_tree *t, const struct client_model *m)
{
    struct javascript_names names;
    struct odp_buffer b;
    enum odp_status status = javascript_names_make(&names, m, t->arena);
    if (status == ODP_OK)
        status = client_tree_add_sources(t, m, ODP_CLIENT_JAVASCRIPT, "package/");
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&b);
    status = add_manifest(&b, m, t->arena);
    if (status == ODP_OK)
        status = put(t, "package/package.json", &b);
    if (status == ODP_OK) {
        odp_buffer_clear(&b);
        add_program(&b, m, &names);
        status = put(t, "package/datasets.js", &b);
    }
    if (status == ODP_OK) {
        odp_buffer_clear(&b);
        add_declarations(&b, m, &names);
        status = put(t, "package/datasets.d.ts", &b);
    }
    odp_buffer_release(&b);
    return status;
}
