/* Any edits of any source: the first byte chooses a dialect of csv_ways.h (its high bits: UTF-16,
 * windows-1252, a byte order mark), or, 255, a .dbf. Then so many edits, each of four bytes (what, row,
 * place, bytes of its text) and its text; the rest are the records.
 *
 * A rewrite that is refused leaves the file and its folder as they were. One that is done keeps the original,
 * and has changed the cells that were named and nothing else: of a .dbf not one other byte, of a CSV file no
 * other record's text. The trial says what the rewrite does. The same again changes nothing. */
#include "csv_ways.h"
#include "fuzz.h"

#include <iconv.h>

#include "base/utf8.h"
#include "repair/repair.h"
#include "repair/rewrite/csv_cell.h"
#include "repair/rewrite/csv_internal.h"

enum { EDITS = 12, RECORDS = 400, DBF = 255 };
enum what { CELL, EMPTY, COLUMN, DELETE, LINES, LABEL, APPEND, WHATS };

struct change {
    enum what what;
    uint64_t row;
    uint32_t place;
    struct odp_slice text;
};

struct job {
    struct ways_resource x;
    const struct odp_resource *resource;
    const char *path, *target; /* the source; the file that is rewritten */
    struct change changes[EDITS];
    size_t n;
};

static char dir[96], source_path[128], dbf_path[128];

/* ---- what is wanted ---- */

static void add_edits(struct odp_edits *e, const struct job *j)
{
    for (size_t i = 0; i < j->n; i++) {
        const struct change *c = &j->changes[i];
        struct odp_slice texts[64] = {{NULL, 0}};
        switch (c->what) {
        case CELL:
            odp_edits_cell(e, c->row, c->place, c->text);
            break;
        case EMPTY:
            odp_edits_cell(e, c->row, c->place, (struct odp_slice){NULL, 0});
            break;
        case COLUMN:
            odp_edits_column_cell(e, c->row, c->place, c->text);
            break;
        case DELETE:
            odp_edits_delete(e, c->row);
            break;
        case LINES:
            odp_edits_delete_lines(e, c->row, c->place + 1);
            break;
        case LABEL:
            odp_edits_label(e, c->row, c->place, c->text);
            break;
        default:
            for (uint32_t f = 0; f < j->resource->schema.n && f < 64; f++)
                texts[f] = (c->place >> f & 1) != 0 ? c->text : (struct odp_slice){NULL, 0};
            odp_edits_append(e, texts);
        }
    }
}

static bool asks(const struct job *j, enum what what)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->changes[i].what == what)
            return true;
    return false;
}

/* Lines and labels may be any: the header may go. */
static bool is_about_records(const struct job *j)
{
    return !asks(j, LINES) && !asks(j, LABEL);
}

/* Says what was refused in OUT: codes and places. REFUTED: what was written was read back as another table,
 * which no trial can know: a text of several lines and quotes may be framed otherwise where the records
 * around it are too short. Then nothing is replaced. */
static enum odp_status rewrite(const struct job *j, bool dry, struct odp_rewritten *done,
                               struct odp_buffer *out, bool *refuted)
{
    struct odp_edits *e = NULL;
    struct odp_diags *diags = fuzz_diags();
    struct odp_arena a;
    odp_arena_init(&a);
    NEED(odp_edits_new(&e, j->resource) == ODP_OK);
    add_edits(e, j);
    const struct odp_rewriting how = {.path = j->path, .file = "uji", .dry = dry};
    enum odp_status status = odp_rewrite(e, &how, &a, done, diags);
    NEED(status != ODP_FAIL);
    NEED(odp_diags_code_count(diags, ODP_A09) == 0);
    *refuted = odp_diags_code_count(diags, ODP_A07) > 0;
    NEED(status == ODP_OK || odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0);
    ways_faults(out, diags);
    done->original = NULL; /* in the arena */
    odp_diags_free(diags);
    odp_edits_free(e);
    odp_arena_release(&a);
    return status;
}

/* ---- CSV: the records before and after ---- */

