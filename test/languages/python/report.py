"""Reports each check as a line of JSON, which the tests read."""

import json
import traceback
from collections.abc import Callable


def report(check: str, ok: bool, detail: str = "") -> None:
    print(json.dumps({"check": check, "ok": ok, "detail": detail}), flush=True)


def run(check: str, steps: Callable[[], object]) -> None:
    """Runs a check. It fails if it raises; otherwise its result is the detail."""
    try:
        report(check, True, str(steps() or ""))
    except Exception as error:
        where = traceback.format_exc() if isinstance(error, AssertionError) else ""
        report(check, False, f"{type(error).__name__}: {error} {where}".strip())
