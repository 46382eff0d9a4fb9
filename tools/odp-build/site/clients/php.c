/* The PHP package: composer.json, and what depends on the catalogue: About (address, release, datasets), Datasets (a property for each, which Client inherits), and a
 * class for each resource's records. Comments are blocks, since "?>" ends a line comment. */
#include <strings.h>

#include "published/doc.h"
#include "site/clients/php_internal.h"

/* ---- text ----------------------------------------------------------------------------------------------------------------------------- */

/* As a literal of PHP. */
static void quote(struct odp_buffer *out, const char *s)
{
    odp_buffer_add_char(out, '\'');
    for (; *s != '\0'; s++) {
        if (*s == '\'' || *s == '\\')
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, *s);
    }
    odp_buffer_add_char(out, '\'');
}

/* Prose of a comment; nothing in it may look like a tag of a documentation comment. */
static void prose(struct odp_buffer *out, const char *text)
{
    size_t at = out->len;
    client_prose(out, text);
    for (size_t i = at; i < out->len; i++)
        if (out->ptr[i] == '@' && (i == at || out->ptr[i - 1] == ' ' || out->ptr[i - 1] == '{'))
            out->ptr[i] = '(';
}

static void titled(struct odp_buffer *out, const struct odp_text *title, const struct odp_text *description, const struct odp_text *unit)
{
    const char *t = odp_text_get(title, ODP_LANG_EN), *d = odp_text_get(description, ODP_LANG_EN), *u = unit != NULL ? odp_text_get(unit, ODP_LANG_EN) : "";
    prose(out, t);
    if (*u != '\0') {
        odp_buffer_add_str(out, " (");
        prose(out, u);
        odp_buffer_add_char(out, ')');
    }
    if (*d != '\0' && strcmp(t, d) != 0) {
        odp_buffer_add_str(out, *t != '\0' ? ": " : "");
        prose(out, d);
    }
}

static void begin(struct odp_buffer *out, const struct php *p, const char *space)
{
    odp_buffer_add_str(out, "<?php\n\n/* Written by odp-build for release ");
    prose(out, p->m->release);
    odp_buffer_add_str(out, " of ");
    prose(out, p->m->base_url);
    odp_buffer_printf(out, " */\n\ndeclare(strict_types=1);\n\nnamespace %s%s;\n\n", p->m->names->module[ODP_CLIENT_PHP], space);
}

static enum odp_status put(struct php *p, const char *path, struct odp_buffer *text)
{
    return path != NULL && odp_buffer_status(text) == ODP_OK ? client_tree_add(p->tree, path, odp_buffer_slice(text)) : ODP_FAIL;
}

/* ---- types ---------------------------------------------------------------------------------------------------------------------------- */

static const char *scalar_type(enum odp_type t)
{
    return odp_field_type(t)->php;
}

/* The literal that stands for VALUE in a type, if one can. */
static bool is_literal(enum odp_type t, const char *value)
{
    bool ok = *value != '\0' && strlen(value) <= (t == ODP_TYPE_STRING ? 100u : 15u);
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0' && ok; c++)
        ok = t == ODP_TYPE_STRING ? *c >= ' ' && *c != 0x7F && strchr("'\"\\*@`", *c) == NULL && *c != 0xE2 && *c != 0xC2
                                  : (*c >= '0' && *c <= '9') || (*c == '-' && c == (const unsigned char *)value);
    return ok;
}

/* Whether every value of the closed list can stand in a type. */
static bool is_literal_list(const struct client_field *f)
{
    bool literal = f->nvalues > 0 && f->nvalues <= 200 && (f->type == ODP_TYPE_STRING || f->type == ODP_TYPE_INTEGER || f->type == ODP_TYPE_YEAR);
    for (size_t i = 0; i < f->nvalues && literal; i++)
        literal = is_literal(f->type, f->values[i]);
    return literal;
}

/* "@var …" where it says more than the declared type. */
static void add_closer_type(struct odp_buffer *out, const struct client_field *f)
{
    const char *null = f->required ? "" : "|null";
    if (f->type == ODP_TYPE_LIST) {
        const char *item = scalar_type(f->item);
        odp_buffer_printf(out, "@var list<%s>%s ", *item == '\\' || strcmp(item, "array") == 0 ? "string" : item, null);
    } else if (is_literal_list(f)) {
        odp_buffer_add_str(out, "@var ");
        for (size_t i = 0; i < f->nvalues; i++)
            odp_buffer_printf(out, f->type == ODP_TYPE_STRING ? "%s'%s'" : "%s%s", i > 0 ? "|" : "", f->values[i]);
        odp_buffer_printf(out, "%s ", null);
    }
}