struct table {
    struct odp_arena a;
    bool whole; /* it could be read, and every record is sound */
    uint32_t width;
    int column_of_field[64];
    struct row {
        uint64_t row;
        uint32_t n;
        struct odp_slice source, *cells;
    } rows[RECORDS];
    size_t n;
};

static void take_record(struct table *t, const struct csv_rules *rules, const struct odp_record *rec,
                        struct odp_buffer *room)
{
    struct csv_cursor cursor = {.rules = rules, .p = rec->source.ptr, .n = rec->source.len};
    struct row *r = &t->rows[t->n];
    struct csv_raw raw;
    t->whole = t->whole && t->n + 1 < RECORDS && odp_proof_is_sound(rules, rec->source);
    if (!t->whole)
        return;
    t->n++;
    *r = (struct row){.row = rec->row, .source = odp_arena_copy(&t->a, rec->source)};
    size_t cap = rec->source.len + 2;
    r->cells = odp_arena_zero(&t->a, cap, sizeof *r->cells);
    while (csv_cursor_next(&cursor, &raw))
        r->cells[r->n++] = odp_arena_copy(&t->a, odp_cell_text(rules, rec->source.ptr, &raw, room));
}

static void read_table(struct table *t, const struct job *j)
{
    struct odp_source *source = NULL;
    struct odp_diags *diags = fuzz_diags();
    struct odp_batch b;
    struct odp_buffer room = {0};
    odp_arena_init(&t->a);
    t->n = 0;
    NEED(odp_batch_init(&b, 0) == ODP_OK);
    enum odp_status status = odp_source_open(&source, j->resource, j->path, "uji", 1, diags);
    NEED(status != ODP_FAIL);
    t->whole = status == ODP_OK;
    if (t->whole) {
        const struct odp_source_info *info = odp_source_info(source);
        t->width = info->ncolumns;
        for (uint32_t i = 0; i < j->resource->schema.n; i++)
            t->column_of_field[i] = info->column_of_field[i];
    }
    while (status == ODP_OK) {
        odp_batch_reset(&b, j->resource);
        status = odp_source_read(source, &b);
        NEED(status != ODP_FAIL);
        for (uint32_t i = 0; status == ODP_OK && i < b.nrecords; i++)
            take_record(t, &((const struct csv_source *)(const void *)source)->rules, &b.records[i], &room);
    }
    odp_buffer_release(&room);
    odp_batch_release(&b);
    odp_source_close(source);
    odp_diags_free(diags);
}

/* The column of cell change C of row R; -1: it is about none of R's cells. */
static int column_of(const struct table *t, const struct change *c, const struct row *r)
{
    if (c->what > COLUMN || c->row != r->row)
        return -1;
    return c->what == COLUMN ? (int)c->place : t->column_of_field[c->place];
}

/* What the edits make of row R's cell K: it as it was, or the last text that was asked for. */
static struct odp_slice wanted(const struct job *j, const struct table *t, const struct row *r, uint32_t k,
                               bool *edited)
{
    struct odp_slice text = k < r->n ? r->cells[k] : (struct odp_slice){"", 0};
    for (size_t i = 0; i < j->n; i++)
        if (column_of(t, &j->changes[i], r) == (int)k) {
            *edited = true;
            text = j->changes[i].what == EMPTY ? (struct odp_slice){"", 0} : j->changes[i].text;
        }
    return text;
}

static uint32_t cells_wanted(const struct job *j, const struct table *t, const struct row *r)
{
    uint32_t n = r->n;
    for (size_t i = 0; i < j->n; i++) {
        int at = column_of(t, &j->changes[i], r);
        n = at >= (int)n ? (uint32_t)at + 1 : n;
    }
    return n;
}

static bool is_gone(const struct job *j, const struct row *r)
{
    for (size_t i = 0; i < j->n; i++)
        if (j->changes[i].what == DELETE && j->changes[i].row == r->row)
            return true;
    return false;
}

