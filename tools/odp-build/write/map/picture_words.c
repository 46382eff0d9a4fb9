#include "write/map/picture_internal.h"

#include <math.h>

#include "base/decimal.h"
#include "words/write.h"

static void add_decimal(struct odp_buffer *out, double v, int places, enum odp_lang lang)
{
    char text[40];
    size_t n = odp_decimal_fixed(v, places, text);
    odp_text_decimal(out, (struct odp_slice){text, n}, lang);
}

void picture_degrees(struct odp_buffer *out, double v, bool is_lon, int places, enum odp_lang lang)
{
    static const char *const names[2][2][2] = {{{"LU", "LS"}, {"N", "S"}}, {{"BT", "BB"}, {"E", "W"}}};
    add_decimal(out, fabs(v), places, lang);
    odp_buffer_add_str(out, "°");
    if (fabs(v) > 1e-9)
        odp_buffer_printf(out, "\xC2\xA0%s", names[is_lon][lang == ODP_LANG_EN][v < 0]);
}

/* ---- the alternative ---- */

static const char *kind_of(const struct picture *m)
{
    int kinds = m->has_areas + m->has_lines + m->has_points;
    if (kinds != 1 || m->grid)
        return odp_word(m->p->lang, W_write_records);
    return m->has_areas   ? odp_word(m->p->lang, W_write_areas)
           : m->has_lines ? odp_word(m->p->lang, W_write_lines)
                          : odp_word(m->p->lang, W_write_points);
}

static void add_where(const struct picture *m, struct odp_buffer *out)
{
    const json_t *bbox = json_object_get(m->p->map, "bbox");
    enum odp_lang lang = m->p->lang;
    if (json_array_size(bbox) != 4)
        return;
    double b[4];
    for (size_t k = 0; k < 4; k++)
        b[k] = json_number_value(json_array_get(bbox, k));
    int places = b[2] - b[0] + b[3] - b[1] > 2 ? 1 : b[2] - b[0] + b[3] - b[1] > 0.1 ? 2 : 3;
    odp_buffer_add_str(out, odp_word(m->p->lang, W_write_between));
    picture_degrees(out, b[0], true, places, lang);
    odp_buffer_add_str(out, odp_word(m->p->lang, W_write_and));
    picture_degrees(out, b[2], true, places, lang);
    odp_buffer_add_str(out, ", ");
    picture_degrees(out, b[3], false, places, lang);
    odp_buffer_add_str(out, odp_word(m->p->lang, W_write_and));
    picture_degrees(out, b[1], false, places, lang);
}

/* TITLE as part of a sentence: its first letter is small, unless the word is an abbreviation. */
static void add_small(struct odp_buffer *out, const char *title)
{
    bool one = title[0] >= 'A' && title[0] <= 'Z' && !(title[1] >= 'A' && title[1] <= 'Z');
    if (one)
        odp_buffer_add_char(out, (char)(title[0] - 'A' + 'a'));
    odp_buffer_add_str(out, title + one);
}

static void add_categories(const struct picture *m, struct odp_buffer *out)
{
    if (m->field == NULL)
        return;
    odp_buffer_add_str(out, odp_word(m->p->lang, W_write_by));
    add_small(out, picture_in(m, json_object_get(m->odp, "category"), "title"));
    odp_buffer_add_str(out, ": ");
    for (size_t i = 0; i < m->n; i++) {
        odp_buffer_add_str(out, i > 0 ? ", " : "");
        odp_buffer_add_str(out, m->entry[i].label);
        odp_buffer_add_char(out, ' ');
        odp_text_number(out, m->entry[i].count, m->p->lang);
    }
    odp_buffer_add_char(out, '.');
}

static void add_places(const struct picture *m, struct odp_buffer *out)
{
    const json_t *place = json_object_get(m->odp, "place"), *values = json_object_get(place, "values");
    uint64_t different = (uint64_t)json_integer_value(json_object_get(place, "different"));
    size_t n = json_array_size(values);
    if (n == 0)
        return;
    odp_buffer_add_str(out, different == 1 ? odp_word(m->p->lang, W_write_all_in)
                                           : odp_word(m->p->lang, W_write_most_in));
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(values, i);
        odp_buffer_add_str(out, i == 0 ? "" : i + 1 < n ? ", " : odp_word(m->p->lang, W_write_and));
        odp_buffer_add_str(out, picture_in(m, v, "label"));
        odp_buffer_add_str(out, " (");
        odp_text_number(out, (uint64_t)json_integer_value(json_object_get(v, "count")), m->p->lang);
        odp_buffer_add_char(out, ')');
    }
    if (different > n) {
        odp_buffer_add_str(out, odp_word(m->p->lang, W_write_in_all));
        odp_text_number(out, different, m->p->lang);
        odp_buffer_add_str(out, odp_word(m->p->lang, W_write_different_places));
    }
    odp_buffer_add_char(out, '.');
}

void picture_alternative(const struct picture *m, struct odp_buffer *out)
{
    uint64_t total = (uint64_t)json_integer_value(json_object_get(m->odp, "total"));
    uint64_t located = (uint64_t)json_integer_value(json_object_get(m->odp, "located"));
    odp_buffer_add_str(out, odp_word(m->p->lang, W_write_map_of));
    odp_text_number(out, located, m->p->lang);
    odp_buffer_printf(out, " %s", kind_of(m));
    add_where(m, out);
    odp_buffer_add_char(out, '.');
    if (m->grid) {
        odp_buffer_add_str(out, odp_word(m->p->lang, W_write_there_too_many_drawn_one));
        add_decimal(out, json_number_value(json_object_get(m->odp, "cell")), 3, m->p->lang);
        odp_buffer_add_str(out, odp_word(m->p->lang, W_write_show_how_many_lie_each));
    }
    add_categories(m, out);
    add_places(m, out);
    if (total > located) {
        odp_buffer_add_char(out, ' ');
        odp_text_number(out, total - located, m->p->lang);
        odp_buffer_add_str(out, odp_word(m->p->lang, W_write_records_have_no_location));
    }
}
