/* The query index (catalog/index/search.h): an SQLite file of the current version, internal: the gateway's
 * engine reads it. Pages read parts of it where the published files are large (site/versions/search.h).
 *
 * Its name holds its digest, which is known when it is done: so it is made under a hidden name, read once,
 * and renamed. A site syncs it with all others before it is switched in; where nobody does, it is synced
 * here. */

#include <errno.h>
#include <stdio.h>

#include "write/emitters.h"
#include "write/index/writer.h"
#include "write/record.h"
#include "write/search_table.h"
#include "write/simplified.h"

struct search_emit {
    struct odp_emit base;
    struct odp_search_writer *writer;
    const char *making, *disk; /* of the site, and where that is */
};

static bool search_wanted(const struct odp_emit_job *job)
{
    return job->slice == NULL && job->searches != NULL && !job->resource->no_search;
}

static const char *search_form(const struct odp_emit_job *job)
{
    return "search";
}

/* "search/<slug>/<version>/<lead><slug>[-<resource>]<tail>" */
static char *make_path(const struct odp_emit_job *job, const char *lead, const char *tail,
                       struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    const char *slug = r->dataset->slug;
    return odp_arena_printf(a, "search/%s/%s/%s%s%s%s%s", slug, job->version, lead, slug,
                            r->primary ? "" : "-", r->primary ? "" : r->name, tail);
}

static enum odp_status search_begin(struct odp_emit *emit)
{
    struct search_emit *e = (struct search_emit *)emit;
    const struct odp_emit_job *job = emit->job;
    struct odp_slice date = odp_emit_version_date(job->date != NULL ? job->date : job->version);
    e->making = make_path(job, ".", ".making", &emit->arena);
    e->disk = job->output->place(job->output->ctx, e->making, &emit->arena);
    struct odp_search_job search = {.resource = job->resource,
                                    .has_geometry = job->has_geometry,
                                    .version = job->version,
                                    .codes = job->codes,
                                    .searches = job->searches,
                                    .path = e->disk,
                                    .last_update = odp_arena_copy(&emit->arena, date).ptr,
                                    .simplify = odp_emit_add_simplified};
    if (job->has_geometry)
        search.geometry_name = odp_emit_free_name(job->resource, "geometry", &emit->arena);
    return e->disk != NULL ? odp_search_writer_new(&e->writer, &search) : ODP_FAIL;
}

static enum odp_status search_format(const struct odp_emit *emit, const struct odp_batch *b,
                                     struct odp_chunk *out)
{
    return odp_search_writer_pack(((const struct search_emit *)emit)->writer, b, &out->bytes);
}

static enum odp_status search_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    return odp_search_writer_append(((struct search_emit *)emit)->writer, odp_buffer_slice(&c->bytes));
}

static enum odp_status name_of_many(const char *from, const char *to)
{
    return rename(from, to) == 0 ? ODP_OK : odp_failure_set("rename", to, errno);
}

/* The finished file gets its name; *PATH, *DISK in the run's arena. */
static enum odp_status settle(struct search_emit *e, const char **path, const char **disk)
{
    const struct odp_emit_job *job = e->base.job;
    struct odp_output *output = job->output;
    struct odp_file_info info;
    char hex[ODP_SHA256_HEX];
    const bool many = output->adopt != NULL;
    if ((many ? odp_file_seal_of_many : odp_file_seal)(e->disk, &info) != ODP_OK)
        return ODP_FAIL;
    odp_digest_hex(info.sha256, hex);
    hex[ODP_SEARCH_ID] = '\0';
    const char *tail = odp_arena_printf(&e->base.arena, "-%s.sqlite", hex);
    *path = make_path(job, "", tail, job->arena);
    *disk = output->place(output->ctx, *path, job->arena);
    if (*disk == NULL || (many ? name_of_many : odp_file_rename)(e->disk, *disk) != ODP_OK)
        return ODP_FAIL;
    const char *type = job->has_geometry ? "application/geopackage+sqlite3" : e->base.kind->file->media_type;
    enum odp_status status = many ? output->adopt(output->ctx, *path, type, ODP_CLASS_INTERNAL, &info)
                                  : output->seal(output->ctx, *path, type, ODP_CLASS_INTERNAL);
    if (status != ODP_OK)
        output->drop(output->ctx, *path);
    return status;
}

/* What pages search of the index, next to it. */
static enum odp_status put_table(struct search_emit *e, const struct odp_search_file *made)
{
    struct odp_buffer text = {0};
    const char *path = odp_arena_printf(&e->base.arena, "%.*s.words.json",
                                        (int)(strrchr(made->path, '.') - made->path), made->path);
    enum odp_status status = odp_search_table_print(made->disk, &text);
    if (status == ODP_OK)
        status = odp_emit_put(e->base.job, path, "application/json", ODP_CLASS_INTERNAL, &text);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status search_end(struct odp_emit *emit)
{
    struct search_emit *e = (struct search_emit *)emit;
    const struct odp_emit_job *job = e->base.job;
    struct odp_search_file made = {0};
    enum odp_status status = odp_search_writer_end(e->writer, &made.rows);
    e->writer = NULL;
    if (status == ODP_OK)
        status = settle(e, &made.path, &made.disk);
    const bool list = job->resource->dataset->reference; /* its codes are found where they are used */
    if (status == ODP_OK && !list)
        status = put_table(e, &made);
    if (status == ODP_OK)
        job->searches[job->resource->index] = made;
    else
        job->output->drop(job->output->ctx, e->making);
    return status;
}

static void search_release(struct odp_emit *emit)
{
    odp_search_writer_abort(((struct search_emit *)emit)->writer);
}

const struct odp_emitter odp_emitter_search = {
    .file = &(const struct odp_format_file){.name = "search",
                                            .extension = ".sqlite",
                                            .media_type = "application/vnd.sqlite3"},
    .wanted = search_wanted,
    .form = search_form,
    .size = sizeof(struct search_emit),
    .begin = search_begin,
    .format_batch = search_format,
    .append = search_append,
    .end = search_end,
    .release = search_release,
};
