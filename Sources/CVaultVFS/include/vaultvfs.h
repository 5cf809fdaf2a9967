/// The SQLite VFS "postern": one SQLCipher database and its write-ahead log, a *cell*, kept in slices of the vault
/// file under AES-256-XTS. Docs/FORMATS.md, section "Cells", has the bytes.
///
/// A cell is registered under a name, opened by that name with `sqlite3_open_v2(name, …, "postern")`, closed, and
/// unregistered. Nothing is ever created beside the vault file: every other file SQLite might ask for (a rollback
/// journal, a temporary file) is refused with SQLITE_CANTOPEN, so a connection sets `temp_store=MEMORY`,
/// `locking_mode=EXCLUSIVE`, `synchronous=FULL`, and `journal_mode=MEMORY` until the first page exists, then WAL.
///
/// Order of writes. Frames appended to the log are held back, enciphered, until SQLite syncs the log (or 64 frames
/// have gathered): then the frames' pages go out, then the table units that describe them, then `fdatasync`. A
/// connection with less than `synchronous=FULL` would lose commits when the process dies. Pages of the database go
/// out likewise before its own sync, which SQLite orders after that of the log.
///
/// Threads: registering, opening and unregistering may happen on any thread. A cell has one connection at a time (a
/// second one is refused with SQLITE_BUSY), which may move between threads but is used by one at a time.
#pragma once
#include <stdint.h>

/// Name of the VFS.
#define POSTERN_VFS_NAME "postern"
/// Bytes in a slice, and in a cipher unit (the unit SQLite's pages have, too).
#define POSTERN_SLICE_SIZE 1048576u
#define POSTERN_UNIT_SIZE 4096u
/// Slices of the log of a profile and of a registry. No transaction is larger than 2 MiB (512 frames), and a connection
/// checkpoints once 500 frames are in the log, or half of what it holds if that is less. 8 slices hold 2031 frames: both
/// together twice over, for what is written more than once (index merges, spilled caches). 2 slices hold 507: a
/// registry's transactions are a few rows. `PRAGMA postern_log_frames` answers the number for an open cell.
#define POSTERN_PROFILE_LOG_SLICES 8u
#define POSTERN_REGISTRY_LOG_SLICES 2u
/// Most slices a log may have, and a cell.
#define POSTERN_LOG_SLICES_MAX 64u
#define POSTERN_CELL_SLICES_MAX 1048576u
/// Longest name of a cell, in bytes. A name holds letters, digits, '.', '_' and is not empty.
#define POSTERN_CELL_NAME_MAX 63

/// Frames that a log of `log_slices` slices holds. A transaction that needs more than are free is SQLITE_FULL, is
/// rolled back, and leaves the cell as it was.
uint32_t postern_cell_log_frames(uint32_t log_slices);

/// Asks for one more slice for a cell, at `position` in its order (0 is the log's first slice).
///
/// Returns the slice's byte offset in the vault file (a multiple of 4096, not 0), or one of POSTERN_GROW_…, which fails
/// the transaction as the same error of a write to the file would. The assignment must be durable before it returns.
/// Called inside a write, on the connection's thread, before the first frame of a page that would have no home is taken
/// into the log: so whatever is committed can be checkpointed, and `max_page_count` need not be set. Must not call back
/// into this cell.
#define POSTERN_GROW_NONE 0u      // no slice is left: SQLITE_FULL
#define POSTERN_GROW_DISK_FULL 1u // the assignment did not reach the disk: SQLITE_FULL with ENOSPC
#define POSTERN_GROW_READ_ONLY 2u // SQLITE_READONLY
#define POSTERN_GROW_FAILED 3u    // SQLITE_IOERR_WRITE
typedef uint64_t (*postern_cell_grow)(void *context, uint32_t position);

/// Makes a cell openable as database `name` with the VFS "postern" (which the first call registers with SQLite).
///
/// - name: see POSTERN_CELL_NAME_MAX; copied.
/// - fd: the vault file, open for reading and writing; the caller's, must stay open until unregistered. A file open
///   for reading only gives a cell whose every write is SQLITE_READONLY.
/// - key: 64 bytes, two different AES-256 keys (XTS). Read at every opening of the database, *not* copied: it must
///   stay where it is, in the caller's locked memory, until unregistered. While the database is open, OpenSSL holds
///   expanded keys in its heap; they are wiped at closing.
/// - log_slices: how many of the first slices are the log, 1...POSTERN_LOG_SLICES_MAX.
/// - slices, count: byte offsets of the slices in order, each a multiple of 4096, not 0, `count` ≥ `log_slices`; copied.
/// - fresh: nonzero if the cell has never been written: what its slices hold is then ignored, and it opens as an empty
///   database. Once something was synced, closing and opening again finds it.
/// - grow, context: see postern_cell_grow; `grow` may be NULL (never grows). `context` must live until unregistered.
///
/// Returns SQLITE_OK, SQLITE_MISUSE (an argument outside the above), SQLITE_BUSY (the name is taken), SQLITE_NOMEM.
int postern_cell_register(const char *name, int fd, const uint8_t key[64], uint32_t log_slices,
                          const uint64_t *slices, uint32_t count, int fresh, postern_cell_grow grow, void *context);

/// Forgets a cell. Returns SQLITE_OK, SQLITE_NOTFOUND, or SQLITE_BUSY while the database is open.
int postern_cell_unregister(const char *name);

// Errors of a write. Vault file full on disk (ENOSPC, EDQUOT) or no more slices or log: SQLITE_FULL. Which of the two,
// `sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number)` tells: ENOSPC for the disk, 0 for the cell.
// EROFS, EPERM, EBADF: SQLITE_READONLY. Anything else: SQLITE_IOERR_…. After a failed fdatasync the cell refuses further writes
// until it is opened anew, because what the kernel still holds of the earlier ones is unknown.
