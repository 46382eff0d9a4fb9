/* Strings: codes and their pattern, categories, words for no value; private columns.
 *
 * Codes stay text: leading zeros anywhere; a name that says code and values of one shape; nine digits or
 * more of one width; values of a code list. 31.71 is a number in `luas` and a code in `kode_wilayah`. A
 * column with NIK, NPWP, telephone numbers or e-mail addresses anywhere is private until somebody decides
 * otherwise; so is one with such a name, and names of persons. */

#include "repair/draft/draft_internal.h"
#include "words/draft.h"

/* A name that says code, and values of one shape: digits with points or dashes stay text, even if they look
 * like a number. */
bool column_is_code(const struct column *c)
{
    bool fixed = !c->shape.none && c->shape.n > 0;
    for (uint32_t i = 0; fixed && i < c->shape.n; i++)
        fixed = c->shape.run[i].least == c->shape.run[i].most || c->shape.n > 3;
    if (c->reference != NULL || c->leading_zero > 0)
        return true;
    if (!fixed)
        return false;
    if (odp_name_has(c->name, "kode kd code kodepos npsn nik nip npwp nib kbli klu siup kk telp telepon hp "
                              "handphone rt rw zip postcode fips iso hasc"))
        return c->shape.n > 1 || c->shape.run[0].least > 1;
    if (c->shape.n == 1 && c->shape.run[0].kind == '9' && c->shape.run[0].least >= 9 && c->cells >= 5)
        return true; /* not all amounts have nine digits or more */
    return c->shape.n == 3 && c->shape.run[1].kind == '.' && c->shape.run[0].kind == '9' &&
           c->shape.run[0].least == 2 && c->shape.run[2].least == 2 &&
           odp_name_has(c->name, "wilayah kabkota kab kabupaten kota bps kemendagri");
}

/* A shape for a pattern: it has digits, letters of fixed length, and varies little. */
static bool has_pattern(const struct column *c, uint64_t n)
{
    bool digits = false;
    if (c->shape.none || c->shape.n == 0 || n < 2 || c->multiline > 0 || c->tokens > 0)
        return false;
    if (c->shape.n == 1 && c->shape.run[0].kind == 'A')
        return n >= 5 && c->shape.run[0].most >= 2 && c->shape.run[0].most <= 4 &&
               c->shape.run[0].least == c->shape.run[0].most;
    for (uint32_t i = 0; i < c->shape.n; i++) {
        const struct run *r = &c->shape.run[i];
        if (r->kind == '9' && r->most - r->least <= 6)
            digits = true;
        else if (r->least != r->most || r->kind == '9')
            return false;
        else if (r->kind == 'a' && r->most > 1)
            return false;
    }
    return digits;
}

static void decide_privacy(struct odp_draft *d, uint32_t i, uint64_t n)
{
    static const char *const names[ODP_PRIVACY_EMAIL + 1] = {"", "NIK", "NPWP", "telepon/telephone",
                                                             "e-mail"};
    static const struct odp_text options[2] = {{{W_draft_not_published_sdi_aksespublik_2}},
                                               {{W_draft_may_published_odp_privacy}}};
    struct column *c = &d->columns[i];
    enum odp_privacy_kind most = ODP_PRIVACY_NONE;
    for (int k = 1; k <= ODP_PRIVACY_EMAIL; k++)
        if (c->privacy[k] > c->privacy[most] || (most == ODP_PRIVACY_NONE && c->privacy[k] > 0))
            most = (enum odp_privacy_kind)k;
    if (c->private_cells > 0) {
        c->secret = true;
        (void)draft_doubt(
            d, DOUBT_PRIVATE, c, column_title(d, c, T(W_draft_personal_data)),
            draft_text(d, W_draft_values_hold_first_line,
                       ARGS(N(c->private_cells), N(n), C(names[most]), N(c->privacy_line[most]))),
            options);
    } else if (n > 0 && (odp_name_has(c->name, "nik ktp npwp telp telepon hp handphone email surel") ||
                         (odp_name_has(c->name, "nama name") &&
                          odp_name_has(c->name, "pelapor penerima pemilik lengkap ibu ayah pasien siswa "
                                                "warga responden penduduk pemohon")))) {
        c->secret = true;
        (void)draft_doubt(d, DOUBT_PRIVATE, c, column_title(d, c, T(W_draft_personal_data)),
                          draft_text(d, W_draft_label_says_personal_data_although, NULL), options);
    }
}

