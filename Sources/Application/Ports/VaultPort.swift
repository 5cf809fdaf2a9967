package import Base
package import Domain

/// Whether a weak passcode is taken nevertheless (`--allow-weak`).
package enum WeakPasscode: Sendable { case refused, allowed }

/// The vault before anything is unlocked. Its adapter holds the descriptor of the locked file and nothing secret.
package protocol VaultPort: Sendable {
    /// Fills the (empty) vault file with random bytes and makes the outer space.
    /// - Parameters:
    ///   - capacity: bytes for both regions together.
    ///   - progress: bytes written so far, and of how many; called at least once a second.
    /// Throws `vault.exists`, and then nothing was changed; `vault.capacity` for one that no vault has,
    /// `passcode.weak`, `passcode.empty`, `passcode.invalid`, `storage.diskFull`, `storage.readOnly`, `memory.short`:
    /// after these nothing in the file opens.
    func create(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64,
        progress: @Sendable (_ written: Int64, _ of: Int64) -> Void
    ) async throws(Failure)

    /// Checks the file and the limiter before a passcode is asked for.
    /// Throws `unlock.delayed` with the time left, `vault.damaged`, `vault.version`.
    func ready() async throws(Failure)

    /// Tries a passcode: one path, one time, whatever the outcome (invariant 2). Never erases (invariant 5).
    /// Throws what `ready` does, and `memory.short`, `storage.readOnly`; a wrong passcode is `.invalid`.
    func unlock(passcode: consuming SecretBytes) async throws(Failure) -> UnlockOutcome

    /// Writes the plain copies anew, with nothing changed but the limiter's clocks, whatever is open: so that the file's
    /// times say no more than that the program was running (`Heartbeat`). Throws what writing does.
    func touch() async throws(Failure)
}

/// The unlock boundary's whole answer (invariant 2). Each factory was made by its own code path; the decoy's holds no
/// handle to anything of the real one (invariant 1).
package enum UnlockOutcome: Sendable {
    case real(any SpaceFactory)
    case decoy(any SpaceFactory)
    case invalid
}

/// Opens the one space that was unlocked.
package protocol SpaceFactory: Sendable {
    /// Opens registry (cell 0) after finishing what an interruption left. Throws `storage.damaged`, `storage.version`.
    func open() async throws(Failure) -> any SpacePort
}

/// One step of a report on destroyed keys.
package struct ReportStep: Sendable, Equatable {
    package let name: String
    package let state: String
    package let at: Timestamp
    package init(name: String, state: String, at: Timestamp) {
        self.name = name
        self.state = state
        self.at = at
    }
}

/// What a destruction of keys did and what it cannot do.
package struct ErasureReport: Sendable, Equatable {
    package let scope: String
    package let steps: [ReportStep]
    /// What was read back from the disk and found as intended.
    package let readBack: [String]
    package let notCovered: [String]
    package init(scope: String, steps: [ReportStep], readBack: [String], notCovered: [String]) {
        self.scope = scope
        self.steps = steps
        self.readBack = readBack
        self.notCovered = notCovered
    }
}

/// An open space: registry of profiles, and what may be done to the space itself.
package protocol SpacePort: Sendable {
    /// In the order they were added.
    func profiles() async throws(Failure) -> [Profile]

    /// Makes a cell with the profile's database in it, stores the password there, and lists the profile; all or nothing.
    /// Throws `profile.exists` (name taken), `profile.limit`, `storage.full`.
    func addProfile(_ settings: ProfileSettings, password: consuming SecretBytes) async throws(Failure) -> Profile

    /// Stores other settings of a profile, in one transaction; its address stays. Throws `profile.missing`,
    /// `profile.exists` (name taken), `storage.full`; then nothing was changed.
    func changeProfile(_ id: ProfileID, to settings: ProfileSettings) async throws(Failure) -> Profile

    /// Destroys the profile's key: a fresh one is written in its place, synced and read back. The profile must be closed.
    func removeProfile(_ id: ProfileID) async throws(Failure) -> ErasureReport

    /// Opens a profile's database. Never makes an empty one in place of one that does not open (`storage.damaged`).
    func openProfile(_ id: ProfileID) async throws(Failure) -> any ProfileStorePort

    /// The profile to open after unlock, if one was in use.
    func lastProfile() async throws(Failure) -> ProfileID?
    func setLastProfile(_ id: ProfileID?) async throws(Failure)

    /// Throws `unlock.invalid` where `current` does not open this space, and the passcode codes.
    func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure)

    /// Throws `space.notHere` where commands that concern the vault as a whole do not work: asked before a passcode is.
    func requireOuter() async throws(Failure)

    /// Arms a duress passcode, in place of a former one: from now on it opens the outer space too, and destroys the inner
    /// one in the same moment. Outer space only, whether or not there is an inner one.
    /// - Parameter current: the present passcode of this space.
    /// Throws `space.notHere`, `unlock.invalid` where `current` does not open this space, the passcode codes, and
    /// `passcode.similar` where `new` is too like `current`.
    func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure)

    /// Ends the duress passcode, armed or entered; the same where there is none. Throws `space.notHere`.
    func disarmDuress() async throws(Failure)

    /// Replaces whatever is in the other half by a new empty space. Outer space only: `space.notHere` otherwise.
    /// Throws `passcode.taken` where the passcode opens this space, also as a duress one; and the passcode codes.
    func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) async throws(Failure)

    /// Appends stripes for both regions, rounded up to whole ones. Outer space only. Throws `vault.capacity` where that
    /// would not enlarge the vault or too much, `storage.diskFull`, `storage.readOnly`; then nothing changed.
    func grow(_ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void) async throws(Failure)

    /// Closes the registry and forgets every key. Idempotent.
    func close() async
}
