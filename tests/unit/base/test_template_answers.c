/* Templates rendered, and their faults: Mustache's semantics, escaping by context, parts, words, folders that
 * win. The rows of answers/templates.txt. */
#include "template_fixture.h"

#include "answer_lines.h"

struct page {
    struct set set;
    enum odp_lang lang, faults;
    char data[2048], model[1024];
};

static void begin(struct page *p)
{
    set_init(&p->set);
    p->lang = ODP_LANG_ID;
    p->faults = ODP_LANG_EN;
    p->data[0] = '\0';
}

/* One line, with the escapes of the questions. */
static void add_output(struct odp_buffer *out, struct odp_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n' || c == '\r' || c == '\\')
            odp_buffer_printf(out, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : '\\');
        else
            odp_buffer_printf(out, c < ' ' || c == 0x7f ? "\\x%02x" : "%c", c);
    }
    if (text.len == 0)
        odp_buffer_add_str(out, "(empty)");
}

/* The faults of the last opening, without the name of the temporary folder. */
static void add_faults(struct page *p, struct odp_buffer *out)
{
    const char *text = odp_buffer_cstr(&p->set.faults), *dir;
    while ((dir = strstr(text, p->set.dir)) != NULL) {
        odp_buffer_add(out, text, (size_t)(dir - text));
        text = dir + strlen(p->set.dir);
    }
    odp_buffer_add_str(out, text);
}

static bool open_set(struct page *p, struct odp_buffer *out)
{
    odp_failure_clear();
    enum odp_status status = set_open_as(&p->set, p->faults);
    assert_true((status == ODP_OK) == (p->set.t != NULL));
    add_faults(p, out);
    if (status == ODP_FAIL)
        odp_buffer_add_str(out, odp_failure_text());
    odp_failure_clear();
    return status == ODP_OK;
}

static void show(struct page *p, const char *name, struct odp_buffer *out)
{
    if (!open_set(p, out))
        return;
    if (!odp_templates_has(p->set.t, name))
        odp_buffer_add_str(out, "no such page");
    else if (set_render_page(&p->set, name, p->lang, p->data) == ODP_OK)
        add_output(out, odp_buffer_slice(&p->set.out));
    else
        odp_buffer_printf(out, "failure: %s", odp_failure_text());
    odp_failure_clear();
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct page *p = ctx;
    char *word = strndup(question.ptr, question.len), *rest = strchr(word, ' ');
    assert_non_null(word);
    rest = rest != NULL ? rest : word + strlen(word);
    *rest = '\0';
    rest += rest < word + question.len;
    if (strcmp(word, "new") == 0) {
        set_release(&p->set);
        begin(p);
    } else if (strcmp(word, "file") == 0) {
        char *text = strchr(rest, ' ');
        assert_non_null(text);
        *text++ = '\0';
        set_write(&p->set, rest, text);
    } else if (strcmp(word, "remove") == 0) {
        set_remove(&p->set, rest);
    } else if (strcmp(word, "data") == 0) {
        snprintf(p->data, sizeof p->data, "%s", rest);
    } else if (strcmp(word, "model") == 0) {
        snprintf(p->model, sizeof p->model, "%s", rest);
        p->set.model = p->model;
    } else if (strcmp(word, "language") == 0) {
        p->lang = strcmp(rest, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    } else if (strcmp(word, "faults") == 0) {
        p->faults = strcmp(rest, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    } else if (strcmp(word, "open") == 0) {
        (void)open_set(p, out);
    } else {
        if (strcmp(word, "page") == 0)
            set_write(&p->set, "ours/pages/p.html", rest);
        show(p, strcmp(word, "page") == 0 ? "p" : rest, out);
    }
    free(word);
}

TEST(answers)
{
    struct page p;
    begin(&p);
    answer_lines("base/answers/templates.txt", answer, &p);
    set_release(&p.set);
}
