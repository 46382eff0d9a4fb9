/* The job's facts, numbers and meanings for all parts. */
#include "base/utf8.h"
#include "write/pdf/pdf_internal.h"

struct odp_facts_of odp_print_facts_of(const struct odp_print_job *job, struct odp_arena *a)
{
    return (struct odp_facts_of){.catalog = job->catalog,
                                 .resource = job->resource,
                                 .version = job->version,
                                 .date = job->date,
                                 .total = job->total,
                                 .slice_field = job->slice_field,
                                 .slice_value = job->slice_value,
                                 .url = job->url,
                                 .digest = job->digest,
                                 .arena = a};
}

const char *odp_print_count(struct odp_arena *a, uint64_t n, enum odp_lang lang)
{
    struct odp_buffer out = {0};
    odp_text_number(&out, n, lang);
    const char *text = odp_arena_str(a, odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

const char *odp_print_shortened(struct odp_arena *a, const char *s, size_t most)
{
    const size_t n = odp_utf8_cut(odp_slice_of(s), most).len;
    return odp_arena_printf(a, "%.*s%s", (int)n, s, s[n] != '\0' ? "…" : "");
}

struct odp_text odp_print_meaning(const struct odp_print_job *job, uint32_t field, struct odp_slice value)
{
    return odp_code_lists_find(job->codes, job->resource, field, value);
}
