import { expect, test } from 'vitest';
import { findLinesOnlyInReadme } from './readme';
import { asText, checkMinimalService, findings } from './run-kit';

test('the kit passes a service of the seven endpoints, and says what it did not run', async () => {
  const report = await checkMinimalService({}, { mode: 'quick' });
  expect(report).toMatchObject({ exitCode: 0, interrupted: null });
  const open = findings(report).map((line) => line.replace(/ .*/, ''));
  expect(open.filter((id) => !id.startsWith('RTY-'))).toEqual(['EVT-15']);
});

test('the kit explains a failure with the exchange, a command and no key', async () => {
  const report = await checkMinimalService({ fault: 'getIgnoresOwner' }, { mode: 'quick' });
  expect(report.exitCode).toBe(1);
  const failed = report.checks.filter(({ verdict }) => verdict === 'fail');
  expect(failed.map(({ id }) => id)).toEqual(['VIS-2']);
  const [exchange] = failed[0]?.evidence[0]?.exchanges ?? [];
  expect(exchange?.curl).toMatch(
    /^curl -i 'http:.*\/v1\/orders\/ord_\w+' -H "Authorization: Bearer \$KEY_STRANGER"$/,
  );
  expect(exchange?.response?.status).toBe(200);
  expect(JSON.stringify(report)).not.toMatch(/key_[0-9a-f]{8}/);
});

test.each([
  ['seller', /^The first order has one account as buyer and seller, usr_\w+[.] Set keys.buyer/],
  ['stranger', /^keys.buyer and keys.stranger are of one account, usr_\w+[.]/],
] as const)(
  'the kit stops if the keys of buyer and %s are of one account, and names their fields',
  async (twin, message) => {
    await expect(checkMinimalService({ twin }, { mode: 'quick' })).rejects.toThrow(message);
  },
);

test('the README shows what the kit prints of a failure', async () => {
  const report = await checkMinimalService({ fault: 'signsCompact' }, { mode: 'quick' });
  expect(findLinesOnlyInReadme('1 failed', asText(report))).toEqual([]);
});
