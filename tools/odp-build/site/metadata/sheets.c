/* katalog/<slug>/ms-keg.xlsx, ms-var.xlsx, ms-ind.xlsx: statistical metadata as BPS collects it (Peraturan BPS 5/2020): of the activity, of the
 * variables, of the indicators. What the portal knows is filled in, what only the producer can say comes from sdi:kegiatan and sdi:indikator;
 * what nobody has said is blank, and the sheet says how much that is. The sheets are Indonesian.
 *
 * MS-Keg exists for every dataset, and each row says who filled it. MS-Var is made of the published schema:
 * a field that is not public is not in it. MS-Ind exists only where sdi:indikator is declared. Members and
 * titles are catalog/activity.def, one list for the check (ODP-C29) and the sheets. Blocks are the
 * regulation's nine; the rows within follow BPS's form as far as it is known. */
#include "site/metadata/workbook.h"

static const char ms_title[] = "Peraturan BPS Nomor 5 Tahun 2020";

/* ---- values as text ----------------------------------------------------------------------------------------------------------------- */

/* B as a string in the arena; B is empty again. */
static const char *settle(struct metadata *m, struct odp_buffer *b)
{
    const char *s = metadata_printf(m, "%s", odp_buffer_cstr(b));
    m->doc.failed = m->doc.failed || b->failed;
    odp_buffer_release(b);
    odp_buffer_init(b);
    return s;
}

/* One value of sdi:kegiatan or sdi:indikator; "" when there is none. */
static const char *one_shown(struct metadata *m, const json_t *v)
{
    if (json_is_boolean(v))
        return json_is_true(v) ? "Ya" : "Tidak";
    if (json_is_integer(v))
        return metadata_printf(m, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    const char *s = json_string_value(v), *id = json_string_value(json_object_get(v, "id")), *en = json_string_value(json_object_get(v, "en"));
    return s != NULL ? s : id != NULL && *id != '\0' ? id : en != NULL ? en : "";
}

/* The same, or the values of a list behind each other. */
static const char *shown(struct metadata *m, const json_t *v)
{
    struct odp_buffer all;
    if (!json_is_array(v))
        return one_shown(m, v);
    odp_buffer_init(&all);
    for (size_t i = 0; i < json_array_size(v); i++) {
        odp_buffer_add_str(&all, i > 0 ? "; " : "");
        odp_buffer_add_str(&all, one_shown(m, json_array_get(v, i)));
    }
    return settle(m, &all);
}

static const char *frequency_of(const char *code)
{
    static const char *const words[][2] = {{"ANNUAL", "Tahunan"},
                                           {"ANNUAL_2", "Dua kali setahun"},
                                           {"ANNUAL_3", "Tiga kali setahun"},
                                           {"QUARTERLY", "Triwulanan"},
                                           {"MONTHLY", "Bulanan"},
                                           {"MONTHLY_2", "Dua kali sebulan"},
                                           {"BIMONTHLY", "Dua bulanan"},
                                           {"WEEKLY", "Mingguan"},
                                           {"BIWEEKLY", "Dua mingguan"},
                                           {"DAILY", "Harian"},
                                           {"HOURLY", "Setiap jam"},
                                           {"CONT", "Terus-menerus"},
                                           {"UPDATE_CONT", "Terus-menerus"},
                                           {"BIENNIAL", "Dua tahunan"},
                                           {"TRIENNIAL", "Tiga tahunan"},
                                           {"QUINQUENNIAL", "Lima tahunan"},
                                           {"DECENNIAL", "Sepuluh tahunan"},
                                           {"IRREG", "Tidak tentu"},
                                           {"NEVER", "Hanya sekali"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], code) == 0)
            return words[i][1];
    return "";
}

/* ---- MS-Keg --------------------------------------------------------------------------------------------------------------------------- */

static const struct activity_row {
    const char *block, *name, *title; /* NAME NULL: a block begins */
} activity[] = {
#define ODP_ACTIVITY_BLOCK(name, title)        {name, NULL, title},
#define ODP_ACTIVITY(block, name, kind, title) {block, name, title},
#include "catalog/activity.def"
};

