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
therefore therein these they they'd they'll they're they've thing things think this those though three through
throughout thus till to together too took toward towards tried tries truly try trying two under unless unlike until unto
up upon us use used useful uses using usual usually various versus very via want wanted wants was wasn't way ways we
we'd we'll we're we've well went were weren't what what's whatever when whence whenever where whereas whereby wherein
wherever whether which whichever while whilst who who's whoever whole whom whose why will with within without won't
wonder would wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
"""

_DOCUMENTATION = """
above allow allowed allows apply autotitle available basically below bit briefly called common commonly consider contain
contained containing contains correct correctly corresponding currently describe described describes different
directly e.g easily easy effectively eg exist existing exists explain explained explains fairly fig following full
fully generally good great happen happens help helpful hint http https i.e ie important include included includes
including indicate indicates interesting involve involves learn main manner mention mentioned necessary new notice
occur occurs old possible previous previously properly provide provided provides providing recommended refer referred
refers related relevant remember require required requires similar similarly simple simply small special specific
specifically specified specify straightforward suppose thanks todo typical typically understand www
"""

_VERBS = """
accept accepted accepting accepts achieve added adding adds affect affects aim allowing appear appears applied applies
applying asked asking assume assumes avoid avoids based began begin begins behave behaves belong belongs bring brings
built calling causes changed changing checks choose chooses chosen comes comparing complete completely confirm
considered considering created creates creating decide decides define defined defines defining demonstrate
demonstrates depend depending depends determine determined determines discuss discussed displayed displays enable
enabled enables enabling encourage ends ensure ensures ensuring expect expected expects fails follow followed gain
gained handled handles handling happened happening imagine implies improve improved improves introduce introduced
introduces kept leads leave leaves led likewise lives loads looked manages managing meant meet meets moved moves
moving obtain obtained offer offers opened opening passed passes passing performed performs placed places prefer
preferred prevent prevents prints produce produced produces proves providing ran reach reached reads receive received
receives recommend recommends reduce reduces remain remains removed removes removing replaced replaces replacing
represent represented represents respond responds resulted returned returns running runs saved saves selected
selecting sends sent serve served serves serving solve solved solves start started starting starts stay stays stop
stopped stops stored stores suggest suggested suggests supported supporting supports tend tends treat treated treats
turned turning turns updated updates updating waiting waits walks wish won wondering working works written
"""

_WEAK = """
ability account action actions appendix approach aspect behavior behaviors behaviour case cases change changes chapter
chapters check choice concept concepts condition conditions content contents course data date default defaults detail
details document documentation documents effect example examples fact feature features field fields figure figures
file files form format function functions idea info information instance item items kind kinds language left level
line lines link links list listing listings lists matter method methods mode moment name names note notes number
numbers object objects occasion operation operations option options order output outputs page pages paragraph
parameter parameters part parts place point points problem problems process program programs project projects
properties property purpose question questions reason reasons reference resource resources result results return right
role sample scenario section sections sense set sets setting settings situation situations size solution something
state statement statements step steps string strings style summary support system systems tab table task tasks term
terms text thing third time times tip tips title topic type types usage user users value values variable version
versions warning work world write
"""

_WEAK_LEADS = """
able act actual add additional alternative alternatively appropriate ask automatic automatically basic best better big
bigger build call care change check clear clearly close configure convenience convenient create current custom desired
display entire exact explicit extra final finally fine general handle hard huge immediate immediately implement
individual install large larger load local long longer lower manage manual manually maximum minimum move multiple name
normal open optional ordinary original pass perform powerful process quick quickly read ready real remove replace
reuse run safe save select send short smaller start strong support technical temporary test turn unnecessary update
usable usage usual wait walk whole wide worth wrong
"""

_CODE = """
abstract as async await bash begin bool boolean break case catch char class const continue css def default del delete
div do double echo elif else end enum except export extends false final finally float for foreach from func function get
global go goto html if implements import in include instanceof int interface is java javascript js json lambda let long
main match mod mut namespace new nil none not null object of operator or package pass private protected public python
raise return rust self sh short static string struct super switch template then this throw throws true try ts tsx type
typeof undefined union unsigned until use using var void while with xml yaml yield
"""

_LITERALS = """
any array bool boolean dict false float int integer list nil no none null number object str string true undefined void
yes
"""

_EUROPEAN = """
aber als also am an auch auf aus bei bis da damit dann das dass dein dem den der des die diese dieser dieses doch
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
आप एक और कर करने का की के को जब तक तो था थी थे नहीं पर बाद भी में यह या लिए वह वे से सकते सकता हम ही है हैं हो होने
أن أو إلى إن الذي التي بعد بين ثم حتى ذلك على عن عند في قد قبل كان كل كما لا لم ما مع من هذا هذه هو هي و يمكن
"""

STOPWORDS = frozenset((_ENGLISH + _DOCUMENTATION + _VERBS + _EUROPEAN).split())
WEAK = frozenset((_WEAK + _WEAK_LEADS).split())
"""Words that say nothing alone and something in company: a “value” no, a “default value” yes."""
WEAK_LEADS = frozenset(_WEAK_LEADS.split())
"""Those that do not begin a keyword either: verbs that take an object, and adjectives that fit everything."""
LITERALS = frozenset(_LITERALS.split())
"""Values and types that stand in code spans everywhere."""
CODE_WORDS = frozenset(_CODE.split())
"""Words of programming languages, to be passed over where a section is nothing but code."""
