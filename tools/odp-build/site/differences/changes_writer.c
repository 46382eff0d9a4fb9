/* What the forms of differences share: the door to the file, words, values. */
#include "base/text.h"
#include "base/utf8.h"
#include "site/differences/changes_internal.h"
#include "words/site.h"
#include "write/emit.h"

enum { FLUSH = 64 << 10 };

enum odp_status writer_flush(struct odp_changes_writer *w, bool all)
{
    enum odp_status status = odp_buffer_status(&w->out);
    if (status != ODP_OK || w->out.len == 0 || (!all && w->out.len < FLUSH))
        return status;
    status = w->file != NULL ? odp_file_write(w->file, w->out.ptr, w->out.len)
                             : w->text.flush(w->text.ctx, odp_buffer_slice(&w->out));
    odp_buffer_clear(&w->out);
    return status;
}

struct odp_slice writer_before(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t k)
{
    int was = w->job->schema->old_of[k];
    return c->before != NULL && was >= 0 ? c->before[was] : (struct odp_slice){NULL, 0};
}

struct odp_slice writer_key(const struct odp_changes_writer *w, const struct odp_change *c, uint32_t part)
{
    uint32_t k = w->job->to->layout->key[part];
    return c->after != NULL ? c->after[k] : writer_before(w, c, k);
}

void writer_add_json(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    const struct odp_field f = {.type = type};
    odp_emit_json_value(out, &f, text.ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL, text);
}

void writer_add_geometry(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    static const char points[] = " points"; /* as geometry_text has it */
    size_t n = sizeof points - 1;
    bool counted = text.len > n && memcmp(text.ptr + text.len - n, points, n) == 0;
    text.len -= counted ? n : 0;
    odp_buffer_add_slice(out, text);
    if (counted)
        odp_buffer_add_str(out, odp_word(lang, W_site_points));
}

/* Controls, and characters that change the direction of what follows (Unicode, UAX 9) or break the line. */
static bool is_unfit(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0x061C || cp == 0x200E || cp == 0x200F ||
           (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xFEFF;
}

void writer_add_clean(struct odp_buffer *out, struct odp_slice s, size_t max)
{
    size_t n = 0;
    while (s.len > 0) {
        uint32_t cp = 0;
        size_t used = odp_utf8_decode(s.ptr, s.len, &cp);
        if (used == 0 || used > s.len)
            return;
        if (n++ == max) {
            odp_buffer_add_str(out, "…");
            return;
        }
        if (cp == '\n' || cp == '\t')
            odp_buffer_add_str(out, cp == '\n' ? "↵" : "→");
        else if (is_unfit(cp))
            odp_buffer_add_str(out, "\xEF\xBF\xBD");
        else
            odp_buffer_add(out, s.ptr, used);
        s.ptr += used;
        s.len -= used;
    }
}

void writer_add_schema(struct odp_buffer *out, const struct odp_schema_change *c, enum odp_lang lang)
{
    switch (c->kind) {
    case ODP_SCHEMA_FIELD_ADDED:
        odp_buffer_printf(out, "+ %s", c->to);
        break;
    case ODP_SCHEMA_FIELD_REMOVED:
        odp_buffer_printf(out, "− %s", c->from);
        break;
    case ODP_SCHEMA_FIELD_RENAMED:
        odp_buffer_printf(out, "%s → %s", c->from, c->to);
        break;
    default:
        if (c->to != NULL)
            odp_buffer_printf(out, "~ %s", c->to);
        else
            odp_schema_change_text(out, c, lang);
    }
}

void writer_add_place(struct odp_buffer *out, const struct odp_changes_job *job)
{
    odp_buffer_add_str(out, job->dataset);
    if (job->resource != NULL && strcmp(job->resource, job->dataset) != 0)
        odp_buffer_printf(out, "/%s", job->resource);
}
