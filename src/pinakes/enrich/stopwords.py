"""Words that are never keywords: function words of a few languages, and what every piece of documentation says.

Folded to lower case. The lists are short on purpose: how common a word is in this document and this corpus is counted
elsewhere; these only settle the first sections of a small corpus.
"""

from __future__ import annotations

_ENGLISH = """
a about above across actually after afterwards again against ago ahead all almost alone along already also although
always am among an and another any anybody anyone anything anyway anywhere apart are aren't around as aside at away back
be became because become becomes becoming been before beforehand behind being below beside besides between beyond both
but by came can can't cannot cause certain certainly come comes could couldn't did didn't do does doesn't doing don't
done down during each either else elsewhere enough entire entirely especially etc even ever every everybody everyone
everything everywhere except far few fewer find finds first firstly following follow follows for former forth found
four from further furthermore gave get gets getting give given gives giving go goes going gone got had hadn't has hasn't
have haven't having he held hence her here here's hers herself him himself his hither how however i i'd i'll i'm i've if
in indeed instead into inward is isn't it it'd it'll it's its itself just keep keeps kept knew know known knows last
lastly later latter least less lest let let's lets like likely little look looking looks lot lots made mainly make makes
making many may maybe me mean means meanwhile merely might mine more moreover most mostly much must mustn't my myself
namely near nearly need needed needing needn't needs neither never nevertheless next no nobody none nonetheless nor
normally not nothing notwithstanding now nowhere obviously of off often oh ok okay on once one one's ones only onto or
other others otherwise ought our ours ourselves out over overall own particular particularly per perhaps please plus
possibly presumably probably put puts quite rather really regarding regardless respectively said same saw say saying
says second see seem seemed seeming seems seen several shall she should shouldn't show showed showing shown shows since
so some somebody somehow someone something sometime sometimes somewhat somewhere soon still such sure take taken takes
taking tell tells than that that's the their theirs them themselves then thence there there's thereafter thereby
therefore therein these they they'd they'll they're they've thing things think third this those though three through
throughout thus till to together too took toward towards tried tries truly try trying two under unless unlike until unto
up upon us use used useful uses using usual usually various versus very via want wanted wants was wasn't way ways we
we'd we'll we're we've well went were weren't what what's whatever when whence whenever where whereas whereby wherein
wherever whether which whichever while whilst who who's whoever whole whom whose why will with within without won't
wonder would wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
"""

_DOCUMENTATION = """
above allow allowed allows apply available basically below bit briefly called common commonly consider contain contained
containing contains correct correctly corresponding currently describe described describes different directly e.g
easily easy effectively eg exist existing exists explain explained explains fairly fig following full fully generally
good great happen happens help helpful hint http https i.e ie important include included includes including indicate
indicates interesting involve involves learn main manner mention mentioned necessary new notice occur occurs old
possible previous previously properly provide provided provides providing recommended refer referred refers related
relevant remember require required requires simple simply similar similarly small special specific specifically
specified specify straightforward suppose thanks todo typical typically understand www
"""

_WEAK = """
case cases detail details example examples figure figures info information instance link links lists left matter note
notes page pages reason reasons result results return returned returns right section sections set sets single tip tips
value values warning work working works write written
"""

_EUROPEAN = """
aber als also am an auch auf aus bei bis da damit dann das dass dein dem den der des diese dieser dieses doch
dort du durch ein eine einem einen einer eines er es etwa für hat haben hier ich ihr ihre im in ist ja jede jeder jedes
kann kein keine können mehr mit muss nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so sollte soll
über um und uns unter vom von vor was wenn werden wie wieder wir wird wo zu zum zur zwischen
au aux avec ce ces cet cette comme dans de des du elle elles en est et être il ils je la le les leur leurs lui mais même
mon ne nos notre nous on ont ou où par pas peut plus qu que qui sa sans se ses si sont sur ta te tous tout
toute très tu un une vos votre vous à été
al algo como con cual cuando de del desde donde el ella ellos en entre era eres es esa ese eso esta está estas este
esto estos fue ha hacia hasta hay la las le les lo los más me mi mientras muy no nos o otra otro para pero por porque
puede que qué quien se ser si sin sobre son su sus también tiene todo todos tu tus un una uno y ya
alla alle anche che chi ci come con cui da dal dalla degli dei del della delle di è gli ha hanno il io la le lo loro ma
nei nel nella non o per perché più può quando quella quello questa questo se sei si sono su sua sul sulla suo tra un una
aan ao aos as bij com da das dat deze dit do dos een em en er foi het hij ik in isso isto je já maar mais mas
met na não naar niet nog nos o of om onder ons ook op os ou over pela pelo se sem seu sua te uit um uma van
voor wat we wel worden wordt zal ze zijn zo zonder
att av de den det där efter eller en ett från för har hon här i inte jag kan med men när och om på sig ska som så till
un upp ut var vi är det og ikke på av som til ved være
без был была были было быть в вам вас во вот все всё вы где для до его ее её если есть еще ещё же за здесь и из или им
их к как когда который которые кто ли между меня мне может мы на над не нет ни но о об однако он она они оно от по под
при с со так также там то того тоже только том ты у уже чего чем что чтобы это этого этот я
"""

STOPWORDS = frozenset((_ENGLISH + _DOCUMENTATION + _EUROPEAN).split())
WEAK = frozenset(_WEAK.split())
"""Words that say nothing alone and something in company: a “value” no, a “default value” yes."""
