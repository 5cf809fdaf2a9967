import Application
import Base
import CommandLine
import Domain
import Terminal

/// What the session learns: events of the application, and answers to what it asked for.
extension SessionState {
    mutating func learned(_ event: AppEvent, _ context: SessionContext) -> [Effect] {
        switch event {
        case .screen(let screen): return learned(screen, context)
        case .connection(let profile, let state, let code):
            guard profile == activeProfile else { return [] }
            if case .setup(var setup) = overlay {
                // The guide says itself what came of signing in.
                if state == .online { setup.cameOnline() }
                overlay = .setup(setup)
            } else if let code, state != .connecting {
                tell(Failure(code), context)
            }
            return [.load(.status), .load(.contacts)]
        case .delivery(let profile, let id, let delivery):
            guard profile == activeProfile else { return [] }
            timeline?.apply(delivery, to: id)
            return [.load(.chats), .load(.status)]
        case .message(let profile, let message):
            guard profile == activeProfile else { return [] }
            return arrived(message, context) + [.load(.chats)]
        case .subscription(let profile, let jid):
            guard profile == activeProfile else { return [] }
            asking = jid
            tell(SafeText(Texts.subscription(jid.addressText)), .warning, context)
            return [.load(.contacts)]
        case .changed: return reload()
        }
    }

    private mutating func learned(_ screen: ScreenState, _ context: SessionContext) -> [Effect] {
        switch screen {
        case .active:
            isSwitching = false
            trouble = nil
            return reload()
        case .switching, .erasing:
            forgetAccount()
            isSwitching = true
            return []
        case .recovery(let code):
            forgetAccount()
            isSwitching = false
            trouble = Failure(code)
            return SessionState.loadAll
        case .locked: return [.lock(.locked)]
        case .starting, .unlocking: return []
        }
    }

    /// Nothing of one account may show, or be written, in another.
    private mutating func forgetAccount() {
        list.clear()
        timeline = nil
        drafts = [:]
        plainChats = []
        status = nil
        asking = nil
        trouble = nil
        if case .search = overlay { overlay = nil }
    }

    private mutating func arrived(_ message: Message, _ context: SessionContext) -> [Effect] {
        let bell: [Effect] = message.direction == .incoming && !hasFocus ? [.bell] : []
        guard var timeline, timeline.chat == message.chat, !timeline.contains(message) else { return bell }
        // One that is older than the newest belongs somewhere in between: read the page anew.
        if let newest = timeline.messages.last, message.at < newest.at {
            return bell + [.load(.history(timeline.chat, limit: timeline.window))]
        }
        if timeline.scroll > 0 {
            let columns = layout(context).timeline.columns
            let before = TimelineRows.count(of: timeline.messages.suffix(1), columns: columns, upTo: .max)
            let after = TimelineRows.count(of: timeline.messages.suffix(1) + [message], columns: columns, upTo: .max)
            timeline.scroll += max(0, after - before)
            timeline.hasNewBelow = true
        }
        timeline.messages.append(message)
        if timeline.messages.count > TimelineState.limit { timeline.messages.removeFirst() }
        self.timeline = timeline
        return bell + seen()
    }

    private func reload() -> [Effect] {
        SessionState.loadAll + (timeline.map { [.load(.history($0.chat, limit: $0.window))] } ?? [])
    }

    mutating func answered(_ answer: Answer, _ context: SessionContext) -> [Effect] {
        switch answer {
        case .profiles(.success(let views)):
            profiles = views
            if views.isEmpty, overlay == nil, !hasOfferedSetup { overlay = .setup(SetupState()) }
            hasOfferedSetup = true
            return []
        // Between two accounts nothing can be read; it is read again once the new one is open.
        case .profiles(.failure(let failure)), .status(.failure(let failure)):
            if failure.code != .profileNone, failure.code != .commandNotActive { tell(failure, context) }
        case .status(.success(let view)): status = view
        case .chats(let result): list.take(chats: result)
        case .contacts(let result): list.take(contacts: result)
        case .history(let chat, let result, let limit): took(chat, result, limit)
        case .older(let chat, let result, let mayHaveMore): tookOlder(chat, result, mayHaveMore, context)
        case .sent(let chat, let text, let failure): return sent(chat, text, failure, context)
        case .retried(let failure):
            if let failure { tell(failure, context) }
            return reload()
        case .used(let failure):
            isSwitching = false
            if let failure { tell(failure, context) }
            return SessionState.loadAll
        case .connected(let failure): return connected(failure, context)
        case .accountAdded(let failure): return accountAdded(failure)
        case .accountChanged(let failure): return accountChanged(failure, context)
        case .progress(let done, let whole): progress = whole > 0 ? done * 100 / whole : nil
        case .contactAdded(let jid, let failure): return contactAdded(jid, failure, context)
        case .contactAccepted(let failure):
            if let failure { tell(failure, context) }
            return [.load(.contacts)]
        case .command(let answer): return finished(answer, context)
        case .found(let query, let result): found(query, result)
        case .ready, .unlocked, .created, .closed: break
        }
        return []
    }

