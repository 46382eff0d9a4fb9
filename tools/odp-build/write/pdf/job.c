/* What the parts of a document ask of the job. */
#include <stdio.h>

#include "write/pdf/pdf_internal.h"
#include "write/typesetting/words.h"

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

void odp_print_count(struct odp_buffer *out, uint64_t n, enum odp_lang lang)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    odp_words_number(out, odp_slice_of(digits), lang, true);
}
