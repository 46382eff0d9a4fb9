#include "catalog/security.h"

#include "base/file.h"
#include "catalog/catalog_internal.h"

/* A URI for contact or reading (RFC 9116, 2.5.3 and 2.5.6), without characters that would end the line. */
static void check_uri(struct node n, bool contact)
{
    const char *s = node_string(n);
    if (s == NULL)
        return;
    bool known = strncmp(s, "https://", 8) == 0 ||
                 (contact && (strncmp(s, "mailto:", 7) == 0 || strncmp(s, "tel:", 4) == 0));
    for (const char *p = s; *p != '\0'; p++)
        known = known && (unsigned char)*p > 0x20 && (unsigned char)*p < 0x7f;
    if (!known)
        node_fault(n, ODP_C05, NULL, contact ? "mailto:…, https://…, tel:…" : "https://…");
}

static void read_languages(struct node n)
{
    if (!node_is_array(n))
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);) {
        const char *s = node_string(it.item);
        if (s != NULL &&
            (*s == '\0' ||
             s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")] != '\0'))
            node_fault(it.item, ODP_C05, NULL, "id, en");
    }
}

bool security_read(struct node n, void *into)
{
    static const struct key keys[] = {
        {"contact", .need = "mailto:…, https://…"},
        {"expires", KEY_STAMP, .at = AT(odp_portal, security_expires), .need = "YYYY-MM-DD"},
        KNOWN("policy"),
        KNOWN("languages"),
    };
    struct odp_portal *p = into;
    if (!object_read(n, &TABLE(keys), p))
        return false;
    struct node contact = node_get(n, "contact");
    if (json_is_array(contact.json) && json_array_size(contact.json) == 0)
        list_of_size(contact, "[…] ≥ 1");
    if (json_is_array(contact.json))
        for (struct node_iter it = node_iterate(contact); node_next(&it);)
            check_uri(it.item, true);
    else
        check_uri(contact, true);
    const struct place *expires = &n.doc->places[node_get(n, "expires").place];
    p->security_line = expires->line;
    p->security_column = expires->column;
    check_uri(node_get(n, "policy"), false);
    read_languages(node_get(n, "languages"));
    return true;
}

/* The moment, with its offset. */
static bool moment(const struct odp_catalog *c, struct odp_datetime *at)
{
    const char *s = c->portal.security_expires;
    if (s == NULL)
        return false;
    if (odp_date_parse(odp_slice_of(s), ODP_DATETIME, NULL, NULL, at) == ODP_DATE_OK)
        return true;
    if (odp_date_parse(odp_slice_of(s), ODP_DATE, NULL, NULL, at) != ODP_DATE_OK)
        return false;
    at->hour = at->minute = at->second = 0;
    at->nanos = 0;
    at->has_time = at->has_offset = true;
    at->offset = 0;
    (void)odp_zone_offset(c->portal.time_zone, &at->offset);
    return true;
}

const char *odp_security_expires(const struct odp_catalog *c, struct odp_arena *a)
{
    struct odp_datetime at;
    char text[ODP_DATETIME_SIZE];
    if (!moment(c, &at))
        return NULL;
    return odp_arena_copy(a, (struct odp_slice){text, odp_date_format(&at, ODP_DATETIME, text)}).ptr;
}

enum odp_status odp_security_check(const struct odp_catalog *c, const char *today, struct odp_diags *diags)
{
    struct odp_datetime at, day;
    if (!moment(c, &at) || odp_date_parse(odp_slice_of(today), ODP_DATE, NULL, NULL, &day) != ODP_DATE_OK)
        return ODP_OK;
    day.hour = day.minute = day.second = 0;
    day.nanos = 0;
    day.has_time = day.has_offset = true;
    day.offset = 0;
    (void)odp_zone_offset(c->portal.time_zone, &day.offset);
    if (odp_date_cmp(&day, &at) < 0)
        return ODP_OK;
    char *path = NULL;
    struct odp_arena arena = {0};
    enum odp_status status = ODP_FAIL;
    path = odp_path_join(&arena, c->dir, "portal.json");
    struct odp_diag d = {.code = ODP_C28,
                         .file = path,
                         .line = c->portal.security_line,
                         .column = c->portal.security_column,
                         .value = odp_slice_of(c->portal.security_expires),
                         .args = {odp_slice_of(c->portal.security_expires), odp_slice_of(today)}};
    status = odp_diags_add(diags, &d);
    odp_arena_release(&arena);
    return status;
}
