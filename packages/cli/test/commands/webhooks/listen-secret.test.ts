import { exampleSecret } from '@tradepost/sdk/testing';
import { verifyDelivery } from '@tradepost/sdk/webhooks';
import { expect, it } from 'vitest';
import { deriveSecret } from '../../../src/commands/webhooks/listen/listen-secret';
import { fromTheStart, stage } from '../../helpers/event-service';

const receiver = {
  service: 'https://trade.example',
  account: 'usr_1',
  forwardTo: 'http://127.0.0.1:3000/',
};

it('a receiver has one secret, and each service, account, receiver and key another one', () => {
  const first = deriveSecret('tpk_1', receiver);
  expect(first).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(deriveSecret('tpk_1', { ...receiver })).toBe(first);
  const all = [
    first,
    deriveSecret('tpk_2', receiver),
    deriveSecret('tpk_1', { ...receiver, service: 'https://other.example' }),
    deriveSecret('tpk_1', { ...receiver, account: 'usr_2' }),
    deriveSecret('tpk_1', { ...receiver, forwardTo: 'http://127.0.0.1:3001/' }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

it('webhooks listen signs with that secret, and prints it', async () => {
  const { service, receiver, argv, secretFile } = await stage();
  async function run(...more: string[]) {
    const interrupt = new AbortController();
    service.onEnd = () => interrupt.abort();
    receiver.arrivals.length = 0;
    const result = await service.bare.cli(
      ['webhooks', 'listen', ...argv, ...fromTheStart, ...more],
      { signal: interrupt.signal },
    );
    const { body = '', headers = {} } = receiver.arrivals[0] ?? {};
    const [said = ''] = /Signing .*/.exec(result.stderr) ?? [];
    const [secret = exampleSecret] = /whsec_\S+/.exec(said) ?? [];
    await expect(verifyDelivery({ payload: body, headers, secret })).resolves.toBeTruthy();
    return said;
  }
  const first = await run();
  expect(first).toMatch(
    /^Signing with the secret of this receiver and API key\. Set it in .*whsec_/,
  );
  expect(await run()).toBe(first);
  expect(await run('--secret-file', secretFile)).toBe(`Signing with the secret in ${secretFile}.`);
});
