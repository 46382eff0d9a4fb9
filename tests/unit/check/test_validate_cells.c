/* Every rule about a cell and about records: what is taken, what is refused, and what is proposed. Questions and
 * answers (answer_lines.h):
 *
 *   field MEMBERS                   whose cells follow
 *   > CELL, native CELL             a cell of text, or one that has its type from a workbook: its value ("=" and its
 *                                   text, null), codes of what is wrong, ">" and the proposal
 *   dataset SLUG MEMBERS[; MORE]    members of its schema, and of its resource; the first clears away those before
 *   rows SLUG ROW[ ; ROW]…          cells divided by "|": the faults as "K01.kode:3(2)" */
#include "answer_lines.h"
#include "validate_fixture.h"

#include "base/json.h"

struct asked {
    struct lab *lab;
    bool open;
    char field[4096];
};

static void ask_dataset(struct asked *q, char *text)
{
    const char *slug = strsep(&text, " "), *more = "";
    char *divided = strstr(text, "; ");
    if (divided != NULL) {
        *divided = '\0';
        more = divided + 2;
    }
    if (q->open)
        lab_close(q->lab);
    q->open = false;
    lab_dataset(q->lab, slug, text, more);
}

static const char *ask_rows(struct asked *q, char *text)
{
    const char *rows[16] = {NULL}, *slug = strsep(&text, " ");
    for (size_t n = 0; text != NULL && n < 15; n++) {
        rows[n] = text;
        text = strstr(text, " ; ");
        if (text != NULL) {
            *text = '\0';
            text += 3;
        }
    }
    if (!q->open)
        lab_open(q->lab);
    q->open = true;
    return lab_run(q->lab, slug, rows);
}

static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct asked *q = ctx;
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " ");
    rest = rest != NULL ? rest : text + strlen(text);
    if (strcmp(verb, "field") == 0)
        snprintf(q->field, sizeof q->field, "%s", rest);
    else if (strcmp(verb, "dataset") == 0)
        ask_dataset(q, rest);
    else if (strcmp(verb, "rows") == 0)
        odp_buffer_add_str(out, ask_rows(q, rest));
    else
        odp_buffer_add_str(
            out, lab_cell_flags(q->lab, q->field, rest, strcmp(verb, "native") == 0 ? ODP_CELL_NATIVE : 0));
    free(text);
}

TEST(cells)
{
    answer_lines("check/cells.txt", ask, &(struct asked){.lab = *state});
}

TEST(records)
{
    struct asked q = {.lab = *state};
    answer_lines("check/records.txt", ask, &q);
    lab_close(q.lab);
}

/* No cell breaks anything, and accepted values have their type's form. */
TEST(hostile_cells)
{
    static const char *const types[] = {
        "string",    "number",   "integer", "boolean",  "date",    "time",   "datetime", "year",
        "yearmonth", "duration", "list",    "geopoint", "geojson", "object", "array",    "any",
    };
    static const char *const atoms[] = {
        "1",
        "0",
        "9",
        ".",
        ",",
        "-",
        "+",
        "e",
        "E",
        "\"",
        "[",
        "]",
        "{",
        "}",
        ":",
        " ",
        "a",
        "#",
        "@",
        "\\",
        "\xc3\xa9",
        "\xc2\xa0",
        "\xef\xbf\xbd",
        "\x01",
        "true",
        "null",
        "2024",
        "T",
        "P1Y",
        "lon",
        "type",
        "62",
        "%",
    };
    struct lab *l = *state;
    BUFFER(schema);
    odp_buffer_add_str(&schema, "\"fields\": [");
    for (size_t k = 0; k < 16; k++)
        odp_buffer_printf(&schema, "%s{\"name\": \"%s\", \"type\": \"%s\"}", k > 0 ? ", " : "", types[k],
                          types[k]);
    odp_buffer_add_char(&schema, ']');
    lab_dataset(l, "satu", odp_buffer_cstr(&schema), "");
    lab_open(l);
    lab_start(l, "satu");
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        BUFFER(row);
        for (size_t k = 0; k < 16; k++) {
            if (k > 0)
                odp_buffer_add_char(&row, '|');
            for (uint32_t n = (seed = seed * 1664525u + 1013904223u) >> 29; n > 0; n--)
                odp_buffer_add_str(
                    &row, atoms[((seed = seed * 1664525u + 1013904223u) >> 16) % (ODP_COUNT(atoms))]);
        }
        lab_row(l, odp_buffer_cstr(&row));
    }
    lab_batch(l);
    size_t taken = 0;
    for (uint32_t i = 0; i < l->batch.nrecords; i++)
        for (uint32_t k = 0; k < 16; k++) {
            char first;
            if (l->batch.columns[k].state[i] != ODP_VALUE_OK)
                continue;
            struct odp_slice s = l->batch.columns[k].text[i];
            enum odp_repr repr = odp_type_repr(l->resource->schema.fields[k].type);
            taken++;
            if (repr != ODP_REPR_STRING && !odp_json_valid(s, &first))
                fail_msg("%s: %.*s", types[k], (int)s.len, s.ptr);
        }
    assert_true(taken > 3000);
    assert_true(odp_diags_count(l->diags, ODP_SEVERITY_ERROR) > 3000);
    lab_close(l);
}

static int setup(void **state)
{
    static struct lab l;
    lab_init(&l);
    *state = &l;
    return 0;
}

static int teardown(void **state)
{
    lab_release(*state);
    return 0;
}

AROUND(setup, teardown)
