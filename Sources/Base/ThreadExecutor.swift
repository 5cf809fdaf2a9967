internal import CPlatform
import Glibc
import Synchronization

/// A thread as an actor's serial executor: calls that block (a database's, a terminal's) stay off the shared thread pool.
///
/// Give it to an actor as its `unownedExecutor` and keep it as a property there. The thread ends when the executor is
/// let go and its jobs are done.
package final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    /// Starts the thread.
    /// - Throws: `internal.fault` if the system has no thread to give.
    package init() throws(Failure) {
        let context = Unmanaged.passRetained(queue)
        let failure = postern_thread_start(
            "actor",
            { context in
                if let context { Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().runUntilClosed() }
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            throw Failure(.internalFault)
        }
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), executor: asUnownedSerialExecutor())
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(queue.isCurrentThread, "this is not the executor's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { queue.isCurrentThread }
}

/// Jobs in order of arrival, and the thread that runs them. Its length is bounded by the actor's callers, each of
/// which waits for its own job.
// @unchecked: `semaphore` is written once, before the value is shared, and semaphores are for any thread.
private final class JobQueue: @unchecked Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, executor: UnownedSerialExecutor)] = []
        var isClosed = false
        var thread: pthread_t?
    }

    private let state = Mutex(State())
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    var isCurrentThread: Bool {
        state.withLock { state in state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    func append(_ job: UnownedJob, executor: UnownedSerialExecutor) {
        state.withLock { $0.jobs.append((job, executor)) }
        sem_post(semaphore)
    }

    func close() {
        state.withLock { $0.isClosed = true }
        sem_post(semaphore)
    }

    func runUntilClosed() {
        state.withLock { $0.thread = pthread_self() }
        while true {
            while sem_wait(semaphore) != 0 {}
            let (batch, isClosed) = state.withLock { state in
                defer { state.jobs.removeAll() }
                return (state.jobs, state.isClosed)
            }
            for entry in batch { entry.job.runSynchronously(on: entry.executor) }
            if isClosed && batch.isEmpty { return }
        }
    }
}
