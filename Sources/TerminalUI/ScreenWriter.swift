import Base
import Terminal

/// Shows surfaces on the terminal, on a thread of its own: a slow terminal holds up nothing but the screen.
actor ScreenWriter {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let output: TerminalOutput
    private var renderer: Renderer
    private var isEntered = false

    init(output: TerminalOutput, depth: ColorDepth, glyphs: GlyphSet) throws(Failure) {
        executor = try ThreadExecutor()
        self.output = output
        renderer = Renderer(depth: depth, glyphs: glyphs)
    }

    func enter() {
        output.write(ScreenSequences.enter)
        isEntered = true
        renderer.invalidate()
    }

    /// - Parameter all: whether to draw every cell, not only what changed.
    func show(_ surface: Surface, all: Bool) {
        guard isEntered else { return }
        if all { renderer.invalidate() }
        output.write(renderer.frame(surface))
    }

    func ring() {
        if isEntered { output.write(ScreenSequences.bell) }
    }

    /// Back to the screen that was there before. Safe to call more than once.
    /// - Parameter clears: also clear that screen and its scrollback.
    func leave(clears: Bool) {
        if isEntered { output.write(ScreenSequences.leave) }
        isEntered = false
        if clears { output.write(ScreenSequences.panic) }
    }
}
