"""Kinds of value in a statement: dates, hours, days, figures with their units, numbers in words."""

import re
from typing import Final

_MONTH: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|janv|févr|juil|déc)"
)
_DAY: Final = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|lundi|mardi|mercredi|jeudi"
    r"|vendredi|samedi|dimanche)"
)
_NUMBER: Final = (
    r"(?:\d{1,6}(?:[.:,]\d{1,4})?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze)"
)
#: Kinds of value, the most specific first. A correction replaces a value with one of its kind.
VALUES: Final = (
    re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\b{_MONTH} \d{{1,2}}\b", re.I),
    re.compile(r"\b\d{1,2}(?:[:h]\d{2}(?: ?[ap]m\b)?| ?(?:am|pm)\b|h\b)", re.I),
    re.compile(rf"\b{_DAY}s?\b", re.I),
    re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.I),
    re.compile(rf"\b{_NUMBER} (?:years?|months?|weeks?|days?|hours?|minutes?|ans|mois|jours"
               r"|semaines|heures|people|guests|invités|euros?|pounds|quid|dollars|km|kg|cm|mg"
               r"|ml|g|l|kids"
               r"|times|fois|personnes)\b", re.I),
)  # fmt: skip
SHORT_DAY: Final = re.compile(r"\b(?:mon|tues?|wed|thurs?|fri|sat|sun)(?:days?)?s?\b", re.I)
DATE_WORD: Final = re.compile(
    rf"(?:{_MONTH}|{_DAY})s?|(?:mon|tue|wed|thu|fri|sat|sun)|[\d.:,/-]{{1,12}}", re.I
)
#: A number in words, without "one", which seldom counts.
NUMBER_WORD: Final = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    r"|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente"
    r"|quarante|cinquante|soixante)(?:-[a-zé]{2,8})?"
)
PLAIN_NUMBER: Final = re.compile(rf"\b{_NUMBER}\b", re.I)
COUNTED: Final = re.compile(rf"\b{_NUMBER} ([^\W\d_]{{3,20}})", re.I)
