/* The appendix: what the fields mean, in both languages; what codes stand for; where the data comes from. Everything is told by
 * the catalogue, so the tables are made once and set as often as the document is.
 *
 * A text in two languages that shares a cell has its English below the Indonesian. */
#include <errno.h>
#include <stdlib.h>

#include "write/typesetting/words.h"
#include "write/pdf/pdf_internal.h"
#include "write/pdf/table_internal.h"

enum { CODES_MOST = 200, COLUMNS_MOST = 7 };

#define AFTER_INTRO  4.0
#define HEADING_ROOM 40.0 /* about what a heading of the second level takes */

/* A heading, a paragraph, a table; each but the heading may be missing. */
struct part {
    int level;
    const char *heading, *dest;
    const char *intro;
    uint32_t columns;
    uint64_t rows;
    struct odp_slice *cell; /* rows * columns */
    struct odp_print_table *table;
    struct part *next;
};

struct odp_print_appendix {
    struct part *first, **end;
};

/* While it is made. */
struct making {
    const struct odp_print_job *job;
    const struct odp_schema *schema;
    struct odp_fonts *fonts;
    struct odp_arena *arena;
    struct odp_print_appendix *appendix;
    struct odp_buffer text;
    unsigned lists; /* code lists so far */
    bool failed;
};

/* ---- pieces of text
 * --------------------------------------------------------------------------------------------------------------- */

static struct odp_slice keep(struct making *m)
{
    struct odp_slice s = {NULL, 0};
    if (!m->text.failed)
        s = odp_arena_copy(m->arena, (struct odp_slice){m->text.ptr != NULL ? m->text.ptr : "", m->text.len});
    m->failed = m->failed || s.ptr == NULL;
    odp_buffer_clear(&m->text);
    return s;
}

static const char *keep_str(struct making *m)
{
    struct odp_slice s = keep(m);
    return s.ptr != NULL ? s.ptr : "";
}

static bool is_text(const char *s)
{
    return s != NULL && *s != '\0';
}

/* Nothing where S is empty. */
static struct odp_slice some(const char *s)
{
    return is_text(s) ? odp_slice_of(s) : (struct odp_slice){NULL, 0};
}

static bool has_english(const struct odp_text *t)
{
    const char *id = t->in[ODP_LANG_ID], *en = t->in[ODP_LANG_EN];
    return is_text(en) && (!is_text(id) || strcmp(id, en) != 0);
}

/* Both languages, or the one that there is. */
static struct odp_slice both(struct making *m, const struct odp_text *t)
{
    const char *id = t->in[ODP_LANG_ID], *en = t->in[ODP_LANG_EN];
    if (!is_text(id) || !has_english(t))
        return some(is_text(id) ? id : en);
    odp_buffer_add_str(&m->text, id);
    odp_buffer_add_char(&m->text, '\n');
    odp_buffer_add_str(&m->text, en);
    return keep(m);
}

