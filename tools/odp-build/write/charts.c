/* The charts as files of the site: <stem>.svg (Indonesian) and <stem>.en.svg for a page, <stem>.narrow.svg
 * and <stem>.narrow.en.svg for a telephone, one <stem>.png to go beside links, and <stem>.json (the
 * figures and the text alternative) in the version's folder charts/. The stem holds a digest of the
 * chart's definition and of the form of these files: files of a version never change, so a chart that is
 * defined or drawn differently later gets new files. */

#include "write/chart_set.h"
#include "write/emitters.h"

#define FORM "2" /* of the files; 1 was drawn for paper */

struct charts_emit {
    struct odp_emit base;
    struct odp_cells_reader reader;
    struct odp_chart_set charts;
};

static bool has_charts(const struct odp_emit_job *job)
{
    return job->resource->ncharts > 0;
}

const char *const odp_chart_extensions[2][ODP_LANGS] = {{".svg", ".en.svg"},
                                                        {".narrow.svg", ".narrow.en.svg"}};

static struct odp_chart_about about(const struct odp_emit_job *job, struct odp_arena *a)
{
    const struct odp_portal *portal = &job->catalog->portal;
    const struct odp_dataset *of = job->resource->dataset;
    const json_t *own = json_array_get(json_object_get(of->json, "licenses"), 0);
    struct odp_chart_about about = {
        .dataset = of->slug, .version = job->version, .license_path = odp_emit_license(job)};
    about.license_name = own != NULL ? json_string_value(json_object_get(own, "name")) : portal->license_name;
    about.license_title = own != NULL ? json_string_value(json_object_get(own, "title"))
                                      : odp_text_get(&portal->license_title, ODP_LANG_ID);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        about.source.in[lang] = odp_arena_printf(a, "%s, %s", odp_text_get(&portal->publisher, lang),
                                                 odp_text_get(&of->title, lang));
    return about;
}

static void add_word(struct odp_buffer *out, const char *word)
{
    odp_buffer_add_str(out, word != NULL ? word : "");
    odp_buffer_add_char(out, '\0');
}

static void add_text(struct odp_buffer *out, const struct odp_text *text)
{
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        add_word(out, odp_text_get(text, lang));
}

/* All that the files are made of, but the records: fields by name, so that one more in front changes
 * nothing. */
static void add_definition(const struct odp_emit_job *job, const struct odp_chart *c, struct odp_arena *a,
                           struct odp_buffer *out)
{
    const struct odp_chart_about from = about(job, a);
    const int fields[] = {c->category, c->series, c->value, c->planned, c->actual};
    const size_t n = c->type == ODP_CHART_GANTT ? 5 : 3;
    odp_buffer_printf(out, FORM " %d %d %d %lld", c->type, c->aggregate, c->by_value, (long long)c->top);
    add_text(out, &c->title);
    add_text(out, &c->description);
    add_text(out, &job->resource->measures.record);
    add_text(out, &from.source);
    add_word(out, from.license_name);
    add_word(out, from.license_title);
    add_word(out, from.license_path);
    for (size_t i = 0; i < n; i++) {
        const struct odp_field *f = fields[i] >= 0 ? &job->resource->schema.fields[fields[i]] : NULL;
        add_word(out, f != NULL ? f->name : "-");
        if (f != NULL) {
            add_text(out, &f->title);
            add_text(out, &f->unit);
        }
    }
}

char *odp_emit_chart_path(const struct odp_emit_job *job, const struct odp_chart *c, const char *extension,
                          struct odp_arena *a)
{
    struct odp_buffer text;
    uint8_t sha256[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX], *path = NULL;
    odp_buffer_init(&text);
    add_definition(job, c, a, &text);
    if (odp_buffer_status(&text) == ODP_OK && odp_digest_of(text.ptr, text.len, sha256) == ODP_OK) {
        odp_digest_hex(sha256, hex);
        path = odp_arena_printf(a, "data/%s/%s/charts/%s-%.8s%s", job->resource->dataset->slug, job->version,
                                c->name, hex, extension);
    }
    odp_buffer_release(&text);
    return path;
}

static void charts_release(struct odp_emit *emit)
{
    odp_chart_set_release(&((struct charts_emit *)emit)->charts);
}

