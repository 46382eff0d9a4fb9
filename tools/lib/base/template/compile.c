/* A page in one language: the parts put in, every name bound to where it will be found, every value to how it
 * is escaped, words and constant text joined.
 *
 * A name is bound to the innermost section whose MODEL has it, so what an item lacks is absent and never
 * taken from outside by chance. */
#include "base/template/template_internal.h"

#include "base/line.h"

struct section {
    uint32_t instr;
    bool repeats, blind;
    uint16_t nscopes;
    struct markup before;
    const struct template_token *token;
    struct template_file *file;
};

struct compiler {
    struct odp_templates *t;
    enum odp_lang lang;
    const char *page;
    const json_t *names;
    struct markup markup;
    struct odp_buffer text;
    size_t flushed; /* text that is in an instruction already */
    struct instr *code;
    size_t n, work;
    const json_t
        *scopes[TEMPLATE_DEPTH + 1]; /* models; [0] is not used: names, then those that all pages have */
    size_t nscopes;
    struct section open[TEMPLATE_DEPTH];
    size_t nopen, skipped,
        blind; /* skipped: inside of a section too deep; blind: inside of one whose name is not known */
    struct template_file *files[TEMPLATE_PARTS];
    size_t nfiles;
    bool quiet, stopped;
    struct template_file *top;
};

static void fault(struct compiler *c, const struct template_token *k, enum template_fault which,
                  const struct fault_more *more)
{
    template_fault(c->t, c->files[c->nfiles - 1], k->at, k->end - k->at, which, more);
}

/* Faults of places, which broken sections cause too. */
static void fault_of_place(struct compiler *c, struct template_file *file, size_t at, size_t len,
                           enum template_fault which, const char *a)
{
    if (!c->quiet)
        template_fault(c->t, file, at, len, which, &(struct fault_more){.a = a});
}

static const char *copy_text(struct compiler *c, struct odp_slice s)
{
    return odp_arena_copy(&c->t->arena, s.ptr != NULL ? s : ODP_LIT("")).ptr;
}

/* ---- instructions ---- */

static void emit(struct compiler *c, struct instr instr)
{
    c->stopped = c->stopped || c->n >= TEMPLATE_CODE_MAX;
    if (c->stopped)
        return;
    c->code = odp_arena_more(&c->t->arena, c->code, c->n, sizeof *c->code);
    c->code[c->n++] = instr;
}

static void flush(struct compiler *c)
{
    size_t len = c->text.len - c->flushed;
    if (c->text.failed || c->text.len > TEMPLATE_PAGE_MAX)
        c->stopped = true;
    if (len == 0 || c->stopped)
        return;
    if (c->n > 0 && c->code[c->n - 1].op == OP_TEXT)
        c->code[c->n - 1].len += (uint32_t)len;
    else
        emit(c, (struct instr){.op = OP_TEXT, .from = (uint32_t)c->flushed, .len = (uint32_t)len});
    c->flushed = c->text.len;
}

static void begin_url(struct compiler *c)
{
    flush(c);
    emit(c, (struct instr){.op = OP_URL, .image = markup_is_image(&c->markup)});
}

/* An address without values needs no look. */
static void end_url(struct compiler *c)
{
    if (c->n > 0 && c->code[c->n - 1].op == OP_URL) {
        c->n--;
    } else {
        flush(c);
        emit(c, (struct instr){.op = OP_URL_END});
    }
}

