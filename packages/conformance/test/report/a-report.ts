import type { Body, CheckResult, Exchange, Report } from '../../src/report/report';
import { verdicts } from '../../src/report/report';

export function aBody(text: string): Body {
  return {
    bytes: Buffer.byteLength(text),
    text,
    base64: Buffer.from(text).toString('base64'),
  };
}

const url = 'https://shop.example/api/v1/orders';

/** A request with the key of a seller that created an order, unless told otherwise. */
export function anExchange(overrides: Partial<Exchange> = {}): Exchange {
  return {
    direction: 'to service',
    at: '2026-03-04T09:12:01.204Z',
    milliseconds: 12.4,
    request: {
      method: 'POST',
      url,
      headers: [
        ['authorization', 'Bearer $KEY_SELLER'],
        ['user-agent', 'tradepost-conformance/0.2.0'],
      ],
      body: aBody('{"listingId":"lst_1","quantity":3}'),
    },
    response: {
      status: 201,
      headers: [['content-type', 'application/json; charset=utf-8']],
      body: aBody('{"data":{"id":"ord_1","status":"pending","buyerId":"usr_seller"}}'),
    },
    error: null,
    curl: `curl '${url}' -H "Authorization: Bearer $KEY_SELLER" -d '{"listingId":"lst_1","quantity":3}'`,
    ...overrides,
  };
}

/** A check of `core` that passed, or what another verdict needs. */
export function aCheckResult(overrides: Partial<CheckResult> = {}): CheckResult {
  const verdict = overrides.verdict ?? 'pass';
  const hasEvidence = ['fail', 'waived', 'advice'].includes(verdict);
  const evidence = {
    title: 'POST /v1/orders with the key of the seller',
    exchanges: [anExchange()],
    timeline: [{ at: '2026-03-04T09:12:01.300Z', text: 'The list of orders has ord_1.' }],
  };
  return {
    id: 'AUTH-3',
    level: 'core',
    class: verdict === 'advice' ? 'advice' : verdict === 'waived' ? 'derived' : 'stated',
    title: 'Lets only buyer accounts create orders',
    source: { sentence: 'It requires a key of a buyer account.', section: 'Authentication' },
    method: 'Creates an order with the key of the seller. A 2xx or a new order fails.',
    verdict,
    reason:
      verdict === 'pass'
        ? null
        : `${verdict}: an order appeared. Expected: a response that is not 2xx.`,
    blockedBy: verdict === 'blocked' ? 'CRE-1' : null,
    waiver: verdict === 'waived' ? 'Fixed in release 12, see ticket 4711.' : null,
    judged: verdict === 'pass' || hasEvidence ? 2 : 0,
    evidence: hasEvidence ? [evidence] : [],
    ...overrides,
  };
}

const conclusions = {
  0: 'Every selected check passed.',
  1: 'A check failed.',
  2: 'Not every check was judged.',
};

/** A run in which a check passed, unless told otherwise. The exit code follows from the checks. */
export function aReport(overrides: Partial<Report> = {}): Report {
  const { checks = [aCheckResult()] } = overrides;
  const verdicts = new Set(checks.map(({ verdict }) => verdict));
  const isJudged =
    verdicts.has('pass') && !verdicts.has('inconclusive') && !verdicts.has('blocked');
  const exitCode = verdicts.has('fail') ? 1 : isJudged ? 0 : 2;
  return {
    version: 1,
    kit: { name: '@tradepost/conformance', version: '0.2.0' },
    api: 'v1',
    startedAt: '2026-03-04T09:12:00.000Z',
    finishedAt: '2026-03-04T09:13:32.000Z',
    mode: 'default',
    target: { baseUrl: 'https://shop.example/api', receiver: 'https://127.0.0.1:4443' },
    profile: { baseUrl: 'https://shop.example/api', keys: { buyer: '(replaced)' } },
    extensions: [],
    checks,
    interrupted: null,
    left: [],
    exitCode,
    conclusion: conclusions[exitCode],
    ...overrides,
  };
}

/** A report of one check that failed. */
export const aReportOf = (check: Partial<CheckResult>) =>
  aReport({ checks: [aCheckResult({ verdict: 'fail', ...check })] });

/** A check of each verdict; those that matter most come last. */
export const everyVerdict = verdicts
  .toReversed()
  .map((verdict, index) => aCheckResult({ id: `${index % 2 ? 'EVT' : 'AUTH'}-${index}`, verdict }));

/** Texts that break out of a format, or change what people see, if they are not escaped. */
export const hostileTexts = [
  '<script>document.title = "run"</script>',
  '"><img src=x onerror=alert(1)>',
  ']]></failure><testcase name="x"/>',
  '</style></pre></details>',
  '<!-- &amp; &#0;',
  '\u001b[2J\u001b[31mred\u009b1m',
  '\u202eright to left\u2066',
  'a\u0000b\u0008\r\n\r',
  '\ud800 \udc00\ufffe\uffff',
  '\nok 99 - forged # TODO\nBail out!\n  ...\n---\n1..99',
  '\u200b\u{e0041}\u2028\u2029',
];

/** A report with a check of each verdict, and a text wherever a service, a profile or a person could have put one. */
export function aHostileReport(hostile: string): Report {
  const text = `x${hostile}`;
  const headers: [string, string][] = [[text, text]];
  const exchange = anExchange({
    request: { method: text, url: text, headers, body: aBody(text) },
    response: { status: 200, headers, body: aBody(text) },
    curl: text,
  });
  const lost = { ...exchange, response: null, error: text };
  const timeline = [{ at: '2026-03-04T09:12:01.100Z', text }];
  const evidence = [{ title: text, exchanges: [exchange, lost], timeline }];
  const source = { sentence: text, section: text };
  const own = { title: text, method: text, reason: text, blockedBy: text, waiver: text };
  const checks = everyVerdict.map((check) => ({ ...check, ...own, source, evidence }));
  const target = { baseUrl: text, receiver: text };
  const profile = { text };
  const ends = { interrupted: text, conclusion: text, left: [text], extensions: [text] };
  return aReport({ checks, target, profile, ...ends });
}
