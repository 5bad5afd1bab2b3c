"""Vocabulary of passwords, codes and keys in several languages, and of phrases around them.

The tables are about language: the words for password that people use, the short forms, what opens a
door or a telephone, the words that also name ordinary things. They are in lower case.
"""

from typing import Final

from recollect.vocabulary.lazy_patterns import lazy_pattern

#: Words for password, in many languages.
PASSWORDS: Final = (
    "password", "passwort", "passwd", "passwrd", "passphrase", "passcode", "pass word",
    "pass_word", "pass-word", "passord", "mot de passe", "mot_de_passe", "motdepasse",
    "parola d'ordine", "parola d’ordine",  # noqa: RUF001
    "contrasena", "senha", "kennwort", "wachtwoord", "salasana", "adgangskode", "heslo",
    "contraseña", "lösenord", "hasło", "şifre", "jelszó", "пароль", "密码", "密碼",
    "パスワード", "비밀번호", "phrase secrète", "palavra-passe", "palavra passe", "lozinka",
    "slaptažodis", "parolă", "adgangsord", "κωδικός", "κωδικό", "סיסמה", "סיסמא", "كلمة المرور",
    "كلمة السر", "kodeord", "passordet", "løsenord", "lykilorð", "lozinku", "парола", "пароля",
    "palabra de paso", "geslo", "salasõna", "mật khẩu", "kata sandi", "รหัสผ่าน",
    "पासवर्ड", "暗証番号", "口令", "암호", "비번", "wpa_psk", "wpa-psk", "preshared key",
    "pre-shared key", "presharedkey", "pre-shared-key",
)  # fmt: skip
#: The short ones: a word of their own, or a part separated by an underscore or a capital.
SHORT: Final = ("pwd", "pw", "p/w", "pswd", "psw", "psk", "pass", "mdp", "clave", "parola")
#: Short words that also mean something else.
DOUBTFUL: Final = frozenset(("pass", "clave", "parola"))
#: Codes of digits that open a door, a telephone or an account.
CODES: Final = (
    "pin code", "pin-code", "code pin", "código pin", "pin", "puk", "digicode", "geheimzahl",
    "code secret", "code d'accès", "code de l'alarme", "code d'alarme", "code de la porte",
    "code du portail", "code d'entrée", "code de l'immeuble", "code du coffre",
    "code de vérification", "code de sécurité", "código de verificación", "código de acceso",
    "código de seguridad", "codice di verifica", "codice di accesso", "bestätigungscode",
    "sicherheitscode", "türcode", "zugangscode", "alarmcode", "one-time password", "otp",
    *(
        f"{what} code"
        for what in (
            "door", "alarm", "gate", "entry", "lock", "safe", "unlock", "access", "recovery",
            "backup", "verification", "security", "confirmation", "login", "one-time", "2fa",
            "authentication", "garage", "lockbox", "building", "entrance", "voicemail",
        )
    ),
)  # fmt: skip
#: Words that also name ordinary things; their value must look random.
KEYS: Final = (
    "secret", "token", "credential", "clé api", "clé d'api", "jeton d'accès", "jeton",
    "clé d'accès", "clé secrète", "zugangstoken", "clave api", "api-schlüssel", "chiave api",
    "chave de api", "chave api", "lizenzschlüssel", "clé de licence", "key",
    "recovery code", "backup code", "appid",
)  # fmt: skip
#: What opens a wireless network, a door or a safe: the name of one of these is beside it, in the
#: same word or a few words away.
OPENERS: Final = lazy_pattern(
    r"(?i)(?:codes?|c\u00f3digo|codice|kod(?:e|en)?|koodi|k\u00f3d|\u043a\u043e\u0434|keys?|cl\u00e9|\bcle|clave|chiave|chave"
    r"|schl\u00fcssel|sleutel|nyckel|klucz|kl\u00ed\u010d|\u043a\u043b\u044e\u0447|combination|kombination|combinaison"
    r"|combinaci\u00f3n|combinazione|combo)\b"
)
#: A part of each of them, in lower case.
OPENING: Final = (
    "cod", "kod", "kood", "kód", "key", "cl", "chiave", "chave", "schl", "sleutel", "nyckel",
    "kl", "kombin", "combin", "combo",
    "\u043a\u043e\u0434", "\u043a\u043b\u044e\u0447", "\u00f3digo",
)  # fmt: skip
NETWORKS: Final = ("wifi", "wi-fi", "wlan", "wireless", "hotspot", "wpa")
DOORS: Final = (
    "door", "puerta", "porta", "porte", "portail", "drzwi", "dveř", "dörr", "deur", "tür", "alarm",
    "allarme", "garage", "cancello", "safe", "coffre", "tresor", "caja fuerte", "cassaforte",
    "kluis", "sejf", "padlock", "locker", "двер", "сейф", "домофон", "carte bleue",
    "carte bancaire", "bank card", "credit card", "debit card", "bankkarte", "kreditkarte",
    "tarjeta", "sim card", "carte sim", "bankomat", "pinpas", "betaalpas", "bike lock",
    "door lock", "combination lock", "boite à cl", "boîte à cl", "keybox", "key box",
    "schlüsselkasten", "interphone", "immeuble", "sonnette", "cadenas", "candado", "lucchetto",
    "schloss", "hangslot", "fietsslot", "gate", "barrier", "elevator", "entrance",
)  # fmt: skip

