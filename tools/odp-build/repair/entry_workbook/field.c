/* What a field expects, for the person who fills it in. */
#include "repair/entry_workbook/entry_internal.h"
#include "words/entry_workbook.h"

const char *entry_title(const struct entry *e, const struct odp_field *f)
{
    const char *title = odp_text_get(&f->title, e->lang);
    return *title != '\0' ? title : f->name;
}

/* A date pattern of the descriptor as spreadsheets write it; only those that spreadsheets have. */
static const char *date_format(const char *pattern)
{
    static const char *const known[][2] = {{"%d/%m/%Y", "dd/mm/yyyy"}, {"%d-%m-%Y", "dd-mm-yyyy"},
                                           {"%d.%m.%Y", "dd.mm.yyyy"}, {"%Y/%m/%d", "yyyy/mm/dd"},
                                           {"%m/%d/%Y", "mm/dd/yyyy"}, {"%d %B %Y", "d mmmm yyyy"}};
    for (size_t i = 0; pattern != NULL && i < ODP_COUNT(known); i++)
        if (strcmp(pattern, known[i][0]) == 0)
            return known[i][1];
    return "yyyy-mm-dd";
}

const char *entry_number_format(const struct odp_field *f)
{
    const struct odp_field_type *type = odp_field_type(f->type);
    bool text = type->cell_format == NULL || (f->type == ODP_TYPE_DATETIME && f->time_zone == NULL);
    if (f->type == ODP_TYPE_DATE)
        return date_format(f->date_pattern);
    return text ? "@" : type->cell_format;
}

static void add_kind(struct entry *e, struct odp_buffer *out, const struct odp_field *f)
{
    static const char *const points[] = {[ODP_GEOPOINT_DEFAULT] = " 106.8, -6.2",
                                         [ODP_GEOPOINT_ARRAY] = " [106.8, -6.2]",
                                         [ODP_GEOPOINT_OBJECT] = " {\"lon\": 106.8, \"lat\": -6.2}"};
    const struct odp_text *hint = &odp_field_type(f->type)->hint;
    if (f->type == ODP_TYPE_DATETIME && f->time_zone == NULL)
        odp_buffer_add_str(out, entry_word(e, W_entry_text_such_2024_03_15t08));
    else
        odp_buffer_add_str(out, odp_text_get(hint, e->lang));
    if (f->type == ODP_TYPE_LIST)
        odp_buffer_printf(out, " “%c”", f->list_delimiter);
    if (f->type == ODP_TYPE_GEOPOINT)
        odp_buffer_add_str(out, points[f->geopoint_format]);
}

static void add_bound(struct odp_buffer *out, const char *sign, struct odp_slice bound)
{
    if (bound.ptr == NULL)
        return;
    odp_buffer_add_str(out, sign);
    odp_buffer_add_slice(out, bound);
}

static void add_lengths(struct entry *e, struct odp_buffer *out, const struct odp_constraints *c)
{
    if (c->min_length > 0 && c->min_length == c->max_length)
        odp_buffer_printf(out, entry_word(e, W_entry_exactly_characters), (long long)c->min_length);
    else if (c->min_length > 0 && c->max_length >= 0)
        odp_buffer_printf(out, entry_word(e, W_entry_to_characters), (long long)c->min_length,
                          (long long)c->max_length);
    else if (c->max_length >= 0)
        odp_buffer_printf(out, entry_word(e, W_entry_at_most_characters), (long long)c->max_length);
    else if (c->min_length > 0)
        odp_buffer_printf(out, entry_word(e, W_entry_at_least_characters), (long long)c->min_length);
}

void entry_expected(struct entry *e, struct odp_buffer *out, const struct odp_resource *r, uint32_t k,
                    const struct entry_list *list)
{
    const struct odp_field *f = &r->schema.fields[k];
    const struct odp_constraints *c = &f->constraints;
    const char *unit = odp_text_get(&f->unit, e->lang);
    if (list != NULL)
        odp_buffer_printf(out, entry_word(e, W_entry_one_values_on_sheet), list->sheet);
    else
        add_kind(e, out, f);
    if (*unit != '\0')
        odp_buffer_printf(out, entry_word(e, W_entry_in), unit);
    add_bound(out, ", ≥ ", c->minimum);
    add_bound(out, ", > ", c->exclusive_minimum);
    add_bound(out, ", ≤ ", c->maximum);
    add_bound(out, ", < ", c->exclusive_maximum);
    add_lengths(e, out, c);
    if (list == NULL && c->pattern.ptr != NULL && c->pattern.len < 80) {
        odp_buffer_add_str(out, entry_word(e, W_entry_of_the_form));
        odp_buffer_add_slice(out, c->pattern);
    }
    if (f->document != NULL)
        odp_buffer_printf(out, entry_word(e, W_entry_name_pdf_file_below_folder), f->document->folder);
    if (odp_key_has(&r->schema.primary, k) || c->unique)
        odp_buffer_add_str(out, r->schema.primary.n > 1 && !c->unique
                                    ? entry_word(e, W_entry_part_key)
                                    : entry_word(e, W_entry_must_not_occur_twice));
    if (!f->is_public)
        odp_buffer_add_str(out, entry_word(e, W_entry_not_published));
}
