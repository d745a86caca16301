"""List mutations that remove safety checks on questions to users, and on what counts as an answer to them."""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases

QUESTIONS = "tests/runtime/test_questions.py"
OF_HOOKS = "tests/runtime/test_hook_questions.py"
FORMS = "tests/runtime/test_hook_forms.py"
HANDLES = "tests/streamable/test_handles.py"
REPLICAS = "tests/functional/test_questions_over_http.py"
SECRETS = cases("questions/secrets")

OF_QUESTIONS = (
    Mutation(
        "answers of the model",
        "questions.py",
        "if strange := [name for name in arguments if name in barred]:",
        "if strange := []:",
        (QUESTIONS,),
    ),
    Mutation(
        "what the model gives",
        "questions.py",
        "return self._verify(seen, arguments,",
        "return (arguments or",
        (QUESTIONS,),
    ),
    Mutation(
        "the call of a state",
        "interviews.py",
        "return hashlib.sha256(json.dumps(what",
        "return hashlib.sha256(json.dumps('it'",
        (QUESTIONS, OF_HOOKS),
    ),
    Mutation(
        "answers that do not fit the form",
        "questions.py",
        '(("form", asked), ("sent", sent))',
        '(("sent", sent),)',
        (QUESTIONS,),
    ),
    Mutation(
        "answers that do not fit the API",
        "questions.py",
        '(("form", asked), ("sent", sent))',
        '(("form", asked),)',
        (QUESTIONS,),
    ),
    Mutation(
        "questions without end",
        "interviews.py",
        "            if turn >= MOST_TURNS:",
        "            if False:",
        (QUESTIONS,),
    ),
    Mutation("the size of answers", "interviews.py", "> LONGEST_ANSWERS:", "> 2**62:", (QUESTIONS,)),
    Mutation("clients that cannot be asked", "questions.py", 'return "unable"', 'return ""', (QUESTIONS,)),
    Mutation(
        "arguments in messages",
        "questions.py",
        "return brief(self._redact(text), LONGEST_SHOWN)",
        "return text",
        (QUESTIONS,),
    ),
    Mutation(
        "secrets in arguments of messages",
        "questions.py",
        "return brief(self._redact(text), LONGEST_SHOWN)",
        "return brief(text, LONGEST_SHOWN)",
        (QUESTIONS,),
    ),
    Mutation(
        "secrets across the parts of a message",
        "questions.py",
        'return visible(self._redact("".join(parts)))',
        'return visible("".join(parts))',
        (QUESTIONS,),
    ),
    Mutation(
        "formats of answers", "forms.py", "if isinstance(value, str) and not fits(value):", "if False:", (QUESTIONS,)
    ),
    Mutation(
        "answers that are given twice over stdio",
        "signed_state.py",
        "if number in self._spent:",
        "if False:",
        (QUESTIONS,),
    ),
    Mutation(
        "answers that are given twice over HTTP",
        "sealed_states.py",
        "await self._spend(value[1:begin].hex(), SECONDS, spans.caller()),",
        '"",',
        (HANDLES,),
    ),
    Mutation(
        "the call of a sealed state",
        "sealed_states.py",
        "if value[begin : begin + len(about)] != about:",
        "if False:",
        (REPLICAS,),
    ),
    Mutation(
        "the caller of a sealed state",
        "sealed_states.py",
        "self._seal.open(_PURPOSE, spans.owner(), state",
        'self._seal.open(_PURPOSE, "", state',
        (REPLICAS,),
    ),
    Mutation(
        "hooks that ask something else when they run again",
        "hook_questions.py",
        "if self._asked <= self._brought and before != digest:",
        "if False:",
        (OF_HOOKS,),
    ),
    Mutation(
        "answers that no hook asks for when it runs again",
        "hook_questions.py",
        "if self._asked < self._brought:",
        "if False:",
        (OF_HOOKS,),
    ),
    Mutation(
        "hooks that go on without the answer",
        "hook_questions.py",
        "                self._ended = ended\n",
        "",
        (OF_HOOKS,),
    ),
    Mutation(
        "questions of hooks after the request",
        "hook_runner.py",
        "before = hook_context.enter(None)",
        "before = hook_context.enter(hook_context.current())",
        (OF_HOOKS,),
    ),
    Mutation(
        "answers to hooks that do not fit",
        "hook_questions.py",
        "return values, Checker().check(Tool(question.name, schema, binding), values, budget)",
        "return values, []",
        (OF_HOOKS,),
    ),
    Mutation(
        "confirmations of other calls, before hooks that ask",
        "consent.py",
        "if call.confirmed == subject:",
        "if call.confirmed:",
        ("tests/runtime/test_confirmed_hooks.py",),
    ),
    Mutation("clients that hooks cannot ask", "hook_questions.py", 'return "unable"', 'return "accept"', (OF_HOOKS,)),
    Mutation(
        "hooks that ask for secrets",
        "hook_questions.py",
        "if asks_for_secret(",
        "if () and asks_for_secret(",
        (FORMS,),
    ),
    Mutation("secrets in questions of hooks", "hook_questions.py", "redactor.value(fields)", "fields", (FORMS,)),
    Mutation("secrets in messages of hooks", "hook_questions.py", "redactor.text(message)[:", "message[:", (FORMS,)),
)

OF_SECRETS = (
    Mutation(
        "names of secret fields",
        "mcpgen/lower/tool/questions.py",
        "if is_secret_name(name):",
        "if False:",
        SECRETS,
    ),
    Mutation(
        "formats of secret fields",
        "mcpgen/lower/tool/questions.py",
        'if written.get("format") in _SECRET_FORMATS',
        "if False",
        SECRETS,
    ),
    Mutation(
        "words of secret fields",
        "mcpgen/lower/tool/questions.py",
        "for text in _texts(field) if",
        "for text in () if",
        SECRETS,
    ),
    Mutation(
        "secrets in messages",
        "mcpgen/lower/tool/questions.py",
        "return shown[0] if shown else",
        "return",
        SECRETS,
    ),
)
