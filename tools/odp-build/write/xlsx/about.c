/* "Keterangan": what the table is, how its values are written, what its columns mean, in Indonesian and English side by side.
 * Letters of columns stand in A, names in B; labels of the upper part run over both. */
#include <stdio.h>

#include "write/typesetting/words.h"
#include "write/xlsx/xlsx_internal.h"

struct about {
    struct xlsx_emit *e;
    lxw_worksheet *sheet;
    lxw_row_t row;
    enum odp_status status; /* the first failure stays */
};

/* Facts are label (A, B), Indonesian (C, D), English (E, F). */
enum {
    COL_LABEL = 0,
    COL_NAME = 1,
    COL_ID = 2,
    COL_EN = 4,
    COL_LAST = 5,
    SPAN_WRAP = 59 /* characters that surely fit into two of these columns */
};

static const double widths[] = {7, 26, 28, 36, 28, 36, 20, 26, 10, 24};

/* ---- cells ---- */

/* TEXT as the library wants it, in e->text; NULL: failed, or nothing to write. */
static const char *ready(struct about *a, const char *text)
{
    struct xlsx_emit *e = a->e;
    if (a->status != ODP_OK || text == NULL || text[0] == '\0')
        return NULL;
    if (!odp_xlsx_text_put(&e->text, odp_slice_of(text)))
        (void)odp_xlsx_text_put(&e->text, ODP_LIT("(…)"));
    const char *s = odp_buffer_cstr(&e->text);
    a->status = odp_buffer_status(&e->text);
    return a->status == ODP_OK ? s : NULL;
}

static void put(struct about *a, lxw_col_t col, const char *text, lxw_format *format)
{
    const char *s = ready(a, text);
    if (s != NULL)
        a->status = odp_xlsx_status(a->e, worksheet_write_string(a->sheet, a->row, col, s, format));
}

static void put_link(struct about *a, lxw_col_t col, const char *text, const char *address)
{
    bool internal = strncmp(address, "internal:", 9) == 0;
    const char *s = ready(a, text);
    if (s == NULL)
        return;
    if (!internal && !odp_xlsx_is_link(odp_slice_of(address)))
        put(a, col, text, a->e->looks.text);
    else
        a->status = odp_xlsx_status(a->e, worksheet_write_url_opt(a->sheet, a->row, col, address, a->e->looks.link, s, NULL));
}

/* The row's height must be known before its cells. */
static void set_lines(struct about *a, unsigned lines)
{
    if (a->status == ODP_OK)
        a->status = odp_xlsx_status(a->e, worksheet_set_row(a->sheet, a->row, odp_xlsx_height(lines) + 2, NULL));
}

static unsigned lines_of(const char *text, double width)
{
    return text != NULL ? odp_xlsx_lines(odp_slice_of(text), (unsigned)(width * 0.93)) : 1;
}

/* ---- facts ---- */

static void section(struct about *a, const char *title, bool languages)
{
    a->row += 2;
    put(a, COL_LABEL, title, a->e->looks.section);
    if (languages) {
        put(a, COL_ID, "Bahasa Indonesia", a->e->looks.label);
        put(a, COL_EN, "English", a->e->looks.label);
    }
}

/* A text over columns FIRST to LAST. */
static void put_span(struct about *a, lxw_col_t first, lxw_col_t last, const char *text, const char *address)
{
    if (a->status == ODP_OK)
        a->status = odp_xlsx_status(a->e, worksheet_merge_range(a->sheet, a->row, first, a->row, last, "", a->e->looks.text));
    if (address != NULL)
        put_link(a, first, text, address);
    else
        put(a, first, text, a->e->looks.text);
}

/* What reads the same in both languages (addresses, digests) stands once, over the room of both. */
static void pair(struct about *a, const char *label, const char *id, const char *en, const char *address)
{
    bool same = strcmp(id, en) == 0;
    unsigned most = odp_xlsx_lines(odp_slice_of(id), same ? 2 * SPAN_WRAP : SPAN_WRAP);
    unsigned lines = same ? 1 : odp_xlsx_lines(odp_slice_of(en), SPAN_WRAP);
    a->row++;
    set_lines(a, lines > most ? lines : most);
    put(a, COL_LABEL, label, a->e->looks.label);
    put_span(a, COL_ID, same ? COL_LAST : COL_EN - 1, id, address);
    if (!same)
        put_span(a, COL_EN, COL_LAST, en, address);
}

