"""The protocol: messages are read, handed to the features that answer them, and answers are written.

Messages enter as plain JSON values (`Conversation.take`), answers leave through a writer. pygls reads and writes the
types of the protocol and negotiates what both sides can do; open documents are kept by us, because its lines end at
signs that end no line in the protocol.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from pinakes.render import safe
from pinakes.serve.lsp.editor import Editor
from pinakes.serve.lsp.features import FEATURES, EditorRequests

NOT_READ, NOT_A_MESSAGE, BAD_PARAMETERS, NOT_INITIALIZED = -32700, -32600, -32602, -32002


class _Protocol(LanguageServerProtocol):
    """pygls's, except for who keeps the open documents."""

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class _Server(LanguageServer):
    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Tell of trouble that no answer tells of."""
        if source is not FeatureRequestError:
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, safe(f"pinakes: {error}")))


class Conversation:
    """The server's side of one conversation, from the first message to the last. Used on one event loop."""

    def __init__(
        self, roots: tuple[Path, ...], arguments: Mapping[str, object], write: Callable[[bytes], None]
    ) -> None:
        self._server = _Server(
            "pinakes",
            version("pinakes"),
            lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        for logger in ("pygls", "pygls.protocol", "pygls.feature_manager"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what matters is told to the editor
        self._server.protocol.set_writer(_Writer(write))
        self.editor = Editor(roots, arguments, self._publish, self._log)
        self._is_initialized = False
        self.has_shut_down = False
        requests = EditorRequests(self.editor, self._server)
        for method, (handler, options) in FEATURES.items():
            self._server.feature(method, options)(partial(handler, requests))

    def take(self, data: object) -> bool:
        """Take one message, as JSON gives it, and begin to answer it; returns whether the conversation goes on."""
        protocol = self._server.protocol
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0" or not isinstance(data.get("method", ""), str):
            self.refuse(NOT_A_MESSAGE, "This is no message of JSON-RPC 2.0.")
            return True
        method, asked = data.get("method"), data.get("id")
        if method == lsp.EXIT:
            return False
        if method != lsp.INITIALIZE and method is not None and not self._is_initialized:
            if asked is not None:
                self.refuse(NOT_INITIALIZED, "The first request must be initialize.", asked)
            return True
        try:
            message = protocol.structure_message(data)
        except JsonRpcException as error:
            if asked is not None and method is not None:
                self.refuse(BAD_PARAMETERS, f"The parameters of {method} are not those of the protocol.", asked)
            else:
                self._server.report_server_error(error, JsonRpcException)
            return True
        self._is_initialized = self._is_initialized or method == lsp.INITIALIZE
        self.has_shut_down = self.has_shut_down or method == lsp.SHUTDOWN
        protocol.handle_message(message)
        return True

    def refuse(self, code: int, sentence: str, asked: str | int | None = None) -> None:
        """Answer a message with an error."""
        self._server.protocol._send_data(lsp.ResponseErrorMessage(id=asked, error=lsp.ResponseError(code, sentence)))

    def _publish(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def _log(self, sentence: str) -> None:
        self._server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, safe(f"pinakes: {sentence}")))


class _Writer:
    """What pygls writes to."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.write = write

    def close(self) -> None:
        """The process ends when the conversation does."""
