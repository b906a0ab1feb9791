import { serveParent } from './serve-parent';
import { type SignedDelivery, signedDelivery } from './signed-delivery';
import { asyncVerifiers, syncVerifiers, type VerifierName } from './verifiers';

/** What to verify repeatedly. */
export interface VerifyWork {
  verifier: VerifierName;
  /** The size of a body in bytes. */
  bytes: number;
  /** How long to run, in milliseconds. */
  duration: number;
}

const statuses = ['confirmed', 'fulfilling', 'completed', 'cancelled'];
/** Several deliveries in turn, so that nothing can be cached from one to the next. */
const deliveriesInTurn = 32;

/** Reads the event, so that creating it cannot be optimized away, and checks the result. */
function check(event: unknown, { status }: SignedDelivery): void {
  const { data } = event as { data: { status: string } };
  if (data.status !== status) throw new Error(`The event has ${data.status} instead of ${status}.`);
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

/** The same for promises. It is a separate function, since awaiting would slow down the other. */
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

const operations = {
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

/** The operations of this process. */
export type VerifyOperations = typeof operations;

serveParent(operations);