static void fact(struct about *a, const char *label, const struct odp_text *text, const char *address)
{
    const char *id = odp_text_get(text, ODP_LANG_ID), *en = odp_text_get(text, ODP_LANG_EN);
    if (id[0] != '\0')
        pair(a, label, id, en, address);
}

static void fact_same(struct about *a, const char *label, const char *text, const char *address)
{
    const struct odp_text both = {{text, text}};
    if (text != NULL)
        fact(a, label, &both, address);
    else
        a->status = ODP_FAIL; /* no memory for it */
}

static const char *string_of(const json_t *v)
{
    return json_is_string(v) ? json_string_value(v) : "";
}

/* "…" or {"id": …, "en": …} */
static struct odp_text text_of(const json_t *v)
{
    if (json_is_string(v))
        return (struct odp_text){{json_string_value(v), json_string_value(v)}};
    return (struct odp_text){{string_of(json_object_get(v, "id")), string_of(json_object_get(v, "en"))}};
}

static void licence(struct about *a)
{
    const struct odp_portal *p = &a->e->base.job->catalog->portal;
    const json_t *own = json_array_get(json_object_get(a->e->base.job->resource->dataset->json, "licenses"), 0);
    const char *name = string_of(json_object_get(own, "name")), *path = string_of(json_object_get(own, "path"));
    struct odp_text title = text_of(json_object_get(own, "title"));
    if (own == NULL || (p->license_name != NULL && strcmp(name, p->license_name) == 0)) {
        title = p->license_title;
        name = name[0] == '\0' && p->license_name != NULL ? p->license_name : name;
        path = path[0] == '\0' && p->license_path != NULL ? p->license_path : path;
    }
    if (odp_text_get(&title, ODP_LANG_ID)[0] == '\0')
        title = (struct odp_text){{name, name}};
    fact(a, "Lisensi / Licence", &title, path[0] != '\0' ? path : NULL);
    if (path[0] != '\0')
        fact_same(a, "", path, path);
}

static void sources(struct about *a)
{
    const json_t *list = json_object_get(a->e->base.job->resource->dataset->json, "sources"), *source;
    size_t i;
    json_array_foreach(list, i, source)
    {
        const char *path = string_of(json_object_get(source, "path"));
        const struct odp_text title = text_of(json_object_get(source, "title"));
        fact(a, i == 0 ? "Sumber / Source" : "", &title, path[0] != '\0' ? path : NULL);
    }
}

static void version_facts(struct about *a)
{
    struct xlsx_emit *e = a->e;
    const struct odp_emit_job *job = e->base.job;
    char hex[ODP_SHA256_HEX];
    fact_same(a, "Versi / Version", job->version, NULL);
    struct odp_slice date = odp_emit_version_date(job->date != NULL ? job->date : job->version);
    struct odp_text words = {{NULL, NULL}};
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&e->address);
        odp_words_date(&e->address, date, lang);
        words.in[lang] = odp_arena_str(&e->arena, odp_buffer_cstr(&e->address));
        if (odp_buffer_status(&e->address) != ODP_OK || words.in[lang] == NULL)
            a->status = ODP_FAIL;
    }
    fact(a, "Tanggal data / Date of the data", &words, NULL);
    a->row++;
    put(a, COL_LABEL, "Jumlah baris / Records", e->looks.label);
    for (lxw_col_t col = COL_ID; col <= COL_EN && a->status == ODP_OK; col += COL_EN - COL_ID)
        a->status = odp_xlsx_status(e, worksheet_write_number(a->sheet, a->row, col, (double)e->total, e->looks.count));
    if (job->slice != NULL)
        fact_same(a, "Irisan / Slice",
                  odp_arena_printf(&e->arena, "%s = %.*s", job->slice_field, (int)job->slice_value.len, job->slice_value.ptr),
                  NULL);
    fact_same(a, "Alamat tetap / Permanent address", e->url, e->url);
    if (job->logical != NULL) {
        odp_digest_hex(job->logical, hex);
        fact_same(a, "Sidik jari isi / Content digest", odp_arena_printf(&e->arena, "sha256:%s", hex), NULL);
    }
}

