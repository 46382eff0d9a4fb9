/* Booleans in other words, categories and enumerations written differently, text with a fixed form. */
#include "base/ascii.h"
#include "base/utf8.h"
#include "base/white_space.h"
#include "check/proposals/proposals_internal.h"

/* ---- booleans ---- */

/* "t" may be true or tidak, "-" may be no or nothing: they are left alone. */
void odp_propose_boolean(struct odp_proposer *p)
{
    static const char *const yes[] = {"ya",   "y",   "yes",   "true",         "benar",        "1",
                                      "ada",  "iya", "betul", "\xE2\x88\x9A", "\xE2\x9C\x93", "\xE2\x9C\x94",
                                      "sudah"};
    static const char *const no[] = {"tidak", "no",  "n",     "false", "salah", "0",     "tidakada",
                                     "tdk",   "tak", "bukan", "f",     "belum", "tdkada"};
    char folded[ODP_FOLD_SIZE];
    struct odp_slice s = {folded, p->text.len < ODP_FOLD_SIZE ? odp_fold_code(p->text, folded) : 0};
    if (odp_slice_is(s, "10") || odp_slice_is(s, "00")) /* 1.0 and 0,0: booleans that went through numbers */
        s.len = 1;
    for (size_t k = 0; k < ODP_COUNT(yes) && p->f->true_values.n > 0; k++)
        if (odp_slice_is(s, yes[k]))
            odp_offer(p, p->f->true_values.item[0]);
    for (size_t k = 0; k < ODP_COUNT(no) && p->f->false_values.n > 0; k++)
        if (odp_slice_is(s, no[k]))
            odp_offer(p, p->f->false_values.item[0]);
}

/* ---- choices ---- */

static bool same_fold(struct odp_slice a, struct odp_slice b)
{
    char x[ODP_FOLD_SIZE], y[ODP_FOLD_SIZE];
    if (a.len >= ODP_FOLD_SIZE || b.len >= ODP_FOLD_SIZE)
        return false;
    size_t n = odp_fold_code(a, x), m = odp_fold_code(b, y);
    return n > 0 && n == m && memcmp(x, y, n) == 0;
}

/* Without "1." "a)" or "-" in front. */
static struct odp_slice without_number(struct odp_slice s)
{
    size_t k = 0;
    while (k < s.len && k < 3 && odp_is_digit(s.ptr[k]))
        k++;
    if (k == 0 && s.len > 1 && ((s.ptr[0] | 0x20) >= 'a' && (s.ptr[0] | 0x20) <= 'z') &&
        (s.ptr[1] == '.' || s.ptr[1] == ')'))
        k = 1;
    bool marked = k < s.len && (s.ptr[k] == '.' || s.ptr[k] == ')' || s.ptr[k] == '-');
    return marked && k + 1 < s.len ? odp_trim_unicode((struct odp_slice){s.ptr + k + 1, s.len - k - 1}) : s;
}

static void offer_same(struct odp_proposer *p, struct odp_slice text)
{
    for (size_t k = 0; k < p->f->ncategories; k++)
        if (same_fold(text, p->f->categories[k].value))
            odp_offer(p, p->f->categories[k].value);
    for (size_t k = 0; k < p->f->constraints.enumeration.n; k++)
        if (same_fold(text, p->f->constraints.enumeration.item[k]))
            odp_offer(p, p->f->constraints.enumeration.item[k]);
}

static void offer_label(struct odp_proposer *p, struct odp_slice text)
{
    for (size_t k = 0; k < p->f->ncategories; k++)
        for (size_t lang = 0; lang < ODP_LANGS; lang++)
            if (p->f->categories[k].label.in[lang] != NULL &&
                same_fold(text, odp_slice_of(p->f->categories[k].label.in[lang])))
                odp_offer(p, p->f->categories[k].value);
}

static bool has_digit(struct odp_slice s)
{
    for (size_t k = 0; k < s.len; k++)
        if (odp_is_digit(s.ptr[k]))
            return true;
    return false;
}

/* Small letters, for case is no distance; the nearest alone. A value with digits is no slip for one with
 * others. */
static void offer_nearest(struct odp_proposer *p)
{
    enum { MOST = 2000 };
    size_t n = p->f->ncategories > 0 ? p->f->ncategories : p->f->constraints.enumeration.n, at;
    if (n == 0 || n > MOST || has_digit(p->text) || !odp_may_search(p, n))
        return;
    struct odp_slice *folded = odp_arena_array(p->arena, n, sizeof *folded);
    char *room = odp_arena_array(p->arena, n + 1, ODP_FOLD_SIZE);
    for (size_t k = 0; k < n; k++) {
        struct odp_slice s =
            p->f->ncategories > 0 ? p->f->categories[k].value : p->f->constraints.enumeration.item[k];
        char *out = room + k * ODP_FOLD_SIZE;
        folded[k] = (struct odp_slice){out, s.len < ODP_FOLD_SIZE ? odp_fold_code(s, out) : 0};
    }
    char *own = room + n * ODP_FOLD_SIZE;
    struct odp_slice s = {own, p->text.len < ODP_FOLD_SIZE ? odp_fold_code(p->text, own) : 0};
    if (odp_nearest_one(s, folded, n, &at) == 1)
        odp_offer(p, p->f->ncategories > 0 ? p->f->categories[at].value
                                           : p->f->constraints.enumeration.item[at]);
}

