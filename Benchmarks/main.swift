import Glibc

// bench WHAT: one figure of Docs/BENCHMARKS.md. Yardsticks in C or Swift are measured in the same run; those that are
// other programs, by Scripts/bench.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "vault": try vaultBench()
case "header": try await headerBench()
case "parse": try parseBench()
case "kdf": try kdfBench()
case "fill": try await fillBench(Array(arguments.dropFirst()))
default:
    print("usage: bench vault | header | parse | kdf | fill VAULT COUNT")
    exit(2)
}
