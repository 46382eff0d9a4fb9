/* A correction workbook that comes back from a steward, as lines that say what was done to it and to its
 * source meanwhile. The workbook is a sound one, made once by the program itself; it is opened into its
 * parts, changed, put together and applied. Lines:
 *
 *   b N           another workbook (0: of the dataset "csv", 1: of "types", 2: of a table without a key); only
 *                 as the first line
 *   @ PART        the part that follows is about (names of parts end in PART; at first the first sheet)
 *   t CELL TEXT   the cell becomes a text        n CELL NUMBER      f CELL FORMULA     d CELL DATE
 *   v CELL TYPE VALUE                            x CELL  the cell goes                 - ROW  the row goes
 *   c ROW TO      w ROW OTHER: they change places                   m RANGE  merged cells
 *   r OLD NEW     text of the part               ! AT N TEXT  N bytes at AT of the part
 *   0             the part goes
 *   s N TEXT      line N of the source becomes TEXT (from 1; after the last: appended)
 *
 * No workbook makes the machine fail; the trial does what applying does; what was refused as a whole changed
 * nothing; the original is kept; nothing lies about; and what was applied is applied no second time. */
#include <stdio.h>
#include <unistd.h>
#include <zip.h>

#include "archive.h"
#include "repair/repair.h"

enum { BOOKS = 3, PARTS = 32, LINES = 40, REFERENCE = 12 };

static const struct {
    const char *slug, *source;
} made_of[BOOKS] = {
    {"csv",
     "kode;luas;tanggal;waktu;ya;unit;lain;titik;nik\n31.71;1.234,5;06 Juli 2017;2024-01-01 "
     "07:00:00;Ya;1.500;{\"a\":1};\"106.8, -6.2\";3171234501900001\n"
     "31.7;1,23E+15;31 Februari 2020;x;Y;1.5;{;1;\n31.72;3;1 Mei 2020;;Tidak;;;;\n31.73;\"9\n9\";;;\"Ya "
     "\";;;;\n31.72;4;2 Mei 2020;;Tidak;;;;\n31.75;-5;;;;;;;\n"},
    {"types", "kode,surel,alamat,uu,biner,jam,tahun,bulan,lama,daftar,bentuk,larik,isi,titik,apa,kelas,angka,"
              "tgl,uang,induk,tgl2\n"
              "k1,a@b.co.id,https://a.id/"
              "x?y=1,,,07:05:00,1999,2020-01,P1Y,1|2,,,,,,a,1,2024-01-31,,,\nk2,x,,,,25:00,1899,2020-13,,1|x,"
              ",,,,,z,9,31/01/2024,,k9,\n"
              "k2,,,,,,,,,,,,,,,b,2,,,k1,\n"},
    {"texts",
     "lon,Nama lengkap,no\na,Kel. \xE2\x80\x9CMenteng\xE2\x80\x9D\xE2\x80\x8B,=1+2\na "
     ",\"dua\nbaris\",081\n\xEF\xBF\xBD,x,\na,Kel. \xE2\x80\x9CMenteng\xE2\x80\x9D\xE2\x80\x8B,=1+2\n"}};

struct part {
    const char *name; /* "": it is gone */
    struct odp_buffer text;
};
struct book {
    struct part parts[PARTS];
    size_t n;
};
static struct book books[BOOKS];
static struct odp_arena names;
static char dir[96], source_path[128], book_path[128];

/* ---- sound workbooks ---- */

static void forget(void)
{
    for (size_t b = 0; b < BOOKS; b++)
        for (size_t i = 0; i < books[b].n; i++)
            odp_buffer_release(&books[b].parts[i].text);
    odp_arena_release(&names);
}

static struct odp_correct_options options_of(size_t b)
{
    return (struct odp_correct_options){
        .catalog = fuzz_catalog(),
        .as_slug = made_of[b].slug,
        .as_file = source_path,
        .lang = ODP_LANG_EN,
        .version = "1",
    };
}

