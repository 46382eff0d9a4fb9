/* What the summaries of all tables say, as facts that pages, cards and pictures put into words: how many
 * records, the figures that matter (figures.c), where most is. */
#include "published/layout.h"
#include "site/model/model_internal.h"
#include "site/model/places.h"
#include "site/versions/among.h"

enum {
    RANKED = 10,
    RANKED_LEAST = 3, /* of fewer places none is first */
};

/* ---- places in order ---- */

struct figures {
    const struct odp_site_job *job;
    struct odp_arena arena;
    enum odp_status status;
};

struct place {
    const char *code;
    const json_t *value;
};

static int largest_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const double v = json_number_value(x->value), w = json_number_value(y->value);
    return v != w ? (v < w) - (v > w) : strcmp(x->code, y->code);
}

static struct place *rank(const json_t *places, size_t k, size_t *n, struct odp_arena *a)
{
    const char *code;
    json_t *one;
    struct place *all = odp_arena_array(a, json_object_size(places) + 1, sizeof *all);
    *n = 0;
    json_object_foreach((json_t *)(uintptr_t)places, code, one)
    {
        const json_t *value = json_array_get(json_object_get(one, "total"), k);
        if (json_is_number(value))
            all[(*n)++] = (struct place){code, value};
    }
    if (*n > 1)
        qsort(all, *n, sizeof *all, largest_first);
    return all;
}

json_t *model_place_page(const struct odp_site_job *job, const char *list, const char *code,
                         struct odp_arena *a)
{
    json_t *page = json_object();
    for (int lang = 0; lang < ODP_LANGS && odp_places_find(job->places, list, code) != NULL; lang++)
        odp_set_str(page, odp_lang_code((enum odp_lang)lang), odp_path_place(code, (enum odp_lang)lang, a));
    return page;
}

/* The highest of the places of LEVEL by measure K, with their NAMES. */
static json_t *make_ranking(struct figures *f, const json_t *summary, const char *level, const json_t *names,
                            size_t k)
{
    const json_t *measure = json_array_get(json_object_get(summary, "measures"), k);
    size_t n;
    const struct place *all =
        rank(json_object_get(json_object_get(summary, "places"), level), k, &n, &f->arena);
    const double most = n > 0 ? json_number_value(all[0].value) : 0;
    json_t *list = json_array();
    for (size_t i = 0; i < n && i < RANKED; i++) {
        const double v = json_number_value(all[i].value);
        odp_add(list, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o}", "number", (json_int_t)i + 1, "code",
                                all[i].code, "page", model_place_page(f->job, level, all[i].code, &f->arena),
                                "label", odp_model_both_or(names, all[i].code, all[i].code), "value",
                                odp_model_measured(measure, all[i].value), "width",
                                json_sprintf("%.1f", most > 0 && v > 0 ? 100 * v / most : 0)));
    }
    json_t *o = odp_model_measure(measure);
    odp_set_flag(o, "has_first", n > 1 && json_number_value(all[0].value) > json_number_value(all[1].value));
    odp_set_str(o, "level", level);
    odp_set_number(o, "n", (json_int_t)n);
    odp_set(o, "list", list);
    if (n < RANKED_LEAST || most <= json_number_value(all[n - 1].value) || most <= 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* ---- all tables ---- */

enum odp_status odp_model_summary(const struct odp_site_job *job, const char *path, json_t **out)
{
    *out = json_incref(odp_places_summary(job->places, path));
    (void)odp_stage_find(job->stage, path); /* the part that is open depends on it, held or not */
    return *out != NULL ? ODP_OK : odp_job_read(job, path, out);
}

/* The measure that places are put in order by: the first highlight. */
static size_t first_highlight(const json_t *summary)
{
    const json_t *measure;
    size_t k;
    json_array_foreach(json_object_get(summary, "measures"), k,
                       measure) if (json_is_true(json_object_get(measure, "highlight"))) return k;
    return 0;
}

static void set_places(struct figures *f, json_t *o, const json_t *summary)
{
    const json_t *place = json_object_get(summary, "place");
    const char *list = odp_text_of(place, "list");
    if (*list == '\0')
        return;
    json_t *labels = NULL;
    if (f->status == ODP_OK)
        f->status = odp_job_read_kept(f->job, odp_labels_path(list, odp_text_of(place, "edition"), &f->arena),
                                      &labels);
    const json_t *names = json_object_get(labels, "labels");
    json_t *ranking = make_ranking(f, summary, list, names, first_highlight(summary));
    if (ranking != NULL)
        odp_set(o, "ranking", ranking);
    json_decref(labels);
}

static json_t *make_facts(struct figures *f, const char *path)
{
    json_t *summary = NULL;
    if (f->status == ODP_OK)
        f->status = odp_model_summary(f->job, path, &summary);
    const json_t *time = json_object_get(summary, "time"), *all = json_object_get(summary, "all"),
                 *times = json_object_get(time, "values");
    const bool panel = json_is_true(json_object_get(time, "panel"));
    if (summary == NULL)
        return json_null();
    json_t *highlights = odp_model_highlights(summary, all),
           *o = json_pack("{s:I, s:o, s:b, s:o}", "records", odp_model_number(summary, "records"), "noun",
                          odp_model_noun(summary, (double)odp_model_number(summary, "records")), "any",
                          (int)(json_array_size(highlights) > 0), "highlights", highlights);
    if (panel && json_array_size(times) > 0)
        odp_set(o, "time", odp_model_time(json_array_get(times, json_array_size(times) - 1)));
    else if (json_array_size(highlights) > 0)
        odp_set_flag(json_array_get(highlights, 0), "begins", true);
    set_places(f, o, summary);
    json_decref(summary);
    return o;
}

/* [facts of each table of ENTRY] */
static enum odp_status make_all(void *ctx, const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    struct figures f = {.job = job};
    const char *slug = odp_text_of(entry, "slug"), *version = odp_text_of(entry, "version");
    const json_t *table;
    size_t k;
    *out = json_array();
    odp_arena_init(&f.arena);
    json_array_foreach(json_object_get(entry, "resources"), k, table) odp_add(
        *out, make_facts(&f, odp_arena_printf(&f.arena, "data/%s/%s/%s%s%s.summary.json", slug, version, slug,
                                              k > 0 ? "-" : "", k > 0 ? odp_text_of(table, "name") : "")));
    if (f.status == ODP_OK)
        f.status = odp_arena_status(&f.arena);
    odp_arena_release(&f.arena);
    return f.status;
}

enum odp_status odp_model_figures(const struct odp_site_job *job, json_t **out)
{
    enum odp_status status = ODP_OK;
    const json_t *entry;
    size_t i;
    *out = json_object();
    json_array_foreach(job->entries, i, entry)
    {
        json_t *list = NULL;
        if (status == ODP_OK)
            status = odp_among_value(job, "figures", entry, make_all, &list);
        if (list != NULL)
            odp_set(*out, odp_text_of(entry, "slug"), list);
    }
    return status;
}
