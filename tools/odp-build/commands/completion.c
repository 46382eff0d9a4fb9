/* odp-build completion: what bash and zsh need to complete a command line, made of the tables that parse it. */
#include <string.h>

#include "commands/options.h"
#include "words/commands.h"

/* What an argument completes to, told from how it is written in the help. */
enum argument { ARGUMENT_OTHER, ARGUMENT_FOLDER, ARGUMENT_FILE, ARGUMENT_SLUG, ARGUMENT_REPORT, ARGUMENT_CODE, ARGUMENT_CHOICE };

static enum argument argument_of(const char *written, enum option_kind kind)
{
    if (kind == OPTION_REPORT)
        return ARGUMENT_REPORT;
    if (written == NULL)
        return ARGUMENT_OTHER;
    if (strstr(written, "SLUG") != NULL)
        return ARGUMENT_SLUG;
    if (strstr(written, "FILE") != NULL)
        return ARGUMENT_FILE;
    if (strstr(written, "CODE") != NULL || strstr(written, "RULE") != NULL)
        return ARGUMENT_CODE;
    if (strcmp(written, "DIR") == 0 || strstr(written, "SITE") != NULL)
        return ARGUMENT_FOLDER;
    return strchr(written, '|') != NULL ? ARGUMENT_CHOICE : ARGUMENT_OTHER;
}

static void put_choices(const char *written)
{
    for (const char *p = written; *p != '\0'; p++)
        putchar(*p == '|' ? ' ' : *p);
}

static void put_reports(void)
{
    size_t n;
    const struct odp_report *const *reports = odp_reports(&n);
    for (size_t i = 0; i < n; i++)
        printf("%s%s%s", i > 0 ? " " : "", reports[i]->name, reports[i]->workbook ? "=" : "");
}

static void put_codes(void)
{
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        printf("%s%s", code > 0 ? " " : "", odp_code_info((enum odp_code)code)->code);
}

static bool is_first(const struct option_row *rows, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(rows[k].name, rows[i].name) == 0)
            return false;
    return true;
}

/* ---- bash ------------------------------------------------------------------------------------------------------------------- */

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
    "    if [[ $cur == \"=\" ]]; then cur=''; elif [[ $prev == \"=\" && $COMP_CWORD -gt 1 ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n";

static void bash_options_with_argument(const struct option_row *rows, size_t n)
{
    bool any = false;
    printf("        ");
    for (size_t i = 0; i < n; i++)
        if (rows[i].argument != NULL && is_first(rows, i)) {
            printf("%s--%s", any ? " | " : "", rows[i].name);
            any = true;
        }
    printf(")\n"
           "            [[ ${COMP_WORDS[i+1]} == \"=\" ]] && ((i++))\n"
           "            ((i++))\n"
           "            [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i-1]} == --catalog || ${COMP_WORDS[i-2]} == --catalog && ${COMP_WORDS[i-1]} == \"=\" ]] && catalog=${COMP_WORDS[i]}\n"
           "            ;;\n"
           "        -*) ;;\n"
           "        *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;\n"
           "        esac\n"
           "    done\n");
}

static void bash_answer(enum argument a, const char *written)
{
    switch (a) {
    case ARGUMENT_FOLDER:
        printf("mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return");
        break;
    case ARGUMENT_SLUG:
        printf("mapfile -t COMPREPLY < <(compgen -W \"$(_odp_build_slugs \"$catalog\")\" -- \"$cur\"); return");
        break;
    case ARGUMENT_REPORT:
        printf("mapfile -t COMPREPLY < <(compgen -W '");
        put_reports();
        printf("' -- \"$cur\"); return");
        break;
    case ARGUMENT_CODE:
        printf("mapfile -t COMPREPLY < <(compgen -W '");
        put_codes();
        printf("' -- \"${cur^^}\"); return");
        break;
    case ARGUMENT_CHOICE:
        printf("mapfile -t COMPREPLY < <(compgen -W '");
        put_choices(written);
        printf("' -- \"$cur\"); return");
        break;
    case ARGUMENT_FILE:
    case ARGUMENT_OTHER:
        printf("mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return");
        break;
    }
}

static void bash_values(const struct option_row *rows, size_t n)
{
    printf("    case $prev in\n");
    for (size_t i = 0; i < n; i++)
        if (rows[i].argument != NULL && is_first(rows, i)) {
            printf("    --%s) ", rows[i].name);
            bash_answer(argument_of(rows[i].argument, rows[i].kind), rows[i].argument);
            printf(" ;;\n");
        }
    printf("    esac\n");
}