void odp_propose_choice(struct odp_proposer *p)
{
    struct odp_slice texts[2] = {p->text, without_number(p->text)};
    if (p->f->ncategories == 0 && p->f->constraints.enumeration.n == 0)
        return;
    for (size_t k = 0; k < 2 && !odp_settled(p); k++) {
        offer_same(p, texts[k]);
        if (!odp_settled(p))
            offer_label(p, texts[k]);
    }
    if (!odp_settled(p))
        offer_nearest(p);
}

/* ---- forms of text ---- */

/* One letter of case for all of it. */
static struct odp_slice recased(struct odp_proposer *p, struct odp_slice s, bool upper)
{
    struct odp_slice copy = odp_propose_copy(p, s);
    char *out = (char *)copy.ptr; /* our own */
    for (size_t k = 0; k < copy.len; k++) {
        if (upper && out[k] >= 'a' && out[k] <= 'z')
            out[k] = (char)(out[k] - 'a' + 'A');
        else if (!upper && out[k] >= 'A' && out[k] <= 'Z')
            out[k] = (char)(out[k] - 'A' + 'a');
    }
    return copy;
}

/* Letters that were typed for digits, and commas for points. */
static struct odp_slice digits_alike(struct odp_proposer *p, struct odp_slice s)
{
    struct odp_slice copy = odp_propose_copy(p, s);
    char *out = (char *)copy.ptr;
    for (size_t k = 0; k < copy.len; k++)
        out[k] = (char)(out[k] == 'O' || out[k] == 'o' ? '0' : out[k] == 'l' || out[k] == 'I' ? '1' : out[k]);
    return copy;
}

static bool is_mark(char ch)
{
    return ch == '.' || ch == '-' || ch == '/' || ch == '_' || ch == ' ' || ch == ',' || ch == ':';
}

/* Every mark of the text as MARK; '\0': without marks. */
static struct odp_slice remarked(struct odp_proposer *p, struct odp_slice s, char mark)
{
    struct odp_slice copy = odp_propose_copy(p, s);
    char *out = (char *)copy.ptr;
    size_t n = 0;
    for (size_t k = 0; k < copy.len; k++) {
        if (!is_mark(out[k]))
            out[n++] = out[k];
        else if (mark != '\0')
            out[n++] = mark;
    }
    copy.len = n;
    return copy;
}

/* One mark put in at any place: 3171 for 31.71. Where several places are right, nobody can tell. */
static void offer_inserted(struct odp_proposer *p, struct odp_slice s)
{
    static const char marks[] = {'.', '-', '/'};
    char out[40];
    if (s.len < 2 || s.len + 1 > sizeof out)
        return;
    for (size_t m = 0; m < sizeof marks; m++)
        for (size_t at = 1; at < s.len && !p->ambiguous; at++) {
            memcpy(out, s.ptr, at);
            out[at] = marks[m];
            memcpy(out + at + 1, s.ptr + at, s.len - at);
            odp_offer(p, odp_propose_copy(p, (struct odp_slice){out, s.len + 1}));
        }
}

static bool is_form(const struct odp_proposer *p)
{
    return p->f->constraints.pattern.ptr != NULL || odp_check_listed(p->c, p->field, p->text) >= 0;
}

/* A code with a fixed form (a pattern, or a list): case, marks, letters for digits. */
void odp_propose_string(struct odp_proposer *p)
{
    static const char marks[] = {'.', '-', '/', '_', ' '};
    struct odp_slice s = p->text;
    if (p->f->string_format == ODP_STRING_EMAIL || p->f->string_format == ODP_STRING_URI) {
        if (p->f->string_format == ODP_STRING_URI && s.len > 4 && (memcmp(s.ptr, "www.", 4) == 0)) {
            const char *with = odp_arena_printf(p->arena, "https://%.*s", (int)s.len, s.ptr);
            odp_offer(p, odp_slice_of(with));
        }
        return;
    }
    if (p->code == ODP_S03) {
        struct odp_slice whole = odp_propose_whole(p);
        odp_offer(p, whole);
        if (!odp_settled(p) && whole.ptr != NULL)
            offer_inserted(p, whole);
        return;
    }
    if (s.len > 64 || !is_form(p) || p->code == ODP_B04)
        return;
    odp_offer(p, recased(p, s, true));
    if (!odp_settled(p))
        odp_offer(p, recased(p, s, false));
    for (size_t k = 0; k < sizeof marks && !p->ambiguous; k++)
        odp_offer(p, remarked(p, s, marks[k]));
    if (!odp_settled(p))
        odp_offer(p, remarked(p, s, '\0'));
    if (!odp_settled(p))
        offer_inserted(p, s);
    if (!odp_settled(p))
        odp_offer(p, digits_alike(p, s));
    while (!odp_settled(p) && s.len > 1 && strchr(".,;:*", s.ptr[s.len - 1]) != NULL) {
        s.len--;
        odp_offer(p, s);
    }
}

