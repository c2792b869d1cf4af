"""The forms of questions in both languages: which kind of question each is, and where in it the ends are named.

Forms are tried in order, the more specific first. Each is a pattern over the whole question, without its closing mark.
"""

from __future__ import annotations

from enum import StrEnum


class Ask(StrEnum):
    """The kinds of question that differ in how relations are walked."""

    WHY = "why"  # towards causes
    EFFECTS = "effects"  # towards effects
    NEXT = "next"  # towards what came later
    BEFORE = "before"  # towards what came earlier
    SUPPORT = "support"  # towards evidence
    PATH = "path"  # from one named thing to another
    OPEN = "open"  # either way


_CAUSES = r"(?:lead(?:s|ing)? (?:up )?to|led to|caus(?:es|ed|ing|e)|result(?:s|ed)? in|bring(?:s)? about|brought about|trigger(?:s|ed)?|affect(?:s|ed)?|influence[sd]?|end(?:s|ed)? (?:up )?in|contribut(?:e|es|ed) to|translate[sd]? into)"
_CAUSED = r"(?:caused|triggered|brought about|driven|prompted|affected|influenced)"
_BE = r"(?:is|are|was|were)"
_HELP = r"(?:did|does|do|could|can|would|will|might|may|has|have|had)"
_DO = rf"(?:{_HELP}|{_BE})"

ENGLISH: tuple[tuple[Ask, str], ...] = (
    (Ask.PATH, rf"^(?:how|in what way|why) {_DO} (?P<end>.+?) {_CAUSED} by (?P<start>.+)$"),
    (Ask.PATH, rf"^(?:how|in what way|by what steps|through what(?: steps)?|why) {_DO} (?P<start>.+?) (?:eventually |ultimately |finally |indirectly |step by step )*{_CAUSES} (?P<end>.+)$"),
    (Ask.PATH, r"^how (?:is|are|was|were) (?P<start>.+?) (?:connected|linked|related) (?:to|with) (?P<end>.+)$"),
    (Ask.PATH, r"^(?:how (?:is|are|was|were)|what (?:connects|links)) (?P<start>.+?) (?:and|to|with) (?P<end>.+?)(?: (?:connected|linked|related))?$"),
    (Ask.PATH, r"^(?:(?:what|which) .{0,60}?)?\bfrom (?P<start>.+?) to (?P<end>.+)$"),
    (Ask.PATH, rf"^{_DO}(?:n't)? (?P<end>.+?) because (?:of )?(?P<start>.+)$"),
    (Ask.PATH, rf"^{_DO}(?:n't)? (?P<end>.+?) (?:{_CAUSED} by|due to) (?P<start>.+)$"),
    (Ask.PATH, rf"^{_DO}(?:n't)? (?P<start>.+?) {_CAUSES} (?P<end>.+)$"),
    (Ask.SUPPORT, r"^what (?:evidence or reason|reason or evidence) supports (?P<end>.+)$"),
    (Ask.SUPPORT, r"^what (?:evidence |data |facts? )?(?:supports?|backs(?: up)?|proves?|shows?|confirms?|justif(?:y|ies))(?: the (?:claim|view|statement|conclusion))?(?: that)?:? (?P<end>.+)$"),
    (Ask.SUPPORT, r"^what (?:is|are) the (?:evidence|proof|grounds|support|basis) (?:for|that|of)(?: (?:the )?(?:claim|view) that)? (?P<end>.+)$"),
    (Ask.SUPPORT, rf"^what evidence (?:{_DO} .+? have|is there) (?:for|that) (?P<end>.+)$"),
    (Ask.SUPPORT, r"^how do (?:we|you|they|i) know (?:that )?(?P<end>.+)$"),
    (Ask.NEXT, r"^what (?:happen(?:s|ed)|came|comes|was done|is done|follow(?:s|ed)|(?:must|should) (?:happen|be done)|(?:do|should|must) (?:i|we|you) do|did .+? do)(?: next| then)* (?:right |immediately |shortly )?(?:after|once|following|when)(?: this| that)?:? (?P<start>.+)$"),
    (Ask.NEXT, rf"^what (?:{_DO} )?(?:happen(?:s|ed)|came|comes) next:? ?(?P<start>.*)$"),
    (Ask.NEXT, r"^(?:what|which step) (?:follows|followed|comes after|came after) (?!from )(?P<start>.+)$"),
    (Ask.NEXT, r"^after (?P<start>.+?),? what .+$"),
    (Ask.NEXT, rf"^what (?:else |more )?{_DO} .+? (?:beyond|besides|apart from|in addition to|on top of) (?P<start>.+)$"),
    (Ask.BEFORE, r"^what (?:(?:happen(?:s|ed)|came|comes|was done|is done|(?:must|should) (?:happen|be done)|(?:do|should|must) (?:i|we|you) do|has to (?:happen|be done))(?: first)? before|precede[sd]?):? (?P<end>.+)$"),
    (Ask.EFFECTS, rf"^what {_HELP} (?P<start>.+?) {_CAUSES}(?P<rest> .+)?$"),
    (Ask.EFFECTS, rf"^what {_BE} (?P<start>.+?) (?:leading to|causing|bringing about)(?P<rest> .+)?$"),
    (Ask.EFFECTS, rf"^what {_BE} {_CAUSED} by (?P<start>.+)$"),
    (Ask.EFFECTS, rf"^what (?:[\w-]+ )?(?:effects?|impacts?|influence|consequences?) {_DO} (?P<start>.+?) have(?P<rest> (?:on|for) .+)?$"),
    (Ask.EFFECTS, r"^what (?:would |will |could |might )?happen(?:s|ed)? (?:if|when|because of|to .+? (?:if|when)) (?P<start>.+)$"),
    (Ask.EFFECTS, r"^what (?:is|are|was|were) the (?:[\w-]+ )?(?:effects?|consequences?|impacts?|results?|outcomes?|implications?) of (?P<start>.+)$"),
    (Ask.EFFECTS, r"^what (?:follow(?:s|ed)|result(?:s|ed)) from (?P<start>.+)$"),
    (Ask.EFFECTS, rf"^(?:how|whom?|what) {_DO} (?P<start>.+?) (?:affect|impact|hurt|help|change)(?:s|ed)?(?P<rest> .+)?$"),
    (Ask.WHY, rf"^(?:why|how come|for what reason|for which reason)(?: {_DO}(?:n't| not)?)? (?P<end>.+)$"),
    (Ask.WHY, rf"^what (?:{_HELP} )?{_CAUSES} (?P<end>.+)$"),
    (Ask.WHY, rf"^what {_BE} (?P<end>.+?) {_CAUSED} by$"),
    (Ask.WHY, r"^what (?:made|makes|explains|explained|is behind|was behind|lies behind|drove|drives) (?P<end>.+)$"),
    (Ask.WHY, r"^what (?:is|are|was|were) (?:the )?(?:[\w-]+ )?(?:causes?|reasons?|root causes?|explanation) (?:of|for|behind|why|that) (?P<end>.+)$"),
)  # fmt: skip