/* The titles of the fields. */
static const char *variables(struct metadata *m, const json_t *entry)
{
    const json_t *resources = json_object_get(entry, "resources");
    struct odp_buffer all;
    odp_buffer_init(&all);
    for (size_t i = 0; i < json_array_size(resources); i++) {
        json_t *schema;
        if (metadata_schema(m, entry, json_array_get(resources, i), &schema) != ODP_OK)
            m->doc.failed = true;
        const json_t *fields = json_object_get(schema, "fields");
        for (size_t k = 0; k < json_array_size(fields); k++) {
            const char *title = metadata_in(json_array_get(fields, k), "odp:title", ODP_LANG_ID);
            odp_buffer_add_str(&all, all.len > 0 ? "; " : "");
            odp_buffer_add_str(&all, *title != '\0' ? title : metadata_text(json_array_get(fields, k), "name"));
        }
        json_decref(schema);
    }
    return settle(m, &all);
}

/* What the portal knows, where the producer has said nothing. */
static const char *known(struct metadata *m, const json_t *entry, const struct activity_row *row)
{
    const json_t *contact = json_object_get(m->catalog->portal.json, "contact");
    const char *id = metadata_printf(m, "%s.%s", row->block, row->name);
    if (strcmp(id, "identitas.judul") == 0)
        return metadata_in(entry, "title", ODP_LANG_ID);
    if (strcmp(id, "identitas.kode") == 0)
        return metadata_in(entry, "sdi:kodeKegiatan", ODP_LANG_ID);
    if (strcmp(id, "penyelenggara.instansi") == 0)
        return odp_text_get(&m->catalog->portal.publisher, ODP_LANG_ID);
    if (strcmp(id, "penyelenggara.alamat") == 0)
        return metadata_text(contact, "address");
    if (strcmp(id, "penyelenggara.telepon") == 0)
        return metadata_text(contact, "phone");
    if (strcmp(id, "penyelenggara.surel") == 0)
        return metadata_text(contact, "email");
    if (strcmp(id, "perencanaan.variabel") == 0)
        return variables(m, entry);
    if (strcmp(id, "desain.frekuensi") == 0)
        return frequency_of(metadata_text(entry, "frequency"));
    if (strcmp(id, "diseminasi.digital") == 0)
        return "Ya";
    if (strcmp(id, "diseminasi.alamat") == 0)
        return metadata_url(m, metadata_printf(m, METADATA_PAGE_ID, metadata_text(entry, "slug")));
    return "";
}

static enum odp_status put_activity(struct metadata *m, const json_t *entry)
{
    static const double widths[] = {7, 40, 90, 22};
    const json_t *said = json_object_get(entry, "sdi:kegiatan");
    const char *const heads[] = {"No.", "Rincian", "Isian", "Diisi oleh"};
    const struct odp_text facts[][2] = {{{{"Dataset", NULL}}, metadata_both(entry, "title")},
                                        {{{"Produsen data", NULL}}, metadata_both(entry, "producer")},
                                        {{{"Walidata", NULL}}, metadata_both(entry, "sdi:walidata")},
                                        {{{"Pembina data", NULL}}, metadata_both(entry, "sdi:pembina")}};
    struct workbook w;
    unsigned block = 0, item = 0, rows = 0, blank = 0;
    workbook_open(&w, m, entry, metadata_printf(m, METADATA_FOLDER "ms-keg.xlsx", metadata_text(entry, "slug")), "MS-Keg");
    for (lxw_col_t i = 0; i < 4; i++)
        workbook_column(&w, i, widths[i]);
    lxw_row_t at = 4;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++, at++) {
        workbook_put(&w, at, 1, odp_text_get(&facts[i][0], ODP_LANG_ID), w.label);
        workbook_put(&w, at, 2, odp_text_get(&facts[i][1], ODP_LANG_ID), w.text);
    }
    at++;
    for (lxw_col_t i = 0; i < 4; i++)
        workbook_put(&w, at, i, heads[i], w.head);
    at++;
    for (size_t i = 0; i < sizeof activity / sizeof *activity && w.status == ODP_OK; i++, at++) {
        const struct activity_row *row = &activity[i];
        if (row->name == NULL) {
            block++;
            item = 0;
            workbook_put(&w, at, 0, metadata_printf(m, "%u", block), w.section);
            workbook_put(&w, at, 1, row->title, w.section);
            workbook_put(&w, at, 2, "", w.section);
            workbook_put(&w, at, 3, "", w.section);
            continue;
        }
        const char *value = shown(m, json_object_get(json_object_get(said, row->block), row->name)), *by = "produsen data";
        if (*value == '\0') {
            value = known(m, entry, row);
            by = *value != '\0' ? "portal" : "";
        }
        rows++;
        blank += *value == '\0';
        workbook_put(&w, at, 0, metadata_printf(m, "%u.%u", block, ++item), w.label);
        workbook_put(&w, at, 1, row->title, w.label);
        workbook_put(&w, at, 2, value, w.text);
        workbook_put(&w, at, 3, by, w.label);
        workbook_height(&w, at, workbook_lines(value, widths[2]));
    }
    workbook_heading(
        &w, "Metadata kegiatan statistik (MS-Keg)", metadata_in(entry, "title", ODP_LANG_ID),
        metadata_printf(m, "%s. %u dari %u rincian kosong: belum dinyatakan produsen data, bukan berarti tidak ada.", ms_title, blank, rows));
    return workbook_finish(&w);
}

