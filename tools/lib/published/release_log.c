/* The release log. */
#include "published/release_log.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/json_load.h"
#include "base/line.h"
#include "published/doc.h"

enum odp_status odp_log_check(struct odp_slice text, uint64_t *line)
{
    uint8_t before[ODP_SHA256_SIZE] = {0}, named[ODP_SHA256_SIZE];
    *line = 1;
    if (text.len > 0 && text.ptr[text.len - 1] != '\n')
        return ODP_BAD;
    for (struct odp_slice rest = text; rest.len > 0; *line += 1) {
        struct odp_slice one = odp_line_next(&rest);
        json_t *o = odp_json_load(one.ptr, one.len, JSON_REJECT_DUPLICATES, NULL);
        const json_t *previous = json_object_get(o, "previous");
        bool ok = json_integer_value(json_object_get(o, "n")) == (json_int_t)*line;
        if (*line == 1)
            ok = ok && json_is_null(previous);
        else
            ok = ok && odp_doc_read_digest(o, "previous", named) && memcmp(named, before, sizeof named) == 0;
        json_decref(o);
        if (!ok)
            return ODP_BAD;
        if (odp_digest_of(one.ptr, one.len, before) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

bool odp_log_descends(struct odp_slice text, const uint8_t base[ODP_SHA256_SIZE])
{
    uint8_t named[ODP_SHA256_SIZE];
    bool found = false;
    while (text.len > 0 && !found) {
        struct odp_slice one = odp_line_next(&text);
        json_t *o = odp_json_load(one.ptr, one.len, 0, NULL);
        found = odp_doc_read_digest(o, "base", named) && memcmp(named, base, sizeof named) == 0;
        json_decref(o);
    }
    return found;
}

static json_t *make_changes(const struct odp_log_change *changes, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct odp_log_change *c = &changes[i];
        json_t *digest = c->digest != NULL ? odp_doc_digest(c->digest) : NULL;
        (void)json_array_append_new(list, json_pack("{s:s, s:s*, s:o*, s:s, s:s*}", "dataset", c->dataset,
                                                    "version", c->version, "digest", digest, "what", c->what,
                                                    "reason", c->reason));
    }
    return list;
}

/* Counts the lines of TEXT; BEFORE gets the digest of the last. */
static enum odp_status count_lines(struct odp_slice text, uint64_t *n, uint8_t before[ODP_SHA256_SIZE])
{
    enum odp_status status = ODP_OK;
    for (*n = 0; text.len > 0 && status == ODP_OK; *n += 1) {
        struct odp_slice one = odp_line_next(&text);
        if (text.len == 0)
            status = odp_digest_of(one.ptr, one.len, before);
    }
    return status;
}

enum odp_status odp_log_read(const struct odp_site *site, struct odp_buffer *out, struct odp_diags *diags)
{
    const struct odp_site_file *f = site != NULL ? odp_site_find(site, "releases.log") : NULL;
    return f != NULL ? odp_site_read(site, f, out, diags) : ODP_OK;
}

enum odp_status odp_log_count(const struct odp_site *site, uint64_t *lines, struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    uint8_t ignored[ODP_SHA256_SIZE];
    enum odp_status status = odp_log_read(site, &text, diags);
    if (status == ODP_OK)
        status = count_lines(odp_buffer_slice(&text), lines, ignored);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status put_log(struct odp_stage *s, const struct odp_buffer *text)
{
    enum odp_status status = odp_buffer_status(text);
    return status == ODP_OK ? odp_stage_put(s, "releases.log", "application/x-ndjson", ODP_CLASS_PUBLIC,
                                            odp_buffer_slice(text))
                            : status;
}

enum odp_status odp_log_keep(struct odp_stage *s, const struct odp_site *previous, struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    enum odp_status status = odp_log_read(previous, &text, diags);
    if (status == ODP_OK)
        status = put_log(s, &text);
    odp_buffer_release(&text);
    return status;
}

enum odp_status odp_log_append(struct odp_stage *s, const struct odp_site *previous,
                               const struct odp_log_line *line, struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    uint8_t before[ODP_SHA256_SIZE];
    uint64_t lines = 0;
    enum odp_status status = odp_log_read(previous, &text, diags);
    if (status == ODP_OK)
        status = count_lines(odp_buffer_slice(&text), &lines, before);
    if (status == ODP_OK) {
        json_t *base = previous != NULL ? odp_doc_digest(odp_site_digest(previous)) : json_null();
        json_t *o = json_pack("{s:I, s:o, s:o, s:s?, s:s, s:o}", "n", (json_int_t)lines + 1, "previous",
                              lines > 0 ? odp_doc_digest(before) : json_null(), "base", base, "date",
                              line->date, "release", line->release != NULL ? line->release : "", "changes",
                              make_changes(line->changes, line->n));
        status = odp_doc_print(&text, o, ODP_DOC_LINE);
        json_decref(o);
    }
    odp_buffer_add_char(&text, '\n');
    if (status == ODP_OK)
        status = put_log(s, &text);
    odp_buffer_release(&text);
    return status;
}
