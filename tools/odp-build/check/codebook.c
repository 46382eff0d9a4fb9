#include "check/codebook.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/room.h"
#include "catalog/catalog.h"

struct entry {
    struct odp_code_facts facts;
    struct odp_slice folded[2]; /* labels as fold_label has them; made with the index */
};

enum kind {
    BY_CODE,
    BY_LABEL,
    BY_NAME /* the label without its title */,
    BY_EXACT,
    BY_NUMBERS /* zeros in front of numbers aside */
};

struct key {
    uint64_t hash;
    uint32_t entry;
    uint32_t kind;
};

struct odp_codebook {
    struct odp_arena arena;
    struct entry *entries;
    size_t n, cap;
    bool full;
    pthread_mutex_t lock; /* of what follows, until it is made */
    bool indexed;
    struct key *keys;
    size_t nkeys;
};

enum odp_status odp_codebook_new(struct odp_codebook **out)
{
    struct odp_codebook *b = calloc(1, sizeof *b);
    if (b == NULL || pthread_mutex_init(&b->lock, NULL) != 0) {
        free(b);
        return odp_failure_memory();
    }
    *out = b;
    return ODP_OK;
}

void odp_codebook_free(struct odp_codebook *b)
{
    if (b == NULL)
        return;
    (void)pthread_mutex_destroy(&b->lock);
    odp_arena_release(&b->arena);
    free(b->entries);
    free(b->keys);
    free(b);
}

void odp_codebook_clear(struct odp_codebook *b)
{
    odp_arena_reset(&b->arena);
    free(b->keys);
    b->keys = NULL;
    b->n = b->nkeys = 0;
    b->full = b->indexed = false;
}

static struct odp_slice copy(struct odp_arena *a, struct odp_slice s)
{
    return s.ptr == NULL || s.len > ODP_FOLD_SIZE ? (struct odp_slice){NULL, 0} : odp_arena_copy(a, s);
}

enum odp_status odp_codebook_add(struct odp_codebook *b, const struct odp_code_facts *facts)
{
    if (b->full || facts->code.ptr == NULL || facts->code.len > ODP_FOLD_SIZE)
        return ODP_OK;
    if (b->n == ODP_CODEBOOK_MAX) {
        odp_codebook_clear(b);
        b->full = true;
        return ODP_OK;
    }
    if (!odp_room(b->entries, b->n, b->cap))
        return ODP_FAIL;
    struct entry *e = &b->entries[b->n++];
    *e = (struct entry){.facts = *facts};
    e->facts.code = copy(&b->arena, facts->code);
    e->facts.label = copy(&b->arena, facts->label);
    e->facts.other_label = copy(&b->arena, facts->other_label);
    e->facts.successor = copy(&b->arena, facts->successor);
    return ODP_OK;
}

bool odp_codebook_is_full(const struct odp_codebook *b)
{
    return b->full;
}

size_t odp_codebook_size(const struct odp_codebook *b)
{
    return b->n;
}

/* ---- forms ---- */

static char fold(char ch)
{
    if (ch >= 'A' && ch <= 'Z')
        return (char)(ch - 'A' + 'a');
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || (unsigned char)ch >= 0x80 ? ch : '\0';
}

size_t odp_fold_code(struct odp_slice s, char out[ODP_FOLD_SIZE])
{
    size_t n = 0;
    for (size_t k = 0; k < s.len; k++) {
        if (s.len - k >= 2 && s.ptr[k] == '\xC2' &&
            s.ptr[k + 1] == '\xA0') { /* a no-break space is a space */
            k++;
            continue;
        }
        char ch = fold(s.ptr[k]);
        if (ch == '\0')
            continue;
        if (n == ODP_FOLD_SIZE)
            return 0;
        out[n++] = ch;
    }
    return n;
}

