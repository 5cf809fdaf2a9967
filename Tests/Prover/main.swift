import Base
import Glibc

// prover WHAT: drives the vault's own code for `Scripts/prove`, mostly with the KDF for tests, which only a debug build takes.
// Its answers are JSON lines. Passcodes stand in arguments because they guard nothing.
let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch arguments.first {
    case "create" where arguments.count == 4: try await createVault(Array(arguments.dropFirst()))
    case "live" where arguments.count > 2: try await live(Array(arguments.dropFirst()))
    case "payload" where arguments.count == 3: try await tellPayload(path: arguments[1], passcode: arguments[2])
    case "keys" where arguments.count == 3: try tellKeys(path: arguments[1], passcode: arguments[2])
    case "timing" where arguments.count >= 4: try timing(Array(arguments.dropFirst()))
    case "opening" where arguments.count == 3: try await opening(Array(arguments.dropFirst()))
    case "accident" where arguments.count == 4: try await accident(Array(arguments.dropFirst()))
    default:
        print(
            """
            usage: prover create VAULT SLICES PASSCODE
                   prover live VAULT SESSION...
                   prover payload VAULT PASSCODE
                   prover keys VAULT PASSCODE
                   prover timing FILE SAMPLES LEAK-NS [OUTCOME...]
                   prover opening VAULT SAMPLES
                   prover accident VAULT COUNT SEED
            """)
        exit(2)
    }
} catch {
    tell(["error": error.code.rawValue])
    exit(1)
}
