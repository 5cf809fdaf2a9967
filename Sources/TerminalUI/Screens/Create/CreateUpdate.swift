import Application
import Base
import Terminal

extension CreateState {
    mutating func update(_ input: Input) -> [Effect] {
        switch input {
        case .secret(let secret): return typed(secret)
        case .secretEnded(.cancelled): return [.end(.quit)]
        case .secretEnded(.refused):
            notice = .refused
            phase = .first
            return []
        case .key(let key): return pressed(key)
        case .answer(.progress(let done, let of)):
            if case .making = phase { phase = .making(done: done, of: of) }
            return []
        case .answer(.created(let failure)): return made(failure)
        default: return []
        }
    }

    private mutating func typed(_ secret: Secret) -> [Effect] {
        notice = nil
        switch phase {
        case .first:
            if secret.isEmpty { notice = .failure(Failure(.passcodeEmpty)) } else { phase = .again(secret) }
            return []
        case .again(let first):
            guard first.matches(secret) else {
                notice = .differs
                phase = .first
                return []
            }
            return make(first, .refused)
        case .making, .weak, .broken: return []
        }
    }

    private mutating func make(_ secret: Secret, _ weak: WeakPasscode) -> [Effect] {
        chosen = secret
        phase = .making(done: 0, of: 0)
        return [.create(secret, weak)]
    }

    private mutating func pressed(_ key: KeyPress) -> [Effect] {
        switch (phase, key) {
        case (.weak, KeyPress(.enter)):
            phase = .first
            return []
        case (.weak(let secret, _), .character("w")): return make(secret, .allowed)
        case (.weak, .control("c")), (.weak, KeyPress(.escape)): return [.end(.quit)]
        case (.broken(let failure), .control("c")), (.broken(let failure), .character("q")),
            (.broken(let failure), KeyPress(.escape)), (.broken(let failure), KeyPress(.enter)):
            return [.end(.failed(failure))]
        default: return []
        }
    }

    private mutating func made(_ failure: Failure?) -> [Effect] {
        guard let failure else { return [.end(.created)] }
        switch failure.code {
        case .passcodeWeak: phase = chosen.map { .weak($0, failure) } ?? .first
        case .passcodeEmpty, .passcodeInvalid:
            notice = .failure(failure)
            phase = .first
        default: phase = .broken(failure)
        }
        chosen = nil
        return []
    }
}