static void dataset_facts(struct about *a)
{
    const struct odp_emit_job *job = a->e->base.job;
    const struct odp_resource *r = job->resource;
    section(a, "Tentang data / About", true);
    fact(a, "Judul / Title", &r->dataset->title, NULL);
    fact(a, "Tabel / Table", &r->title, NULL);
    fact(a, "Uraian / Description", &r->dataset->description, NULL);
    fact(a, "Uraian tabel / About the table", &r->description, NULL);
    version_facts(a);
    fact(a, "Penerbit / Publisher", &job->catalog->portal.publisher, NULL);
    licence(a);
    sources(a);
    fact(a, "Dasar hukum / Legal basis", &job->catalog->portal.legal_basis, NULL);
}

/* Every sdi: member of the dataset, those known by their names in words. */
static void satu_data(struct about *a)
{
    static const char *const known[][2] = {{"sdi:produsenData", "Produsen data / Data producer"},
                                           {"sdi:walidata", "Walidata / Data steward"},
                                           {"sdi:pembina", "Pembina data / Data adviser"},
                                           {"sdi:kodeSDSN", "Kode SDSN / SDSN code"}};
    const json_t *json = a->e->base.job->resource->dataset->json, *value;
    const char *key;
    bool begun = false;
    json_object_foreach((json_t *)json, key, value)
    {
        if (strncmp(key, "sdi:", 4) != 0)
            continue;
        if (!begun)
            section(a, "Metadata Satu Data Indonesia / One Data metadata", false);
        begun = true;
        const char *label = key;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            label = strcmp(key, known[i][0]) == 0 ? known[i][1] : label;
        const struct odp_text text = text_of(value);
        fact(a, label, &text, NULL);
    }
}

/* ---- how values are written ---- */

static void note(struct about *a, const char *label, const char *id, const char *en)
{
    if (id != NULL && en != NULL)
        pair(a, label, id, en, NULL);
    else
        a->status = ODP_FAIL;
}

static bool has_kind(const struct xlsx_emit *e, enum xlsx_kind kind)
{
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        if (e->columns[k].kind == kind)
            return true;
    return false;
}

/* A note with the number of the values it speaks of. */
static void counted(struct about *a, uint64_t n, const char *id, const char *en)
{
    struct xlsx_emit *e = a->e;
    char digits[24];
    const char *text[ODP_LANGS];
    if (n == 0)
        return;
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&e->address);
        odp_words_number(&e->address, odp_slice_of(digits), lang, true);
        text[lang] = odp_arena_printf(&e->arena, "%s %s", odp_buffer_cstr(&e->address), lang == ODP_LANG_ID ? id : en);
        if (odp_buffer_status(&e->address) != ODP_OK)
            a->status = ODP_FAIL;
    }
    note(a, "Kecuali / Except", text[ODP_LANG_ID], text[ODP_LANG_EN]);
}

