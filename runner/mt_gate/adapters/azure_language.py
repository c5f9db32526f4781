"""Azure AI Language as a program: ``python -m mt_gate.adapters.azure_language ENDPOINT``.

The key is in ``AZURE_LANGUAGE_KEY``. Requests tell the service not to store the texts.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from mt_gate.adapters.serving import Entities, asked, check_text, fail, serve

DOCUMENTS = 5
"""Maximum documents of a request for named entities."""
MAX_CHARACTERS = 5120
"""Maximum characters of a document. The service counts text elements, which are never more."""
KEY = "AZURE_LANGUAGE_KEY"
VERSION = "2023-04-01"
_RETRIES: dict[str, Any] = {
    "retry_total": 10,
    "retry_status": 9,
    "retry_connect": 3,
    "retry_read": 1,
}
"""Settings of the SDK's back-off, which follows Retry-After, or else doubles."""


def main() -> None:
    """Serve the endpoint that the command line names."""
    from azure.ai.textanalytics import TextAnalyticsClient
    from azure.core.credentials import AzureKeyCredential
    from azure.core.exceptions import AzureError, HttpResponseError

    secret = os.environ.get(KEY, "").strip()
    if not secret:
        fail(f"{KEY} is not set. Set it to a key of the resource.")
    client = TextAnalyticsClient(
        sys.argv[1], AzureKeyCredential(secret), api_version=VERSION, **_RETRIES
    )

    def fits(text: str) -> bool:
        return len(text) <= MAX_CHARACTERS

    def ask(sent: list[str]) -> dict[int, Entities]:
        try:
            documents = client.recognize_entities(
                sent,
                language="en",
                string_index_type="UnicodeCodePoint",
                disable_service_logs=True,
                # POST is safe to repeat here, so retry a 429 whatever its headers say.
                retry_on_methods=["POST"],
            )
            return _read(documents, sent)
        except HttpResponseError as error:
            fail(f"the service rejected the request: status {error.status_code} ({error.message})")
        except AzureError as error:
            fail(f"{type(error).__name__} ({error})")
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            fail(f"the SDK cannot read the service's reply ({error})")

    serve(f"Azure AI Language {VERSION}", lambda texts: asked(texts, fits, ask), size=DOCUMENTS)


def _read(documents: list[Any], texts: list[str]) -> dict[int, Entities]:
    """Return the entities of each text, by its number."""
    read: dict[int, Entities] = {}
    for document in documents:
        if document.is_error:
            fail(f"the service rejected a text: {document.error.code} ({document.error.message})")
        text = texts[int(document.id)]
        entities = [
            (entity.offset, entity.offset + entity.length, str(entity.category))
            for entity in document.entities or ()
        ]
        for (start, end, _), entity in zip(entities, document.entities or (), strict=True):
            check_text(text, start, end, entity.text)
        read[int(document.id)] = entities
    return read


if __name__ == "__main__":
    main()
