#include "catalog/records/code_lists.h"

#include "base/map.h"
#include "catalog/records/label_case.h"

/* One edition; or, of another resource, nothing. */
struct list {
    int code;        /* field of the codes; -1: no list that is needed */
    int name, other; /* fields of the name and of the English one; -1: none */
    int parent;      /* field of the place above; -1: none */
    struct odp_map map;
    struct odp_code_list list;
    struct odp_place_shapes *shapes; /* of a list with odp:boundaries; else NULL */
};

/* The categories of one field, where they are many. */
struct categories {
    const struct odp_field *field;
    struct odp_map map;
};

struct odp_code_lists {
    struct odp_arena *arena;
    const struct odp_catalog *catalog;
    struct list *lists; /* by resource */
    struct categories *categories;
    size_t ncategories;
};

enum { FEW = 16 /* categories that are looked through one by one */ };

/* ---- what is needed ---- */

/* The foreign key of FIELD alone into a code list, or NULL. */
static const struct odp_foreign_key *key_of(const struct odp_resource *r, uint32_t field)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *key = &r->foreign[k];
        if (key->local.n == 1 && key->local.fields[0] == field && key->target->dataset->reference)
            return key;
    }
    return NULL;
}

static int find_text(const struct odp_schema *s, const char *name)
{
    int i = name != NULL ? odp_schema_find(s, odp_slice_of(name)) : -1;
    return i >= 0 && s->fields[i].is_public && s->fields[i].type == ODP_TYPE_STRING ? i : -1;
}

/* R's codes are those of FIELD. */
static void want(struct odp_code_lists *l, const struct odp_resource *r, uint32_t field)
{
    struct list *list = &l->lists[r->index];
    const struct odp_schema *s = &r->schema;
    const struct odp_labels_spec *spec = &r->dataset->labels;
    if (list->code >= 0 || !s->fields[field].is_public)
        return;
    list->code = (int)field;
    list->name = find_text(s, spec->name != NULL ? spec->name : "nama");
    list->other = find_text(s, spec->name_en != NULL ? spec->name_en : "nama_en");
    const struct odp_foreign_key *above = odp_place_key(r);
    list->parent = above != NULL ? (int)above->local.fields[0] : -1;
    list->list = (struct odp_code_list){.resource = r, .whole = true};
    for (uint32_t i = 0; i < s->n && list->name < 0; i++)
        if (i != field && s->fields[i].is_public && s->fields[i].type == ODP_TYPE_STRING)
            list->name = (int)i;
}

/* Codes of editions that no key leads to are in the field of the same name, else in the primary key. */
static void want_others(struct odp_code_lists *l, const struct odp_dataset *d)
{
    const char *name = NULL;
    for (size_t i = 0; i < d->nresources && name == NULL; i++) {
        const struct list *list = &l->lists[d->resources[i].index];
        name = list->code >= 0 ? d->resources[i].schema.fields[list->code].name : NULL;
    }
    for (size_t i = 0; i < d->nresources; i++) {
        const struct odp_resource *r = &d->resources[i];
        int field = name != NULL ? odp_schema_find(&r->schema, odp_slice_of(name)) : -1;
        if (field < 0 && r->schema.primary.n == 1)
            field = (int)r->schema.primary.fields[0];
        if (field >= 0)
            want(l, r, (uint32_t)field);
    }
}

/* The key that leads from FIELD of R to records of another table of its dataset; NULL: none does. */
static const struct odp_foreign_key *row_key(const struct odp_resource *r, uint32_t field)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_foreign_key *key = &r->foreign[k];
        if (key->local.n == 1 && key->local.fields[0] == field && key->target->dataset == r->dataset &&
            key->target != r && !r->dataset->reference)
            return key;
    }
    return NULL;
}

/* Rows of a gantt are called as the records are that its series leads to: by the first field that is a
 * name. */
