/* What the forms of differences share: the way to the file, values, words. */
#include "site/differences/changes_internal.h"

#include "base/utf8.h"

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

/* ---- values and words ---- */

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

/* Controls, and characters that change the direction of what follows (Unicode, UAX 9) or break the line. */
static bool is_unfit(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0x061C || cp == 0x200E || cp == 0x200F ||
           (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xFEFF;
}

void writer_add_clean(struct odp_buffer *out, struct odp_slice s, size_t max)
{
    for (size_t n = 0; s.len > 0; n++) {
        uint32_t cp = 0;
        size_t used = odp_utf8_decode(s.ptr, s.len, &cp);
        if (used == 0 || used > s.len)
            return;
        if (n == max) {
            odp_buffer_add_str(out, "…");
            return;
        }
        if (cp == '\n' || cp == '\t')
            odp_buffer_add_str(out, cp == '\n' ? "↵" : "→");
        else if (is_unfit(cp))
            odp_buffer_add_str(out, "\xEF\xBF\xBD");
        else
            odp_buffer_add(out, s.ptr, used);
        s = (struct odp_slice){s.ptr + used, s.len - used};
    }
}

void writer_add_place(struct odp_buffer *out, const struct odp_changes_job *job)
{
    odp_buffer_add_str(out, job->dataset);
    if (job->resource != NULL && strcmp(job->resource, job->dataset) != 0)
        odp_buffer_printf(out, "/%s", job->resource);
}

json_t *writer_schema_text(const struct odp_schema_change *c, enum odp_lang lang)
{
    struct odp_buffer out = {0};
    odp_schema_change_text(&out, c, lang);
    json_t *text = odp_doc_slice(odp_buffer_slice(&out));
    odp_buffer_release(&out);
    return text;
}