static void add_text(struct compiler *c, struct template_file *file, struct odp_slice s, size_t at)
{
    for (size_t i = 0; i < s.len && !c->stopped; i++) {
        size_t idle = markup_idle(&c->markup, s.ptr + i, s.len - i);
        odp_buffer_add(&c->text, s.ptr + i, idle);
        i += idle;
        if (i == s.len)
            break;
        enum markup_event event = markup_feed(&c->markup, (unsigned char)s.ptr[i]);
        if (event == MARKUP_URL_END)
            end_url(c);
        odp_buffer_add_char(&c->text, s.ptr[i]);
        if (event == MARKUP_URL_BEGIN)
            begin_url(c);
        if (event == MARKUP_FUSED) {
            fault_of_place(c, file, at + i, 1, TEMPLATE_CONTEXT_FUSED, NULL);
            (void)markup_feed(&c->markup, ' ');
            (void)markup_feed(&c->markup, (unsigned char)s.ptr[i]);
        }
        if (event == MARKUP_MIXED)
            fault_of_place(c, file, at + i, 1, TEMPLATE_PLACE_JSON, "{{{…}}}");
        if (event == MARKUP_ESCAPED)
            fault_of_place(c, file, at + i, 1, TEMPLATE_CONTEXT_ESCAPED, NULL);
    }
    if (c->text.len > TEMPLATE_PAGE_MAX || c->text.failed)
        c->stopped = true;
}

/* ---- names ---- */

enum { LISTED = 12 };

static void add_names(struct template_names *names, const json_t *object)
{
    const char *key;
    json_t *value;
    /* jansson's iterator wants it writable and does not write */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (strcmp(key, "?") != 0)
            template_names_add(names, key);
    }
}

struct found {
    enum template_kind kind;
    const json_t *model;
    uint16_t level, nsteps;
    const struct step *steps;
    const char *name;
};

/* OBJECT lacks MEMBER, a part of the name of K; OBJECT NULL: all scopes lack it. */
static void fault_of_name(struct compiler *c, const struct template_token *k, struct odp_slice member,
                          const json_t *object)
{
    struct template_names names = {.n = 0};
    struct odp_slice prefix = {k->name.ptr, (size_t)(member.ptr - k->name.ptr)};
    struct fault_more more = {.a = copy_text(c, k->name), .b = c->page};
    if (c->blind > 0 && object == NULL)
        return;
    if (object != NULL) {
        add_names(&names, object);
    } else {
        for (size_t i = c->nscopes; i > 0; i--)
            add_names(&names, c->scopes[i]);
        add_names(&names, c->names);
        add_names(&names, c->t->options->common);
    }
    template_names_suggest(c->t, &names, LISTED, member, &more);
    if (more.proposal != NULL)
        more.proposal = odp_arena_printf(&c->t->arena, "%.*s%s", (int)prefix.len, prefix.ptr, more.proposal);
    fault(c, k, TEMPLATE_NAME_UNKNOWN, &more);
}

static const json_t *find_first(const struct compiler *c, const char *member, uint16_t *level)
{
    for (size_t i = c->nscopes; i > 0; i--) {
        const json_t *found = json_object_get(c->scopes[i], member);
        *level = (uint16_t)i;
        if (found != NULL)
            return found;
    }
    *level = 0;
    const json_t *found = json_object_get(c->names, member);
    return found != NULL ? found : json_object_get(c->t->options->common, member);
}

static bool find_dot(struct compiler *c, const struct template_token *k, struct found *out)
{
    bool optional;
    if (c->nscopes == 0) {
        if (c->blind == 0)
            fault(c, k, TEMPLATE_NAME_DOT, NULL);
        return false;
    }
    *out = (struct found){.model = c->scopes[c->nscopes], .level = (uint16_t)c->nscopes, .name = "."};
    out->kind = template_kind_of(out->model, &optional);
    return true;
}

