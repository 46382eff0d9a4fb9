/* portal.json: publisher, terms, tiers. Subjects, security and clients have their own files. */
#include <strings.h>

#include "base/decimal.h"
#include "catalog/catalog_internal.h"

#define FORM_TEXT "{\"id\", \"en\"}"

/* ---- parts ---- */

static bool tier_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"name", KEY_NAME, .at = AT(odp_tier, name), .need = "string"},
        {"title", KEY_TEXT, .at = AT(odp_tier, title)},
        {"daily", KEY_INT, .at = AT(odp_tier, daily), .need = "integer, null", .least = 1, .most = INT64_MAX,
         .or_null = true},
        {"burst", KEY_INT, .at = AT(odp_tier, burst), .need = "integer", .least = 1, .most = INT32_MAX},
        {"concurrent", KEY_INT, .at = AT(odp_tier, concurrent), .need = "integer", .least = 1,
         .most = INT32_MAX},
        {"price", KEY_INT, .at = AT(odp_tier, price), .most = INT64_MAX},
        {"support", KEY_TEXT, .at = AT(odp_tier, support)},
        KNOWN("description"),
        {"webhooks", KEY_INT, .at = AT(odp_tier, webhooks), .most = 1000000, .or_null = true},
    };
    struct odp_tier *t = into;
    return object_read(n, &TABLE(keys), t) && t->name != NULL;
}

static bool license_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"name", KEY_STRING, .at = AT(odp_portal, license_name), .need = "string"},
        {"path", KEY_STRING, .at = AT(odp_portal, license_path)},
        {"title", KEY_TEXT, .at = AT(odp_portal, license_title)},
    };
    address_check(node_get(n, "path"));
    return object_read(n, &TABLE(keys), into);
}

static bool page_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"records", KEY_INT, .at = AT(odp_portal, page_records), .least = 1, .most = 1000000},
        {"bytes", KEY_INT, .at = AT(odp_portal, page_bytes), .least = 1024, .most = 1 << 30},
    };
    return object_read(n, &TABLE(keys), into);
}

const struct odp_compression odp_compression_usual = {
    .usual = {6, 5}, .pages = {5, 0}, .large = {5, 0}, .large_above = 64 << 20};

static bool compression_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"gzip", KEY_INT, .at = AT(odp_portal, compression.usual.gzip), .most = 9},
        {"br", KEY_INT, .at = AT(odp_portal, compression.usual.br), .most = 11},
        {"pagesGzip", KEY_INT, .at = AT(odp_portal, compression.pages.gzip), .most = 9},
        {"pagesBr", KEY_INT, .at = AT(odp_portal, compression.pages.br), .most = 11},
        {"largeAbove", KEY_INT, .at = AT(odp_portal, compression.large_above), .most = INT64_MAX},
        {"largeGzip", KEY_INT, .at = AT(odp_portal, compression.large.gzip), .most = 9},
        {"largeBr", KEY_INT, .at = AT(odp_portal, compression.large.br), .most = 11},
    };
    return object_read(n, &TABLE(keys), into);
}

/* The rows of odp_limit_rows. */
static bool limits_read(struct node n, void *into)
{
    struct key keys[ODP_LIMITS] = {{0}};
    for (size_t i = 0; i < ODP_LIMITS; i++) {
        const struct odp_limit_row *row = &odp_limit_rows[i];
        keys[i] = (struct key){row->name, KEY_INT, offsetof(struct odp_portal, limits) + row->offset,
                               .least = row->least, .most = row->most};
    }
    return object_read(n, &TABLE(keys), into);
}

/* A minisign public key: base64 of "Ed", 8 bytes of id and 32 of key. */
static bool approval_key_read(struct node n, void *into)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *s = node_string(n);
    if (s != NULL && (strlen(s) != 56 || strncmp(s, "RW", 2) != 0 || strspn(s, digits) != 56)) {
        node_fault(n, ODP_C04, NULL, "RW… (minisign, 56)");
        return false;
    }
    *(const char **)into = s;
    return s != NULL;
}

static bool approval_read(struct node n, void *into)
{
    static const struct list list = {sizeof(const char *), AT(odp_portal, napproval_keys), 1, 100,
                                     .unique = "",         .read = approval_key_read};
    static const struct key keys[] = {
        {"keys", KEY_LIST, .at = AT(odp_portal, approval_keys), .need = "[\"RW…\"]", .list = &list}};
    return object_read(n, &TABLE(keys), into);
}

