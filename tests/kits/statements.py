"""What is promised of modes and workspaces, statement by statement, each with the test that shows it."""

from __future__ import annotations

from collections.abc import Mapping

_MODES = "serve/work/test_serve_work_modes.py"
_TALK = "serve/work/test_serve_work_conversation.py"
_FILES = "serve/work/test_serve_work_files.py"
_EVENTS = "serve/work/test_serve_work_events.py"
_START = "serve/work/test_serve_work_start.py"
_PAGE = "serve/test_serve_work_page.py"
_BROWSER = "serve/test_serve_work_browser.py"
_TOASTS = "serve/work/test_serve_work_toasts.py"
_SPACE = "library/test_library_workspace.py"
_CONTEXT = "library/test_library_context.py"
_TIERS = "context/test_context_tracker.py"
_SNIPPETS = "context/test_context_snippets.py"
_PROGRESS = "render/test_render_index_progress.py"
_SWITCH = "test_a_switch_swaps_map_prompt_and_snippets_clears_the_selection_and_tells_every_page"
_SEVEN = "test_documents_and_code_have_seven_snippets_each"
_READY = "test_a_document_index_that_is_ready_is_told_and_nothing_is_covered_meanwhile"
_LOST = "test_a_page_whose_server_goes_in_the_middle_of_a_build_finds_its_way_back"

