/* Names of the catalogue as names of JavaScript and TypeScript. */
#include "site/clients/javascript_internal.h"

/* Members of every client (package/lib/client.js), and names of Object's own that a dataset must not hide; "then" would make the client a promise. */
static const char *const members[] = {"baseUrl", "catalog", "close", "constructor", "dataset", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
                                      "register", "release", "rotate", "then", "toJSON", "toLocaleString", "toString", "usage", "valueOf", "webhooks", NULL};
/* What index.d.ts and the generated file itself declare. */
static const char *const types[] = {
    "Added", "AnyDataset", "AnyRecord", "AnyTable", "ApiError", "AuthenticationError", "BadRequestError", "CallOptions", "CatalogEntry", "Change", "Changed",
    "ChangesOptions", "Client", "ClientOptions", "ConflictError", "CursorExpiredError", "Dataset", "DatasetName", "DatasetProperties", "DatasetShape", "Datasets",
    "DownloadOptions", "Downloaded", "DownloadedBlob", "DownloadedFile", "EventType", "FieldName", "Geometry", "GeometryCollection", "GoneError", "HeadersLike",
    "IntegrityError", "IssuedKey", "LineString", "ListOptions", "MultiLineString", "MultiPoint", "MultiPolygon", "NewVersion", "NotFoundError", "OdpError", "Page",
    "PermissionDeniedError", "Picked", "Point", "Polygon", "Position", "Problem", "ProtocolError", "Quota", "QuotaExceededError", "Registration", "Removed",
    "RequestInfo", "RequestTimeoutError", "Resource", "SearchOptions", "ServerError", "SignatureError", "Sorting", "Subscription", "SyncOptions", "Synced",
    "TableShape", "Text", "TransportError", "Usage", "Version", "VersionFile", "VersionResource", "Webhook", "WebhookMessage", "WebhookWithSecret", "Webhooks",
    "Where", "WithoutGeometry", NULL};

bool javascript_is_one_of(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static bool is_taken(const char *name, const char *const *reserved, const char *const *used, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, used[i]) == 0)
            return true;
    return javascript_is_one_of(name, reserved);
}

/* B's text, with as many "_" behind it as make it none of RESERVED and USED. In A; NULL: no memory. */
static const char *unique(struct odp_buffer *b, const char *const *reserved, const char *const *used, size_t n, struct odp_arena *a)
{
    while (odp_buffer_status(b) == ODP_OK && is_taken(odp_buffer_cstr(b), reserved, used, n))
        odp_buffer_add_char(b, '_');
    return odp_buffer_status(b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(b)) : NULL;
}

enum odp_status javascript_names_make(struct javascript_names *names, const struct client_model *m, struct odp_arena *a)
{
    struct odp_buffer b;
    size_t nresources = 0, at = 0;
    bool whole = true;
    for (size_t i = 0; i < m->ndatasets; i++)
        nresources += m->datasets[i].nresources;
    names->properties = odp_arena_array(a, m->ndatasets + 1, sizeof *names->properties);
    names->records = odp_arena_array(a, nresources + 1, sizeof *names->records);
    if (names->properties == NULL || names->records == NULL)
        return ODP_FAIL;
    odp_buffer_init(&b);
    for (size_t i = 0; i < m->ndatasets && whole; i++) {
        const struct client_dataset *d = &m->datasets[i];
        odp_buffer_clear(&b);
        client_camel(&b, d->slug);
        names->properties[i] = unique(&b, members, names->properties, i, a);
        whole = names->properties[i] != NULL;
        for (size_t k = 0; k < d->nresources && whole; k++, at++) {
            odp_buffer_clear(&b);
            client_studly(&b, d->slug);
            if (k > 0)
                client_studly(&b, d->resources[k].name);
            names->records[at] = unique(&b, types, names->records, at, a);
            whole = names->records[at] != NULL;
        }
    }
    odp_buffer_release(&b);
    return whole ? ODP_OK : ODP_FAIL;
}

static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    size_t before = out->len;
    client_camel(out, slug);
    if (odp_buffer_status(out) == ODP_OK && javascript_is_one_of(odp_buffer_cstr(out) + before, members))
        odp_buffer_add_char(out, '_');
    return odp_buffer_status(out);
}

static enum odp_status called(struct client_called *out, const struct client_model *m)
{
    struct javascript_names names = {NULL, NULL};
    enum odp_status status = javascript_names_make(&names, m, m->arena);
    *out = (struct client_called){names.properties, names.records};
    return status;
}

const struct client_language client_javascript = {
    .name = "javascript", .label = "JavaScript", .requires = "Node.js 18+", .extension = ".mjs", .accessor = accessor, .called = called, .readme = "package/"};
