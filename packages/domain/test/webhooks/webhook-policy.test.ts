import { createWebhookSchema } from '@tradepost/contract/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkWebhookUrl,
  findPolicyViolation,
  insecureWebhookPolicy,
  strictWebhookPolicy,
} from '../../src/webhooks/webhook-policy';
import { catchDomainError } from '../helpers/catch-domain-error';

const localAddresses = [
  'https://127.0.0.1/',
  'https://127.0.0.1:8443/hook',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://１２７.0.0.1/',
  'https://0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://224.0.0.1/',
  'https://localhost/',
  'https://localhost./',
  'https://LOCALHOST:4443/',
  'https://receiver.localhost/',
  'https://%6c%6f%63%61%6c%68%6f%73%74/',
  'https://ｌｏｃａｌｈｏｓｔ/',
  'https://printer.local/',
  'https://printer.local./',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://router.home.arpa/',
  'https://redis/',
  'https://redis./',
];

const goodUrls: [string, string][] = [
  ['https://receiver.example/tradepost', 'https://receiver.example/tradepost'],
  ['https://receiver.example', 'https://receiver.example/'],
  ['https://RECEIVER.example:443/A?b=C', 'https://receiver.example/A?b=C'],
  ['https://receiver.example:8443/x', 'https://receiver.example:8443/x'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
  ['https://localhost.example/', 'https://localhost.example/'],
  ['https://mylocalhost.example/', 'https://mylocalhost.example/'],
  ['https://local.example./', 'https://local.example./'],
  ['https://receiver.example:1024/', 'https://receiver.example:1024/'],
  ['https://receiver.example:65535/', 'https://receiver.example:65535/'],
  ['https://münchen.example/straße', 'https://xn--mnchen-3ya.example/stra%C3%9Fe'],
  [
    'https://receiver.example/{a}|b?c=[d]^`',
    'https://receiver.example/%7Ba%7D%7Cb?c=%5Bd%5D%5E%60',
  ],
];

/** Source: Fetch Standard, "Port blocking". */
const blockedByBrowsers = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
];

/** Returns the first and last address of an IPv4 range, as numbers. */
function range(first: string, bits: number): [bigint, bigint] {
  const start = first.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return [start, start + 2n ** BigInt(32 - bits) - 1n];
}

/** Every range that is not globally reachable, and all addresses above. Source: IANA, IPv4 special-purpose address registry. */
const hiddenRanges = [
  range('0.0.0.0', 8),
  range('10.0.0.0', 8),
  range('100.64.0.0', 10),
  range('127.0.0.0', 8),
  range('169.254.0.0', 16),
  range('172.16.0.0', 12),
  range('192.0.0.0', 24),
  range('192.0.2.0', 24),
  range('192.88.99.0', 24),
  range('192.168.0.0', 16),
  range('198.18.0.0', 15),
  range('198.51.100.0', 24),
  range('203.0.113.0', 24),
  range('224.0.0.0', 4),
  range('240.0.0.0', 4),
];

function toBytes(address: bigint): number[] {
  return [24n, 16n, 8n, 0n].map((shift) => Number((address >> shift) & 255n));
}

const dotted = (address: bigint) => toBytes(address).join('.');

/** Returns the address as two groups of IPv6. */
function toGroups(address: bigint): string {
  return `${(address >> 16n).toString(16)}:${(address & 0xffffn).toString(16)}`;
}

/** Every notation of an IPv4 address in a URL. Source: URL Standard, "IPv4 parser". */
const notations: ((address: bigint) => string)[] = [
  dotted,
  (address) => `${dotted(address)}.`,
  (address) => String(address),
  (address) => `0x${address.toString(16)}`,
  (address) => `0X${address.toString(16).toUpperCase()}`,
  (address) => `0${address.toString(8)}`,
  (address) =>
    toBytes(address)
      .map((byte) => `0x${byte.toString(16)}`)
      .join('.'),
  (address) =>
    toBytes(address)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  (address) =>
    toBytes(address)
      .map((byte) => `0x00${byte.toString(16)}`)
      .join('.'),
  (address) => `${toBytes(address)[0]}.${address & 0xffffffn}`,
  (address) => `${toBytes(address).slice(0, 2).join('.')}.0x${(address & 0xffffn).toString(16)}`,
  (address) => dotted(address).replaceAll('.', '%2e'),
  (address) => dotted(address).replace(/\d/g, (digit) => `%3${digit}`),
  (address) =>
    dotted(address).replace(/\d/g, (digit) => '０１２３４５６７８９'.charAt(Number(digit))),
  (address) => dotted(address).replaceAll('.', '。'),
  (address) => `[::ffff:${dotted(address)}]`,
  (address) => `[::FFFF:${toGroups(address)}]`,
  (address) => `[0:0:0:0:0:ffff:${toGroups(address)}]`,
  (address) => `[::ffff:0:${toGroups(address)}]`,
  (address) => `[::${toGroups(address)}]`,
  (address) => `[64:ff9b::${dotted(address)}]`,
  (address) => `[64:ff9b:1::${toGroups(address)}]`,
  (address) => `[2002:${toGroups(address)}::1]`,
];

