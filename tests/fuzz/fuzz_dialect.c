/* Any bytes as a CSV file in any dialect and encoding. Eight bytes choose: delimiter; quote; escape and
 * comments; encoding; byte order mark; header rows and comment rows; whether the rest is UTF-8 that is put
 * into the encoding, or stands there as it is; how the header's lines end. However it is read, it must be
 * read alike (csv_ways.h). A text that is put into another encoding has the same records as in UTF-8. */
#include "csv_ways.h"
#include "fuzz.h"

#include <iconv.h>

#include "base/utf8.h"

enum { CHOICES = 8, COLUMNS = 3 };

static const char *const encodings[] = {
    "utf-8",    "utf-16",      "UTF-16LE",   "UTF_16BE",     "utf-32",      "UTF-32LE",
    "UTF-32BE", "latin1",      "ISO-8859-1", "windows-1252", "ISO-8859-15", "macroman",
    "KOI8-R",   "cp850",       "ASCII",      "shift_jis",    "EUC-JP",      "GB18030",
    "BIG5",     "ISO-2022-JP", "UTF-7",      "utf-8-sig",    "CP037",       "no-such",
};
static const char *const names[] = {
    "UTF-8",    "UTF-16LE",    "UTF-16LE",   "UTF-16BE",     "UTF-32LE",    "UTF-32LE",
    "UTF-32BE", "ISO-8859-1",  "ISO-8859-1", "WINDOWS-1252", "ISO-8859-15", "MACINTOSH",
    "KOI8-R",   "CP850",       "ASCII",      "SHIFT_JIS",    "EUC-JP",      "GB18030",
    "BIG5",     "ISO-2022-JP", "UTF-7",      "UTF-8",        "IBM037",      "UTF-8",
};
static const struct odp_slice marks[] = {{"", 0},         {"\xEF\xBB\xBF", 3}, {"\xFF\xFE", 2},
                                         {"\xFE\xFF", 2}, {"\xFF\xFE\0\0", 4}, {"\0\0\xFE\xFF", 4}};
enum { ENCODINGS = ODP_COUNT(encodings), MARKS = ODP_COUNT(marks) };

/* S from one encoding to another, behind what is in OUT. False: not all of it has a place there. */
static bool convert(const char *from, const char *to, struct odp_slice s, struct odp_buffer *out)
{
    iconv_t cd = iconv_open(to, from);
    size_t room = s.len * 8 + 64, left = s.len, space = room;
    char *in = (char *)(uintptr_t)s.ptr, *put = odp_buffer_reserve(out, room);
    NEED(cd != (iconv_t)-1 && put != NULL);
    bool ok = iconv(cd, &in, &left, &put, &space) == 0 && left == 0 &&
              iconv(cd, NULL, NULL, &put, &space) != (size_t)-1;
    out->len += room - space;
    iconv_close(cd);
    return ok;
}

/* The dialect, and the names of its fields as its header rows have them. No two of its characters are the
 * same: the catalogue sees to that. */
static void choose(const uint8_t *b, struct ways_dialect *d, struct odp_buffer *header)
{
    static const char delimiters[] = ",;\t| :~a", quotes[] = {'"', '\'', '\0', '`'},
                      escapes[] = {'\0', '\\', '^', '\0'}, comments[] = {'\0', '#', '%', '\0'};
    static const char *const nulls[] = {NULL, "NA", "\\N", "-"}, *const ends[] = {"\n", "\r\n", "\r"};
    static const char *const fields[COLUMNS] = {"satu", "dua", "tiga"};
    *d = (struct ways_dialect){
        .delimiter = delimiters[b[0] % 8],
        .columns = 1 + (b[0] >> 4) % COLUMNS,
        .quote = quotes[b[1] % 4],
        .escape = escapes[b[2] % 4],
        .comment = comments[b[2] / 4 % 4],
        .single_quotes = b[1] / 4 % 4 == 1,
        .skip_space = b[1] / 16 % 4 == 1,
        .null = nulls[b[2] / 16 % 4],
        .encoding = encodings[b[3] % ENCODINGS],
        .declared = b[4] / 8 % 2 == 1,
        .header_rows = 1 + b[5] % 3 % 2,
    };
    if (d->delimiter == ' ')
        d->skip_space = false;
    for (uint32_t i = 0; i < 3 && b[5] / 4 >> i != 0; i++)
        d->comment_rows[i] = d->header_rows + 1 + i + b[5] / 4 % 8;
    for (uint32_t row = 0; row < d->header_rows; row++)
        for (uint32_t i = 0; i < d->columns; i++) {
            if (row + 1 ==
                d->header_rows) /* the rows above it are empty, but for one cell that all have in common */
                odp_buffer_add_str(header, fields[i]);
            if (i + 1 < d->columns)
                odp_buffer_add_char(header, d->delimiter);
            else
                odp_buffer_add_str(header, ends[b[7] % 3]);
        }
    d->header = "";
}