/* ---- MS-Var --------------------------------------------------------------------------------------------------------------------------- */

static const char *type_of(const char *name)
{
    enum odp_type type = odp_type_of(odp_slice_of(name));
    return type != ODP_TYPE_COUNT ? odp_text_get(&odp_field_type(type)->label, ODP_LANG_ID) : name;
}

enum { CODES_SHOWN = 60 }; /* of a list; what is over is counted */

/* "R = Ringan; …": the categories, else what sdi:klasifikasi says. */
static const char *classification(struct metadata *m, const json_t *field)
{
    const json_t *list = json_object_get(field, "categories");
    struct odp_buffer all;
    if (json_array_size(list) == 0)
        return metadata_in(field, "sdi:klasifikasi", ODP_LANG_ID);
    odp_buffer_init(&all);
    for (size_t i = 0; i < json_array_size(list) && i < CODES_SHOWN; i++) {
        const json_t *one = json_array_get(list, i), *value = json_is_object(one) ? json_object_get(one, "value") : one;
        const char *code = one_shown(m, value), *label = metadata_in(one, "odp:label", ODP_LANG_ID);
        label = *label != '\0' ? label : metadata_text(one, "label");
        odp_buffer_printf(&all, "%s%s", i > 0 ? "; " : "", code);
        if (*label != '\0' && strcmp(label, code) != 0)
            odp_buffer_printf(&all, " = %s", label);
    }
    if (json_array_size(list) > CODES_SHOWN)
        odp_buffer_printf(&all, "; … (%zu)", json_array_size(list));
    return settle(m, &all);
}

static const char *literal(struct metadata *m, const json_t *v)
{
    struct odp_buffer text;
    if (json_is_string(v))
        return json_string_value(v);
    odp_buffer_init(&text);
    if (odp_doc_print(&text, v, ODP_DOC_LINE | JSON_ENCODE_ANY) != ODP_OK)
        m->doc.failed = true;
    const char *s = metadata_printf(m, "%s", odp_buffer_cstr(&text));
    odp_buffer_release(&text);
    return s;
}

/* The constraints in words. */
static const char *rules_of(struct metadata *m, const json_t *field, bool key)
{
    static const char *const words[][2] = {{"minimum", "paling kecil %s"},
                                           {"maximum", "paling besar %s"},
                                           {"exclusiveMinimum", "lebih dari %s"},
                                           {"exclusiveMaximum", "kurang dari %s"},
                                           {"minLength", "paling sedikit %s karakter"},
                                           {"maxLength", "paling banyak %s karakter"},
                                           {"pattern", "berpola %s"}};
    const json_t *c = json_object_get(field, "constraints");
    const char *all = json_is_true(json_object_get(c, "required")) ? "wajib diisi" : "boleh kosong";
    if (key || json_is_true(json_object_get(c, "unique")))
        all = metadata_printf(m, "%s; %s", all, key ? "bagian kunci utama" : "tidak boleh sama");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const json_t *v = json_object_get(c, words[i][0]);
        const char *at = strstr(words[i][1], "%s");
        if (v != NULL)
            all = metadata_printf(m, "%s; %.*s%s%s", all, (int)(at - words[i][1]), words[i][1], literal(m, v), at + 2);
    }
    const json_t *of = json_object_get(c, "enum");
    if (json_array_size(of) == 0)
        return all;
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, all);
    for (size_t i = 0; i < json_array_size(of) && i < CODES_SHOWN; i++)
        odp_buffer_printf(&b, "%s%s", i == 0 ? "; salah satu dari " : ", ", literal(m, json_array_get(of, i)));
    if (json_array_size(of) > CODES_SHOWN)
        odp_buffer_printf(&b, ", … (%zu)", json_array_size(of));
    return settle(m, &b);
}

