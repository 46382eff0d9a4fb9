/* The writers' fast path against plain loops: every length around the widths of vectors, random and
 * adversarial cells, each text at the very end of memory that ends there (AddressSanitizer sees a byte too
 * many). */
#include "emit_fixture.h"
#include "random.h"

#include "base/json.h"
#include "base/put.h"
#include "write/record.h"

static odp_bytes16 is_x(odp_bytes16 v)
{
    return (odp_bytes16)(v == ODP_EVERY16('x'));
}

TEST(put)
{
    char out[160];
    for (size_t n = 0; n <= 100; n++) {
        char *text = malloc(n + 1);
        assert_non_null(text);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('A' + i % 23);
        for (size_t at = 0; at <= n; at++) { /* at == n: nothing is looked for */
            if (at < n)
                text[at] = 'x';
            memset(out, '#', sizeof out);
            struct odp_slice s = {text, n};
            odp_bytes16 seen = {0};
            char *exact = malloc(n > 0 ? n : 1); /* nothing is written after it */
            assert_non_null(exact);
            assert_ptr_equal(odp_put(exact, s), exact + n);
            if (n > 0)
                assert_memory_equal(exact, text, n);
            memset(exact, 0, n);
            assert_ptr_equal(odp_put_seen(exact, s, &seen, is_x), exact + n);
            if (n > 0)
                assert_memory_equal(exact, text, n);
            assert_int_equal(odp_any16(seen), at < n);
            for (size_t around = 0; around <= n; around += 3) { /* of a text that begins before S */
                struct odp_slice part = {text + around, n - around};
                seen = (odp_bytes16){0};
                assert_ptr_equal(odp_put_part(out, part, odp_around_of(s), &seen, is_x), out + part.len);
                assert_memory_equal(out, part.ptr, part.len);
                assert_int_equal(odp_any16(seen), at < n && at >= around);
                part.len = part.len < 5 ? part.len : 5; /* and goes on behind it */
                seen = (odp_bytes16){0};
                assert_ptr_equal(odp_put_part(out, part, odp_around_of(s), &seen, is_x), out + part.len);
                assert_memory_equal(out, part.ptr, part.len);
                assert_int_equal(odp_any16(seen), at < n && at >= around && at < around + part.len);
            }
            free(exact);
            if (at < n)
                text[at] = 'y';
        }
        free(text);
    }
    static const char padded[64] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t n = 0; n <= 36; n++) {
        assert_ptr_equal(odp_put_padded(out, padded, n), out + n);
        assert_memory_equal(out, padded, n);
    }
}

/* ---- whole files by the simplest code there is ---- */

enum { TEXT, NUMBER, DATE, ANY, BOOLEAN, NFIELDS };
static const enum odp_type types[NFIELDS] = {ODP_TYPE_STRING, ODP_TYPE_NUMBER, ODP_TYPE_DATE, ODP_TYPE_ANY,
                                             ODP_TYPE_BOOLEAN};
static const char *const names[NFIELDS] = {"t", "sebuah nama \"panjang\" yang lebih dari enam belas byte",
                                           "d", "a", "b"};

static void slow_json_text(struct odp_buffer *out, struct odp_slice s)
{
    odp_buffer_add_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        const char *named = c == '"'    ? "\\\""
                            : c == '\\' ? "\\\\"
                            : c == '\n' ? "\\n"
                            : c == '\r' ? "\\r"
                            : c == '\t' ? "\\t"
                            : c == '\b' ? "\\b"
                            : c == '\f' ? "\\f"
                                        : NULL;
        if (named != NULL) {
            odp_buffer_add_str(out, named);
        } else if (c < 0x20 || c == 0x7f) {
            odp_buffer_printf(out, "\\u%04x", c);
        } else if (i + 3 <= s.len && memcmp(s.ptr + i, "\xE2\x80\xA8", 3) == 0) {
            odp_buffer_add_str(out, "\\u2028");
            i += 2;
        } else {
            odp_buffer_add_char(out, (char)c);
        }
    }
    odp_buffer_add_char(out, '"');
}

