"""Test JSONPath in criteria of workflows: against a library that follows RFC 9535, with tables of expressions and
values, and its limits.
"""

from __future__ import annotations

from typing import Any

import jsonpath_rfc9535
import pytest
from package.runtime.workflows import jsonpath

STORE = {
    "store": {
        "book": [
            {"category": "reference", "author": "N", "title": "S", "price": 8.95},
            {"category": "fiction", "author": "E W", "title": "Sword", "price": 12.99},
            {"category": "fiction", "author": "H M", "title": "M D", "isbn": "0-553", "price": 8.99},
            {"category": "fiction", "author": "J", "title": "The Lord", "isbn": "0-395", "price": 22.99},
        ],
        "bicycle": {"color": "red", "price": 399},
    },
    "limit": 10,
}
MIXED: list[Any] = [
    {"a": 1, "b": None, "c": True, "d": [1, 2, {"e": "x"}], "f": {}},
    {"a": "1", "b": False, "c": "true", "d": [], "f": {"g": [[1], [2, [3]]]}},
    {"a": 1.0, "ä": "ü", "a.b": 2, "d": "text", "'": "q", '"': "Q", "\n": "line"},
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "plain",
    None,
    -3,
    {"pets": [{"id": 1}], "date": "2024-05-06", "date2": "x2024-05-06"},
]
VALUES: list[Any] = [STORE, MIXED, {}, [], 5, None, {"products": [1]}, [{"pets": [1]}, {"pets": []}, {}]]

SELECTORS = r"""
$
$.store
$.store.book[*].author
$..author
$.store.*
$.store..price
$..book[2]
$..book[2].author
$..book[-1]
$..book[0,1]
$..book[:2]
$..book[?@.isbn]
$..book[?@.price<10]
$..book[?@.price<$.limit]
$..*
$[0]
$[-1]
$[100]
$[-100]
$[0,0]
$[0,-8,'a',*]
$[3][1:3]
$[3][::2]
$[3][::-1]
$[3][5:1:-2]
$[3][-3:]
$[3][:-7]
$[3][::0]
$[3][ 1 : 5 : 2 ]
$[3][20:]
$[3][:100:3]
$['store']['book'][0]["title"]
$[2]['a.b']
$[2].ä
$[2]["\""]
$[2]['\'']
$[2]["'"]
$[2]['"']
$[2]["\n"]
$[2]["\u00e4"]
$['\uD83D\uDE00']
$.store .book [0]
$ .store
$[ 'store' , "limit" ]
$..[0]
$..['a','b']
$..d..e
$.*.*
$[*][*]
$[?@]
$[?@.*]
$[?!@.a]
$[?(@.a)]
$[?!(@.a)]
$[? @.a == 1 ]
$[?@.a=='1']
$[?@.a=="1"]
$[?@.a!=1]
$[?@.b==null]
$[?@.b!=null]
$[?@.b==false]
$[?@.c==true]
$[?@.zz==@.yy]
$[?@.zz!=@.yy]
$[?@.zz<=@.yy]
$[?@.zz<@.yy]
$[?@.d==@.d]
$[?@.d==$[0].d]
$[?@.f==$[0].f]
$[?@.a<2]
$[?@.a<='1']
$[?@.a>=1.0]
$[?@.a==1e0]
$[?@.a==-1]
$[?@==-3]
$[?@>-4]
$[?@=='plain']
$[?@>'a']
$[?@.a==1 && @.c]
$[?@.a==1||@.a=='1']
$[?@.a==1 || @.a=='1' && @.c==true]
$[?(@.a==1 || @.a=='1') && @.c=='true']
$[?!@.a && !@.pets]
$[?@[0]]
$[?@[-1]==9]
$[?@[?@>8]]
$[?@.d[?@.e]]
$[?@.d[?@.e=='x']]
$[?@['a']==1]
$[?$[3]]
$[?count(@.*)>2]
$[?count(@.pets) > 0]
$[?count(@.products) == 0]
$[?count(@..*)==0]
$[?count(@['a','b'])==2]
$[?length(@)==10]
$[?length(@)==5]
$[?length(@.d)>0]
$[?length(@.nothing)==length(@.neither)]
$[?length(@.a)==1]
$[?length('ab')==2]
$[?value(@..e)=='x']
$[?value(@..zz)==value(@..yy)]
$[?value(@.*)==1]
$[?match(@.date, '[0-9]{4}-[0-9]{2}-[0-9]{2}')]
$[?match(@.date2, '[0-9]{4}-[0-9]{2}-[0-9]{2}')]
$[?search(@.date2, '[0-9]{4}-[0-9]{2}')]
$[?!match(@.date, 'a|b')]
$[?match(@, 'pl.*')]
$[?match(@.a, '1')]
$[?match(@.d, @.d)]
$[?search(@,'ai') || @.pets]
$.store.book[?@.price > 8 && @.price < 10 || @.isbn].title
$..book[?@.category=='fiction' && @.price<20].price
$[?@.a == 1 , ?@.pets, 3]
$[?@.f.g]
$[?@.f.g[0][0]==1]
$[?true==true]
$[?null==@.b]
$[?'a'<'b']
$[?1<2]
$[?@.a>@.d]
""".strip().splitlines()

