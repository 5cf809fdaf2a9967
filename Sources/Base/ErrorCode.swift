/// Every stable error code of the program. The table in Docs/FORMATS.md says the same; `Scripts/check` compares them.
package enum ErrorCode: String, Sendable, CaseIterable {
    // Vault and unlock.
    case vaultMissing = "vault.missing"
    case vaultExists = "vault.exists"
    case vaultBusy = "vault.busy"
    case vaultDamaged = "vault.damaged"
    case vaultVersion = "vault.version"
    case vaultUnfinished = "vault.unfinished"
    case vaultAccess = "vault.access"
    case vaultPath = "vault.path"
    case vaultCapacity = "vault.capacity"
    case unlockInvalid = "unlock.invalid"
    case unlockDelayed = "unlock.delayed"
    case passcodeEmpty = "passcode.empty"
    case passcodeWeak = "passcode.weak"
    case passcodeInvalid = "passcode.invalid"
    case passcodeSimilar = "passcode.similar"
    case passcodeTaken = "passcode.taken"
    case passcodeMismatch = "passcode.mismatch"
    case spaceNotHere = "space.notHere"

    // Storage.
    case storageFull = "storage.full"
    case storageDiskFull = "storage.diskFull"
    case storageReadOnly = "storage.readOnly"
    case storageDamaged = "storage.damaged"
    case storageVersion = "storage.version"
    case storageFailed = "storage.failed"
    case memoryShort = "memory.short"

    // Profiles.
    case profileMissing = "profile.missing"
    case profileExists = "profile.exists"
    case profileNone = "profile.none"
    case profileLimit = "profile.limit"
    case profileNameInvalid = "profile.nameInvalid"

    // Messages and contacts.
    case jidInvalid = "jid.invalid"
    case messageEmpty = "message.empty"
    case messageTooLarge = "message.tooLarge"
    case messageMissing = "message.missing"
    case encryptionRequired = "encryption.required"
    case outcomeUnknown = "outcome.unknown"
    case messageRefused = "message.refused"
    case outboxFull = "outbox.full"

    // Network and server.
    case netOffline = "net.offline"
    case netResolve = "net.resolve"
    case netUnreachable = "net.unreachable"
    case netTimeout = "net.timeout"
    case netClosed = "net.closed"
    case netProxy = "net.proxy"
    case tlsRequired = "tls.required"
    case tlsFailed = "tls.failed"
    case tlsUntrusted = "tls.untrusted"
    case tlsWrongName = "tls.wrongName"
    case tlsExpired = "tls.expired"
    case tlsAuthorityFile = "tls.authorityFile"
    case authRefused = "auth.refused"
    case authMechanism = "auth.mechanism"
    case authServerProof = "auth.serverProof"
    case authDowngrade = "auth.downgrade"
    case authAborted = "auth.aborted"
    case authTemporary = "auth.temporary"
    case streamError = "stream.error"
    case streamConflict = "stream.conflict"
    case streamInvalid = "stream.invalid"
    case streamTooLarge = "stream.tooLarge"
    case serverRefused = "server.refused"
    case serverTimeout = "server.timeout"
    case serverBusy = "server.busy"

    // Commands.
    case commandUnknown = "command.unknown"
    case commandUsage = "command.usage"
    case commandTooLong = "command.tooLong"
    case commandNotActive = "command.notActive"
    case confirmRequired = "confirm.required"
    case inputSecretRequired = "input.secretRequired"
    case inputInvalid = "input.invalid"
    case inputCancelled = "input.cancelled"
    case terminalUnfit = "terminal.unfit"
    case fileUnreadable = "file.unreadable"
    case fileIsVault = "file.isVault"
    case waitTimeout = "wait.timeout"
    case sessionEnded = "session.ended"
    case internalFault = "internal.fault"

    package var recovery: Recovery {
        switch self {
        case .vaultBusy, .unlockInvalid, .unlockDelayed, .netOffline, .netResolve, .netUnreachable, .netTimeout,
            .netClosed, .netProxy, .streamError, .serverTimeout, .serverBusy, .waitTimeout, .authTemporary,
            .memoryShort:
            .retry
        case .vaultDamaged, .vaultVersion, .storageDamaged, .storageVersion, .storageFailed, .spaceNotHere,
            .authServerProof, .authDowngrade, .streamInvalid, .streamTooLarge, .sessionEnded, .internalFault:
            .stop
        case .vaultMissing, .vaultExists, .vaultUnfinished, .vaultAccess, .vaultPath, .vaultCapacity, .passcodeEmpty,
            .passcodeWeak, .passcodeInvalid, .passcodeSimilar, .passcodeTaken, .passcodeMismatch,
            .storageFull, .storageDiskFull, .storageReadOnly, .profileMissing, .profileExists, .profileNone,
            .profileLimit, .profileNameInvalid, .jidInvalid, .messageEmpty, .messageTooLarge, .messageMissing,
            .encryptionRequired, .outcomeUnknown, .messageRefused, .outboxFull, .tlsRequired, .tlsFailed,
            .tlsUntrusted, .tlsWrongName, .tlsExpired, .tlsAuthorityFile, .authRefused, .authMechanism,
            .authAborted, .streamConflict, .serverRefused, .commandUnknown, .commandUsage, .commandTooLong,
            .commandNotActive, .confirmRequired, .inputSecretRequired, .inputInvalid, .inputCancelled,
            .terminalUnfit, .fileUnreadable, .fileIsVault:
            .askUser
        }
    }
}
