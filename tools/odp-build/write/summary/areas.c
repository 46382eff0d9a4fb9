#include "write/summary/areas.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"
#include "words/summary.h"
#include "write/typesetting/words.h"

enum { NAMED = 3, CLASSES = 5 };

static const char *in(const json_t *o, const char *key, enum odp_lang lang)
{
    const json_t *both = json_object_get(o, key);
    const char *text = odp_json_text(both, odp_lang_code(lang));
    return text != NULL ? text : "";
}

static void add_number(struct odp_buffer *out, const json_t *value, enum odp_lang lang,
                       void (*add)(struct odp_buffer *, struct odp_slice, enum odp_lang))
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    add(out, odp_slice_of(text != NULL ? text : ""), lang);
    odp_json_free_text(text);
}

void odp_areas_bound(struct odp_buffer *out, const struct odp_areas *f, size_t i)
{
    odp_buffer_add_str(out, "≥ ");
    add_number(out, json_array_get(f->breaks, i), f->of.lang, odp_text_bound);
}

/* ---- figures ---- */

int odp_areas_measure(const json_t *summary, const char *level)
{
    const json_t *m;
    size_t i;
    int first = -1;
    json_array_foreach(json_object_get(summary, "measures"), i, m)
    {
        if (json_object_get(json_object_get(m, "classes"), level) == NULL)
            continue;
        if (json_is_true(json_object_get(m, "highlight")))
            return (int)i;
        first = first < 0 ? (int)i : first;
    }
    return first;
}

static int class_of(const json_t *breaks, const json_t *value)
{
    int class = 0;
    for (size_t i = 0; i < json_array_size(breaks) && i + 1 < CLASSES; i++)
        class += json_number_value(value) >= json_number_value(json_array_get(breaks, i));
    return json_is_number(value) ? class : -1;
}