KINDS_OF_KEY: Final = tuple(
    (
        "api access account private client encryption signing secret master app session license "
        "licence shared subscription instrumentation webhook deploy recovery storage auth service "
        "admin write server root hmac cipher decryption jwt cookie aes wallet "
    ).split()
)
#: Every word that is looked for.
WORDS: Final = tuple(dict.fromkeys((*PASSWORDS, *SHORT, *CODES, *KEYS, *NETWORKS, *DOORS)))

#: Endings of names that describe a secret and do not contain it.
ABOUT: Final = lazy_pattern(
    r"(?i)^s?[_-]?(?:secret|key|token|password)?[_-]?(?:name|names|ref|refs|id|ids|type|policy|policies|hash|hashed|digest|salt|count"
    r"|counts|length|len|limit|limits|size|path|file|filename|files|url|uri|link|field|fields"
    r"|label|manager|arn|version|expiry|expires|expiration|ttl|age|at|in|usage|used|placeholder"
    r"|hint|reset|strength|score|rule|rules|regex|pattern|input|box|prompt|store|provider|class"
    r"|selector|env|var|variable|izer?|ized?|izers|ization|ise[rd]?|isation|less|icated?|ary|ive"
    r"|kind|format|scheme|required|enabled|protected|set|changed|message|error|title|text|help"
    r"|description|index|position|offset|budget|budgets|window|rate|total|cost|price|per|map"
    r"|model|column|col|location|dir|folder|mount|volume|engine|backend|keyref|name_?prefix"
    r"|encryption|algorithm|algo|hashing|authentication|mode|method|complexity|history|expired"
    r"|confirmation_?label|encoder|hasher|validator|validators|generator|checker|grant)"
    r"(?:[_-]?[A-Za-z]{0,12})$"
)
#: Words before a token that is no secret: a page token, a count, a word of a parser.
COUNTED: Final = tuple(
    (
        "next prev previous page paging pagination continuation cont sync cursor resume delta "
        "start end stop pad bos eos unk mask sep cls special first last max min num total prompt "
        "completion input output cached reasoning cancellation cancel lex parse keyword operator "
        "design color colour public publickey "
    ).split()
)
#: Attributes of a password; then the sentence is not about its value.
THING: Final = lazy_pattern(
    r"(?i)[ -](?:manager|policy|field|reset|generator|prompt|store|hash|column|form|box|file|page"
    r"|input|option|flag|parameter|rule|check|variable|provider|strength|length|hint|less|protect|auth)"
)
