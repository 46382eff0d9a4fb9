/* How a resource's records can be searched: odp:index, odp:datetime, odp:queryables, odp:timeline. The first
 * two need the schema alone and are read with the resource; the others look through foreign keys, and are
 * read when those are resolved. */
#include "catalog/catalog_internal.h"

#define INDEXES_MAX    50
#define QUERYABLES_MAX 50
#define PREFIX_MAX     64
#define TITLE_MAX      300 /* bytes */

/* ---- odp:index ---- */

static bool index_ok(struct node n, const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t i = 0; i < key->n; i++) {
        const struct odp_field *f = &s->fields[key->fields[i]];
        if (!f->is_public) {
            node_fault(n, ODP_C16, n.key, "sdi:aksesPublik");
            return false;
        }
        if (!type_is_word(f->type)) {
            field_misfit(n, f, "string, number, integer, boolean, date, year …");
            return false;
        }
    }
    return true;
}

static void index_read(struct node n, struct odp_resource *r)
{
    if (json_is_false(n.json)) {
        r->no_search = true;
        return;
    }
    if (n.json == NULL || r->schema.n == 0)
        return;
    if (!json_is_array(n.json) || json_array_size(n.json) > INDEXES_MAX) {
        node_fault(n, ODP_C04, NULL, "[fields.name, [fields.name, …], …] ≤ 50; false");
        return;
    }
    r->indexes = doc_zero(n.doc, json_array_size(n.json), sizeof *r->indexes);
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        struct odp_key *key = &r->indexes[r->nindexes];
        bool ok = key_read(it.item, &r->schema, key) && index_ok(it.item, &r->schema, key);
        for (size_t i = 0; i < r->nindexes && ok; i++)
            if (odp_key_same(&r->indexes[i], key)) {
                node_fault(it.item, ODP_C08, key_names(n.doc, &r->schema, key), NULL);
                ok = false;
            }
        r->nindexes += ok;
    }
}

/* ---- odp:datetime ---- */

static int read_date_field(struct node n, const struct odp_schema *s)
{
    int field = public_field_read(n, s);
    if (field < 0 || s->fields[field].type == ODP_TYPE_DATE || s->fields[field].type == ODP_TYPE_DATETIME)
        return field;
    field_misfit(n, &s->fields[field], "date, datetime");
    return -1;
}

static void datetime_read(struct node n, struct odp_resource *r)
{
    int at[2] = {-1, -1};
    if (n.json == NULL || r->schema.n == 0)
        return;
    if (!json_is_string(n.json) && (!json_is_array(n.json) || json_array_size(n.json) != 2)) {
        node_fault(n, ODP_C04, NULL, "fields.name, [fields.name, fields.name]");
        return;
    }
    if (json_is_string(n.json)) {
        at[0] = at[1] = read_date_field(n, &r->schema);
    } else {
        int k = 0;
        for (struct node_iter it = node_iterate(n); node_next(&it) && k < 2; k++)
            at[k] = read_date_field(it.item, &r->schema);
    }
    if (at[0] < 0 || at[1] < 0)
        return;
    /* A day is no instant: their order would be undefined. */
    const struct odp_field *start = &r->schema.fields[at[0]], *end = &r->schema.fields[at[1]];
    if (start->type != end->type) {
        node_fault(n, ODP_C15,
                   doc_printf(n.doc, "%s (%s), %s (%s)", start->name, odp_type_name(start->type), end->name,
                              odp_type_name(end->type)),
                   "date + date, datetime + datetime");
        return;
    }
    r->datetime[0] = at[0];
    r->datetime[1] = at[1];
}

void search_read(struct node resource, struct odp_resource *r)
{
    r->datetime[0] = r->datetime[1] = -1;
    index_read(node_inherited(resource, "odp:index", r->primary), r);
    datetime_read(node_inherited(resource, "odp:datetime", r->primary), r);
}

/* ---- names of added columns ---- */

/* A new column's name: not a field's, and fit to be a parameter without being one already. */
static const char *read_name(struct node n, const struct odp_resource *r)
{
    static const char *const taken[] = {"geometry", "filter",    "q",      "bbox",   "datetime", "properties",
                                        "sortby",   "limit",     "offset", "cursor", "facets",   "groupby",
                                        "view",     "aggregate", "crs",    "f",      "id",       NULL};
    const char *name = node_string(n);
    size_t len = name != NULL ? strlen(name) : 0;
    if (name == NULL)
        return NULL;
    bool ok = len > 0 && len <= 64 && *name >= 'a' && *name <= 'z' &&
              strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
    for (size_t i = 0; taken[i] != NULL && ok; i++)
        ok = strcmp(name, taken[i]) != 0;
    if (!ok) {
        node_fault(n, ODP_C06, name, "'_' (≤ 64)");
        return NULL;
    }
    ok = odp_schema_find(&r->schema, odp_slice_of(name)) < 0;
    for (size_t i = 0; i < r->nqueryables && ok; i++)
        ok = strcmp(r->queryables[i].name, name) != 0;
    if (!ok)
        node_fault(n, ODP_C08, name, NULL);
    return ok ? name : NULL;
}

