/* Numbers in a backend_config, which is JSON, JSON inside a string, or a text proto, as versions of XLA have
 * it. */
#ifndef HLO_CONFIG_H
#define HLO_CONFIG_H
#include "buf.h"

/* The number behind the first `key` followed by ':' or '=', any of them in quotes, escaped or not; -1: none.
 */
int64_t hlo_config_int(struct str config, struct str key);
#endif
