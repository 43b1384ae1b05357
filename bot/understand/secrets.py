"""Tokens and keys that were pasted by mistake: masked before anything else looks at the message."""

import re

MASK = "[secret-removed]"

_SHAPES = re.compile(
    r"""
    \bhf_[A-Za-z0-9]{16,}\b                             # Hugging Face
    | \b(?:xox[a-z]|xapp|xwfp)-[A-Za-z0-9-]{8,}         # Slack
    | \bsk-[A-Za-z0-9_-]{16,}                           # OpenAI and those that copy its form
    | \b(?:AKIA|ASIA)[A-Z0-9]{12,}\b                    # AWS
    | \bgh[opsur]_[A-Za-z0-9]{20,}\b | \bgithub_pat_\w{20,}
    | \bglpat-[A-Za-z0-9_-]{16,}                        # GitLab
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}              # JSON web token
    | -----BEGIN[ ][A-Z ]{0,30}PRIVATE[ ]KEY-----[^-]*(?:-----END[ ][A-Z ]{0,30}-----)?
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(--(?:api-key|hf-token)[ =]+["']?
        | \b(?:VLLM_API_KEY|HF_TOKEN|HUGGING_FACE_HUB_TOKEN|AWS_SECRET_ACCESS_KEY|OPENAI_API_KEY)\s{0,3}=\s{0,3}["']?
        | \bBearer[ ]{1,3})
    (?![$<{\[])([^\s"']{6,})""",
    re.VERBOSE,
)
_HINTS = (
    "hf_", "xox", "xapp-", "xwfp-", "sk-", "AKIA", "ASIA", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "eyJ",
    "PRIVATE KEY", "--api-key", "--hf-token", "API_KEY", "HF_TOKEN", "HUB_TOKEN", "ACCESS_KEY", "Bearer", MASK,
)  # fmt: skip
# one of these stands in every text that a pattern finds something in: logs have many lines, and few secrets


def mask(text: str) -> tuple[str, bool]:
    """`text` with every secret replaced by `MASK`, and whether there was one, then or before. Values such as `$VLLM_API_KEY` are no secrets."""
    if not any(hint in text for hint in _HINTS):
        return text, False
    masked, shaped = _SHAPES.subn(MASK, text)
    masked, named = _NAMED.subn(lambda found: found[1] + MASK, masked)
    return masked, bool(shaped + named) or MASK in text
