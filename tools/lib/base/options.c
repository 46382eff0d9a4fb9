#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/datetime.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "words/options.h"

enum { NAMES_MAX = 256, OPTION_COLUMN = 30 };

/* ---- which options ---- */

/* COMMAND takes the option. Without one (NULL) a program that is not strict takes all: it cannot tell. */
static bool takes(const struct odp_program *program, const struct command *command,
                  const struct option_row *row)
{
    char name[40];
    if (row->only == NULL || command == NULL)
        return row->only == NULL || !program->strict;
    (void)snprintf(name, sizeof name, " %s ", command->name);
    return strstr(row->only, name) != NULL;
}

bool odp_options_shows(const struct odp_program *program, const struct command *command,
                       const struct option_row *row)
{
    return command == NULL ? row->only == NULL : takes(program, command, row);
}

bool odp_options_given(const struct odp_command_line *line, const char *name)
{
    for (size_t i = 0; i < line->program->noptions; i++)
        if (line->taken[i] && strcmp(line->program->options[i].name, name) == 0)
            return true;
    return false;
}

/* The row of that name for COMMAND (NULL: not known), or of another command, for the message. */
static const struct option_row *find_option(const struct odp_program *p, const struct command *command,
                                            struct odp_slice name)
{
    const struct option_row *other = NULL;
    for (size_t i = 0; i < p->noptions; i++)
        if (odp_slice_is(name, p->options[i].name)) {
            if (takes(p, command, &p->options[i]))
                return &p->options[i];
            other = &p->options[i];
        }
    return other;
}

/* The command that follows the options: some options mean another thing to another command. */
static const struct command *coming(const struct odp_program *p, int argc, char **argv)
{
    for (int i = 1; i < argc && !p->strict; i++)
        for (size_t k = 0; p->commands[k] != NULL; k++)
            if (strcmp(argv[i], p->commands[k]->name) == 0)
                return p->commands[k];
    return NULL;
}

/* ---- names of arguments ---- */

/* The word of LANG for NAME ("FILE"), else NAME. */
static struct odp_slice word_for(struct odp_slice name, enum odp_lang lang)
{
    char key[40];
    (void)snprintf(key, sizeof key, " %.*s=", (int)name.len, name.ptr);
    const char *at = strstr(odp_word(lang, W_options_arguments), key);
    if (at == NULL)
        return name;
    at += strlen(key);
    return (struct odp_slice){at, strcspn(at, " ")};
}

