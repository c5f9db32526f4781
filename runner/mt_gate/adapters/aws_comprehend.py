"""Amazon Comprehend as a program: ``python -m mt_gate.adapters.aws_comprehend eu-west-1``."""

from __future__ import annotations

import os
import sys
from typing import Any

from mt_gate.adapters.serving import Entities, asked, check_text, fail, serve

DOCUMENTS = 25
"""Maximum documents of a request to BatchDetectEntities."""
MAX_BYTES = 5000
"""Maximum bytes of a document in UTF-8. The API says 5 KB, older pages 5,000 bytes."""
LANGUAGE = "en"
ATTEMPTS = 10
"""Attempts per request, with back-off between them, if AWS_MAX_ATTEMPTS is not set."""


def main() -> None:
    """Serve the region that the command line names."""
    from botocore.exceptions import BotoCoreError, ClientError

    client = _client(sys.argv[1])

    def fits(text: str) -> bool:
        return len(text.encode()) <= MAX_BYTES

    def ask(sent: list[str]) -> dict[int, Entities]:
        try:
            reply = client.batch_detect_entities(TextList=sent, LanguageCode=LANGUAGE)
            return _read(reply, sent)
        except ClientError as error:
            details = error.response.get("Error", {})
            code, message = details.get("Code"), details.get("Message", "")
            fail(f"the service rejected the request: {code} ({message})")
        except BotoCoreError as error:
            fail(f"{type(error).__name__} ({error})")
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            fail(f"boto3 cannot read the service's reply ({error})")

    name = f"Amazon Comprehend {client.meta.service_model.api_version}"
    serve(name, lambda texts: asked(texts, fits, ask), size=DOCUMENTS)


def _client(region: str) -> Any:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    # "standard" backs off exponentially, with jitter, on throttling, 5xx and lost connections.
    retries: dict[str, Any] = {}
    if "AWS_RETRY_MODE" not in os.environ:
        retries["mode"] = "standard"
    if "AWS_MAX_ATTEMPTS" not in os.environ:
        retries["total_max_attempts"] = ATTEMPTS
    try:
        return boto3.client("comprehend", region_name=region, config=Config(retries=retries))
    except (BotoCoreError, ValueError) as error:
        fail(f"boto3 cannot create a client ({error}). Fix boto3's configuration.")


def _read(reply: dict[str, Any], texts: list[str]) -> dict[int, Entities]:
    """Return the entities of each text, by its number."""
    if errors := reply.get("ErrorList"):
        code, message = errors[0].get("ErrorCode"), errors[0].get("ErrorMessage", "")
        fail(f"the service rejected a text: {code} ({message})")
    entities: dict[int, Entities] = {}
    for item in reply.get("ResultList", ()):
        text = texts[item["Index"]]
        entities[item["Index"]] = [
            (entity["BeginOffset"], entity["EndOffset"], entity["Type"])
            for entity in item["Entities"]
        ]
        for entity in item["Entities"]:
            check_text(text, entity["BeginOffset"], entity["EndOffset"], entity.get("Text"))
    return entities


if __name__ == "__main__":
    main()
