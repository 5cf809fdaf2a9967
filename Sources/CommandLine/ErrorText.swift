package import Base

extension ErrorCode {
    /// What happened and what one can do, in one plain sentence or two. Never a name, address or path.
    package var text: String {
        switch self {
        case .vaultMissing: "There is no vault here. Make one with: postern init"
        case .vaultExists: "A vault is already there; it was left as it is."
        case .vaultBusy: "Another program has this vault open. Close it and try again."
        case .vaultDamaged: "The vault's header is damaged beyond repair. Restore the file from a copy."
        case .vaultVersion: "This vault was made by a newer Postern. Install that version."
        case .vaultUnfinished: "Making this vault was interrupted; nothing was in it yet. Start over: postern init"
        case .vaultAccess: "The vault file cannot be opened. Check its owner and permissions (0600)."
        case .vaultPath: "A part of the vault's path is a file where a folder has to be."
        case .vaultCapacity: "A vault cannot have that size."
        case .unlockInvalid: "That passcode opens nothing here."
        case .unlockDelayed: "Too many attempts. Wait, then try again."
        case .passcodeEmpty: "The passcode is empty."
        case .passcodeWeak: "This passcode is too easy to guess. Use a longer one, for instance five random words."
        case .passcodeInvalid: "The passcode has characters that cannot be used, or is too long."
        case .passcodeSimilar:
            "This is too like the present passcode: a slip of the finger could enter it. Choose quite another one."
        case .passcodeTaken: "This passcode opens this space already. Choose another one."
        case .passcodeMismatch: "The two passcodes differ. Nothing was changed."
        case .spaceNotHere: "This cannot be done in this space."
        case .storageFull:
            "This space's share of the vault is full. Remove something, or enlarge the vault: vault grow."
        case .storageDiskFull: "The disk is full. Nothing was lost; free some space and try again."
        case .storageReadOnly: "The disk is read-only. Nothing was changed."
        case .storageDamaged: "The stored data is damaged and was left untouched."
        case .storageVersion: "This data was written by a newer Postern. Install that version."
        case .storageFailed: "Reading or writing the disk failed."
        case .memoryShort: "There is not enough free memory to check a passcode. Close something and try again."
        case .profileMissing: "There is no account of that name here."
        case .profileExists: "An account of that name is already here. Choose another with --name."
        case .profileNone: "No account is in use. Add one (profile add) or choose one (profile use)."
        case .profileLimit: "This space holds no more accounts."
        case .profileNameInvalid: "A name has 1 to 64 bytes and no spaces."
        case .jidInvalid: "That is not an address of the form name@server."
        case .messageEmpty: "The message is empty."
        case .messageTooLarge: "The message is too long (64 KiB at most)."
        case .messageMissing: "There is no such message."
        case .encryptionRequired:
            "Encryption is not available yet, and this account does not allow plain messages. "
                + "Send with --plain if everyone between may read it."
        case .outcomeUnknown: "It is not known whether the server took this message. Send it again with: retry"
        case .messageRefused: "The server or the recipient refused the message."
        case .outboxFull: "Too many messages are waiting. Connect first."
        case .netOffline: "There is no connection."
        case .netResolve: "The server's name was not found."
        case .netUnreachable: "The server cannot be reached."
        case .netTimeout: "The server did not answer in time."
        case .netClosed: "The connection was closed."
        case .netProxy: "The proxy refused the connection."
        case .tlsRequired: "The server offers no encryption. Nothing was sent."
        case .tlsFailed: "No encrypted connection came about."
        case .tlsUntrusted: "The server's certificate is not from a known authority. Nothing was sent."
        case .tlsWrongName: "The server's certificate is for another name. Nothing was sent."
        case .tlsExpired: "The server's certificate is not valid at this time. Check the clock. Nothing was sent."
        case .tlsAuthorityFile: "The certificate file holds no usable certificate."
        case .authRefused: "The server refused the account's name or password."
        case .authMechanism: "The server offers no acceptable way to sign in."
        case .authServerProof: "The server could not prove that it knows the password. The connection was ended."
        case .authDowngrade: "Someone weakened the way of signing in. The connection was ended."
        case .authAborted: "Signing in was aborted by the server."
        case .authTemporary: "The server cannot sign anyone in just now. Try again later."
        case .streamError: "The server ended the connection."
        case .streamConflict: "Another program signed in under this account's device name."
        case .streamInvalid: "The server sent something that is not allowed. The connection was ended."
        case .streamTooLarge: "The server sent something too large. The connection was ended."
        case .serverRefused: "The server refused the request."
        case .serverTimeout: "The server did not answer the request in time."
        case .serverBusy: "Too many requests wait for the server's answers. Try again later."
        case .commandUnknown: "There is no such command. Type: help"
        case .commandUsage: "The command's words are not right. Type: help"
        case .commandTooLong: "The line is too long (64 KiB at most)."
        case .commandNotActive: "Unlock first."
        case .confirmRequired: "This cannot be undone. Say it again with --yes."
        case .inputSecretRequired: "A secret is needed. Name a descriptor to read it from, or use a terminal."
        case .inputInvalid: "The input is not valid."
        case .inputCancelled: "Nothing was changed."
        case .terminalUnfit: "The full screen needs a terminal that can place text. In plain lines: postern shell"
        case .fileUnreadable: "The file cannot be read."
        case .fileIsVault: "That file is the vault itself. Name another one."
        case .waitTimeout: "It did not happen in time."
        case .sessionEnded: "The session ended unexpectedly. The vault is locked."
        case .internalFault: "A fault in Postern. The vault is unharmed; please report it."
        }
    }