void odp_option_arguments(struct odp_buffer *out, const char *words, enum odp_lang lang)
{
    for (size_t n; *words != '\0'; words += n) {
        n = strspn(words, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (n > 0)
            odp_buffer_add_slice(out, word_for((struct odp_slice){words, n}, lang));
        else
            odp_buffer_add(out, words, n = 1);
    }
}

/* ---- values ---- */

bool odp_option_list(void *at, char *value)
{
    struct option_list *list = at;
    if (*value == '\0' || list->n == MAX_LIST)
        return false;
    list->item[list->n++] = value;
    return true;
}

bool odp_option_lang(void *at, char *value)
{
    *(enum odp_lang *)at = strcmp(value, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    return strcmp(value, "en") == 0 || strcmp(value, "id") == 0;
}

bool odp_option_date(void *at, char *value)
{
    struct odp_datetime d;
    *(const char **)at = value;
    return odp_date_parse(odp_slice_of(value), ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK;
}

static bool take_text(void *at, char *value)
{
    *(const char **)at = value;
    return *value != '\0';
}

static bool set_option(struct invocation *inv, const struct option_row *row, char *value)
{
    void *at = (char *)inv + row->offset;
    if (row->argument == NULL) {
        *(bool *)at = true;
        return true;
    }
    return value != NULL && (row->take != NULL ? row->take : take_text)(at, value);
}

/* ---- parsing ---- */

/* GIVEN is not an option; NAME, GIVEN without its dashes, may be near one. */
static void say_unknown(const struct odp_command_line *line, const char *given, const char *name, FILE *err)
{
    const struct odp_program *p = line->program;
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < p->noptions && n < NAMES_MAX; i++)
        if (takes(p, line->command, &p->options[i]))
            names[n++] = p->options[i].name;
    const char *near = odp_word_nearest((struct odp_slice){name, strcspn(name, "=")}, names, n);
    fprintf(err, odp_word(line->lang, W_options_unknown), p->name, given,
            near == NULL ? "" : odp_word(line->lang, W_options_perhaps_option), near == NULL ? "" : near);
}

/* False: the row belongs to another command, which a strict program reports at once. */
static bool belongs(const struct odp_command_line *line, const struct option_row *row, const char *given,
                    FILE *err)
{
    const struct odp_program *p = line->program;
    if (!p->strict || takes(p, line->command, row))
        return true;
    fprintf(err,
            line->command == NULL ? odp_word(line->lang, W_options_command_first)
                                  : odp_word(line->lang, W_options_not_here),
            p->name, given);
    return false;
}

/* VALUE NULL: there is none. */
static void say_bad_value(const struct odp_command_line *line, const struct option_row *row,
                          const char *value, FILE *err)
{
    struct odp_buffer argument = {0};
    odp_option_arguments(&argument, row->argument, line->lang);
    if (value == NULL)
        fprintf(err, odp_word(line->lang, W_options_needs), line->program->name, row->name,
                odp_buffer_cstr(&argument));
    else
        fprintf(err, odp_word(line->lang, W_options_bad_value), line->program->name, row->name, value,
                odp_buffer_cstr(&argument));
    odp_buffer_release(&argument);
    if (row->take == line->program->chosen && row->take != NULL) {
        fputs(odp_word(line->lang, W_options_formats), err);
        line->program->choices(err, ", ");
    } else {
        fprintf(err, ": %s", odp_text_get(&row->summary, line->lang));
    }
    fputc('\n', err);
}

/* Takes argv[*i], which begins with --, and its argument where it has one. */
static bool take_option(struct odp_command_line *line, struct invocation *inv, int argc, char **argv, int *i,
                        FILE *err)
{
    const struct odp_program *p = line->program;
    char *name = argv[*i] + 2, *equals = strchr(name, '=');
    const struct command *command = line->command != NULL ? line->command : coming(p, argc, argv);
    const struct option_row *row = find_option(p, command, (struct odp_slice){name, strcspn(name, "=")});
    if (row == NULL) {
        say_unknown(line, argv[*i], name, err);
        return false;
    }
    if (!belongs(line, row, argv[*i], err))
        return false;
    char *value = equals != NULL ? equals + 1 : NULL;
    line->taken[row - p->options] = true;
    if (row->argument == NULL && value != NULL) {
        fprintf(err, odp_word(line->lang, W_options_no_value), p->name, row->name);
        return false;
    }
    if (row->argument != NULL && value == NULL && *i + 1 < argc)
        value = argv[++*i];
    if (!set_option(inv, row, value)) {
        say_bad_value(line, row, value, err);
        return false;
    }
    return true;
}

static bool take_command(struct odp_command_line *line, const char *word, FILE *err)
{
    const struct odp_program *p = line->program;
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (size_t i = 0; p->commands[i] != NULL && n < NAMES_MAX; i++) {
        names[n++] = p->commands[i]->name;
        if (strcmp(p->commands[i]->name, word) == 0) {
            line->command = p->commands[i];
            return true;
        }
    }
    const char *near = odp_word_nearest(odp_slice_of(word), names, n);
    fprintf(err, odp_word(line->lang, W_options_unknown_command), p->name, word,
            near == NULL ? "" : odp_word(line->lang, W_options_perhaps_command), near == NULL ? "" : near,
            p->name);
    return false;
}

/* Checks that need the whole line. */
static bool check_taken(const struct odp_command_line *line, FILE *err)
{
    const struct odp_program *p = line->program;
    for (size_t i = 0; i < p->noptions; i++)
        if (line->taken[i] && !takes(p, line->command, &p->options[i])) {
            fprintf(err, odp_word(line->lang, W_options_not_for), p->name, line->command->name,
                    p->options[i].name, p->options[i].only);
            return false;
        }
    return true;
}

int odp_options_parse(struct odp_command_line *line, struct invocation *inv, int argc, char **argv, FILE *err)
{
    const char *lang = getenv("ODP_LANG");
    line->lang = lang != NULL && strncmp(lang, "en", 2) == 0 ? ODP_LANG_EN : ODP_LANG_ID;
    /* The language first, so that messages about the other options are in it. */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--lang=en") == 0 ||
            (strcmp(argv[i], "--lang") == 0 && i + 1 < argc && strcmp(argv[i + 1], "en") == 0))
            line->lang = ODP_LANG_EN;
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && strcmp(argv[i], "-h") == 0)
            line->help = true;
        else if (!only_words && strncmp(argv[i], "--", 2) == 0) {
            if (!take_option(line, inv, argc, argv, &i, err))
                return EXIT_USAGE;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0') {
            say_unknown(line, argv[i], argv[i], err);
            return EXIT_USAGE;
        } else if (line->command == NULL) {
            if (!take_command(line, argv[i], err))
                return EXIT_USAGE;
        } else
            line->words[line->nwords++] = argv[i];
    }
    return check_taken(line, err) ? EXIT_CLEAN : EXIT_USAGE;
}

