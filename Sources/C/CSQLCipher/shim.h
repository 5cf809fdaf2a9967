#pragma once
#if !__has_include(<sqlcipher/sqlite3.h>)
#error "SQLCipher 4.6 is missing: run ./Scripts/setup"
#endif
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>
#if SQLITE_VERSION_NUMBER < 3046000
#error "SQLCipher is older than 4.6 (SQLite 3.46): run ./Scripts/setup"
#endif