CHINESE: tuple[tuple[Ask, str], ...] = (
    (Ask.PATH, r"^(?:是不是|是否|是)(?:因为|由于)(?P<start>.+?)[，,]?(?:所以|才|而)(?P<end>.+?)(?:的)?(?:吗)?$"),
    (Ask.PATH, r"^(?:为什么|为何|为啥)(?P<start>.+?)(?:会|能|将)?(?:导致|引起|造成|引发)(?:了)?(?P<end>.+)$"),
    (Ask.PATH, r"^(?P<start>.+?)(?:是)?(?:如何|怎样|怎么|为什么会?|为何会?|通过什么|经过哪些环节|经由什么)(?:一步步|一步一步|逐步|层层|间接)?(?:地)?(?:影响)?(?:并|而|又)?(?:最终|进而|最后)?(?:会)?(?:导致|引起|造成|引发|使得|使|传导到|传导至|传到|波及|影响到?|带来|拖累|推动)(?:了)?(?P<end>(?!的$).+?)(?:的)?(?:[？?。，,].*)?$"),
    (Ask.PATH, r"^(?:从)(?P<start>.+?)到(?P<end>.+?)(?:[，,]?(?:是)?(?:怎么|如何|怎样|经过|中间|之间|有|的).*)?$"),
    (Ask.PATH, r"^(?P<start>.+?)(?:和|与|跟|同)(?P<end>.+?)之?间?(?:有什么|有何|是什么|存在什么)(?:因果)?(?:关系|联系|关联).*$"),
    (Ask.PATH, r"^(?P<end>.+?)(?:是不是|是否|是)(?!(?:因为|由于?|被)?(?:什么|谁|哪|何|怎么|怎样|如何|为何|为什么))(?:因为|由于?|被)?(?P<start>.+?)(?:而)?(?:引起|导致|造成|引发)的?(?:吗)?$"),
    (Ask.PATH, r"^(?P<start>.+?)(?:是不是|是否|会不会|有没有)(?:会)?(?:导致|引起|造成|引发)(?:了)?(?P<end>.+?)$"),
    (Ask.PATH, r"^(?P<end>.+?)(?:是不是|是否|是)(?:因为|由于)(?!什么|谁|哪|何|怎么)(?P<start>.+?)(?:的)?(?:吗)?$"),
    (Ask.SUPPORT, r"^(?:有)?(?:什么|哪些|何种)(?:证据|依据|数据|事实|资料|理由)?(?:能够?|可以)?(?:支持|证明|表明|支撑|说明|印证)(?:了)?(?P<end>.+)$"),
    (Ask.SUPPORT, r"^(?P<end>.+?)(?:有什么|有何|有哪些|的)(?:证据|依据|根据)(?:是什么|支持|支撑|有哪些)?$"),
    (Ask.SUPPORT, r"^(?:凭什么|根据什么|怎么知道|如何知道|何以见得)(?:说|认为|判断)?(?P<end>.+)$"),
    (Ask.NEXT, r"^.{0,20}?除了(?P<start>.+?)(?:之?外|以外)?[，,]?(?:还|又|更)(?:进一步|能|会|可以)?.*(?:什么|哪些|怎样).*$"),
    (Ask.NEXT, r"^(?!(?:之|以|此|最|今|随)后)(?P<start>.+?)(?:之后|以后|完成后|(?<![之以此最今随然背])后)[，,]?(?:接下来|紧接着|下一步|然后)?(?:会|要|应该?|还要|又|需要)?(?:发生了?什么|怎样|怎么样|怎么做|做什么|是什么|干什么|怎么办|什么步骤).*$"),
    (Ask.NEXT, r"^(?:接下来|下一步|然后)(?:发生了?什么|怎样|做什么|是什么)?[：:，,]?(?P<start>.*)$"),
    (Ask.BEFORE, r"^(?!在?(?:之|以|此|目)前)(?:在)?(?P<end>.+?)(?:之前|以前|(?<![之以此目当眼面])前)[，,]?(?:会|要|应该?|需要|必须)?(?:先)?(?:发生了?什么|怎样|做什么|是什么|做了什么|完成什么).*$"),
    (Ask.EFFECTS, r"^(?:如果|假如|要是|一旦|倘若)(?P<start>.+?)[，,]?(?:那么|就)?(?:会|将|可能)?(?:怎样|怎么样|如何|发生什么|导致什么|有什么(?:影响|后果|结果)).*$"),
    (Ask.EFFECTS, r"^(?P<start>.+?)(?:会|将|可能)?(?:导致|引起|造成|引发|带来|产生|影响)(?:了|到)?(?:什么|哪些|谁|怎样的|何种|什么样的)(?:影响|后果|结果|变化)?.*$"),
    (Ask.EFFECTS, r"^(?P<start>.+?)(?:对(?P<rest>.+?))?(?:有什么|有何|有哪些|产生了?什么|的)(?:影响|后果|结果|效应)(?:是什么|有哪些|吗)?$"),
    (Ask.EFFECTS, r"^(?P<start>.+?)(?:会怎样|会怎么样|会如何|会发生什么|结果怎样|结果如何)$"),
    (Ask.WHY, r"^(?P<end>.+?)的(?:主要|根本|直接|真正|背后的)?(?:原因|起因|成因|缘由|根源)(?:是什么|何在|有哪些|在哪里|在于什么)?$"),
    (Ask.WHY, r"^(?:是)?(?:什么|哪些因素|何种原因|什么原因|哪些原因|谁)(?:使得?|让|导致|引起|造成|引发|推动|促使|带来)(?:了)?(?P<end>.+)$"),
    (Ask.WHY, r"^(?:导致|引起|造成|引发)(?P<end>.+?)的(?:是什么|原因是什么|因素有哪些)$"),
    (Ask.WHY, r"^(?P<end>.+?)(?:是)?(?:因为什么|由于什么|由?(?:什么|谁|哪些因素)(?:引起|导致|造成|引发)的?|怎么回事|(?:怎么|怎样|如何)(?:造成|引起|导致|引发|产生|发生|来)的)$"),
)  # fmt: skip

__all__ = ["CHINESE", "ENGLISH", "Ask"]