/* Binds the name of K. False: a fault. */
static bool find_name(struct compiler *c, const struct template_token *k, struct found *out)
{
    struct odp_slice rest = k->name;
    struct step steps[TEMPLATE_STEPS];
    const json_t *model = NULL;
    if (odp_slice_is(k->name, "."))
        return find_dot(c, k, out);
    if (odp_slice_is(k->name, "-first") || odp_slice_is(k->name, "-last")) {
        *out = (struct found){.kind = k->name.ptr[1] == 'f' ? KIND_FIRST : KIND_LAST,
                              .name = copy_text(c, k->name)};
        return true;
    }
    *out = (struct found){.name = copy_text(c, k->name)};
    while (rest.len > 0 || out->nsteps == 0) {
        struct odp_slice member = odp_slice_cut(&rest, '.');
        struct step *step = &steps[out->nsteps++];
        step->key = copy_text(c, member);
        const json_t *of = model;
        model = of == NULL ? find_first(c, step->key, &out->level) : json_object_get(of, step->key);
        if (model == NULL) {
            fault_of_name(c, k, member, of);
            return false;
        }
        out->kind = template_kind_of(model, &step->optional);
        if (rest.len > 0 && out->kind == KIND_ARRAY) {
            const char *list = copy_text(
                c, (struct odp_slice){k->name.ptr, (size_t)(member.ptr + member.len - k->name.ptr)});
            fault(c, k, TEMPLATE_NAME_IN_LIST,
                  &(struct fault_more){.a = list, .b = odp_arena_printf(&c->t->arena, "{{#%s}}", list)});
            return false;
        }
    }
    out->model = model;
    struct step *kept = odp_arena_array(&c->t->arena, out->nsteps, sizeof *kept);
    memcpy(kept, steps, out->nsteps * sizeof *kept);
    out->steps = kept;
    return true;
}

/* ---- values ---- */

static void fault_of_value(struct compiler *c, const struct template_token *k, enum template_fault which,
                           const char *open, const char *close)
{
    bool section = *open == '#';
    const char *name = copy_text(c, k->name);
    const char *b = section ? odp_arena_printf(&c->t->arena, "{{#%s}}…{{/%s}}", name, name)
                            : odp_arena_printf(&c->t->arena, "%s%s%s", open, name, close);
    fault(c, k, which, &(struct fault_more){.a = name, .b = b});
}

/* Whether the tag suits a value of KIND. */
static bool check_kind(struct compiler *c, const struct template_token *k, enum template_kind kind)
{
    /* of a {{value}}, and of a {{{value}}} */
    static const struct {
        enum template_fault fault;
        const char *open, *close; /* how it is written right */
    } plain[] = {
        [KIND_FLAG] = {TEMPLATE_VALUE_FLAG, "#", ""},      [KIND_HTML] = {TEMPLATE_VALUE_HTML, "{{{", "}}}"},
        [KIND_JSON] = {TEMPLATE_VALUE_JSON, "{{{", "}}}"}, [KIND_CODE] = {TEMPLATE_VALUE_HTML, "{{{", "}}}"},
        [KIND_OBJECT] = {TEMPLATE_VALUE_GROUP, "#", ""},   [KIND_ARRAY] = {TEMPLATE_VALUE_GROUP, "#", ""}};
    bool raw = k->kind == TOKEN_RAW, group = kind == KIND_OBJECT || kind == KIND_ARRAY || kind == KIND_FLAG;
    if (raw && template_is_value(kind))
        fault_of_value(c, k, TEMPLATE_VALUE_RAW, "{{", "}}");
    else if (kind <= KIND_ARRAY && plain[kind].open != NULL && (group || !raw))
        fault_of_value(c, k, plain[kind].fault, plain[kind].open, plain[kind].close);
    else
        return true;
    return false;
}