/* Words such as "tidak ada" are values of a text column; "-" and "NULL" hardly ever are. */
static void decide_words(struct odp_draft *d, uint32_t i)
{
    static const struct odp_text none[2] = {{{W_draft_no_value_missingvalues}}, {{W_draft_a_value}}};
    static const struct odp_text fault[2] = {{{W_draft_no_value_missingvalues}}, {{W_draft_fault_data}}};
    static const struct odp_text value[2] = {{{W_draft_a_value}}, {{W_draft_no_value_missingvalues}}};
    struct column *c = &d->columns[i];
    for (int t = 0; t < TOKENS; t++) {
        uint64_t bit = UINT64_C(1) << t;
        if ((c->missing & bit) == 0)
            continue;
        bool word = t >= SURE || strcmp(draft_tokens[t], "na") == 0 || strcmp(draft_tokens[t], "none") == 0 ||
                    strcmp(draft_tokens[t], "nil") == 0 || strcmp(draft_tokens[t], "*") == 0;
        if (c->type == ODP_TYPE_STRING && word)
            c->missing &= ~bit;
        const bool text = c->type == ODP_TYPE_STRING;
        struct odp_doubt *q = draft_doubt(
            d, DOUBT_MISSING, c, draft_text(d, W_draft_what_means, ARGS(C(c->name), C(draft_tokens[t]))),
            draft_text(d, W_draft_cells_first_line, ARGS(N(c->token[t]), N(c->token_line[t]))),
            !text                     ? fault
            : (c->missing & bit) != 0 ? none
                                      : value);
        q->detail = t;
    }
}

static struct odp_slice small_text(const struct column *c, uint32_t i)
{
    return (struct odp_slice){c->small[i].text, c->small[i].len};
}

/* Few values, each many times. Reports two that differ only in case: one of them is wrong. */
static void decide_categories(struct odp_draft *d, uint32_t i, uint64_t n)
{
    struct column *c = &d->columns[i];
    uint32_t values = 0;
    for (uint32_t k = 0; k < c->nsmall; k++)
        values += !column_null(c, small_text(c, k));
    if (c->small_over || values < 2 || values > 12 || n < 20 || n < (uint64_t)values * 8 || c->longest > 40 ||
        odp_name_has(
            c->name,
            "nama name desa kelurahan kecamatan kabupaten kota provinsi keterangan uraian catatan alamat") ||
        c->reference != NULL || c->secret)
        return;
    c->categories = true;
    for (uint32_t a = 0; a < c->nsmall; a++)
        for (uint32_t b = a + 1; b < c->nsmall; b++) {
            struct odp_slice x = small_text(c, a), y = small_text(c, b);
            if (!odp_slice_alike(x, y))
                continue;
            draft_note(
                d, c, T(W_draft_two_spellings_one_category), T(W_draft_times_times),
                ARGS(S(draft_shown(d, x)), N(c->small[a].count), S(draft_shown(d, y)), N(c->small[b].count)));
        }
}

static void note_reference(struct odp_draft *d, uint32_t i)
{
    static const struct odp_text options[2] = {{{W_draft_yes_check_against_list}}, {{W_draft_no}}};
    struct column *c = &d->columns[i];
    if (c->nhits == 0)
        return;
    const struct hit *h = &c->hit[0];
    bool same = c->reference == NULL && column_same_table(d, c);
    struct odp_text title = draft_text(d, W_draft_reference_to, ARGS(C(c->name), C(h->target->label)));
    struct odp_text evidence = draft_text(d, W_draft_distinct_values,
                                          ARGS(N(h->common), N(c->distinct.n), C(h->target->label),
                                               C(h->target->resource->schema.fields[h->target->field].name)));
    for (uint32_t k = 1; k < c->nhits; k++)
        evidence = draft_join(
            d, evidence, draft_text(d, W_draft_in, ARGS(N(c->hit[k].common), C(c->hit[k].target->label))));
    if (same)
        evidence = draft_join(
            d, evidence, draft_text(d, W_draft_perhaps_file_dataset_odp_build, ARGS(C(h->target->label))));
    if (c->reference != NULL && h->common < c->distinct.n)
        (void)draft_doubt(d, DOUBT_REFERENCE, c, title, evidence, options);
    else if (c->reference == NULL)
        (void)draft_doubt(d, DOUBT_NOTE, c, title, evidence, NULL);
    c->evidence = evidence;
}