/* A member that is a text or {"id", "en"}. */
static struct odp_text member(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    if (json_is_string(v))
        return (struct odp_text){{json_string_value(v), NULL}};
    return (struct odp_text){{json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

static struct odp_slice cell_of(void *ctx, uint64_t i, uint32_t k, const char **uri)
{
    const struct part *p = ctx;
    *uri = NULL;
    return p->cell[i * p->columns + k];
}

/* ---- parts
 * ------------------------------------------------------------------------------------------------------------------------ */

/* ROWS: at most so many; the caller counts those that it fills. NULL: no memory. */
static struct part *part_new(struct making *m, int level, const char *heading, const char *dest, uint32_t columns, size_t rows)
{
    struct part *p = odp_arena_zero(m->arena, 1, sizeof *p);
    if (p != NULL && columns > 0) {
        p->cell = odp_arena_zero(m->arena, rows * columns + 1, sizeof *p->cell);
        p = p->cell != NULL ? p : NULL;
    }
    m->failed = m->failed || p == NULL;
    if (p == NULL)
        return NULL;
    p->level = level;
    p->heading = heading;
    p->dest = dest;
    p->columns = columns;
    return p;
}

static struct odp_slice *next_row(struct part *p)
{
    return &p->cell[p->rows++ * p->columns];
}

/* HEADS: one for each column. */
static void part_add(struct making *m, struct part *p, const char *const *heads)
{
    struct odp_print_column column[COLUMNS_MOST] = {{0}};
    for (uint32_t k = 0; k < p->columns; k++)
        column[k].head = heads[k];
    column[0].key = true;
    *m->appendix->end = p;
    m->appendix->end = &p->next;
    if (p->columns > 0 && odp_print_table_new_narrow(&p->table, m->fonts, column, p->columns, p->rows, cell_of, p) != ODP_OK)
        m->failed = true;
}

/* ---- the meaning of the fields
 * ---------------------------------------------------------------------------------------------------- */

static bool is_key(const struct odp_schema *s, uint32_t field)
{
    for (uint32_t i = 0; i < s->primary.n; i++)
        if (s->primary.fields[i] == field)
            return true;
    return false;
}

static struct odp_slice yes_no(bool yes, bool key)
{
    static const struct odp_slice words[2][2] = {{ODP_LIT("Tidak\nNo"), ODP_LIT("Tidak (kunci)\nNo (key)")},
                                                 {ODP_LIT("Ya\nYes"), ODP_LIT("Ya (kunci)\nYes (key)")}};
    return words[yes][key];
}

/* "Usang sejak 2024-01-01, dihapus 2025-01-01, diganti luas_ha." */
static void add_end(struct making *m, const struct odp_field *f, enum odp_lang lang)
{
    static const char *const words[ODP_LANGS][3] = {{"Usang sejak ", ", dihapus ", ", diganti "},
                                                    {"Deprecated since ", ", to be removed on ", ", replaced by "}};
    if (f->deprecated == NULL)
        return;
    odp_buffer_add_str(&m->text, m->text.len > 0 ? " " : "");
    odp_buffer_add_str(&m->text, words[lang][0]);
    odp_words_date(&m->text, odp_slice_of(f->deprecated), lang);
    if (f->sunset != NULL) {
        odp_buffer_add_str(&m->text, words[lang][1]);
        odp_words_date(&m->text, odp_slice_of(f->sunset), lang);
    }
    if (f->replaced_by != NULL) {
        odp_buffer_add_str(&m->text, words[lang][2]);
        odp_buffer_add_str(&m->text, f->replaced_by);
    }
    odp_buffer_add_char(&m->text, '.');
}

/* The definition, else the description. */
static struct odp_slice meaning(struct making *m, const struct odp_field *f, enum odp_lang lang)
{
    struct odp_text definition = member(f->json, "sdi:definisi");
    const char *text = definition.in[lang];
    if (!is_text(text))
        text = f->description.in[lang];
    if (is_text(text))
        odp_buffer_add_str(&m->text, text);
    add_end(m, f, lang);
    return m->text.len > 0 ? keep(m) : (struct odp_slice){NULL, 0};
}

static struct odp_slice type_words(struct making *m, enum odp_type type)
{
    const struct odp_text t = odp_field_type(type)->label;
    return both(m, &t);
}

static void add_field(struct making *m, struct part *p, uint32_t i, bool units)
{
    const struct odp_field *f = &m->schema->fields[i];
    struct odp_slice *row = next_row(p);
    *row++ = odp_slice_of(f->name);
    *row++ = both(m, &f->title);
    *row++ = meaning(m, f, ODP_LANG_ID);
    *row++ = meaning(m, f, ODP_LANG_EN);
    *row++ = type_words(m, f->type);
    if (units)
        *row++ = both(m, &f->unit);
    *row = yes_no(f->constraints.required, is_key(m->schema, i));
}

/* The columns of the place, behind the fields. */
static void add_places(struct making *m, struct part *p, bool units)
{
    static const struct {
        const char *name;
        struct odp_text title, meaning;
    } all[2][3] = {{{"lon", {{"Bujur", "Longitude"}}, {{"Bujur titik, WGS 84.", "Longitude of the point, WGS 84."}}},
                    {"lat", {{"Lintang", "Latitude"}}, {{"Lintang titik, WGS 84.", "Latitude of the point, WGS 84."}}},
                    {NULL, {{NULL, NULL}}, {{NULL, NULL}}}},
                   {{"label_lon",
                     {{"Bujur titik", "Longitude of the label"}},
                     {{"Bujur sebuah titik di dalam bentuk, WGS 84.", "Longitude of a point within the shape, WGS 84."}}},
                    {"label_lat",
                     {{"Lintang titik", "Latitude of the label"}},
                     {{"Lintang titik yang sama, WGS 84.", "Latitude of the same point, WGS 84."}}},
                    {"geometry_type",
                     {{"Jenis geometri", "Kind of geometry"}},
                     {{"Titik, garis, atau poligon.", "Point, line or polygon."}}}}};
    uint32_t n = m->job->columns - m->schema->n;
    for (uint32_t k = 0; k < n && k < 3; k++) {
        bool text = k == 2;
        struct odp_slice *row = next_row(p);
        if (odp_schema_find(m->schema, odp_slice_of(all[n == 3][k].name)) >= 0)
            odp_buffer_add_str(&m->text, "geometry_");
        odp_buffer_add_str(&m->text, all[n == 3][k].name);
        *row++ = keep(m);
        *row++ = both(m, &all[n == 3][k].title);
        *row++ = some(all[n == 3][k].meaning.in[ODP_LANG_ID]);
        *row++ = some(all[n == 3][k].meaning.in[ODP_LANG_EN]);
        *row++ = type_words(m, text ? ODP_TYPE_STRING : ODP_TYPE_NUMBER);
        if (units)
            *row++ = text ? (struct odp_slice){NULL, 0} : ODP_LIT("derajat\ndegrees");
        *row = yes_no(m->job->resource->geometry.required, false);
    }
}

static void make_fields(struct making *m)
{
    static const char *const heads[] = {"Bidang\nField", "Judul\nTitle", "Arti",           "Meaning",
                                        "Jenis\nType",   "Satuan\nUnit", "Wajib\nRequired"};
    static const char *const without[] = {"Bidang\nField", "Judul\nTitle", "Arti", "Meaning", "Jenis\nType", "Wajib\nRequired"};
    bool units = m->job->has_geometry;
    for (uint32_t i = 0; i < m->schema->n; i++)
        units = units || (m->schema->fields[i].is_public && !odp_text_is_empty(&m->schema->fields[i].unit));
    struct part *p =
        part_new(m, 1, "Arti bidang / Meaning of the fields", "arti-bidang", units ? 7 : 6, (size_t)m->schema->n + 3);
    if (p == NULL)
        return;
    for (uint32_t i = 0; i < m->schema->n; i++)
        if (m->schema->fields[i].is_public)
            add_field(m, p, i, units);
    if (m->job->has_geometry && m->job->columns > m->schema->n)
        add_places(m, p, units);
    part_add(m, p, units ? heads : without);
}

/* What Satu Data asks of a field beside definition and unit; only fields that tell it. */
static void make_standard(struct making *m)
{
    static const char *const heads[] = {"Bidang\nField", "Konsep\nConcept", "Ukuran\nMeasure", "Klasifikasi\nClassification"};
    static const char *const members[] = {"sdi:konsep", "sdi:ukuran", "sdi:klasifikasi"};
    struct part *p = part_new(m, 2, "Standar data / Data standard", "standar-data", 4, (size_t)m->schema->n);
    for (uint32_t i = 0; p != NULL && i < m->schema->n; i++) {
        const struct odp_field *f = &m->schema->fields[i];
        bool any = false;
        for (size_t k = 0; k < 3; k++)
            any = any || json_object_get(f->json, members[k]) != NULL;
        if (!any || !f->is_public)
            continue;
        struct odp_slice *row = next_row(p);
        row[0] = odp_slice_of(f->name);
        for (size_t k = 0; k < 3; k++) {
            struct odp_text t = member(f->json, members[k]);
            row[k + 1] = both(m, &t);
        }
    }
    if (p != NULL && p->rows > 0)
        part_add(m, p, heads);
}

/* ---- code lists
 * -------------------------------------------------------------------------------------------------------------------- */

static const char *list_dest(struct making *m)
{
    odp_buffer_printf(&m->text, "kode-%u", ++m->lists);
    return keep_str(m);
}

/* The chapter's heading stands in front of the first list. */
static void open_lists(struct making *m)
{
    if (m->lists > 0)
        return;
    struct part *p = part_new(m, 1, "Daftar kode / Code lists", "daftar-kode", 0, 0);
    if (p != NULL)
        part_add(m, p, NULL);
}

/* "Jenis belanja / Kind of spending" */
static const char *list_title(struct making *m, const struct odp_text *title, const char *name)
{
    const char *id = title->in[ODP_LANG_ID];
    if (!is_text(id) && !is_text(title->in[ODP_LANG_EN]))
        return name;
    odp_buffer_add_str(&m->text, odp_text_get(title, ODP_LANG_ID));
    if (is_text(id) && has_english(title)) {
        odp_buffer_add_str(&m->text, " / ");
        odp_buffer_add_str(&m->text, title->in[ODP_LANG_EN]);
    }
    return keep_str(m);
}

/* What labels tell beyond the codes. */
struct told {
    bool id, en;
};

static void look_at(struct told *told, struct odp_slice code, const struct odp_text *label)
{
    told->id = told->id || (is_text(label->in[ODP_LANG_ID]) && !odp_slice_is(code, label->in[ODP_LANG_ID]));
    told->en = told->en || (is_text(label->in[ODP_LANG_EN]) && !odp_slice_is(code, label->in[ODP_LANG_EN]));
}

static void add_code(struct part *p, const struct told *told, struct odp_slice code, const struct odp_text *label)
{
    struct odp_slice *row = next_row(p);
    *row++ = code;
    if (told->id)
        *row++ = some(label->in[ODP_LANG_ID]);
    if (told->en)
        *row = some(label->in[ODP_LANG_EN]);
}

static void add_codes(struct making *m, struct part *p, const struct told *told)
{
    const char *heads[3] = {"Kode\nCode", told->id ? "Arti" : "Meaning", "Meaning"};
    part_add(m, p, heads);
}

static void make_categories(struct making *m, const struct odp_field *f)
{
    struct told told = {false, false};
    size_t n = f->ncategories < CODES_MOST ? f->ncategories : CODES_MOST;
    for (size_t i = 0; i < n; i++)
        look_at(&told, f->categories[i].value, &f->categories[i].label);
    if ((!told.id && !told.en) || f->ncategories > CODES_MOST)
        return;
    open_lists(m);
    const char *title = list_title(m, &f->title, f->name);
    struct part *p = part_new(m, 2, title, list_dest(m), 1u + told.id + told.en, n);
    if (p == NULL)
        return;
    odp_buffer_printf(&m->text, "Bidang / Field: %s", f->name);
    p->intro = keep_str(m);
    for (size_t i = 0; i < n; i++)
        add_code(p, &told, f->categories[i].value, &f->categories[i].label);
    add_codes(m, p, &told);
}

static int slice_cmp(const void *a, const void *b)
{
    return odp_slice_cmp(*(const struct odp_slice *)a, *(const struct odp_slice *)b);
}

/* Which codes of LIST are printed: all of them, or, of a long list, those that the records of FIELDS (n of them) have. In OUT,
 * of which there is room for CODES_MOST. Returns how many; more than CODES_MOST: too many. */
static size_t pick_codes(struct making *m, const struct odp_code_list *list, const uint32_t *fields, uint32_t n,
                         const struct odp_code_label **out)
{
    const struct odp_print_job *job = m->job;
    size_t picked = 0, used = 0;
    if (list->n <= CODES_MOST) {
        for (; picked < list->n; picked++)
            out[picked] = &list->labels[picked];
        return picked;
    }
    struct odp_slice *values = odp_realloc_array(NULL, (size_t)job->rows * n + 1, sizeof *values);
    if (values == NULL) {
        m->failed = true;
        return CODES_MOST + 1;
    }
    for (uint64_t i = 0; i < job->rows; i++)
        for (uint32_t k = 0; k < n; k++) {
            struct odp_slice v = job->cells[i * job->columns + fields[k]];
            if (v.ptr != NULL && (used == 0 || !odp_slice_eq(v, values[used - 1])))
                values[used++] = v;
        }
    qsort(values, used, sizeof *values, slice_cmp);
    for (size_t i = 0; i < list->n && picked <= CODES_MOST; i++)
        if (bsearch(&list->labels[i].code, values, used, sizeof *values, slice_cmp) != NULL && ++picked <= CODES_MOST)
            out[picked - 1] = &list->labels[i];
    free(values);
    return picked;
}

/* "Bidang / Field: kode_provinsi. references/provinsi, 2025." and what is not there. */
static const char *list_intro(struct making *m, const struct odp_code_list *list, const uint32_t *fields, uint32_t n,
                              size_t picked)
{
    odp_buffer_add_str(&m->text, n > 1 ? "Bidang / Fields: " : "Bidang / Field: ");
    for (uint32_t k = 0; k < n; k++)
        odp_buffer_printf(&m->text, "%s%s", k > 0 ? ", " : "", m->schema->fields[fields[k]].name);
    odp_buffer_printf(&m->text, ". Daftar / List: %s, %s", list->resource->dataset->slug, list->resource->name);
    if (is_text(list->resource->edition_date))
        odp_buffer_printf(&m->text, " (%s)", list->resource->edition_date);
    odp_buffer_add_char(&m->text, '.');
    if (picked > CODES_MOST)
        odp_buffer_add_str(&m->text, " Terlalu banyak kode untuk dicetak. / Too many codes to be printed.");
    else if (picked < list->n)
        odp_buffer_add_str(&m->text,
                           " Hanya kode yang ada di rekaman yang dicetak. / Only codes that the printed records have.");
    return keep_str(m);
}

static void make_list(struct making *m, const struct odp_code_list *list, const uint32_t *fields, uint32_t n)
{
    struct told told = {false, false};
    const struct odp_code_label *picked[CODES_MOST];
    size_t npicked = pick_codes(m, list, fields, n, picked), rows = npicked <= CODES_MOST ? npicked : 0;
    for (size_t i = 0; i < rows; i++)
        look_at(&told, picked[i]->code, &picked[i]->text);
    if (npicked <= CODES_MOST && !told.id && !told.en)
        return;
    open_lists(m);
    const char *title = list_title(m, &list->resource->dataset->title, list->resource->dataset->slug);
    struct part *p = part_new(m, 2, title, list_dest(m), rows > 0 ? 1u + told.id + told.en : 0, rows);
    if (p == NULL)
        return;
    p->intro = list_intro(m, list, fields, n, npicked);
    for (size_t i = 0; i < rows; i++)
        add_code(p, &told, picked[i]->code, &picked[i]->text);
    add_codes(m, p, &told);
}

static const struct odp_code_list *list_of(const struct making *m, uint32_t field)
{
    bool is = m->job->codes != NULL && m->schema->fields[field].is_public;
    return is ? odp_code_lists_of(m->job->codes, m->job->resource, field) : NULL;
}

/* Each list once, with all fields that point into it. */
static void make_lists(struct making *m)
{
    uint32_t *fields = odp_arena_array(m->arena, (size_t)m->schema->n + 1, sizeof *fields);
    m->failed = m->failed || fields == NULL;
    for (uint32_t i = 0; i < m->schema->n && !m->failed; i++) {
        const struct odp_code_list *list = list_of(m, i);
        uint32_t n = 0;
        bool seen = false;
        for (uint32_t k = 0; list != NULL && k < i && !seen; k++)
            seen = list_of(m, k) == list;
        for (uint32_t k = i; list != NULL && k < m->schema->n; k++)
            if (list_of(m, k) == list)
                fields[n++] = k;
        if (list != NULL && list->n > 0 && !seen)
            make_list(m, list, fields, n);
        if (m->schema->fields[i].is_public)
            make_categories(m, &m->schema->fields[i]);
    }
}

/* ---- where the data comes from
 * ----------------------------------------------------------------------------------------------------- */

static void add_item(struct part *p, struct odp_slice label, struct odp_slice value)
{
    if (value.ptr == NULL || value.len == 0)
        return;
    struct odp_slice *row = next_row(p);
    row[0] = label;
    row[1] = value;
}

/* Members of each of a list's objects, one a line, parts of a line joined by a comma. */
static struct odp_slice listed(struct making *m, const char *list, const char *const *members, size_t n)
{
    const json_t *all = json_object_get(m->job->resource->dataset->json, list), *one;
    size_t i;
    json_array_foreach(all, i, one)
    {
        bool begun = false;
        for (size_t k = 0; k < n; k++) {
            struct odp_text t = member(one, members[k]);
            const char *text = odp_text_get(&t, ODP_LANG_ID);
            if (!is_text(text))
                continue;
            odp_buffer_add_str(&m->text, begun ? ", " : m->text.len > 0 ? "\n" : "");
            odp_buffer_add_str(&m->text, text);
            begun = true;
        }
    }
    return m->text.len > 0 ? keep(m) : (struct odp_slice){NULL, 0};
}

static struct odp_slice keywords(struct making *m)
{
    const json_t *words = json_object_get(m->job->resource->dataset->json, "odp:keywords"), *list[ODP_LANGS], *one;
    list[ODP_LANG_ID] = json_object_get(words, "id");
    list[ODP_LANG_EN] = json_object_get(words, "en");
    if (words == NULL)
        list[ODP_LANG_ID] = json_object_get(m->job->resource->dataset->json, "keywords");
    for (size_t lang = 0; lang < ODP_LANGS; lang++) {
        size_t i;
        json_array_foreach(list[lang], i, one)
        {
            odp_buffer_add_str(&m->text, i > 0 ? ", " : m->text.len > 0 ? "\n" : "");
            odp_buffer_add_str(&m->text, json_is_string(one) ? json_string_value(one) : "");
        }
    }
    return m->text.len > 0 ? keep(m) : (struct odp_slice){NULL, 0};
}

static void make_metadata(struct making *m)
{
    static const struct {
        const char *member, *label;
    } items[] = {{"sdi:produsenData", "Produsen data\nData producer"},
                 {"sdi:walidata", "Walidata\nData steward"},
                 {"sdi:pembina", "Pembina data\nData adviser"},
                 {"sdi:kodeSDSN", "Kode SDSN\nSDSN code"},
                 {"sdi:kodeKegiatan", "Kode kegiatan\nActivity code"},
                 {"sdi:levelEstimasi", "Level estimasi\nLevel of estimation"},
                 {"odp:note", "Catatan\nNote"}};
    static const char *const heads[] = {"Keterangan\nItem", "Isi\nContent"};
    static const char *const source[] = {"title", "path", "email"}, *const contributor[] = {"title", "organization", "email"};
    size_t n = sizeof items / sizeof *items;
    const json_t *dataset = m->job->resource->dataset->json;
    struct part *p = part_new(m, 1, "Metadata Satu Data / Satu Data metadata", "metadata", 2, n + 5);
    if (p == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        struct odp_text t = member(dataset, items[i].member);
        add_item(p, odp_slice_of(items[i].label), both(m, &t));
    }
    add_item(p, ODP_LIT("Sumber\nSources"), listed(m, "sources", source, 3));
    add_item(p, ODP_LIT("Kontributor\nContributors"), listed(m, "contributors", contributor, 3));
    add_item(p, ODP_LIT("Kata kunci\nKeywords"), keywords(m));
    if (p->rows > 0)
        part_add(m, p, heads);
}

/* ---- the whole
 * --------------------------------------------------------------------------------------------------------------------- */

enum odp_status odp_print_appendix_new(struct odp_print_appendix **out, const struct odp_print_job *job, struct odp_fonts *f,
                                       struct odp_arena *a)
{
    struct odp_print_appendix *x = odp_arena_zero(a, 1, sizeof *x);
    struct making m = {.job = job, .schema = &job->resource->schema, .fonts = f, .arena = a, .appendix = x};
    *out = NULL;
    if (x == NULL)
        return ODP_FAIL;
    x->end = &x->first;
    odp_buffer_init(&m.text);
    make_fields(&m);
    make_standard(&m);
    make_lists(&m);
    make_metadata(&m);
    odp_buffer_release(&m.text);
    if (m.failed) {
        odp_print_appendix_free(x);
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    }
    *out = x;
    return ODP_OK;
}

void odp_print_appendix_free(struct odp_print_appendix *x)
{
    for (struct part *p = x != NULL ? x->first : NULL; p != NULL; p = p->next)
        odp_print_table_free(p->table);
}

/* What should stand below a heading on its page. */
static double kept(struct odp_paper *p, const struct part *part)
{
    double all = part->table != NULL ? odp_print_table_start(part->table) : 0;
    if (part->intro != NULL)
        all += odp_paper_text_height(p, p->right - p->left, odp_type_small, odp_slice_of(part->intro)) + AFTER_INTRO;
    if (part->table == NULL && part->intro == NULL && part->next != NULL)
        all += HEADING_ROOM + kept(p, part->next);
    return all;
}

void odp_print_appendix_set(struct odp_print_appendix *x, struct odp_paper *p)
{
    if (p->landscape)
        odp_paper_page(p, false);
    for (const struct part *part = x->first; part != NULL; part = part->next) {
        odp_paper_heading(p, part->level, part->heading, part->dest, kept(p, part));
        odp_paper_ink(p, ODP_INK_SOFT);
        if (part->intro != NULL)
            odp_paper_flow(p, "P", 0, odp_type_small, odp_slice_of(part->intro), AFTER_INTRO);
        odp_paper_ink(p, ODP_INK_TEXT);
        if (part->table != NULL)
            odp_print_table_set(part->table, p);
    }
}
