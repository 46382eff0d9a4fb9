#include "read/total.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

bool odp_is_total_word(struct odp_slice s)
{
    static const char *const words[] = {
        "total",        "jumlah",      "grand total",       "sub total",
        "subtotal",     "sub jumlah",  "jumlah total",      "total jumlah",
        "jumlah akhir", "total akhir", "total keseluruhan", "jumlah keseluruhan",
        "total umum",   "total semua", "jumlah seluruhnya", "total seluruhnya"};
    char low[24];
    s = odp_slice_trim(s);
    while (s.len > 0 && (s.ptr[s.len - 1] == ':' || s.ptr[s.len - 1] == '.' || s.ptr[s.len - 1] == ' '))
        s.len--;
    if (s.len < 5 || s.len >= sizeof(low))
        return false;
    for (size_t i = 0; i < s.len; i++)
        low[i] = (char)(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] - 'A' + 'a' : s.ptr[i]);
    return odp_word_index((struct odp_slice){low, s.len}, words, ODP_COUNT(words)) >= 0;
}

bool odp_is_total(const struct odp_resource *r, const struct odp_source_info *info, const struct odp_batch *b,
                  uint32_t i, bool ragged)
{
    const struct odp_record *rec = &b->records[i];
    const struct odp_cell *cell = b->cells + rec->first;
    uint32_t at = 0, texts = 0, filled = 0;
    while (at < rec->count && cell[at].len == 0)
        at++;
    /* Nearly every record ends here: cheap. */
    if (at == rec->count || cell[at].len > 40)
        return false;
    char c = cell[at].ptr[0];
    if (c != 'T' && c != 't' && c != 'J' && c != 'j' && c != 'G' && c != 'g' && c != 'S' && c != 's' &&
        c != ' ')
        return false;
    if (!odp_is_total_word((struct odp_slice){cell[at].ptr, cell[at].len}))
        return false;
    if (ragged)
        return true;
    int own = info->field_of_column[at];
    if (own >= 0 && r->schema.fields[own].type != ODP_TYPE_STRING &&
        r->schema.fields[own].type != ODP_TYPE_ANY)
        return true;
    for (uint32_t k = 0; k < rec->count; k++) {
        int f = info->field_of_column[k];
        if (k == at || f < 0)
            continue;
        const struct odp_field *field = &r->schema.fields[f];
        bool empty = odp_slice_trim((struct odp_slice){cell[k].ptr, cell[k].len}).len == 0;
        if (empty && (field->constraints.required || odp_key_has(&r->schema.primary, (uint32_t)f)))
            return true;
        if (!odp_type_is_number(field->type))
            texts++;
        if (!odp_type_is_number(field->type) && !empty)
            filled++;
    }
    if (filled > 0)
        return false;
    return texts > 0 || (b->last && i + 1 == b->nrecords && rec->count > 1);
}

bool odp_begins_note(struct odp_slice s)
{
    static const char *const words[] = {"sumber", "sumber data", "catatan", "keterangan", "ket",
                                        "ket.",   "source",      "note",    "notes"};
    if (s.len > 1 && *s.ptr == '*')
        return true;
    if (s.len == 0 || memchr(s.ptr, ':', s.len) == NULL)
        return false;
    for (size_t k = 0; k < ODP_COUNT(words); k++) {
        size_t n = strlen(words[k]);
        if (s.len <= n || strncasecmp(s.ptr, words[k], n) != 0)
            continue;
        while (n < s.len && s.ptr[n] == ' ')
            n++;
        if (n < s.len && s.ptr[n] == ':')
            return true;
    }
    return false;
}

/* (1);(2);(3): statistical tables number their columns below the header. */
static bool numbers_columns(const struct odp_cell *cell, uint32_t n)
{
    char want[16];
    for (uint32_t k = 0; k < n; k++) {
        int len = snprintf(want, sizeof(want), "(%u)", k + 1);
        struct odp_slice s = odp_slice_trim((struct odp_slice){cell[k].ptr, cell[k].len});
        if (s.len != (size_t)len || memcmp(s.ptr, want, s.len) != 0)
            return false;
    }
    return n > 1;
}

/* Words separated by spaces, without a sign that could separate columns. */
static bool is_sentence(struct odp_slice s)
{
    unsigned spaces = 0, letters = 0;
    for (size_t k = 0; k < s.len; k++) {
        spaces += s.ptr[k] == ' ';
        letters += (s.ptr[k] | 0x20) >= 'a' && (s.ptr[k] | 0x20) <= 'z';
        if (s.ptr[k] == ';' || s.ptr[k] == '\t' || s.ptr[k] == '|')
            return false;
    }
    return spaces >= 2 && letters >= 8;
}

bool odp_is_note(const struct odp_resource *r, const struct odp_source_info *info, const struct odp_batch *b,
                 uint32_t i, bool ragged)
{
    const struct odp_record *rec = &b->records[i];
    const struct odp_cell *cell = b->cells + rec->first;
    uint32_t at = 0, filled = 0;
    while (at < rec->count && cell[at].len == 0)
        at++;
    if (at == rec->count)
        return false;
    if (at == 0 && !ragged && *cell[at].ptr == '(')
        return numbers_columns(cell, rec->count);
    if (ragged && rec->count == 1 && info->ncolumns >= 3 &&
        is_sentence((struct odp_slice){cell[at].ptr, cell[at].len}))
        return true;
    if (memchr(" *SsCcKkNn", *cell[at].ptr, 10) == NULL ||
        !odp_begins_note(odp_slice_trim((struct odp_slice){cell[at].ptr, cell[at].len})))
        return false;
    if (ragged)
        return true;
    for (uint32_t k = at + 1; k < rec->count; k++) {
        int f = info->field_of_column[k];
        bool empty = odp_slice_trim((struct odp_slice){cell[k].ptr, cell[k].len}).len == 0;
        if (f >= 0 && empty &&
            (r->schema.fields[f].constraints.required || odp_key_has(&r->schema.primary, (uint32_t)f)))
            return true;
        filled += !empty;
    }
    return filled == 0 && rec->count > 1;
}

/* The words of odp_is_total_word and odp_begins_note by their first two letters; what a trim may take off,
 * '*' and '(' are looked at. */
bool odp_begins_no_record(const char *text, uint32_t len)
{
    char second = (char)(len > 1 ? text[1] | 0x20 : '\0');
    switch (text[0]) {
    case ' ':
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case '*':
    case '(':
        return true;
    case 'T':
    case 't':
    case 'N':
    case 'n':
        return second == 'o';
    case 'J':
    case 'j':
    case 'G':
    case 'g':
        return second == 'u' || second == 'r';
    case 'S':
    case 's':
        return second == 'u' || second == 'o';
    case 'C':
    case 'c':
        return second == 'a';
    case 'K':
    case 'k':
        return second == 'e';
    default:
        return false;
    }
}
