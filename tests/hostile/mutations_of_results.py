"""List mutations that remove safety checks on results: hints about further pages, saved files, followed redirects."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

DOWNLOADS, FILES = "tests/functional/test_downloads.py", "tests/runtime/test_files.py"
REDIRECTS, FOLLOWED = "tests/runtime/test_redirects.py", "tests/functional/test_redirects.py"
ENGINE = "tests/runtime/test_progress.py"
LOGS, LOGS_OF_SESSIONS = "tests/runtime/test_logging.py", "tests/streamable/test_logging.py"
POLLER, WATCHING = "tests/runtime/test_poller.py", "tests/runtime/test_watching.py"
HOOKS, PROGRESS = "tests/runtime/test_hook_reports.py", "tests/runtime/test_call_progress.py"
READ, SENDING = "tests/functional/test_reading_on.py", "tests/runtime/test_sending.py"
RESPONSES = "tests/runtime/test_responses.py"
LIMITS, ANSWERS = "tests/runtime/test_time_limits.py", "tests/runtime/test_client_answers.py"
BODIES = "tests/runtime/test_error_bodies.py"
VIEWS, JOBS = "tests/runtime/test_views.py", "tests/runtime/test_jobs.py"

SETTINGS = "tests/streamable/test_shared_settings.py"

OF_RESULTS = (
    Mutation(
        "failures with a good status",
        "conditions.py",
        'return any_holds(rules.get("failed", ()), status, value, mark)',
        "return False",
        (VIEWS,),
    ),
    Mutation("errors of GraphQL", "conditions.py", 'value.get("data") is None:', "False:", (VIEWS,)),
    Mutation(
        "errors that an answer states",
        "result_rules.py",
        "bool(self._missed) and states_error(self._value)",
        "False",
        (VIEWS,),
    ),
    Mutation(
        "errors beside data",
        "result_rules.py",
        "if errors := self._errors(owner, answer, sent):",
        "if False:",
        (VIEWS,),
    ),
    Mutation(
        "jobs of failed calls",
        "jobs.py",
        'if has_failed(tool.binding.get("result", {}), answer.status, value):',
        "if False:",
        (JOBS,),
    ),
    Mutation(
        "codes of errors",
        "failures.py",
        "self.complete and all(_says(text, each) for each in _texts(self._body))",
        "self.complete",
        (BODIES,),
    ),
    Mutation("codes in messages", "failures.py", "if text and codes else text", "if False else text", (RESPONSES,)),
    Mutation("streams without end", "client.py", "began.late = _said(seconds)", 'began.late = ""', (LIMITS,)),
    Mutation("what sets the time limit", "failures.py", 'f"{advice} {sent.longer}".rstrip()', "advice", (LIMITS,)),
    Mutation("codings that stay", "failures.py", 'if failure.end == "coding":', "if False:", (LIMITS,)),
    Mutation("codings that may be named", "client.py", "if coding in _KNOWN else", "if coding else", (ANSWERS,)),
    Mutation("fields of HEAD", "response.py", 'sent.method == "HEAD" and (', "False and (", (RESPONSES,)),
    Mutation("pages that repeat", "paging.py", "    if present is None:", "    if True:", (RESPONSES,)),
    Mutation("pages behind the last", "paging.py", "and place.is_last and", "and False and", (RESPONSES,)),
    Mutation(
        "what XML says of its encoding", "sanitize.py", "if content[:2] in _XML and", "if False and", (RESPONSES,)
    ),
    Mutation(
        "a charset over the declaration of XML",
        "sanitize.py",
        " and not _DECLARED.search(content_type)",
        "",
        (RESPONSES,),
    ),
    Mutation("progress before an answer", "scheduler.py", "await taken.quiet()", "pass", (ENGINE,)),
    Mutation("answers behind progress", "scheduler.py", "await asyncio.sleep(left)", "pass", (ENGINE,)),
    Mutation(
        "progress that stands still", "call_progress.py", "max(done + 1, received)", "max(done, received)", (ENGINE,)
    ),
    Mutation(
        "progress of calls that are over",
        "scheduler.py",
        "self._beats.end(self)\n            self._beats = None",
        "pass",
        (ENGINE,),
    ),
    Mutation(
        "levels of messages", "call_progress.py", "if LOG_LEVELS.index(level) < self._level:", "if False:", (LOGS,)
    ),
    Mutation("how many messages", "call_progress.py", "if self._room < 1:", "if False:", (LOGS,)),
    Mutation("secrets in log messages", "call_progress.py", "log.redacted(content)", "content", (LOGS, HOOKS)),
    Mutation(
        "secret numbers in log messages", "call_progress.py", "(redacted := log.redacted(written))", "written", (HOOKS,)
    ),
    Mutation(
        "secrets in progress",
        "hook_reports.py",
        "said = brief(log.redacted(message), LONGEST)",
        "said = brief(message, LONGEST)",
        (HOOKS,),
    ),
    Mutation(
        "reports of hooks that are over",
        "hook_reports.py",
        "        self._over = True",
        "        self._over = False",
        (HOOKS,),
    ),
    Mutation("how many messages wait", "hook_reports.py", "if len(self._wait) < MOST_WAITING:", "if True:", (HOOKS,)),
    Mutation("progress of hooks that falls", "hook_reports.py", "if done >= self._done:", "if True:", (HOOKS,)),
    Mutation("numbers that are none", "hook_reports.py", "and 0 <= value <= LARGEST", "", (HOOKS,)),
    Mutation("deep data", "hook_reports.py", " and not _is_deep(data, DEEPEST)", "", (HOOKS,)),
    Mutation(
        "threads that report", "hook_reports.py", "if threading.get_ident() == self._thread:", "if True:", (HOOKS,)
    ),
    Mutation(
        "one number that grows",
        "call_progress.py",
        "reached if reached > self.done else _finely(self.done)",
        "reached",
        (PROGRESS,),
    ),
    Mutation(
        "levels of many sessions",
        "session.py",
        "if self._places.is_full:",
        "if False:",
        (LOGS_OF_SESSIONS,),
    ),
    Mutation(
        "long settings of sessions", "sharing.py", "elif len(line) > LONGEST_SETTING:", "elif False:", (SETTINGS,)
    ),
    Mutation(
        "settings of many sessions",
        "sharing.py",
        "await self._store.first(_LISTED, MOST_SETTINGS)",
        "[]",
        (SETTINGS,),
    ),
    Mutation(
        "settings that were refused",
        "session.py",
        "return Setting(name, True) if uri in settings.uris else None",
        "return Setting(name, True)",
        (SETTINGS,),
    ),
    Mutation("how many resources are polled", "poller.py", "list(watched.items())[:MOST]", "watched", (POLLER,)),
    Mutation(
        "pauses after failures",
        "poller.py",
        "min(max(polled.pause, every) * 2, max(LONGEST, every))",
        "every",
        (POLLER,),
    ),
    Mutation("what cannot be watched", "watching.py", 'features.polls and "poll" in found.entry', "True", (WATCHING,)),
    Mutation(
        "how many resources a client watches",
        "notification_settings.py",
        "len(self.uris) < MOST_URIS",
        "True",
        (WATCHING,),
    ),
    Mutation(
        "redirects to unnamed hosts", "origins.py", "if address.host not in self._hosts:", "if False:", (REDIRECTS,)
    ),
    Mutation(
        "redirects to metadata",
        "origins.py",
        'return "it leads to an address that nothing is sent to"',
        "pass",
        (REDIRECTS,),
    ),
    Mutation("redirects beside a certificate", "origins.py", "if self._shows_certificate:", "if False:", (REDIRECTS,)),
    Mutation(
        "redirects from https to http",
        "sending.py",
        'if self.address.scheme == "https" and address.scheme == "http":',
        "if False:",
        (REDIRECTS,),
    ),
    Mutation(
        "redirects in a circle", "sending.py", "if (address.origin, target) in self._seen:", "if False:", (REDIRECTS,)
    ),
    Mutation("redirects without end", "sending.py", "if len(self._seen) > MOST_STEPS:", "if False:", (REDIRECTS,)),
    Mutation("credentials behind a redirect", "sending.py", "    if trail.left:", "    if False:", (FOLLOWED,)),
    Mutation(
        "the way back from elsewhere",
        "sending.py",
        "self.left = self.left or address.origin",
        "self.left = address.origin",
        (REDIRECTS, FOLLOWED),
    ),
    Mutation("paths of redirects in the log", "sending.py", 'template="")', "template=path)", (FOLLOWED,)),
    Mutation("methods that are followed", "sending.py", ' and ready.request.method == "GET"', "", (SENDING,)),
    Mutation(
        "the name of the tool that reads on", "read_result_tool.py", "while name in names:", "while False:", (READ,)
    ),
    Mutation("names of downloads", "downloads.py", "if not _is_plain(self._steps):", "if False:", (DOWNLOADS,)),
    Mutation("devices as downloads", "downloads.py", "or _DEVICE.fullmatch(name)", "", (DOWNLOADS,)),
    Mutation("hidden names of downloads", "downloads.py", "or clean(name)[1]", "", (DOWNLOADS,)),
    Mutation("downloads that are there", "downloads.py", "        if taken:", "        if False:", (DOWNLOADS,)),
    Mutation("downloads that were cut", "downloads.py", "if answer.cut:", "if False:", (DOWNLOADS,)),
    Mutation("secrets in downloads", "downloads.py", "piece = stream.feed(", "stream.feed(", (DOWNLOADS,)),
    Mutation("names taken meanwhile", "safe_open.py", "if not self._replaces:  #", "if False:  #", (FILES,)),
)