/* ---- odp:queryables ---- */

static void check_prefix_base(struct node n, const struct odp_field *f)
{
    if (f->type != ODP_TYPE_STRING)
        field_misfit(n, f, "string");
    else if (f->document != NULL) /* its published values are others */
        node_fault(n, ODP_C16, n.key, "odp:document");
}

/* The text that N names: a field, or what an entry before this one made. */
static void read_base(struct node n, const struct odp_resource *r, struct odp_queryable *q)
{
    const char *name = node_string(n);
    for (size_t i = 0; name != NULL && i < r->nqueryables; i++)
        if (strcmp(r->queryables[i].name, name) == 0) {
            q->queryable = (int)i;
            if (r->queryables[i].type != ODP_TYPE_STRING)
                node_fault(n, ODP_C17,
                           doc_printf(n.doc, "%s (%s)", name, odp_type_name(r->queryables[i].type)),
                           "string");
            return;
        }
    q->field = public_field_read(n, &r->schema);
    if (q->field >= 0)
        check_prefix_base(n, &r->schema.fields[q->field]);
}

static void read_prefix(struct node n, const struct odp_resource *r, struct odp_queryable *q)
{
    struct node prefix = node_need(n, "prefix", "1 … 64");
    q->kind = ODP_QUERYABLE_PREFIX;
    q->type = ODP_TYPE_STRING;
    read_base(node_need(n, "field", "fields.name"), r, q);
    if (!node_int(prefix, 1, PREFIX_MAX, &q->prefix) || q->queryable < 0)
        return;
    const struct odp_queryable *base = &r->queryables[q->queryable];
    if (base->kind == ODP_QUERYABLE_PREFIX &&
        base->prefix <= q->prefix) /* it has no more characters than that */
        node_fault(prefix, ODP_C16, "prefix", base->name);
}

/* The foreign key over the fields that N lists. NULL: none (reported). */
static const struct odp_foreign_key *read_foreign(struct node n, const struct entry *e,
                                                  const struct odp_resource *r)
{
    struct odp_key local = {0};
    if (n.json == NULL || !key_read(n, &r->schema, &local))
        return NULL;
    const struct odp_resource *first = e->dataset.resources;
    const struct odp_foreign_key *best = NULL;
    bool found = false;
    for (size_t i = 0; i < r->nforeign && best == NULL; i++) {
        const struct odp_foreign_key *key = &r->foreign[i];
        if (!odp_key_same(&key->local, &local))
            continue;
        found = true;
        bool earlier = false;
        for (const struct odp_resource *t = first; t < r; t++)
            earlier = earlier || t == key->target;
        if (earlier && odp_key_same(&key->remote, &key->target->schema.primary))
            best = key;
    }
    for (const struct pending_key *p = e->keys; p != NULL && !found; p = p->next)
        if (p->resource == r && odp_key_same(&p->local, &local))
            return NULL; /* it does not resolve */
    if (best == NULL) {
        node_fault(n, ODP_C19, key_names(n.doc, &r->schema, &local), NULL);
        return NULL;
    }
    if (key_is_public(&r->schema, &best->local) && key_is_public(&best->target->schema, &best->remote))
        return best;
    node_fault(n, ODP_C16, n.key, "sdi:aksesPublik"); /* its values would reveal something of it */
    return NULL;
}

static void read_taken(struct node n, const struct entry *e, const struct odp_resource *r,
                       struct odp_queryable *q)
{
    struct node take = node_need(n, "take", "fields.name");
    q->kind = ODP_QUERYABLE_TAKEN;
    q->key = read_foreign(node_need(n, "key", "[fields.name]"), e, r);
    if (q->key == NULL)
        return;
    if (q->key->target->no_search) { /* values are looked up in its index */
        node_fault(take, ODP_C16, "take", "odp:index");
        return;
    }
    const struct odp_schema *s = &q->key->target->schema;
    q->take = public_field_read(take, s);
    if (q->take < 0)
        return;
    const struct odp_field *f = &s->fields[q->take];
    q->type = f->type;
    if (!type_is_word(f->type))
        field_misfit(take, f, "string, number, integer, boolean, date, year …");
    else if (f->document != NULL) /* a path below the other table's own version */
        node_fault(take, ODP_C16, "take", "odp:document");
    if (q->title.in[ODP_LANG_ID] == NULL && q->title.in[ODP_LANG_EN] == NULL)
        q->title = f->title;
}