/* Letters, and numbers without the zeros in front of them: K-1 is K-01. Two numbers stay two. */
static size_t fold_numbers(struct odp_slice s, char out[2 * ODP_FOLD_SIZE])
{
    size_t n = 0, k = 0;
    bool digit_before = false;
    while (k < s.len && n + 2 < 2 * ODP_FOLD_SIZE) {
        char ch = fold(s.ptr[k]);
        if (ch < '0' || ch > '9') {
            digit_before = digit_before && ch == '\0';
            if (ch != '\0')
                out[n++] = ch;
            k++;
            continue;
        }
        if (digit_before)
            out[n++] = '.';
        while (k + 1 < s.len && s.ptr[k] == '0' && s.ptr[k + 1] >= '0' && s.ptr[k + 1] <= '9')
            k++;
        while (k < s.len && s.ptr[k] >= '0' && s.ptr[k] <= '9' && n + 1 < 2 * ODP_FOLD_SIZE)
            out[n++] = s.ptr[k++];
        digit_before = true;
    }
    return k == s.len ? n : 0;
}

/* Words in front of a region's name; those that add nothing become "". */
static const struct {
    const char *word, *as;
} titles[] = {{"kabupaten", "kabupaten"}, {"kab", "kabupaten"},       {"kota", "kota"},
              {"kodya", "kota"},          {"kotamadya", "kota"},      {"provinsi", "provinsi"},
              {"propinsi", "provinsi"},   {"prov", "provinsi"},       {"kecamatan", "kecamatan"},
              {"kec", "kecamatan"},       {"kelurahan", "kelurahan"}, {"kel", "kelurahan"},
              {"desa", "desa"},           {"administrasi", ""},       {"adm", ""}};

/* The title that WORD is, or NULL. */
static const char *title_of(struct odp_slice word)
{
    for (size_t k = 0; k < ODP_COUNT(titles); k++)
        if (odp_slice_is(word, titles[k].word))
            return titles[k].as;
    return NULL;
}

/* odp_fold_code with the titles of regions in one writing in front: kab. and kabupaten, kota adm. and kota.
 * *TITLE: its length, 0 without. */
static size_t fold_label(struct odp_slice s, char out[2 * ODP_FOLD_SIZE], size_t *title)
{
    size_t n = 0, at = 0;
    *title = 0;
    while (at < s.len) {
        char word[16];
        size_t len = 0, end = at;
        while (end < s.len && fold(s.ptr[end]) != '\0' && len < sizeof word)
            word[len++] = fold(s.ptr[end++]);
        const char *as = title_of((struct odp_slice){word, len});
        if (len > 0 && as == NULL)
            break; /* the name begins */
        if (len > 0) {
            size_t add = strlen(as);
            memcpy(out + n, as, add); /* a handful of titles at most: see the limit below */
            n += add;
            if (n > ODP_FOLD_SIZE / 2)
                return 0;
            *title = n;
        }
        at = len > 0 ? end : end + 1;
    }
    size_t rest = odp_fold_code((struct odp_slice){s.ptr + at, s.len - at}, out + n);
    return rest > 0 && n + rest <= ODP_FOLD_SIZE ? n + rest : 0;
}

int odp_nearest_one(struct odp_slice s, const struct odp_slice *texts, size_t n, size_t *at)
{
    static const size_t longest[] = {3, 6, 12}; /* without an edit, with one, with two */
    size_t most = 0;
    while (most < ODP_COUNT(longest) && s.len > longest[most])
        most++;
    for (size_t d = 1; d <= most; d++) {
        int found = 0;
        for (size_t i = 0; i < n && found < 2; i++) {
            if (texts[i].len > s.len + 4 * d || texts[i].len + 4 * d < s.len ||
                odp_nearest(s, &texts[i], 1, d) != 0)
                continue;
            if (found == 1 && odp_slice_eq(texts[i], texts[*at]))
                continue;
            *at = i;
            found++;
        }
        if (found > 0)
            return found;
    }
    return 0;
}