/* The records of BYTES, each way alike; told as what the cells hold. */
static void records_of(const struct ways_dialect *d, struct odp_slice bytes, struct odp_buffer *records)
{
    struct odp_buffer told = {0};
    char path[40];
    int fd = memfd_create("csv", MFD_CLOEXEC);
    (void)ways_compare(d, bytes.ptr, bytes.len);
    NEED(fd >= 0 && write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ways_read(d, path, false, &told, records);
    odp_buffer_release(&told);
    close(fd);
}

/* TEXT in UTF-8 against TEXT in the encoding, where that has all of its characters. */
static void compare_encodings(const struct ways_dialect *d, const char *name, struct odp_slice mark,
                              struct odp_slice text, struct odp_buffer *file)
{
    struct odp_buffer back = {0}, here = {0}, there = {0};
    struct ways_dialect plain = *d;
    odp_buffer_add(file, mark.ptr, mark.len);
    bool whole = convert("UTF-8", name, text, file);
    struct odp_slice bytes = {file->ptr + mark.len, file->len - mark.len};
    whole = whole && convert(name, "UTF-8", bytes, &back) && odp_slice_eq(odp_buffer_slice(&back), text);
    records_of(d, odp_buffer_slice(file), &there);
    if (whole) {
        plain.encoding = "utf-8";
        plain.declared = true;
        records_of(&plain, text, &here);
        ways_equal("the records in UTF-8 and in the encoding", &here, &there);
    }
    odp_buffer_release(&back);
    odp_buffer_release(&here);
    odp_buffer_release(&there);
}

/* The mark that belongs to an encoding; none where a mark would be text, or says another. */
static bool fits(const char *name, size_t mark)
{
    static const char *const of[MARKS] = {"", "UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"};
    return mark == 0 || strcmp(of[mark], name) == 0;
}

void fuzz_one(struct odp_slice in)
{
    const uint8_t *chosen = (const uint8_t *)in.ptr;
    struct ways_dialect d;
    struct odp_buffer text = {0}, file = {0}, records = {0};
    if (in.len < CHOICES)
        return;
    choose(chosen, &d, &text);
    const char *name = names[chosen[3] % ENCODINGS];
    size_t mark = chosen[4] % 8 < MARKS ? chosen[4] % 8 : 0;
    struct odp_slice rest = {in.ptr + CHOICES, in.len - CHOICES};
    if (chosen[6] % 2 == 1 || strcmp(d.encoding, "no-such") == 0) { /* as it is */
        odp_buffer_add_slice(&file, marks[mark]);
        (void)convert("UTF-8", name, odp_buffer_slice(&text), &file);
        odp_buffer_add_slice(&file, rest);
        records_of(&d, odp_buffer_slice(&file), &records);
    } else {
        rest.len = odp_utf8_valid(rest);
        odp_buffer_add_slice(&text, rest);
        compare_encodings(&d, name, marks[fits(name, mark) ? mark : 0], odp_buffer_slice(&text), &file);
    }
    odp_buffer_release(&text);
    odp_buffer_release(&file);
    odp_buffer_release(&records);
}
