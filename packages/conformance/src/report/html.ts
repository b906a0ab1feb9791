import { createHash } from 'node:crypto';
import { className, style } from './html-style';
import { Markup, markup } from './markup';
import { formatSpan, formatTimeOfDay, requestLines, responseLines, showText } from './messages';
import {
  type Body,
  type CheckResult,
  type Evidence,
  type Exchange,
  type Report,
  verdictTexts,
} from './report';
import {
  explainVerdict,
  formatConclusion,
  formatLevel,
  groupBy,
  levelResults,
  listSections,
  measureRun,
  readFamily,
  type Section,
} from './summary';

const shown = { maxLength: 20_000, allHeaders: true };

/** A page with a dozen bodies of a megabyte opens slowly. */
const maxBase64 = 100_000;

/** `Not run`. */
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const definition = (term: string, description: Markup | Markup[] | string) =>
  markup`<dt>${term}</dt><dd>${description}</dd>`;

const code = (caption: string, text: string) =>
  markup`<figure><figcaption>${caption}</figcaption><pre>${text}</pre></figure>`;

function rawBody(name: string, body: Body | null | undefined): Markup[] {
  if (body == null || body.bytes === 0) return [];
  return [code(`${name}, ${body.bytes} bytes as base64`, showText(body.base64, maxBase64))];
}

function exchangePart(exchange: Exchange): Markup {
  const { at, direction, milliseconds, request, response, curl } = exchange;
  const raw = [...rawBody('Request', request.body), ...rawBody('Response', response?.body)];
  return markup`<p class="meta"><time>${formatTimeOfDay(at)}</time>, ${direction}, ${Math.round(milliseconds)} ms</p>
<div class="messages">${code('Request', requestLines(exchange, shown).join('\n'))}${code('Response', responseLines(exchange, shown).join('\n'))}</div>
${curl === null ? [] : code('Send it again', curl)}
${raw.length === 0 ? [] : markup`<details class="raw"><summary class="meta">Bodies, byte for byte</summary>${raw}</details>`}`;
}

function evidencePart({ title, exchanges, timeline }: Evidence): Markup {
  const rows = timeline.map(
    ({ at, text }) => markup`<tr><td><time>${formatTimeOfDay(at)}</time></td><td>${text}</td></tr>`,
  );
  return markup`<div class="evidence"><h4>${title}</h4>${exchanges.map(exchangePart)}
${rows.length === 0 ? [] : markup`<table><caption>Timeline</caption><thead><tr><th scope="col">Time</th><th scope="col">What happened</th></tr></thead><tbody>${rows}</tbody></table>`}</div>`;
}

function sourcePart({ source }: CheckResult): Markup | Markup[] {
  if (source === null) return [];
  return markup`<blockquote><p>${source.sentence}</p><p class="soft">API specification, ${source.section}</p></blockquote>`;
}

function finding(check: CheckResult): Markup {
  const { id, verdict, title, method, evidence } = check;
  return markup`<details class="finding ${className(verdict)}" id="${className(id)}"${verdict === 'fail' ? markup` open` : ''}>
<summary><span class="id">${id}</span><h3>${title}</h3></summary>
<div><p>${explainVerdict(check)}</p>${sourcePart(check)}
<p class="soft">${capitalize(check.class)}. How it is checked: ${method}</p>${evidence.map(evidencePart)}</div>
</details>
`;
}

function section({ verdict, label, meaning, outcome, checks }: Section): Markup | Markup[] {
  if (outcome === 'pass') return [];
  // Most of those without a result share a reason.
  const reasons = groupBy(checks, explainVerdict).map(([reason, group]) => {
    const links = group.map(({ id }) => markup`<a href="#${className(id)}">${id}</a> `);
    return definition(reason, links);
  });
  const id = className(verdict);
  return markup`<section aria-labelledby="${id}"><h2 id="${id}">${capitalize(label)} (${checks.length})</h2>
<p class="soft">${meaning}</p>
${outcome === 'skip' ? markup`<dl class="card">${reasons}</dl>` : checks.map(finding)}</section>
`;
}

function row(check: CheckResult): Markup {
  const { id, title, verdict, method, judged } = check;
  const { label, outcome } = verdictTexts[verdict];
  const hasFinding = outcome === 'fail' || outcome === 'note';
  const link = markup`<a href="#${className(id)}">${label}</a>`;
  return markup`<tr class="check ${className(verdict)}"${hasFinding ? '' : markup` id="${className(id)}"`}><th scope="row"><span class="id">${id}</span></th>
<td><details><summary>${title}</summary>${sourcePart(check)}<p class="soft">${capitalize(check.class)}. ${method} Judged: ${judged}.</p></details></td>
<td>${hasFinding ? link : label}</td></tr>
`;
}