static bool is_key(const json_t *schema, const char *name)
{
    const json_t *key = json_object_get(schema, "primaryKey");
    for (size_t i = 0; i < json_array_size(key); i++) {
        const char *s = json_string_value(json_array_get(key, i));
        if (s != NULL && strcmp(s, name) == 0)
            return true;
    }
    return false;
}

static const char *first_of(const char *a, const char *b)
{
    return *a != '\0' ? a : b;
}

static const double variable_widths[] = {5, 16, 20, 22, 12, 20, 36, 18, 14, 16, 26, 30, 18, 10, 12, 12, 14};
static const char *const variable_heads[] = {"No.",
                                             "Tabel",
                                             "Nama variabel",
                                             "Judul",
                                             "Alias",
                                             "Konsep",
                                             "Definisi",
                                             "Referensi pemilihan",
                                             "Referensi waktu",
                                             "Tipe data",
                                             "Klasifikasi isian",
                                             "Aturan validasi",
                                             "Kalimat pertanyaan",
                                             "Dapat diakses umum",
                                             "Ukuran",
                                             "Satuan",
                                             "Kode SDSN"};
enum { VARIABLE_COLUMNS = sizeof variable_heads / sizeof *variable_heads };

static void put_variable(struct workbook *w, lxw_row_t row, unsigned number, const char *table, const json_t *schema, const json_t *field)
{
    struct metadata *m = w->m;
    const char *name = metadata_text(field, "name");
    const char *const cells[VARIABLE_COLUMNS] = {
        "",
        table,
        name,
        first_of(metadata_in(field, "odp:title", ODP_LANG_ID), metadata_text(field, "title")),
        metadata_in(field, "sdi:alias", ODP_LANG_ID),
        metadata_in(field, "sdi:konsep", ODP_LANG_ID),
        first_of(metadata_in(field, "sdi:definisi", ODP_LANG_ID), metadata_in(field, "odp:description", ODP_LANG_ID)),
        metadata_in(field, "sdi:referensiPemilihan", ODP_LANG_ID),
        metadata_in(field, "sdi:referensiWaktu", ODP_LANG_ID),
        type_of(metadata_text(field, "type")),
        classification(m, field),
        rules_of(m, field, is_key(schema, name)),
        metadata_in(field, "sdi:kalimatPertanyaan", ODP_LANG_ID),
        "Ya",
        metadata_in(field, "sdi:ukuran", ODP_LANG_ID),
        metadata_in(field, "odp:unit", ODP_LANG_ID),
        metadata_in(field, "sdi:kodeSDSN", ODP_LANG_ID)};
    unsigned lines = 1;
    workbook_put_number(w, row, 0, number, w->label);
    for (lxw_col_t i = 1; i < VARIABLE_COLUMNS; i++) {
        unsigned n = workbook_lines(cells[i], variable_widths[i]);
        lines = n > lines ? n : lines;
        workbook_put(w, row, i, cells[i], w->text);
    }
    workbook_height(w, row, lines);
}

static const char *head_of(struct metadata *m, const json_t *entry)
{
    const char *title = shown(m, json_object_get(json_object_get(json_object_get(entry, "sdi:kegiatan"), "identitas"), "judul"));
    return metadata_printf(m, "Kegiatan: %s · Penyelenggara: %s · Produsen data: %s", first_of(title, metadata_in(entry, "title", ODP_LANG_ID)),
                           odp_text_get(&m->catalog->portal.publisher, ODP_LANG_ID), metadata_in(entry, "producer", ODP_LANG_ID));
}

