/* What changes in the life of a dataset or field: deprecation, earlier names and addresses, how long versions
 * stay. */
#include "base/decimal.h"
#include "base/json_load.h"
#include "catalog/catalog_internal.h"

#define FORM_DATE  "YYYY-MM-DD"
#define FORM_TEXT  "{\"id\", \"en\"}"
#define FORMER_MAX 100
#define NOTIFY_MIN 60           /* seconds: below, odp:notifyEvery would join nothing that a build can make */
#define NOTIFY_MAX (31 * 86400) /* above, it is no notice */

/* ---- deprecation ---- */

/* The two dates: both NULL unless both are there and in order (RFC 9745, section 4). */
static void read_window(struct node n, const char **deprecated, const char **sunset)
{
    struct node end = node_get(n, "odp:sunset");
    const char *from = node_date(node_get(n, "odp:deprecated"), false), *to = node_date(end, false);
    if (from != NULL && to != NULL && strcmp(to, from) < 0)
        node_fault(end, ODP_C16, "odp:sunset", "odp:deprecated");
    else if (from != NULL && to != NULL) {
        *deprecated = from;
        *sunset = to;
    }
}

/* The replacement; null: none, and odp:note must say why. */
static const char *read_heir(struct node n, const char *form)
{
    struct node heir = node_get(n, "odp:replacedBy");
    if (heir.json == NULL)
        return NULL;
    if (json_is_null(heir.json)) {
        (void)node_need(n, "odp:note", FORM_TEXT);
        return NULL;
    }
    if (json_is_string(heir.json))
        return json_string_value(heir.json);
    node_fault(heir, ODP_C04, NULL, form);
    return NULL;
}

/* Who relies on it must know until when, and what comes instead. */
static void need_all(struct node n, const char *heir_form)
{
    (void)node_need(n, "odp:deprecated", FORM_DATE);
    (void)node_need(n, "odp:sunset", FORM_DATE);
    (void)node_need(n, "odp:replacedBy", heir_form);
}

static bool has_window(struct node n)
{
    return node_get(n, "odp:deprecated").json != NULL || node_get(n, "odp:sunset").json != NULL ||
           node_get(n, "odp:replacedBy").json != NULL;
}

static bool former_name_read(struct node n, void *into)
{
    const char *name = node_string(n);
    if (name != NULL && *name == '\0') {
        node_fault(n, ODP_C04, NULL, "string ≥ 1");
        return false;
    }
    *(const char **)into = name;
    return name != NULL;
}

static const struct list former_names = {sizeof(const char *), AT(odp_field, nformer), 1, FORMER_MAX,
                                         .read = former_name_read};

void field_lifecycle_read(struct node n, struct odp_field *f)
{
    static const char form[] = "fields.name, null";
    read_window(n, &f->deprecated, &f->sunset);
    f->replaced_by = read_heir(n, form);
    if (has_window(n))
        need_all(n, form);
    struct node former = node_get(n, "odp:formerNames");
    f->former = list_read(former, &former_names, &f->nformer);
}

/* ---- names within a schema ---- */

/* How often each name is one of a field, or (FORMER) an earlier one of any. */
static json_t *count_names(const struct odp_schema *s, bool former)
{
    json_t *names = json_object();
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < (former ? s->fields[i].nformer : 1); k++) {
            const char *name = former ? s->fields[i].former[k] : s->fields[i].name;
            json_object_set_new(names, name,
                                json_integer(json_integer_value(json_object_get(names, name)) + 1));
        }
    return names;
}

static void check_heir(struct node field, const struct odp_schema *s, const struct odp_field *f,
                       const json_t *names)
{
    struct node heir = node_get(field, "odp:replacedBy");
    if (f->replaced_by == NULL)
        return;
    if (strcmp(f->replaced_by, f->name) == 0) {
        node_fault(heir, ODP_C16, "odp:replacedBy", "name");
    } else if (json_object_get(names, f->replaced_by) == NULL) {
        schema_unknown_field(heir, s, odp_slice_of(f->replaced_by));
    } else if (f->is_public && !s->fields[odp_schema_find(s, odp_slice_of(f->replaced_by))].is_public) {
        node_fault(heir, ODP_C16, "odp:replacedBy",
                   "sdi:aksesPublik"); /* users could not see what they are sent to */
    }
}

