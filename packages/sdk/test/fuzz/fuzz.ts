import fc from 'fast-check';
import { exampleSecret as secret } from '../../src/testing/index';
import {
  type VerifyWebhookSyncOptions,
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
  webhookReceiver,
} from '../../src/webhooks/index';
import { type AnyRequest, anyRequest, isSigned } from '../helpers/receiver/any-request';
import { inProcess } from '../helpers/receiver/in-process';
import { maxBytes, now } from '../helpers/receiver/limits';

/** The number of inputs that were accepted, and that were rejected with each code. */
export type Tally = Record<string, number>;

/** Inputs of one batch, which must fit into memory. */
const batch = 2_000;

const adapters = Object.entries(inProcess);

function createReceiver(diagnose: boolean) {
  return webhookReceiver({
    ...{ secret, maxBytes, diagnose },
    now: () => now,
    onUnhandled: () => undefined,
    onVerificationError: () => undefined,
  });
}

const receivers = [createReceiver(true), createReceiver(false)] as const;

/** Returns the code of a rejected request, or `accepted`. Any other error is a crash. */
async function getVerdict(verify: () => unknown): Promise<string> {
  try {
    await verify();
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

/** Runs work as in a runtime without Node's crypto. Not concurrently. */
async function onTheWeb<Result>(work: () => Promise<Result>): Promise<Result> {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => undefined) as typeof getBuiltinModule;
  try {
    return await work();
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
}

/**
 * Passes one input to both verifiers and one adapter, and compares them with the raw check. Every ninth
 * asynchronous verification uses WebCrypto, which is slower; over time it gets the inputs of all adapters,
 * with and without diagnosis.
 */
async function examine(request: AnyRequest, number: number): Promise<string> {
  const { headers, body: payload, method } = request;
  const diagnose = number % 2 === 0;
  const options: VerifyWebhookSyncOptions = { payload, headers, secret, maxBytes, now, diagnose };
  const verdict = await getVerdict(() => verifyWebhookSync(options));
  const isAccepted = verdict === 'accepted';
  if (isAccepted && !isSigned(request)) throw new Error('accepted what the raw check rejects');
  const later = () => getVerdict(() => verifyWebhook(options));
  const asynchronous = await (number % 9 === 0 ? onTheWeb(later) : later());
  if (asynchronous !== verdict) {
    throw new Error(`synchronously ${verdict}, asynchronously ${asynchronous}`);
  }
  const [name, send] = adapters[number % adapters.length] ?? [];
  const status = await send?.(receivers[diagnose ? 0 : 1], request);
  const expected =
    method !== 'POST' ? 405 : isAccepted ? 204 : verdict === 'BODY_TOO_LARGE' ? 413 : 400;
  // An adapter trusts a Content-Length that is too large, and reads nothing.
  const announcesMore = status === 413 && Number(headers['content-length']) > maxBytes;
  if (status !== expected && !announcesMore) {
    throw new Error(`${verdict} by the verifier, but status ${status} by the adapter for ${name}`);
  }
  return verdict;
}

/**
 * Passes random requests, from valid deliveries to noise, to the verifiers and the adapters: none may
 * crash, disagree, or accept what the raw check rejects.
 *
 * @param seed of the first batch; the next ones count up from it
 * @throws {Error} at the first input that breaks this, with the input.
 */
export async function fuzz(
  inputs: number,
  seed: number,
  say: (done: number) => void = () => undefined,
): Promise<Tally> {
  const tally: Tally = {};
  for (let done = 0; done < inputs; done += batch) {
    const numRuns = Math.min(batch, inputs - done);
    const requests = fc.sample(anyRequest, { numRuns, seed: seed + done / batch });
    for (const [at, request] of requests.entries()) {
      const verdict = await examine(request, done + at).catch((cause: unknown) => {
        const input = JSON.stringify({ ...request, body: request.body.toString('base64') });
        throw new Error(`Input ${done + at} of seed ${seed}: ${input}`, { cause });
      });
      tally[verdict] = (tally[verdict] ?? 0) + 1;
    }
    say(done + numRuns);
  }
  return tally;
}