/* ---- the index ---- */

static uint64_t hash_of(struct odp_slice s, enum kind kind)
{
    uint64_t h = 0xCBF29CE484222325u + (uint64_t)kind;
    for (size_t k = 0; k < s.len; k++)
        h = (h ^ (unsigned char)s.ptr[k]) * 0x100000001B3u; /* FNV-1a */
    return h ^ h >> 29;
}

static int by_hash(const void *pa, const void *pb)
{
    const struct key *a = pa, *b = pb;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

static void add_key(struct odp_codebook *b, size_t entry, enum kind kind, struct odp_slice s)
{
    if (s.len > 0)
        b->keys[b->nkeys++] = (struct key){hash_of(s, kind), (uint32_t)entry, kind};
}

static bool index_entry(struct odp_codebook *b, size_t i)
{
    struct entry *e = &b->entries[i];
    char out[2 * ODP_FOLD_SIZE];
    add_key(b, i, BY_EXACT, e->facts.code);
    add_key(b, i, BY_CODE, (struct odp_slice){out, odp_fold_code(e->facts.code, out)});
    add_key(b, i, BY_NUMBERS, (struct odp_slice){out, fold_numbers(e->facts.code, out)});
    const struct odp_slice labels[2] = {e->facts.label, e->facts.other_label};
    for (size_t k = 0; k < 2; k++) {
        size_t title = 0, n = labels[k].len > 0 && labels[k].len < ODP_FOLD_SIZE / 2
                                  ? fold_label(labels[k], out, &title)
                                  : 0;
        e->folded[k] = (struct odp_slice){"", 0};
        if (n == 0)
            continue;
        e->folded[k] = odp_arena_copy(&b->arena, (struct odp_slice){out, n});
        add_key(b, i, BY_LABEL, e->folded[k]);
        add_key(b, i, BY_NAME, (struct odp_slice){out + title, n - title});
    }
    return true;
}

/* Built once; false when out of memory. */
static bool is_indexed(struct odp_codebook *b)
{
    (void)pthread_mutex_lock(&b->lock);
    if (!b->indexed && b->n > 0) {
        b->nkeys = 0;
        b->keys = calloc(7 * b->n, sizeof *b->keys);
        bool made = b->keys != NULL || odp_failure_memory() == ODP_OK;
        for (size_t i = 0; i < b->n && made; i++)
            made = index_entry(b, i);
        if (made)
            qsort(b->keys, b->nkeys, sizeof *b->keys, by_hash);
        b->indexed = made;
    }
    bool made = b->indexed;
    (void)pthread_mutex_unlock(&b->lock);
    return made;
}

/* Whether label K of an entry is found under TEXT as KIND; has it a title? */
static bool has_form(const struct entry *e, enum kind kind, struct odp_slice text, bool untitled)
{
    char out[2 * ODP_FOLD_SIZE];
    size_t title;
    if (kind == BY_EXACT)
        return odp_slice_eq(e->facts.code, text);
    if (kind == BY_CODE)
        return odp_slice_eq((struct odp_slice){out, odp_fold_code(e->facts.code, out)}, text);
    if (kind == BY_NUMBERS)
        return odp_slice_eq((struct odp_slice){out, fold_numbers(e->facts.code, out)}, text);
    const struct odp_slice labels[2] = {e->facts.label, e->facts.other_label};
    for (size_t k = 0; k < 2; k++) {
        if (e->folded[k].len == 0)
            continue;
        size_t n = fold_label(labels[k], out, &title);
        struct odp_slice s =
            kind == BY_LABEL ? (struct odp_slice){out, n} : (struct odp_slice){out + title, n - title};
        if (odp_slice_eq(s, text) && (!untitled || title == 0))
            return true;
    }
    return false;
}

static int look_up(struct odp_codebook *b, enum kind kind, struct odp_slice text, bool untitled,
                   const struct entry **out)
{
    uint64_t hash = hash_of(text, kind);
    size_t low = 0, high = b->nkeys;
    int found = 0;
    if (text.len == 0)
        return 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (b->keys[mid].hash < hash)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < b->nkeys && b->keys[low].hash == hash && found < 2; low++) {
        const struct entry *e = &b->entries[b->keys[low].entry];
        if (b->keys[low].kind != (uint32_t)kind || !has_form(e, kind, text, untitled))
            continue;
        if (found == 1 && odp_slice_eq((*out)->facts.code, e->facts.code))
            continue;
        *out = e;
        found++;
    }
    return found;
}

