/* datasets.py: a class of records, a type of conditions and a property of the client for each dataset, as somebody would write them by hand. */
#include "site/clients/python_internal.h"

/* What the module must import: what is not used would be a fault to linters. */
enum use {
    USE_DT = 1 << 0, USE_ANY = 1 << 1, USE_DICT = 1 << 2, USE_LIST = 1 << 3, USE_LITERAL = 1 << 4, USE_OPTIONAL = 1 << 5, USE_UNION = 1 << 6, USE_GEOMETRY = 1 << 7,
    USE_NUMBER = 1 << 8, USE_ONE_OR_MANY = 1 << 9, USE_SCALAR = 1 << 10, USE_AS_DATE = 1 << 11, USE_AS_DATETIME = 1 << 12, USE_AS_TIME = 1 << 13, USE_LIST_OF = 1 << 14,
    USE_TIMELINE = 1 << 15, USE_RESOURCE = 1 << 16, USE_COLUMN = 1 << 17
};

struct writing {
    const struct client_model *m;
    const struct python_dataset *datasets;
    struct odp_buffer *out;
    unsigned used;
    bool failed; /* no memory for a name */
};

/* For what is put together of names; NULL is remembered and "" is given instead. */
#define TEXT(w, ...) text_or_empty((w), odp_arena_printf((w)->m->arena, __VA_ARGS__))
static const char *text_or_empty(struct writing *w, const char *s)
{
    w->failed = w->failed || s == NULL;
    return s != NULL ? s : "";
}

