"""Fifty texts that try to become more than text on a page."""

from typing import Final

HOSTILE: Final = (
    *(
        f"{opening}alert({number}){closing}"
        for number, (opening, closing) in enumerate(
            (
                ("<script>", "</script>"),
                ("<SCRIPT SRC=//evil.example/x.js>", "</SCRIPT>"),
                ('"><script>', "</script>"),
                ("'><script>", "</script>"),
                ("</textarea><script>", "</script>"),
                ("</title><script>", "</script>"),
                ("<img src=x onerror=", ">"),
                ('<img src="x" onerror="', '">'),
                ("<svg onload=", ">"),
                ("<svg><script>", "</script></svg>"),
                ("<body onload=", ">"),
                ("<iframe src=javascript:", "></iframe>"),
                ('<a href="javascript:', '">link</a>'),
                ("[link](javascript:", ")"),
                ("![image](javascript:", ")"),
                ("<math><mi xlink:href='javascript:", "'>"),
                ("<details open ontoggle=", ">"),
                ("<input autofocus onfocus=", ">"),
                ("<form action=javascript:", "><button>go</button></form>"),
                ("<style>@import 'javascript:", "'</style>"),
                ("<link rel=stylesheet href=javascript:", ">"),
                ("<meta http-equiv=refresh content='0;url=javascript:", "'>"),
                ("<object data=javascript:", "></object>"),
                ("<embed src=javascript:", ">"),
                ("<template><script>", "</script></template>"),
                ("<!--<script>", "</script>-->"),
                ("<![CDATA[<script>", "</script>]]>"),
                ("{{", "}}"),
                ("{% raw %}", "{% endraw %}"),
                ("{% include '/etc/passwd' %}", ""),
                ("${", "}"),
                ("<%= ", " %>"),
                ("&lt;script&gt;", "&lt;/script&gt;"),
                ("\\u003cscript\\u003e", "\\u003c/script\\u003e"),
                ("\t<script>\n", "\n</script>"),
                ("<scr<script>ipt>", "</scr</script>ipt>"),
            )
        )
    ),
    "\u202etxt.exe name that turns around",
    "before \u2066inside\u2069 after, with \u200fmarks",
    "an e\u0301 that combines, and \u0645\u0631\u062d\u0628\u0627 from the right",
    "emoji \U0001f468\u200d\U0001f469\u200d\U0001f467 and \U0001f3f3\ufe0f\u200d\U0001f308",
    "bell \x07 and escape \x1b[31mred\x1b[0m",
    "x" * 1_000_000,
    "a null \x00 byte",
    "long word " + "y" * 3_000,
    "a" + " b" * 2_000,
    "quote \" and ' and ` and < and > and &",
    "</div></main></body></html> the end",
    "<a href='data:text/html,<script>alert(1)</script>'>data</a>",
    "<base href='https://evil.example/'>",
    "'; DROP TABLE memories; --",
)
