import { describe, expect, test } from 'vitest';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';
import { answer, Receiver } from '../receiver';
import { selfSignedCertificate } from '../self-signed-certificate';
import { openSender } from './sender-rig';

describe('TLS', () => {
  test('a certificate that nobody vouches for is refused, and nothing is sent', async () => {
    const receiver = await Receiver.open(answer(200), selfSignedCertificate());
    const policy = { ...strictWebhookPolicy, publicAddressesOnly: false };
    const attempt = await openSender(policy).send(aClaimedDelivery({ url: receiver.origin }));
    expect(attempt).toMatchObject({
      status: null,
      error: 'tls_failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(receiver.count).toBe(0);
  });

  test('it is taken where the operator allows it', async () => {
    const receiver = await Receiver.open(answer(200), selfSignedCertificate());
    const attempt = await openSender().send(aClaimedDelivery({ url: receiver.origin }));
    expect(attempt).toMatchObject({ status: 200, error: null });
  });

  test('a receiver that speaks plain http where TLS is expected is an outcome', async () => {
    const receiver = await Receiver.open(answer(200));
    const url = receiver.origin.replace('http:', 'https:');
    const attempt = await openSender().send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/^tls_failed/) });
  });
});

describe('the strict policy', () => {
  test('does not connect to a name that resolves to this machine', async () => {
    const receiver = await Receiver.open(answer(200));
    const url = receiver.origin.replace('127.0.0.1', 'localhost');
    const attempt = await openSender(strictWebhookPolicy).send(aClaimedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: 'forbidden_address' });
    expect(receiver.count).toBe(0);
  });

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]'])(
    'does not connect to %s, however that came into the store',
    async (host) => {
      const receiver = await Receiver.open(answer(200));
      for (const scheme of ['http', 'https']) {
        const url = receiver.origin.replace('http', scheme).replace('127.0.0.1', host);
        const attempt = await openSender(strictWebhookPolicy).send(aClaimedDelivery({ url }));
        expect(attempt, url).toMatchObject({ status: null, error: 'forbidden_address' });
      }
      expect(receiver.count).toBe(0);
    },
  );

  test('the insecure policy reaches the same name', async () => {
    const receiver = await Receiver.open(answer(200));
    const url = receiver.origin.replace('127.0.0.1', 'localhost');
    expect(await openSender().send(aClaimedDelivery({ url }))).toMatchObject({ status: 200 });
  });
});
