# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Word lists for search: synonyms between users' words and APIs' words, and what a verb in a query asks a tool to do:
read, add, update or delete.
"""

from __future__ import annotations

from .stems import stem

_VERBS = {
    "r": "get list show find search fetch read view look check see retrieve count display"
    " give tell print inspect compare download browse query",
    "a": "create add post make open start new submit send upload register invite assign attach subscribe follow play"
    " schedule trigger run begin write publish comment reply charge",
    "u": "update edit change modify rename set replace patch move configure enable mark switch adjust put save close"
    " archive reopen lock transfer",
    "d": "delete remove cancel revoke drop clear detach unassign unfollow unsubscribe destroy erase dismiss discard",
}
"""Verbs by the effect of a tool that they ask for: r (read), a (add), u (update) or d (delete)."""

_QUESTIONS = "who whose what which when where how is are was were does did do has have"
"""First words of questions. A question asks for a tool that reads."""

# Word vectors find less than this list, and doubt fewer unanswerable queries (docs/decisions/search.md).
_SYNONYMS = """
access=permission actor=credit,cast,person actress=cast,credit,person alarm=alert amend=update,edit append=add
archive=archived assign=assignee band=artist bigger=resize,size bill=invoice born=birthday,birth bug=issue
build=run,workflow buy=order,charge,checkout cancel=delete cast=credit,actor change=update,edit,set
client=customer,contact clip=video colleague=member,user colour=color comment=reply customer=client,contact
delete=remove die=deathday director=crew,credit disk=volume,storage domain=url edit=update,change email=mail
employee=user film=movie folder=directory folk=user image=picture,photo,avatar insert=add,append invite=invitation
join=membership kill=delete,stop label=tag larger=resize,size leak=secret like=save,favourite log=logs,worklog
logo=image message=comment,chat modify=update money=balance move=transition music=track new=latest,create
newest=latest,new now=current,playing open=create org=organization organization=org output=log owe=balance,due
paid=payment password=secret,credential pay=payment,charge payment=pay people=user,person,member permission=role,access
person=user,member photo=image picture=image pipeline=workflow playing=current poster=image pr=pull product=item
purchase=order,charge,payment react=reaction reboot=restart recent=latest,recently remove=delete rename=update,name
repo=repository repository=repo restart=reboot resume=start screenplay=crew,credit series=tv
server=machine,instance,host set=update several=batch,bulk singer=artist smaller=resize,size song=track star=starred
status=state stolen=lost stop=cancel,pause subscribe=subscription supplier=vendor,contact table=database tag=label
task=issue teammate=member telephone=phone television=tv ticket=issue today=current topic=subject track=song
trailer=video trash=delete,archive turn=set,toggle undo=revert unlike=remove,unsave unpaid=open,due unread=notification
user=account,member vendor=supplier,contact visit=view,traffic visitor=view,traffic vote=votes warn=alert,notification
watch=watcher who=user workflow=action wrote=crew,credit year=date
"""
"""Words of users, each with the words that APIs use for it. No word is specific to one API."""

_GENERAL = """
already always anybody anyone belong best better big came come coming currently da de del di du eight el enough ever
every everybody everyone few first five four gave give given go going good great hand happen help i keep kind know la
large last lately le long lot made make making many me mine moment much my myself never new next nine nobody now often
old once one recently seven several six small somebody someone soon sort still take taken ten thing three time today
tomorrow tonight took try twice two use used van von want way went whole yesterday yet
"""
"""Words that say nothing about what an API does, and small words in names (`van`)."""

VERBS = {stem(word): effect for effect, words in _VERBS.items() for word in words.split()}
"""Effect that a verb asks for, by the verb's stem."""

SYNONYMS = {
    stem(word): tuple(dict.fromkeys(stem(other) for other in others.split(",") if stem(other) != stem(word)))
    for word, _, others in (each.partition("=") for each in _SYNONYMS.split())
}
"""Stems with the same meaning, by stem."""

QUESTIONS = frozenset(_QUESTIONS.split())
GENERAL = frozenset(map(stem, _GENERAL.split()))
