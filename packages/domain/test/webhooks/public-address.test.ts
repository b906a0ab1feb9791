import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLocalHost, isPublicAddress, parseAddress } from '../../src/webhooks/public-address';

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:800::200e',
];

const hiddenAddresses: [string, string[]][] = [
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1']],
  ['link-local', ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['shared by carriers (CGNAT)', ['100.64.0.1', '100.127.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1']],
  ['unique-local', ['fc00::1', 'fd12:3456::1', 'fdff:ffff::1']],
  ['site-local, deprecated', ['fec0::1', 'feff::1']],
  ['for documentation', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1']],
  ['for benchmarks', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
  ['reserved', ['192.0.0.8', '240.0.0.1', '255.255.255.255', '100::1', '2001::1', '5f00::1']],
  ['not handed out yet', ['4000::1', '8000::1', 'e000::1', '::2', '0:1::1']],
  ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe']],
  ['IPv4-translated', ['::ffff:0:127.0.0.1', '::ffff:0:a00:1']],
  ['IPv4-compatible', ['::127.0.0.1', '::7f00:1', '::a00:1', '::808:808']],
  ['NAT64', ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b::c0a8:1']],
  ['NAT64 of a network of its own', ['64:ff9b:1::1', '64:ff9b:1:a00:0:100:808:808']],
  ['Teredo', ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
  ['ORCHID', ['2001:10::1', '2001:20::1']],
  ['relays of 6to4', ['192.88.99.1', '192.88.99.2']],
  ['of the host of a virtual machine (Azure)', ['168.63.129.16', '::ffff:168.63.129.16']],
  ['of a service for virtual machines', ['100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']],
  ['of a special purpose', ['192.31.196.1', '192.52.193.1', '192.175.48.1', '192.0.0.192']],
  ['of a special purpose', ['2620:4f:8000::1', '100:0:0:1::1', '2001:1::1', '2001:db8::7f00:1']],
  ['of a special purpose, embedded', ['2002:a83f:8110::1', '64:ff9b::a83f:8110']],
  ['6to4', ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1', '2002:a9fe:a9fe::1']],
];

describe('as the address of a receiver,', () => {
  test.each(publicAddresses)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(hiddenAddresses)('an address that is %s is not public', (_kind, addresses) => {
    for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
  });

  test('an IPv6 form that carries an IPv4 address is as public as that is', () => {
    const wrappings: ((hex: string) => string)[] = [
      (hex) => `::ffff:${hex}`,
      (hex) => `::ffff:0:${hex}`,
      (hex) => `64:ff9b::${hex}`,
      (hex) => `2002:${hex}::1`,
    ];
    const byte = fc.nat({ max: 255 });
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
        const plain = isPublicAddress(`${a}.${b}.${c}.${d}`);
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        for (const wrap of wrappings) expect(isPublicAddress(wrap(hex)), wrap(hex)).toBe(plain);
      }),
      { numRuns: 500 },
    );
  });

  test('no IPv6 address outside the assigned range is public, however ipaddr.js classifies it', () => {
    const group = fc.nat({ max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const [first = 0] = groups;
        fc.pre(first >> 13 !== 1 && first > 0x64);
        expect(isPublicAddress(groups.map((part) => part.toString(16)).join(':'))).toBe(false);
      }),
    );
  });
});

/** IPv6 ranges that are not public. Source: IANA, IPv6 special-purpose address registry; RFC 4291. */
const hiddenRanges: [string, number][] = [
  ['0000:0000', 96],
  ['0064:ff9b:0001', 48],
  ['0100', 64],
  ['2001:0000', 23],
  ['2001:0db8', 32],
  ['3fff:0000', 20],
  ['5f00', 16],
  ['fc00', 7],
  ['fe80', 10],
  ['fec0', 10],
  ['ff00', 8],
];

describe('an IPv6 address in a range that is not public', () => {
  const anyRange = fc.constantFrom(...hiddenRanges);
  const anyBits = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });

  test('is not public in any notation', () => {
    fc.assert(
      fc.property(anyRange, anyBits, fc.boolean(), ([prefix, length], bits, loud) => {
        const start = BigInt(`0x${prefix.replaceAll(':', '').padEnd(32, '0')}`);
        const hex = (start | (bits >> BigInt(length))).toString(16).padStart(32, '0');
        const whole = hex.replace(/(?<=.)(?=(.{4})+$)/g, ':');
        const written = loud ? whole.toUpperCase() : whole;
        const normal = parseAddress(new URL(`https://[${written}]/`).hostname) ?? '';
        for (const text of [written, normal]) expect(isPublicAddress(text), text).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('as the host of a URL,', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
    ['localhost', null],
    ['receiver.example', null],
    ['1.2.3', null],
    ['1.2.3.4.example', null],
    ['', null],
  ])('%j is parsed as the address %j', (host, address) => {
    expect(parseAddress(host)).toBe(address);
  });
});

describe('as a name,', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.b.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.home.arpa',
    'redis',
    'redis..',
    '',
  ])('%j is local', (name) => {
    expect(isLocalHost(name)).toBe(true);
  });

  test.each(['receiver.example', 'localhost.example', 'notlocal.example', 'x.mylocal', '1.1.1.1'])(
    '%j is not local',
    (name) => {
      expect(isLocalHost(name)).toBe(false);
    },
  );

  test('an IPv6 address is not local, with or without brackets', () => {
    expect(isLocalHost('::1')).toBe(false);
    expect(isLocalHost('[::1]')).toBe(false);
  });
});