function allChecks(checks: readonly CheckResult[], sections: Section[]): Markup {
  const radio = (id: string, text: string, checked: Markup | string = '') =>
    markup`<label><input type="radio" name="only" id="only-${id}"${checked}> ${text}</label>`;
  const filters = sections.map(({ verdict, label }) => radio(className(verdict), label));
  const groups = groupBy(checks, ({ id, level }) => `${readFamily(id)}, ${level}`).map(
    ([name, group]) =>
      markup`<tbody><tr><th scope="rowgroup" colspan="3">${name}</th></tr>${group.map(row)}</tbody>`,
  );
  return markup`<section aria-labelledby="pass"><h2 id="pass">All checks (${checks.length})</h2>
<fieldset><legend>Show</legend>${radio('all', 'all', markup` checked`)}${filters}</fieldset>
<table><thead><tr><th scope="col">ID</th><th scope="col">Check</th><th scope="col">Result</th></tr></thead>${groups}</table></section>`;
}

/** A bar with a part for each verdict. The counts say the same in words. */
function bar(sections: Section[], total: number): Markup {
  let end = 0;
  const rects = sections.map(({ verdict, checks: { length } }) => {
    end += length;
    return markup`<rect class="${className(verdict)}" x="${end - length}" width="${length}" height="1"/>`;
  });
  return markup`<svg class="bar" viewBox="0 0 ${total} 1" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}

/** What heads the page, by the exit code, and the class of its colour. */
const outcomes = [
  ['Passed', 'pass'],
  ['Failed', 'fail'],
  ['Not judged', 'inconclusive'],
] as const;

/** A run that judged only a part passed nothing as a whole. */
const inPart = ['No failure, judged in part', 'inconclusive'] as const;

const modes: Record<Report['mode'], string> = {
  quick: 'quick: retries were not observed',
  default: 'default: the first retries were observed',
  long: 'long: retries were observed for 24 hours',
};

/**
 * Formats a report as one page of HTML: readable without scripts and without a network, in light and dark, on phones and on paper. The
 * page has a Content Security Policy that allows nothing but its own style.
 */
export function formatHtml(report: Report): string {
  const { kit, target, checks, exitCode, mode, startedAt, left } = report;
  const sections = listSections(checks);
  const levels = levelResults(report);
  const isPartial = exitCode === 0 && levels.some(({ state }) => state === 'in part');
  const [outcome, look] = isPartial ? inPart : outcomes[exitCode];
  const hash = createHash('sha256').update(style).digest('base64');
  const links = sections.map(({ verdict, label, checks: { length } }) => {
    const id = className(verdict);
    return markup`<li class="${id}"><a href="#${id}"><b>${length}</b> ${label}</a></li>`;
  });
  const run = `${capitalize(modes[mode])}; ${formatSpan(measureRun(report))} from ${startedAt}`;
  const items = left.map((line) => markup`<li>${line}</li>`);
  const facts = [
    ...levels.map((level) =>
      definition(`Level ${level.level}`, capitalize(formatLevel(level, report))),
    ),
    definition('Run', run),
    definition('Kit', `${kit.name} ${kit.version}, API ${report.api}`),
    definition('Receiver', target.receiver),
    definition('Extensions', report.extensions.join(', ') || 'none named or declared'),
    items.length === 0 ? [] : definition('Left at the service', markup`<ul>${items}</ul>`),
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${outcome}: conformance of ${target.baseUrl}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header>
<p class="soft">Tradepost conformance report</p>
<h1>${target.baseUrl}</h1>
<div class="conclusion ${look}"><strong>${outcome}</strong><span>${formatConclusion(report)} Exit code ${exitCode}.</span></div>
<nav aria-label="Results"><ul class="counts">${links}</ul></nav>
${bar(sections, checks.length)}
<dl class="facts">${facts}</dl>
</header>
<main>
${sections.map(section)}
${allChecks(checks, sections)}
<section aria-labelledby="profile"><h2 id="profile">Profile</h2><details class="card"><summary>As it was read, without keys and secrets</summary><pre>${JSON.stringify(report.profile, null, 2) ?? 'none'}</pre></details></section>
</main>
<footer>Written by ${kit.name} ${kit.version}. The JSON report has all of this for programs.</footer>
</body>
</html>
`.source;
}