static void add_property(struct odp_buffer *out, const struct php_field *f)
{
    if (f->field == NULL) {
        odp_buffer_add_str(out, "\n    /** @var array<string, mixed>|null GeoJSON */\n    public readonly ?array $geometry;\n");
        return;
    }
    const char *type = scalar_type(f->field->type);
    odp_buffer_add_str(out, "\n    /** ");
    add_closer_type(out, f->field);
    titled(out, &f->field->title, &f->field->description, &f->field->unit);
    if (strcmp(f->name, f->property) != 0) {
        odp_buffer_add_str(out, " (column: ");
        prose(out, f->name);
        odp_buffer_add_char(out, ')');
    }
    odp_buffer_printf(out, " */\n    public readonly %s%s $%s;\n", f->field->required || strcmp(type, "mixed") == 0 ? "" : "?", type, f->property);
}

/* ---- files ---------------------------------------------------------------------------------------------------------------------------- */

static const char *kind_of(const struct php_field *f)
{
    const char *type = f->field != NULL ? scalar_type(f->field->type) : "array";
    if (*type == '\\')
        return f->field->type == ODP_TYPE_DATE ? "date" : "datetime";
    return type;
}

static enum odp_status write_record(struct php *p, const struct php_class *c, const struct client_dataset *d)
{
    struct php_field *fields;
    struct odp_buffer out;
    size_t n;
    enum odp_status status = php_name_fields(p, c->resource, &fields, &n);
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&out);
    begin(&out, p, "\\Record");
    odp_buffer_add_str(&out, "/** ");
    titled(&out, &c->resource->title, &d->description, NULL);
    odp_buffer_printf(&out, " */\nfinal class %s extends \\%s\\Record\n{\n    public const KEY = [", c->name, p->m->names->module[ODP_CLIENT_PHP]);
    for (size_t i = 0; i < c->resource->nkey; i++) {
        odp_buffer_add_str(&out, i > 0 ? ", " : "");
        quote(&out, c->resource->key[i]);
    }
    odp_buffer_add_str(&out, "];\n    protected const COLUMNS = [\n");
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&out, "        ");
        quote(&out, fields[i].name);
        odp_buffer_printf(&out, " => ['%s', '%s'],\n", fields[i].property, kind_of(&fields[i]));
    }
    odp_buffer_add_str(&out, "    ];\n");
    for (size_t i = 0; i < n; i++)
        add_property(&out, &fields[i]);
    odp_buffer_add_str(&out, "\n    protected function take(string $property, mixed $value): void\n    {\n        $this->$property = $value;\n    }\n"
                             "\n    protected function leave(string $property): void\n    {\n        unset($this->$property);\n    }\n}\n");
    status = put(p, odp_arena_printf(p->a, "src/Record/%s.php", c->name), &out);
    odp_buffer_release(&out);
    return status;
}

static enum odp_status write_about(struct php *p)
{
    const struct client_model *m = p->m;
    const struct { const char *name, *value; } texts[] = {
        {"PACKAGE", m->names->package[ODP_CLIENT_PHP]}, {"RELEASE", m->release}, {"RELEASE_DATE", m->release_date}, {"BASE_URL", m->base_url},
        {"TITLE", odp_text_get(&m->title, ODP_LANG_EN)}, {"PUBLISHER", odp_text_get(&m->publisher, ODP_LANG_EN)}, {"DATA_LICENSE", m->license_name}};
    struct odp_buffer out;
    odp_buffer_init(&out);
    begin(&out, p, "");
    odp_buffer_add_str(&out, "/** Where this package comes from, and what it knows. */\nfinal class About\n{\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        odp_buffer_printf(&out, "    public const %s = ", texts[i].name);
        quote(&out, texts[i].value != NULL ? texts[i].value : "");
        odp_buffer_add_str(&out, ";\n");
    }
    odp_buffer_add_str(&out, "\n    /**\n     * By slug: the class of its records, those of its further resources, and the name of the one with a timeline.\n     *\n     * @internal\n"
                             "     * @var array<string, array{class-string<Record>, array<string, class-string<Record>>, string|null}>\n     */\n    public const DATASETS = [\n");
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        const char *timeline = NULL;
        odp_buffer_add_str(&out, "        ");
        quote(&out, d->slug);
        odp_buffer_printf(&out, " => [Record\\%s::class, [", php_class_of(p, &d->resources[0]));
        for (size_t k = 0; k < d->nresources; k++) {
            const struct client_resource *r = &d->resources[k];
            timeline = timeline == NULL && r->is_timeline ? r->name : timeline;
            if (k == 0)
                continue;
            odp_buffer_add_str(&out, k > 1 ? ", " : "");
            quote(&out, r->name);
            odp_buffer_printf(&out, " => Record\\%s::class", php_class_of(p, r));
        }
        odp_buffer_add_str(&out, "], ");
        if (timeline != NULL)
            quote(&out, timeline);
        else
            odp_buffer_add_str(&out, "null");
        odp_buffer_add_str(&out, "],\n");
    }
    odp_buffer_add_str(&out, "    ];\n}\n");
    enum odp_status status = put(p, "src/About.php", &out);
    odp_buffer_release(&out);
    return status;
}

static const char *timeline_of(const struct php *p, const struct client_dataset *d)
{
    for (size_t k = 0; k < d->nresources; k++)
        if (d->resources[k].is_timeline)
            return php_class_of(p, &d->resources[k]);
    return NULL;
}

