import { Ajv2020 } from 'ajv/dist/2020';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { badgeEndpoint, formatBadge } from '../../src/report/badge';
import { formatHtml } from '../../src/report/html';
import { formatJunit } from '../../src/report/junit';
import { formatJson, reportSchema, type Verdict, verdicts } from '../../src/report/report';
import { formatTap } from '../../src/report/tap';
import { formatText } from '../../src/report/text';
import { aCheckResult, anExchange, aReport, aReportOf, everyVerdict } from './a-report';

const all = aReport({ checks: everyVerdict });

describe('formatJson', () => {
  const schema = z.toJSONSchema(reportSchema, {
    // Readers accept what later versions add.
    io: 'input',
    override: ({ jsonSchema }) => {
      // The format is enough; the pattern that zod adds is a line of 300 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  const isTime = (text: string) => !Number.isNaN(Date.parse(text));
  const validate = new Ajv2020({ allErrors: true, formats: { 'date-time': isTime } }).compile(
    schema,
  );

  test('the schema in the package is that of the sources', async () => {
    // Written by `npx vitest run --project=conformance -u`.
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
      '../../schemas/report.json',
    );
  });

  test('writes reports that the schema accepts', () => {
    const json = JSON.parse(formatJson(all));
    validate(json);
    expect(validate.errors).toBe(null);
    expect(json).toEqual(all);
  });

  test.each([
    [{ exitCode: 3 }],
    [{ startedAt: 'yesterday' }],
    [{ mode: 'fast' }],
    [{ checks: [{ ...aCheckResult(), verdict: 'skipped' }] }],
    [{ checks: [{ ...aCheckResult(), judged: -1 }] }],
  ])('the schema refuses %j', (part) => {
    expect(validate({ ...all, ...part })).toBe(false);
  });
});

describe('formatText', () => {
  test('shows failures first, passes as counts, and the conclusion last', () => {
    const text = formatText(all);
    const starts = [
      'failed',
      'blocked',
      'inconclusive',
      'advice',
      'waived',
      'not run',
      'not applicable',
      'passed',
    ];
    expect(text.match(/^\d+ [a-z ]+?(?= {2})/gm)).toEqual(starts.map((label) => `1 ${label}`));
    expect(text).toContain('"It requires a key of a buyer account." (Authentication)');
    expect(text).toContain('      > authorization: Bearer $KEY_SELLER');
    expect(text).not.toContain('user-agent');
    expect(text).toContain('see ticket 4711.');
    expect(text).toMatch(/^extensions {2}not run$/m);
    expect(text).toMatch(/A check failed\.\nExit code 1\.\n$/);
  });

  test.each([80, 120])('has no line wider than %i cells, except commands', (width) => {
    const lines = formatText(all, { width }).split('\n');
    expect(lines.filter((line) => line.length > width && !line.includes('curl'))).toEqual([]);
  });

  test('names checks that share a reason in one entry', () => {
    const checks = ['RTY-1', 'RTY-2'].map((id) =>
      aCheckResult({ id, verdict: 'not run', reason: 'A quick run observes no retries.' }),
    );
    expect(formatText(aReport({ checks: [...checks, aCheckResult()] }))).toContain(
      '  RTY-1, RTY-2\n    A quick run observes no retries.\n',
    );
  });

  test('shows two pieces of evidence and names the others', () => {
    const item = { exchanges: [anExchange()], timeline: [] };
    const evidence = ['one', 'two', 'three'].map((title) => ({ title, ...item }));
    const text = formatText(aReportOf({ evidence }));
    expect(text.match(/curl/g)).toHaveLength(2);
    expect(text).toContain('    1 more like this:\n      - three\n');
  });

  test('tells an interrupted run from one that passed', () => {
    const interrupted = aReport({ interrupted: 'SIGINT.', exitCode: 2, conclusion: 'Not judged.' });
    expect(formatText(interrupted)).toMatch(/Not judged\. Interrupted: SIGINT\.\nExit code 2\.\n$/);
    expect(formatText(interrupted)).toMatch(/^core {8}in part: 1 of 1/m);
  });
});

test.each([
  ['Passed', aReport()],
  ['No failure, judged in part', aReport({ mode: 'quick' })],
  ['Not judged', aReport({ checks: [] })],
  ['Failed', all],
])('the page is headed "%s"', (outcome, report) => {
  expect(formatHtml(report)).toContain(`<strong>${outcome}</strong>`);
});

describe('formatTap', () => {
  test('has a test point for each check, with the directives of TAP 14', () => {
    const lines = formatTap(all).split('\n');
    expect(lines.slice(0, 2)).toEqual(['TAP version 14', `1..${verdicts.length}`]);
    const points = lines.filter((line) => /^(not )?ok /.test(line));
    const found = points.map((line, index) => {
      const [, result, number, directive] = /^(.*ok) (\d+) - .*?(?: # (\w+) .*)?$/.exec(line) ?? [];
      expect(Number(number)).toBe(index + 1);
      return [everyVerdict[index]?.verdict, result, directive];
    });
    expect(found).toEqual([
      ['pass', 'ok', undefined],
      ['n/a', 'ok', 'SKIP'],
      ['not run', 'ok', 'SKIP'],
      ['waived', 'not ok', 'TODO'],
      ['advice', 'not ok', 'TODO'],
      ['inconclusive', 'ok', 'SKIP'],
      ['blocked', 'ok', 'SKIP'],
      ['fail', 'not ok', undefined],
    ]);
  });

  test('has diagnostics in YAML, also where a body has the marks of their ends', () => {
    const text = '  ...\n...\n---\nok 1 - all is well # TODO\n';
    const exchange = anExchange();
    exchange.request.body = { bytes: text.length, text, base64: '' };
    const evidence = [{ title: '...', exchanges: [exchange], timeline: [] }];
    const tap = formatTap(aReportOf({ evidence }));
    const [, yaml = ''] = /^ {2}---\n(.*?)^ {2}\.\.\.$/ms.exec(tap) ?? [];
    expect(parse(yaml).evidence[0].exchanges[0].request).toContain(text.trim());
    expect(tap.match(/^(not )?ok /gm)).toHaveLength(1);
  });

  test('escapes what would start a directive', () => {
    const tap = formatTap(aReportOf({ title: 'A # TODO \\ title' }));
    expect(tap).toContain('ok 1 - AUTH-3 A \\# TODO \\\\ title\n');
  });
});

test.each([
  ['one that was interrupted', aReport({ interrupted: 'SIGINT', exitCode: 2 })],
  ['one without a check', aReport({ checks: [] })],
  ['one that judged nothing', aReport({ checks: [aCheckResult({ verdict: 'not run' })] })],
  ['an inconclusive one', aReport({ checks: [aCheckResult({ verdict: 'inconclusive' })] })],
])('a run fails in JUnit and TAP if it did not succeed: %s', (_, report) => {
  expect(formatJunit(report)).toContain('errors="1"');
  expect(formatTap(report)).toMatch(/^not ok \d+ - The run succeeds$/m);
  expect(formatJunit(aReport())).not.toContain('<error');
});

const none = 'extensions not run';

test.each([
  ['pass', 'default', 'core passed: 1 checks', none, 'green'],
  ['pass, waived', 'default', 'core passed: 1 checks, 1 waived', none, 'green'],
  ['pass, waived, fail', 'quick', 'core failed (quick): 1 of 3 checks, 1 waived', none, 'red'],
  ['pass', 'quick', 'core in part (quick): 1 of 1 checks judged, 0 failed', none, 'yellow'],
  ['pass, not run', 'long', 'core in part: 1 of 2 checks judged, 0 failed', none, 'yellow'],
  ['pass, inconclusive', 'long', 'core in part: 1 of 2 checks judged, 0 failed', none, 'yellow'],
  ['not run', 'quick', 'core not run', none, 'lightgrey'],
  ['n/a', 'default', 'core not applicable', none, 'lightgrey'],
] as const)('a badge of "%s" in a %s run states "%s"', (list, mode, core, extensions, color) => {
  const checks = list.split(', ').map((verdict) => aCheckResult({ verdict: verdict as Verdict }));
  const report = aReport({ checks, mode });
  const [label, message] = ['tradepost conformance 0.2.0', `${core}; ${extensions}`];
  expect(badgeEndpoint(report)).toEqual({ schemaVersion: 1, label, message, color });
  expect(formatBadge(report)).toBe(`${label}: ${message}\n`);
});