static void compare_tables(const struct job *j, const struct table *old, const struct table *now)
{
    size_t at = 0;
    NEED(now->whole);
    for (size_t i = 0; i < old->n; i++) {
        const struct row *r = &old->rows[i];
        bool edited = false;
        if (is_gone(j, r))
            continue;
        NEED(at < now->n);
        const struct row *s = &now->rows[at++];
        NEED(s->n == cells_wanted(j, old, r));
        for (uint32_t k = 0; k < s->n; k++)
            NEED(odp_slice_eq(s->cells[k], wanted(j, old, r, k, &edited)));
        NEED(edited || odp_slice_eq(s->source, r->source));
    }
    for (size_t i = 0; i < j->n; i++) {
        const struct change *c = &j->changes[i];
        if (c->what != APPEND)
            continue;
        NEED(at < now->n);
        for (uint32_t f = 0; f < j->resource->schema.n; f++) {
            struct odp_slice want = (c->place >> f & 1) != 0 ? c->text : (struct odp_slice){"", 0};
            NEED(old->column_of_field[f] < 0 ||
                 odp_slice_eq(now->rows[at].cells[old->column_of_field[f]], want));
        }
        at++;
    }
    NEED(at == now->n);
}

/* ---- .dbf ---- */

static const struct {
    const char *name;
    char type;
    uint8_t width, decimals;
} dbf_fields[] = {
    {"id", 'N', 6, 0}, {"nama", 'C', 10, 0}, {"nilai", 'N', 8, 3}, {"tgl", 'D', 8, 0}, {"ya", 'L', 1, 0}};
enum { DBF_FIELDS = 5, DBF_HEAD = 32 + 32 * DBF_FIELDS + 1, DBF_WIDTH = 34 };