static void want_rows(struct odp_code_lists *l, const struct odp_resource *r, const struct odp_chart *chart)
{
    static const char *const names[] = {"nama", "name", "judul", "title"};
    const struct odp_foreign_key *key =
        chart->type == ODP_CHART_GANTT && chart->series >= 0 ? row_key(r, (uint32_t)chart->series) : NULL;
    if (key == NULL || !key->target->schema.fields[key->remote.fields[0]].is_public)
        return;
    struct list *list = &l->lists[key->target->index];
    const struct odp_schema *s = &key->target->schema;
    for (uint32_t i = 0; i < s->n && list->name < 0; i++)
        for (size_t k = 0; k < ODP_COUNT(names); k++)
            if (strncmp(s->fields[i].name, names[k], strlen(names[k])) == 0)
                list->name = find_text(s, s->fields[i].name);
    list->code = list->name >= 0 ? (int)key->remote.fields[0] : -1;
    list->other = list->parent = -1;
    list->list = (struct odp_code_list){.resource = key->target, .whole = true};
}

static void index_categories(struct odp_code_lists *l, const struct odp_field *f)
{
    struct categories *c;
    bool fresh;
    if (f->ncategories <= FEW)
        return;
    l->categories = odp_arena_more(l->arena, l->categories, l->ncategories, sizeof *l->categories);
    c = &l->categories[l->ncategories++];
    c->field = f;
    odp_map_init(&c->map);
    for (size_t i = 0; i < f->ncategories; i++)
        (void)odp_map_put(&c->map, f->categories[i].value, &fresh); /* told apart by the catalogue */
}

enum odp_status odp_code_lists_new(struct odp_code_lists **out, const struct odp_catalog *c,
                                   struct odp_arena *a)
{
    struct odp_code_lists *l = odp_arena_zero(a, 1, sizeof *l);
    *out = l;
    l->arena = a;
    l->catalog = c;
    l->lists = odp_arena_zero(a, c->nresources + 1, sizeof *l->lists);
    for (size_t i = 0; i < c->nresources; i++) {
        l->lists[i].code = l->lists[i].name = -1;
        odp_map_init(&l->lists[i].map);
    }
    for (size_t i = 0; i < c->nresources; i++) {
        const struct odp_resource *r = c->resources[i];
        for (size_t k = 0; k < r->nforeign; k++)
            if (r->foreign[k].local.n == 1 && r->foreign[k].target->dataset->reference)
                want(l, r->foreign[k].target, r->foreign[k].remote.fields[0]);
        for (size_t k = 0; k < r->ncharts; k++)
            want_rows(l, r, &r->charts[k]);
        for (uint32_t f = 0; f < r->schema.n; f++)
            index_categories(l, &r->schema.fields[f]);
    }
    for (size_t i = c->ndatasets - c->nlists; i < c->ndatasets; i++)
        want_others(l, &c->datasets[i]);
    for (size_t i = 0; i < c->nresources; i++)
        if (c->resources[i]->primary && odp_boundaries_of(c->resources[i]) != NULL)
            l->lists[i].shapes = odp_arena_zero(a, 1, sizeof *l->lists[i].shapes);
    return odp_arena_status(a);
}

void odp_code_lists_free(struct odp_code_lists *l)
{
    for (size_t i = 0; l != NULL && i < l->catalog->nresources; i++)
        odp_map_release(&l->lists[i].map);
    for (size_t i = 0; l != NULL && i < l->ncategories; i++)
        odp_map_release(&l->categories[i].map);
}

/* ---- filling ---- */

void odp_code_lists_begin(struct odp_code_lists *l, const struct odp_resource *r)
{
    struct list *list = &l->lists[r->index];
    list->list.n = 0;
    list->list.whole = true;
    odp_map_clear(&list->map);
    if (list->shapes != NULL)
        odp_place_shapes_clear(list->shapes);
}

static const char *text_of(struct odp_code_lists *l, const struct odp_batch *b, int field, uint32_t i)
{
    const struct odp_labels_spec *spec = &b->resource->dataset->labels;
    if (field < 0 || b->columns[field].state[i] != ODP_VALUE_OK)
        return "";
    struct odp_slice text = b->columns[field].text[i];
    return spec->casing == ODP_LABELS_TITLE ? odp_label_title(text, &spec->keep, l->arena)
                                            : odp_arena_copy(l->arena, text).ptr;
}

