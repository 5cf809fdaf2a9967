/// What a person is told before a duress passcode is set, and in its help. The same in every vault: whether there is a
/// second space is not asked.
enum DuressWarning {
    static let text =
        "Whoever types a duress passcode destroys whatever is in the second space, without a question and beyond repair; "
        + "so does a slip of the finger, so choose one unlike every passcode you use. Destroying what an authority may "
        + "ask for can be a crime where you are; ask a lawyer before, not after. It does not reach copies of the vault "
        + "made earlier, and who has such a copy and this passcode can see that it was set."
}
