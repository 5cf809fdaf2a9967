package import Base
internal import CPlatform
internal import CSandbox
import Glibc
import Terminal

/// Fills the places of standard streams that this process was started without, so that no file it opens takes one and
/// gets what is meant for a person. They can be neither read nor written. Call it first. Throws `internal.fault`.
package func occupyStandardStreams() throws(Failure) {
    guard postern_occupy_standard_streams() == 0 else { throw Failure(.internalFault) }
}

/// What the session child is held in.
package struct Sandbox: Sendable, Equatable {
    /// The version of Landlock in force; 0 for none.
    package let landlock: Int
    /// Whether system calls are filtered.
    package let filtersCalls: Bool

    init(_ sandbox: postern_sandbox) {
        landlock = Int(sandbox.landlock)
        filtersCalls = sandbox.filter
    }

    /// Whether both are in force.
    package var isWhole: Bool { landlock > 0 && filtersCalls }

    /// Makes this process fit to hold keys: no core dump, not dumpable, ends with its parent and where it would be
    /// suspended, leaves the terminal as it is now, and can reach little else.
    ///
    /// Call it on the main thread, before any other is started: the kernel keeps some of it for the thread that asks,
    /// and forgets it with that thread. Throws `internal.fault`. A kernel without a sandbox is no failure.
    /// - Parameter drawsScreen: whether this process fills the screen, so that its death is to leave it.
    package static func enter(drawsScreen: Bool) throws(Failure) -> Sandbox {
        // For the life of the process.
        let leave = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ScreenSequences.leave.count)
        _ = leave.initialize(from: ScreenSequences.leave)
        var sandbox = postern_sandbox()
        guard postern_terminal_will(STDIN_FILENO, STDOUT_FILENO, leave.baseAddress, drawsScreen ? leave.count : 0) == 0,
            postern_harden() == 0, postern_sandbox_enter(&sandbox) == 0
        else { throw Failure(.internalFault) }
        return Sandbox(sandbox)
    }
}
