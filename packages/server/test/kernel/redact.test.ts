import { describe, expect, test } from 'vitest';
import { listSuspects, redactOutput } from '../../src/kernel/redact';

describe('what the server writes for its operator', () => {
  test.each([
    ['cannot parse https://u:p@ss/w@h/x', 'cannot parse https://…@h/x'],
    ['postgres//u:p@h and token@h', 'postgres//…@h and token@h'],
    ['postgres://token@h/db', 'postgres://…@h/db'],
    ['u:p%40@h', '…@h'],
    ['?password=pw&x=1', '?password=…&x=1'],
    ["host=h password='p w' user=u", 'host=h password=… user=u'],
    ['{"reason":"https://u:p@h","n":1}', '{"reason":"https://…@h","n":1}'],
    [`Cannot read tpsk_${'0'.repeat(64)}: ENOENT`, 'Cannot read tpsk_…: ENOENT'],
  ])('has no credentials: %s', (text, redacted) => {
    expect(redactOutput(text)).toBe(redacted);
  });

  test.each([
    '{"level":30,"time":"2026-11-27T02:10:40.938Z","path":"/v1/orders","msg":"request"}',
    'https://receiver.example/@me',
    'error: Cannot open ./a@b.db: no such file',
  ])('stays %s', (text) => {
    expect(redactOutput(text)).toBe(text);
  });

  test.each(['say "password=p"', "password='p'", 'u:p@h "x"', 'password: p\n//u:p@h'])(
    'is still JSON if it was: %j',
    (reason) => {
      const line = JSON.parse(redactOutput(JSON.stringify({ reason }))) as { reason: string };
      expect(line.reason).toContain('…');
      expect(line.reason).not.toMatch(/[=:' ]p\b/);
    },
  );

  test('has no value from outside that may have a password anywhere', () => {
    const argv = ['start', '--databases=postgres://u:a b@h', '--port', '80'];
    const env = { TRADEPOST_CORS_ORIGIN: 'https://a.example, //u:c d@h', PATH: 'a@b' };
    expect(listSuspects(argv, env)).toEqual([
      'https://a.example, //u:c d@h',
      'postgres://u:a b@h',
      '//u:c d@h',
    ]);
  });
});
