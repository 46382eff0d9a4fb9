/* odp-build completion: what bash and zsh need to complete a command line, made of the tables that parse it.
 */
#include <string.h>

#include "commands/options.h"
#include "words/commands.h"

/* What an argument completes to, told from how it is written in the help. WORDS: one of a list. */
enum argument {
    ARGUMENT_OTHER,
    ARGUMENT_FOLDER,
    ARGUMENT_SLUG,
    ARGUMENT_REPORT,
    ARGUMENT_CODE,
    ARGUMENT_CHOICE
};

static enum argument argument_of(const char *written)
{
    if (written == NULL)
        return ARGUMENT_OTHER;
    if (strstr(written, "FORMAT[") != NULL)
        return ARGUMENT_REPORT;
    if (strstr(written, "SLUG") != NULL)
        return ARGUMENT_SLUG;
    if (strstr(written, "FILE") != NULL)
        return ARGUMENT_OTHER;
    if (strstr(written, "CODE") != NULL || strstr(written, "RULE") != NULL)
        return ARGUMENT_CODE;
    if (strcmp(written, "DIR") == 0 || strstr(written, "SITE") != NULL)
        return ARGUMENT_FOLDER;
    return strchr(written, '|') != NULL ? ARGUMENT_CHOICE : ARGUMENT_OTHER;
}

/* The words of REPORT, CODE and CHOICE, with blanks between. */
static void put_words(enum argument a, const char *written)
{
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    if (a == ARGUMENT_REPORT)
        for (size_t i = 0; i < n; i++)
            printf("%s%s%s", i > 0 ? " " : "", reports[i]->name, reports[i]->workbook ? "=" : "");
    else if (a == ARGUMENT_CODE)
        for (int code = 0; code < ODP_CODE_COUNT; code++)
            printf("%s%s", code > 0 ? " " : "", odp_code_info((enum odp_code)code)->code);
    else
        for (const char *p = written; *p != '\0'; p++)
            putchar(*p == '|' ? ' ' : *p);
}

static bool is_first(const struct option_row *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(rows[k].name, rows[i].name) == 0)
            return false;
    return true;
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion of odp-build\n"
    "_odp_build_slugs() {\n"
    "    local d\n"
    "    for d in \"$1\"/*/dataset.json; do\n"
    "        d=${d%/dataset.json}\n"
    "        [[ ${d##*/} == \\* ]] || printf '%s\\n' \"${d##*/}\"\n"
    "    done\n"
    "}\n"
    "_odp_build() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' catalog=catalog i\n"
    "    # \"=\" is a word of its own.\n"
    "    if [[ $cur == \"=\" ]]; then cur=''; elif [[ $prev == \"=\" && $COMP_CWORD -gt 1 ]]; then "
    "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n";

static void bash_options_with_argument(const struct odp_program *p)
{
    bool any = false;
    printf("        ");
    for (size_t i = 0; i < p->noptions; i++)
        if (p->options[i].argument != NULL && is_first(p->options, i)) {
            printf("%s--%s", any ? " | " : "", p->options[i].name);
            any = true;
        }
    printf(")\n"
           "            [[ ${COMP_WORDS[i+1]} == \"=\" ]] && ((i++))\n"
           "            ((i++))\n"
           "            [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i-1]} == --catalog || ${COMP_WORDS[i-2]} == "
           "--catalog && "
           "${COMP_WORDS[i-1]} == \"=\" ]] && catalog=${COMP_WORDS[i]}\n"
           "            ;;\n"
           "        -*) ;;\n"
           "        *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;\n"
           "        esac\n"
           "    done\n");
}

static void bash_answer(const char *written)
{
    enum argument a = argument_of(written);
    printf("mapfile -t COMPREPLY < <(compgen ");
    if (a == ARGUMENT_OTHER)
        printf("-f");
    else if (a == ARGUMENT_FOLDER)
        printf("-d");
    else if (a == ARGUMENT_SLUG)
        printf("-W \"$(_odp_build_slugs \"$catalog\")\"");
    else {
        printf("-W '");
        put_words(a, written);
        putchar('\'');
    }
    printf(" -- \"%s\"); return ;;\n", a == ARGUMENT_CODE ? "${cur^^}" : "$cur");
}

static void bash_names(const struct odp_program *p, const struct command *command)
{
    printf("        %s) options='", command != NULL ? command->name : "*");
    for (size_t i = 0, k = 0; i < p->noptions; i++)
        if (odp_options_shows(p, command, &p->options[i]))
            printf("%s--%s", k++ > 0 ? " " : "", p->options[i].name);
    printf("' ;;\n");
}

