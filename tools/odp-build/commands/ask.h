/* Questions on the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Asks QUESTION, whose answer is FALLBACK ("": none) where a line is left empty. True: LINE has an answer. At
 * the end of input *ASKS becomes false, and nothing more is asked. */
bool ask_line(bool *asks, const char *question, const char *fallback, char *line, size_t size);
/* Asks QUESTION on standard output, after what it is about. LINE is without blanks at its end. False: the
 * end of input. */
bool ask_word(const char *question, char *line, size_t size);
