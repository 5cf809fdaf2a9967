package import Base

/// The thread that a database's actor is pinned to.
package typealias DatabaseExecutor = ThreadExecutor
