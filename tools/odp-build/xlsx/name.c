/* Names of sheets. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "xlsx/book.h"

enum {
    NAME_UNITS = 31,
    NAME_BYTES = 90
}; /* the library cuts defined names at 127 bytes, the sheet's name is a part of them */

static bool is_used(const char *name, const struct odp_book *b, const char *const *taken, size_t n)
{
    for (size_t i = 0; i < b->nsheets; i++)
        if (strcasecmp(b->sheets[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(taken[i], name) == 0)
            return true;
    return strcasecmp(name, "History") == 0; /* Excel's own */
}

/* The name in B without its last character, where it is longer than BYTES. */
static void cut_bytes(struct odp_buffer *b, size_t bytes)
{
    b->len = odp_utf8_cut(odp_buffer_slice(b), bytes).len;
    while (b->len > 0 && b->ptr[b->len - 1] == ' ')
        b->len--;
}

/* Back to the end of a word, where that leaves enough. */
static void cut_word(struct odp_buffer *b)
{
    size_t len = b->len;
    while (len > 0 && b->ptr[len - 1] != ' ')
        len--;
    if (len > NAME_UNITS / 2)
        b->len = len - 1;
}

char *odp_book_sheet_name(const struct odp_book *book, const char *title, unsigned part,
                          const char *const *taken, size_t n)
{
    static const char forbidden[] =
        "[]:*?/\\'"; /* the apostrophe only at either end; without it formulas need no care */
    struct odp_buffer b = {0}, whole = {0};
    odp_xlsx_add_line(&whole, title, forbidden, 1024);
    for (unsigned k = part;; k++) {
        char suffix[16] = "";
        if (k > 1)
            (void)snprintf(suffix, sizeof suffix, " (%u)", k);
        odp_buffer_clear(&b);
        odp_xlsx_add_line(&b, title, forbidden, NAME_UNITS - strlen(suffix));
        cut_bytes(&b, NAME_BYTES);
        if (b.len < whole.len && whole.ptr[b.len] != ' ')
            cut_word(&b);
        if (b.len == 0)
            odp_buffer_add_str(&b, "Data");
        odp_buffer_add_str(&b, suffix);
        if (b.failed || !is_used(odp_buffer_cstr(&b), book, taken, n))
            break;
        k = k == 0 ? 1 : k;
    }
    book->arena->failed |= whole.failed;
    odp_buffer_release(&whole);
    return odp_buffer_keep(&b, book->arena);
}
