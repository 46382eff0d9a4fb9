/* Which emitters there are (emitters.def), and where their files stand. */
#include "emitters.h"

static const struct odp_emitter *const emitters[] = {
#define ODP_EMITTER(name) &odp_emitter_##name,
#include "emit/emitters.def"
#undef ODP_EMITTER
};

const struct odp_emitter *const *odp_emitters(size_t *n)
{
    *n = sizeof emitters / sizeof *emitters;
    return emitters;
}

bool odp_format_is_built(const char *format)
{
    for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
        if (emitters[i]->format != NULL && strcmp(emitters[i]->format, format) == 0)
            return true;
    return false;
}

char *odp_emit_data_path(const struct odp_emit_job *job, const char *extension, struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    const char *slug = r->dataset->slug;
    return odp_arena_printf(a, "data/%s/%s/%s%s%s%s", slug, job->version, slug, r->primary ? "" : "-",
                            r->primary ? "" : r->name, extension);
}

char *odp_emit_api_path(const struct odp_resource *r, struct odp_arena *a)
{
    return odp_arena_printf(a, "v1/%s%s%s.json", r->dataset->slug, r->primary ? "" : "/", r->primary ? "" : r->name);
}

char *odp_emit_page_path(const struct odp_resource *r, const char *version, uint64_t n, struct odp_arena *a)
{
    return odp_arena_printf(a, "v1/%s%s%s/v/%s/p/%llu.json", r->dataset->slug, r->primary ? "" : "/", r->primary ? "" : r->name,
                            version, (unsigned long long)n);
}
