"""Well-known providers: what they speak, where they are, and the variable that holds their key."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["PRESETS", "Preset"]


class Preset(Struct, frozen=True):
    """`key` names an environment variable; empty where the server wants no key. `url` names the
    variable that moves the address, where the vendor has one."""

    wire: str
    base_url: str
    key: str = ""
    url: str = ""


PRESETS = {
    "anthropic": Preset(
        "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
    ),
    "openai": Preset(
        "openai-responses", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"
    ),
    "gemini": Preset(
        "gemini",
        "https://generativelanguage.googleapis.com",
        "GEMINI_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
    ),
    "openrouter": Preset("openai-chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "groq": Preset("openai-chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Preset("openai-chat", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": Preset("openai-chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "ollama": Preset("openai-chat", "http://127.0.0.1:11434/v1"),
    "vllm": Preset("openai-chat", "http://127.0.0.1:8000/v1"),
    "llamacpp": Preset("openai-chat", "http://127.0.0.1:8080/v1"),
}
