/* What changes in the life of a dataset or field: deprecation, earlier names and addresses, how long versions stay. */
#include "base/decimal.h"
#include "catalog/catalog_internal.h"

#define FORM_DATE  "YYYY-MM-DD"
#define FORM_TEXT  "{\"id\", \"en\"}"
#define FORMER_MAX 100
#define NOTIFY_MIN 60           /* seconds: below, odp:notifyEvery would join nothing that a build can make */
#define NOTIFY_MAX (31 * 86400) /* above, nobody would call it a notice */

/* ---- deprecation ---------------------------------------------------------------------------------------------------------
 */

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

/* What takes the place; null says that nothing does, and then odp:note says why. */
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

static const struct list former_names = {sizeof(const char *), AT(odp_field, nformer), 1, FORMER_MAX, .read = former_name_read};

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

/* ---- names within a schema -----------------------------------------------------------------------------------------------
 */

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool holds(const char **sorted, size_t n, const char *name)
{
    return n > 0 && bsearch(&name, sorted, n, sizeof *sorted, compare_strings) != NULL;
}

/* The names of all fields, and (FORMER) all their earlier ones, sorted. */
static const char **sort_names(struct doc *d, const struct odp_schema *s, bool former, size_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        *n += former ? s->fields[i].nformer : 1;
    const char **names = doc_zero(d, *n, sizeof *names);
    size_t k = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!former)
            names[k++] = s->fields[i].name;
        for (size_t j = 0; former && j < s->fields[i].nformer; j++)
            names[k++] = s->fields[i].former[j];
    }
    if (k > 1)
        qsort(names, k, sizeof *names, compare_strings);
    return names;
}

static void check_heir(struct node field, const struct odp_schema *s, const struct odp_field *f, const char **names)
{
    struct node heir = node_get(field, "odp:replacedBy");
    if (f->replaced_by == NULL)
        return;
    if (strcmp(f->replaced_by, f->name) == 0) {
        node_fault(heir, ODP_C16, "odp:replacedBy", "name");
    } else if (!holds(names, s->n, f->replaced_by)) {
        schema_unknown_field(heir, s, odp_slice_of(f->replaced_by));
    } else if (f->is_public && !s->fields[odp_schema_find(s, odp_slice_of(f->replaced_by))].is_public) {
        node_fault(heir, ODP_C16, "odp:replacedBy", "sdi:aksesPublik"); /* users could not see what they are sent to */
    }
}

/* How often NAME stands in SORTED. */
static size_t count_of(const char **sorted, size_t n, const char *name)
{
    const char **at = n > 0 ? bsearch(&name, sorted, n, sizeof *sorted, compare_strings) : NULL;
    if (at == NULL)
        return 0;
    size_t low = (size_t)(at - sorted), high = low + 1;
    while (low > 0 && strcmp(sorted[low - 1], name) == 0)
        low--;
    while (high < n && strcmp(sorted[high], name) == 0)
        high++;
    return high - low;
}

void schema_lifecycle_check(struct node fields, const struct odp_schema *s)
{
    size_t n, nformer;
    const char **names = sort_names(fields.doc, s, false, &n), **former = sort_names(fields.doc, s, true, &nformer);
    const struct odp_field *field;
    for (struct field_iter it = fields_iterate(fields, s); (field = field_next(&it)) != NULL;) {
        check_heir(it.at.item, s, field, names);
        struct node list = node_get(it.at.item, "odp:formerNames");
        for (struct node_iter k = node_iterate(list); field->nformer > 0 && node_next(&k);) {
            const char *name = json_string_value(k.item.json);
            if (name == NULL)
                continue;
            if (holds(names, n, name))
                node_fault(k.item, ODP_C16, "odp:formerNames", "name");
            else if (count_of(former, nformer, name) > 1)
                node_fault(k.item, ODP_C08, name, NULL);
        }
    }
}

/* ---- a resource ----------------------------------------------------------------------------------------------------------
 */

void resource_lifecycle_read(struct node n, struct odp_resource *r)
{
    static const char form[] = "resources.name, null";
    static const char *const keys[] = {"odp:deprecated", "odp:sunset", "odp:replacedBy"};
    if (!has_window(n))
        return;
    if (r->primary) { /* it goes with its dataset, whose properties these are */
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            (void)node_misplaced(node_get(n, keys[i]), "resources[1…]; odp:status");
        return;
    }
    read_window(n, &r->deprecated, &r->sunset);
    r->replaced_by = read_heir(n, form);
    need_all(n, form);
}

void resources_lifecycle_check(struct node list, const struct odp_dataset *d)
{
    size_t k = 0; /* the dataset's resources are the list's objects, in its order */
    for (struct node_iter it = node_iterate(list); k < d->nresources && node_next(&it);) {
        if (!json_is_object(it.item.json))
            continue;
        const struct odp_resource *r = &d->resources[k++];
        struct node heir = node_get(it.item, "odp:replacedBy");
        bool found = r->replaced_by == NULL;
        for (size_t i = 0; i < d->nresources && !found; i++)
            found = &d->resources[i] != r && strcmp(d->resources[i].name, r->replaced_by) == 0;
        list.doc->resource = r->name;
        if (!found && strcmp(r->replaced_by, r->name) == 0)
            node_fault(heir, ODP_C16, "odp:replacedBy", "name");
        else if (!found)
            node_fault(heir, ODP_C07, r->replaced_by, d->resources[0].name);
        list.doc->resource = NULL;
    }
}

