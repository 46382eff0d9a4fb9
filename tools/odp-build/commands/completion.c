/* odp-build completion: what bash and zsh need to complete a command line. The tables that parse it become
 * the model of templates/completion. */
#include <string.h>

#include "base/template/template.h"
#include "commands/outcome.h"
#include "words/commands.h"

extern const struct odp_template_text odp_completion_templates[];
extern const unsigned char odp_completion_model_json[];

/* Text within '…' and within […] or a:b of zsh. */
static json_t *zsh_text(const char *s)
{
    struct odp_buffer text = {0};
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            odp_buffer_add_str(&text, "'\\'");
        else if (strchr(":[]\\", *s) != NULL)
            odp_buffer_add_char(&text, '\\');
        odp_buffer_add_char(&text, *s);
    }
    json_t *out = json_stringn(text.len > 0 ? text.ptr : "", text.len);
    odp_buffer_release(&text);
    return out;
}

/* The names of reports, and of codes, with blanks between. */
static json_t *names_of(bool codes)
{
    struct odp_buffer names = {0};
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    for (size_t i = 0; codes && i < (size_t)ODP_CODE_COUNT; i++)
        odp_buffer_printf(&names, " %s", odp_code_info((enum odp_code)i)->code);
    for (size_t i = 0; !codes && i < n; i++)
        odp_buffer_printf(&names, " %s%s", reports[i]->name, reports[i]->workbook ? "=" : "");
    json_t *out = json_string(odp_buffer_cstr(&names) + 1);
    odp_buffer_release(&names);
    return out;
}

/* What WRITTEN, an argument as the help shows it, completes to: members of O. */
static void set_answer(json_t *o, const char *written)
{
    char words[64];
    const char *kind = "files";
    if (strstr(written, "FORMAT[") != NULL) {
        json_object_set_new(o, "words", names_of(false));
        return;
    }
    if (strstr(written, "SLUG") != NULL) {
        kind = "slugs";
    } else if (strstr(written, "FILE") != NULL) {
        kind = "files";
    } else if (strstr(written, "CODE") != NULL || strstr(written, "RULE") != NULL) {
        kind = "codes";
        json_object_set_new(o, "words", names_of(true));
    } else if (strcmp(written, "DIR") == 0 || strstr(written, "SITE") != NULL) {
        kind = "folders";
    } else if (strchr(written, '|') != NULL) { /* one of a list */
        snprintf(words, sizeof words, "%s", written);
        for (char *p = words; *p != '\0'; p++)
            *p = *p == '|' ? ' ' : *p;
        json_object_set_new(o, "words", json_string(words));
        return;
    }
    json_object_set_new(o, kind, json_true());
}

/* The options of COMMAND (NULL: before there is one). */
static json_t *options_of(const struct odp_program *p, const struct command *command, enum odp_lang lang)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->noptions; i++) {
        const struct option_row *row = &p->options[i];
        if (!odp_options_shows(p, command, row))
            continue;
        json_t *o = json_pack("{s:s, s:b, s:o}", "name", row->name, "repeated",
                              row->take != NULL && row->take == p->chosen, "summary",
                              zsh_text(odp_text_get(&row->summary, lang)));
        if (row->argument != NULL) {
            json_object_set_new(o, "argument", zsh_text(row->argument));
            set_answer(o, row->argument);
        }
        json_array_append_new(list, o);
    }
    return list;
}

static bool is_first(const struct option_row *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(rows[k].name, rows[i].name) == 0)
            return false;
    return true;
}

static json_t *model(const struct odp_program *p, enum odp_lang lang)
{
    json_t *commands = json_array(), *with_argument = json_array();
    for (size_t i = 0; p->commands[i] != NULL; i++) {
        json_t *o = json_pack("{s:s, s:o, s:o}", "name", p->commands[i]->name, "summary",
                              zsh_text(odp_text_get(&p->commands[i]->summary, lang)), "options",
                              options_of(p, p->commands[i], lang));
        set_answer(o, p->commands[i]->words);
        json_array_append_new(commands, o);
    }
    for (size_t i = 0; i < p->noptions; i++)
        if (p->options[i].argument != NULL && is_first(p->options, i)) {
            json_t *o = json_pack("{s:s}", "name", p->options[i].name);
            set_answer(o, p->options[i].argument);
            json_array_append_new(with_argument, o);
        }
    return json_pack("{s:o, s:o, s:o}", "commands", commands, "with_argument", with_argument, "options",
                     options_of(p, NULL, lang));
}

static int run_completion(struct invocation *inv)
{
    const char *shell = inv->nwords == 1 ? inv->words[0] : "";
    struct odp_buffer text = {0};
    if (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
        return outcome_usage(inv, W_cmd_usage_completion);
    enum odp_status status =
        odp_templates_write(odp_completion_templates, odp_completion_model_json, shell, inv->style.lang,
                            model(inv->line.program, inv->style.lang), &text);
    if (status == ODP_OK)
        fwrite(text.ptr, 1, text.len, stdout);
    odp_buffer_release(&text);
    return outcome_show(inv, NULL, status);
}

const struct command command_completion = {
    "completion", "bash|zsh", {{W_cmd_completion_commands_for_shell}}, run_completion};
