import Glibc

// bench WHAT: one figure of Docs/BENCHMARKS.md, measured against its yardstick in the same run.
switch CommandLine.arguments.dropFirst().first {
case "vault": try vaultBench()
default:
    print("usage: bench vault")
    exit(2)
}