void schema_lifecycle_check(struct node fields, const struct odp_schema *s)
{
    json_t *names = count_names(s, false), *former = count_names(s, true);
    const struct odp_field *field;
    for (struct field_iter it = fields_iterate(fields, s); (field = field_next(&it)) != NULL;) {
        check_heir(it.at.item, s, field, names);
        struct node list = node_get(it.at.item, "odp:formerNames");
        for (struct node_iter k = node_iterate(list); field->nformer > 0 && node_next(&k);) {
            const char *name = json_string_value(k.item.json);
            if (name == NULL)
                continue;
            if (json_object_get(names, name) != NULL)
                node_fault(k.item, ODP_C16, "odp:formerNames", "name");
            else if (json_integer_value(json_object_get(former, name)) > 1)
                node_fault(k.item, ODP_C08, name, NULL);
        }
    }
    json_decref(names);
    json_decref(former);
}

/* ---- a resource ---- */

void resource_lifecycle_read(struct node n, struct odp_resource *r)
{
    static const char form[] = "resources.name, null";
    static const char *const keys[] = {"odp:deprecated", "odp:sunset", "odp:replacedBy"};
    if (!has_window(n))
        return;
    if (r->primary) { /* it goes with its dataset, whose properties these are */
        for (size_t i = 0; i < ODP_COUNT(keys); i++)
            (void)node_misplaced(node_get(n, keys[i]), "resources[1…]; odp:status");
        return;
    }
    read_window(n, &r->deprecated, &r->sunset);
    r->replaced_by = read_heir(n, form);
    need_all(n, form);
}

void resources_lifecycle_check(struct node list, const struct odp_dataset *d)
{
    for (struct node_iter it = node_iterate(list); node_next(&it);) {
        struct odp_resource *r = resource_of(d, it.item.json);
        if (r == NULL || r->replaced_by == NULL)
            continue;
        struct node heir = node_get(it.item, "odp:replacedBy");
        const struct odp_resource *found = resource_find(d, r->replaced_by);
        list.doc->resource = odp_resource_said(r);
        if (found == r)
            node_fault(heir, ODP_C16, "odp:replacedBy", "name");
        else if (found == NULL)
            node_fault(heir, ODP_C07, r->replaced_by, odp_resource_said(&d->resources[0]));
        else
            r->replaced_by = found->name;
        list.doc->resource = NULL;
    }
}

/* ---- a dataset ---- */

static bool shorter(int64_t hours, int64_t than)
{
    return hours > 0 && (than < 0 || hours < than);
}

bool retention_read(struct node n, void *into)
{
    static const struct key keys[] = {
        /* hours; null is for ever */
        {"all", KEY_INT, .at = AT(odp_retention, all), .need = "integer", .least = 1, .most = INT32_MAX},
        {"hourly", KEY_INT, .at = AT(odp_retention, hourly), .least = 1, .most = INT32_MAX, .or_null = true},
        {"daily", KEY_INT, .at = AT(odp_retention, daily), .least = 1, .most = INT32_MAX, .or_null = true},
    };
    struct odp_retention *r = &((struct odp_dataset *)into)->retention;
    if (!json_is_object(n.json)) {
        node_fault(n, ODP_C04, NULL, "{\"all\": 24, \"hourly\": 168, \"daily\": null}");
        return false;
    }
    (void)object_read(n, &TABLE(keys), r);
    struct node hourly = node_get(n, "hourly"), daily = node_get(n, "daily");
    r->present = r->all > 0 && (hourly.json == NULL) == (r->hourly == 0) &&
                 (daily.json == NULL) == (r->daily == 0); /* all were understood */
    /* Thinner versions are kept longer, or the rule would be void. */
    if (r->present && shorter(r->hourly, r->all))
        node_fault(hourly, ODP_C16, "hourly", "all");
    else if (r->present && (shorter(r->daily, r->all) || shorter(r->daily, r->hourly)))
        node_fault(daily, ODP_C16, "daily", shorter(r->daily, r->all) ? "all" : "hourly");
    return r->present;
}

/* Seconds of an ISO 8601 duration that needs no calendar: PnW, or PnDTnHnMnS in whole numbers. False: not
 * one. */