static void put_be(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* N null shapes, and their index. */
static void write_shapes(size_t n)
{
    static uint8_t shp[100 + 12 * RECORDS], shx[100 + 8 * RECORDS];
    char path[128];
    memset(shp, 0, sizeof shp);
    memset(shx, 0, sizeof shx);
    for (int k = 0; k < 2; k++) {
        uint8_t *p = k == 0 ? shp : shx;
        put_be(p, 9994);
        put_be(p + 24, (uint32_t)(50 + n * (k == 0 ? 6 : 4)));
        p[28] = (uint8_t)(1000 & 0xFF);
        p[29] = 1000 >> 8;
        p[32] = 1;
    }
    for (size_t i = 0; i < n; i++) {
        put_be(shp + 100 + 12 * i, (uint32_t)i + 1);
        put_be(shp + 104 + 12 * i, 2);
        put_be(shx + 100 + 8 * i, (uint32_t)(50 + 6 * i));
        put_be(shx + 104 + 8 * i, 2);
    }
    snprintf(path, sizeof path, "%s/uji.shp", dir);
    fuzz_write_bytes(path, shp, 100 + 12 * n);
    snprintf(path, sizeof path, "%s/uji.shx", dir);
    fuzz_write_bytes(path, shx, 100 + 8 * n);
}

static void write_dbf(const uint8_t *records, size_t size)
{
    static uint8_t dbf[DBF_HEAD + DBF_WIDTH * RECORDS + 1];
    size_t n = size / DBF_WIDTH < RECORDS ? size / DBF_WIDTH : RECORDS, at = 32;
    memset(dbf, 0, sizeof dbf);
    memcpy(dbf, "\x03\x7e\x01\x01", 4);
    dbf[4] = (uint8_t)n;
    dbf[5] = (uint8_t)(n >> 8);
    dbf[8] = DBF_HEAD & 0xFF;
    dbf[10] = DBF_WIDTH;
    dbf[29] = 0x57;
    for (size_t i = 0; i < DBF_FIELDS; i++, at += 32) {
        memcpy(dbf + at, dbf_fields[i].name, strlen(dbf_fields[i].name));
        dbf[at + 11] = (uint8_t)dbf_fields[i].type;
        dbf[at + 16] = dbf_fields[i].width;
        dbf[at + 17] = dbf_fields[i].decimals;
    }
    dbf[at] = 0x0D;
    memcpy(dbf + DBF_HEAD, records, n * DBF_WIDTH);
    dbf[DBF_HEAD + n * DBF_WIDTH] = 0x1A;
    fuzz_write_bytes(dbf_path, dbf, DBF_HEAD + n * DBF_WIDTH + 1);
    write_shapes(n);
}

/* Byte AT of the .dbf is in a value to be changed. Records marked as deleted are not rows. */
static bool is_named(const struct job *j, const struct odp_buffer *dbf, size_t at)
{
    size_t offset = at >= DBF_HEAD ? (at - DBF_HEAD) % DBF_WIDTH : 0, begin = 1, row = 0;
    for (size_t record = DBF_HEAD; record <= at; record += DBF_WIDTH)
        row += dbf->ptr[record] != '*';
    for (uint32_t f = 0; at >= DBF_HEAD && f < DBF_FIELDS; f++) {
        if (offset >= begin && offset < begin + dbf_fields[f].width)
            for (size_t i = 0; i < j->n; i++)
                if (j->changes[i].place == f && j->changes[i].row == row)
                    return true;
        begin += dbf_fields[f].width;
    }
    return false;
}

static void compare_dbf(const struct job *j, const struct odp_buffer *old, const struct odp_buffer *now)
{
    NEED(old->len == now->len);
    for (size_t i = 0; i < old->len; i++)
        NEED(old->ptr[i] == now->ptr[i] || is_named(j, old, i));
}

/* ---- the whole ---- */

static void check_done(const struct job *j, const struct odp_buffer *before, const struct odp_rewritten *done,
                       size_t files)
{
    char original[160];
    struct odp_buffer now = fuzz_read(j->target);
    bool same = odp_slice_eq(odp_buffer_slice(before), odp_buffer_slice(&now));
    bool any = done->cells + done->deleted + done->appended + done->labels + done->lines > 0;
    NEED(any || same);
    NEED(fuzz_files_in(dir) == files + any);
    if (any) {
        snprintf(original, sizeof original, "%s.asli", j->target);
        struct odp_buffer kept = fuzz_read(original);
        NEED(odp_slice_eq(odp_buffer_slice(before), odp_buffer_slice(&kept)));
        odp_buffer_release(&kept);
        NEED(unlink(original) == 0);
    }
    if (j->target == dbf_path)
        compare_dbf(j, before, &now);
    odp_buffer_release(&now);
}

static void run(const struct job *j)
{
    static struct table old, now;
    struct odp_buffer before = fuzz_read(j->target), tried, said;
    struct odp_rewritten dry, done, again;
    size_t files = fuzz_files_in(dir);
    bool csv = j->target == source_path, refuted;
    odp_buffer_init(&tried);
    odp_buffer_init(&said);
    if (csv)
        read_table(&old, j);
    enum odp_status status = rewrite(j, true, &dry, &tried, &refuted);
    NEED(fuzz_files_in(dir) == files);
    bool alike = rewrite(j, false, &done, &said, &refuted) == status;
    NEED(alike || refuted);
    if (alike)
        ways_equal("the trial and the rewrite", &tried, &said);
    else
        status = ODP_BAD;
    NEED(!alike || memcmp(&dry, &done, sizeof dry) == 0);
    if (status == ODP_OK) {
        check_done(j, &before, &done, files);
    } else {
        struct odp_buffer left = fuzz_read(j->target);
        NEED(fuzz_files_in(dir) == files && odp_slice_eq(odp_buffer_slice(&before), odp_buffer_slice(&left)));
        odp_buffer_release(&left);
    }
    if (csv && status == ODP_OK && old.whole && is_about_records(j)) {
        read_table(&now, j);
        compare_tables(j, &old, &now);
        odp_arena_release(&now.a);
    }
    if (status == ODP_OK && (old.whole || !csv) && is_about_records(j) && !asks(j, DELETE) &&
        !asks(j, APPEND)) {
        odp_buffer_clear(&said);
        NEED(rewrite(j, false, &again, &said, &refuted) == ODP_OK && again.cells == 0);
    }
    if (csv)
        odp_arena_release(&old.a);
    odp_buffer_release(&before);
    odp_buffer_release(&tried);
    odp_buffer_release(&said);
    NEED(odp_dir_remove(dir) == ODP_OK);
}

/* A valid text: an edit comes from a workbook, or from the program itself. */
static size_t read_changes(struct job *j, const uint8_t *data, size_t size, size_t most)
{
    size_t at = 0;
    for (j->n = 0; j->n < most && size - at >= 4;) {
        struct change *c = &j->changes[j->n++];
        size_t len = data[at + 3] % 64;
        *c = (struct change){.what = data[at] % WHATS, .row = data[at + 1], .place = data[at + 2] % 8};
        at += 4;
        len = len < size - at ? len : size - at;
        c->text = (struct odp_slice){(const char *)data + at, len};
        c->text.len = odp_utf8_valid(c->text);
        if ((c->what == CELL || c->what == EMPTY) && j->resource->schema.n > 0)
            c->place %= j->resource->schema.n;
        at += len;
    }
    return at;
}

static void add_text(struct odp_buffer *out, const char *encoding, struct odp_slice text)
{
    iconv_t cd = iconv_open(encoding, "UTF-8");
    size_t room = text.len * 4 + 16, left = text.len, space = room;
    char *in = (char *)(uintptr_t)text.ptr, *put = odp_buffer_reserve(out, room);
    NEED(cd != (iconv_t)-1 && put != NULL);
    (void)iconv(cd, &in, &left, &put, &space);
    out->len += room - space;
    iconv_close(cd);
}

static void write_csv(struct job *j, const struct ways_dialect *d, unsigned encoding, struct odp_slice text)
{
    static const char *const names[] = {NULL,       "UTF-16LE", "windows-1252", "utf-8",
                                        "UTF-16BE", "GB18030",  "SHIFT_JIS",    "utf-16"};
    struct odp_buffer file = {0}, all = {0};
    odp_buffer_add_str(&all, d->header);
    odp_buffer_add_slice(&all, text);
    if (names[encoding] != NULL)
        j->x.resource.encoding = names[encoding];
    if (encoding == 3)
        odp_buffer_add_str(&file, "\xEF\xBB\xBF");
    if (encoding == 7)
        odp_buffer_add(&file, "\xFF\xFE", 2);
    if (encoding == 1 || encoding >= 4) {
        all.len = odp_utf8_valid(odp_buffer_slice(&all));
        add_text(&file, encoding == 7 ? "UTF-16LE" : names[encoding], odp_buffer_slice(&all));
    } else {
        odp_buffer_add_slice(&file, odp_buffer_slice(&all));
    }
    NEED(odp_buffer_status(&file) == ODP_OK);
    fuzz_write(j->path, odp_buffer_slice(&file));
    odp_buffer_release(&file);
    odp_buffer_release(&all);
}

void fuzz_one(struct odp_slice in)
{
    static struct job j;
    static char shp[128];
    const uint8_t *data = (const uint8_t *)in.ptr;
    if (in.len < 2)
        return;
    snprintf(dir, sizeof dir, "%s", fuzz_folder("tulis"));
    snprintf(source_path, sizeof source_path, "%s/uji.csv", dir);
    snprintf(dbf_path, sizeof dbf_path, "%s/uji.dbf", dir);
    snprintf(shp, sizeof shp, "%s/uji.shp", dir);
    const struct ways_dialect *d = &ways_dialects[data[0] % 16 % WAYS_DIALECTS];
    memset(&j, 0, sizeof j);
    ways_describe(&j.x, d);
    j.path = j.target = source_path;
    j.resource = &j.x.resource;
    if (data[0] == DBF) {
        j.resource = fuzz_resource_of("shape");
        j.path = shp;
        j.target = dbf_path;
    }
    size_t at = 2 + read_changes(&j, data + 2, in.len - 2, data[1] % (EDITS + 1));
    if (data[0] == DBF)
        write_dbf(data + at, in.len - at);
    else
        write_csv(&j, d, data[0] >> 5, (struct odp_slice){in.ptr + at, in.len - at});
    run(&j);
}
