/* portal.json: who publishes, under what terms, in which tiers. What has a file of its own: subjects, security, clients. */
#include "base/decimal.h"
#include "catalog/catalog_internal.h"

#define FORM_TEXT "{\"id\", \"en\"}"

static void read_tier(struct node n, struct odp_portal *p)
{
    static const char *const known[] = {"name",  "title",   "daily",       "burst", "concurrent",
                                        "price", "support", "description", "webhooks", NULL};
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct odp_tier *t = &p->tiers[p->ntiers];
    struct node name = node_need(n, "name", "string");
    t->name = node_string(name);
    if (t->name == NULL || !name_check(name, t->name, false))
        return;
    for (size_t i = 0; i < p->ntiers; i++)
        if (strcmp(p->tiers[i].name, t->name) == 0) {
            node_fault(name, ODP_C08, t->name, NULL);
            return;
        }
    node_text(node_get(n, "title"), &t->title);
    node_text(node_get(n, "support"), &t->support);
    struct node daily = node_need(n, "daily", "integer, null");
    t->daily = -1;
    if (!json_is_null(daily.json))
        (void)node_int(daily, 1, INT64_MAX, &t->daily);
    (void)node_int(node_need(n, "burst", "integer"), 1, INT32_MAX, &t->burst);
    (void)node_int(node_need(n, "concurrent", "integer"), 1, INT32_MAX, &t->concurrent);
    (void)node_int(node_get(n, "price"), 0, INT64_MAX, &t->price);
    struct node webhooks = node_get(n, "webhooks");
    t->webhooks = webhooks.json == NULL ? ODP_WEBHOOKS_UNSAID : ODP_WEBHOOKS_ANY;
    if (!json_is_null(webhooks.json))
        (void)node_int(webhooks, 0, 1000000, &t->webhooks);
    p->ntiers++;
}

static void read_license(struct node n, struct odp_portal *p)
{
    static const char *const known[] = {"name", "path", "title", NULL};
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    p->license_name = node_string(node_need(n, "name", "string"));
    p->license_path = node_string(node_get(n, "path"));
    address_check(node_get(n, "path"));
    node_text(node_get(n, "title"), &p->license_title);
}

static void read_page(struct node n, struct odp_portal *p)
{
    static const char *const known[] = {"records", "bytes", NULL};
    p->page_records = 1000;
    p->page_bytes = 1 << 20;
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    (void)node_int(node_get(n, "records"), 1, 1000000, &p->page_records);
    (void)node_int(node_get(n, "bytes"), 1024, 1 << 30, &p->page_bytes);
}

static void read_limits(struct node n, struct odp_portal *p)
{
    const char *known[ODP_LIMITS + 1];
    p->limits = odp_limits_usual;
    if (!node_is_object(n))
        return;
    for (size_t i = 0; i < ODP_LIMITS; i++) {
        const struct odp_limit_row *row = &odp_limit_rows[i];
        known[i] = row->name;
        (void)node_int(node_get(n, row->name), row->least, row->most, (int64_t *)(void *)((char *)&p->limits + row->offset));
    }
    known[ODP_LIMITS] = NULL;
    node_known(n, known, true);
}

/* A minisign public key: base64 of "Ed", 8 bytes of id and 32 of key. */
static bool key_ok(const char *s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return strlen(s) == 56 && strncmp(s, "RW", 2) == 0 && strspn(s, digits) == 56;
}

static void read_approval(struct node n, struct odp_portal *p)
{
    static const char *const known[] = {"keys", NULL};
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct node keys = node_need(n, "keys", "[\"RW…\"]");
    if (!node_is_array(keys))
        return;
    size_t count = json_array_size(keys.json);
    if (count == 0 || count > 100) {
        node_fault(keys, ODP_C04, NULL, "1 ≤ […] ≤ 100");
        return;
    }
    p->approval_keys = doc_zero(n.doc, count, sizeof *p->approval_keys);
    for (struct node_iter it = node_iterate(keys); p->approval_keys != NULL && node_next(&it);) {
        const char *key = node_string(it.item);
        bool seen = false;
        for (size_t i = 0; key != NULL && i < p->napproval_keys; i++)
            seen = seen || strcmp(p->approval_keys[i], key) == 0;
        if (key != NULL && !key_ok(key))
            node_fault(it.item, ODP_C04, NULL, "RW… (minisign, 56)");
        else if (seen)
            node_fault(it.item, ODP_C08, key, NULL);
        else if (key != NULL)
            p->approval_keys[p->napproval_keys++] = key;
    }
}

static void read_base_url(struct node n, struct odp_portal *p)
{
    const char *s = node_string(n);
    size_t len = s != NULL ? strlen(s) : 0;
    bool http = s != NULL && (strncmp(s, "https://", 8) == 0 || strncmp(s, "http://", 7) == 0);
    if (s != NULL && (!http || s[len - 1] != '/' || strpbrk(s, " \t\r\n\"<>\\?#") != NULL))
        node_fault(n, ODP_C05, NULL, "https://…/");
    else
        p->base_url = s;
}

void portal_read(struct doc *d, struct odp_portal *p)
{
    static const char *const known[] = {"$schema", "title",     "description", "publisher", "legalBasis",
                                        "baseUrl", "languages", "timeZone",    "license",   "page",
                                        "bbox",    "contact",   "tiers",       "approval",  "subjects", "security",
                                        "clients", "limits", "odp:severity", NULL};
    static const char *const languages[] = {"id", "en", NULL};
    struct node n = doc_root(d);
    int16_t minutes;
    p->json = n.json;
    p->base_url = "";
    p->time_zone = "Asia/Jakarta";
    p->severity = d->severity = severity_read(n, NULL);
    read_page(node_get(n, "page"), p);
    read_limits(node_get(n, "limits"), p);
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    node_text(node_need(n, "title", FORM_TEXT), &p->title);
    node_text(node_need(n, "publisher", FORM_TEXT), &p->publisher);
    node_text(node_get(n, "legalBasis"), &p->legal_basis);
    read_base_url(node_need(n, "baseUrl", "https://…/"), p);
    struct node zone = node_get(n, "timeZone");
    const char *name = node_string(zone);
    if (name != NULL && !odp_zone_offset(name, &minutes))
        node_fault(zone, ODP_C05, NULL, "Asia/Jakarta, Asia/Makassar, Asia/Jayapura, UTC");
    else if (name != NULL)
        p->time_zone = name;
    struct node list = node_get(n, "languages");
    if (node_is_array(list))
        for (struct node_iter it = node_iterate(list); node_next(&it);)
            (void)node_choice(it.item, languages);
    read_license(node_get(n, "license"), p);
    struct node box = node_get(n, "bbox");
    p->has_bbox = box.json != NULL && node_bbox(box, p->bbox);
    if (node_is_object(node_get(n, "contact")))
        address_check(node_get(node_get(n, "contact"), "url"));
    read_approval(node_get(n, "approval"), p);
    subjects_read(node_get(n, "subjects"), p);
    security_read(node_get(n, "security"), p);
    clients_read(node_get(n, "clients"), p);
    struct node tiers = node_get(n, "tiers");
    if (!node_is_array(tiers))
        return;
    p->tiers = json_array_size(tiers.json) <= 100 ? doc_zero(d, json_array_size(tiers.json), sizeof *p->tiers) : NULL;
    if (p->tiers == NULL)
        node_fault(tiers, ODP_C04, NULL, "[…] ≤ 100");
    for (struct node_iter it = node_iterate(tiers); p->tiers != NULL && node_next(&it);)
        read_tier(it.item, p);
}