static void left_out(struct about *a)
{
    const struct xlsx_emit *e = a->e;
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        if (e->columns[k].as_text)
            note(a, e->columns[k].header, XLSX_AS_TEXT_ID, XLSX_AS_TEXT_EN);
    counted(a, odp_xlsx_noted(e, XLSX_NOTE_DIGITS),
            "bilangan berangka lebih dari 15 tersimpan utuh, tetapi Excel menampilkan 15 angka pertama saja.",
            "numbers of more than 15 digits are stored whole, but Excel shows the first 15 only.");
    counted(a, odp_xlsx_noted(e, XLSX_NOTE_OLD_DATE),
            "tanggal sebelum 1 Maret 1900 ditulis sebagai teks: kalender Excel salah sebelum hari itu.",
            "dates before 1 March 1900 are text: the calendar of Excel is wrong before that day.");
    counted(a, odp_xlsx_noted(e, XLSX_NOTE_STAMP), "waktu yang lebih halus daripada milidetik ditulis sebagai teks.",
            "times finer than a millisecond are text.");
    counted(a, odp_xlsx_noted(e, XLSX_NOTE_LONG),
            "teks lebih panjang daripada 32.767 karakter, batas satu sel Excel; selnya menyebutkan hal itu, isinya ada di "
            "berkas CSV dan JSON.",
            "texts are longer than 32,767 characters, the limit of a cell; their cells say so, the whole is in the CSV and "
            "JSON files.");
    counted(a, odp_xlsx_noted(e, XLSX_NOTE_LINKS),
            "alamat ditulis tanpa tautan: buku kerja ini memuat paling banyak 20.000 tautan.",
            "addresses are written without a link: this workbook holds 20,000 links at most.");
}

static void notes(struct about *a)
{
    struct xlsx_emit *e = a->e;
    section(a, "Cara membaca / How values are written", false);
    note(a, "Sel kosong / Empty cells",
         "Sel kosong berarti tidak ada nilai. Teks kosong (“”) juga tampak sebagai sel kosong; berkas CSV dan JSON "
         "membedakannya.",
         "An empty cell means that there is no value. The empty text (“”) looks the same; the CSV and JSON files tell them "
         "apart.");
    if (has_kind(e, XLSX_NUMBER))
        note(a, "Bilangan / Numbers",
             "Format bilangan hanya mengatur tampilan, nilai di dalam sel tidak dibulatkan. Persen tidak diskalakan: 12,5 "
             "berarti 12,5 %.",
             "Number formats are for display only, values in cells are not rounded. Percentages are not scaled: 12.5 means "
             "12.5 %.");
    note(a, "Kode / Codes", "Kode, termasuk yang hanya berisi angka, adalah teks; nol di depan dan di belakang tetap ada.",
         "Codes are text, also those that are digits only; zeros at either end stay.");
    if (has_kind(e, XLSX_DATETIME))
        note(a, "Waktu / Times",
             "Tanggal dan waktu adalah waktu setempat; selisihnya dari UTC tertulis di belakangnya (+07:00 adalah WIB).",
             "Dates with times are local times; their offset from UTC stands behind them (+07:00 is Western Indonesian Time).");
    if (e->base.job->has_geometry)
        note(a, "Letak / Places",
             "Letak ditulis dalam derajat desimal WGS 84, satu titik untuk setiap baris. Bentuk lengkapnya ada di berkas "
             "GeoJSON bila "
             "ditawarkan, atau di CSV; kolom WKT tidak dimuat di sini.",
             "Places are in decimal degrees (WGS 84), one point a record. Whole shapes are in the GeoJSON file where it is "
             "offered, or in the "
             "CSV; there is no WKT column here.");
    if (e->data_sheets > 1)
        note(
            a, "Lembar / Sheets",
            odp_arena_printf(
                &e->arena,
                "Baris terbagi atas %zu lembar, dari “%s” sampai “%s”: satu lembar Excel memuat paling banyak 1.048.575 baris.",
                e->data_sheets, e->sheets[0].name, e->sheets[e->data_sheets - 1].name),
            odp_arena_printf(
                &e->arena,
                "The records are on %zu sheets, from “%s” to “%s”: a sheet of Excel holds 1,048,575 records at most.",
                e->data_sheets, e->sheets[0].name, e->sheets[e->data_sheets - 1].name));
    left_out(a);
}

/* ---- the columns ---- */

enum what { LETTER, NAME, TITLE, MEANING, UNIT, TYPE, REQUIRED, LIST, MEMBER };

/* A column of one of the two tables. */
struct head {
    enum what what;
    enum odp_lang lang; /* ODP_LANGS: both in one cell */
    const char *head, *member;
};