static enum odp_status put_variables(struct metadata *m, const json_t *entry)
{
    const json_t *resources = json_object_get(entry, "resources");
    struct workbook w;
    unsigned number = 0;
    workbook_open(&w, m, entry, metadata_printf(m, METADATA_FOLDER "ms-var.xlsx", metadata_text(entry, "slug")), "MS-Var");
    workbook_heading(&w, "Metadata variabel statistik (MS-Var)", head_of(m, entry),
                     metadata_printf(m, "%s. Kolom Ukuran, Satuan, dan Kode SDSN menurut Standar Data Statistik Nasional.", ms_title));
    for (lxw_col_t i = 0; i < VARIABLE_COLUMNS; i++) {
        workbook_column(&w, i, variable_widths[i]);
        workbook_put(&w, 4, i, variable_heads[i], w.head);
    }
    workbook_height(&w, 4, 2);
    for (size_t i = 0; i < json_array_size(resources) && w.status == ODP_OK; i++) {
        const json_t *resource = json_array_get(resources, i);
        json_t *schema;
        w.status = metadata_schema(m, entry, resource, &schema);
        const json_t *fields = json_object_get(schema, "fields");
        for (size_t k = 0; k < json_array_size(fields) && w.status == ODP_OK; k++) {
            number++;
            put_variable(&w, 4 + number, number, metadata_text(resource, "package_name"), schema, json_array_get(fields, k));
        }
        json_decref(schema);
    }
    if (w.status == ODP_OK) {
        worksheet_set_paper(w.sheet, 8); /* A3 */
        worksheet_freeze_panes(w.sheet, 5, 3);
    }
    return workbook_finish(&w);
}

/* ---- MS-Ind --------------------------------------------------------------------------------------------------------------------------- */

static const struct indicator_column {
    const char *name, *title;
} indicator[] = {
#define ODP_INDICATOR(name, kind, title) {name, title},
#include "catalog/activity.def"
};
enum { INDICATOR_COLUMNS = sizeof indicator / sizeof *indicator, INDICATOR_WIDTH = 26 };

static enum odp_status put_indicators(struct metadata *m, const json_t *entry)
{
    const json_t *list = json_object_get(entry, "sdi:indikator");
    struct workbook w;
    if (json_array_size(list) == 0)
        return ODP_OK;
    workbook_open(&w, m, entry, metadata_printf(m, METADATA_FOLDER "ms-ind.xlsx", metadata_text(entry, "slug")), "MS-Ind");
    workbook_heading(&w, "Metadata indikator statistik (MS-Ind)", head_of(m, entry),
                     metadata_printf(m, "%s. Sel kosong: belum dinyatakan produsen data.", ms_title));
    workbook_column(&w, 0, 5);
    workbook_put(&w, 4, 0, "No.", w.head);
    for (lxw_col_t k = 0; k < INDICATOR_COLUMNS; k++) {
        workbook_column(&w, (lxw_col_t)(k + 1), INDICATOR_WIDTH);
        workbook_put(&w, 4, (lxw_col_t)(k + 1), indicator[k].title, w.head);
    }
    workbook_height(&w, 4, 2);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const lxw_row_t row = (lxw_row_t)(5 + i);
        unsigned lines = 1;
        workbook_put_number(&w, row, 0, (double)(i + 1), w.label);
        for (lxw_col_t k = 0; k < INDICATOR_COLUMNS; k++) {
            const char *value = shown(m, json_object_get(json_array_get(list, i), indicator[k].name));
            unsigned n = workbook_lines(value, INDICATOR_WIDTH);
            lines = n > lines ? n : lines;
            workbook_put(&w, row, (lxw_col_t)(k + 1), value, w.text);
        }
        workbook_height(&w, row, lines);
    }
    if (w.status == ODP_OK) {
        worksheet_set_paper(w.sheet, 8); /* A3 */
        worksheet_freeze_panes(w.sheet, 5, 2);
    }
    return workbook_finish(&w);
}

enum odp_status metadata_sheets(struct metadata *m, const json_t *entry)
{
    enum odp_status status = put_activity(m, entry);
    if (status == ODP_OK)
        status = put_variables(m, entry);
    return status == ODP_OK ? put_indicators(m, entry) : status;
}
