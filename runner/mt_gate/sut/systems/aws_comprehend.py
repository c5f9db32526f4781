"""Amazon Comprehend as a system under test, through boto3."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.results.result import CheckpointHead
from mt_gate.sut.systems.services import Found, Service, checked_text, hush, line
from mt_gate.sut.systems.unscored import head, key

DOCUMENTS = 25
"""Most documents that BatchDetectEntities takes."""
MAX_BYTES = 5000
"""Longest document in UTF-8. The API says 5 KB, older pages 5,000 bytes: the smaller is safe."""
LANGUAGE = "en"
ATTEMPTS = 10
"""Tries of a request, with back-off between them, where AWS_MAX_ATTEMPTS says nothing."""

_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d{1,2}")
_CREDENTIALS = {
    "401",
    "403",
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignature",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "UnrecognizedClientException",
}
_THROTTLING = {"ThrottlingException", "TooManyRequestsException", "RequestLimitExceeded"}


class AwsComprehend(Service):
    """The built-in entity recogniser of Amazon Comprehend, for English.

    It has no version that a client could ask for, so there is no fingerprint.
    """

    documents = DOCUMENTS

    def __init__(self, region: str, timeout: float) -> None:
        """Make a client; credentials come from boto3's own chain.

        Args:
            region: for example eu-west-1.
            timeout: seconds that one request may take.

        Raises:
            UsageError: not the name of a region.
        """
        if not _REGION.fullmatch(region):
            raise UsageError(f"--system aws-comprehend:{region}: expected a region, like eu-west-1")
        import boto3

        hush("botocore", "urllib3")
        self._where = f"aws-comprehend:{region}"
        self._region = region
        self._client = _client(boto3, region, timeout, self._where)
        self._version: str = self._client.meta.service_model.api_version

    @property
    def head(self) -> CheckpointHead:
        """The service, its region and the version of its API."""
        return head("Amazon Comprehend", f"Amazon Comprehend {self._version}, {self._region}")

    @property
    def cache_key(self) -> str:
        """Endpoint, region, API version, language and the date."""
        endpoint = self._client.meta.endpoint_url
        return key("aws", endpoint, self._region, self._version, LANGUAGE, fingerprint="")

    def _fits(self, text: str) -> bool:
        return len(text.encode()) <= MAX_BYTES

    def _ask(self, texts: Sequence[str]) -> list[Found]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            reply = self._client.batch_detect_entities(TextList=list(texts), LanguageCode=LANGUAGE)
            return self._read(reply, texts)
        except ClientError as error:
            raise self._failed(error.response.get("Error", {})) from None
        except BotoCoreError as error:
            raise CannotJudge(
                f"{self._where}: {type(error).__name__} ({line(error)}); {_hint(error)}"
            ) from None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._garbled(f"what boto3 cannot read ({line(error)})") from None

    def _read(self, reply: Mapping[str, Any], texts: Sequence[str]) -> list[Found]:
        if reply.get("ErrorList"):
            raise self._failed(
                {
                    "Code": reply["ErrorList"][0].get("ErrorCode"),
                    "Message": reply["ErrorList"][0].get("ErrorMessage"),
                }
            )
        listed = reply.get("ResultList", ())
        results = {item.get("Index"): item for item in listed}
        if len(listed) != len(texts) or set(results) != set(range(len(texts))):
            raise self._garbled(f"answers to {len(results)} of {len(texts)} documents")
        return [
            [self._entity(text, item) for item in results[at].get("Entities", ())]
            for at, text in enumerate(texts)
        ]

    def _entity(self, text: str, item: Mapping[str, Any]) -> tuple[int, int, str]:
        try:
            start, end, label = item["BeginOffset"], item["EndOffset"], item["Type"]
        except KeyError as error:
            raise self._garbled(f"an entity without {error.args[0]}") from None
        checked_text(text, start, end, item.get("Text"), self._where)
        return start, end, label

    def _failed(self, error: Mapping[str, Any]) -> CannotJudge:
        code, message = str(error.get("Code", "")), line(error.get("Message", ""))
        if code in _CREDENTIALS:
            hint = "allow comprehend:BatchDetectEntities to these credentials, or set others"
        elif code in _THROTTLING:
            hint = (
                "run again later (earlier answers stay in the cache for the day), ask AWS for a "
                "higher "
                "quota, or raise AWS_MAX_ATTEMPTS"
            )
        else:
            hint = "run again later; earlier answers stay in the cache for the day"
        return CannotJudge(f"{self._where}: refused with {code} ({message}); {hint}")


def _client(boto3: Any, region: str, timeout: float, where: str) -> Any:
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    # "standard" backs off exponentially, with jitter, on throttling, 5xx and lost connections.
    retries: dict[str, Any] = {}
    if "AWS_RETRY_MODE" not in os.environ:
        retries["mode"] = "standard"
    if "AWS_MAX_ATTEMPTS" not in os.environ:
        retries["total_max_attempts"] = ATTEMPTS
    config = Config(retries=retries, connect_timeout=min(timeout, 10.0), read_timeout=timeout)
    try:
        # Not the session that boto3 shares: it would keep credentials that have changed.
        session = boto3.session.Session()
        return session.client("comprehend", region_name=region, config=config)
    except (BotoCoreError, ValueError) as error:
        raise CannotJudge(
            f"{where}: boto3 cannot make a client ({line(error)}); fix its configuration"
        ) from None


def _hint(error: Exception) -> str:
    if "Credential" in type(error).__name__ or "Token" in type(error).__name__:
        return "set AWS credentials where boto3 looks for them (docs/systems.md)"
    return "check region, network and --timeout; earlier answers stay in the cache for the day"
