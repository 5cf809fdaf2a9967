#pragma once

/// Makes the VFS "postern" known to SQLite; later calls do nothing. A result of SQLite's.
int vfs_register(void);