describe('as the URL of a webhook,', () => {
  test.each(goodUrls)('%s is accepted, in its normal form', (url, normal) => {
    expect(checkWebhookUrl(url, strictWebhookPolicy)).toBe(normal);
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(normal);
  });

  test.each(localAddresses)('%s is rejected as local, unless the operator allows it', (url) => {
    const domainError = catchDomainError(() => checkWebhookUrl(url, strictWebhookPolicy));
    expect(domainError).toMatchObject({ code: 'validation_failed', issues: [{ path: 'url' }] });
    expect(domainError.detail).toContain('public host');
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(new URL(url).href);
  });

  test('plain http is rejected, unless the operator allows it', () => {
    const url = 'http://receiver.example/hook';
    const domainError = catchDomainError(() => checkWebhookUrl(url, strictWebhookPolicy));
    expect(domainError.issues).toEqual([{ path: 'url', message: 'must start with https://' }]);
    expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(url);
  });

  test.each([0, 1, 22, 25, 80, 444, 587, 1023, 2049, 2375, 3306, 5060, 5432, 6379, 6667, 9200])(
    'port %i is rejected with the allowed ones, unless the operator allows it',
    (port) => {
      const url = `https://receiver.example:${port}/hook`;
      const domainError = catchDomainError(() => checkWebhookUrl(url, strictWebhookPolicy));
      expect(domainError).toMatchObject({ code: 'validation_failed', issues: [{ path: 'url' }] });
      expect(domainError.detail).toContain('port 443, or a port from 1024');
      expect(checkWebhookUrl(url, insecureWebhookPolicy)).toBe(url);
    },
  );

  test('no port is allowed that browsers block', () => {
    for (const port of blockedByBrowsers) {
      expect(
        findPolicyViolation(new URL(`https://receiver.example:${port}/`), strictWebhookPolicy),
      ).toBe('port');
    }
  });
});

/** A URI with the scheme http or https, without user information and fragment. Source: RFC 3986, appendix A. */
const uri =
  /^https?:\/\/(\[[0-9a-f:.]+\]|([\w.~!$&'()*+,;=-]|%[0-9A-F]{2})+)(:\d+)?(\/([\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)(\?([\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/;

test('every URL that the contract accepts is stored as a URI', () => {
  const character = fc.oneof(
    fc.constantFrom(...'/?&=%|[]{}^`<>"\'\\~.:@;,!*()+$ü漢'),
    fc.constantFrom('%20', '%C3%BC', '🛒'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
  );
  const text = fc.array(character, { maxLength: 20 }).map((parts) => parts.join(''));
  const host = fc.constantFrom('receiver.example', 'münchen.example:8443', '[2606:4700::1]', '1.1');
  let accepted = 0;
  fc.assert(
    fc.property(host, text, (name, rest) => {
      const url = `https://${name}/${rest}`;
      if (!createWebhookSchema.safeParse({ url, events: ['order.created'] }).success) return;
      accepted += 1;
      const stored = checkWebhookUrl(url, insecureWebhookPolicy);
      expect(stored).toMatch(uri);
      expect(checkWebhookUrl(stored, insecureWebhookPolicy)).toBe(stored);
    }),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(500);
});

describe('an address that is not public', () => {
  const anyHidden = fc.constantFrom(...hiddenRanges).chain(([first, last]) => {
    return fc.bigInt({ min: first, max: last });
  });

  test('is rejected in any notation that a URL may have', () => {
    fc.assert(
      fc.property(anyHidden, fc.constantFrom(...notations), (address, write) => {
        const url = `https://${write(address)}/`;
        expect(URL.canParse(url), url).toBe(true);
        expect(findPolicyViolation(new URL(url), strictWebhookPolicy), url).toBe('address');
        expect(() => checkWebhookUrl(url, strictWebhookPolicy), url).toThrow('public host');
      }),
      { numRuns: 2_000 },
    );
  }, 30_000);
});