static void check_place(struct compiler *c, const struct template_token *k, enum template_kind kind,
                        enum markup_place place, const struct markup *m, bool between)
{
    static const enum template_fault faults[] = {[PLACE_NAME] = TEMPLATE_PLACE_NAME,
                                                 [PLACE_UNQUOTED] = TEMPLATE_PLACE_UNQUOTED,
                                                 [PLACE_COMMENT] = TEMPLATE_PLACE_COMMENT,
                                                 [PLACE_SCRIPT] = TEMPLATE_PLACE_SCRIPT,
                                                 [PLACE_ATTRIBUTE] = TEMPLATE_PLACE_ATTRIBUTE,
                                                 [PLACE_BESIDE_JSON] = TEMPLATE_PLACE_JSON,
                                                 [PLACE_DECLARATION] = TEMPLATE_PLACE_DECLARATION};
    struct template_file *file = c->files[c->nfiles - 1];
    enum template_fault which;
    if (place >= PLACE_NAME)
        which = faults[place];
    else if ((kind == KIND_HTML && (place != PLACE_TEXT || !between)) ||
             (kind == KIND_CODE && place < PLACE_PLAIN))
        which = TEMPLATE_PLACE_HTML;
    else if (kind == KIND_JSON && place != PLACE_JSON && place != PLACE_LITERAL)
        which = TEMPLATE_PLACE_NOT_JSON;
    else if (template_is_value(kind) && place == PLACE_JSON)
        which = TEMPLATE_PLACE_JSON;
    else
        return;
    const char *name = copy_text(c, k->name), *arg = NULL;
    if (place < PLACE_NAME)
        arg = which == TEMPLATE_PLACE_JSON ? "{{{…}}}" : name;
    else if (place == PLACE_UNQUOTED)
        arg = odp_arena_printf(&c->t->arena, "%.*s=\"{{%s}}\"",
                               (int)(m->nname <= sizeof m->name ? m->nname : 0), m->name, name);
    else if (place == PLACE_SCRIPT)
        arg = copy_text(c, (struct odp_slice){m->element, m->nelement});
    else if (place == PLACE_ATTRIBUTE)
        arg =
            copy_text(c, (struct odp_slice){m->name, m->nname <= sizeof m->name ? m->nname : sizeof m->name});
    else if (place == PLACE_COMMENT)
        arg = "{{! … }}";
    else if (place == PLACE_BESIDE_JSON)
        arg = "{{{…}}}";
    fault_of_place(c, file, k->at, k->end - k->at, which, arg);
}

static bool is_word(struct odp_slice name)
{
    return name.len > 2 && memcmp(name.ptr, "w.", 2) == 0;
}

static void add_value(struct compiler *c, const struct template_token *k);

/* A word; {name} and {name|filter} in it are values, as {{name}} in the template would be. */
static void add_sentence(struct compiler *c, const struct template_token *k, const char *text,
                         enum markup_place place)
{
    for (const char *open; (open = strchr(text, '{')) != NULL;) {
        const char *close = strchr(open, '}'),
                   *bar = close != NULL ? memchr(open, '|', (size_t)(close - open)) : NULL;
        template_put(&c->text, place, (struct odp_slice){text, (size_t)(open - text)});
        if (close == NULL ||
            !((open[1] | 32) >= 'a' && (open[1] | 32) <= 'z')) { /* {1}: a script's, or no hole */
            text = open;
            break;
        }
        struct template_token hole = {.kind = TOKEN_VALUE,
                                      .at = k->at,
                                      .end = k->end,
                                      .name = {open + 1, (size_t)((bar != NULL ? bar : close) - open - 1)}};
        if (bar != NULL)
            hole.filter = (struct odp_slice){bar + 1, (size_t)(close - bar - 1)};
        add_value(c, &hole);
        text = close + 1;
    }
    template_put(&c->text, place, odp_slice_of(text));
}