/* Reports codes of regions that no list of the catalogue has. */
static void note_region(struct odp_draft *d, uint32_t i)
{
    struct column *c = &d->columns[i];
    bool dotted = c->shape.n >= 3 && c->shape.run[0].kind == '9' && c->shape.run[1].kind == '.' &&
                  c->shape.run[0].least == 2 && c->shape.run[0].most == 2;
    bool plain =
        c->shape.n == 1 && c->shape.run[0].kind == '9' &&
        (c->shape.run[0].most == 2 || c->shape.run[0].most == 4 || c->shape.run[0].most == 6 ||
         c->shape.run[0].most == 10) &&
        c->shape.run[0].least == c->shape.run[0].most &&
        odp_name_has(c->name,
                     "wilayah prov provinsi kab kabkota kabupaten kec kecamatan desa kel kelurahan bps");
    if (c->shape.none || c->nhits > 0 || !(dotted || plain) || c->secret)
        return;
    draft_note(d, c, T(W_draft_codes_regions), T(W_draft_they_have_form_region_codes), NULL);
}

void column_text(struct odp_draft *d, uint32_t i, uint64_t n)
{
    struct column *c = &d->columns[i];
    decide_privacy(d, i, n);
    decide_words(d, i);
    if (c->type != ODP_TYPE_STRING) {
        if (c->type == ODP_TYPE_INTEGER && c->longest > 1 &&
            odp_name_has(c->name, "kode kd code kodepos npsn nib"))
            draft_note(d, c, T(W_draft_codes_stored_numbers), T(W_draft_zeros_front_may_have_been), NULL);
        c->reference = NULL;
        return;
    }
    n = column_values(c);
    c->evidence = draft_text(d, W_draft_text, NULL);
    if (n == 0) {
        c->evidence = draft_text(d, W_draft_all_cells_empty, NULL);
        return;
    }
    c->pattern = has_pattern(c, n);
    if (c->leading_zero > 0)
        c->evidence = draft_text(d, W_draft_codes_values_have_leading_zeros, ARGS(N(c->leading_zero)));
    else if (c->pattern)
        c->evidence = draft_text(d, W_draft_codes_all_values_have_same, NULL);
    if (c->native != 0)
        draft_note(d, c, T(W_draft_codes_stored_numbers), T(W_draft_zeros_front_may_have_been), NULL);
    if (c->uri == n)
        c->format = "uri";
    else if (c->privacy[ODP_PRIVACY_EMAIL] == n && c->private_cells == n)
        c->format = "email";
    note_reference(d, i);
    note_region(d, i);
    decide_categories(d, i, n);
    /* Nearly a number or a date: reported, so that nobody wonders. */
    uint64_t best = 0, dates = 0;
    for (int k = 0; k < FORMS; k++)
        best = c->form[k] > best ? c->form[k] : best;
    for (int p = 0; p < PATTERNS; p++)
        dates = c->date[p] > dates ? c->date[p] : dates;
    if (!column_is_code(c) && best * 2 > n && best < n)
        draft_note(d, c, T(W_draft_text_numbers), T(W_draft_values_numbers_rest_not_stays),
                   ARGS(N(best), N(n)));
    else if (dates > 0 && odp_name_has(c->name, "tanggal tgl date"))
        draft_note(d, c, T(W_draft_text_dates), T(W_draft_dates_in_several_forms), ARGS(N(dates), N(n)));
}