static void slow_csv_text(struct odp_buffer *out, struct odp_slice s, char delimiter)
{
    bool quote = s.len == 0 || strchr(" \t", s.ptr[0]) != NULL || strchr(" \t", s.ptr[s.len - 1]) != NULL;
    for (size_t i = 0; i < s.len; i++)
        quote = quote || s.ptr[i] == delimiter || s.ptr[i] == '"' || s.ptr[i] == '\r' || s.ptr[i] == '\n';
    if (quote)
        odp_buffer_add_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        odp_buffer_add_char(out, s.ptr[i]);
        if (s.ptr[i] == '"')
            odp_buffer_add_char(out, '"');
    }
    if (quote)
        odp_buffer_add_char(out, '"');
}

static void slow_excel_text(struct odp_buffer *out, struct odp_slice s)
{
    bool digit = false, other = false;
    for (size_t i = 0; i < s.len; i++) {
        digit = digit || (s.ptr[i] >= '0' && s.ptr[i] <= '9');
        other = other || ((s.ptr[i] < '0' || s.ptr[i] > '9') && memchr(" .,:/+-eE%()", s.ptr[i], 12) == NULL);
    }
    if (digit && !other && s.len <= 255) {
        odp_buffer_add_str(out, "\"=\"\"");
        odp_buffer_add_slice(out, s);
        odp_buffer_add_str(out, "\"\"\"");
    } else if (s.len > 1 && memchr("=+-@\t\r", s.ptr[0], 6) != NULL) {
        BUFFER(guarded);
        odp_buffer_add_str(&guarded, ";'"); /* the delimiter, so that it is quoted; it is cut off again */
        odp_buffer_add_slice(&guarded, s);
        size_t from = out->len;
        slow_csv_text(out, odp_buffer_slice(&guarded), ';');
        memmove(out->ptr + from + 1, out->ptr + from + 2, out->len - from - 2);
        out->len--;
    } else {
        slow_csv_text(out, s, ';');
    }
}

static void slow_files(const struct odp_slice *cells, uint32_t n, struct odp_buffer *json,
                       struct odp_buffer *csv, struct odp_buffer *excel)
{
    for (uint32_t i = 0; i < n; i++) {
        odp_buffer_add_str(json, i > 0 ? ",\n{" : "\n{");
        for (int k = 0; k < NFIELDS; k++) {
            struct odp_slice s = cells[i * NFIELDS + (uint32_t)k];
            odp_buffer_add_str(json, k > 0 ? "," : "");
            slow_json_text(json, odp_slice_of(names[k]));
            odp_buffer_add_char(json, ':');
            odp_buffer_add_str(csv, k > 0 ? "," : "");
            odp_buffer_add_str(excel, k > 0 ? ";" : "");
            if (s.ptr == NULL) {
                odp_buffer_add_str(json, "null");
            } else if (types[k] == ODP_TYPE_NUMBER || types[k] == ODP_TYPE_BOOLEAN) {
                odp_buffer_add_slice(json, s);
                odp_buffer_add_slice(csv, s);
                for (size_t c = 0; c < s.len; c++)
                    odp_buffer_add_char(excel,
                                        types[k] == ODP_TYPE_NUMBER && s.ptr[c] == '.' ? ',' : s.ptr[c]);
            } else {
                slow_json_text(json, s);
                slow_csv_text(csv, s, ',');
                if (types[k] == ODP_TYPE_DATE)
                    slow_csv_text(excel, s, ';');
                else
                    slow_excel_text(excel, s);
            }
        }
        odp_buffer_add_char(json, '}');
        odp_buffer_add_str(csv, "\r\n");
        odp_buffer_add_str(excel, "\r\n");
    }
}

