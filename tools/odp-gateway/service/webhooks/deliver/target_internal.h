/* Names that mean nothing on the internet, for target.c. Names are in lower case. */
#ifndef ODP_SERVICE_WEBHOOKS_DELIVER_TARGET_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_DELIVER_TARGET_INTERNAL_H

#include "service/webhooks/deliver/address.h"

bool target_name_is_localhost(const char *name); /* "localhost", or a name that ends in ".localhost" */
bool target_name_is_special(const char *name);

#endif