/* False: there are too many. */
static bool take_record(struct odp_code_lists *l, struct list *list, const struct odp_batch *b, uint32_t i)
{
    const struct odp_column *code = &b->columns[list->code];
    bool fresh;
    if (b->record_bad[i] || code->state[i] != ODP_VALUE_OK)
        return true;
    if (list->list.n == ODP_CODES_MAX)
        return false;
    (void)odp_map_put(&list->map, code->text[i], &fresh);
    if (!fresh)
        return true;
    list->list.labels = odp_arena_more(l->arena, list->list.labels, list->list.n, sizeof *list->list.labels);
    const struct odp_column *above = list->parent >= 0 ? &b->columns[list->parent] : NULL;
    list->list.labels[list->list.n++] = (struct odp_code_label){
        .code = odp_arena_copy(l->arena, code->text[i]),
        .parent = above != NULL && above->state[i] == ODP_VALUE_OK ? odp_arena_copy(l->arena, above->text[i])
                                                                   : (struct odp_slice){NULL, 0},
        .text = {{text_of(l, b, list->name, i), text_of(l, b, list->other, i)}}};
    return true;
}

static void take_shapes(struct odp_code_lists *l, const struct list *list, const struct odp_batch *b)
{
    const struct odp_column *code = &b->columns[b->resource->schema.primary.fields[0]];
    for (uint32_t i = 0; i < b->nrecords && b->geometry != NULL; i++)
        if (!b->record_bad[i])
            odp_place_shapes_add(list->shapes, code->text[i], b->geometry[i], l->arena);
}

enum odp_status odp_code_lists_take(struct odp_code_lists *l, const struct odp_batch *b)
{
    struct list *list = &l->lists[b->resource->index];
    if (list->shapes != NULL)
        take_shapes(l, list, b);
    if (list->code < 0 || list->name < 0)
        return ODP_OK;
    for (uint32_t i = 0; i < b->nrecords && list->list.whole; i++)
        list->list.whole = take_record(l, list, b, i);
    return odp_arena_status(&list->map.keys) == ODP_OK ? odp_arena_status(&list->map.table) : ODP_FAIL;
}

/* ---- looking up ---- */

const struct odp_code_list *odp_code_lists_edition(const struct odp_code_lists *l,
                                                   const struct odp_resource *r)
{
    const struct list *list = &l->lists[r->index];
    return list->code >= 0 && list->name >= 0 ? &list->list : NULL;
}

const struct odp_code_list *odp_code_lists_of(const struct odp_code_lists *l, const struct odp_resource *r,
                                              uint32_t field)
{
    const struct odp_foreign_key *key = l != NULL ? key_of(r, field) : NULL;
    bool codes = key != NULL && l->lists[key->target->index].code == (int)key->remote.fields[0];
    return codes ? odp_code_lists_edition(l, key->target) : NULL;
}

const struct odp_foreign_key *odp_queryable_key(const struct odp_resource *r, const struct odp_queryable *q)
{
    if (q->kind == ODP_QUERYABLE_TAKEN)
        return key_of(q->key->target, (uint32_t)q->take);
    const struct odp_foreign_key *base =
        q->field >= 0 ? key_of(r, (uint32_t)q->field) : odp_queryable_key(r, &r->queryables[q->queryable]);
    int at = base != NULL ? odp_schema_find(&base->target->schema, odp_slice_of(q->name)) : -1;
    return at >= 0 ? key_of(base->target, (uint32_t)at) : NULL;
}

/* In one edition; NULL: it lacks the code. */
static const struct odp_code_label *find_in(const struct odp_code_lists *l,
                                            const struct odp_resource *edition, struct odp_slice code)
{
    const struct list *list = &l->lists[edition->index];
    uint32_t at = odp_map_find(&list->map, code);
    return at < list->list.n ? &list->list.labels[at] : NULL;
}

const struct odp_code_label *odp_code_lists_label(const struct odp_code_lists *l,
                                                  const struct odp_resource *edition, struct odp_slice code)
{
    return l != NULL ? find_in(l, edition, code) : NULL;
}

