"""Words that stand between the ones that tell something: no part of a name, and no subject of their own."""

_WORDS = (
    "a an the on in at to of for with w and or my our your we i it this that is are be can could will would "
    "do does please pls plz hey hi so ok using use run running serve serving gpu gpus card cards vram memory "
    "context ctx tokens token users user concurrent requests seqs max len just one single need want about per "
    "each x by from as if then vllm model "
)
_BEFORE_SIZES = (
    "good better best decent nice great smart smarter smartest clever capable strong stronger strongest solid top "
    "big bigger biggest large larger largest huge massive giant medium midsize mid small smaller smallest tiny mini "
    "heavy heavier light lighter lightweight cheap cheaper cheapest fast faster fastest slow slower quick "
    "new newer newest old older oldest recent latest modern fresh current future next last previous first second third "
    "typical usual average normal regular standard plain vanilla generic common popular random specific certain given "
    "full whole entire half raw original bare pure real actual true proper complete different other similar equivalent "
    "open opensource source closed local private public internal hosted custom dedicated shared separate "
    "chat code coding coder reasoning reasoner instruct base multilingual bilingual chinese english vision visual "
    "multimodal text language embedding embeddings llm llms slm vlm moe dense sparse hybrid tuned finetuned finetune "
    "abliterated uncensored unquantized unquantised half-precision 4bit 8bit lora ft sft "
    "try trying buy get got want wants wanted need needs consider evaluate test tested compare between either neither both "
    "single every all no not more most less least few several many two three four five six eight ten maybe perhaps say "
    "guess think eg ie etc etcetera approx approximately roughly nearly almost under over below above up until upto "
    "your their his her its who when where why but yet so if as at by into onto via because while since after before "
    "was were be been being has have had should could might must may shall let lets make makes made go going "
    "gpu gpus card cards server servers box node nodes vram memory ram token tokens user users request requests prod "
)
BEFORE_SIZES = frozenset(_BEFORE_SIZES.split())  # words that tell what kind of `70b` is meant, and name none
SMALL_WORDS = frozenset(_WORDS.split())
NO_NAMES = SMALL_WORDS | frozenset(
    [
        "vs",
        "versus",
        "than",
        "not",
        "but",
        "also",
        "only",
        "now",
        "here",
        "has",
        "have",
        "had",
        "get",
        "gets",
        "got",
        "was",
        "were",
        "what",
        "which",
        "how",
        "many",
        "much",
        "long",
        "when",
        "who",
        "why",
        "fit",
        "fits",
        "fitting",
        "work",
        "works",
        "load",
        "loads",
        "start",
        "starts",
        "still",
        "even",
        "yet",
        "all",
        "any",
        "both",
        "same",
        "per",
        "via",
        "into",
        "onto",
        "over",
        "under",
        "across",
        "plus",
        "minus",
        "kv",
        "cache",
        "util",
        "tp",
        "pp",
        "dp",
        "ep",
        "node",
        "nodes",
        "machine",
        "machines",
        "server",
        "servers",
        "weights",
        "weight",
        "quantized",
        "quantised",
        "unquantized",
        "precision",
        "full",
        "size",
        "version",
        "maybe",
        "should",
        "might",
        "may",
        "must",
        "instead",
        "again",
        "right",
        "good",
        "best",
        "better",
        "two",
        "four",
        "eight",
        "fast",
        "slow",
        "cost",
        "costs",
        "people",
        "team",
        "box",
        "host",
        "ones",
        "its",
    ]
)