static void read_queryable(struct node n, const struct entry *e, struct odp_resource *r)
{
    static const struct key keys[] = {
        KNOWN("name"),  {"title", KEY_LINE, .at = AT(odp_queryable, title), .most = TITLE_MAX},
        KNOWN("field"), KNOWN("prefix"),
        KNOWN("key"),   KNOWN("take")};
    static const char *const of_prefix[] = {"field", "prefix", NULL};
    struct odp_queryable q = {.field = -1, .queryable = -1, .take = -1, .where = node_where(n)};
    if (!object_read(n, &TABLE(keys), &q))
        return;
    struct node take = node_get(n, "take");
    bool taken = take.json != NULL || node_get(n, "key").json != NULL;
    for (size_t i = 0; of_prefix[i] != NULL && taken; i++)
        if (node_get(n, of_prefix[i]).json != NULL)
            node_fault_key(node_get(n, of_prefix[i]), ODP_C16, of_prefix[i], "take");
    struct node name = node_get(n, "name");
    if (name.json == NULL && taken)
        name = take; /* the same name here as there */
    else if (name.json == NULL)
        name = node_need(n, "name", "string");
    q.name = read_name(name, r);
    if (taken)
        read_taken(n, e, r, &q);
    else
        read_prefix(n, r, &q);
    bool whole = taken ? q.key != NULL && q.take >= 0 : q.prefix > 0 && (q.field >= 0 || q.queryable >= 0);
    if (q.name != NULL && whole)
        r->queryables[r->nqueryables++] = q;
}

static void queryables_read(struct node n, const struct entry *e, struct odp_resource *r)
{
    if (!list_fits(n, 0, QUERYABLES_MAX))
        return;
    r->queryables = doc_zero(n.doc, json_array_size(n.json), sizeof *r->queryables);
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        read_queryable(it.item, e, r);
}

/* ---- odp:timeline ---- */

static int read_timeline_field(struct node n, const struct odp_schema *s, bool date)
{
    int field = public_field_read(n, s);
    if (field < 0)
        return -1;
    const struct odp_field *f = &s->fields[field];
    if (date ? f->type == ODP_TYPE_DATE : type_is_word(f->type))
        return field;
    field_misfit(n, f, date ? "date" : "string, integer, date, year …");
    return -1;
}

static void timeline_read(struct node n, struct odp_resource *r)
{
    static const struct key keys[] = {
        {"project", .need = "fields.name"}, {"milestone", .need = "fields.name"},
        {"planned", .need = "fields.name"}, {"actual", .need = "fields.name"},
        {"date", .need = "string"},         {"delay", .need = "string"}};
    struct odp_timeline *t = doc_zero(n.doc, 1, sizeof *t);
    int fields[4];
    if (!object_read(n, &TABLE(keys), t))
        return;
    t->where = node_where(n);
    for (size_t i = 0; i < 4; i++) {
        fields[i] = read_timeline_field(node_get(n, keys[i].name), &r->schema, i >= 2);
        for (size_t j = 0; j < i && fields[i] >= 0; j++)
            if (fields[i] == fields[j]) {
                node_fault(node_get(n, keys[i].name), ODP_C16, keys[i].name, keys[j].name);
                fields[i] = -1;
            }
    }
    struct node delay = node_get(n, "delay");
    t->date = read_name(node_get(n, "date"), r);
    t->delay = read_name(delay, r);
    if (t->date != NULL && t->delay != NULL && strcmp(t->date, t->delay) == 0) {
        node_fault(delay, ODP_C08, t->delay, NULL);
        t->delay = NULL;
    }
    t->project = fields[0];
    t->milestone = fields[1];
    t->planned = fields[2];
    t->actual = fields[3];
    if (fields[0] >= 0 && fields[1] >= 0 && fields[2] >= 0 && fields[3] >= 0 && t->date != NULL &&
        t->delay != NULL)
        r->timeline = t;
}

static void resolve(struct node resource, const struct entry *e, struct odp_resource *r)
{
    struct node queryables = node_inherited(resource, "odp:queryables", r->primary),
                timeline = node_inherited(resource, "odp:timeline", r->primary);
    if (r->schema.n == 0)
        return;
    if (r->no_search && queryables.json != NULL)
        node_fault_key(queryables, ODP_C16, "odp:queryables", "odp:index");
    if (r->no_search && timeline.json != NULL)
        node_fault_key(timeline, ODP_C16, "odp:timeline", "odp:index");
    if (r->no_search)
        return;
    queryables_read(queryables, e, r);
    if (timeline.json != NULL)
        timeline_read(timeline, r);
}

void search_resolve(struct entry *e)
{
    struct doc *d = &e->doc;
    struct odp_dataset *dataset = &e->dataset;
    struct node list = node_get(doc_root(d), "resources");
    const signed char *before = d->severity;
    if (!json_is_array(list.json))
        return;
    for (struct node_iter it = node_iterate(list); node_next(&it);) {
        struct odp_resource *r = resource_of(dataset, it.item.json);
        if (r == NULL)
            continue; /* was no resource: reported */
        d->resource = odp_resource_said(r);
        d->severity = r->severity;
        resolve(it.item, e, r);
        d->resource = NULL;
        d->severity = before;
    }
}