const struct odp_code_label *odp_code_lists_all(const struct odp_code_lists *l,
                                                const struct odp_code_list *list, struct odp_arena *a,
                                                size_t *n)
{
    const struct odp_dataset *d = list->resource->dataset;
    const struct odp_resource *editions = d->resources, *own = list->resource;
    struct odp_code_label *all = NULL;
    *n = 0;
    for (size_t e = 0; e <= d->nresources; e++) {
        const struct odp_code_list *from = e == 0 ? list : &l->lists[editions[e - 1].index].list;
        for (size_t i = 0; (e == 0 || &editions[e - 1] != own) && i < from->n; i++) {
            bool known = e > 0 && find_in(l, own, from->labels[i].code) != NULL;
            for (size_t k = 0; k + 1 < e && !known; k++)
                known = &editions[k] != own && find_in(l, &editions[k], from->labels[i].code) != NULL;
            if (known)
                continue;
            all = odp_arena_more(a, all, *n, sizeof *all);
            all[(*n)++] = from->labels[i];
        }
    }
    return all;
}

static struct odp_text category_of(const struct odp_code_lists *l, const struct odp_field *f,
                                   struct odp_slice value)
{
    for (size_t i = 0; l != NULL && f->ncategories > FEW && i < l->ncategories; i++)
        if (l->categories[i].field == f) {
            uint32_t at = odp_map_find(&l->categories[i].map, value);
            return at < f->ncategories ? f->categories[at].label : (struct odp_text){{"", ""}};
        }
    for (size_t i = 0; i < f->ncategories; i++)
        if (odp_slice_eq(f->categories[i].value, value))
            return f->categories[i].label;
    return (struct odp_text){{"", ""}};
}

struct odp_text odp_code_lists_find(const struct odp_code_lists *l, const struct odp_resource *r,
                                    uint32_t field, struct odp_slice value)
{
    struct odp_text text = category_of(l, &r->schema.fields[field], value);
    const struct odp_code_list *list = odp_text_is_empty(&text) ? odp_code_lists_of(l, r, field) : NULL;
    if (list == NULL)
        return text;
    const struct odp_code_label *found = find_in(l, list->resource, value);
    for (size_t e = 0; e < list->resource->dataset->nresources && found == NULL; e++)
        found = find_in(l, &list->resource->dataset->resources[e], value);
    return found != NULL ? found->text : text;
}

struct odp_text odp_code_lists_row(const struct odp_code_lists *l, const struct odp_resource *r,
                                   uint32_t field, struct odp_slice value)
{
    const struct odp_foreign_key *key = l != NULL ? row_key(r, field) : NULL;
    const struct odp_code_label *found = key != NULL ? find_in(l, key->target, value) : NULL;
    return found != NULL ? found->text : (struct odp_text){{"", ""}};
}

const struct odp_place_shapes *odp_code_lists_shapes(const struct odp_code_lists *l,
                                                     const struct odp_resource *r)
{
    const struct odp_place_shapes *shapes = l != NULL && r != NULL ? l->lists[r->index].shapes : NULL;
    return shapes != NULL && shapes->n > 0 ? shapes : NULL;
}

/* ---- whether names say anything ---- */

static void say(const struct odp_text *text, struct odp_slice code, bool says[ODP_LANGS])
{
    const char *id = odp_text_get(text, ODP_LANG_ID), *en = odp_text_get(text, ODP_LANG_EN);
    if (odp_text_is_empty(text))
        return;
    says[ODP_LANG_ID] = says[ODP_LANG_ID] || !odp_slice_is(code, id);
    says[ODP_LANG_EN] = says[ODP_LANG_EN] || strcmp(id, en) != 0;
}

void odp_code_lists_say(const struct odp_code_lists *l, const struct odp_resource *r, uint32_t field,
                        bool says[ODP_LANGS])
{
    const struct odp_field *f = &r->schema.fields[field];
    const struct odp_code_list *list = odp_code_lists_of(l, r, field);
    says[ODP_LANG_ID] = says[ODP_LANG_EN] = false;
    for (size_t i = 0; i < f->ncategories; i++)
        say(&f->categories[i].label, f->categories[i].value, says);
    for (size_t i = 0; list != NULL && i < list->n; i++)
        say(&list->labels[i].text, list->labels[i].code, says);
}
