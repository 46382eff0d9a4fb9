/* Deprecation windows and former addresses in control.
 *
 * An address of a former slug (state moved) has no file: `link` is the path that takes the place of the
 * first column, `sunset` its sunset, and the gateway answers 308 with the rest of the address. The lines
 * stay until the catalogue drops them, since no byte depends on the day. odp:replacedBy becomes a Link with
 * rel="successor-version" where that dataset is published, a dataset with deprecated fields gets one
 * rel="deprecation" for each resource that has some. */
#include "site/versions/versions_internal.h"

#include <inttypes.h>

/* ---- dates ---- */

static bool parse(const char *text, struct odp_datetime *date)
{
    return text != NULL && odp_date_parse(odp_slice_of(text), ODP_DATE, NULL, NULL, date) == ODP_DATE_OK;
}

bool odp_lifecycle_http_date(struct odp_buffer *out, const char *text)
{
    static const char days[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct odp_datetime date;
    if (!parse(text, &date))
        return false;
    int64_t day = odp_date_days(&date) % 7;
    day = day < 0 ? day + 7 : day;
    odp_buffer_printf(out, "%.3s, %02d %.3s %04d 00:00:00 GMT", days + 3 * day, date.day,
                      months + 3 * (date.month - 1), date.year);
    return true;
}

/* NAME is that of a file made of R: its own name stands behind the dataset's, or behind that of a document.
 */
static bool is_file_of(const struct odp_resource *r, const char *name)
{
    const char *const before[] = {r->dataset->slug, "schema", "changes"};
    size_t len = strlen(r->name);
    for (size_t i = 0; i < ODP_COUNT(before); i++) {
        size_t n = strlen(before[i]);
        if (strncmp(name, before[i], n) == 0 && name[n] == '-' && strncmp(name + n + 1, r->name, len) == 0 &&
            name[n + 1 + len] == '.')
            return true;
    }
    return false;
}

/* The further resource that PATH is a page or file of, or NULL. */
static const struct odp_resource *resource_of(const struct odp_dataset *d, const char *path)
{
    size_t len = strlen(d->slug);
    bool api = strncmp(path, "v1/", 3) == 0;
    const char *rest = path + (api ? 3 : 5) + len; /* PATH is of D, so it has its slug there */
    const char *file = strrchr(path, '/');
    for (size_t i = 1; i < d->nresources; i++) {
        const struct odp_resource *r = &d->resources[i];
        size_t n = strlen(r->name);
        if (api ? *rest == '/' && strncmp(rest + 1, r->name, n) == 0 &&
                      (rest[1 + n] == '/' || strncmp(rest + 1 + n, ".json", 5) == 0)
                : is_file_of(r, file + 1))
            return r;
    }
    return NULL;
}

void odp_lifecycle_dates(struct odp_buffer *out, const struct odp_dataset *d, const char *path)
{
    const char *deprecated = NULL, *sunset = NULL;
    struct odp_datetime date;
    if (d != NULL && d->state == ODP_STATE_DEPRECATED) {
        deprecated = d->deprecated;
        sunset = d->sunset;
    } else if (d != NULL && d->nresources > 1) {
        const struct odp_resource *r = resource_of(d, path);
        deprecated = r != NULL ? r->deprecated : NULL;
        sunset = r != NULL ? r->sunset : NULL;
    }
    if (parse(deprecated, &date))
        odp_buffer_printf(out, "\t@%" PRId64 "\t", odp_date_days(&date) * 86400);
    else
        odp_buffer_add_str(out, "\t-\t");
    if (!odp_lifecycle_http_date(out, sunset))
        odp_buffer_add_char(out, '-');
}

/* ---- links ---- */

static bool has_deprecated_field(const struct odp_resource *r)
{
    for (uint32_t i = 0; i < r->schema.n; i++)
        if (r->schema.fields[i].deprecated != NULL && r->schema.fields[i].is_public)
            return true;
    return false;
}

void odp_lifecycle_link(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_dataset *d)
{
    size_t start = out->len + 1;
    odp_buffer_add_char(out, '\t');
    bool leaves = d != NULL && (d->state == ODP_STATE_DEPRECATED || d->state == ODP_STATE_WITHDRAWN);
    const struct odp_dataset *heir =
        leaves && d->replaced_by != NULL ? odp_catalog_find(c, d->replaced_by) : NULL;
    if (heir != NULL && odp_dataset_is_published(heir)) /* RFC 5829 */
        odp_buffer_printf(out, "<%sv1/%s>; rel=\"successor-version\"", c->portal.base_url, heir->slug);
    for (size_t i = 0; d != NULL && odp_dataset_is_published(d) && i < d->nresources; i++) {
        const struct odp_resource *r = &d->resources[i];
        if (!has_deprecated_field(r))
            continue;
        const char *divider = out->len > start ? ", " : ""; /* RFC 9745, section 3 */
        odp_buffer_printf(
            out, "%s<%sdata/%s/latest/schema%s%s.json>; rel=\"deprecation\"; type=\"application/json\"",
            divider, c->portal.base_url, d->slug, r->primary ? "" : "-", r->primary ? "" : r->name);
    }
    if (out->len == start)
        odp_buffer_add_char(out, '-');
}

/* ---- addresses ---- */

/* The three addresses of a dataset that was called SLUG; NOW: what it is called today, NULL: nothing any
 * more. */
static void add_addresses(struct odp_gone *g, const struct odp_dataset *d, const char *slug, const char *now,
                          const char *sunset)
{
    static const char *const around[3][2] = {{"v1/", ".json"}, {"v1/", "/"}, {"data/", "/"}};
    for (size_t k = 0; k < 3; k++) {
        struct odp_gone_path path = {odp_arena_printf(g->arena, "%s%s%s", around[k][0], slug, around[k][1]),
                                     d->slug, NULL, sunset};
        if (now != NULL)
            path.to = odp_arena_printf(g->arena, "%s%s%s", around[k][0], now, around[k][1]);
        odp_gone_add(g, path);
    }
}

void odp_gone_datasets(struct odp_gone *g, const struct odp_catalog *c)
{
    for (size_t i = 0; i < c->ndatasets; i++)
        if (c->datasets[i].state == ODP_STATE_WITHDRAWN)
            add_addresses(g, &c->datasets[i], c->datasets[i].slug, NULL, NULL);
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        for (size_t k = 0; d->state != ODP_STATE_DRAFT && k < d->nformer; k++)
            add_addresses(g, d, d->former[k].slug, d->slug, d->former[k].sunset);
    }
}
