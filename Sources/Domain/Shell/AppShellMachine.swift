package import Base

/// The program's life as one machine (invariants 1, 2 and 8).
///
/// Whatever fails on the way to an open profile ends `locked` or in recovery, never back in an earlier profile. Closing
/// has no state of its own towards the outside: from the moment it begins the screen shows where it will end.
package struct AppShellMachine: Sendable {
    /// Which of the two containers an unlock named.
    package enum Space: Sendable, Equatable { case real, decoy }

    /// What happened.
    package enum Input: Sendable, Equatable {
        case didStart
        /// A person entered a passcode.
        case didEnterPasscode
        case didUnlock(Space)
        case didRefusePasscode
        /// The unlock itself could not be carried out.
        case didFailToUnlock(ErrorCode)
        /// The space is open; the profile that was in use last, if any, is to follow.
        case didOpenSpace(last: ProfileID?)
        case didFailToOpenSpace(ErrorCode)
        case didOpenProfile(ProfileID)
        case didFailToOpenProfile(ErrorCode)
        case didChooseProfile(ProfileID)
        case didCloseProfile
        case didConfirmErase(ProfileID)
        case didErase
        case didFailToErase(ErrorCode)
        case didRequestLock
        case didCloseSpace
    }

    /// What to do about it, in order.
    package enum Action: Sendable, Equatable {
        case tryPasscode
        case openSpace
        case openProfile(ProfileID)
        case closeProfile
        case eraseProfile(ProfileID)
        /// Close the profile and the space, whatever of them is there.
        case closeSpace
        /// The input does not fit the state; nothing changed.
        case refuse(ErrorCode)
    }

    private enum Stage: Sendable, Equatable {
        case bootstrapping
        case locked
        case unlocking
        case opening(Space, ProfileID?)
        case active(Space, ProfileID?)
        case switching(Space, from: ProfileID?, to: ProfileID)
        /// `active` is the profile to stay in afterwards.
        case erasing(Space, victim: ProfileID, active: ProfileID?)
        /// On the way to `locked` (nil) or to recovery.
        case closing(ErrorCode?)
        case recovery(ErrorCode)
    }

    private var stage = Stage.bootstrapping

    package init() {}

    package var state: ShellState {
        switch stage {
        case .bootstrapping: .bootstrapping
        case .locked, .closing(nil): .locked
        case .unlocking: .unlocking
        case .opening(.real, let profile): .openingReal(profile)
        case .opening(.decoy, let profile): .openingDecoy(profile)
        case .active(.real, let profile): .realActive(profile)
        case .active(.decoy, let profile): .decoyActive(profile)
        case .switching(_, let from, let to): .switchingProfile(from: from, to: to)
        case .erasing: .erasing
        case .closing(.some(let code)), .recovery(let code): .recoveryRequired(code)
        }
    }

    /// The profile commands act on; nil also while one is opened, closed or erased.
    package var activeProfile: ProfileID? {
        if case .active(_, let profile) = stage { profile } else { nil }
    }

    /// Whether commands on the space are taken.
    package var isActive: Bool {
        if case .active = stage { true } else { false }
    }

    /// The actions that follow. An input that does not fit changes nothing; a person's is refused.
    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .didStart: didStart()
        case .didEnterPasscode: didEnterPasscode()
        case .didUnlock(let space): didUnlock(space)
        case .didRefusePasscode: didEndUnlock(nil)
        case .didFailToUnlock(let code): didEndUnlock(code)
        case .didOpenSpace(let last): didOpenSpace(last)
        case .didFailToOpenSpace(let code), .didFailToOpenProfile(let code), .didFailToErase(let code):
            didFail(code)
        case .didOpenProfile(let profile): didOpenProfile(profile)
        case .didChooseProfile(let profile): didChoose(profile)
        case .didCloseProfile: didCloseProfile()
        case .didConfirmErase(let profile): didConfirmErase(profile)
        case .didErase: didErase()
        case .didRequestLock: didRequestLock()
        case .didCloseSpace: didCloseSpace()
        }
    }
}

extension AppShellMachine {
    private mutating func didStart() -> [Action] {
        guard stage == .bootstrapping else { return [] }
        stage = .locked
        return []
    }

    private mutating func didEnterPasscode() -> [Action] {
        guard stage == .locked else { return [.refuse(.commandNotActive)] }
        stage = .unlocking
        return [.tryPasscode]
    }

