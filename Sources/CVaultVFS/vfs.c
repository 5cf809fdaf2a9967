#include "vaultvfs.h"
static int unused_until_written;
int postern_vfs_placeholder(void);
int postern_vfs_placeholder(void) { return unused_until_written; }
