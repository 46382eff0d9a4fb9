/* What an export is to write, and everything that can be refused before the data is read. */
#include "run/export_internal.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "words/run.h"

/* Names of the emitters that make distributions, for a message. */
static const char *known_formats(struct odp_arena *a)
{
    const char *list = "";
    for (size_t k = 0; k < ODP_FORMAT_FILES; k++)
        list = odp_arena_printf(a, "%s%s%s", list, *list != '\0' ? ", " : "", odp_format_files[k].name);
    return list;
}

/* The emitters of --format; without it all that make distributions. */
enum odp_status export_choose(struct export_run *e, const char *formats)
{
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    for (const char *name = formats; name != NULL; name = *name == ',' ? name + 1 : NULL) {
        struct odp_slice word = {name, strcspn(name, ",")};
        const struct odp_emitter *found = NULL;
        for (size_t k = 0; k < n; k++)
            if (kinds[k]->file->format != NULL && odp_slice_is(word, kinds[k]->file->name))
                found = kinds[k];
        if (found == NULL)
            return export_refuse(e, W_run_format_no_format_there, (int)word.len, word.ptr,
                                 known_formats(e->run.arena));
        for (size_t k = 0; k < e->nchosen && found != NULL; k++)
            found = e->chosen[k] != found ? found : NULL; /* named twice */
        if (found != NULL)
            e->chosen[e->nchosen++] = found;
        name += word.len;
    }
    for (size_t k = 0; k < n && formats == NULL; k++)
        if (kinds[k]->file->format != NULL)
            e->chosen[e->nchosen++] = kinds[k];
    return ODP_OK;
}

bool export_has(const struct export_run *e, const struct odp_resource *r)
{
    return odp_run_asked(&e->run, r->dataset) && e->run.tasks[r->index].role == ROLE_SELECTED;
}

/* Does every dataset offer what was asked for? A missing file is reported before hours of work, not after. */
static enum odp_status check_offered(struct export_run *e, const struct odp_dataset *d)
{
    size_t offered = 0;
    if (d->state == ODP_STATE_WITHDRAWN)
        return export_refuse(e, W_run_is_withdrawn, d->slug);
    for (size_t k = 0; k < e->nchosen; k++) {
        bool found = false;
        for (size_t i = 0; i < d->formats.n; i++)
            found = found || odp_slice_is(d->formats.item[i], e->chosen[k]->file->format);
        offered += found;
        if (!found && e->run.options->formats != NULL)
            return export_refuse(e, W_run_not_published_odp_formats_choose, d->slug, e->chosen[k]->file->name,
                                 odp_run_formats(&e->run, d), d->file);
    }
    return offered > 0 ? ODP_OK : export_refuse(e, W_run_published_no_format_odp_formats, d->slug);
}

/* A file to be written. */
struct planned {
    const char *name;
    struct stat before; /* what is there now */
    bool there;
};

/* Neither does a file take the place of another one of the run, nor of a source, nor of what is no file. */
static enum odp_status check_places(struct export_run *e, const struct planned *files, size_t n)
{
    const struct run *r = &e->run;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(files[i - 1].name, files[i].name) == 0)
            return export_refuse(e, W_run_two_tables_have_file_name, files[i].name);
        if (files[i].there && !S_ISREG(files[i].before.st_mode))
            return export_refuse(e, W_run_there_no_file, r->options->out, files[i].name);
    }
    for (size_t k = 0; k < r->catalog->nresources; k++) {
        struct stat st;
        bool as = r->options->as_file != NULL && export_has(e, r->catalog->resources[k]);
        const char *path = as ? r->options->as_file
                              : odp_resource_source(r->catalog->resources[k], r->options->sources, r->arena);
        bool there = stat(path, &st) == 0;
        for (size_t i = 0; i < n && there; i++)
            if (files[i].there && files[i].before.st_dev == st.st_dev && files[i].before.st_ino == st.st_ino)
                return export_refuse(e, W_run_source_file_choose_another_out, r->options->out, files[i].name,
                                     path);
    }
    return ODP_OK;
}

/* Everything that can be refused before the data is read. */
enum odp_status export_plan(struct export_run *e)
{
    const struct odp_catalog *c = e->run.catalog;
    struct planned *files = odp_arena_zero(e->run.arena, c->nresources * ODP_EMIT_MAX + 1, sizeof *files);
    const char *manifest = odp_path_join(e->run.arena, e->run.options->out, "manifest.json");
    size_t n = 0;
    enum odp_status status = ODP_OK;
    if (odp_file_kind_of(manifest) != ODP_FILE_NONE)
        return export_refuse(e, W_run_published_site_choose_another_out, e->run.options->out);
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++)
        status = odp_run_asked(&e->run, &c->datasets[i]) ? check_offered(e, &c->datasets[i]) : ODP_OK;
    for (size_t i = 0; i < c->nresources && status == ODP_OK; i++) {
        /* Whether it has a geometry its source will say: more names than files do no harm here. */
        const struct odp_emit_job job = {.catalog = c,
                                         .resource = c->resources[i],
                                         .version = "",
                                         .has_geometry = true,
                                         .chosen = e->chosen,
                                         .nchosen = e->nchosen};
        for (size_t k = 0; k < e->nchosen && status == ODP_OK && export_has(e, c->resources[i]); k++) {
            if (!odp_emit_offers(&job, e->chosen[k]))
                continue;
            const char *path = odp_emit_data_path(&job, e->chosen[k]->file->extension, e->run.arena);
            const char *place = odp_path_join(e->run.arena, e->run.options->out, odp_path_last(path));
            files[n].name = odp_path_last(path);
            files[n].there = lstat(place, &files[n].before) == 0;
            n++;
        }
    }
    if (n > 0)
        qsort(files, n, sizeof *files, odp_by_string); /* a string comes first in them */
    return status == ODP_OK ? check_places(e, files, n) : status;
}