static void bash_names(const struct option_row *rows, size_t n, const struct command *command)
{
    for (size_t i = 0, k = 0; i < n; i++)
        if (options_takes(command, &rows[i]) && (command != NULL || rows[i].only == NULL))
            printf("%s--%s", k++ > 0 ? " " : "", rows[i].name);
}

static void print_bash(const struct command *const *commands)
{
    size_t n;
    const struct option_row *rows = options_rows(&n);
    fputs(bash_head, stdout);
    bash_options_with_argument(rows, n);
    bash_values(rows, n);
    printf("    if [[ $cur == -* ]]; then\n        local options\n        case $command in\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("        %s) options='", commands[i]->name);
        bash_names(rows, n, commands[i]);
        printf("' ;;\n");
    }
    printf("        *) options='");
    bash_names(rows, n, NULL);
    printf("' ;;\n        esac\n        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n        return\n    fi\n    case $command in\n    '') mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", commands[i]->name);
    printf("' -- \"$cur\") ;;\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("    %s) ", commands[i]->name);
        bash_answer(argument_of(commands[i]->words, OPTION_TEXT), commands[i]->words);
        printf(" ;;\n");
    }
    printf("    esac\n}\ncomplete -o filenames -F _odp_build odp-build\n");
}

/* ---- zsh -------------------------------------------------------------------------------------------------------------------- */

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

static void zsh_action(enum argument a, const char *written)
{
    switch (a) {
    case ARGUMENT_FOLDER:
        printf("_files -/");
        break;
    case ARGUMENT_SLUG:
        printf("_odp_build_slugs");
        break;
    case ARGUMENT_REPORT:
        printf("(");
        put_reports();
        printf(")");
        break;
    case ARGUMENT_CODE:
        printf("(");
        put_codes();
        printf(")");
        break;
    case ARGUMENT_CHOICE:
        printf("(");
        put_choices(written);
        printf(")");
        break;
    case ARGUMENT_FILE:
    case ARGUMENT_OTHER:
        printf("_files");
        break;
    }
}

static void zsh_options(const struct option_row *rows, size_t n, const struct command *command, enum odp_lang lang)
{
    for (size_t i = 0; i < n; i++) {
        if (!options_takes(command, &rows[i]) || (command == NULL && rows[i].only != NULL))
            continue;
        printf(" \\\n            '%s--%s[", rows[i].kind == OPTION_REPORT ? "*" : "", rows[i].name);
        put_zsh(odp_text_get(&rows[i].summary, lang));
        printf("]");
        if (rows[i].argument != NULL) {
            printf(":");
            put_zsh(rows[i].argument);
            printf(":");
            zsh_action(argument_of(rows[i].argument, rows[i].kind), rows[i].argument);
        }
        printf("'");
    }
}

static void print_zsh(const struct command *const *commands, enum odp_lang lang)
{
    size_t n;
    const struct option_row *rows = options_rows(&n);
    printf("#compdef odp-build\n"
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
           "    commands=(\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("        '%s:", commands[i]->name);
        put_zsh(odp_text_get(&commands[i]->summary, lang));
        printf("'\n");
    }
    printf("    )\n    _arguments -C");
    zsh_options(rows, n, NULL, lang);
    printf(" \\\n            '1: :->command' '*:: :->words'\n"
           "    case $state in\n    command) _describe command commands ;;\n    words)\n        case $words[1] in\n");
    for (size_t i = 0; commands[i] != NULL; i++) {
        printf("        %s) _arguments", commands[i]->name);
        zsh_options(rows, n, commands[i], lang);
        printf(" \\\n            '*: :");
        zsh_action(argument_of(commands[i]->words, OPTION_TEXT), commands[i]->words);
        printf("' ;;\n");
    }
    printf("        esac ;;\n    esac\n}\n"
           "if [[ $funcstack[1] == _odp-build ]]; then _odp-build \"$@\"; else compdef _odp-build odp-build; fi\n");
}

static int run_completion(struct invocation *inv)
{
    if (inv->nwords == 1 && strcmp(inv->words[0], "bash") == 0)
        print_bash(inv->commands);
    else if (inv->nwords == 1 && strcmp(inv->words[0], "zsh") == 0)
        print_zsh(inv->commands, inv->style.lang);
    else {
        fputs(say(inv, W_cmd_usage_completion), stderr);
        return EXIT_USAGE;
    }
    return EXIT_CLEAN;
}

const struct command command_completion = {
    "completion",
    "bash|zsh",
    {{W_cmd_completion_commands_for_shell}}, run_completion};
