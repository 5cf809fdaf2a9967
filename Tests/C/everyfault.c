/// A write or a sync fails, once, at every place where it can in a run that commits, rolls back, grows and checkpoints.
/// Whatever was acknowledged stays, in the running connection and after opening again.
#include <errno.h>
#include <stdbool.h>

#include "test.h"

/// Inserts, with a checkpoint in between, until something fails; says whether nothing did.
static bool work(sqlite3 *db, int64_t *rows) {
    for (int step = 0; step < 12; step++) {
        int count = step % 4 == 3 ? 150 : 5;
        int result = insert(db, *rows, count, 0);
        if (result != SQLITE_OK) return false;
        *rows += count;
        if (step % 5 == 4) {
            result = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
            if (result != SQLITE_OK) return false;
        }
    }
    return true;
}

static bool fails_at(int place, bool at_sync, int error) {
    vault v;
    sqlite3 *db = open_new(&v, 12);
    int64_t rows = 0;
    if (at_sync) {
        faults.syncs_until_fault = place;
        faults.sync_errno = error;
    } else {
        faults.writes_until_fault = place;
        faults.write_errno = error;
    }
    bool is_done = work(db, &rows);
    faults.writes_until_fault = -1;
    faults.syncs_until_fault = -1;
    int64_t found = number(db, "SELECT count(*) FROM rows");
    CHECK(found == rows);
    if (!at_sync) {
        // A failed write is undone, and the connection goes on.
        CHECK(insert(db, rows, 40, 0) == SQLITE_OK);
        rows += 40;
        check_rows(db, rows);
        CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK);
    }
    cell_close(&v, db);
    db = reopen(&v);
    found = number(db, "SELECT count(*) FROM rows");
    // A commit whose sync failed may be there, whole, after all.
    CHECK(found == rows || (at_sync && (found == rows + 5 || found == rows + 150)));
    check_rows(db, found);
    check_integrity(db);
    CHECK(insert(db, found, 10, 0) == SQLITE_OK);
    check_rows(db, found + 10);
    cell_close(&v, db);
    vault_drop(&v);
    return !is_done;
}

void any_write_or_sync_may_fail(void) {
    int writes = 0, syncs = 0;
    while (fails_at(writes, false, writes % 2 == 0 ? ENOSPC : EIO)) writes++;
    while (fails_at(syncs, true, EIO)) syncs++;
    // The work has a commit's two writes and a sync twelve times at least.
    CHECK(writes >= 24 && syncs >= 12);
}
