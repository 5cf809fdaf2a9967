package import Application
package import Base
import CommandLine
package import Terminal

/// What the full-screen session needs to know of its surroundings.
package struct TerminalUIOptions: Sendable {
    /// The terminal.
    package var input: Int32 = 0
    package var output: Int32 = 1
    /// Make a vault of so many bytes instead of opening one.
    package var creates: Int64?
    package var colors = ColorDepth.sixteen
    package var clock: LocalClock = LocalClocks.system
    package var glyphs = GlyphSet.unicode
    /// Milliseconds without a key after which the session locks; nil for never.
    package var idleLimit: Int64? = 5 * 60_000
    /// One or two words on the status line about what does not hold on this machine.
    package var caution: String?
    /// Each element locks the session: a signal, the machine going to sleep.
    package var lockRequests: AsyncStream<Void>

    package init(lockRequests: AsyncStream<Void> = AsyncStream { $0.finish() }) { self.lockRequests = lockRequests }
}

/// Runs the full-screen session on a terminal, from the passcode prompt to the lock, and leaves the terminal as it was.
///
/// When it returns, everything it opened through `services` is closed.
/// - Parameters:
///   - descriptors: where commands read secrets from that name a descriptor; nil refuses those.
///   - files: opens files that commands name.
/// Throws `input.invalid` where `options.input` is no terminal.
package func runTerminalUI(
    services: any AppServices, descriptors: (any SecretInput)?, files: any FileOpening, time: TimeSource,
    options: TerminalUIOptions
) async throws(Failure) -> ScreenEnd {
    let modes = try TerminalModes(of: options.input)
    let output = TerminalOutput(descriptor: options.output)
    // Keys, events and answers meet here.
    let inputs = InputQueue()
    let send: @Sendable (Input) -> Void = { inputs.send($0) }
    let reader = try TerminalReader(input: options.input, output: output, report: { send(Input($0)) })
    let writer = try ScreenWriter(output: output, depth: options.colors, glyphs: options.glyphs)
    let prompts = Prompts(
        descriptors: descriptors, ask: { send(.secretWanted($0)) }, confirm: { send(.wordWanted($0)) })
    let heard = EventQueue()
    let interpreter = Interpreter(
        services: services, secrets: prompts, files: files, events: heard, time: time, passcodeDescriptor: nil,
        confirmation: prompts)
    let runner = EffectRunner(
        services: services, commands: CommandRunner(interpreter: interpreter), prompts: prompts, writer: writer,
        capacity: options.creates ?? 0, answer: { send(.answer($0)) })
    let program = Program(
        runner: runner, keyboard: reader, writer: writer, time: time, heard: heard, inputs: inputs)
    let model = Model(
        creates: options.creates != nil, size: output.size, now: time.now(), boottime: time.boottime(),
        settings: Model.Settings(
            idleLimit: options.idleLimit, clock: options.clock, caution: options.caution.map { SafeText($0) }))
    try modes.enterRaw(options.input)
    reader.beginSecret()
    do throws(Failure) { try reader.start() } catch {
        modes.restore(options.input)
        throw error
    }
    await writer.enter()
    let end = await program.run(model, events: await services.events(), lockRequests: options.lockRequests)
    await writer.leave(clears: end == .panicked)
    // Also where the end came while something was still being opened.
    if options.creates == nil { await services.lock() }
    reader.stop()
    modes.restore(options.input)
    return end
}