static void print_bash(const struct odp_program *p)
{
    fputs(bash_head, stdout);
    bash_options_with_argument(p);
    printf("    case $prev in\n");
    for (size_t i = 0; i < p->noptions; i++)
        if (p->options[i].argument != NULL && is_first(p->options, i)) {
            printf("    --%s) ", p->options[i].name);
            bash_answer(p->options[i].argument);
        }
    printf("    esac\n    if [[ $cur == -* ]]; then\n        local options\n        case $command in\n");
    for (size_t i = 0; p->commands[i] != NULL; i++)
        bash_names(p, p->commands[i]);
    bash_names(p, NULL);
    printf("        esac\n        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n        "
           "return\n    fi\n"
           "    case $command in\n    '') mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; p->commands[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", p->commands[i]->name);
    printf("' -- \"$cur\") ;;\n");
    for (size_t i = 0; p->commands[i] != NULL; i++) {
        printf("    %s) ", p->commands[i]->name);
        bash_answer(p->commands[i]->words);
    }
    printf("    esac\n}\ncomplete -o filenames -F _odp_build odp-build\n");
}

/* ---- zsh ---- */

/* Text inside of '…' and of […] or a:b. */
static void put_zsh(const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            fputs("'\\''", stdout);
        else if (strchr(":[]\\", *s) != NULL)
            printf("\\%c", *s);
        else
            putchar(*s);
    }
}

static void zsh_action(const char *written)
{
    static const char *const actions[] = {
        [ARGUMENT_OTHER] = "_files", [ARGUMENT_FOLDER] = "_files -/", [ARGUMENT_SLUG] = "_odp_build_slugs"};
    enum argument a = argument_of(written);
    if (a < ARGUMENT_REPORT) {
        printf("%s'", actions[a]);
        return;
    }
    putchar('(');
    put_words(a, written);
    printf(")'");
}

static void zsh_options(const struct odp_program *p, const struct command *command, enum odp_lang lang)
{
    for (size_t i = 0; i < p->noptions; i++) {
        const struct option_row *row = &p->options[i];
        if (!odp_options_shows(p, command, row))
            continue;
        printf(" \\\n            '%s--%s[", row->take != NULL && row->take == p->chosen ? "*" : "",
               row->name);
        put_zsh(odp_text_get(&row->summary, lang));
        putchar(']');
        if (row->argument == NULL) {
            putchar('\'');
            continue;
        }
        putchar(':');
        put_zsh(row->argument);
        putchar(':');
        zsh_action(row->argument);
    }
}

static const char zsh_head[] = "#compdef odp-build\n"
                               "_odp_build_slugs() {\n"
                               "    local -a slugs\n"
                               "    slugs=(${(Q)opt_args[--catalog]:-catalog}/*/dataset.json(N:h:t))\n"
                               "    compadd -a slugs\n"
                               "    _files\n"
                               "}\n"
                               "_odp-build() {\n"
                               "    local curcontext=$curcontext state line\n"
                               "    local -a commands\n"
                               "    typeset -A opt_args\n"
                               "    commands=(\n";

static void print_zsh(const struct odp_program *p, enum odp_lang lang)
{
    fputs(zsh_head, stdout);
    for (size_t i = 0; p->commands[i] != NULL; i++) {
        printf("        '%s:", p->commands[i]->name);
        put_zsh(odp_text_get(&p->commands[i]->summary, lang));
        printf("'\n");
    }
    printf("    )\n    _arguments -C");
    zsh_options(p, NULL, lang);
    printf(" \\\n            '1: :->command' '*:: :->words'\n"
           "    case $state in\n    command) _describe command commands ;;\n    words)\n        case "
           "$words[1] in\n");
    for (size_t i = 0; p->commands[i] != NULL; i++) {
        printf("        %s) _arguments", p->commands[i]->name);
        zsh_options(p, p->commands[i], lang);
        printf(" \\\n            '*: :");
        zsh_action(p->commands[i]->words);
        printf(" ;;\n");
    }
    printf("        esac ;;\n    esac\n}\n"
           "if [[ $funcstack[1] == _odp-build ]]; then _odp-build \"$@\"; else compdef _odp-build odp-build; "
           "fi\n");
}

static int run_completion(struct invocation *inv)
{
    if (inv->nwords == 1 && strcmp(inv->words[0], "bash") == 0)
        print_bash(inv->line.program);
    else if (inv->nwords == 1 && strcmp(inv->words[0], "zsh") == 0)
        print_zsh(inv->line.program, inv->style.lang);
    else {
        fputs(say(inv, W_cmd_usage_completion), stderr);
        return EXIT_USAGE;
    }
    return EXIT_CLEAN;
}

const struct command command_completion = {
    "completion", "bash|zsh", {{W_cmd_completion_commands_for_shell}}, run_completion};
