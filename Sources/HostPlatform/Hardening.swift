package import Base
internal import CPlatform
import Glibc

/// Makes this process fit to hold keys: no core dump, not dumpable, ends with its parent and where it would be
/// suspended. Call it before any thread is started. Throws `internal.fault`.
package func hardenProcess() throws(Failure) {
    signal(SIGPIPE, SIG_IGN)
    guard postern_harden() == 0 else { throw Failure(.internalFault) }
}
