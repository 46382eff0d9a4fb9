/* The encoding, by every byte of the file: a byte order mark, the rules of UTF-8, NULs in every other place;
 * anything else is windows-1252, which spreadsheets write, with doubts. */
#include <stdlib.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/utf8.h"
#include "read/csv/reader.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

struct bytes {
    uint64_t at, high, valid, invalid, first_invalid, nul[2], control, undefined, windows_letters,
        dos_letters, strange; /* STRANGE: neither a letter among letters nor a sign that people write */
    unsigned char before;
    unsigned char held[4]; /* of a character that the block cuts */
    size_t nheld;
};

/* A byte outside ASCII, with its neighbours: a letter of windows-1252 or of a DOS code page? */
static void weigh(struct bytes *k, unsigned char before, unsigned char c, unsigned char after)
{
    bool inside = odp_is_letter((char)before) || odp_is_letter((char)after);
    bool mark = c == 0x85 || (c >= 0x91 && c <= 0x97);
    static const char signs[] = "\x80\x82\x84\x85\x91\x92\x93\x94\x95\x96\x97\x99\xA0\xA7\xA9\xAB\xAE\xB0\xB1"
                                "\xB2\xB3\xB4\xB5\xB7\xB9\xBA\xBB\xBC\xBD\xBE\xD7";
    k->strange += strchr(signs, c) == NULL && (c < 0xC0 || c == 0xFF || !inside);
    k->undefined += c == 0x81 || c == 0x8D || c == 0x8F || c == 0x90 || c == 0x9D;
    if (c >= 0xC0 && inside)
        k->windows_letters++;
    else if (c >= 0x80 && c <= 0xA5 && c != 0xA0 && !mark && odp_is_letter((char)before) &&
             odp_is_letter((char)after))
        k->dos_letters++;
}

/* Counts the characters of UTF-8 among N bytes at P; a character that the end cuts waits for the next block.
 */
static void walk_utf8(struct bytes *k, const unsigned char *p, size_t n, bool end)
{
    size_t i = 0;
    while (i < n) {
        if (p[i] < 0x80) {
            i++;
            continue;
        }
        size_t need = p[i] >= 0xF0 ? 4 : p[i] >= 0xE0 ? 3 : 2;
        if (i + need > n && !end && n - i < 4 && p[i] >= 0xC2 && p[i] < 0xF5) {
            memcpy(k->held, p + i, n - i);
            k->nheld = n - i;
            return;
        }
        size_t good = odp_utf8_valid((struct odp_slice){(const char *)p + i, i + need <= n ? need : n - i});
        if (good >= need || (good > 0 && good == n - i)) {
            k->valid++;
            i += good;
            continue;
        }
        if (k->invalid++ == 0)
            k->first_invalid = k->at + i;
        i++;
    }
    k->nheld = 0;
}

static void take(struct bytes *k, unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = p[i];
        if (c >= 0x80) {
            k->high++;
            weigh(k, i > 0 ? p[i - 1] : k->before, c, i + 1 < n ? p[i + 1] : 0);
        } else if (c == 0) {
            k->nul[(k->at + i) & 1]++;
        } else {
            k->control += c < ' ' && (c < '\b' || c > '\r'); /* neither white space nor the old backspace */
        }
    }
    k->before = n > 0 ? p[n - 1] : k->before;
}

