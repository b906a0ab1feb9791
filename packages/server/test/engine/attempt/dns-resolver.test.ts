import { describe, expect, test } from 'vitest';
import { createDnsResolver, systemResolver } from '../../../src/engine/attempt/ssrf-guard';
import { type Family, openDnsServer, type Reply, type Zone } from './dns-server';

async function resolve(zone: Zone, timeout = 200): Promise<string[]> {
  const { address } = await openDnsServer(zone);
  return createDnsResolver([address], timeout).resolve('receiver.test');
}

/** The responses for the two address families. */
function each(A: Reply, AAAA: Reply): Zone {
  const replies: Record<Family, Reply> = { A, AAAA };
  return (_name, family) => replies[family];
}

describe('a name resolved by DNS', () => {
  test('has all of its addresses, of both families', async () => {
    const found = await resolve(each(['192.0.2.1', '192.0.2.2'], ['2001:db8::1']));
    expect(found.sort()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  });

  test.each<[string, Reply]>([
    ['no address', []],
    ['an unknown name', 'NXDOMAIN'],
    ['a failure', 'SERVFAIL'],
    ['nothing at all', 'silence'],
  ])('has the addresses of one family although the other gets %s', async (_what, other) => {
    expect(await resolve(each(['192.0.2.1'], other), 3_000)).toEqual(['192.0.2.1']);
    expect(await resolve(each(other, ['2001:db8::1']), 3_000)).toEqual(['2001:db8::1']);
  });

  test.each<[Reply, Reply, string, string]>([
    ['NXDOMAIN', 'NXDOMAIN', 'DNS_FAILED', 'ENOTFOUND'],
    ['SERVFAIL', 'SERVFAIL', 'DNS_FAILED', 'ESERVFAIL'],
    ['SERVFAIL', [], 'DNS_FAILED', 'ESERVFAIL'],
    [[], 'SERVFAIL', 'DNS_FAILED', 'ESERVFAIL'],
    [[], [], 'DNS_FAILED', 'ENODATA'],
    ['silence', 'silence', 'DNS_TIMEOUT', 'ETIMEOUT'],
    ['silence', [], 'DNS_TIMEOUT', 'ETIMEOUT'],
  ])('with the responses %j and %j is not resolved: %s, %s', async (A, AAAA, code, detail) => {
    await expect(resolve(each(A, AAAA))).rejects.toMatchObject({ code, detail });
  });

  test('has no address when no DNS server responds', async () => {
    await expect(
      createDnsResolver(['127.0.0.1:9'], 200).resolve('receiver.test'),
    ).rejects.toMatchObject({
      detail: expect.stringMatching(/^(ECONNREFUSED|ETIMEOUT)$/),
    });
  });

  test('is queried without the search list of the system', async () => {
    const { address, questions } = await openDnsServer(() => 'NXDOMAIN');
    await expect(createDnsResolver([address], 200).resolve('receiver')).rejects.toThrow('receiver');
    expect(new Set(questions)).toEqual(new Set(['receiver A', 'receiver AAAA']));
  });

  test('does not wait for names whose servers hang, however many', async () => {
    const zone: Zone = (name) => (name.startsWith('hanging') ? 'silence' : ['192.0.2.1']);
    const { address } = await openDnsServer(zone);
    const resolver = createDnsResolver([address], 500);
    const ends: string[] = [];
    const hanging = Array.from({ length: 32 }, (_, number) =>
      resolver.resolve(`hanging-${number}.test`).catch(({ code }) => ends.push(code)),
    );
    await resolver.resolve('receiver.test');
    expect(ends).toEqual([]);
    await Promise.all(hanging);
    expect(ends).toEqual(Array(32).fill('DNS_TIMEOUT'));
  });

  test('is cancelled when the resolver is closed', async () => {
    const { address } = await openDnsServer(() => 'silence');
    const resolver = createDnsResolver([address], 60_000);
    const lookup = resolver.resolve('receiver.test');
    resolver.close();
    await expect(lookup).rejects.toMatchObject({ code: 'DNS_FAILED', detail: 'ECANCELLED' });
  });
});

/** How many lookups of the system are running in this process. */
function countLookups(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'GetAddrInfoReqWrap').length;
}

describe('a name resolved by the system', () => {
  test('has the addresses of the hosts file', async () => {
    const found = await systemResolver().resolve('localhost');
    expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]));
  });

  test('is looked up once for all attempts at the same time', async () => {
    const resolver = systemResolver();
    const before = countLookups();
    const lookups = Array.from({ length: 20 }, () => resolver.resolve('localhost'));
    expect(countLookups() - before).toBe(1);
    const [first, ...others] = await Promise.all(lookups);
    expect(first?.length).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
    expect(await resolver.resolve('localhost')).toEqual(first);
  });

  test('is not resolved if it is unknown', async () => {
    const lookup = systemResolver().resolve('no-such-host.invalid');
    await expect(lookup).rejects.toMatchObject({ code: 'DNS_FAILED' });
  });
});
