package import Base
internal import CPlatform
import Glibc

/// Fills the places of standard streams that this process was started without, so that no file it opens takes one and
/// gets what is meant for a person. They can be neither read nor written. Call it first. Throws `internal.fault`.
package func occupyStandardStreams() throws(Failure) {
    guard postern_occupy_standard_streams() == 0 else { throw Failure(.internalFault) }
}

/// Makes this process fit to hold keys: no core dump, not dumpable, ends with its parent and where it would be
/// suspended. Call it on the main thread, before any other is started: the kernel keeps some of it for the thread that
/// asks, and forgets it with that thread. Throws `internal.fault`.
package func hardenProcess() throws(Failure) {
    guard postern_harden() == 0 else { throw Failure(.internalFault) }
}