int odp_codebook_find(struct odp_codebook *b, struct odp_slice text, enum odp_code_form form,
                      struct odp_slice *out)
{
    char folded[2 * ODP_FOLD_SIZE];
    const struct entry *e = NULL;
    size_t title;
    if (text.len >= ODP_FOLD_SIZE / 2 || !is_indexed(b))
        return 0;
    int found;
    if (form == ODP_CODE_FORM_CODE) {
        found = look_up(b, BY_CODE, (struct odp_slice){folded, odp_fold_code(text, folded)}, false, &e);
        if (found == 0)
            found = look_up(b, BY_NUMBERS, (struct odp_slice){folded, fold_numbers(text, folded)}, false, &e);
    } else {
        size_t n = fold_label(text, folded, &title);
        found = look_up(b, BY_LABEL, (struct odp_slice){folded, n}, false, &e);
        if (found == 0 && n > title) /* a title is left out on one side only: never "Kota" for "Kabupaten" */
            found = look_up(b, BY_NAME, (struct odp_slice){folded + title, n - title}, title > 0, &e);
    }
    if (found == 1)
        *out = e->facts.code;
    return found;
}

int odp_codebook_successor(struct odp_codebook *b, struct odp_slice text, struct odp_slice *out)
{
    const struct entry *e = NULL;
    if (!is_indexed(b) || look_up(b, BY_EXACT, text, false, &e) != 1 || e->facts.successor.len == 0)
        return 0;
    *out = e->facts.successor;
    return 1;
}

int odp_codebook_nearest(struct odp_codebook *b, struct odp_slice text, enum odp_code_form form,
                         struct odp_slice *out)
{
    char folded[2 * ODP_FOLD_SIZE];
    size_t title, found_at = 0;
    if (text.len >= ODP_FOLD_SIZE / 2 || !is_indexed(b))
        return 0;
    struct odp_slice s = text;
    if (form == ODP_CODE_FORM_LABEL)
        s = (struct odp_slice){folded, fold_label(text, folded, &title)};
    static const size_t one_more_from[] = {4, 7, 13}; /* bytes; so many letters may differ */
    size_t most = 0;
    while (most < ODP_COUNT(one_more_from) && s.len >= one_more_from[most])
        most++;
    for (size_t d = 1; d <= most; d++) {
        int found = 0;
        for (size_t i = 0; i < b->n && found < 2; i++) {
            const struct entry *e = &b->entries[i];
            const struct odp_slice forms[2] = {form == ODP_CODE_FORM_LABEL ? e->folded[0] : e->facts.code,
                                               form == ODP_CODE_FORM_LABEL ? e->folded[1]
                                                                           : (struct odp_slice){"", 0}};
            bool near = false;
            for (size_t k = 0; k < 2 && !near; k++)
                near = forms[k].len > 0 && forms[k].len <= s.len + 4 * d && s.len <= forms[k].len + 4 * d &&
                       odp_same_digits(s, forms[k]) && odp_nearest(s, &forms[k], 1, d) == 0;
            if (!near || (found == 1 && odp_slice_eq(e->facts.code, b->entries[found_at].facts.code)))
                continue;
            found_at = i;
            found++;
        }
        if (found == 1)
            *out = b->entries[found_at].facts.code;
        if (found > 0)
            return found;
    }
    return 0;
}