static int highest_first(const void *a, const void *b)
{
    const struct odp_area *x = a, *y = b;
    double p = json_number_value(x->value), q = json_number_value(y->value);
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

static struct odp_area make_area(const struct odp_areas *f, const char *code, size_t measure)
{
    const json_t *places = json_object_get(json_object_get(f->of.summary, "places"), f->of.level),
                 *value = json_array_get(json_object_get(json_object_get(places, code), "total"), measure);
    const char *name = f->of.name(f->of.ctx, code, f->of.lang);
    return (struct odp_area){.name = *name != '\0' ? name : code,
                             .value = json_is_number(value) ? value : NULL,
                             .class = class_of(f->breaks, value)};
}

bool odp_areas_is_mean(const json_t *measure)
{
    static const char *const says[] = {"ata-rata", "ean ", "verage"};
    const char *way = odp_json_text(measure, "aggregate");
    bool unsaid = way != NULL && strcmp(way, "mean") == 0;
    for (size_t i = 0; i < 3 * (size_t)ODP_LANGS; i++)
        unsaid = unsaid && strstr(in(measure, "title", (enum odp_lang)(i / 3)), says[i % 3]) == NULL;
    return unsaid;
}

/* "Persentase layak huni (rata-rata), 2023 (persen)" */
static const char *make_heading(struct odp_areas *f)
{
    const enum odp_lang lang = f->of.lang;
    const char *title = in(f->measure, "title", lang), *label = in(f->measure, "label", lang),
               *unit = in(f->measure, "unit", lang);
    const json_t *time = json_object_get(f->of.summary, "time"), *times = json_object_get(time, "values");
    if (*label != '\0')
        title = odp_arena_printf(&f->arena, "%s: %s", title, label);
    if (odp_areas_is_mean(f->measure))
        title = odp_arena_printf(&f->arena, odp_word(lang, W_summary_areas_mean), title);
    if (json_is_true(json_object_get(time, "panel")) && json_array_size(times) > 0) {
        struct odp_buffer b = {0};
        odp_words_date(&b, odp_slice_of(json_string_value(json_array_get(times, json_array_size(times) - 1))),
                       lang);
        title = odp_arena_printf(&f->arena, "%s, %s", title, odp_buffer_keep(&b, &f->arena));
    }
    return *unit != '\0' ? odp_arena_printf(&f->arena, "%s (%s)", title, unit) : title;
}

static bool has_shape(const struct odp_areas *f, const char *code)
{
    bool has = false;
    for (size_t i = 0; i < f->of.nshapes && !has; i++)
        has = strcmp(f->of.codes[i], code) == 0;
    return has;
}

int odp_areas_shade(size_t i, size_t n, int steps)
{
    const size_t last = (size_t)steps - 1, at = n > 1 ? i * last / (n - 1) : i;
    return (int)(at < last ? at : last);
}

void odp_areas_init(struct odp_areas *f, const struct odp_areas_of *of)
{
    int k = odp_areas_measure(of->summary, of->level);
    size_t measure = k < 0 ? 0 : (size_t)k;
    const json_t *places = json_object_get(json_object_get(of->summary, "places"), of->level), *one;
    const char *code;
    *f = (struct odp_areas){.of = *of};
    odp_arena_init(&f->arena);
    f->measure = json_array_get(json_object_get(of->summary, "measures"), measure);
    f->breaks = json_object_get(json_object_get(f->measure, "classes"), of->level);
    f->shapes = odp_arena_zero(&f->arena, of->nshapes + 1, sizeof *f->shapes);
    f->all = odp_arena_zero(&f->arena, json_object_size(places) + 1, sizeof *f->all);
    for (size_t i = 0; i < of->nshapes; i++) {
        f->shapes[i] = make_area(f, of->codes[i], measure);
        f->missing += f->shapes[i].value == NULL;
    }
    json_object_foreach((json_t *)(uintptr_t)places, code, one) /* reads only */
    {
        f->all[f->nall] = make_area(f, code, measure);
        f->all[f->nall].has_shape = has_shape(f, code);
        f->nall += f->all[f->nall].value != NULL;
    }
    qsort(f->all, f->nall, sizeof *f->all, highest_first);
    f->heading = make_heading(f);
}

void odp_areas_release(struct odp_areas *f)
{
    odp_arena_release(&f->arena);
}

/* ---- what is said of them ---- */

static void add_area(struct odp_buffer *out, const struct odp_areas *f, const struct odp_area *one,
                     bool first)
{
    odp_buffer_add_str(out, first ? "" : "; ");
    odp_buffer_add_str(out, one->name);
    odp_buffer_add_char(out, ' ');
    add_number(out, one->value, f->of.lang, odp_text_amount);
}

void odp_areas_beside(struct odp_buffer *out, const struct odp_areas *f)
{
    bool first = true;
    for (size_t i = 0; i < f->nall; i++) {
        if (f->all[i].has_shape)
            continue;
        if (first)
            odp_buffer_add_str(out, odp_word(f->of.lang, W_summary_areas_beside));
        add_area(out, f, &f->all[i], first);
        first = false;
    }
    odp_buffer_add_str(out, first ? "" : ".");
}

void odp_areas_alternative(struct odp_buffer *out, const struct odp_areas *f)
{
    const enum odp_lang lang = f->of.lang;
    struct odp_buffer beside = {0};
    odp_buffer_printf(out, odp_word(lang, W_summary_areas_by), f->of.list,
                      odp_text_first_inside(odp_slice_of(f->heading)), f->heading + 1);
    odp_buffer_add_str(out, ". ");
    odp_buffer_add_str(out, f->nall > 0 ? odp_word(lang, W_summary_areas_highest) : "");
    for (size_t i = 0; i < f->nall && i < NAMED; i++)
        add_area(out, f, &f->all[i], i == 0);
    if (f->nall > NAMED) {
        odp_buffer_add_str(out, "; ");
        odp_buffer_add_str(out, odp_word(lang, W_summary_areas_lowest));
        add_area(out, f, &f->all[f->nall - 1], true);
    }
    odp_buffer_add_str(out, f->nall > 0 ? "." : "");
    odp_areas_beside(&beside, f);
    if (beside.len > 0)
        odp_buffer_printf(out, " %s", odp_buffer_cstr(&beside));
    out->failed |= beside.failed;
    odp_buffer_release(&beside);
}