/* ---- a dataset -----------------------------------------------------------------------------------------------------------
 */

static bool shorter(int64_t hours, int64_t than)
{
    return hours > 0 && (than < 0 || hours < than);
}

bool retention_read(struct node n, void *into)
{
    static const struct key keys[] = { /* hours; null is for ever, absent is none */
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
    r->present = r->all > 0 && (hourly.json == NULL) == (r->hourly == 0) && (daily.json == NULL) == (r->daily == 0); /* all were understood */
    /* What is kept more thinly is kept for longer, or the rule would say nothing. */
    if (r->present && shorter(r->hourly, r->all))
        node_fault(hourly, ODP_C16, "hourly", "all");
    else if (r->present && (shorter(r->daily, r->all) || shorter(r->daily, r->hourly)))
        node_fault(daily, ODP_C16, "daily", shorter(r->daily, r->all) ? "all" : "hourly");
    return r->present;
}

/* Seconds of an ISO 8601 duration whose length does not depend on the calendar: PnW, or PnDTnHnMnS in whole numbers. False: it
 * is none. */
static bool read_duration(const char *s, int64_t *seconds)
{
    static const struct {
        char unit;
        bool clock;
        int64_t seconds;
    } units[] = {{'W', false, 604800}, {'D', false, 86400}, {'H', true, 3600}, {'M', true, 60}, {'S', true, 1}};
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
        while (k < sizeof units / sizeof *units && (units[k].unit != s[digits] || units[k].clock != clock))
            k++;
        if (k == sizeof units / sizeof *units || (k == 0 && s[digits + 1] != '\0')) /* weeks stand alone */
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
    if (d->reference && node_misplaced(n, "dataset")) /* code lists are not published */
        return false;
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
    static const struct list list = {sizeof(struct odp_former_slug), AT(odp_dataset, nformer), 1, FORMER_MAX, .read = former_slug_read};
    struct odp_dataset *d = into;
    if (!node_is_array(n) || (d->reference && node_misplaced(n, "dataset"))) /* code lists have no address */
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

/* ---- addresses within the catalogue --------------------------------------------------------------------------------------
 */

struct former {
    const char *slug;
    struct node at;
    const struct entry *of;
    size_t order;
};

static int by_slug(const void *a, const void *b)
{
    const struct former *x = a, *y = b;
    int c = strcmp(x->slug, y->slug);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

static int by_arrival(const void *a, const void *b)
{
    const struct former *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Every earlier address with its place in the text. */
static struct former *list_former(struct entry *entries, size_t n, struct doc *d, size_t *count)
{
    size_t cap = 0;
    for (size_t i = 0; i < n; i++)
        cap += entries[i].dataset.nformer;
    struct former *all = doc_zero(d, cap, sizeof *all);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t left = entries[i].dataset.nformer;
        struct node list = node_get(doc_root(&entries[i].doc), "odp:formerSlugs");
        for (struct node_iter it = node_iterate(list); left > 0 && node_next(&it);) {
            const char *slug = json_string_value(json_object_get(it.item.json, "slug"));
            if (slug != NULL && strcmp(slug, entries[i].dataset.former[entries[i].dataset.nformer - left].slug) == 0) {
                all[*count] = (struct former){slug, node_get(it.item, "slug"), &entries[i], *count};
                *count += 1;
                left--;
            }
        }
    }
    return all;
}

static int entry_by_slug(const void *a, const void *b)
{
    return strcmp((*(struct entry *const *)a)->dataset.slug, (*(struct entry *const *)b)->dataset.slug);
}

void former_slugs_check(struct entry *entries, size_t n)
{
    size_t count;
    if (n == 0)
        return;
    struct doc *d = &entries[0].doc;
    struct former *all = list_former(entries, n, d, &count);
    if (count == 0)
        return;
    struct entry **sorted = doc_zero(d, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &entries[i];
    qsort(sorted, n, sizeof *sorted, entry_by_slug);
    qsort(all, count, sizeof *all, by_slug);
    for (size_t i = 1; i < count; i++)
        if (strcmp(all[i - 1].slug, all[i].slug) == 0)
            node_fault(all[i].at, ODP_C08, all[i].slug, NULL);
    qsort(all, count, sizeof *all, by_arrival);
    for (size_t i = 0; i < count; i++) {
        const struct entry live = {.dataset = {.slug = all[i].slug}}, *key = &live;
        if (bsearch(&key, sorted, n, sizeof *sorted, entry_by_slug) != NULL)
            node_fault(all[i].at, ODP_C08, all[i].slug, NULL); /* two datasets would answer at one address */
    }
}