static const char *by_mark(const unsigned char *p, size_t n, uint64_t *bom)
{
    if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        return *bom = 3, "utf-8";
    if (n >= 4 && memcmp(p, "\xFF\xFE\0\0", 4) == 0)
        return *bom = 4, "utf-32";
    if (n >= 2 && (memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
        return *bom = 2, "utf-16";
    return NULL;
}

/* NULs in every other place are UTF-16; many others, or many control characters, are no text. */
static bool is_wide(const struct bytes *k)
{
    uint64_t half = k->at / 2;
    return half > 0 && k->nul[0] + k->nul[1] > half / 4 &&
           (k->nul[0] > 8 * k->nul[1] || k->nul[1] > 8 * k->nul[0]);
}

static bool is_binary(const struct bytes *k)
{
    return !is_wide(k) && (k->nul[0] + k->nul[1] + k->control) * 64 > k->at;
}

static void conclude(struct odp_draft *d, const struct bytes *k)
{
    static const struct odp_text choice_dos[2] = {{{"windows-1252", "windows-1252"}},
                                                  {{"cp850 (DOS)", "cp850 (DOS)"}}};
    static const struct odp_text choice_utf8[2] = {{{"utf-8", "utf-8"}}, {{"windows-1252", "windows-1252"}}};
    if (d->forced_encoding != NULL) {
        d->encoding = d->forced_encoding;
        draft_fact(d, W_draft_encoding_chosen, ARGS(C(d->encoding)));
    } else if (d->bom > 0) {
        draft_fact(d, W_draft_encoding_file_begins_with_byte, ARGS(C(d->encoding)));
    } else if (is_wide(k)) {
        d->encoding = k->nul[1] > k->nul[0] ? "utf-16le" : "utf-16be";
        draft_fact(d, W_draft_encoding_bytes_nul_nearly_all,
                   ARGS(C(d->encoding), N(k->nul[0] + k->nul[1]), N(k->at)));
    } else if (k->high == 0) {
        d->encoding = "utf-8";
        draft_fact(d, W_draft_encoding_utf_8_all_bytes, ARGS(N(k->at)));
    } else if (k->invalid == 0) {
        d->encoding = "utf-8";
        draft_fact(d, W_draft_encoding_utf_8_all_characters, ARGS(N(k->valid)));
    } else {
        bool mostly = k->valid > 4 * k->invalid;
        bool dos = !mostly && (k->dos_letters > k->windows_letters || k->undefined > 0);
        d->encoding = mostly ? "utf-8" : "windows-1252";
        struct odp_text evidence = draft_text(d, W_draft_bytes_outside_ascii_them_no,
                                              ARGS(C(d->encoding), N(k->invalid), N(k->first_invalid),
                                                   N(k->valid), N(k->windows_letters), N(k->dos_letters)));
        draft_fact(d, "Encoding {0}.", "Encoding {0}.", ARGS(C(d->encoding)));
        const struct odp_text *choice = mostly ? choice_utf8 : choice_dos;
        (void)draft_doubt(d, DOUBT_ENCODING, NULL, draft_text(d, W_draft_encoding_file, NULL), evidence,
                          mostly || dos ? choice : NULL);
    }
}

static enum odp_status report_other(struct odp_draft *d, const struct csv_other *other, const char *file,
                                    struct odp_diags *diags)
{
    struct odp_slice command = csv_conversion(other, file, &d->arena);
    return draft_fault(d, diags, command.len > 0 ? ODP_I09 : ODP_I02, other->name, command.ptr);
}

enum odp_status draft_foreign(struct odp_draft *d, const char *name, const char *file,
                              struct odp_diags *diags)
{
    return report_other(d, &(struct csv_other){name, CSV_MAKES_SHAPES}, file, diags);
}

enum odp_status draft_encoding(struct odp_draft *d, struct odp_diags *diags)
{
    enum { BLOCK = 256 * 1024, FRONT = 4 };
    struct odp_reader *reader = NULL;
    struct bytes k = {0};
    int errnum = 0;
    size_t got = 0;
    enum odp_status status = odp_reader_open(&reader, d->options.path, &errnum);
    if (status == ODP_BAD)
        return draft_fault(d, diags, ODP_I01, strerrorname_np(errnum), NULL);
    unsigned char *block = status == ODP_OK ? odp_realloc_array(NULL, BLOCK + FRONT, 1) : NULL;
    if (block == NULL) {
        odp_reader_close(reader);
        return ODP_FAIL;
    }
    d->bytes = odp_reader_size(reader);
    while ((status = odp_reader_read(reader, block + FRONT, BLOCK, &got)) == ODP_OK) {
        struct csv_other other;
        if (k.at == 0 && csv_other_kind((struct odp_slice){(const char *)block + FRONT, got}, true, &other)) {
            status = report_other(d, &other, d->options.file, diags);
            break;
        }
        if (k.at == 0)
            d->encoding = by_mark(block + FRONT, got, &d->bom);
        take(&k, block + FRONT, got);
        unsigned char *from = block + FRONT - k.nheld; /* the bytes that the last block cut */
        size_t n = got + k.nheld;
        memcpy(from, k.held, k.nheld);
        k.at -= k.nheld;
        walk_utf8(&k, from, n, got < BLOCK);
        k.at += n;
    }
    k.invalid += k.nheld > 0;
    free(block);
    odp_reader_close(reader);
    if (status == ODP_FAIL || status == ODP_BAD)
        return status;
    d->bytes = k.at;
    if (k.at == d->bom)
        return draft_fault(d, diags, ODP_I05, NULL, NULL);
    if (d->bom == 0 && is_binary(&k))
        return draft_fault(d, diags, ODP_I02, "biner/binary", NULL);
    d->plausible = k.valid == 0 && k.strange == 0;
    d->ascii = k.high == 0 && d->bom == 0 && !is_wide(&k);
    conclude(d, &k);
    return draft_status(d);
}
