#include "commands/ask.h"

#include <stdio.h>
#include <string.h>

/* A line from the terminal without its end; false at the end of input. */
static bool read_line(char *line, size_t size)
{
    if (fgets(line, (int)size, stdin) == NULL)
        return false;
    size_t n = strlen(line);
    if (n > 0 && line[n - 1] != '\n') /* the rest of a line that is too long */
        for (int c = getchar(); c != EOF && c != '\n';)
            c = getchar();
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r' || line[n - 1] == ' '))
        line[--n] = '\0';
    return true;
}

bool ask_line(bool *asks, const char *question, const char *fallback, char *line, size_t size)
{
    fprintf(stderr, *fallback != '\0' ? "%s [%s]: " : "%s%s: ", question, fallback);
    if (!read_line(line, size)) {
        *asks = false;
        fputc('\n', stderr);
        line[0] = '\0';
    }
    return line[0] != '\0';
}

bool ask_word(const char *question, char *line, size_t size)
{
    fputs(question, stdout);
    fflush(stdout);
    bool more = read_line(line, size);
    if (!more)
        putchar('\n');
    return more;
}
