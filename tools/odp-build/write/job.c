/* Facts of a job known before its records: its formats, licence, date. */
#include "write/emit.h"

bool odp_emit_offers(const struct odp_emit_job *job, const struct odp_emitter *kind)
{
    const struct odp_dataset *d = job->resource->dataset;
    bool chosen = job->nchosen == 0;
    for (size_t i = 0; i < job->nchosen; i++)
        chosen = chosen || job->chosen[i] == kind;
    if (!chosen)
        return false;
    if ((kind->wanted != NULL && !kind->wanted(job)) || (kind->file->needs_geometry && !job->has_geometry))
        return false;
    if (kind->file->format == NULL)
        return job->slice == NULL;
    for (size_t i = 0; i < d->formats.n; i++)
        if (odp_slice_is(d->formats.item[i], kind->file->format))
            return true;
    return false;
}

const char *odp_emit_license(const struct odp_emit_job *job)
{
    const json_t *own = json_array_get(json_object_get(job->resource->dataset->json, "licenses"), 0);
    const char *path = json_string_value(json_object_get(own, "path"));
    return own != NULL ? path : job->catalog->portal.license_path;
}

struct odp_slice odp_emit_version_date(const char *version)
{
    struct odp_slice s = odp_slice_of(version);
    if (s.len > 10)
        s.len = 10; /* YYYY-MM-DD; what follows is a time or the number of a correction */
    return s;
}