static void add_word(struct compiler *c, const struct template_token *k)
{
    struct odp_slice key = {k->name.ptr + 2, k->name.len - 2};
    struct template_word *w = template_word_find(c->t, key);
    struct markup before = c->markup;
    bool between = markup_is_text(&c->markup);
    if (w == NULL) {
        struct template_names names = {.n = 0};
        struct fault_more more = {.a = copy_text(c, key)};
        for (size_t i = 0; i < c->t->nwords; i++) /* those that begin alike: a set has many */
            if (c->t->words[i].key[0] == key.ptr[0])
                template_names_add(&names, c->t->words[i].key);
        template_names_suggest(c->t, &names, 0, key, &more);
        more.expected = NULL;
        if (more.proposal != NULL)
            more.proposal = odp_arena_printf(&c->t->arena, "w.%s", more.proposal);
        fault(c, k, TEMPLATE_WORD_UNKNOWN, &more);
    }
    enum markup_place place = markup_value(&c->markup);
    if (k->kind == TOKEN_RAW)
        fault_of_value(c, k, TEMPLATE_VALUE_RAW, "{{", "}}");
    check_place(c, k, KIND_TEXT, place, &before, between);
    if (w == NULL)
        return;
    w->used = true;
    if (c->n > 0 && c->code[c->n - 1].op == OP_URL) /* an address is judged, though all of it is known */
        flush(c), emit(c, (struct instr){.op = OP_TEXT, .from = (uint32_t)c->flushed});
    add_sentence(c, k, w->in[c->lang], place);
}

static void add_value(struct compiler *c, const struct template_token *k)
{
    struct found found;
    struct markup before = c->markup;
    bool between = markup_is_text(&c->markup);
    if (is_word(k->name)) {
        add_word(c, k);
        return;
    }
    bool known = find_name(c, k, &found) && check_kind(c, k, found.kind);
    enum markup_place place = markup_value(&c->markup);
    check_place(c, k,
                known                  ? found.kind
                : k->kind == TOKEN_RAW ? KIND_NONE
                                       : KIND_TEXT,
                place, &before, between);
    flush(c);
    struct odp_slice arg = ODP_LIT("");
    enum template_filter filter = k->filter.ptr != NULL ? template_filter_find(k->filter, &arg) : FILTER_NONE;
    for (size_t i = 0; filter == FILTER_WORD && i < c->t->nwords; i++)
        c->t->words[i].used = c->t->words[i].used || strncmp(c->t->words[i].key, arg.ptr, arg.len) == 0;
    if (known)
        emit(c, (struct instr){.op = OP_VALUE,
                               .kind = (uint8_t)found.kind,
                               .place = (uint8_t)place,
                               .filter = (uint8_t)filter,
                               .level = found.level,
                               .nsteps = found.nsteps,
                               .steps = found.steps,
                               .name = found.name,
                               .arg = copy_text(c, arg)});
}

/* ---- sections ---- */

static void open_section(struct compiler *c, const struct template_token *k)
{
    struct found found = {.kind = KIND_NONE};
    if (c->skipped > 0 || c->nopen == TEMPLATE_DEPTH) {
        if (c->skipped++ == 0)
            fault(c, k, TEMPLATE_SECTION_DEEP, &(struct fault_more){.a = "32"});
        return;
    }
    bool known = false;
    if (is_word(k->name))
        fault(c, k, TEMPLATE_WORD_SECTION,
              &(struct fault_more){
                  .a = odp_arena_printf(&c->t->arena, "{{%.*s}}", (int)k->name.len, k->name.ptr)});
    else
        known = find_name(c, k, &found);
    flush(c);
    struct section *s = &c->open[c->nopen++];
    *s = (struct section){.instr = (uint32_t)c->n,
                          .blind = !known,
                          .nscopes = (uint16_t)c->nscopes,
                          .before = c->markup,
                          .token = k,
                          .file = c->files[c->nfiles - 1]};
    c->blind += !known;
    emit(c, (struct instr){.op = k->kind == TOKEN_NOT ? OP_NOT : OP_OPEN,
                           .kind = (uint8_t)found.kind,
                           .level = found.level,
                           .nsteps = found.nsteps,
                           .steps = found.steps,
                           .name = found.name});
    if (k->kind == TOKEN_NOT || !known)
        return;
    s->repeats = found.kind == KIND_ARRAY;
    if (found.kind == KIND_ARRAY || found.kind == KIND_OBJECT || found.kind == KIND_CODE ||
        template_is_value(found.kind))
        c->scopes[++c->nscopes] = found.kind == KIND_ARRAY ? json_array_get(found.model, 0) : found.model;
}

