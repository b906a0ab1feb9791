import { afterEach, describe, expect, test, vi } from 'vitest';
import { exampleSecret, signDelivery } from '../../src/testing/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { hosts } from '../helpers/receiver/hosts';
import { now } from '../helpers/receiver/limits';
import { anEvent, aRequest, send } from '../helpers/receiver/send';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A signed delivery on its way to a host. */
const signedWith = (secret: string) => signDelivery({ event: anEvent, secret, sentAt: now });

/** A delivery that has only `Service-Signature`, as a forger makes it who guesses a key. */
const forgedWith = (secret: string) =>
  signDelivery({ event: anEvent, secret, sentAt: now, standard: false });

describe('a receiver whose secret is a function', () => {
  test.each(hosts)('follows a rotation while it runs: $name', async ({ start }) => {
    let current = [exampleSecret];
    const { receiver, handled, rejected } = aReceiver({ secret: async () => current });
    const host = await start(receiver);
    try {
      const [byOld, byNew] = [await signedWith(exampleSecret), await signedWith(otherSecret)];
      const statuses: number[] = [];
      for (const secrets of [[exampleSecret], [otherSecret, exampleSecret], [otherSecret]]) {
        current = secrets;
        for (const delivery of [byOld, byNew]) statuses.push((await host.send(delivery)).status);
      }
      expect(statuses).toEqual([204, 400, 204, 204, 400, 204]);
      expect(handled).toHaveLength(4);
      expect(rejected).toHaveLength(2);
    } finally {
      await host.stop();
    }
  });

  test('calls it once for each delivery, and not for a request without a readable body', async () => {
    const secret = vi.fn(() => exampleSecret);
    const { receiver } = aReceiver({ secret });
    expect(secret).not.toHaveBeenCalled();
    await send(receiver);
    await send(receiver);
    expect(secret).toHaveBeenCalledTimes(2);
    await receiver.fetch(new Request('https://receiver.example/webhooks'));
    const read = await aRequest();
    await read.text();
    await receiver.fetch(read);
    expect(secret).toHaveBeenCalledTimes(2);
  });

  test('accepts the secrets of the option secrets too, after those of the function', async () => {
    const handler = vi.fn();
    const { receiver } = aReceiver({
      secret: () => otherSecret,
      secrets: [exampleSecret],
      on: { 'order.status_changed': handler },
    });
    expect((await send(receiver)).status).toBe(204);
    expect(handler.mock.lastCall?.[1].secretIndex).toBe(1);
  });

  test('accepts one text as the option secrets, as without a function', async () => {
    const secrets = exampleSecret as unknown as string[];
    const { receiver } = aReceiver({ secret: () => otherSecret, secrets });
    expect((await send(receiver)).status).toBe(204);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('the vault is sealed'))],
    [
      'throws at once',
      () => {
        throw new Error('the vault is sealed');
      },
    ],
  ])('responds with 503 when it %s, so that the service delivers again', async (_, fails) => {
    vi.stubEnv('NODE_ENV', 'production');
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const secret = vi.fn<() => string | Promise<string>>(() => exampleSecret);
    secret.mockImplementationOnce(fails);
    const { receiver, handled } = aReceiver({ secret, onVerificationError: undefined });
    expect(await send(receiver)).toMatchObject({ status: 503, body: 'SECRET_UNAVAILABLE' });
    expect(handled).toEqual([]);
    expect(log).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('SECRET_UNAVAILABLE: The function secret failed (the vault is'),
    );
    expect((await send(receiver)).status).toBe(204);
  });

  test.each([
    ['a symbol', Symbol('sealed'), 'Symbol(sealed)'],
    ['an object', Object.create(null), 'a value that is not an Error'],
    ['nothing', undefined, 'undefined'],
  ])('responds with 503 even if it throws %s', async (_, thrown, text) => {
    const onVerificationError = vi.fn();
    const { receiver } = aReceiver({ secret: () => Promise.reject(thrown), onVerificationError });
    expect(await send(receiver)).toMatchObject({ status: 503, body: 'SECRET_UNAVAILABLE' });
    expect(onVerificationError.mock.lastCall?.[0].message).toContain(`failed (${text})`);
  });

  test('responds with 503 before the service gives up, if it does not return', async () => {
    vi.useFakeTimers();
    try {
      let fails: (error: Error) => void = () => undefined;
      const onVerificationError = vi.fn();
      const secret = vi.fn(() => new Promise<string>((_, reject) => (fails = reject)));
      const { receiver, handled } = aReceiver({ secret, onVerificationError });
      const ended = vi.fn();
      const response = send(receiver).finally(ended);
      await vi.waitFor(() => expect(secret).toHaveBeenCalledOnce(), { interval: 1 });
      await vi.advanceTimersByTimeAsync(9_000);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await response).toMatchObject({ status: 503, body: 'SECRET_UNAVAILABLE' });
      expect(onVerificationError.mock.lastCall?.[0].message).toContain('within 10 s');
      expect(handled).toEqual([]);
      // Later, nobody waits for it, and an error does not end the process.
      fails(new Error('the vault is sealed'));
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaves no timer when it returns', async () => {
    vi.useFakeTimers();
    try {
      const { receiver } = aReceiver({ secret: async () => exampleSecret });
      expect((await send(receiver)).status).toBe(204);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('passes its error to onVerificationError as the cause', async () => {
    const cause = new Error('the vault is sealed');
    const onVerificationError = vi.fn();
    const { receiver } = aReceiver({ secret: () => Promise.reject(cause), onVerificationError });
    await send(receiver);
    expect(onVerificationError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'SECRET_UNAVAILABLE', cause }),
    );
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a blank text', ' \n'],
    ['an empty list', []],
    ['a list with an empty text', [exampleSecret, '']],
    ['a number', 5],
    ['another function', () => exampleSecret],
    ['an API key', 'tpk_0123456789abcdef'],
    ['the text undefined', 'undefined'],
    ['the prefix of a secret', 'whsec_'],
    ['quotes around it', `"${exampleSecret}"`],
  ])('never verifies with %s: it responds with 500 and logs what to do', async (_, returned) => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const { receiver, handled } = aReceiver({
      secret: () => returned as string,
      onVerificationError: undefined,
    });
    for (const secret of [exampleSecret, 'undefined', '5', 'whsec_']) {
      const forged = (await forgedWith(secret)).toRequest('https://receiver.example/webhooks');
      const response = await receiver.fetch(forged);
      expect(response.status).toBe(500);
      expect(await response.text()).toBe('INVALID_CONFIGURATION');
    }
    expect(handled).toEqual([]);
    expect(log).toHaveBeenLastCalledWith(
      expect.stringMatching(
        /what the function secret returned is not valid: secret (is|has) .+: (pass|remove)/,
      ),
    );
  });

  test('still checks the option secrets when it is created', () => {
    expect(() => aReceiver({ secret: () => exampleSecret, secrets: [''] })).toThrow(
      'secret is missing or empty',
    );
    const wrong = 5 as unknown as string[];
    expect(() => aReceiver({ secret: () => exampleSecret, secrets: wrong })).toThrow('secret is');
    expect(() => aReceiver({ secret: () => exampleSecret, secrets: [] })).not.toThrow();
  });
});
