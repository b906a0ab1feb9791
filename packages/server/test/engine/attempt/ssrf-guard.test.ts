import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import {
  insecureWebhookPolicy,
  strictWebhookPolicy,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import { describe, expect, test } from 'vitest';
import { Receiver, respond } from '../../helpers/receiver';
import { names, type Zone } from './dns-server';
import { localStrictPolicy, openSender, openSenderWithDns } from './sender-harness';

/** Rejects private addresses and nothing else: test receivers have arbitrary ports and no certificate. */
const publicOnly: WebhookPolicy = { ...insecureWebhookPolicy, publicAddressesOnly: true };

/** An address in the public range that is not assigned: no host has it. */
const unassignedAddress = '3000::1';

async function sendByName(zone: Zone, policy: WebhookPolicy) {
  const receiver = await Receiver.open(respond(200));
  const { sender, questions } = await openSenderWithDns(zone, policy, 2_000);
  const url = receiver.origin.replace('127.0.0.1', 'receiver.test');
  const attempt = await sender.send(aLeasedDelivery({ url }));
  return { attempt, receiver, sender, questions, url };
}

describe('the strict policy', () => {
  test.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'receiver.localhost.',
  ])('does not connect to %s, even if the store has it', async (host) => {
    const receiver = await Receiver.open(respond(200));
    for (const scheme of ['http', 'https']) {
      const url = receiver.origin.replace('http', scheme).replace('127.0.0.1', host);
      const attempt = await openSender(strictWebhookPolicy).send(aLeasedDelivery({ url }));
      expect(attempt, url).toMatchObject({ status: null, error: 'forbidden_address' });
    }
    expect(receiver.count).toBe(0);
  });

  test('does not use plain http, even if the URL was registered under another policy', async () => {
    const receiver = await Receiver.open(respond(200));
    const sender = openSender(localStrictPolicy);
    const attempt = await sender.send(aLeasedDelivery({ url: receiver.origin }));
    expect(attempt).toMatchObject({ status: null, error: 'forbidden_scheme' });
    expect(receiver.count).toBe(0);
  });

  test.each([1, 22, 25, 80, 444, 1023, 2049, 5432, 6379, 11211])(
    'does not connect to port %i',
    async (port) => {
      const url = `https://127.0.0.1:${port}/`;
      const attempt = await openSender(localStrictPolicy).send(aLeasedDelivery({ url }));
      expect(attempt).toMatchObject({ status: null, error: 'forbidden_port' });
    },
  );

  test('does not query DNS for a forbidden destination', async () => {
    const { sender, questions } = await openSenderWithDns(names({}), strictWebhookPolicy);
    for (const url of ['http://receiver.test/', 'https://receiver.test:22/', 'https://a.local/']) {
      const { error } = await sender.send(aLeasedDelivery({ url }));
      expect(error).toMatch(/^forbidden_(scheme|port|address)$/);
    }
    expect(questions).toEqual([]);
  });
});

describe('a host name', () => {
  test.each([
    ['a private address', ['10.0.0.1']],
    ['this machine', ['127.0.0.1']],
    ['public addresses and a private one', ['1.1.1.1', '8.8.8.8', '192.168.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
  ])('that resolves to %s is rejected', async (_where, addresses) => {
    const { attempt, receiver } = await sendByName(
      names({ 'receiver.test': addresses }),
      publicOnly,
    );
    expect(attempt).toMatchObject({ status: null, error: 'forbidden_address' });
    expect(receiver.count).toBe(0);
  });

  test.each(['::1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::a00:1'])(
    'that has a public IPv4 address and the IPv6 address %s is rejected',
    async (hidden) => {
      const zone: Zone = (_name, family) => (family === 'A' ? ['8.8.8.8'] : [hidden]);
      const { attempt } = await sendByName(zone, publicOnly);
      expect(attempt).toMatchObject({ status: null, error: 'forbidden_address' });
    },
  );

  test('that is public during the check and private right after is not reached at the private address', async () => {
    const queries = new Map<string, number>();
    const rebinding: Zone = (_name, family) => {
      const count = (queries.get(family) ?? 0) + 1;
      queries.set(family, count);
      if (count > 1) return family === 'A' ? ['127.0.0.1'] : ['::1'];
      return family === 'A' ? [] : [unassignedAddress];
    };
    const { attempt, receiver, sender, questions, url } = await sendByName(rebinding, publicOnly);
    expect(attempt.error).toMatch(/^(unreachable|timeout|connect_timeout)$/);
    expect(questions.sort()).toEqual(['receiver.test A', 'receiver.test AAAA']);
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({
      error: 'forbidden_address',
    });
    expect(receiver.count).toBe(0);
  });

  test('is resolved once for a connection, which uses the resolved address', async () => {
    const zone = names({ 'receiver.test': ['127.0.0.1'] });
    const { attempt, receiver, sender, questions, url } = await sendByName(
      zone,
      insecureWebhookPolicy,
    );
    expect(attempt).toMatchObject({ status: 200 });
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
    expect(questions.sort()).toEqual(['receiver.test A', 'receiver.test AAAA']);
    expect((await receiver.next()).headers.host).toBe(new URL(url).host);
  });

  test('whose DNS servers hang does not delay others, even if there are eight of them', async () => {
    const zone: Zone = (name, family) => {
      if (name.startsWith('hanging')) return 'silence';
      return family === 'A' ? ['127.0.0.1'] : [];
    };
    const receiver = await Receiver.open(respond(200));
    const { sender } = await openSenderWithDns(zone, insecureWebhookPolicy);
    const errors: (string | null)[] = [];
    const hanging = Array.from({ length: 8 }, async (_, number) => {
      const url = `http://hanging-${number}.test/`;
      errors.push((await sender.send(aLeasedDelivery({ url }))).error);
    });
    for (const host of ['receiver.test', '127.0.0.1', 'another.test']) {
      const url = receiver.origin.replace('127.0.0.1', host);
      expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
    }
    expect(errors).toEqual([]);
    await Promise.all(hanging);
    expect(errors).toEqual(Array(8).fill('dns_timeout'));
  });
});

describe('the insecure policy', () => {
  test('connects to this machine by a name of the system', async () => {
    const receiver = await Receiver.open(respond(200));
    const url = receiver.origin.replace('127.0.0.1', 'localhost');
    expect(await openSender().send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
  });
});