static bool read_duration(const char *s, int64_t *seconds)
{
    static const struct {
        char unit;
        bool clock;
        int64_t seconds;
    } units[] = {
        {'W', false, 604800}, {'D', false, 86400}, {'H', true, 3600}, {'M', true, 60}, {'S', true, 1}};
    size_t k = 0;
    bool clock = false, any = false;
    *seconds = 0;
    if (*s++ != 'P')
        return false;
    while (*s != '\0') {
        size_t digits = strspn(s + (*s == 'T'), "0123456789");
        if (*s == 'T' && (clock || digits == 0))
            return false;
        clock = clock || *s == 'T';
        s += *s == 'T';
        if (digits == 0 || digits > 9 || s[digits] == '\0')
            return false;
        while (k < ODP_COUNT(units) && (units[k].unit != s[digits] || units[k].clock != clock))
            k++;
        if (k == ODP_COUNT(units) || (k == 0 && s[digits + 1] != '\0')) /* weeks stand alone */
            return false;
        *seconds += strtoll(s, NULL, 10) * units[k++].seconds;
        any = true;
        s += digits + 1;
    }
    return any;
}

bool notify_every_read(struct node n, void *into)
{
    struct odp_dataset *d = into;
    int64_t seconds;
    const char *text = node_string(n);
    if (text == NULL)
        return false;
    if (!read_duration(text, &seconds) || seconds < NOTIFY_MIN || seconds > NOTIFY_MAX)
        node_fault(n, ODP_C24, NULL, "PT1M … P31D");
    else
        d->notify_every = seconds;
    return true;
}

static bool former_slug_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"slug", KEY_NAME, .at = AT(odp_former_slug, slug), .need = "string", .most = 1},
        {"sunset", KEY_DATE, .at = AT(odp_former_slug, sunset), .need = FORM_DATE},
    };
    struct odp_former_slug *f = into;
    return object_read(n, &TABLE(keys), f) && f->slug != NULL && f->sunset != NULL;
}

bool former_slugs_read(struct node n, void *into)
{
    static const struct list list = {sizeof(struct odp_former_slug), AT(odp_dataset, nformer), 1, FORMER_MAX,
                                     .read = former_slug_read};
    struct odp_dataset *d = into;
    if (!node_is_array(n))
        return false;
    d->former = list_read(n, &list, &d->nformer);
    return true;
}

void dataset_lifecycle_read(struct node root, struct odp_dataset *d)
{
    static const char form[] = "slug, null";
    read_window(root, &d->deprecated, &d->sunset);
    d->replaced_by = read_heir(root, form);
    if (d->state == ODP_STATE_DEPRECATED)
        need_all(root, form);
}

/* ---- addresses within the catalogue ---- */

/* A fault at every earlier address that NAMES has; ADD: each becomes one of them. */
static void check_former(struct entry *entries, size_t n, json_t *names, bool add)
{
    for (size_t i = 0; i < n; i++) {
        const struct odp_dataset *d = &entries[i].dataset;
        size_t k = 0; /* of those that were read, which come in the text's order */
        struct node list = node_get(doc_root(&entries[i].doc), "odp:formerSlugs");
        for (struct node_iter it = node_iterate(list); k < d->nformer && node_next(&it);) {
            const char *slug = odp_json_text(it.item.json, "slug");
            if (slug == NULL || strcmp(slug, d->former[k].slug) != 0)
                continue;
            k++;
            if (json_object_get(names, slug) != NULL)
                node_fault(node_get(it.item, "slug"), ODP_C08, slug, NULL);
            if (add)
                json_object_set_new(names, slug, json_true());
        }
    }
}

void former_slugs_check(struct entry *entries, size_t n)
{
    json_t *former = json_object(), *live = json_object();
    for (size_t i = 0; i < n; i++) { /* the datasets, then the code lists */
        const char *slug = entries[i].dataset.slug;
        if (json_object_get(live, slug) != NULL)
            node_fault(node_get(doc_root(&entries[i].doc), "name"), ODP_C08, slug, NULL);
        json_object_set_new(live, slug, json_true());
    }
    check_former(entries, n, former, true);
    check_former(entries, n, live, false); /* two datasets would answer at one address */
    json_decref(former);
    json_decref(live);
}