static void open_book(struct book *to)
{
    int error = 0;
    zip_t *z = zip_open(book_path, ZIP_RDONLY, &error);
    NEED(z != NULL);
    for (zip_int64_t i = 0; i < zip_get_num_entries(z, 0) && to->n < PARTS; i++) {
        zip_stat_t st;
        zip_file_t *f = zip_fopen_index(z, (zip_uint64_t)i, 0);
        NEED(f != NULL && zip_stat_index(z, (zip_uint64_t)i, 0, &st) == 0);
        struct part *p = &to->parts[to->n++];
        p->name = odp_arena_str(&names, st.name);
        odp_buffer_init(&p->text);
        char *room = odp_buffer_reserve(&p->text, st.size + 1);
        NEED(room != NULL && zip_fread(f, room, st.size) == (zip_int64_t)st.size);
        p->text.len = st.size;
        zip_fclose(f);
    }
    zip_discard(z);
}

static void make_books(void)
{
    snprintf(dir, sizeof dir, "%s", fuzz_folder("kembali"));
    snprintf(source_path, sizeof source_path, "%s/in.csv", dir);
    snprintf(book_path, sizeof book_path, "%s", fuzz_path("koreksi.xlsx"));
    odp_arena_init(&names);
    for (size_t b = 0; b < BOOKS; b++) {
        struct odp_diags *diags = fuzz_diags();
        struct odp_faults *faults = NULL;
        const struct odp_correct_options o = options_of(b);
        NEED(odp_faults_new(&faults) == ODP_OK);
        fuzz_write(source_path, odp_slice_of(made_of[b].source));
        odp_diags_set_sink(diags, odp_faults_sink(faults));
        fuzz_check(made_of[b].slug, source_path, diags);
        odp_diags_set_sink(diags, NULL);
        NEED(odp_correct_write(faults, &o, book_path) == ODP_OK);
        open_book(&books[b]);
        odp_faults_free(faults);
        odp_diags_free(diags);
    }
    atexit(forget);
}

/* ---- what was done to it ---- */

struct state {
    struct book *book; /* a copy */
    struct part *part;
    struct odp_buffer source;
    bool source_changed;
};

/* [*FROM, *TO) of TEXT: from the first BEGIN on to the end of the next END. */
static bool find(const struct odp_buffer *text, const char *begin, const char *end, size_t *from, size_t *to)
{
    const char *p = text->len > 0 ? memmem(text->ptr, text->len, begin, strlen(begin)) : NULL;
    const char *q = p != NULL ? memmem(p, (size_t)(text->ptr + text->len - p), end, strlen(end)) : NULL;
    if (q == NULL)
        return false;
    *from = (size_t)(p - text->ptr);
    *to = (size_t)(q - text->ptr) + strlen(end);
    return true;
}

static void replace(struct odp_buffer *text, size_t from, size_t to, struct odp_slice by)
{
    struct odp_buffer out = {0};
    if (from > 0)
        odp_buffer_add(&out, text->ptr, from);
    odp_buffer_add_slice(&out, by);
    if (to < text->len)
        odp_buffer_add(&out, text->ptr + to, text->len - to);
    NEED(odp_buffer_status(&out) == ODP_OK);
    odp_buffer_release(text);
    *text = out;
}

/* A cell as it stands: `<c r="B5" …/>` or up to `</c>`. */
static bool find_cell(const struct odp_buffer *text, struct odp_slice reference, size_t *from, size_t *to)
{
    char begin[REFERENCE + 10];
    snprintf(begin, sizeof begin, "<c r=\"%.*s\"",
             (int)(reference.len < REFERENCE ? reference.len : REFERENCE), reference.ptr);
    if (!find(text, begin, ">", from, to))
        return false;
    if (text->ptr[*to - 2] == '/')
        return true;
    const char *q = memmem(text->ptr + *to, text->len - *to, "</c>", 4);
    if (q == NULL)
        return false;
    *to = (size_t)(q - text->ptr) + 4;
    return true;
}

