/* Letters and digits of ASCII, whatever the locale. */
#pragma once

#include <stdbool.h>

static inline bool odp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool odp_is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool odp_is_alnum(char c)
{
    return odp_is_digit(c) || odp_is_letter(c);
}

static inline char odp_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The value of C as a hexadecimal digit; else -1. */
static inline int odp_hex_value(char c)
{
    if (odp_is_digit(c))
        return c - '0';
    char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}