static void close_section(struct compiler *c)
{
    if (c->skipped > 0) {
        c->skipped--;
        return;
    }
    struct section *s = &c->open[--c->nopen];
    flush(c);
    if (!c->stopped) {
        c->code[s->instr].from = (uint32_t)c->n;
        emit(c, (struct instr){.op = OP_CLOSE,
                               .kind = c->code[s->instr].op == OP_NOT ? KIND_FLAG : c->code[s->instr].kind,
                               .from = s->instr});
    }
    struct markup after = c->markup;
    c->markup = s->before;
    c->nscopes = s->nscopes;
    c->blind -= s->blind;
    if (markup_join(&c->markup, &after, s->repeats))
        return;
    const struct template_token *k = s->token;
    struct odp_slice tag = {s->file->text.ptr + k->at, k->end - k->at};
    fault_of_place(c, s->file, k->at, tag.len, TEMPLATE_CONTEXT_SPLIT, copy_text(c, tag));
    c->quiet = true; /* the places after it are unknown */
}

/* ---- files ---- */

static void compile_file(struct compiler *c, struct template_file *f, struct odp_slice indent);

/* The first folder that has it. */
static struct template_file *find_part(const struct odp_templates *t, struct odp_slice name, uint8_t form)
{
    for (size_t i = 0; i < t->parts.n; i++)
        if (t->parts.items[i]->form == form && odp_slice_is(name, t->parts.items[i]->name))
            return t->parts.items[i];
    return NULL;
}

static void fault_of_part(struct compiler *c, const struct template_token *k, uint8_t form)
{
    struct template_names names = {.n = 0};
    struct fault_more more = {.a = odp_arena_printf(&c->t->arena, "%.*s.%s", (int)k->name.len, k->name.ptr,
                                                    template_ending((enum template_form)form))};
    for (size_t i = 0; i < c->t->parts.n; i++)
        if (c->t->parts.items[i]->form == form)
            template_names_add(&names, c->t->parts.items[i]->name);
    template_names_suggest(c->t, &names, LISTED, k->name, &more);
    fault(c, k, TEMPLATE_PART_UNKNOWN, &more);
}

static bool is_cycle(struct compiler *c, const struct template_token *k, const struct template_file *part)
{
    struct odp_buffer way = {0};
    size_t i = 0;
    while (i < c->nfiles && c->files[i] != part)
        i++;
    if (i == c->nfiles)
        return false;
    for (; i < c->nfiles; i++)
        odp_buffer_printf(&way, "%s → ", c->files[i]->name);
    odp_buffer_add_str(&way, part->name);
    fault(c, k, TEMPLATE_PART_CYCLE, &(struct fault_more){.a = odp_buffer_keep(&way, &c->t->arena)});
    return true;
}

static void add_part(struct compiler *c, const struct template_token *k, struct odp_slice indent)
{
    struct template_file *part = find_part(c->t, k->name, c->top->form);
    if (part == NULL) {
        fault_of_part(c, k, c->top->form);
        c->quiet = true; /* what it would have opened or closed is not known */
        return;
    }
    part->used = true;
    if (is_cycle(c, k, part))
        return;
    if (c->nfiles == TEMPLATE_PARTS) {
        fault(c, k, TEMPLATE_PART_DEEP, &(struct fault_more){.a = "16"});
        return;
    }
    if (k->indent.len == 0) {
        compile_file(c, part, k->line ? indent : (struct odp_slice){"", 0});
        return;
    }
    char both[TEMPLATE_PARTS * TEMPLATE_INDENT];
    memcpy(both, indent.ptr, indent.len);
    memcpy(both + indent.len, k->indent.ptr, k->indent.len);
    compile_file(c, part, (struct odp_slice){both, indent.len + k->indent.len});
}