/* ---- codes of a list ---- */

/* "31.71 - Jakarta Pusat", "Kota Jakarta Pusat (31.71)": a word that is a code by itself. */
static void offer_words(struct odp_proposer *p)
{
    struct odp_slice s = p->text;
    for (size_t k = 0; k < s.len;) {
        while (k < s.len && strchr(" ()[]:;|\t", s.ptr[k]) != NULL)
            k++;
        size_t start = k;
        while (k < s.len && strchr(" ()[]:;|\t", s.ptr[k]) == NULL)
            k++;
        if (k > start && k - start < s.len)
            odp_offer(p, odp_propose_copy(p, (struct odp_slice){s.ptr + start, k - start}));
    }
}

static void by_form(struct odp_proposer *p, struct odp_codebook *book, enum odp_code_form form)
{
    struct odp_slice code = {NULL, 0};
    int n = odp_codebook_find(book, p->text, form, &code);
    if (n == 1)
        odp_offer(p, code);
    else if (n == 2)
        p->ambiguous = true;
}

static void nearest(struct odp_proposer *p, struct odp_codebook *book, enum odp_code_form form)
{
    struct odp_slice code = {NULL, 0};
    if (odp_may_search(p, odp_codebook_size(book)) && odp_codebook_nearest(book, p->text, form, &code) == 1)
        odp_offer(p, code);
}

static void of_list(struct odp_proposer *p, const struct odp_foreign_key *fk, struct odp_codebook *book)
{
    struct odp_slice successor = odp_keyring_successor(p->c->v->keys, fk, p->text);
    if (successor.ptr != NULL)
        odp_offer(p, successor);
    if (!odp_settled(p))
        by_form(p, book, ODP_CODE_FORM_CODE);
    if (!odp_settled(p))
        offer_words(p);
    if (!odp_settled(p))
        by_form(p, book, ODP_CODE_FORM_LABEL);
    if (!odp_settled(p))
        odp_propose_string(p);
    if (!odp_settled(p) && p->text.len <= 64)
        nearest(p, book, ODP_CODE_FORM_CODE);
    if (!odp_settled(p) && p->text.len >= 6)
        nearest(p, book, ODP_CODE_FORM_LABEL);
}

void odp_propose_code(struct odp_proposer *p)
{
    const struct odp_resource *r = p->c->v->resource;
    for (size_t k = 0; k < r->nforeign && !odp_settled(p); k++) {
        const struct odp_foreign_key *fk = &r->foreign[k];
        if (fk->local.n != 1 || fk->local.fields[0] != p->field ||
            odp_keyring_get(p->c->v->keys, fk->target) != ODP_KEYS_READY)
            continue;
        struct odp_codebook *book = odp_keyring_book(p->c->v->keys, fk);
        if (book != NULL)
            of_list(p, fk, book);
    }
}

/* ---- points ---- */

/* Two numbers: with decimal commas, another separator, or latitude first. */
void odp_propose_point(struct odp_proposer *p)
{
    struct odp_slice s = p->text, part[2] = {{NULL, 0}, {NULL, 0}};
    char out[96];
    size_t n = 0, parts = 0;
    if (p->f->geopoint_format == ODP_GEOPOINT_OBJECT || s.len + 8 > sizeof out)
        return;
    bool semicolon = memchr(s.ptr, ';', s.len) != NULL, space = memchr(s.ptr, ' ', s.len) != NULL;
    for (size_t k = 0; k <= s.len; k++) { /* the parts one after the other in OUT */
        char ch = k < s.len ? s.ptr[k] : '\0';
        bool end =
            ch == '\0' || ch == ';' ||
            (!semicolon && (ch == ' ' || (ch == ',' && (!space || (k + 1 < s.len && s.ptr[k + 1] == ' ')))));
        if (!end) {
            if (ch != ' ' && ch != '[' && ch != ']' && ch != '(' && ch != ')')
                out[n++] = ch == ',' ? '.' : ch;
            continue;
        }
        size_t start = part[0].ptr != NULL ? part[0].len : 0;
        if (n == start)
            continue;
        if (parts == 2)
            return;
        part[parts++] = (struct odp_slice){out + start, n - start};
    }
    if (parts != 2)
        return;
    for (int swap = 0; swap < 2 && !odp_settled(p); swap++) {
        struct odp_slice a = part[swap], b = part[1 - swap];
        const char *text = odp_arena_printf(
            p->arena, p->f->geopoint_format == ODP_GEOPOINT_ARRAY ? "[%.*s,%.*s]" : "%.*s,%.*s", (int)a.len,
            a.ptr, (int)b.len, b.ptr);
        odp_offer(p, odp_slice_of(text));
    }
}
