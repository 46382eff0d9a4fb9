/* What a field wants, said to whoever fills it in. */
#include "repair/entry_workbook/entry_internal.h"

const char *entry_title(const struct entry *e, const struct odp_field *f)
{
    const char *title = odp_text_get(&f->title, e->lang);
    return *title != '\0' ? title : f->name;
}

/* A date pattern of the descriptor as spreadsheets write it; only for those that a spreadsheet has. */
static const char *date_format(const char *pattern)
{
    static const char *const known[][2] = {{"%d/%m/%Y", "dd/mm/yyyy"}, {"%d-%m-%Y", "dd-mm-yyyy"}, {"%d.%m.%Y", "dd.mm.yyyy"},
                                           {"%Y/%m/%d", "yyyy/mm/dd"}, {"%m/%d/%Y", "mm/dd/yyyy"}, {"%d %B %Y", "d mmmm yyyy"}};
    for (size_t i = 0; pattern != NULL && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(pattern, known[i][0]) == 0)
            return known[i][1];
    return "yyyy-mm-dd";
}

const char *entry_number_format(const struct odp_field *f)
{
    switch (f->type) {
    case ODP_TYPE_NUMBER:
    case ODP_TYPE_ANY:
        return "General";
    case ODP_TYPE_INTEGER:
    case ODP_TYPE_YEAR:
        return "0";
    case ODP_TYPE_DATE:
        return date_format(f->date_pattern);
    case ODP_TYPE_TIME:
        return "hh:mm:ss";
    case ODP_TYPE_DATETIME: /* a cell of a spreadsheet has no time zone: only where the field has one */
        return f->time_zone != NULL ? "yyyy-mm-dd hh:mm:ss" : "@";
    default:
        return "@";
    }
}

static void add_kind(struct entry *e, struct odp_buffer *out, const struct odp_field *f)
{
    switch (f->type) {
    case ODP_TYPE_NUMBER:
        odp_buffer_add_str(out, entry_say(e, "bilangan", "a number"));
        break;
    case ODP_TYPE_INTEGER:
        odp_buffer_add_str(out, entry_say(e, "bilangan bulat", "a whole number"));
        break;
    case ODP_TYPE_BOOLEAN:
        odp_buffer_add_str(out, entry_say(e, "pilih dari daftar", "choose from the list"));
        break;
    case ODP_TYPE_DATE:
        odp_buffer_add_str(out, entry_say(e, "tanggal", "a date"));
        break;
    case ODP_TYPE_TIME:
        odp_buffer_add_str(out, entry_say(e, "jam, seperti 08:30:00", "a time of day such as 08:30:00"));
        break;
    case ODP_TYPE_DATETIME:
        odp_buffer_add_str(out, f->time_zone != NULL ? entry_say(e, "tanggal dan jam", "date and time")
                                                     : entry_say(e, "teks seperti 2024-03-15T08:30:00+07:00", "text such as 2024-03-15T08:30:00+07:00"));
        break;
    case ODP_TYPE_YEAR:
        odp_buffer_add_str(out, entry_say(e, "tahun, empat angka", "a year, four digits"));
        break;
    case ODP_TYPE_YEARMONTH:
        odp_buffer_add_str(out, entry_say(e, "tahun dan bulan seperti 2024-03", "year and month such as 2024-03"));
        break;
    case ODP_TYPE_GEOPOINT:
        odp_buffer_add_str(out, entry_say(e, "titik", "a point"));
        odp_buffer_add_str(out, f->geopoint_format == ODP_GEOPOINT_ARRAY    ? " [106.8, -6.2]"
                                : f->geopoint_format == ODP_GEOPOINT_OBJECT ? " {\"lon\": 106.8, \"lat\": -6.2}"
                                                                            : " 106.8, -6.2");
        break;
    case ODP_TYPE_LIST:
        odp_buffer_printf(out, entry_say(e, "beberapa nilai, dipisah “%c”", "several values, parted by “%c”"), f->list_delimiter);
        break;
    default:
        odp_buffer_add_str(out, entry_say(e, "teks", "text"));
        break;
    }
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
        odp_buffer_printf(out, entry_say(e, ", tepat %lld karakter", ", exactly %lld characters"), (long long)c->min_length);
    else if (c->min_length > 0 && c->max_length >= 0)
        odp_buffer_printf(out, entry_say(e, ", %lld sampai %lld karakter", ", %lld to %lld characters"), (long long)c->min_length, (long long)c->max_length);
    else if (c->max_length >= 0)
        odp_buffer_printf(out, entry_say(e, ", paling banyak %lld karakter", ", at most %lld characters"), (long long)c->max_length);
    else if (c->min_length > 0)
        odp_buffer_printf(out, entry_say(e, ", paling sedikit %lld karakter", ", at least %lld characters"), (long long)c->min_length);
}

void entry_wants(struct entry *e, struct odp_buffer *out, const struct odp_resource *r, uint32_t k, const struct entry_list *list)
{
    const struct odp_field *f = &r->schema.fields[k];
    const struct odp_constraints *c = &f->constraints;
    const char *unit = odp_text_get(&f->unit, e->lang);
    if (list != NULL)
        odp_buffer_printf(out, entry_say(e, "salah satu nilai di lembar “%s”", "one of the values on sheet “%s”"), list->sheet);
    else
        add_kind(e, out, f);
    if (*unit != '\0')
        odp_buffer_printf(out, entry_say(e, ", dalam %s", ", in %s"), unit);
    add_bound(out, ", ≥ ", c->minimum);
    add_bound(out, ", > ", c->exclusive_minimum);
    add_bound(out, ", ≤ ", c->maximum);
    add_bound(out, ", < ", c->exclusive_maximum);
    add_lengths(e, out, c);
    if (list == NULL && c->pattern.ptr != NULL && c->pattern.len < 80) {
        odp_buffer_add_str(out, entry_say(e, ", berpola ", ", of the form "));
        odp_buffer_add_slice(out, c->pattern);
    }
    if (f->document != NULL)
        odp_buffer_printf(out, entry_say(e, "; nama berkas PDF di bawah folder %s", "; name of a PDF file below the folder %s"), f->document->folder);
    if (entry_is_key(r, k) || c->unique)
        odp_buffer_add_str(out, entry_say(e, r->schema.primary.n > 1 && !c->unique ? "; bagian dari kunci" : "; tidak boleh terulang",
                                          r->schema.primary.n > 1 && !c->unique ? "; part of the key" : "; must not occur twice"));
    if (!f->is_public)
        odp_buffer_add_str(out, entry_say(e, "; tidak diterbitkan", "; not published"));
}

bool entry_is_key(const struct odp_resource *r, uint32_t k)
{
    for (uint32_t i = 0; i < r->schema.primary.n; i++)
        if (r->schema.primary.fields[i] == k)
            return true;
    return false;
}