FAULTY = r"""

store
.store
@
$.
$..
$store
$. store
$.. store
$.store.
$['store'
$[store]
$[]
$[,]
$[0,]
$[00]
$[-0]
$[01]
$[1.0]
$[9007199254740992]
$[1:2:3:4]
$[1 2]
$['a\x']
$["\'"]
$['\"']
$['\uD83D']
$['\uDE00']
$['\u00g0']
$["a
$.1a
$.-a
$.a-b
$[?]
$[?()]
$[?1]
$[?'a']
$[?true]
$[?@.a==]
$[?==1]
$[?@.a=1]
$[?@.a===1]
$[?@.a<>1]
$[?@.*==1]
$[?@..a==1]
$[?@[0,1]==1]
$[?@.a && ]
$[?@.a & @.b]
$[?(@.a]
$[?@.a)]
$[?@.a==True]
$[?@.a==01]
$[?@.a==.5]
$[?@.a==1.]
$[?@.a=='b' @.c]
$[?length(@.a)]
$[?length(@.*)==1]
$[?length()==1]
$[?length(@.a,@.b)==1]
$[?count(1)==1]
$[?count(@.*)]
$[?match(@.a)]
$[?match(@.a,'b')==true]
$[?match(@.*,'b')]
$[?value(1)==1]
$[?value(@.a)]
$[?unknown(@.a)]
$[?length (@.a)==1]
$[?@.a in [1,2]]
$.length()
$[(@.length-1)]
$[?@.a=~'b']
$.a.b!
""".splitlines()[1:]


@pytest.mark.parametrize("text", SELECTORS)
def test_expressions_select_what_the_standard_says(text: str) -> None:
    path = jsonpath.compiled(text)
    for value in VALUES:
        expected = jsonpath_rfc9535.find(text, value)
        found = path.nodes(value)
        if ".." in text:  # the standard leaves the order of descendants partly open
            expected.sort(key=lambda node: repr(node.value))
            found.sort(key=lambda node: repr(node[0]))
        assert [node[0] for node in found] == [node.value for node in expected]
        for inner, around, key in found:
            assert around is None or around[key] is inner


@pytest.mark.parametrize("text", FAULTY)
def test_what_the_standard_does_not_allow_is_refused(text: str) -> None:
    with pytest.raises(jsonpath_rfc9535.JSONPathError):
        jsonpath_rfc9535.compile(text)
    with pytest.raises(jsonpath.Malformed):
        jsonpath.Path(text)


@pytest.mark.parametrize("text", ["$[?!@.a==1]", "$[?!1]", "$[?(@.a)==1]", "$[?(1)]", "$ ", " $"])
def test_what_the_library_may_accept_against_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(jsonpath.Malformed):
        jsonpath.Path(text)


@pytest.mark.parametrize(
    ("text", "singular"),
    [("$", True), ("$.a['b'][0]", True), ("$.*", False), ("$..a", False), ("$[0,1]", False), ("$[0:1]", False)],
)
def test_an_expression_is_singular_by_its_form(text: str, singular: bool) -> None:
    assert jsonpath.compiled(text).singular is singular


@pytest.mark.parametrize(
    "text",
    [
        "$" + ".a" * 1001,
        "$[?" + "(" * 40 + "@" + ")" * 40 + "]",
        "$" + "[?@" * 40 + "]" * 40,
        "$[?@==" + "9" * 41 + "]",
    ],
)
def test_an_expression_has_limits(text: str) -> None:
    with pytest.raises(jsonpath.Malformed):
        jsonpath.Path(text)


@pytest.mark.parametrize(
    "text",
    [
        "$" + "..*" * 8,
        "$[?@[?@[?@==1]]]",
        "$[?@==$[0]]",
        "$" + "[*,*]" * 20,
        "$[?match('a', 'a')]",
        "$[?count($..*)>0]",
    ],
)
def test_an_evaluation_has_a_limit_of_steps(text: str) -> None:
    wide: list[Any] = [[[1] * 80] * 80] * 80
    with pytest.raises(jsonpath.TooManySteps):
        jsonpath.compiled(text).nodes(wide, 30_000)


def test_a_value_that_nests_deep_is_compared_within_the_limit() -> None:
    deep: Any = []
    for _ in range(60_000):
        deep = [deep]
    with pytest.raises(jsonpath.TooManySteps):
        jsonpath.compiled("$[?@==$[0]]").nodes([deep, deep])
    assert len(jsonpath.compiled("$..*").nodes([deep])) == 60_001


def test_a_pattern_that_cannot_be_searched_in_linear_time_matches_nothing() -> None:
    for pattern in ("(a)\\\\1", "(?=a)", "(", "a" * 300, "(a{1000}){1000}"):
        assert jsonpath.compiled(f"$[?search(@, '{pattern}')]").nodes(["aaaa"]) == []