static bool find_row(const struct odp_buffer *text, unsigned long n, size_t *from, size_t *to)
{
    char begin[40];
    snprintf(begin, sizeof begin, "<row r=\"%lu\"", n);
    return find(text, begin, "</row>", from, to);
}

static void escape(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '<')
            odp_buffer_add_str(out, "&lt;");
        else if (s.ptr[i] == '&')
            odp_buffer_add_str(out, "&amp;");
        else
            odp_buffer_add_char(out, s.ptr[i]);
}

static unsigned long number(struct odp_slice w)
{
    unsigned long n = 0;
    for (size_t i = 0; i < w.len && n < 10000000 && w.ptr[i] >= '0' && w.ptr[i] <= '9'; i++)
        n = n * 10 + (unsigned long)(w.ptr[i] - '0');
    return n;
}

/* The XML around the text of a cell; for 'v' the first word of the text is the type. */
static const struct {
    char what;
    const char *before, *after;
} forms[] = {
    {'t', " t=\"inlineStr\"><is><t xml:space=\"preserve\">", "</t></is></c>"},
    {'f', "><f>", "</f><v>1</v></c>"},
    {'d', " t=\"d\"><v>", "</v></c>"},
    {'n', "><v>", "</v></c>"},
    {'v', "\"><v>", "</v></c>"},
};

static void make_cell(char what, struct odp_slice reference, struct odp_slice text, struct odp_buffer *cell)
{
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        if (forms[i].what != what)
            continue;
        odp_buffer_printf(cell, "<c r=\"%.*s\"", (int)reference.len, reference.ptr);
        if (what == 'v') {
            struct odp_slice type = fuzz_word(&text);
            odp_buffer_printf(cell, " t=\"%.*s", (int)type.len, type.ptr);
        }
        odp_buffer_add_str(cell, forms[i].before);
        escape(cell, text);
        odp_buffer_add_str(cell, forms[i].after);
    }
}

/* The cell becomes another ('x': none); where the row has none of that name, after the row's last. */
static void put_cell(struct state *s, char what, struct odp_slice reference, struct odp_slice text)
{
    struct odp_buffer cell = {0};
    size_t from, to, letters = 0;
    if (reference.len > REFERENCE)
        return;
    make_cell(what, reference, text, &cell);
    while (letters < reference.len && (reference.ptr[letters] < '0' || reference.ptr[letters] > '9'))
        letters++;
    unsigned long row = number((struct odp_slice){reference.ptr + letters, reference.len - letters});
    if (find_cell(&s->part->text, reference, &from, &to))
        replace(&s->part->text, from, to, odp_buffer_slice(&cell));
    else if (find_row(&s->part->text, row, &from, &to))
        replace(&s->part->text, to - 6, to - 6, odp_buffer_slice(&cell));
    odp_buffer_release(&cell);
}

/* Row FROM's cells as row N, with their new names. */
static void renumber(const struct odp_buffer *text, size_t from, size_t to, unsigned long old,
                     unsigned long n, struct odp_buffer *out)
{
    char was[24], now[24];
    int len = snprintf(was, sizeof was, "%lu\"", old);
    snprintf(now, sizeof now, "%lu\"", n);
    for (size_t i = from; i < to; i++)
        if (i + (size_t)len <= to && i > from && memcmp(text->ptr + i, was, (size_t)len) == 0 &&
            (text->ptr[i - 1] == '"' || (text->ptr[i - 1] >= 'A' && text->ptr[i - 1] <= 'Z'))) {
            odp_buffer_add_str(out, now);
            i += (size_t)len - 1;
        } else {
            odp_buffer_add_char(out, text->ptr[i]);
        }
}

