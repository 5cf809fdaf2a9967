/// A keyboard's characters key by key, in the order of the keys of a PC keyboard's four rows, plain and with shift: what a
/// passcode becomes when it is typed with another layout set than it was thought of with.
enum KeyboardLayout: CaseIterable {
    case american, russian, german, french

    /// The code points of the 47 keys without shift, then with it.
    var keys: [UInt32] { (rows.plain + rows.shifted).unicodeScalars.map(\.value) }

    private var rows: (plain: String, shifted: String) {
        switch self {
        case .american:
            (#"`1234567890-=qwertyuiop[]\asdfghjkl;'zxcvbnm,./"#, #"~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:"ZXCVBNM<>?"#)
        case .russian:
            (#"ё1234567890-=йцукенгшщзхъ\фывапролджэячсмитьбю."#, #"Ё!"№;%:?*()_+ЙЦУКЕНГШЩЗХЪ/ФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"#)
        case .german:
            (#"^1234567890ß´qwertzuiopü+#asdfghjklöäyxcvbnm,.-"#, #"°!"§$%&/()=?`QWERTZUIOPÜ*'ASDFGHJKLÖÄYXCVBNM;:_"#)
        case .french:
            (#"²&é"'(-è_çà)=azertyuiop^$*qsdfghjklmùwxcvbn,;:!"#, #"~1234567890°+AZERTYUIOP¨£µQSDFGHJKLM%WXCVBN?./§"#)
        }
    }

    /// What the keys that give each character here give in `other`; characters without a key stay.
    func typed(on other: KeyboardLayout) -> [UInt32: UInt32] {
        Dictionary(zip(keys, other.keys)) { first, _ in first }
    }

    /// One table for each ordered pair of different layouts.
    static let exchanges: [[UInt32: UInt32]] = allCases.flatMap { from in
        allCases.filter { $0 != from }.map { from.typed(on: $0) }
    }
}