    /// The program's exit code where an error ends it (Docs/FORMATS.md).
    package var exitCode: Int32 {
        switch self {
        case .commandUnknown, .commandUsage, .commandTooLong, .inputInvalid, .inputSecretRequired,
            .vaultCapacity, .terminalUnfit:
            2
        case .unlockInvalid, .vaultExists, .passcodeWeak, .passcodeSimilar, .passcodeTaken: 3
        case .unlockDelayed: 4
        case .vaultDamaged, .storageDamaged: 5
        case .tlsAuthorityFile: 1
        case _ where ["net.", "tls.", "auth.", "stream.", "server."].contains(where: rawValue.hasPrefix): 6
        default: 1
        }
    }
}

extension CodedError {
    /// The text of the code, with what the error adds to it.
    package var text: String {
        if let text = detail?.text(of: code) { return text }
        if let milliseconds = retryAfterMilliseconds {
            return code.text + " (\(max(1, (milliseconds + 999) / 1000)) s)"
        }
        return code.text
    }
}

extension FailureDetail {
    /// What it says in place of the code's own words.
    fileprivate func text(of code: ErrorCode) -> String {
        switch self {
        case .guessable(let hours, let weakness):
            let time = hours < 1 ? "less than an hour" : hours == 1 ? "about 1 hour" : "about \(hours) hours"
            return "This passcode would be found in \(time) on one machine: \(weakness.text). "
                + "Five random words make a good one."
        case .unusable(let number, let reason): return "Character \(number) of the passcode \(reason.text)"
        case .capacity(let least, let most):
            guard least <= most else { return code.text + " It is as large as one can be." }
            return code.text + " From \(sizeText(least)) to \(sizeText(most)) is possible."
        case .consequence(let consequence): return consequence.text + " Say it again with --yes."
        }
    }
}

extension FailureDetail.Unusable {
    fileprivate var text: String {
        switch self {
        case .joined:
            "is an emoji put together from several signs. Keyboards do that differently, so it cannot be used; "
                + "single emoji and all letters can."
        case .control: "is a control character, which cannot be used."
        case .other: "cannot be used."
        }
    }
}

extension FailureDetail.Consequence {
    /// What will happen, in words that are the same in every vault and space.
    package var text: String {
        switch self {
        case .replacesOtherHalf:
            "This makes a new, empty space in the other half of the vault. "
                + "Whatever is in that half, if anything, is replaced and gone for good."
        case .armsDuress: DuressWarning.text
        case .endsDuress: "The duress passcode ends, whether it was used or not."
        case .destroysProfile: "The account's messages and keys on this machine are gone for good."
        case .growsVault: "The vault file becomes larger, filled with random bytes. It cannot shrink again."
        }
    }
}

/// A size in the largest unit that writes it without a fraction, MiB at least.
package func sizeText(_ bytes: Int64) -> String {
    bytes % (1 << 30) == 0 ? "\(bytes >> 30) GiB" : "\(bytes >> 20) MiB"
}

extension FailureDetail.Weakness {
    fileprivate var text: String {
        switch self {
        case .short: "it is too short"
        case .word: "it is made of common words or names"
        case .keyboard: "it follows the keyboard"
        case .repetition: "it repeats itself"
        case .sequence: "it follows the alphabet or counts"
        case .date: "it is a date"
        }
    }
}
