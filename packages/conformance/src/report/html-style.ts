import { verdicts } from './report';

/** The class of a verdict: `not-run`. */
export const className = (verdict: string) => verdict.replace(/\W/g, '-');

/** Hides the rows of all other results. Without `:has`, a browser shows all rows. */
const filters = verdicts
  .map(className)
  .map(
    (name) =>
      `main:has(#only-${name}:checked) :is(.check:not(.${name}),tbody:not(.evidence *,:has(.check.${name}))){display:none}`,
  )
  .join('\n');

/** The style of the page. Every pair of colours has a contrast of at least 4.5 to 1, in light and in dark. */
export const style = `
:root{color-scheme:light dark;--page:light-dark(#f6f7f9,#111417);--card:light-dark(#fff,#191d21);--text:light-dark(#1b1f24,#e4e7ea);
--soft:light-dark(#555e68,#a3adb7);--line:light-dark(#d9dee3,#323940);--code:light-dark(#f3f5f7,#12161a);
--bad:light-dark(#b3261e,#ff8f86);--good:light-dark(#17663a,#74d39a);--warn:light-dark(#8a4b00,#f0b860);--info:light-dark(#0b57b0,#82b8ff)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:70rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.6rem;line-height:1.25;margin:.1rem 0 1rem}
h2{font-size:1.2rem;margin:2.5rem 0 .25rem}
h3{display:inline;font-size:1rem;margin:0}
h4{font-size:.9rem;margin:1.25rem 0 .5rem}
p{margin:.4rem 0}
a{color:var(--info)}
.soft,dt,figcaption,caption,footer,.meta{color:var(--soft);font-size:.875rem}
pre,code,time,.id{font:.8125rem/1.5 ui-monospace,monospace}
.conclusion{border-left:.4rem solid;padding:.8rem 1.1rem;background:var(--card);border-radius:.4rem}
.conclusion strong{display:block;font-size:1.3rem}
.conclusion span{color:var(--text)}
.fail{color:var(--bad)}
.pass{color:var(--good)}
.waived,.blocked,.inconclusive,.not-run{color:var(--warn)}
.advice{color:var(--info)}
.n-a{color:var(--soft)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0;margin:1rem 0}
.counts a{display:block;padding:.35rem .8rem;border:1px solid var(--line);border-radius:.4rem;background:var(--card);color:inherit;text-decoration:none}
.counts b{font-size:1.25rem;margin-right:.15rem}
.bar{display:block;width:100%;height:.5rem;border-radius:.25rem}
.bar rect{fill:currentColor}
.facts{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.3rem 1.25rem;margin:1.25rem 0}
dd{margin:0}
.finding,.card{margin:.75rem 0;padding:.8rem 1.1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.finding{border-left:.3rem solid}
.finding>*{color:var(--text)}
.finding>summary .id{color:var(--soft);margin-right:.5rem}
summary{cursor:pointer}
blockquote{margin:.8rem 0;padding-left:.9rem;border-left:.2rem solid var(--line)}
.evidence{border-top:1px solid var(--line);margin-top:1rem}
.evidence th:first-child{width:8rem}
.messages{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:.75rem}
figure{margin:.4rem 0;min-width:0}
pre{margin:.2rem 0;padding:.7rem .8rem;background:var(--code);border:1px solid var(--line);border-radius:.35rem;white-space:pre-wrap}
table{width:100%;border-collapse:collapse}
caption{text-align:left;padding:.4rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th,tbody th[scope=rowgroup]{font-weight:600}
th[scope=rowgroup]{padding-top:1.2rem}
td:last-child,thead th:last-child{padding-right:0}
.check th,.check td:last-child,td time{white-space:nowrap}
.check td:last-child{overflow-wrap:normal}
.check td:nth-child(2){color:var(--text)}
fieldset{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;border:1px solid var(--line);border-radius:.4rem;margin:1rem 0}
:focus-visible{outline:.15rem solid var(--info);outline-offset:.1rem}
:target{outline:.15rem solid var(--info)}
footer{padding-top:2rem;padding-bottom:2rem}
@media (max-width:30rem){h1{font-size:1.25rem}.evidence th:first-child{width:6rem}header,main,footer{padding-left:.75rem;padding-right:.75rem}.facts{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}.check td:last-child{white-space:normal}}
@media print{:root{color-scheme:light;--page:#fff}body{font-size:.8rem}fieldset,.raw{display:none}.messages{grid-template-columns:1fr}details::details-content{content-visibility:visible;block-size:auto}}
${filters}
`;
