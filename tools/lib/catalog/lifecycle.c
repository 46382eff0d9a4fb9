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

void field_lifecycle_read(struct node n, struct odp_field *f)
{
    static const char form[] = "fields.name, null";
    read_window(n, &f->deprecated, &f->sunset);
    f->replaced_by = read_heir(n, form);
    if (has_window(n))
        need_all(n, form);
    struct node former = node_get(n, "odp:formerNames");
    if (!node_is_array(former))
        return;
    if (json_array_size(former.json) == 0 || json_array_size(former.json) > FORMER_MAX) {
        node_fault(former, ODP_C04, NULL, "1 ≤ […] ≤ 100");
        return;
    }
    const char **names = doc_zero(n.doc, json_array_size(former.json), sizeof *names);
    for (struct node_iter it = node_iterate(former); names != NULL && node_next(&it);) {
        const char *name = node_string(it.item);
        if (name != NULL && *name == '\0')
            node_fault(it.item, ODP_C04, NULL, "string ≥ 1");
        else if (name != NULL)
            names[f->nformer++] = name;
    }
    f->former = names;
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

/* The names of all fields, and (FORMER) all their earlier ones, sorted. NULL without memory. */
static const char **sort_names(struct doc *d, const struct odp_schema *s, bool former, size_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        *n += former ? s->fields[i].nformer : 1;
    const char **names = doc_zero(d, *n, sizeof *names);
    if (names == NULL)
        return NULL;
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
    uint32_t f = 0; /* the schema's fields are the list's, in its order, without those that were not understood */
    for (struct node_iter it = node_iterate(fields); names != NULL && former != NULL && node_next(&it);) {
        if (f == s->n || it.item.json != s->fields[f].json)
            continue;
        const struct odp_field *field = &s->fields[f++];
        fields.doc->field = field->name;
        check_heir(it.item, s, field, names);
        struct node list = node_get(it.item, "odp:formerNames");
        for (struct node_iter k = node_iterate(list); field->nformer > 0 && node_next(&k);) {
            const char *name = json_string_value(k.item.json);
            if (name == NULL)
                continue;
            if (holds(names, n, name))
                node_fault(k.item, ODP_C16, "odp:formerNames", "name");
            else if (count_of(former, nformer, name) > 1)
                node_fault(k.item, ODP_C08, name, NULL);
        }
        fields.doc->field = NULL;
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
            if (node_get(n, keys[i]).json != NULL)
                node_fault_key(node_get(n, keys[i]), ODP_C11, keys[i], "resources[1…]; odp:status");
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

/* Hours from 1 on; null is for ever, absent is none. */
static int64_t read_hours(struct node n, bool *ok)
{
    int64_t hours = 0;
    if (n.json == NULL)
        return 0;
    if (json_is_null(n.json))
        return -1;
    *ok = node_int(n, 1, INT32_MAX, &hours) && *ok;
    return hours;
}

static bool shorter(int64_t hours, int64_t than)
{
    return hours > 0 && (than < 0 || hours < than);
}

static void read_retention(struct node n, struct odp_retention *r)
{
    static const char *const known[] = {"all", "hourly", "daily", NULL};
    bool ok = true;
    if (n.json == NULL)
        return;
    if (!json_is_object(n.json)) {
        node_fault(n, ODP_C04, NULL, "{\"all\": 24, \"hourly\": 168, \"daily\": null}");
        return;
    }
    node_known(n, known, true);
    struct node all = node_need(n, "all", "integer"), hourly = node_get(n, "hourly"), daily = node_get(n, "daily");
    ok = node_int(all, 1, INT32_MAX, &r->all);
    r->hourly = read_hours(hourly, &ok);
    r->daily = read_hours(daily, &ok);
    /* What is kept more thinly is kept for longer, or the rule would say nothing. */
    if (ok && shorter(r->hourly, r->all))
        node_fault(hourly, ODP_C16, "hourly", "all");
    else if (ok && (shorter(r->daily, r->all) || shorter(r->daily, r->hourly)))
        node_fault(daily, ODP_C16, "daily", shorter(r->daily, r->all) ? "all" : "hourly");
    r->present = ok;
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

static void read_notify_every(struct node n, struct odp_dataset *d)
{
    const char *text = node_string(n);
    int64_t seconds;
    if (n.json != NULL && d->reference) { /* code lists are not published */
        node_fault_key(n, ODP_C11, "odp:notifyEvery", "dataset");
        return;
    }
    if (text == NULL)
        return;
    if (!read_duration(text, &seconds) || seconds < NOTIFY_MIN || seconds > NOTIFY_MAX)
        node_fault(n, ODP_C24, NULL, "PT1M … P31D");
    else
        d->notify_every = seconds;
}

static void read_former_slugs(struct node n, struct odp_dataset *d)
{
    static const char *const known[] = {"slug", "sunset", NULL};
    if (!node_is_array(n))
        return;
    if (d->reference) { /* code lists have no address */
        node_fault_key(n, ODP_C11, "odp:formerSlugs", "dataset");
        return;
    }
    if (json_array_size(n.json) == 0 || json_array_size(n.json) > FORMER_MAX) {
        node_fault(n, ODP_C04, NULL, "1 ≤ […] ≤ 100");
        return;
    }
    d->former = doc_zero(n.doc, json_array_size(n.json), sizeof *d->former);
    for (struct node_iter it = node_iterate(n); d->former != NULL && node_next(&it);) {
        if (!node_is_object(it.item))
            continue;
        node_known(it.item, known, true);
        struct node slug = node_need(it.item, "slug", "string");
        const char *name = node_string(slug), *sunset = node_date(node_need(it.item, "sunset", FORM_DATE), false);
        if (name != NULL && name_check(slug, name, true) && sunset != NULL)
            d->former[d->nformer++] = (struct odp_former_slug){name, sunset};
    }
}

void dataset_lifecycle_read(struct node root, struct odp_dataset *d)
{
    static const char form[] = "slug, null";
    read_window(root, &d->deprecated, &d->sunset);
    d->replaced_by = read_heir(root, form);
    if (d->state == ODP_STATE_DEPRECATED)
        need_all(root, form);
    (void)node_text(node_get(root, "odp:correction"), &d->correction);
    read_retention(node_get(root, "odp:retention"), &d->retention);
    read_notify_every(node_get(root, "odp:notifyEvery"), d);
    read_former_slugs(node_get(root, "odp:formerSlugs"), d);
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
    for (size_t i = 0; all != NULL && i < n; i++) {
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
    struct entry **sorted = count > 0 ? doc_zero(d, n, sizeof *sorted) : NULL;
    if (all == NULL || sorted == NULL)
        return;
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