bool odp_base_url_ok(const char *s)
{
    const char *host = strncmp(s, "https://", 8) == 0 ? s + 8 : strncmp(s, "http://", 7) == 0 ? s + 7 : "";
    return *host != '\0' && *host != '/' && s[strlen(s) - 1] == '/' &&
           strpbrk(s, " \t\r\n\"'`$<>{}\\?#") == NULL; /* it stands in programs to copy */
}

static bool base_url_read(struct node n, void *into)
{
    const char *s = node_string(n);
    if (s == NULL)
        return false;
    bool ok = odp_base_url_ok(s);
    if (ok)
        ((struct odp_portal *)into)->base_url = s;
    else
        node_fault(n, ODP_C05, NULL, "https://…/");
    return ok;
}

/* A name of the IANA's list: browsers are given it, and they do not know WIB. */
static bool zone_read(struct node n, void *into)
{
    static const char *const local[][2] = {
        {"WIB", "Asia/Jakarta"}, {"WITA", "Asia/Makassar"}, {"WIT", "Asia/Jayapura"}};
    const char *name = node_string(n), *meant = NULL;
    int16_t minutes;
    for (size_t i = 0; name != NULL && i < ODP_COUNT(local); i++)
        meant = strcasecmp(name, local[i][0]) == 0 ? local[i][1] : meant;
    const bool named = name != NULL && (strchr(name, '/') != NULL || strcmp(name, "UTC") == 0);
    if (name != NULL && !(named && odp_zone_offset(name, &minutes)))
        node_fault_near(n, ODP_C05, NULL, "Asia/Jakarta, Asia/Makassar, Asia/Jayapura, UTC", meant);
    else if (name != NULL)
        ((struct odp_portal *)into)->time_zone = name;
    return name != NULL;
}

static bool languages_read(struct node n, void *into)
{
    static const char *const languages[] = {"id", "en", NULL};
    for (struct node_iter it = node_iterate(n); node_is_array(n) && node_next(&it);)
        (void)node_choice(it.item, languages);
    return true;
}

static bool bbox_read(struct node n, void *into)
{
    struct odp_portal *p = into;
    return p->has_bbox = node_bbox(n, p->bbox);
}

static bool contact_read(struct node n, void *into)
{
    if (node_is_object(n)) {
        address_check(node_get(n, "url"));
        mailbox_check(node_get(n, "email"));
    }
    return true;
}

/* ---- the whole ---- */

static const struct odp_tier new_tier = {.daily = -1, .webhooks = ODP_WEBHOOKS_UNSAID};
static const struct list tiers = {
    sizeof(struct odp_tier), AT(odp_portal, ntiers), 0, 100, &new_tier, "name", tier_read};

void portal_read(struct doc *d, struct odp_portal *p)
{
    static const struct key keys[] = {
        KNOWN("$schema"),
        KNOWN("description"),
        KNOWN("odp:severity"),
        {"page", KEY_READ, .read = page_read},
        {"compression", KEY_READ, .read = compression_read},
        {"limits", KEY_READ, .read = limits_read},
        {"title", KEY_TEXT, .at = AT(odp_portal, title), .need = FORM_TEXT},
        {"publisher", KEY_TEXT, .at = AT(odp_portal, publisher), .need = FORM_TEXT},
        {"legalBasis", KEY_TEXT, .at = AT(odp_portal, legal_basis)},
        {"baseUrl", KEY_READ, .need = "https://…/", .read = base_url_read},
        {"timeZone", KEY_READ, .read = zone_read},
        {"languages", KEY_READ, .read = languages_read},
        {"license", KEY_READ, .read = license_read},
        {"bbox", KEY_READ, .read = bbox_read},
        {"contact", KEY_READ, .read = contact_read},
        {"approval", KEY_READ, .read = approval_read},
        {"subjects", KEY_LIST, .at = AT(odp_portal, subjects), .list = &subject_list},
        {"security", KEY_READ, .read = security_read},
        {"clients", KEY_READ, .read = clients_read},
        {"tiers", KEY_LIST, .at = AT(odp_portal, tiers), .list = &tiers},
    };
    struct node n = doc_root(d);
    p->json = n.json;
    p->base_url = "";
    p->time_zone = "Asia/Jakarta";
    p->page_records = 1000;
    p->page_bytes = 1 << 20;
    p->compression = odp_compression_usual;
    p->limits = odp_limits_usual;
    p->severity = d->severity = severity_read(n, NULL);
    (void)object_read(n, &TABLE(keys), p);
}
