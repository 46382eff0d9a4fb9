/* Names that mean nothing on the internet, for target.c. Names are in lower case. */
#ifndef ODP_GATEWAY_DELIVER_TARGET_INSIDE_H
#define ODP_GATEWAY_DELIVER_TARGET_INSIDE_H

#include "deliver/address.h"

bool target_name_is_localhost(const char *name); /* "localhost", or a name that ends in ".localhost" */
bool target_name_is_special(const char *name);

#endif
