import { answerParent } from './answer-parent';
import { type SignedDelivery, signedDelivery } from './signed-delivery';
import { asyncVerifiers, syncVerifiers, type VerifierName } from './verifiers';

/** What is to be verified over and over. */
export interface VerifyWork {
  verifier: VerifierName;
  /** Bytes of a body. */
  bytes: number;
  /** Milliseconds to go on for. */
  duration: number;
}

const statuses = ['confirmed', 'fulfilling', 'completed', 'cancelled'];
/** Several deliveries in turn, so that nothing of one can be kept for the next. */
const deliveriesInTurn = 32;

/** Looks into the event, so that it cannot be left unmade, and holds the verifier to its result. */
function check(event: unknown, { status }: SignedDelivery): void {
  const { data } = event as { data: { status: string } };
  if (data.status !== status) throw new Error(`It says ${data.status} instead of ${status}.`);
}

function verifyAll(
  verify: (delivery: SignedDelivery) => unknown,
  deliveries: readonly SignedDelivery[],
  until: number,
): number {
  let verified = 0;
  do {
    for (const delivery of deliveries) check(verify(delivery), delivery);
    verified += deliveries.length;
  } while (performance.now() < until);
  return verified;
}

/** The same with a wait for each. Apart from the other, whom waiting would slow down. */
async function verifyAllAwaited(
  verify: (delivery: SignedDelivery) => Promise<unknown>,
  deliveries: readonly SignedDelivery[],
  until: number,
): Promise<number> {
  let verified = 0;
  do {
    for (const delivery of deliveries) check(await verify(delivery), delivery);
    verified += deliveries.length;
  } while (performance.now() < until);
  return verified;
}

const isAsync = (name: VerifierName): name is keyof typeof asyncVerifiers => name in asyncVerifiers;

const verbs = {
  /** Returns how many deliveries were verified per second. */
  async verify({ verifier, bytes, duration }: VerifyWork): Promise<number> {
    const seconds = Math.floor(Date.now() / 1000);
    const deliveries = Array.from({ length: deliveriesInTurn }, (_, index) =>
      signedDelivery(statuses[index % statuses.length] ?? '', bytes, seconds),
    );
    const from = performance.now();
    const until = from + duration;
    const verified = isAsync(verifier)
      ? await verifyAllAwaited(asyncVerifiers[verifier], deliveries, until)
      : verifyAll(syncVerifiers[verifier], deliveries, until);
    return (verified / (performance.now() - from)) * 1000;
  },
};

/** What can be asked of it. */
export type VerifyVerbs = typeof verbs;

answerParent(verbs);
