"""`glassloop knowledge`: what the assistants can look up, listed, searched and removed.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption

app = typer.Typer(name="knowledge", cls=Helpful, help="Documents that assistants look things up in.")

UserOption = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="A user's own documents too. Else what is shared.")
]
DomainOption = Annotated[
    str | None, typer.Option("--domain", metavar="DOMAIN", help="Only this domain, such as finance.")
]


@app.command("list")
def list_documents(domain: DomainOption = None, user: UserOption = None, as_json: JsonOption = False) -> None:
    """List the documents there are.

    \b
    Examples:
      glassloop knowledge list
      glassloop knowledge list --domain finance --user ada
    """
    from glassloop.cli.knowledge_work import list_documents

    list_documents(domain=domain, user=user, as_json=as_json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    domain: DomainOption = None,
    user: UserOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="At most so many passages.")] = 5,
    min_relevance: Annotated[
        float,
        typer.Option("--min-relevance", metavar="R", min=0.0, max=1.0, help="From 0 to 1: no passage below it."),
    ] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Show the passages that an assistant would get.

    \b
    Examples:
      glassloop knowledge search "who signs large orders"
      glassloop knowledge search 披锋 --domain mold --json
    """
    from glassloop.cli.knowledge_work import search_documents

    search_documents(query, domain=domain, user=user, limit=limit, min_relevance=min_relevance, as_json=as_json)


@app.command()
def remove(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Documents, as `glassloop knowledge list` names them.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="DOMAIN", help="Where they are filed. Else in general.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose own documents. Else shared ones.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All documents of the domain; without one, all.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents.

    What they said is gone from the files of the index too.

    \b
    Examples:
      glassloop knowledge remove handbook/old.md --domain finance
      glassloop knowledge remove --all --domain finance --user ada
    """
    from glassloop.cli.knowledge_work import remove_documents

    remove_documents(names or [], domain=domain, user=user, every=every, as_json=as_json)