static void move_rows(struct state *s, char what, unsigned long a, unsigned long b)
{
    struct odp_buffer one = {0}, other = {0};
    size_t af, at, bf, bt;
    struct odp_buffer *text = &s->part->text;
    if (!find_row(text, a, &af, &at))
        return;
    renumber(text, af, at, a, b, &one);
    bool there = find_row(text, b, &bf, &bt);
    if (what == '-') {
        replace(text, af, at, (struct odp_slice){"", 0});
    } else if (what == 'c' && !there && find(text, "</sheetData>", ">", &bf, &bt)) {
        replace(text, bf, bf, odp_buffer_slice(&one));
    } else if (there && a != b) {
        renumber(text, bf, bt, b, a, &other);
        if (what == 'c') {
            replace(text, bf, bt, odp_buffer_slice(&one));
        } else if (af < bf) {
            replace(text, bf, bt, odp_buffer_slice(&one));
            replace(text, af, at, odp_buffer_slice(&other));
        } else {
            replace(text, af, at, odp_buffer_slice(&other));
            replace(text, bf, bt, odp_buffer_slice(&one));
        }
    }
    odp_buffer_release(&one);
    odp_buffer_release(&other);
}

static void source_line(struct state *s, unsigned long n, struct odp_slice text)
{
    size_t from = 0;
    for (; n > 1 && from < s->source.len; n--) {
        const char *end = memchr(s->source.ptr + from, '\n', s->source.len - from);
        from = end != NULL ? (size_t)(end - s->source.ptr) + 1 : s->source.len;
    }
    const char *end = from < s->source.len ? memchr(s->source.ptr + from, '\n', s->source.len - from) : NULL;
    size_t to = end != NULL ? (size_t)(end - s->source.ptr) : s->source.len;
    if (from == s->source.len && text.len > 0)
        odp_buffer_add_char(&s->source, '\n');
    replace(&s->source, from, to, text);
}

static struct part *find_part(struct book *b, struct odp_slice name)
{
    for (size_t i = 0; i < b->n; i++) {
        size_t len = strlen(b->parts[i].name);
        if (name.len <= len && memcmp(b->parts[i].name + len - name.len, name.ptr, name.len) == 0)
            return &b->parts[i];
    }
    return NULL;
}

static void one_line(struct state *s, struct odp_slice line)
{
    struct odp_buffer *text = &s->part->text, merge;
    struct odp_slice op = fuzz_word(&line), first = fuzz_word(&line), rest = line;
    size_t from, to;
    switch (op.len > 0 ? *op.ptr : '\0') {
    case '@':
        s->part = find_part(s->book, first) != NULL ? find_part(s->book, first) : s->part;
        break;
    case 't':
    case 'n':
    case 'f':
    case 'd':
    case 'v':
    case 'x':
        put_cell(s, *op.ptr, first, rest);
        break;
    case '-':
    case 'c':
    case 'w':
        move_rows(s, *op.ptr, number(first), number(rest));
        break;
    case 'm':
        odp_buffer_init(&merge);
        odp_buffer_printf(&merge,
                          "</sheetData><mergeCells count=\"1\"><mergeCell ref=\"%.*s\"/></mergeCells>",
                          (int)(first.len < 40 ? first.len : 40), first.ptr);
        if (find(text, "</sheetData>", ">", &from, &to))
            replace(text, from, to, odp_buffer_slice(&merge));
        odp_buffer_release(&merge);
        break;
    case 'r': {
        const char *p =
            first.len > 0 && text->len > 0 ? memmem(text->ptr, text->len, first.ptr, first.len) : NULL;
        if (p != NULL)
            replace(text, (size_t)(p - text->ptr), (size_t)(p - text->ptr) + first.len, rest);
        break;
    }
    case '!':
        from = text->len > 0 ? number(first) % text->len : 0;
        to = from + number(fuzz_word(&rest));
        replace(text, from, to < text->len ? to : text->len, rest);
        break;
    case '0':
        s->part->name = "";
        break;
    case 's':
        s->source_changed = true;
        source_line(s, number(first), rest);
        break;
    default:
        break;
    }
}

/* ---- the whole ---- */

static void copy_book(const struct book *from, struct book *to)
{
    *to = *from;
    for (size_t i = 0; i < from->n; i++) {
        odp_buffer_init(&to->parts[i].text);
        odp_buffer_add_slice(&to->parts[i].text, odp_buffer_slice(&from->parts[i].text));
        NEED(odp_buffer_status(&to->parts[i].text) == ODP_OK);
    }
}

