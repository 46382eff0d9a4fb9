/* What v1/openapi.json says of one dataset: its operations, and where they lead to. So the page of its API
 * is made again when that is another (published/parts.h), and not whenever the document is. */
#include "base/json_load.h"
#include "published/parts.h"
#include "site/pages/pages_internal.h"

/* Copies what $refs below VALUE lead to in DOCUMENT, and what those do, to their places in OWN. */
static void gather(const json_t *document, const json_t *value, json_t *own)
{
    json_t *member, *at = own;
    const char *key, *ref = odp_text_of(value, "$ref"), *part = ref + strspn(ref, "#/");
    size_t i;
    json_array_foreach(value, i, member) gather(document, member, own);
    json_object_foreach((json_t *)(uintptr_t)value, key, member) gather(document, member, own);
    if (*part == '\0' || openapi_at(own, ref) != NULL)
        return;
    for (size_t n = strcspn(part, "/"); part[n] != '\0'; part += n + 1, n = strcspn(part, "/")) {
        if (json_object_getn(at, part, n) == NULL)
            (void)json_object_setn_new(at, part, n, json_object());
        at = json_object_getn(at, part, n);
    }
    member = (json_t *)(uintptr_t)openapi_at(document, ref);
    if (member != NULL) {
        odp_set(at, part, json_incref(member));
        gather(document, member, own);
    }
}

json_t *docs_own(struct portal *p, const char *slug, char hex[ODP_SHA256_HEX])
{
    const json_t *operations = openapi_operations(p, slug);
    struct odp_buffer text = {0};
    uint8_t digest[ODP_SHA256_SIZE];
    json_t *own = json_object(), *all = json_pack("{s:O*, s:O}", "operations", operations, "own", own);
    gather(openapi_document(p), operations, own);
    if (p->status == ODP_OK)
        p->status = odp_doc_print(&text, all, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status = odp_digest_of(text.ptr, text.len, digest);
    *hex = '\0';
    if (p->status == ODP_OK)
        odp_digest_hex(digest, hex);
    odp_buffer_release(&text);
    json_decref(all);
    return own;
}

/* Sets the digest of each member of DIGESTS, a slug, and notes them as the text of the part that is open. */
static void make_digests(struct portal *p, json_t *digests, struct odp_buffer *text)
{
    char hex[ODP_SHA256_HEX];
    const char *slug;
    json_t *value;
    openapi_ask(p);
    json_object_foreach(digests, slug, value)
    {
        json_decref(docs_own(p, slug, hex));
        odp_set_str(digests, slug, hex);
    }
    odp_buffer_clear(text);
    if (p->status == ODP_OK)
        p->status = odp_doc_print(text, digests, ODP_DOC_LINE);
    odp_part_set_text(p->job->stage, odp_buffer_slice(text));
}

const char *docs_own_digest(struct portal *p, const char *of)
{
    struct odp_stage *stage = p->job->stage;
    struct odp_buffer text = {0};
    const json_t *entry;
    size_t i;
    if (p->references != NULL)
        return odp_text_of(p->references, of);
    p->references = json_object();
    json_array_foreach(p->job->entries, i, entry) odp_set_str(p->references, odp_text_of(entry, "slug"), "");
    if (p->status == ODP_OK)
        p->status = odp_doc_print(&text, p->references, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status = odp_part_begin(stage, "openapi", odp_buffer_slice(&text));
    if (p->status == ODP_OK) {
        make_digests(p, p->references, &text);
        p->status = odp_part_end(stage, p->status);
    } else if (p->status == ODP_DONE) {
        struct odp_slice made = odp_part_text(stage);
        json_decref(p->references);
        p->references = odp_json_load(made.ptr, made.len, 0, NULL);
        p->status = p->references != NULL ? ODP_OK : odp_failure_set("read", "openapi", 0);
    }
    odp_buffer_release(&text);
    return odp_text_of(p->references, of);
}
