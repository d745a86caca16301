"""List the safety checks on questions to users, and on what counts as an answer to them."""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases

QUESTIONS = "tests/runtime/test_questions.py"
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
        "questions.py",
        "self.subject = hashlib.sha256(json.dumps(what",
        "self.subject = hashlib.sha256(json.dumps('it'",
        (QUESTIONS,),
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
        "questions.py",
        "            if turn >= MOST_TURNS:",
        "            if False:",
        (QUESTIONS,),
    ),
    Mutation("the size of answers", "questions.py", "> LONGEST_ANSWERS:", "> 2**62:", (QUESTIONS,)),
    Mutation("clients that cannot be asked", "questions.py", 'return "unable"', 'return ""', (QUESTIONS,)),
    Mutation(
        "arguments in messages",
        "questions.py",
        "return brief(self._redact(text), LONGEST_SHOWN)",
        "return text",
        (QUESTIONS,),
    ),
)

OF_SECRETS = (
    Mutation(
        "names of secret fields",
        "mcpgen/lower/tool/secret_questions.py",
        "if named & _WORDS and not named & _DATA:",
        "if False:",
        SECRETS,
    ),
    Mutation(
        "formats of secret fields",
        "mcpgen/lower/tool/secret_questions.py",
        'if written.get("format") in _FORMATS',
        "if False",
        SECRETS,
    ),
    Mutation(
        "words of secret fields",
        "mcpgen/lower/tool/secret_questions.py",
        "for text in _texts(field) if",
        "for text in () if",
        SECRETS,
    ),
    Mutation(
        "secrets in messages",
        "mcpgen/lower/tool/secret_questions.py",
        "return shown[0] if shown else",
        "return",
        SECRETS,
    ),
)
