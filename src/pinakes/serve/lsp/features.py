"""The table of what an editor may ask, and a method for each.

Parameters of the protocol enter, its results leave. What opens and changes documents is done at once, on the event
loop; everything else is asked of the `Editor`, which answers in a thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pinakes.errors import PinakesError
from pinakes.records import CorpusName, Document, Ref, Span
from pinakes.render import safe
from pinakes.serve.lsp.buffers import Buffer, path_of
from pinakes.serve.lsp.completion import completion
from pinakes.serve.lsp.editor import Editor
from pinakes.serve.lsp.fixes import fixes
from pinakes.serve.lsp.hover import hover
from pinakes.serve.lsp.links import definition, document_links, edge_at, references
from pinakes.serve.lsp.positions import UTF_16
from pinakes.serve.lsp.renaming import EditAbilities, moved, renameable, renamed
from pinakes.serve.lsp.symbols import document_symbols, folding_ranges
from pinakes.serve.lsp.view import EditorView
from pinakes.serve.lsp.workspace_symbols import workspace_symbols

T = TypeVar("T")


class EditorRequests:
    """What may be asked, each by its own method. Used on one event loop."""

    def __init__(self, editor: Editor, client: LanguageServer) -> None:
        self._editor = editor
        self._client = client

    def initialize(self, params: lsp.InitializeParams) -> None:
        """Open the folders that the client names."""
        encoding = self._client.workspace.position_encoding
        self._editor.buffers.encoding = lsp.PositionEncodingKind(encoding or UTF_16).value
        uris = [folder.uri for folder in params.workspace_folders or ()]
        if not uris and self._client.workspace.root_uri:
            uris = [self._client.workspace.root_uri]
        self._editor.open_folders(tuple(uris))

    def folders_changed(self, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            self._editor.close_folder(folder.uri)
        for folder in params.event.added:
            self._editor.open_folder(folder.uri)

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._editor.buffers.open(params.text_document)
        self._editor.diagnoser.diagnose(params.text_document.uri)
        self._editor.diagnoser.check(params.text_document.uri)

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self._editor.buffers.change(document.uri, document.version, params.content_changes)
        self._editor.diagnoser.put_off_checks()
        self._editor.diagnoser.diagnose_all()  # others may link to what is being written

    def saved(self, params: lsp.DidSaveTextDocumentParams) -> None:
        self._editor.outdate((params.text_document.uri,))
        self._editor.diagnoser.check(params.text_document.uri)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._editor.buffers.close(params.text_document.uri)
        self._editor.diagnoser.forget(params.text_document.uri)

    def files_changed(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        self._editor.outdate(tuple(change.uri for change in params.changes))

    async def symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
        return await self._editor.read(
            params.text_document.uri, lambda document, buffer: document_symbols(document, buffer.positions)
        )

    async def folds(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange] | None:
        return await self._editor.read(
            params.text_document.uri, lambda document, buffer: folding_ranges(document, buffer.positions)
        )

    async def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location] | list[lsp.LocationLink] | None:
        capabilities = self._client.client_capabilities.text_document
        has_links = bool(capabilities and capabilities.definition and capabilities.definition.link_support)

        def call(view: EditorView, document: Document, buffer: Buffer) -> list[lsp.Location] | list[lsp.LocationLink]:
            offset = buffer.positions.offset(params.position)
            found = definition(view, document, offset)
            pointed = edge_at(view, document, offset)
            if not has_links or pointed is None:
                return found
            origin = buffer.positions.range(pointed[1])
            return [lsp.LocationLink(one.uri, one.range, one.range, origin) for one in found]

        return await self._editor.ask(params.text_document.uri, call)

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        def call(view: EditorView, document: Document, buffer: Buffer) -> list[lsp.Location]:
            offset = buffer.positions.offset(params.position)
            return references(view, document, offset, with_declaration=params.context.include_declaration)

        return await self._editor.ask(params.text_document.uri, call)

    async def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList | None:
        def call(view: EditorView, document: Document, buffer: Buffer) -> lsp.CompletionList:
            catalogue = self._editor.catalogues.get(view, document.ref)
            return completion(view, document, buffer.positions.offset(params.position), catalogue)

        return await self._editor.ask(params.text_document.uri, call)

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        capabilities = self._client.client_capabilities.text_document
        formats = capabilities.hover.content_format if capabilities and capabilities.hover else None
        kind = lsp.MarkupKind.Markdown if lsp.MarkupKind.Markdown in (formats or ()) else lsp.MarkupKind.PlainText

        def call(view: EditorView, document: Document, buffer: Buffer) -> lsp.Hover | None:
            offset = buffer.positions.offset(params.position)
            return hover(view, document, offset, partial(self._editor.finding, view), kind)

        return await self._editor.ask(params.text_document.uri, call)

    async def links(self, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink] | None:
        def call(view: EditorView, document: Document, buffer: Buffer) -> list[lsp.DocumentLink]:
            return document_links(view, document)

        return await self._editor.ask(params.text_document.uri, call)

    async def workspace_symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        def call(view: EditorView, corpus: CorpusName) -> list[lsp.WorkspaceSymbol]:
            sections = self._editor.sections.get(view, Ref(corpus, ""))
            return workspace_symbols(view, sections or (), params.query)

        return await self._editor.ask_all(call)

    async def fixes(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        def call(view: EditorView, document: Document, buffer: Buffer) -> list[lsp.CodeAction]:
            nearest = self._editor.nearest(view, document.ref)
            start, end = (buffer.positions.offset(edge) for edge in (params.range.start, params.range.end))
            if nearest is None:
                return []
            return fixes(view, document, Span(start, end), nearest, params.context.diagnostics)

        return await self._editor.ask(params.text_document.uri, call)

    async def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        def call(view: EditorView, document: Document, buffer: Buffer) -> lsp.PrepareRenamePlaceholder:
            what = renameable(view, document, buffer.positions.offset(params.position))
            return lsp.PrepareRenamePlaceholder(buffer.positions.range(what.span), what.name)

        return await _refused(self._editor.plan(params.text_document.uri, call))

    async def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        def call(view: EditorView, document: Document, buffer: Buffer) -> lsp.WorkspaceEdit:
            what = renameable(view, document, buffer.positions.offset(params.position))
            return renamed(view, what.ref, params.new_name, self._abilities())

        return await _refused(self._editor.plan(params.text_document.uri, call))

    async def will_rename_files(self, params: lsp.RenameFilesParams) -> lsp.WorkspaceEdit | None:
        files = [(path_of(file.old_uri), path_of(file.new_uri)) for file in params.files]
        return await self._editor.plan_moves(files, lambda view, moves: moved(view, moves, self._abilities()))

    def files_renamed(self, params: lsp.RenameFilesParams) -> None:
        self._editor.outdate(tuple(uri for file in params.files for uri in (file.old_uri, file.new_uri)))

    def _abilities(self) -> EditAbilities:
        workspace = self._client.client_capabilities.workspace
        can = workspace.workspace_edit if workspace is not None else None
        if can is None:
            return EditAbilities(has_versions=False, can_move=False)
        can_move = lsp.ResourceOperationKind.Rename in (can.resource_operations or ())
        return EditAbilities(has_versions=bool(can.document_changes), can_move=can_move)


async def _refused(plan: Awaitable[T]) -> T:
    """What a plan gives; what speaks against it is the answer that the editor shows."""
    try:
        return await plan
    except (PinakesError, OSError) as error:
        raise JsonRpcException(safe(str(error)), lsp.LSPErrorCodes.RequestFailed.value) from error


_ALL_FILES = lsp.FileOperationRegistrationOptions(
    [lsp.FileOperationFilter(lsp.FileOperationPattern("**/*"), scheme="file")]
)

FEATURES: Mapping[str, tuple[Callable[[EditorRequests, Any], Any], Any]] = {
    lsp.INITIALIZE: (EditorRequests.initialize, None),
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (EditorRequests.folders_changed, None),
    lsp.TEXT_DOCUMENT_DID_OPEN: (EditorRequests.opened, None),
    lsp.TEXT_DOCUMENT_DID_CHANGE: (EditorRequests.changed, None),
    lsp.TEXT_DOCUMENT_DID_SAVE: (EditorRequests.saved, None),
    lsp.TEXT_DOCUMENT_DID_CLOSE: (EditorRequests.closed, None),
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: (EditorRequests.files_changed, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (EditorRequests.symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (EditorRequests.folds, None),
    lsp.TEXT_DOCUMENT_DEFINITION: (EditorRequests.definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (EditorRequests.references, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (
        EditorRequests.completion,
        lsp.CompletionOptions(trigger_characters=["(", "[", "#", "/"]),
    ),
    lsp.TEXT_DOCUMENT_HOVER: (EditorRequests.hover, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_LINK: (EditorRequests.links, None),
    lsp.WORKSPACE_SYMBOL: (EditorRequests.workspace_symbols, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        EditorRequests.fixes,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    ),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (EditorRequests.prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (EditorRequests.rename, None),
    lsp.WORKSPACE_WILL_RENAME_FILES: (EditorRequests.will_rename_files, _ALL_FILES),
    lsp.WORKSPACE_DID_RENAME_FILES: (EditorRequests.files_renamed, _ALL_FILES),
}
"""Each method of the protocol, what answers it, and what the client is told of it beforehand."""