static const char *literal(struct writing *w, const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    python_string(&b, text);
    const char *s = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(w->m->arena, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return text_or_empty(w, s);
}

/* "en · id", or the one there is. */
static const char *both(struct writing *w, const struct odp_text *t, const char *between)
{
    const char *en = odp_text_get(t, ODP_LANG_EN), *id = odp_text_get(t, ODP_LANG_ID);
    return *en != '\0' && *id != '\0' && strcmp(en, id) != 0 ? TEXT(w, "%s%s%s", en, between, id) : *en != '\0' ? en : id;
}

/* TITLE as a sentence. */
static const char *headline(struct writing *w, const struct odp_text *title, const struct odp_text *unit, const char *name)
{
    const char *t = odp_text_is_empty(title) ? name : both(w, title, " · ");
    return unit != NULL && !odp_text_is_empty(unit) ? TEXT(w, "%s [%s].", t, both(w, unit, " · ")) : TEXT(w, "%s.", t);
}

/* ---- types -------------------------------------------------------------------------------------------------------------------------------------- */

struct form {
    const char *type, *where, *convert; /* of the value, in conditions (NULL: cannot be asked for), what makes it of JSON's (NULL: nothing) */
    unsigned type_uses, where_uses, convert_uses;
};

static unsigned uses_of(const char *text)
{
    static const struct {
        const char *word;
        unsigned use;
    } words[] = {{"dt.", USE_DT},      {"Union[", USE_UNION},      {"Number", USE_NUMBER},   {"Geometry", USE_GEOMETRY},
                 {"Dict[", USE_DICT},  {"List[", USE_LIST},        {"Any", USE_ANY},         {"as_datetime", USE_AS_DATETIME},
                 {"as_time", USE_AS_TIME}};
    unsigned uses = text != NULL && strcmp(text, "as_date") == 0 ? USE_AS_DATE : 0;
    for (size_t i = 0; text != NULL && i < sizeof words / sizeof *words; i++)
        uses |= strstr(text, words[i].word) != NULL ? words[i].use : 0;
    return uses;
}

static struct form form_of(enum odp_type type)
{
    const struct odp_field_type *t = odp_field_type(type);
    return (struct form){t->python,          t->python_where,          t->python_convert,
                         uses_of(t->python), uses_of(t->python_where), uses_of(t->python_convert)};
}

static struct form form_of_field(struct writing *w, const struct client_field *f, const struct python_field *p)
{
    struct form form = form_of(f->type);
    if (p->choice != NULL)
        form.type = form.where = p->choice;
    if (f->type == ODP_TYPE_LIST) {
        struct form item = form_of(f->item);
        form = (struct form){.type = TEXT(w, "List[%s]", item.type), .type_uses = USE_LIST | item.type_uses};
        if (item.convert != NULL) {
            form.convert = TEXT(w, "list_of(%s)", item.convert);
            form.convert_uses = item.convert_uses | USE_LIST_OF;
        }
    }
    return form;
}

/* ---- records ------------------------------------------------------------------------------------------------------------------------------------ */

static void write_choices(struct writing *w, const struct python_resource *p)
{
    for (size_t i = 0; i < p->resource->nfields; i++) {
        const struct client_field *f = &p->resource->fields[i];
        if (p->fields[i].choice == NULL)
            continue;
        const char **values = odp_arena_zero(w->m->arena, f->nvalues, sizeof *values);
        w->failed = w->failed || values == NULL;
        for (size_t k = 0; values != NULL && k < f->nvalues; k++)
            values[k] = f->type == ODP_TYPE_INTEGER || f->type == ODP_TYPE_YEAR ? f->values[k] : literal(w, f->values[k]);
        if (values != NULL)
            python_items(w->out, 0, TEXT(w, "%s = Literal[", p->fields[i].choice), values, f->nvalues, "]");
        w->used |= USE_LITERAL;
    }
    const char **formats = odp_arena_zero(w->m->arena, p->resource->nformats + 1, sizeof *formats);
    w->failed = w->failed || formats == NULL;
    for (size_t k = 0; formats != NULL && k < p->resource->nformats; k++)
        formats[k] = literal(w, p->resource->formats[k]);
    if (formats != NULL && p->resource->nformats > 0)
        python_items(w->out, 0, TEXT(w, "%s = Literal[", p->format), formats, p->resource->nformats, "]");
    else
        odp_buffer_printf(w->out, "%s = str\n", p->format);
    w->used |= p->resource->nformats > 0 ? USE_LITERAL : 0;
}

static void write_column(struct writing *w, const struct python_resource *p, size_t i)
{
    const struct client_field *f = &p->resource->fields[i];
    const struct form form = form_of_field(w, f, &p->fields[i]);
    const char *arguments[2];
    size_t n = 0;
    if (form.convert != NULL)
        arguments[n++] = form.convert;
    if (strcmp(f->name, p->fields[i].attribute) != 0)
        arguments[n++] = TEXT(w, "name=%s", literal(w, f->name));
    bool optional = !f->required && strcmp(form.type, "Any") != 0;
    const char *type = optional ? TEXT(w, "Optional[%s]", form.type) : form.type;
    python_items(w->out, 4, TEXT(w, "%s: Column[%s] = Column(", p->fields[i].attribute, type), arguments, n, ")");
    w->used |= form.type_uses | form.convert_uses | USE_COLUMN | (optional ? USE_OPTIONAL : 0);
    const char *words[] = {headline(w, &f->title, &f->unit, f->name), odp_text_get(&f->description, ODP_LANG_EN), odp_text_get(&f->description, ODP_LANG_ID),
                           f->deprecated ? "Deprecated: it will go." : ""};
    if (strcmp(words[1], words[2]) == 0)
        words[2] = "";
    python_docstring(w->out, 4, words, sizeof words / sizeof *words);
}

static void write_record(struct writing *w, const struct python_resource *p, const struct odp_text *description)
{
    const struct client_resource *r = p->resource;
    const char *bases[3] = {"Record", TEXT(w, "path=%s", literal(w, r->path)), ""};
    struct odp_buffer key;
    odp_buffer_init(&key);
    for (size_t i = 0; i < r->nkey; i++) {
        odp_buffer_add_str(&key, i > 0 ? ", " : "key=(");
        python_string(&key, r->key[i]);
    }
    odp_buffer_add_str(&key, r->nkey == 1 ? ",)" : r->nkey > 1 ? ")" : "");
    bases[2] = TEXT(w, "%s", odp_buffer_cstr(&key));
    w->failed = w->failed || key.failed;
    odp_buffer_release(&key);

    odp_buffer_add_str(w->out, "\n\n");
    python_items(w->out, 0, TEXT(w, "class %s(", p->record), bases, r->nkey > 0 ? 3 : 2, "):");
    const char *words[] = {headline(w, &r->title, NULL, r->path), odp_text_get(description, ODP_LANG_EN), odp_text_get(description, ODP_LANG_ID)};
    if (strcmp(words[1], words[2]) == 0)
        words[2] = "";
    python_docstring(w->out, 4, words, sizeof words / sizeof *words);
    odp_buffer_add_str(w->out, "\n    __slots__ = ()\n\n");
    for (size_t i = 0; i < r->nfields; i++)
        write_column(w, p, i);
    if (p->geometry != NULL) {
        odp_buffer_printf(w->out, "    %s: Column[Optional[Geometry]] = Column(%s)\n", p->geometry, strcmp(p->geometry, "geometry") == 0 ? "" : "name=\"geometry\"");
        odp_buffer_add_str(w->out, "    \"\"\"Where it is, as GeoJSON in degrees (WGS 84).\"\"\"\n");
        w->used |= USE_GEOMETRY | USE_OPTIONAL | USE_COLUMN;
    }
}

/* ---- conditions ---------------------------------------------------------------------------------------------------------------------------------- */

static bool is_parameter(const char *name)
{
    static const char *const list[] = {"filter", "filter-lang", "filter-crs", "bbox", "bbox-crs", "crs", "q", "datetime", "properties", "skipGeometry", "sortby", "limit", "offset",
                                       "cursor", "facets", "aggregate", "groupby", "view", "f"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static void write_condition(struct writing *w, const char *name, const char *type, bool plain)
{
    if (plain)
        odp_buffer_printf(w->out, "    %s: OneOrMany[%s]\n", name, type);
    else
        odp_buffer_printf(w->out, "        %s: OneOrMany[%s],\n", literal(w, name), type);
    w->used |= USE_ONE_OR_MANY;
}

/* The members of the TypedDict; their number alone where nothing is to be written. */
static size_t write_conditions(struct writing *w, const struct python_resource *p, bool plain, bool write, bool *all_plain)
{
    const struct client_resource *r = p->resource;
    size_t n = 0;
    for (size_t i = 0; i < r->nfields; i++) {
        const struct form form = form_of_field(w, &r->fields[i], &p->fields[i]);
        if (form.where == NULL || is_parameter(r->fields[i].name))
            continue;
        *all_plain = *all_plain && python_is_plain(r->fields[i].name);
        n++;
        if (write) {
            write_condition(w, r->fields[i].name, form.where, plain);
            w->used |= form.where_uses;
        }
    }
    for (size_t i = 0; i < r->nqueryables; i++) {
        bool there = is_parameter(r->queryables[i]);
        for (size_t k = 0; k < r->nfields && !there; k++)
            there = strcmp(r->fields[k].name, r->queryables[i]) == 0;
        if (there)
            continue;
        *all_plain = *all_plain && python_is_plain(r->queryables[i]);
        n++;
        if (write) {
            write_condition(w, r->queryables[i], "Scalar", plain);
            w->used |= USE_SCALAR;
        }
    }
    return n;
}

static void write_where(struct writing *w, const struct python_resource *p)
{
    bool plain = true, ignored = true;
    size_t n = write_conditions(w, p, true, false, &plain);
    odp_buffer_add_str(w->out, "\n\n");
    if (plain) {
        odp_buffer_printf(w->out, "class %s(TypedDict, total=False):\n    \"\"\"Conditions on records of ``%s``: equality by column.\"\"\"\n", p->where, p->resource->path);
        if (n > 0)
            odp_buffer_add_char(w->out, '\n');
        (void)write_conditions(w, p, true, true, &ignored);
    } else {
        odp_buffer_printf(w->out, "%s = TypedDict(\n    \"%s\",\n    {\n", p->where, p->where);
        (void)write_conditions(w, p, false, true, &ignored);
        odp_buffer_add_str(w->out, "    },\n    total=False,\n)\n");
    }
}

/* ---- datasets ------------------------------------------------------------------------------------------------------------------------------------- */

static const char *arguments_of(struct writing *w, const struct python_resource *p)
{
    return TEXT(w, "[%s, %s, %s]", p->record, p->where, p->format);
}

static const char *type_of(struct writing *w, const struct python_dataset *d)
{
    return d->type != NULL ? d->type : TEXT(w, "Dataset%s", arguments_of(w, &d->resources[0]));
}

/* A line `def …` of a method; too long a one is folded as formatters do. */
static void write_def(struct writing *w, const char *name, const char *arguments, const char *type, const char *end)
{
    const char *items[] = {"self", arguments};
    python_items(w->out, 4, TEXT(w, "def %s(", name), items, *arguments != '\0' ? 2 : 1, TEXT(w, ") -> %s:%s", type, end));
}

static void write_timeline(struct writing *w, const struct python_resource *p)
{
    static const char *const options[] = {"filter: Union[str, Mapping[str, Any], None]", "q: Optional[str]", "bbox: Optional[Sequence[float]]", "datetime: Optional[Datetime]",
                                          "sort: Union[str, Sequence[str], None]", "fields: Union[str, Sequence[str], None]", "page_size: Optional[int]"};
    static const char *const names[] = {"where", "filter", "q", "bbox", "datetime", "sort", "fields", "page_size", "skip_geometry"};
    odp_buffer_printf(w->out, "\n    def timeline(\n        self,\n        *,\n        where: Optional[%s] = None,\n", p->where);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        odp_buffer_printf(w->out, "        %s = None,\n", options[i]);
    odp_buffer_printf(w->out, "        skip_geometry: bool = False,\n    ) -> Records[%s]:\n", p->record);
    const char *words[] = {headline(w, &p->resource->title, NULL, p->resource->path), "As ``list``, of the milestones."};
    python_docstring(w->out, 8, words, 2);
    const char *again = literal(w, p->resource->name);
    odp_buffer_printf(w->out, "        return self.resource(%s).list(\n", again);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        odp_buffer_printf(w->out, "            %s=%s,\n", names[i], names[i]);
    odp_buffer_add_str(w->out, "        )\n");
    w->used |= USE_TIMELINE | USE_OPTIONAL | USE_UNION | USE_ANY;
}

/* The class of a dataset that has further resources. */
static void write_dataset(struct writing *w, const struct python_dataset *d)
{
    odp_buffer_add_str(w->out, "\n\n");
    const char *base = TEXT(w, "Dataset%s", arguments_of(w, &d->resources[0]));
    python_items(w->out, 0, TEXT(w, "class %s(", d->type), &base, 1, "):");
    const char *words[] = {headline(w, &d->dataset->title, NULL, d->dataset->slug), "With further resources."};
    python_docstring(w->out, 4, words, 2);
    for (size_t k = 1; k < d->dataset->nresources; k++) {
        const struct python_resource *p = &d->resources[k];
        if (p->resource->is_timeline)
            write_timeline(w, p);
    }
    for (size_t k = 1; k < d->dataset->nresources; k++) {
        const struct python_resource *p = &d->resources[k];
        odp_buffer_add_str(w->out, "\n    @overload\n");
        write_def(w, "resource", TEXT(w, "name: Literal[%s]", literal(w, p->resource->name)), TEXT(w, "Resource%s", arguments_of(w, p)), " ...");
    }
    odp_buffer_add_str(w->out, "\n    @overload\n    def resource(self, name: str) -> Resource[Record, Any, Any]: ...\n"
                               "\n    def resource(self, name: str) -> Resource[Any, Any, Any]:\n        \"\"\"A further resource of the dataset, by name.\"\"\"\n");
    for (size_t k = 1; k < d->dataset->nresources; k++)
        odp_buffer_printf(w->out, "        if name == %s:\n            return Resource(self._session, %s)\n", literal(w, d->resources[k].resource->name), d->resources[k].record);
    odp_buffer_add_str(w->out, "        return super().resource(name)\n");
    w->used |= USE_ANY | USE_RESOURCE | USE_LITERAL;
}

/* What Client is made of. */
static void write_properties(struct writing *w)
{
    odp_buffer_add_str(w->out, "\n\nclass Datasets:\n    \"\"\"A property for each dataset of the portal.\"\"\"\n\n"
                               "    def __init__(self, session: Session) -> None:\n        self._session = session\n");
    for (size_t i = 0; i < w->m->ndatasets; i++) {
        const struct python_dataset *d = &w->datasets[i];
        odp_buffer_add_str(w->out, "\n    @property\n");
        write_def(w, d->property, "", type_of(w, d), "");
        const char *words[] = {headline(w, &d->dataset->title, NULL, d->dataset->slug)};
        python_docstring(w->out, 8, words, 1);
        odp_buffer_printf(w->out, "        return %s(self._session, %s)\n", d->type != NULL ? d->type : "Dataset", d->resources[0].record);
    }
    for (size_t i = 0; i < w->m->ndatasets; i++) {
        const struct python_dataset *d = &w->datasets[i];
        odp_buffer_add_str(w->out, "\n    @overload\n");
        write_def(w, "dataset", TEXT(w, "slug: Literal[%s]", literal(w, d->dataset->slug)), type_of(w, d), " ...");
    }
    odp_buffer_add_str(w->out, "\n    @overload\n    def dataset(self, slug: str) -> Dataset[Record, Any, Any]: ...\n"
                               "\n    def dataset(self, slug: str) -> Dataset[Any, Any, Any]:\n"
                               "        \"\"\"A dataset by its slug, also one that is newer than this package.\"\"\"\n"
                               "        if slug in _PROPERTIES:\n            return cast(Dataset[Any, Any, Any], getattr(self, _PROPERTIES[slug]))\n"
                               "        return Dataset(self._session, Record, check_slug(slug))\n\n\n_PROPERTIES = {\n");
    for (size_t i = 0; i < w->m->ndatasets; i++)
        odp_buffer_printf(w->out, "    %s: \"%s\",\n", literal(w, w->datasets[i].dataset->slug), w->datasets[i].property);
    odp_buffer_add_str(w->out, "}\n");
    w->used |= USE_ANY | USE_LITERAL;
}

/* ---- the module ---------------------------------------------------------------------------------------------------------------------------------- */

struct import {
    unsigned use; /* 0: always */
    const char *name;
};

static void write_import(struct writing *w, const char *module, const struct import *list, size_t n)
{
    const char *names[24];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].use == 0 || (w->used & list[i].use) != 0)
            names[count++] = list[i].name;
    if (count == 0)
        return;
    const char *head = TEXT(w, "from %s import ", module);
    size_t length = strlen(head);
    for (size_t i = 0; i < count; i++)
        length += strlen(names[i]) + (i > 0 ? 2 : 0);
    if (length > PYTHON_COLUMNS) {
        odp_buffer_printf(w->out, "%s(\n", head);
        for (size_t i = 0; i < count; i++)
            odp_buffer_printf(w->out, "    %s,\n", names[i]);
        odp_buffer_add_str(w->out, ")\n");
    } else {
        python_items(w->out, 0, head, names, count, "");
    }
}

static void write_head(struct writing *w)
{
    static const struct import typing[] = {{USE_ANY, "Any"}, {USE_DICT, "Dict"}, {USE_LIST, "List"}, {USE_LITERAL, "Literal"}, {USE_TIMELINE, "Mapping"},
                                           {USE_OPTIONAL, "Optional"}, {USE_TIMELINE, "Sequence"}, {0, "TypedDict"}, {USE_UNION, "Union"}, {0, "cast"}, {0, "overload"}};
    static const struct import records[] = {{USE_COLUMN, "Column"}, {USE_GEOMETRY, "Geometry"}, {USE_NUMBER, "Number"}, {USE_ONE_OR_MANY, "OneOrMany"}, {0, "Record"},
                                            {USE_SCALAR, "Scalar"}, {USE_AS_DATE, "as_date"}, {USE_AS_DATETIME, "as_datetime"}, {USE_AS_TIME, "as_time"},
                                            {USE_LIST_OF, "list_of"}};
    static const struct import resources[] = {{0, "Dataset"}, {USE_TIMELINE, "Datetime"}, {USE_TIMELINE, "Records"}, {USE_RESOURCE, "Resource"}, {0, "check_slug"}};
    const char *words[] = {TEXT(w, "The datasets of release %s: types of their records and conditions, properties of the client.", w->m->release),
                           "Written by the portal's compiler out of its schemas."};
    python_docstring(w->out, 0, words, 2);
    odp_buffer_add_str(w->out, "\nfrom __future__ import annotations\n\n");
    if ((w->used & USE_DT) != 0)
        odp_buffer_add_str(w->out, "import datetime as dt\n");
    write_import(w, "typing", typing, sizeof typing / sizeof *typing);
    odp_buffer_add_str(w->out, "\nfrom ._session import Session\n");
    write_import(w, ".records", records, sizeof records / sizeof *records);
    write_import(w, ".resources", resources, sizeof resources / sizeof *resources);
}

enum odp_status python_datasets(struct odp_buffer *out, const struct client_model *m)
{
    struct python_dataset *list;
    struct odp_buffer body;
    enum odp_status status = python_names_make(&list, m);
    if (status != ODP_OK)
        return status;
    odp_buffer_init(&body);
    struct writing w = {.m = m, .datasets = list, .out = &body};
    for (size_t i = 0; i < m->ndatasets; i++) {
        for (size_t k = 0; k < m->datasets[i].nresources; k++) {
            const struct python_resource *p = &list[i].resources[k];
            static const struct odp_text none;
            odp_buffer_add_str(&body, i == 0 && k == 0 ? "\n" : "\n\n");
            write_choices(&w, p);
            write_record(&w, p, k == 0 ? &m->datasets[i].description : &none);
            write_where(&w, p);
        }
        if (list[i].type != NULL)
            write_dataset(&w, &list[i]);
    }
    write_properties(&w);
    w.out = out;
    write_head(&w);
    odp_buffer_add_slice(out, odp_buffer_slice(&body));
    status = w.failed ? ODP_FAIL : odp_buffer_status(&body);
    odp_buffer_release(&body);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