/* Written, and released. */
static void write_book(struct book *b)
{
    struct archive z = {.n = 0};
    for (size_t i = 0; i < b->n; i++) {
        if (b->parts[i].name[0] != '\0')
            archive_add(&z, odp_slice_of(b->parts[i].name), odp_buffer_slice(&b->parts[i].text));
        odp_buffer_release(&b->parts[i].text);
    }
    archive_write(&z, book_path);
}

static enum odp_status apply(size_t b, bool dry, struct odp_applied *out, bool *proved)
{
    struct odp_diags *diags = fuzz_diags();
    struct odp_arena a;
    struct odp_correct_options o = options_of(b);
    o.dry = dry;
    odp_arena_init(&a);
    enum odp_status status = odp_correct_apply(book_path, &o, NULL, &a, out, diags);
    NEED(status != ODP_FAIL);
    NEED(status == ODP_OK || odp_diags_count(diags, ODP_SEVERITY_ERROR) > 0);
    NEED(odp_diags_code_count(diags, ODP_A09) == 0);
    *proved = odp_diags_code_count(diags, ODP_A07) == 0;
    fuzz_reports(diags);
    out->file = NULL; /* in the arena */
    odp_diags_free(diags);
    odp_arena_release(&a);
    return status;
}

/* ONCE: records may have come that are equal to some of the workbook: nobody could tell which were meant. */
static void check(size_t b, bool once)
{
    struct odp_applied dry, done, again;
    struct odp_buffer before = fuzz_read(source_path);
    bool proved, ignored;
    char original[160];
    enum odp_status tried = apply(b, true, &dry, &ignored), status;
    NEED(fuzz_files_in(dir) == 1);
    status = apply(b, false, &done, &proved);
    struct odp_buffer now = fuzz_read(source_path);
    bool same = odp_slice_eq(odp_buffer_slice(&before), odp_buffer_slice(&now));
    NEED(proved);
    NEED(tried == status && dry.cells == done.cells && dry.deleted == done.deleted &&
         dry.appended == done.appended && dry.conflicts == done.conflicts && dry.already == done.already &&
         dry.files == done.files);
    NEED(same == (done.cells + done.deleted + done.appended == 0));
    NEED(fuzz_files_in(dir) == (same ? 1u : 2u));
    if (!same) {
        snprintf(original, sizeof original, "%s.asli", source_path);
        struct odp_buffer kept = fuzz_read(original);
        NEED(odp_slice_eq(odp_buffer_slice(&before), odp_buffer_slice(&kept)) && unlink(original) == 0);
        odp_buffer_release(&kept);
    }
    if (!same && status == ODP_OK && !once) {
        (void)apply(b, false, &again, &ignored);
        NEED(again.cells + again.deleted + again.appended == 0);
    }
    odp_buffer_release(&before);
    odp_buffer_release(&now);
}

void fuzz_one(struct odp_slice in)
{
    static struct book copy;
    size_t b = in.len >= 3 && in.ptr[0] == 'b' && in.ptr[1] == ' '
                   ? (size_t)(unsigned char)(in.ptr[2] - '0') % BOOKS
                   : 0;
    if (dir[0] == '\0')
        make_books();
    (void)fuzz_folder("kembali");
    struct state s = {.book = &copy};
    copy_book(&books[b], &copy);
    odp_buffer_init(&s.source);
    odp_buffer_add_str(&s.source, made_of[b].source);
    s.part = find_part(&copy, ODP_LIT("xl/worksheets/sheet2.xml"));
    NEED(s.part != NULL);
    for (int i = 0; i < LINES && in.len > 0; i++)
        one_line(&s, fuzz_line(&in));
    fuzz_write(source_path, odp_buffer_slice(&s.source));
    write_book(&copy);
    check(b, s.source_changed);
    odp_buffer_release(&s.source);
    NEED(odp_dir_remove(dir) == ODP_OK);
}
