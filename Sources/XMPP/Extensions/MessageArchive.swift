package import Base

/// XEP-0313: pages of an archive, the account's or a room's.
package enum MessageArchive {
    package static let namespace = "urn:xmpp:mam:2"

    /// What of the archive is asked for; nil parts are left open.
    package struct Filter: Sensitive, Equatable {
        package let with: JID?
        package let start: Timestamp?
        package let end: Timestamp?

        package init(with: JID? = nil, start: Timestamp? = nil, end: Timestamp? = nil) {
            self.with = with
            self.start = start
            self.end = end
        }
    }

    /// The request for a page, of type `set`, to nobody (our own archive) or to the room.
    ///
    /// - Parameter queryID: comes back in each result; unguessable, so that nobody can slip results in.
    package static func query(_ queryID: String, _ filter: Filter = Filter(), page: ResultSet.Request) -> Element {
        let fields: [(String, String?)] = [
            ("with", filter.with?.addressText), ("start", filter.start?.text), ("end", filter.end?.text),
        ]
        let given = fields.compactMap { name, value in value.map { DataForm.Field(name, [$0]) } }
        let form = given.isEmpty ? nil : DataForm(.submit, type: namespace, given).element
        return Element("query", namespace, ["queryid": queryID]).adding(form).adding(page.element)
    }

    /// One message of a page. Comes as a message of its own, before the answer to the request.
    package struct Result: Sensitive, Equatable {
        package let queryID: String?
        /// The archive's id of the message: what cursors are made of.
        package let id: String
        /// Nil where the archived stanza is no message that can be read; its id counts all the same.
        package let forwarded: ForwardedMessage?

        /// The result in `message`; nil where there is none, or where somebody else than the archive sent it.
        ///
        /// - Parameters:
        ///   - archive: the address whose archive was asked: our own bare one, or the room's.
        ///   - account: our own bare address; only its archive may answer without saying who it is.
        package init?(in message: MessageStanza, archive: JID, account: JID) {
            guard let result = message.element.child("result", namespace), let id = result["id"], !id.isEmpty,
                message.from ?? account == archive
            else { return nil }
            queryID = result["queryid"]
            self.id = id
            forwarded = ForwardedMessage(in: result)
        }
    }

    /// Whether `message` holds a result at all, asked for or not: nothing of it is to be shown as the sender's own.
    package static func isResult(_ message: MessageStanza) -> Bool { message.element.child("result", namespace) != nil }

    /// The end of a page: the answer to the request.
    package struct Fin: Sendable, Equatable {
        /// Whether there is nothing beyond this page in its direction.
        package let isComplete: Bool
        /// Whether the server knows that the page will not change.
        package let isStable: Bool
        package let page: ResultSet.Answer?

        /// Nil where `payload` is no `<fin/>`.
        package init?(_ payload: Element?) {
            guard let payload, payload.isNamed("fin", namespace) else { return nil }
            isComplete = payload["complete"] == "true" || payload["complete"] == "1"
            isStable = payload["stable"] != "false" && payload["stable"] != "0"
            page = ResultSet.Answer(in: payload)
        }
    }
}