STATEMENTS: Mapping[str, tuple[str, str]] = {
    "Outlines go through the same tiers as code": (
        _MODES,
        "test_each_mode_keeps_a_tracker_of_its_own",
    ),
    "A file that an edit touched is read again whatever its size and time say": (
        "edits/test_edits_library.py",
        "test_a_sync_of_some_paths_sees_what_size_and_time_do_not_tell",
    ),
    "Outlines of drawings stand in document mode only": (_MODES, "test_outlines_of_drawings_are_in_document_mode_only"),
    "A switch says whether there are keywords, and why not": (
        _START,
        "test_missing_keywords_are_told_in_the_terminal_in_the_state_and_at_a_switch",
    ),
    "Missing keywords are a warning on the page": (
        _TOASTS,
        "test_missing_keywords_are_told_on_the_page_with_the_command",
    ),
    "Missing keywords are a warning in the terminal": (
        _START,
        "test_missing_keywords_are_told_in_the_terminal_in_the_state_and_at_a_switch",
    ),
    "One path can be read again by itself": (
        "edits/test_edits_library.py",
        "test_a_library_compares_some_paths_alone",
    ),
    "A deselected file comes back as an outline, read anew": (
        _MODES,
        "test_a_selected_file_stands_in_full_and_its_outline_comes_back_read_anew",
    ),
    "After an edit the next prompt has the changed outline": (
        _TALK,
        "test_a_file_that_an_edit_touched_is_read_again_whatever_its_size_and_time_say",
    ),
    "Connected components of the reference graph can be asked for": (
        "graph/test_graph_measures.py",
        "test_rings_are_communities_and_links_join_components",
    ),
    "Two documents that name the same file hang together": (
        "graph/test_graph_measures.py",
        "test_a_file_that_two_documents_refer_to_joins_them",
    ),
    "Documents and code have an index each, by the same rules": (
        "library/test_library_code.py",
        "test_documents_are_asked_alone_unless_code_is_named",
    ),
    "Files of tests are folded in the map of code": (
        "library/test_library_code_map.py",
        "test_the_whole_map_shows_symbols_with_signatures_and_tests_as_counts",
    ),
    "Stability is tracked file by file": (_TIERS, "test_a_block_that_stays_rises_step_by_step_when_others_change"),
    "What stays rises from tier to tier, and never skips one": (_TIERS, "test_a_block_never_skips_a_tier"),
    "A prompt is made of the map of one mode, never of both": (
        _SPACE,
        "test_in_document_mode_the_map_of_documents_replaces_that_of_code",
    ),
    "A changed structure sends a block back to the active part, a typo does not": (
        _CONTEXT,
        "test_a_corrected_typo_changes_no_byte_of_the_map",
    ),
    "Code mode is the default": (_MODES, "test_a_workspace_starts_in_code_mode_and_says_all_that_a_page_shows"),
    "Document mode is for people who write and decide": (
        _SNIPPETS,
        "test_the_prompt_for_documents_speaks_of_documents_alone",
    ),
    "The map of code is not in document mode": (_MODES, _SWITCH),
    "Symbols of code are indexed with their references": ("parse/test_parse_code.py", "test_symbols_of"),
    "Editors are led to symbols": (
        "serve/test_serve_lsp_code.py",
        "test_symbols_of_code_are_outlined_and_led_to_from_code_and_documents",
    ),
    "All files are listed in both modes": (_FILES, "test_all_files_are_listed_with_their_kind_in_both_modes"),
    "The prompt is swapped with the mode": (
        _SPACE,
        "test_a_switch_clears_the_selection_and_the_overlay_and_swaps_prompt_and_snippets",
    ),
    "The prompts explain the signs of their maps": (_SNIPPETS, "test_the_prompts_explain_every_sign_of_their_map"),
    "Edits are blocks with the text to find": (
        "edits/test_edits_stream.py",
        "test_the_blocks_are_the_same_however_the_answer_is_cut",
    ),
    "Snippets are swapped with the mode": (_MODES, _SWITCH),
    "Summarise: 3 to 5 points": (_SNIPPETS, _SEVEN),
    "Cross-refs: check all, flag broken links": (_SNIPPETS, _SEVEN),
    "Restructure: a better structure": (_SNIPPETS, _SEVEN),
    "Executive summary": (_SNIPPETS, _SEVEN),
    "TOC: a table of contents": (_SNIPPETS, _SEVEN),
    "Consistency: terminology": (_SNIPPETS, "test_prompts_of_mcp_say_the_same_as_the_snippets_of_their_name"),
    "Simplify: simpler language": (_SNIPPETS, _SEVEN),
    "History, summaries and sessions": (_TALK, "test_sessions_are_listed_searched_resumed_and_outlive_the_server"),
    "Web pages in the prompt": (_FILES, "test_a_fetched_page_stands_in_the_prompt_until_it_is_forgotten"),
    "Review of changes": (_FILES, "test_changes_are_reviewed_put_into_the_prompt_and_committed"),
    "A switch keeps the history and tells the model": (_MODES, "test_a_switch_keeps_the_history_and_tells_the_model"),
    "Both indexes stay open; that of documents is made after “ready”": (
        _START,
        "test_the_index_of_code_comes_first_and_that_of_documents_in_the_background",
    ),
    "The map of everything, or of one file": (
        _CONTEXT,
        "test_the_map_of_one_file_is_its_part_of_the_whole_map",
    ),
    "Ignored files and our own folder are left out": (
        "sources/test_sources_ignore.py",
        "test_ignore_files_at_every_level_add_up_as_in_git",
    ),
    "A switch there and back changes no byte of the prompt": (
        _MODES,
        "test_a_switch_there_and_back_restores_the_prompt_byte_for_byte",
    ),
    "A summary after a switch is made with the present prompt": (
        _TALK,
        "test_what_was_said_is_summarised_with_the_prompt_of_the_present_mode",
    ),
    "The page remembers the mode of a repository and sends it": (
        _BROWSER,
        "test_the_page_remembers_the_mode_of_a_repository_and_tells_a_server_that_does_not",
    ),
    "Each mode has a tracker of its own that keeps its state": (
        _MODES,
        "test_each_mode_keeps_a_tracker_of_its_own",
    ),
    "The toggle stands beside the tabs": (
        _BROWSER,
        "test_a_switch_clears_the_selection_keeps_the_history_and_brings_its_own_words",
    ),
    "Drawings are seen, edited and saved": (
        _PAGE,
        "test_a_drawing_is_written_beside_its_picture_and_saved",
    ),
    "Changes are shown side by side and edited": (
        _BROWSER,
        "test_a_dry_run_shows_the_diff_and_why_a_change_is_refused_and_writes_nothing",
    ),
    "Progress never covers the workspace": (_TOASTS, _READY),
    "The header has a bar with label and percentage": (_PAGE, _LOST),
    "Toasts at milestones": (_TOASTS, _READY),
    "Progress is told continuously": (_PAGE, _LOST),
    "An event says that the document index is ready": (
        _EVENTS,
        "test_a_page_is_told_when_the_document_index_is_ready",
    ),
    "An event says that the document index failed": (
        _EVENTS,
        "test_a_page_is_told_when_the_document_index_fails_and_why",
    ),
    "Each phase has its share: 0, 10, 30, 95, 100": (_PROGRESS, "test_each_phase_has_its_share_and_its_words"),
    "⏳ while the document index is made, 📝 when it is ready": (_TOASTS, _READY),
    "Lost events heal, because the state tells the truth": (_PAGE, _LOST),
    "No overlays, but before the code is read": (_TOASTS, _READY),
    "Progress file by file": (_PROGRESS, "test_a_real_sync_goes_through_the_phases"),
}
"""Each statement with the file of the test, below ``tests``, and its name."""
