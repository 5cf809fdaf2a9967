#pragma once
// The calls that Debian 12 has; c-ares 1.34 of Debian 13 deprecates some of them.
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <ares_nameser.h>

// Newer releases make enumerations of these, which Swift sees as types of their own.
static const int postern_ares_success = ARES_SUCCESS;
static const int postern_ares_nodata = ARES_ENODATA;
static const int postern_ares_notfound = ARES_ENOTFOUND;
static const int postern_ares_nosearch = ARES_FLAG_NOSEARCH;
static const int postern_ares_resolvconf = ARES_OPT_RESOLVCONF;
static const int postern_ares_options = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