static bool is_blank(const struct template_file *f, size_t at)
{
    return at < f->text.len && (f->text.ptr[at] == '\n' || (f->text.ptr[at] == '\r' && at + 1 < f->text.len &&
                                                            f->text.ptr[at + 1] == '\n'));
}

/* Every line of a part that is indented, but those that are empty. */
static void add_indented(struct compiler *c, struct template_file *f, const struct template_token *k,
                         struct odp_slice indent)
{
    size_t at = k->at;
    while (at < k->end && !c->stopped) {
        const char *line = memchr(f->text.ptr + at, '\n', k->end - at);
        size_t end = line != NULL ? (size_t)(line - f->text.ptr) + 1 : k->end;
        if ((at > k->at || k->line) && !is_blank(f, at))
            add_text(c, f, indent, at);
        add_text(c, f, (struct odp_slice){f->text.ptr + at, end - at}, at);
        at = end;
    }
}

static void compile_token(struct compiler *c, struct template_file *f, const struct template_token *k,
                          struct odp_slice indent)
{
    if (c->skipped > 0 && k->kind != TOKEN_OPEN && k->kind != TOKEN_NOT && k->kind != TOKEN_CLOSE)
        return;
    if (indent.len > 0 && k->line && k->kind != TOKEN_TEXT && k->kind != TOKEN_CLOSE)
        add_text(c, f, indent, k->at);
    switch (k->kind) {
    case TOKEN_TEXT:
        if (indent.len > 0)
            add_indented(c, f, k, indent);
        else
            add_text(c, f, (struct odp_slice){f->text.ptr + k->at, k->end - k->at}, k->at);
        break;
    case TOKEN_OPEN:
    case TOKEN_NOT:
        open_section(c, k);
        break;
    case TOKEN_CLOSE:
        close_section(c);
        break;
    case TOKEN_PART:
        add_part(c, k, indent);
        break;
    default:
        add_value(c, k);
    }
}

static void compile_file(struct compiler *c, struct template_file *f, struct odp_slice indent)
{
    if (f->text.ptr == NULL && !f->bad)
        template_read_file(c->t, f);
    c->files[c->nfiles++] = f;
    c->quiet = c->quiet || f->bad;
    for (size_t i = 0; i < f->n && !c->stopped; i++) {
        c->stopped = c->stopped || ++c->work > TEMPLATE_WORK_MAX;
        compile_token(c, f, &f->tokens[i], indent);
    }
    c->nfiles--;
}

static void end_page(struct compiler *c)
{
    flush(c);
    if (c->stopped) {
        template_fault(c->t, c->top, 0, 0, TEMPLATE_PAGE_SIZE, NULL);
    } else if (!markup_is_text(&c->markup)) {
        size_t at = c->top->text.len > 0 ? c->top->text.len - 1 : 0;
        char name[sizeof c->markup.element + 1] = "";
        memcpy(name, c->markup.element,
               c->markup.nelement <= sizeof c->markup.element ? c->markup.nelement
                                                              : sizeof c->markup.element);
        fault_of_place(c, c->top, at, 1, TEMPLATE_CONTEXT_END, *name != '\0' ? name : "…");
    }
}

struct template_program *template_compile(struct odp_templates *t, struct template_file *file,
                                          const char *page, const json_t *names, enum odp_lang lang)
{
    struct compiler *c = odp_arena_zero(&t->arena, 1, sizeof *c);
    struct template_program *p = odp_arena_zero(&t->arena, 1, sizeof *p);
    c->t = t;
    c->lang = lang;
    c->page = page;
    c->names = names;
    c->top = file;
    markup_init(&c->markup, (enum template_form)file->form);
    compile_file(c, file, ODP_LIT(""));
    end_page(c);
    *p = (struct template_program){
        .code = c->code, .n = c->n, .page = page, .json = file->form == TEMPLATE_JSON};
    p->text = odp_buffer_keep(&c->text, &t->arena);
    return p;
}
