// swift-tools-version: 6.0
import PackageDescription

// SQLCipher 4.6 or newer: `Scripts/setup` puts its header and static library (or links to the system's) here.
let sqlcipher = Context.packageDirectory + "/.build/deps/sqlcipher"

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-warnings-as-errors", "-Xcc", "-I\(sqlcipher)/include"]),
]

/// A product target along the layering of Docs/ARCHITECTURE.md.
func house(_ name: String, _ dependencies: [Target.Dependency], linker: [LinkerSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict, linkerSettings: linker)
}

/// The unit tests of a target. Whatever they need of other targets is named, too.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "Support"] + dependencies,
        swiftSettings: strict)
}

/// One Debian library behind one module map.
func library(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "postern",
    products: [.executable(name: "postern", targets: ["postern"])],
    targets: [
        library("CSQLCipher", apt: "libsqlcipher-dev"),
        library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CLibXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
        library("CAres", pkgConfig: "libcares", apt: "libc-ares-dev"),
        library("CUTF8Proc", apt: "libutf8proc-dev"),
        library("CZxcvbn", apt: "libzxcvbn-dev"),

        .target(
            name: "CVaultVFS",
            cSettings: [.unsafeFlags(["-I\(sqlcipher)/include", "-Wall", "-Wextra", "-Werror"])]),
        .target(name: "CPlatform", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        // Static, as it is needed before anything else and by one process of ours only.
        .target(
            name: "CSandbox",
            // The library's own macros leave a field out.
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"])],
            linkerSettings: [
                .unsafeFlags(["-l:libseccomp.a", "-Xlinker", "--exclude-libs", "-Xlinker", "libseccomp.a"])
            ]),
        // Real C because ICU's own headers cannot stand beside Foundation's.
        .target(
            name: "CUnicode", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
            linkerSettings: [.linkedLibrary("icuuc")]),

        house("Base", ["CPlatform", "CUnicode"]),
        house("Domain", ["Base"]),
        house("Application", ["Base", "Domain"]),

        // Toolkits: no product words, know only Base.
        house("CryptoPrimitives", ["Base", "CSodium", "COpenSSL"]),
        house(
            "SQLCipherKit", ["Base", "CSQLCipher"],
            linker: [
                // Static and hidden: other libraries' sqlite3_* calls must not bind to it.
                .unsafeFlags(["-L\(sqlcipher)/lib", "-Xlinker", "--exclude-libs", "-Xlinker", "libsqlcipher.a"])
            ]),
        house("Net", ["Base", "COpenSSL", "CAres", "CPlatform"]),
        house("XMPP", ["Base", "CryptoPrimitives", "CLibXML2"]),
        house("Terminal", ["Base", "CPlatform", "CUTF8Proc"]),

        // Adapters: a port, a translation.
        house(
            "VaultStore",
            ["Base", "Domain", "Application", "CryptoPrimitives", "SQLCipherKit", "CVaultVFS", "CZxcvbn"]),
        house("ProfileStore", ["Base", "Domain", "Application", "SQLCipherKit"]),
        house("XMPPLink", ["Base", "Domain", "Application", "XMPP", "Net"]),
        house("HostPlatform", ["Base", "Domain", "Application", "Terminal", "CPlatform", "CSandbox"]),

        // Windows.
        house("CommandLine", ["Base", "Domain", "Application", "Terminal"]),
        house("TerminalUI", ["Base", "Domain", "Application", "Terminal", "CommandLine"]),

        .executableTarget(
            name: "postern",
            dependencies: [
                "Base", "Domain", "Application", "CryptoPrimitives", "SQLCipherKit", "Net", "XMPP", "Terminal",
                "VaultStore", "ProfileStore", "XMPPLink", "HostPlatform", "CommandLine", "TerminalUI",
            ],
            swiftSettings: strict),

        // Figures of Docs/BENCHMARKS.md; `Scripts/bench` runs it.
        .executableTarget(
            name: "bench",
            dependencies: [
                "Base", "Domain", "Application", "CryptoPrimitives", "SQLCipherKit", "CVaultVFS", "XMPP", "XMPPLink",
                "VaultStore", "ProfileStore", "HostPlatform",
            ],
            path: "Benchmarks", swiftSettings: strict),

        // Drives the vault for the proofs of `Scripts/prove`, with the KDF for tests; no part of a release.
        .executableTarget(
            name: "prover",
            dependencies: [
                "Base", "Domain", "Application", "CryptoPrimitives", "SQLCipherKit", "VaultStore", "ProfileStore",
                "HostPlatform",
            ],
            path: "Tests/Prover", swiftSettings: strict),

        .target(
            name: "Support", dependencies: ["Base", "Domain", "Application", "Terminal"], path: "Tests/Support",
            swiftSettings: strict),
        .target(
            name: "CTrials", dependencies: ["CSandbox"], path: "Tests/CTrials",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        // What is written to the vault file, below Swift and C.
        .target(
            name: "Recorder", path: "Tests/Recorder", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        tests("Base"), tests("Domain", ["Base"]), tests("Application", ["Base", "Domain"]),
        tests("CryptoPrimitives", ["CSodium", "Base"]), tests("SQLCipherKit", ["CVaultVFS", "Base"]),
        tests("Net", ["COpenSSL", "Base"]), tests("XMPP", ["CryptoPrimitives", "Base"]),
        tests("Terminal", ["Base"]),
        tests(
            "VaultStore",
            ["Recorder", "CryptoPrimitives", "SQLCipherKit", "ProfileStore", "Application", "Domain", "Base"]),
        tests("ProfileStore", ["SQLCipherKit", "Application", "Domain", "Base"]),
        tests(
            "XMPPLink", ["XMPP", "Net", "HostPlatform", "CryptoPrimitives", "Application", "Domain", "Base"]),
        tests("HostPlatform", ["CTrials", "Application", "Base"]),
        tests("CommandLine", ["Application", "Domain", "Base"]),
        tests("TerminalUI", ["Terminal", "CommandLine", "Application", "Domain", "Base"]),
        // The built program: shell on a pipe, real servers and peers, pseudo-terminals.
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Support", "Base", "HostPlatform", "VaultStore", "SQLCipherKit", "postern"],
            swiftSettings: strict),
        .testTarget(name: "PtyTests", dependencies: ["Support", "Base", "postern"], swiftSettings: strict),
    ]
)