    private mutating func didUnlock(_ space: Space) -> [Action] {
        switch stage {
        case .unlocking:
            stage = .opening(space, nil)
            return [.openSpace]
        case .closing:
            // Locked while the passcode was tried: what it opened is dropped at once.
            return [.closeSpace]
        case .bootstrapping, .locked, .opening, .active, .switching, .erasing, .recovery:
            return []
        }
    }

    /// A code that speaks of damage needs recovery; a wrong passcode or a passing cause only leaves it locked.
    private mutating func didEndUnlock(_ code: ErrorCode?) -> [Action] {
        switch stage {
        case .unlocking: stage = Self.end(after: code)
        case .closing(let code): stage = Self.end(after: code)
        case .bootstrapping, .locked, .opening, .active, .switching, .erasing, .recovery: break
        }
        return []
    }

    private mutating func didOpenSpace(_ last: ProfileID?) -> [Action] {
        switch stage {
        case .opening(let space, nil):
            guard let last else {
                stage = .active(space, nil)
                return []
            }
            stage = .opening(space, last)
            return [.openProfile(last)]
        case .closing: return [.closeSpace]
        case .opening, .bootstrapping, .locked, .unlocking, .active, .switching, .erasing, .recovery: return []
        }
    }

    private mutating func didOpenProfile(_ profile: ProfileID) -> [Action] {
        switch stage {
        case .opening(let space, let expected) where expected == profile: stage = .active(space, profile)
        case .switching(let space, _, let to) where to == profile: stage = .active(space, profile)
        case .closing: return [.closeSpace]
        case .opening, .switching, .bootstrapping, .locked, .unlocking, .active, .erasing, .recovery: break
        }
        return []
    }

    private mutating func didChoose(_ profile: ProfileID) -> [Action] {
        guard case .active(let space, let current) = stage else { return [.refuse(.commandNotActive)] }
        guard current != profile else { return [] }
        stage = .switching(space, from: current, to: profile)
        return current == nil ? [.openProfile(profile)] : [.closeProfile]
    }

    private mutating func didCloseProfile() -> [Action] {
        switch stage {
        case .switching(_, _, let to): [.openProfile(to)]
        case .erasing(_, let victim, _): [.eraseProfile(victim)]
        case .bootstrapping, .locked, .unlocking, .opening, .active, .closing, .recovery: []
        }
    }

    private mutating func didConfirmErase(_ victim: ProfileID) -> [Action] {
        guard case .active(let space, let current) = stage else { return [.refuse(.commandNotActive)] }
        let isOpen = current == victim
        stage = .erasing(space, victim: victim, active: isOpen ? nil : current)
        return isOpen ? [.closeProfile] : [.eraseProfile(victim)]
    }

    private mutating func didErase() -> [Action] {
        switch stage {
        case .erasing(let space, _, let active): stage = .active(space, active)
        case .closing: return [.closeSpace]
        case .bootstrapping, .locked, .unlocking, .opening, .active, .switching, .recovery: break
        }
        return []
    }

    private mutating func didFail(_ code: ErrorCode) -> [Action] {
        switch stage {
        case .opening, .switching, .erasing:
            stage = .closing(Self.needsRecovery(code) ? code : nil)
            return [.closeSpace]
        case .closing: return [.closeSpace]
        case .bootstrapping, .locked, .unlocking, .active, .recovery: return []
        }
    }

    private mutating func didRequestLock() -> [Action] {
        switch stage {
        case .unlocking:
            // The passcode's trial ends by itself; `didUnlock` or its refusal comes next.
            stage = .closing(nil)
            return []
        case .opening, .active, .switching, .erasing:
            stage = .closing(nil)
            return [.closeSpace]
        case .closing:
            stage = .closing(nil)
            return []
        case .recovery, .bootstrapping:
            stage = .locked
            return []
        case .locked: return []
        }
    }

    private mutating func didCloseSpace() -> [Action] {
        switch stage {
        case .closing(let code): stage = Self.end(after: code)
        case .bootstrapping, .locked, .unlocking, .opening, .active, .switching, .erasing, .recovery: break
        }
        return []
    }

    private static func end(after code: ErrorCode?) -> Stage {
        if let code, needsRecovery(code) { .recovery(code) } else { .locked }
    }

    /// Whether trying again would meet the same damage, so that a person has to restore or upgrade something.
    private static func needsRecovery(_ code: ErrorCode) -> Bool {
        code.recovery == .stop && code != .spaceNotHere
    }
}
