/* The job's facts, numbers and meanings for all parts. */
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
    size_t at = most;
    if (strlen(s) <= most)
        return odp_arena_str(a, s);
    while (at > 0 && ((unsigned char)s[at] & 0xC0) == 0x80)
        at--;
    return odp_arena_printf(a, "%.*s…", (int)at, s);
}

struct odp_text odp_print_meaning(const struct odp_print_job *job, uint32_t field, struct odp_slice value)
{
    return odp_code_lists_find(job->codes, job->resource, field, value);
}
