import fc from 'fast-check';
import { exampleSecret as secret } from '../../src/testing/index';
import {
  type VerifyWebhookSyncOptions,
  verifyWebhook,
  verifyWebhookSync,
  WebhookVerificationError,
  webhookReceiver,
} from '../../src/webhooks/index';
import { type AnyRequest, anyRequest, isSigned } from '../receiver/support/any-request';
import { inProcess } from '../receiver/support/in-process';
import { maxBytes, now } from '../receiver/support/limits';

/** What came of the inputs: how many were accepted, and refused with which code. */
export type Tally = Record<string, number>;

/** Inputs that are made at once: they must all fit into memory. */
const batch = 2_000;

const adapters = Object.entries(inProcess);

function receiverOf(diagnose: boolean) {
  return webhookReceiver({
    ...{ secret, maxBytes, diagnose },
    now: () => now,
    on: {},
    onUnknown: 'ignore',
    onRefused: () => undefined,
  });
}

const receivers = [receiverOf(true), receiverOf(false)] as const;

/** The code that a request is refused with; `accepted` when it is not. Anything else is a crash. */
async function verdictOf(verify: () => unknown): Promise<string> {
  try {
    await verify();
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}

/** Lets something be done as in a runtime that has WebCrypto alone. One at a time. */
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
 * Gives one input to both verifiers and one adapter, and holds them to the raw check. Every ninth
 * verification by promise asks WebCrypto, which takes longer: so it meets all adapters' inputs, with
 * a diagnosis and without.
 */
async function examine(request: AnyRequest, number: number): Promise<string> {
  const { headers, body: payload, method } = request;
  const diagnose = number % 2 === 0;
  const options: VerifyWebhookSyncOptions = { payload, headers, secret, maxBytes, now, diagnose };
  const verdict = await verdictOf(() => verifyWebhookSync(options));
  const isAccepted = verdict === 'accepted';
  if (isAccepted && !isSigned(request)) throw new Error('accepted what the raw check refuses');
  const later = () => verdictOf(() => verifyWebhook(options));
  const asynchronous = await (number % 9 === 0 ? onTheWeb(later) : later());
  if (asynchronous !== verdict) {
    throw new Error(`refused as ${verdict} at once, and as ${asynchronous} by promise`);
  }
  const [name, send] = adapters[number % adapters.length] ?? [];
  const status = await send?.(receivers[diagnose ? 0 : 1], request);
  const expected =
    method !== 'POST' ? 405 : isAccepted ? 204 : verdict === 'BODY_TOO_LARGE' ? 413 : 400;
  // An adapter believes a header that says more than there is, and reads nothing.
  const announcesMore = status === 413 && Number(headers['content-length']) > maxBytes;
  if (status !== expected && !announcesMore) {
    throw new Error(`${verdict} by the verifier, answered ${status} by the adapter for ${name}`);
  }
  return verdict;
}

/**
 * Gives random requests, between a right delivery and noise, to the verifiers and the adapters:
 * none may crash, disagree, or accept what the raw check refuses.
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
