"""What a change brings, as one English sentence with figures."""

from knowledge.fit.largest import max_concurrency, max_context
from knowledge.fit.verdict import Weighed
from knowledge.memory.judgement import Verdict

OUTCOMES = {
    Verdict.FITS: "Fits: ",
    Verdict.UNCERTAIN: "Might just fit: ",
    Verdict.DOES_NOT_FIT: "Not enough, but more: ",
}
CAVEATS = {
    "less-margin": "leaves less memory for everything outside vLLM's budget, so a full card or a large batch can still fail",
    "kv-accuracy": "can cost accuracy, so compare answers on your own prompts",
    "quality": "can cost quality, so compare answers on your own prompts",
    "slower-decoding": "decodes more slowly, since CUDA graphs are off",
    "slower-prefill": "prefills long prompts in smaller steps, so they take longer",
    "less-batching": "runs fewer requests at once, the others wait",
    "no-images": "takes text only",
}


def effect(before: Weighed, after: Weighed, caveat: str | None) -> str:
    """`Fits: …; can cost …` in one sentence, with the context and the concurrency before and after."""
    plan = after.plan
    holds = f"{max_concurrency(after).expected:,.1f} requests of {plan.context:,} tokens at once"
    longest = f"one request of up to {max_context(after).expected:,.0f} tokens"
    where = _where(before, after)
    if before.overall is Verdict.FITS:
        had = max_concurrency(before, plan.context).expected
        words = f"{where}holds {holds} instead of {had:,.1f}, or {longest}"
    else:
        words = f"{OUTCOMES[after.overall]}{where}holds {holds}, or {longest}"
    sentence = f"{words}; {CAVEATS[caveat]}." if caveat else f"{words}."
    return sentence[0].upper() + sentence[1:]


def _where(before: Weighed, after: Weighed) -> str:
    """`with 8 × H200-141GB it ` where the change is of the hardware, else nothing."""
    old, new = before.plan.launch, after.plan.launch
    if old.gpus == new.gpus and old.gpu is new.gpu:
        return ""
    return f"with {new.gpus} × {new.gpu.name} it "