/* A cell in separate memory, no byte more. */
static struct odp_slice random_cell(enum odp_type type)
{
    static const char odd[] = "\"\\,;\r\n\t =+-@'\x01\x1f\x7f\xe2.0123";
    char text[400];
    uint32_t n = dice(4) == 0 ? dice(300) : dice(40);
    if (dice(8) == 0)
        return (struct odp_slice){NULL, 0};
    if (type == ODP_TYPE_NUMBER)
        n = (uint32_t)snprintf(text, sizeof text, "%s%u.%0*u", dice(2) == 0 ? "-" : "", dice(1000000),
                               (int)(1 + dice(30)), dice(1000));
    else if (type == ODP_TYPE_DATE)
        n = (uint32_t)snprintf(text, sizeof text, "%04u-%02u-%02u", 1 + dice(9999), 1 + dice(12),
                               1 + dice(28));
    else if (type == ODP_TYPE_BOOLEAN)
        n = (uint32_t)snprintf(text, sizeof text, dice(2) == 0 ? "true" : "false");
    else
        for (uint32_t i = 0, kind = dice(5); i < n; i++) {
            text[i] = kind == 0                    ? odd[dice(sizeof odd - 1)]
                      : kind == 1                  ? (char)('0' + dice(10))
                      : kind == 2 && dice(30) == 0 ? odd[dice(sizeof odd - 1)]
                                                   : (char)('a' + dice(26));
            if (kind == 3 && i + 3 <= n && dice(20) == 0) {
                memcpy(text + i, dice(2) == 0 ? "\xE2\x80\xA8" : "\xE2\x80\x93",
                       3); /* a line separator, a dash */
                i += 2;
            }
        }
    char *own = malloc(n > 0 ? n : 1);
    assert_non_null(own);
    memcpy(own, text, n);
    return (struct odp_slice){own, n};
}

/* The file's bytes from the first record on are those of WANT; FROM finds it, TAIL begins what follows. */
static void expect_records(const struct fixture *fx, const char *path, const char *from, const char *tail,
                           const struct odp_buffer *want)
{
    size_t len;
    char *bytes = fx_read(fx, path, &len);
    const char *begin = strstr(bytes, from);
    assert_non_null(begin);
    begin += strlen(from);
    size_t have = len - (size_t)(begin - bytes);
    assert_true(have >= want->len);
    assert_memory_equal(begin, want->ptr, want->len);
    if (tail != NULL)
        assert_memory_equal(begin + want->len, tail, strlen(tail));
    else
        assert_int_equal(have, want->len);
    free(bytes);
}

TEST(files)
{
    enum { N = 400 };
    static struct odp_slice cells[N * NFIELDS];
    for (int round = 0; round < 6; round++) {
        struct odp_buffer json = {0}, csv = {0}, excel = {0};
        FX(fx);
        fx.dataset.formats.n = 3; /* JSON, GeoJSON (which has nothing to show here), CSV */
        for (int k = 0; k < NFIELDS; k++)
            fx_field(&fx, names[k], types[k]);
        for (int i = 0; i < N * NFIELDS; i++)
            cells[i] = random_cell(types[i % NFIELDS]);
        slow_files(cells, N, &json, &csv, &excel);
        fx_emit(&fx, cells, N, round == 0 ? 1 : 1 + dice(N), NULL);
        expect_records(&fx, "data/uji/2024-03-15/uji.json", "{\"data\":[", "\n],\"status\"", &json);
        expect_records(&fx, "data/uji/2024-03-15/uji.csv", "\r\n", NULL, &csv);
        expect_records(&fx, "data/uji/2024-03-15/uji.excel.csv", "\r\n", NULL, &excel);
        odp_buffer_release(&json);
        odp_buffer_release(&csv);
        odp_buffer_release(&excel);
        for (int i = 0; i < N * NFIELDS; i++)
            free((char *)(uintptr_t)cells[i].ptr);
    }
}
