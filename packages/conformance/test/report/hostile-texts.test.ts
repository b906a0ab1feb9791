import { hiddenCharacters } from '@tradepost/contract/hidden-characters';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report } from '../../src/report/report';
import { formats } from '../../src/report/write-report';
import { aBody, aHostileReport, anExchange, aReportOf, hostileTexts } from './a-report';

const text = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...hostileTexts), { maxLength: 5 }).map((parts) => parts.join('')),
);

/** What of a format has a meaning of its own: elements, test points, the lines that are not indented. */
const structures = {
  html: /<\/?[a-z]+/g,
  junit: /<\/?[a-z]+/g,
  tap: /^(1\.\.|(not )?ok |Bail out)/gm,
  text: /^\S/gm,
};

const findStructures = (report: Report) =>
  Object.entries(structures).map(([name, pattern]) =>
    formats[name as keyof typeof structures](report, {}).match(pattern),
  );

const hidden = new RegExp(`(?![\\n\\t])${hiddenCharacters.source}`, 'gu');

// A failure prints its seed.
test('no text changes the structure of a report, and hidden characters are escaped', () => {
  const plain = findStructures(aHostileReport('plain'));
  fc.assert(
    fc.property(text, (hostile) => {
      const report = aHostileReport(hostile);
      expect(findStructures(report)).toEqual(plain);
      expect(formats.junit(report)).not.toMatch(/[\ufffe\uffff]/);
      expect(JSON.parse(formats.json(report))).toEqual(report);
      for (const [name, format] of Object.entries(formats)) {
        expect([name, format(report, {}).match(hidden)]).toEqual([name, null]);
      }
    }),
    { numRuns: 60 },
  );
});

test('a body of a megabyte is shortened, except in JSON', () => {
  const exchange = anExchange();
  exchange.request.body = aBody('\u202e<b>'.repeat(200_000));
  const report = aReportOf({ evidence: [{ title: 'POST', exchanges: [exchange], timeline: [] }] });
  for (const [name, format] of Object.entries(formats)) {
    expect([name, format(report, {}).length > 250_000]).toEqual([name, name === 'json']);
  }
});
