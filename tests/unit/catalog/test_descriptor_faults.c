/* Every fault of a descriptor has its code and its place: the cases of faults/<name>.txt. Blocks stand apart
 * by an empty line:
 *
 *   # …                    a remark
 *   template NAME          text with $1 and $2, of which cases are made
 *   file PATH              a file of every catalogue of this list
 *   case [NAME]            a/dataset.json: the template with the texts that follow, divided by "|"; without
 *                          NAME the text itself
 *   > C04 a/t 1:2 x|y      what is found, as catalog_folder.h writes it, in any order: that of reading is
 *                          nobody's promise */
#include "catalog_folder.h"

enum { TEMPLATES = 16, PARTS = 4, LINES = 64 };

struct list {
    struct folder f;
    char *text, *rest;
    struct {
        const char *name, *text;
    } templates[TEMPLATES];
    size_t ntemplates, wrong;
};

/* The next block, its end made one of text; NULL: no more. */
static char *next_block(struct list *l)
{
    char *block = l->rest + strspn(l->rest, "\n"), *end = strstr(block, "\n\n");
    if (*block == '\0')
        return NULL;
    l->rest = end != NULL ? end + 2 : block + strlen(block);
    *(end != NULL ? end : l->rest - 1) = '\0'; /* the file ends with a line's end */
    return block;
}

/* Returns the rest of BLOCK's first line after WORD and points BODY at the next line; NULL where it begins
 * with another word. */
static char *head_of(char *block, const char *word, char **body)
{
    size_t n = strlen(word);
    if (strncmp(block, word, n) != 0)
        return NULL;
    char *end = block + strcspn(block, "\n");
    *body = *end == '\0' ? end : end + 1;
    *end = '\0';
    return block + n + (block[n] == ' ');
}

static const char *template_of(const struct list *l, const char *name)
{
    for (size_t i = 0; i < l->ntemplates; i++)
        if (strcmp(l->templates[i].name, name) == 0)
            return l->templates[i].text;
    assert_string_equal(name, "");
    return "$1";
}

/* The texts of BODY, divided by lines of "|"; its lines that begin with "> " go to FAULTS. */
static void take_apart(char *body, struct odp_buffer parts[PARTS], const char *faults[LINES], size_t *nfaults)
{
    size_t n = 0;
    *nfaults = 0;
    for (char *save = NULL, *line = strtok_r(body, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "> ", 2) == 0)
            faults[(*nfaults)++] = line + 2;
        else if (strcmp(line, "|") == 0)
            n++;
        else
            odp_buffer_printf(&parts[n], "%s%s", parts[n].len > 0 ? "\n" : "", line);
        assert_true(n < PARTS && *nfaults < LINES);
    }
}

static void fill(struct odp_buffer *out, const char *template, struct odp_buffer parts[PARTS])
{
    for (const char *p = template; *p != '\0'; p++)
        if (*p == '$' && p[1] >= '1' && p[1] < '1' + PARTS)
            odp_buffer_add_str(out, odp_buffer_cstr(&parts[*++p - '1']));
        else
            odp_buffer_add_char(out, *p);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void run_case(struct list *l, const char *name, char *body)
{
    const char *want[LINES], *have[LINES];
    size_t nwant, nhave = 0;
    struct odp_buffer parts[PARTS] = {{0}}, text = {0};
    take_apart(body, parts, want, &nwant);
    fill(&text, template_of(l, name), parts);
    folder_write(&l->f, "a/dataset.json", odp_buffer_cstr(&text));
    enum odp_status status = folder_open(&l->f);
    bool clean = odp_diags_count(l->f.diags, ODP_SEVERITY_ERROR) == 0;
    char *found = strdup(folder_faults(&l->f));
    for (char *save = NULL, *s = strtok_r(found, "\n", &save); s != NULL && nhave < LINES;
         s = strtok_r(NULL, "\n", &save))
        have[nhave++] = s;
    qsort(want, nwant, sizeof *want, by_text);
    qsort(have, nhave, sizeof *have, by_text);
    bool same = nwant == nhave && status == (clean ? ODP_OK : ODP_BAD);
    for (size_t i = 0; i < nwant && same; i++)
        same = strcmp(want[i], have[i]) == 0;
    if (!same)
        print_error("%s\nfound (%d)\n%s", odp_buffer_cstr(&text), (int)status, folder_faults(&l->f));
    l->wrong += !same;
    free(found);
    for (size_t i = 0; i < PARTS; i++)
        odp_buffer_release(&parts[i]);
    odp_buffer_release(&text);
    folder_close(&l->f);
}

static void every_fault_has_code_and_place(const char *list)
{
    struct list l = {.ntemplates = 0};
    BUFFER(bytes);
    char path[256], *body;
    int errnum;
    size_t ncases = 0;
    folder_init(&l.f);
    folder_write(&l.f, "portal.json", PORTAL);
    snprintf(path, sizeof path, ODP_TESTS_DIR "/unit/catalog/faults/%s.txt", list);
    must(odp_file_read(path, 1 << 20, &bytes, &errnum));
    l.text = l.rest = strdup(odp_buffer_cstr(&bytes));
    for (char *block, *name; (block = next_block(&l)) != NULL;)
        if ((name = head_of(block, "template", &body)) != NULL) {
            assert_true(l.ntemplates < TEMPLATES);
            l.templates[l.ntemplates].name = name;
            l.templates[l.ntemplates++].text = body;
        } else if ((name = head_of(block, "file", &body)) != NULL) {
            folder_write(&l.f, name, body);
        } else if ((name = head_of(block, "case", &body)) != NULL) {
            run_case(&l, name, body);
            ncases++;
        } else {
            assert_int_equal(*block, '#');
        }
    assert_true(ncases > 20);
    assert_int_equal(l.wrong, 0);
    free(l.text);
    folder_release(&l.f);
}

TEST(package)
{
    every_fault_has_code_and_place("package");
}

TEST(search)
{
    every_fault_has_code_and_place("search");
}

TEST(print)
{
    every_fault_has_code_and_place("print");
}

TEST(lifecycle)
{
    every_fault_has_code_and_place("lifecycle");
}
