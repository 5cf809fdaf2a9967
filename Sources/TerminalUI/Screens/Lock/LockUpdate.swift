import Application
import Base
import Terminal

extension LockState {
    mutating func update(_ input: Input, boottime: Int64) -> [Effect] {
        switch input {
        case .secret(let secret):
            isRefused = false
            // What is typed while another attempt runs, or before one is allowed, is no attempt.
            guard phase == .asking else { return [] }
            guard !secret.isEmpty else {
                notice = nil
                return []
            }
            phase = .opening
            notice = nil
            return [.unlock(secret)]
        case .secretEnded(.cancelled): return phase == .opening ? [] : [.end(.quit)]
        case .secretEnded(.refused):
            isRefused = true
            return []
        case .key(.control("c")), .key(.character("q")), .key(KeyPress(.escape)):
            guard case .broken(let failure) = phase else { return [] }
            return [.end(.failed(failure))]
        case .answer(.ready(let failure)):
            guard let failure else {
                phase = .asking
                return []
            }
            stop(failure, boottime)
            return []
        case .answer(.unlocked(let failure)):
            guard let failure else { return [] }
            if failure.code == .unlockDelayed {
                stop(failure, boottime)
                return []
            }
            notice = failure
            phase = .checking
            return failure.code.recovery == .stop ? stopped(failure) : [.checkReady]
        case .tick:
            guard case .waiting(let until) = phase, boottime >= until else { return [] }
            phase = .checking
            // What the last attempt came to is no answer to what was typed while none was allowed.
            notice = nil
            return [.checkReady]
        default: return []
        }
    }

    private mutating func stopped(_ failure: Failure) -> [Effect] {
        phase = .broken(failure)
        return []
    }

    private mutating func stop(_ failure: Failure, _ boottime: Int64) {
        if failure.code == .unlockDelayed {
            phase = .waiting(until: boottime + (failure.retryAfterMilliseconds ?? 5_000))
        } else if failure.code.recovery == .retry {
            notice = failure
            phase = .waiting(until: boottime + 5_000)
        } else {
            phase = .broken(failure)
        }
    }
}