static const struct head columns_table[] = {{LETTER, ODP_LANGS, "Kolom", NULL},
                                            {NAME, ODP_LANGS, "Nama / Name", NULL},
                                            {TITLE, ODP_LANG_ID, "Judul", NULL},
                                            {MEANING, ODP_LANG_ID, "Arti", NULL},
                                            {TITLE, ODP_LANG_EN, "Title", NULL},
                                            {MEANING, ODP_LANG_EN, "Meaning", NULL},
                                            {UNIT, ODP_LANGS, "Satuan / Unit", NULL},
                                            {TYPE, ODP_LANGS, "Jenis / Type", NULL},
                                            {REQUIRED, ODP_LANGS, "Wajib / Required", NULL},
                                            {LIST, ODP_LANGS, "Daftar kode / Code list", NULL}};
static const struct head members_table[] = {{LETTER, ODP_LANGS, "Kolom", NULL},
                                            {NAME, ODP_LANGS, "Nama / Name", NULL},
                                            {MEMBER, ODP_LANG_ID, "Konsep", "sdi:konsep"},
                                            {MEMBER, ODP_LANG_ID, "Definisi", "sdi:definisi"},
                                            {MEMBER, ODP_LANG_EN, "Concept", "sdi:konsep"},
                                            {MEMBER, ODP_LANG_EN, "Definition", "sdi:definisi"},
                                            {MEMBER, ODP_LANGS, "Ukuran / Measure", "sdi:ukuran"},
                                            {MEMBER, ODP_LANGS, "Klasifikasi / Classification", "sdi:klasifikasi"}};