static enum odp_status charts_begin(struct odp_emit *emit)
{
    struct charts_emit *e = (struct charts_emit *)emit;
    odp_cells_reader_init(&e->reader, emit->job, &emit->arena);
    odp_chart_set_init(&e->charts, emit->job->resource, &emit->arena);
    return ODP_OK;
}

static enum odp_status charts_append(struct odp_emit *emit, const struct odp_chunk *c)
{
    struct charts_emit *e = (struct charts_emit *)emit;
    odp_cells_reader_begin(&e->reader, c);
    while (odp_cells_reader_next(&e->reader))
        odp_chart_set_add(&e->charts, &e->reader.cells);
    return ODP_OK;
}

static enum odp_status put(struct charts_emit *e, const struct odp_chart *c, const char *extension,
                           const char *type, const struct odp_buffer *bytes)
{
    const char *path = odp_emit_chart_path(e->base.job, c, extension, &e->base.arena);
    return path != NULL ? odp_emit_put(e->base.job, path, type, ODP_CLASS_PUBLIC, bytes) : ODP_FAIL;
}

/* A chart without data has an empty list of figures and no pictures. */
static enum odp_status put_chart(struct charts_emit *e, const struct odp_chart_data *d,
                                 struct odp_fonts *fonts)
{
    const struct odp_chart *c = odp_chart_data_chart(d);
    const struct odp_chart_about from = about(e->base.job, &e->base.arena);
    struct odp_buffer bytes;
    odp_buffer_init(&bytes);
    odp_chart_data_json(d, &from, &bytes);
    enum odp_status status = put(e, c, ".json", "application/json", &bytes);
    for (int i = 0; i < 4 && status == ODP_OK && !odp_chart_data_is_empty(d); i++) {
        enum odp_lang lang = (enum odp_lang)(i % 2);
        enum odp_chart_sheet sheet = i < 2 ? ODP_CHART_WIDE : ODP_CHART_NARROW;
        odp_buffer_clear(&bytes);
        status = odp_chart_svg(d, fonts, lang, sheet, &from, &bytes);
        if (status == ODP_OK)
            status = put(e, c, odp_chart_extensions[sheet][lang], "image/svg+xml", &bytes);
    }
    odp_buffer_release(&bytes);
    return status;
}

/* The picture beside links to the dataset: of the first table's first chart that has one. */
static enum odp_status put_picture(struct charts_emit *e, struct odp_fonts *fonts)
{
    const struct odp_chart_about from = about(e->base.job, &e->base.arena);
    for (size_t i = 0; i < e->charts.n && e->base.job->resource->primary; i++) {
        const struct odp_chart_data *d = e->charts.data[i];
        const struct odp_chart *c = odp_chart_data_chart(d);
        if (c->type == ODP_CHART_MAP || c->type == ODP_CHART_GANTT || odp_chart_data_is_empty(d))
            continue;
        struct odp_buffer bytes;
        odp_buffer_init(&bytes);
        enum odp_status status = odp_chart_png(d, fonts, ODP_LANG_ID, &from, &bytes);
        if (status == ODP_OK)
            status = put(e, c, ".png", "image/png", &bytes);
        odp_buffer_release(&bytes);
        return status;
    }
    return ODP_OK;
}

static enum odp_status charts_end(struct odp_emit *emit)
{
    struct charts_emit *e = (struct charts_emit *)emit;
    struct odp_fonts *fonts = NULL;
    enum odp_status status = odp_chart_set_finish(&e->charts, e->base.job->codes);
    if (status == ODP_OK)
        status = odp_fonts_open(&fonts);
    for (size_t i = 0; i < e->charts.n && status == ODP_OK; i++)
        status = put_chart(e, e->charts.data[i], fonts);
    if (status == ODP_OK)
        status = put_picture(e, fonts);
    odp_fonts_close(fonts);
    return status;
}

const struct odp_emitter odp_emitter_charts = {
    .file = &(const struct odp_format_file){.name = "charts", .extension = "", .media_type = "image/svg+xml"},
    .wanted = has_charts,
    .form = odp_cells_form,
    .size = sizeof(struct charts_emit),
    .begin = charts_begin,
    .format_batch = odp_cells_format,
    .append = charts_append,
    .end = charts_end,
    .release = charts_release,
};
