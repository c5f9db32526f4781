"""Azure AI Language as a system under test, through azure-ai-textanalytics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.results.result import CheckpointHead
from mt_gate.sut.systems.services import Found, Service, checked_text, hush, line
from mt_gate.sut.systems.unscored import head, key

DOCUMENTS = 5
"""Most documents that one request for named entities takes."""
MAX_CHARACTERS = 5120
"""Longest document. The service counts text elements, never more than code points."""
LANGUAGE = "en"
KEY = "AZURE_LANGUAGE_KEY"
UNIT = "UnicodeCodePoint"
_RETRIES: dict[str, Any] = {
    "retry_total": 10,
    "retry_status": 9,
    "retry_connect": 3,
    "retry_read": 1,
}
"""Back-off is the SDK's: it follows Retry-After, else doubles; a time-out is tried once more."""
_LOCAL = ("localhost", "127.0.0.1", "::1")


class AzureLanguage(Service):
    """The built-in entity recogniser of Azure AI Language, for English.

    Its latest model is asked, whose version the service may change, so there
    is no fingerprint. Texts are not kept by the service: logging is opted out of.
    """

    documents = DOCUMENTS

    def __init__(self, endpoint: str, timeout: float) -> None:
        """Make a client; the key stands in AZURE_LANGUAGE_KEY.

        Args:
            endpoint: for example https://NAME.cognitiveservices.azure.com.
            timeout: seconds that one request may take.

        Raises:
            UsageError: not an https endpoint.
            CannotJudge: there is no key.
        """
        self._host = _host(endpoint)
        from azure.ai.textanalytics import TextAnalyticsApiVersion, TextAnalyticsClient
        from azure.core.credentials import AzureKeyCredential

        hush("azure", "urllib3")
        self._where = f"azure-language:{endpoint}"
        self._endpoint = endpoint
        self._version = TextAnalyticsApiVersion.V2023_04_01.value
        secret = os.environ.get(KEY, "").strip()
        if not secret:
            raise CannotJudge(
                f"{self._where}: {KEY} is not set; expected a key of the resource; set it"
            )
        self._client = TextAnalyticsClient(
            endpoint,
            AzureKeyCredential(secret),
            api_version=self._version,
            connection_timeout=min(timeout, 10.0),
            read_timeout=timeout,
            **_RETRIES,
        )

    @property
    def head(self) -> CheckpointHead:
        """The service, its host and the version of its API."""
        return head("Azure AI Language", f"Azure AI Language {self._version}, {self._host}")

    @property
    def cache_key(self) -> str:
        """Endpoint, API version, language and the date."""
        return key("azure", self._endpoint, self._version, LANGUAGE, fingerprint="")

    def _fits(self, text: str) -> bool:
        return len(text) <= MAX_CHARACTERS

    def _ask(self, texts: Sequence[str]) -> list[Found]:
        from azure.core.exceptions import AzureError, HttpResponseError

        try:
            documents = self._client.recognize_entities(
                list(texts),
                language=LANGUAGE,
                string_index_type=UNIT,
                disable_service_logs=True,
                # Asking twice does no harm: 429 is to be retried whatever its headers say.
                retry_on_methods=["POST"],
            )
            return self._read_all(documents, texts)
        except HttpResponseError as error:
            if error.status_code == 200:
                raise self._garbled(f"what is not an answer ({line(error.message)})") from None
            raise self._failed(error.status_code, error.message) from None
        except AzureError as error:
            raise CannotJudge(
                f"{self._where}: {type(error).__name__} ({line(error)}); "
                "check endpoint, network and --timeout"
            ) from None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._garbled(f"what the SDK cannot read ({line(error)})") from None

    def _read_all(self, documents: Sequence[Any], texts: Sequence[str]) -> list[Found]:
        # The SDK numbers the documents, but leaves the answers in the service's own order.
        by_id = {document.id: document for document in documents}
        if len(documents) != len(texts) or set(by_id) != {str(at) for at in range(len(texts))}:
            raise self._garbled(f"answers to {len(by_id)} of {len(texts)} documents")
        return [self._read(by_id[str(at)], text) for at, text in enumerate(texts)]

    def _read(self, document: Any, text: str) -> Found:
        if document.is_error:
            raise self._failed(None, f"{document.error.code}: {document.error.message}")
        found = []
        for entity in document.entities or ():
            start, length, label = entity.offset, entity.length, entity.category
            if not isinstance(start, int) or not isinstance(length, int) or not label:
                raise self._garbled("an entity without offset, length or category")
            checked_text(text, start, start + length, entity.text, self._where)
            found.append((start, start + length, str(label)))
        return found

    def _failed(self, status: int | None, message: object) -> CannotJudge:
        hint = "run again later; earlier answers stay in the cache for the day"
        if status in (401, 403):
            hint = f"check the key in {KEY}, and that it is of this endpoint"
        elif status == 429:
            hint = f"{hint}; or take a tier with a higher quota"
        code = f"status {status}" if status else "an error"
        return CannotJudge(f"{self._where}: refused with {code} ({line(message)}); {hint}")


def _host(endpoint: str) -> str:
    """Return the host; a key must not go over the network in the clear."""
    try:
        parts = urlsplit(endpoint)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    secure = host and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOCAL))
    if not secure or parts.username or parts.query or parts.fragment:
        raise UsageError(
            f"--system azure-language:{endpoint}: expected the resource's endpoint, like "
            "https://NAME.cognitiveservices.azure.com"
        )
    return host