    private mutating func took(_ chat: JID, _ result: Result<[Message], Failure>, _ limit: Int) {
        guard var timeline, timeline.chat == chat else { return }
        switch result {
        case .success(let messages):
            timeline.messages = messages
            timeline.phase = .loaded
        case .failure(let failure): timeline.phase = .failed(failure)
        }
        self.timeline = timeline
    }

    private mutating func tookOlder(
        _ chat: JID, _ result: Result<[Message], Failure>, _ mayHaveMore: Bool, _ context: SessionContext
    ) {
        guard var timeline, timeline.chat == chat else { return }
        timeline.isLoadingOlder = false
        switch result {
        case .success(let older):
            let known = Set(timeline.messages.map(\.id))
            timeline.messages = older.filter { !known.contains($0.id) } + timeline.messages
            timeline.mayHaveOlder = mayHaveMore
        case .failure(let failure): tell(failure, context)
        }
        self.timeline = timeline
    }

    private mutating func sent(
        _ chat: JID, _ text: String, _ failure: Failure?, _ context: SessionContext
    ) -> [Effect] {
        guard let failure else {
            let window = timeline?.chat == chat ? timeline?.window : nil
            return [.load(.chats), .load(.status)] + (window.map { [.load(.history(chat, limit: $0 + 1))] } ?? [])
        }
        // Nothing was stored: the words go back to where they were written, unless others stand there by now.
        if drafts[chat] == nil {
            drafts[chat] = LineEditor(text.hasPrefix("/") ? "/" + text : text, limit: MessageBody.limit)
        }
        if failure.code == .encryptionRequired, overlay == nil, openChat == chat {
            overlay = .plain(chat)
        } else {
            tell(failure, context)
        }
        return []
    }

    private mutating func connected(_ failure: Failure?, _ context: SessionContext) -> [Effect] {
        if case .setup(var state) = overlay {
            state.connected(failure)
            overlay = .setup(state)
        } else if let failure, failure.code != .profileNone {
            tell(failure, context)
        }
        return [.load(.status), .load(.contacts)]
    }

    private mutating func finished(_ answer: CommandAnswer, _ context: SessionContext) -> [Effect] {
        isWorking = false
        progress = nil
        switch overlay {
        case .prompt, .confirm: overlay = nil
        case .switcher, .search, .help, .output, .newChat, .plain, .setup, nil: break
        }
        switch answer {
        case .lines(let title, let lines):
            if lines.count <= 1 {
                tell(lines.first.map { SafeText($0) } ?? Texts.notEmptyDone, .info, context)
            } else {
                overlay = .output(OutputState(title: title, lines: lines))
            }
        case .failed(let failure) where failure.code == .inputCancelled: tell(failure.shown, .info, context)
        case .failed(let failure) where failure.shown.width > context.size.columns - 2:
            // The status line would cut off what to do about it.
            overlay = .output(OutputState(title: Texts.notDone, lines: [failure.text]))
        case .failed(let failure): tell(failure, context)
        case .help: overlay = .help(scroll: 0)
        case .open(let jid): return reload() + open(jid, context)
        case .search(let query):
            var state = SearchState()
            state.query.insert(query)
            state.isSearching = true
            overlay = .search(state)
            return [.search(query)]
        case .ended(let end): return [.lock(end)]
        }
        return reload()
    }

    private mutating func found(_ query: String, _ result: Result<[Message], Failure>) {
        guard case .search(var state) = overlay, state.query.text == query else { return }
        state.isSearching = false
        state.answered = query
        state.chosen = 0
        switch result {
        case .success(let messages):
            state.results = messages
            state.failure = nil
        case .failure(let failure):
            state.results = []
            state.failure = failure
        }
        overlay = .search(state)
    }
}