/* Of the columns of a geometry, which have no field. */
static struct odp_text place_meaning(const char *name)
{
    static const struct {
        const char *end;
        struct odp_text text;
    } known[] = {{"label_lon", {{"Bujur satu titik pada bentuknya, WGS 84", "Longitude of a point on the shape, WGS 84"}}},
                 {"label_lat", {{"Lintang satu titik pada bentuknya, WGS 84", "Latitude of a point on the shape, WGS 84"}}},
                 {"lon", {{"Bujur, WGS 84", "Longitude, WGS 84"}}},
                 {"lat", {{"Lintang, WGS 84", "Latitude, WGS 84"}}},
                 {"geometry_type", {{"Jenis bentuk", "Kind of shape"}}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(name), end = strlen(known[i].end);
        if (len >= end && strcmp(name + len - end, known[i].end) == 0)
            return known[i].text;
    }
    return (struct odp_text){{"", ""}};
}

static struct odp_text type_words(enum odp_type type)
{
    return odp_field_type(type)->label;
}

static struct odp_text place_text(const struct xlsx_column *c, const struct head *h)
{
    bool number = c->kind == XLSX_NUMBER;
    switch (h->what) {
    case TITLE:
    case MEANING:
        return place_meaning(c->name);
    case UNIT:
        return number ? (struct odp_text){{"derajat", "degrees"}} : (struct odp_text){{"", ""}};
    case TYPE:
        return type_words(number ? ODP_TYPE_NUMBER : ODP_TYPE_STRING);
    default:
        return (struct odp_text){{"", ""}};
    }
}

static struct odp_text field_text(const struct odp_field *f, const struct head *h)
{
    switch (h->what) {
    case TITLE:
        return odp_text_get(&f->title, ODP_LANG_ID)[0] != '\0' ? f->title : (struct odp_text){{f->name, f->name}};
    case MEANING:
        return f->description;
    case UNIT:
        return f->unit;
    case TYPE:
        return type_words(f->type);
    case REQUIRED:
        return f->constraints.required ? (struct odp_text){{"ya", "yes"}} : (struct odp_text){{"tidak", "no"}};
    case MEMBER:
        return text_of(json_object_get(f->json, h->member));
    default:
        return (struct odp_text){{"", ""}};
    }
}

/* What stands in a cell of a table; "" for none. */
static const char *cell_text(struct about *a, lxw_col_t column, const struct head *h)
{
    struct xlsx_emit *e = a->e;
    const struct xlsx_column *c = &e->columns[column];
    if (h->what == LETTER) {
        char letter[16];
        lxw_col_to_name(letter, column, LXW_FALSE);
        return odp_arena_str(&e->arena, letter);
    }
    if (h->what == NAME)
        return c->name;
    if (h->what == LIST)
        return c->list != NULL ? c->list->sheet : "";
    if (h->what == TYPE && c->as_text)
        return "bilangan, ditulis sebagai teks / number, written as text";
    const struct odp_text t = c->field >= 0 ? field_text(&e->base.job->resource->schema.fields[c->field], h) : place_text(c, h);
    const char *id = odp_text_get(&t, ODP_LANG_ID), *en = odp_text_get(&t, ODP_LANG_EN);
    if (h->lang != ODP_LANGS)
        return h->lang == ODP_LANG_ID ? id : en;
    return strcmp(id, en) == 0 ? id : odp_arena_printf(&e->arena, "%s / %s", id, en);
}

static void table(struct about *a, const char *title, const struct head *heads, lxw_col_t n)
{
    struct xlsx_emit *e = a->e;
    section(a, title, false);
    a->row++;
    set_lines(a, 2);
    for (lxw_col_t k = 0; k < n; k++)
        put(a, k, heads[k].head, e->looks.head);
    for (lxw_col_t i = 0; i < e->ncolumns && a->status == ODP_OK; i++) {
        unsigned most = 1;
        const char *text[sizeof widths / sizeof *widths];
        for (lxw_col_t k = 0; k < n; k++) {
            text[k] = cell_text(a, i, &heads[k]);
            if (text[k] == NULL) {
                a->status = ODP_FAIL;
                return;
            }
            unsigned lines = lines_of(text[k], widths[k]);
            most = lines > most ? lines : most;
        }
        a->row++;
        set_lines(a, most);
        for (lxw_col_t k = 0; k < n; k++) {
            if (heads[k].what == LIST && text[k][0] != '\0')
                put_link(a, k, text[k], odp_arena_printf(&e->arena, "internal:'%s'!A1", text[k]));
            else
                put(a, k, text[k], e->looks.text);
        }
    }
}

static bool has_members(const struct xlsx_emit *e)
{
    for (lxw_col_t i = 0; i < e->ncolumns; i++)
        for (size_t k = 0; k < sizeof members_table / sizeof *members_table && e->columns[i].field >= 0; k++) {
            const struct odp_field *f = &e->base.job->resource->schema.fields[e->columns[i].field];
            if (members_table[k].what == MEMBER && json_object_get(f->json, members_table[k].member) != NULL)
                return true;
        }
    return false;
}

enum odp_status odp_xlsx_about_put(struct xlsx_emit *e)
{
    struct about a = {.e = e};
    a.status = odp_xlsx_sheet_add(e, XLSX_ABOUT, 0, &a.sheet);
    if (a.status == ODP_OK)
        a.status = odp_xlsx_print_setup(e, a.sheet, 0);
    for (size_t k = 0; k < sizeof widths / sizeof *widths && a.status == ODP_OK; k++)
        a.status = odp_xlsx_status(e, worksheet_set_column(a.sheet, (lxw_col_t)k, (lxw_col_t)k, widths[k], NULL));
    if (a.status != ODP_OK)
        return a.status;
    worksheet_gridlines(a.sheet, LXW_HIDE_ALL_GRIDLINES);
    const struct odp_resource *r = e->base.job->resource;
    const struct odp_text *title =
        !r->primary && odp_text_get(&r->title, ODP_LANG_ID)[0] != '\0' ? &r->title : &r->dataset->title;
    put(&a, COL_LABEL, e->title, e->looks.title);
    a.row++;
    put(&a, COL_LABEL, odp_text_get(title, ODP_LANG_EN), e->looks.subtitle);
    dataset_facts(&a);
    satu_data(&a);
    notes(&a);
    table(&a, "Kolom / Columns", columns_table, sizeof columns_table / sizeof *columns_table);
    if (has_members(e))
        table(&a, "Metadata Satu Data menurut kolom / One Data metadata of the columns", members_table,
              sizeof members_table / sizeof *members_table);
    return a.status;
}