static enum odp_status write_datasets(struct php *p)
{
    const struct client_model *m = p->m;
    struct odp_buffer out;
    const struct php_field *names = php_name_datasets(p);
    if (names == NULL)
        return ODP_FAIL;
    odp_buffer_init(&out);
    begin(&out, p, "");
    odp_buffer_printf(&out, "use %s\\Internal\\Session;\n\n/** The datasets, each a property of the client. */\nabstract class Datasets\n{\n", m->names->module[ODP_CLIENT_PHP]);
    for (size_t i = 0; i < m->ndatasets; i++) {
        const struct client_dataset *d = &m->datasets[i];
        const char *timeline = timeline_of(p, d);
        odp_buffer_printf(&out, "    /** @var Dataset<Record\\%s, %s%s> ", php_class_of(p, &d->resources[0]), timeline != NULL ? "Record\\" : "", timeline != NULL ? timeline : "never");
        prose(&out, odp_text_get(&d->title, ODP_LANG_EN));
        odp_buffer_printf(&out, " */\n    public readonly Dataset $%s;\n\n", names[i].property);
    }
    odp_buffer_add_str(&out, "    /** @internal */\n    public function __construct(Session $session)\n    {\n");
    for (size_t i = 0; i < m->ndatasets; i++) {
        odp_buffer_printf(&out, "        $this->%s = Dataset::of($session, ", names[i].property);
        quote(&out, m->datasets[i].slug);
        odp_buffer_add_str(&out, ");\n");
    }
    odp_buffer_add_str(&out, "    }\n}\n");
    enum odp_status status = put(p, "src/Datasets.php", &out);
    odp_buffer_release(&out);
    return status;
}

static enum odp_status write_composer(struct php *p)
{
    const struct client_model *m = p->m;
    struct odp_doc doc = {false};
    struct odp_buffer out;
    json_t *o = json_object(), *require = json_object(), *suggest = json_object(), *autoload = json_object(), *psr4 = json_object();
    char *space = odp_arena_printf(p->a, "%s\\", m->names->module[ODP_CLIENT_PHP]);
    const char *about = odp_arena_printf(p->a, "Client for the API of %s", odp_text_get(&m->title, ODP_LANG_EN));
    odp_doc_set_str(&doc, o, "name", m->names->package[ODP_CLIENT_PHP]);
    odp_doc_set_str(&doc, o, "description", about != NULL ? about : "");
    odp_doc_set_str(&doc, o, "type", "library");
    odp_doc_set_str(&doc, o, "license", "Apache-2.0");
    odp_doc_set_str(&doc, o, "homepage", m->base_url);
    odp_doc_set(&doc, o, "keywords", json_pack("[s,s,s]", "open-data", "api", "client"));
    odp_doc_set_str(&doc, require, "php", ">=8.1");
    odp_doc_set_str(&doc, require, "ext-json", "*");
    odp_doc_set(&doc, o, "require", require);
    odp_doc_set_str(&doc, suggest, "ext-curl", "Keeps connections; without it PHP's own streams are used");
    odp_doc_set_str(&doc, suggest, "ext-openssl", "For https without ext-curl");
    odp_doc_set_str(&doc, suggest, "ext-zlib", "For deltas in sync(), and compressed answers");
    odp_doc_set_str(&doc, suggest, "psr/http-client", "Any PSR-18 client may be handed in, with psr/http-factory");
    odp_doc_set_str(&doc, suggest, "psr/log", "Any PSR-3 logger may be handed in");
    odp_doc_set(&doc, o, "suggest", suggest);
    odp_doc_set_str(&doc, psr4, space != NULL ? space : "", "src/");
    odp_doc_set(&doc, autoload, "psr-4", psr4);
    odp_doc_set(&doc, o, "autoload", autoload);
    odp_buffer_init(&out);
    enum odp_status status = doc.failed || space == NULL || about == NULL ? ODP_FAIL : odp_doc_print(&out, o, JSON_INDENT(4) | JSON_REAL_PRECISION(15));
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = put(p, "composer.json", &out);
    odp_buffer_release(&out);
    json_decref(o);
    return status;
}

enum odp_status client_write_php(struct client_tree *t, const struct client_model *m)
{
    struct php p = {.m = m, .tree = t, .a = t->arena};
    enum odp_status status = client_tree_add_sources(t, m, ODP_CLIENT_PHP, "");
    if (status == ODP_OK)
        status = php_name_classes(&p);
    if (status == ODP_OK)
        status = write_composer(&p);
    if (status == ODP_OK)
        status = write_about(&p);
    if (status == ODP_OK)
        status = write_datasets(&p);
    for (size_t i = 0, c = 0; i < m->ndatasets; i++)
        for (size_t k = 0; k < m->datasets[i].nresources && status == ODP_OK; k++)
            status = write_record(&p, &p.classes[c++], &m->datasets[i]);
    return status;
}