/* ---- help ---- */

/* SIGN (of an option), NAME and WORDS, padded to WIDTH columns. */
static void print_padded(FILE *out, const char *sign, const char *name, const char *words, enum odp_lang lang,
                         size_t width)
{
    struct odp_buffer b = {0};
    odp_buffer_printf(&b, "  %s%s ", sign, name);
    odp_option_arguments(&b, words, lang);
    size_t w = odp_utf8_width(odp_buffer_slice(&b));
    fprintf(out, "%s%*s", odp_buffer_cstr(&b), (int)(w < width ? width - w : 1), "");
    odp_buffer_release(&b);
}

static void print_commands(const struct odp_command_line *line, FILE *out)
{
    fprintf(out, "%s\n\n", odp_text_get(&line->program->usage, line->lang));
    for (size_t i = 0; line->program->commands[i] != NULL; i++) {
        const struct command *c = line->program->commands[i];
        print_padded(out, "", c->name, c->words, line->lang, line->program->column);
        fprintf(out, "%s\n", odp_text_get(&c->summary, line->lang));
    }
    fputc('\n', out);
}

static void print_command(const struct odp_command_line *line, FILE *out)
{
    const struct odp_program *p = line->program;
    const struct command *c = line->command;
    const struct odp_text *more = p->more != NULL ? p->more(c) : NULL;
    struct odp_buffer words = {0};
    odp_option_arguments(&words, c->words, line->lang);
    fprintf(out, "%s %s %s\n    %s\n", p->name, c->name, odp_buffer_cstr(&words),
            odp_text_get(&c->summary, line->lang));
    odp_buffer_release(&words);
    if (more != NULL && !odp_text_is_empty(more))
        fprintf(out, "\n%s", odp_text_get(more, line->lang));
    fputc('\n', out);
}

/* The help of the program, or of the command. */
static void print_help(const struct odp_command_line *line, FILE *out)
{
    const struct odp_program *p = line->program;
    (line->command != NULL ? print_command : print_commands)(line, out);
    for (size_t i = 0; i < p->noptions; i++) {
        const struct option_row *row = &p->options[i];
        if (!odp_options_shows(p, line->command, row))
            continue;
        print_padded(out, "--", row->name, row->argument != NULL ? row->argument : "", line->lang,
                     OPTION_COLUMN);
        fputs(odp_text_get(&row->summary, line->lang), out);
        if (row->take != NULL && row->take == p->chosen)
            p->choices(out, ", ");
        fputc('\n', out);
    }
    fprintf(out, "\n%s\n", odp_text_get(&p->exit_codes, line->lang));
}

/* ---- a run ---- */

int odp_options_run(const struct odp_command_line *line, struct invocation *inv, int code)
{
    if (code != EXIT_CLEAN)
        return code;
    if (line->version)
        printf("%s %s\n", line->program->name, line->program->version);
    else if (line->help)
        print_help(line, stdout);
    else if (line->command != NULL)
        return line->command->run(inv);
    else {
        print_help(line, stderr);
        return EXIT_USAGE;
    }
    return EXIT_CLEAN;
}

int odp_options_end(const struct odp_command_line *line, int code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    fprintf(stderr, "%s: %s\n", line->program->name, odp_word(line->lang, W_options_output_fails));
    return EXIT_MACHINE;
}
