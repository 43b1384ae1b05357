"""Which language a message is in: English, Chinese, or another that is answered in English."""

import re
from typing import Literal

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u058f\u0590-\u06ff\u0900-\u0e7f\u1100-\u11ff\u3040-\u30ff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f']+")
# Words that make a sentence and are spelled alike in no other of the languages here.
_ENGLISH_WORDS = (
    "the is are what how why can could will would should does do with my our we you i it this that which many "
    "much of and need have has get for run fit on at to in or not if when "
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_OTHER_WORDS = (
    "puedo cuantas cuántas cuánto cuanto cuántos para qué que cómo como una tarjetas cabe necesito quiero "
    "funciona memoria quantas quantos preciso posso não nao você uma minha placas está est-ce combien faut "
    "puis-je peux carte cartes mémoire tourner avec sur pour quel quelle est dans une des les wie viele viel "
    "kann ich mit auf eine einer passt brauche läuft für und der die das wird nicht karten welche posso "
    "quante quanti quanto schede serve gira sulla con hoeveel kaarten past geheugen ik heb nodig op een ile "
    "kart czy zmieści się potrzebuję na kaç kart sığar mı gerekir ile için bao nhiêu được không cần chạy trên "
    "berapa apakah bisa cukup untuk dengan di "
)
_OTHER_LATIN = frozenset(
    # Spanish, Portuguese, French, German, Italian, Dutch, Polish, Turkish, Vietnamese, Indonesian
    _OTHER_WORDS.split()
)


def detect(text: str) -> Literal["en", "zh", "other"]:
    """The language of what a person wrote. Chinese wins in a mixed message unless English words outnumber its characters."""
    han, other = len(_HAN.findall(text)), len(_OTHER_SCRIPT.findall(text))
    words = _LATIN_WORD.findall(text.lower())
    english = sum(word in _ENGLISH for word in words)
    if other > max(han // 2, english * 3, 2):
        return "other"
    if han:
        return "zh" if han >= english else "en"
    foreign = sum(word in _OTHER_LATIN and word not in _ENGLISH for word in words)
    return "other" if foreign >= 2 and foreign > english else "en"


def wordy(text: str) -> bool:
    """Whether English words tell the language; `H200 fp8?` has none."""
    return any(word in _ENGLISH for word in _LATIN_WORD.findall(text.lower()))
