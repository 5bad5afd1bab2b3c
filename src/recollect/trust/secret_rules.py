"""Patterns of secrets: the rules of detect-secrets, and newer formats.

A rule is a kind, a pattern, and a list of which a text must contain one before the pattern is
tried: that makes ordinary text cheap. A token needs a short pattern that RE2 accepts, other rules
need a word in lower case. A group named ``secret`` is the part to remove, otherwise the whole
match.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from recollect.vocabulary.linear_patterns import LinearPattern


class SecretRule(NamedTuple):
    """One kind of secret, its pattern, and what a text must contain for it to be tried."""

    kind: str
    written: str | re.Pattern[str]
    needs: tuple[str, ...] = ()
    whole_word: bool = False

    @property
    def pattern(self) -> LinearPattern:
        """The pattern, compiled at first use: most are never used by one command."""
        return _compiled(self.written)


def by_need(needs: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """The places of the rules that need something, by what they need."""
    found: dict[str, list[int]] = {}
    for place, its_needs in enumerate(needs):
        for need in its_needs:
            found.setdefault(need, []).append(place)
    return found


def due_places(needing: Mapping[str, Sequence[int]], present: Iterable[str]) -> list[int]:
    """The places of the rules that need one of the words in a text, in their order."""
    return sorted({place for need in present for place in needing.get(need, ())})


@cache
def _compiled(written: str | re.Pattern[str]) -> LinearPattern:
    if isinstance(written, str):
        return LinearPattern(written, group="secret")
    return LinearPattern(written.pattern, written.flags)


def _token(kind: str, needs: str, pattern: str) -> SecretRule:
    """A token with a known format, which does not begin inside another word."""
    return SecretRule(kind, pattern, tuple(needs.split()), whole_word=True)


#: Tokens known by their format. What they need is in one long run of characters.
TOKENS: Final[tuple[SecretRule, ...]] = (
    _token("undo key", r"aud_", r"aud_[0-9a-z]{26}\.(?P<secret>[A-Za-z0-9_-]{22})"),
    _token("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9]{2,8}-[A-Za-z0-9_-]{20,}"),
    _token(
        "OpenAI key",
        r"sk-[A-Za-z0-9]",
        r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})",
    ),
    _token("Google API key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    _token("Google client secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    _token("Google access token", r"ya29\.", r"ya29\.[A-Za-z0-9_-]{30,}"),
    _token("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _token("GitHub fine-grained token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}"),
    _token(
        "GitLab token",
        "glpat- glptt- glrt- gldt- glcbt- gloas- glsoat- glagent- glft- glimt- glfeed-",
        r"gl(?:pat|ptt|rt|dt|cbt|oas|soat|agent|ft|imt|feed)-[A-Za-z0-9_.-]{18,}",
    ),
    _token("Slack token", r"xox[a-z]-", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _token("Slack token", "xapp-", r"xapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]{16,}"),
    _token(
        "Slack webhook",
        r"hooks\.slack\.com/",
        r"hooks\.slack\.com/(?:services|workflows)/T?[A-Za-z0-9_]+/[A-Za-z0-9_/]{8,}",
    ),
    _token(
        "Discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{15,}/[A-Za-z0-9_-]{40,}",
    ),
    _token(
        "Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[rs]k_(?:live|test)_[0-9a-zA-Z]{16,}"
    ),
    _token("Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("PyPI token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    _token(
        "Hugging Face token", r"(?:hf|api_org)_[A-Za-z0-9]{8}", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"
    ),
    _token(
        "AWS access key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])",
    ),
    _token("Azure storage key", "AccountKey=", r"AccountKey=[A-Za-z0-9+/]{60,}={0,2}"),
    _token("Azure client secret", "Q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    _token(
        "SendGrid key", r"SG\.[A-Za-z0-9_-]{8}", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,}"
    ),
    _token("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{60,}"),
    _token("Shopify token", r"shp[a-z]{2}_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _token("Square token", "sq0 EAAA", r"(?:sq0[a-z]{3}-|EAAA)[0-9A-Za-z_-]{22,}"),
    _token("Databricks token", r"dapi[0-9a-f]{8}", r"dapi[a-f0-9]{32}"),
    _token("Vault token", r"hv[sbr]\.", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _token("Terraform token", r"\.atlasv1\.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{50,}"),
    _token(
        "Doppler token", r"dp\.[a-z]{2,5}\.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}"
    ),
    _token("Grafana token", "glsa_ glc_", r"gl(?:sa|c)_[A-Za-z0-9_+/=]{28,}"),
    _token("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    _token("Notion token", r"(?:ntn_|secret_)[A-Za-z0-9]{8}", r"(?:ntn_|secret_)[A-Za-z0-9]{40,}"),
    _token("Supabase key", "sbp_ sb_secret_", r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,}"),
    _token("Airtable token", r"pat[A-Za-z0-9]{14}\.", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{60,}"),
    _token("Docker token", "dckr_", r"dckr_[a-z]+_[A-Za-z0-9_-]{24,}"),
    _token("age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    _token("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    _token("Replicate token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    _token("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _token("xAI key", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    _token("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    _token("Figma token", "figd_ figo_ figu_", r"fig[dou]_[A-Za-z0-9_-]{36,}"),
    _token("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
    _token("Sentry token", "sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9_=+/-]{40,}"),
    _token("Mailgun key", r"key-[0-9a-f]{8}", r"key-[0-9a-f]{32}(?![0-9a-f])"),
    _token("Mailchimp key", r"[0-9a-f]{8}-us[0-9]", r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    _token("RubyGems key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _token("crates.io token", r"cio[A-Za-z0-9]{8}", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _token("Postman key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}"),
    _token("Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{60,}"),
    _token("Telegram token", r"[0-9]{8}:AA", r"(?:bot)?\d{8,10}:AA[0-9A-Za-z_-]{30,}"),
    _token("Twilio key", r"SK[0-9a-f]{8}", r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    _token("Heroku key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{36,}"),
    _token("Netlify token", "nf[pocbu]_", r"nf[pocbu]_[A-Za-z0-9_-]{36,}"),
    _token("Fly token", "fm[12][ar]?_ fo1_", r"(?:fm[12][ar]?|fo1)_[A-Za-z0-9_+/=-]{40,}"),
    _token("Asana token", r"[0-9]/[0-9]{12,}:", r"\d/\d{12,20}:(?P<secret>[0-9a-f]{32})"),
    _token("Shippo token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    _token(
        "Plaid token",
        "access-(?:production|development|sandbox)-",
        r"access-(?:production|development|sandbox)-[0-9a-f-]{36}",
    ),
    _token("EasyPost key", "EZ[AT]K[A-Za-z0-9]{8}", r"EZ[AT]K[A-Za-z0-9]{54}"),
    _token("Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[0-9a-f]{32}-X"),
    _token("Lob key", "(?:live|test)_[0-9a-f]{8}", r"(?:live|test)_[0-9a-f]{35}(?![0-9a-z])"),
    _token(
        "Braintree token", r"access_token\$", r"access_token\$[a-z]+\$[0-9a-z]{16}\$[0-9a-f]{32}"
    ),
    _token("CircleCI token", "CCIP(?:AT|RJ)_", r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{36,}"),
    _token("Buildkite token", "bk[a-z]{1,2}_[0-9a-f]{8}", r"bk[a-z]{1,2}_[0-9a-f]{40}"),
    _token("Sonar token", "sq[pua]_[0-9a-f]{8}", r"sq[pua]_[0-9a-f]{40}"),
    _token("Sourcegraph token", "sg[pd]_", r"sg[pd]_(?:[0-9a-z]{1,16}_)?[0-9a-f]{40}"),
    _token("Brevo key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _token("Bitbucket token", "ATBB[A-Za-z0-9]{8}", r"ATBB[A-Za-z0-9_=-]{24,}"),
    _token("Tailscale key", "tskey-", r"tskey-[a-z]+-[A-Za-z0-9-]{20,}"),
    _token("Pulumi token", "pul-[0-9a-f]{8}", r"pul-[0-9a-f]{40}"),
    _token("Dynatrace token", r"dt0[a-z][0-9]{2}\.", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("Contentful token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{40,}"),
    _token("Honeycomb key", "hca?[imb][klc]_", r"hca?[imb][klc]_[A-Za-z0-9_-]{24,}"),
    _token("Facebook token", "EAA[A-Za-z0-9_-]{8}", r"EAA[A-Za-z0-9_-]{60,}"),
    _token("Twitter token", "A{18}", r"A{18,24}[A-Za-z0-9%_-]{40,}"),
    _token("Google refresh token", "1//0", r"1//0[A-Za-z0-9_-]{40,}"),
    _token("Mapbox token", r"sk\.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}"),
    _token("Alibaba key", "LTAI[A-Za-z0-9]{8}", r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    _token("NuGet key", "oy2[a-z0-9]{8}", r"oy2[a-z0-9]{43}"),
    _token("Resend key", "re_[A-Za-z0-9]{6}", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    _token("PostHog key", "ph[xs]_", r"ph[xs]_[A-Za-z0-9]{40,}"),
    _token("Adafruit key", "aio_", r"aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])"),
    _token("Prefect key", "pn[ub]_", r"pn[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _token("ReadMe key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _token("Cloudflare key", "v1\\.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    _token(
        "Teams webhook",
        r"\.webhook\.office\.com/",
        r"webhookb2/[0-9a-f@-]{70,80}/IncomingWebhook/(?P<secret>[0-9a-f]{32}/[0-9a-f-]{36})",
    ),
    _token("hash of a password", r"\$2[aby]\$", r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    _token(
        "hash of a password",
        r"\$[1567y]\$ \$argon2 \$apr1\$ \$md5 \$sha1\$ \$scrypt\$ \$pbkdf2",
        r"\$(?:[1567y]|argon2(?:id?|d)|apr1|md5|sha1|scrypt|pbkdf2(?:-sha\d{1,3})?)"
        r"\$[^\s:]{0,60}\$[./A-Za-z0-9+]{22,}",
    ),
    _token("hash of a password", r"\$[PH]\$", r"\$[PH]\$[./A-Za-z0-9]{31}"),
    _token(
        "hash of a password",
        "pbkdf2_sha",
        r"pbkdf2_sha\d{1,3}\$\d+\$[^\s$]{1,60}\$[A-Za-z0-9+/]{27,}",
    ),
    _token(
        "hash of a password",
        r"(?:SHA|MD5)[0-9]*\}",
        r"\{S?(?:SHA(?:256|384|512)?|MD5)\}[A-Za-z0-9+/]{22,}={0,2}",
    ),
    _token(
        "JSON web token",
        r"eyJ[A-Za-z0-9_-]{8}",
        r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
    ),
    _token(
        "Discord token",
        r"[A-Za-z0-9_-]{8}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{8}",
        r"(?:M[TjzADEFGHIJKLMNOPQRSUVWXYZ]|N[DTjzgAQ]|O[DTjAQ])[A-Za-z\d_-]{22,26}"
        r"\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}",
    ),
)

#: Secrets known by their context. What they need is looked for in lower case.
TELLING: Final[tuple[SecretRule, ...]] = (
    SecretRule(
        "private key",
        (
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?!-----END)[\s\S])*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?"
            r"|PuTTY-User-Key-File-\d[\s\S]*"
        ),
        ("private key", "putty-user-key"),
    ),
    SecretRule(
        "AWS secret key",
        (
            r"(?i:aws|amazon|secret.?access).{0,40}?(?<![A-Za-z0-9/+=])"
            r"(?P<secret>(?=[A-Za-z0-9/+]{0,39}\d)(?=[A-Za-z0-9/+]{0,39}[A-Z])[A-Za-z0-9/+]{40})"
            r"(?![A-Za-z0-9/+=])"
        ),
        ("secret", "key"),
    ),
    SecretRule(
        "password in an address",
        (
            r"://[^\s/:@\"'`<>]{0,100}:(?P<secret>(?!\$|\{|%|\*|\.\.)[^\s/@\"'`<>]{3,200})@(?=[\w\[])"
        ),
        ("://",),
    ),
    SecretRule(
        "credentials of a request",
        (
            r"(?i:authorization[\"']?\s*[:=,]\s*[\"']?(?:basic|bearer|token)\s+)"
            r"(?P<secret>[A-Za-z0-9+/=_.~-]{16,})"
        ),
        ("authoriz",),
    ),
    SecretRule(
        "credentials of a request",
        (r"(?i:\bbearer\s+)(?P<secret>(?=[^\s]*\d)[A-Za-z0-9+/=_.~-]{24,})"),
        ("bearer",),
    ),
)

_LEFT_OUT: Final = frozenset(
    {
        "Base64 High Entropy String",  # guesses by entropy: thousands of false alarms in real code
        "Hex High Entropy String",
        "Secret Keyword",  # ours checks the value too
        "Public IP (ipv4)",  # an address is no secret
        "Basic Auth Credentials",  # ours knows where the password ends
        "JSON Web Token",  # matches any word that begins with eyJ
        "Artifactory Credentials",  # matches many words that begin with AP
        "Discord Bot Token",  # matches dotted names in code
        "Telegram Bot Token",  # ours requires the letters that every such token has
        "Twilio API Key",  # matches account ids, which are no secrets, and words with digits
    }
)
#: Required words or patterns of the library's rules, by kind; one that is not here is tried with
#: any other.
_NEEDED: Final[dict[str, str]] = {
    "AWS Access Key": "akia asia abia acca a3t aws",
    "Azure Storage Account access key": "accountkey=",
    "Cloudant Credentials": "cloudant",
    "GitHub Token": "ghp_ gho_ ghu_ ghs_ ghr_",
    "GitLab Token": (
        "glpat- gldt- glft- glsoat- glrt- gr1348941 glcbt- glimt- glptt- glagent- gloas-"
    ),
    "IBM Cloud IAM Key": "ibm",
    "IBM COS HMAC Credentials": "ibm cos_hmac cos-hmac",
    "Mailchimp Access Key": "-us",
    "NPM tokens": "_authtoken",
    "OpenAI Token": "sk-",
    "Private Key": "private putty-user-key",
    "PyPI Token": "pypi-",
    "SendGrid API Key": "sg.",
    "Slack Token": "xox hooks.slack",
    "SoftLayer Credentials": "softlayer",
    "Square OAuth Secret": "sq0csp-",
    "Stripe Access Key": "k_live_",
}


#: A rule of the library can only match a text that contains one of these.
LIBRARY_NEEDS: Final = frozenset(need for needs in _NEEDED.values() for need in needs.split())


@cache
def library_rules() -> tuple[SecretRule, ...]:
    """The patterns of detect-secrets, loaded when a text is first suspected."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    plugins: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple(
        SecretRule(kind, pattern, tuple(_NEEDED.get(kind, "").split()))
        for kind, plugin in sorted(plugins.items())
        if kind not in _LEFT_OUT
        for pattern in getattr(plugin, "denylist", ())
        if isinstance(pattern, re.Pattern)
    )
