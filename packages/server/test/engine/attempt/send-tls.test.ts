import { writeFileSync } from 'node:fs';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { describe, expect, test, vi } from 'vitest';
import { Child } from '../../helpers/child';
import { Receiver, respond } from '../../helpers/receiver';
import { type Certificate, selfSignedCertificate } from '../../helpers/self-signed-certificate';
import { tempFile } from '../../helpers/temp-folder';
import { names, openDnsServer } from './dns-server';
import { localStrictPolicy, openSender } from './sender-harness';

/** Makes an attempt for each URL in a process that trusts these certificates as the operator's own authorities. */
async function sendTrusting(certificates: Certificate[], urls: string[]): Promise<unknown[]> {
  const { address } = await openDnsServer(
    names({ 'receiver.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] }),
  );
  const file = tempFile();
  writeFileSync(file, certificates.map(({ cert }) => cert).join(''));
  // Node reads it only when a process starts.
  vi.stubEnv('NODE_EXTRA_CA_CERTS', file);
  const child = new Child(new URL('./send-process.ts', import.meta.url), address, ...urls);
  vi.unstubAllEnvs();
  const outcomes: unknown[] = [];
  for (const _ of urls) outcomes.push(JSON.parse(await child.readLine()));
  return outcomes;
}

describe('with TLS', () => {
  test('an untrusted certificate is rejected, and nothing is sent', async () => {
    const receiver = await Receiver.open(respond(200), selfSignedCertificate());
    const sender = openSender(localStrictPolicy);
    const attempt = await sender.send(aLeasedDelivery({ url: receiver.origin }));
    expect(attempt).toMatchObject({
      status: null,
      error: 'tls_failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(receiver.count).toBe(0);
  });

  test('an untrusted certificate is accepted if the operator allows it', async () => {
    const receiver = await Receiver.open(respond(200), selfSignedCertificate());
    const attempt = await openSender().send(aLeasedDelivery({ url: receiver.origin }));
    expect(attempt).toMatchObject({ status: 200, error: null });
  });

  test('a certificate of an authority that the operator trusts is accepted for its host, until it expires', async () => {
    const good = selfSignedCertificate({ host: 'receiver.test' });
    const expired = selfSignedCertificate({ host: 'receiver.test', expired: true });
    const receivers = [
      await Receiver.open(respond(200), good),
      await Receiver.open(respond(200), expired),
    ];
    const [port = '', expiredPort = ''] = receivers.map(({ origin }) => new URL(origin).port);
    const attempts = await sendTrusting(
      [good, expired],
      [
        `https://receiver.test:${port}/`,
        `https://other.test:${port}/`,
        `https://127.0.0.1:${port}/`,
        `https://receiver.test:${expiredPort}/`,
      ],
    );
    expect(attempts).toEqual([
      { status: 200, error: null },
      { status: null, error: 'tls_failed (ERR_TLS_CERT_ALTNAME_INVALID)' },
      { status: null, error: 'tls_failed (ERR_TLS_CERT_ALTNAME_INVALID)' },
      { status: null, error: 'tls_failed (CERT_HAS_EXPIRED)' },
    ]);
    expect(receivers.map(({ count }) => count)).toEqual([1, 0]);
  }, 20_000);

  test('a receiver that uses plain http where TLS is expected causes an attempt error', async () => {
    const receiver = await Receiver.open(respond(200));
    const url = receiver.origin.replace('http:', 'https:');
    const attempt = await openSender().send(aLeasedDelivery({ url }));
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/^tls_failed/) });
  });

  test('a receiver that uses TLS where plain http is expected causes an attempt error', async () => {
    const receiver = await Receiver.open(respond(200), selfSignedCertificate());
    const url = receiver.origin.replace('https:', 'http:');
    const attempt = await openSender().send(aLeasedDelivery({ url }));
    expect(attempt).toMatchObject({
      status: null,
      error: expect.stringMatching(/^(malformed_response|connection_reset)$/),
    });
  });
});
