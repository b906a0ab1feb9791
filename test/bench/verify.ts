import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import { createFigure, type Figure, type Goal, medianRatio } from './figure';
import { findBest } from './quantiles';
import { formatCount } from './report';
import { interleave } from './rounds';
import type { VerifierName } from './verifiers';
import type { VerifyOperations } from './verify-process';

/** Many short rounds, so that a short slow phase of the machine affects few of them. */
const sizes = {
  usual: { rounds: 101, warmUp: 400, duration: 30 },
  quick: { rounds: 1, warmUp: 5, duration: 5 },
};
/** Sizes of a body in bytes: what the service sends, and a large one. */
const bodies = [300, 10_000];

/** The names of all verifiers in the report. */
const names: Record<VerifierName, string> = {
  raw: 'createHmac + timingSafeEqual + JSON.parse',
  rawBoth: 'both HMACs, the timestamp and JSON.parse by hand',
  oursBySignature: 'verifyWebhookSync, signature',
  oursByHeaders: 'verifyWebhookSync, headers',
  oursBoth: 'verifyWebhookSync, all headers and requireTimestamp',
  oursAwaited: 'await verifyWebhook, headers',
  stripe: 'stripe',
  standardwebhooks: 'standardwebhooks',
  svix: 'svix',
  octokit: '@octokit/webhooks-methods',
};
const allVerifiers = Object.keys(names) as VerifierName[];
/** Those that sign the timestamp too, and reject old deliveries. */
const othersAgainstReplays: VerifierName[] = ['stripe', 'standardwebhooks', 'svix'];
const others: VerifierName[] = [...othersAgainstReplays, 'octokit'];

const nearlyRaw: Goal = { of: 'ratio', bound: 'at least', value: 0.95 };
const ahead: Goal = { of: 'ratio', bound: 'at least', value: 1 };

type Size = (typeof sizes)['usual'];

/** Times all verifiers in turn. Returns the verifications per second of each, round by round. */
async function time(
  { log }: BenchContext,
  worker: BenchProcess<VerifyOperations>,
  bytes: number,
  { rounds, warmUp, duration }: Size,
): Promise<Record<VerifierName, number[]>> {
  log(`${formatCount(bytes)} B: warming up`);
  // Twice: each verifier may cause the compiler to optimize the others again.
  for (const verifier of [...allVerifiers, ...allVerifiers]) {
    await worker.call('verify', { verifier, bytes, duration: warmUp });
  }
  const sides = allVerifiers.map((verifier) => {
    const ask = () => worker.call('verify', { verifier, bytes, duration });
    return [verifier, ask] as const;
  });
  return interleave(
    rounds,
    Object.fromEntries(sides) as Record<VerifierName, () => Promise<number>>,
    log,
    `${formatCount(bytes)} B`,
  );
}

function createFigures(bytes: number, rates: Record<VerifierName, number[]>): Figure[] {
  const size = `${formatCount(bytes)} B`;
  const about = (verifier: VerifierName) => ({
    bench: 'verify',
    what: `${names[verifier]}, ${size}`,
    unit: '/s' as const,
    ours: rates[verifier],
  });

  function againstRaw(ours: VerifierName, raw: VerifierName, goal?: Goal): Figure {
    const baseline = { what: names[raw], values: rates[raw] };
    return createFigure({ ...about(ours), baseline, ...(goal && { goal }) });
  }

  function againstOthers(
    ours: VerifierName,
    {
      kind,
      rivals,
      note,
      goal,
    }: { kind: string; rivals: VerifierName[]; note: string; goal?: Goal },
  ): Figure {
    const contenders = rivals.map((rival) => ({ name: names[rival], values: rates[rival] }));
    const { name, values } = findBest(contenders, 'highest');
    const ratios = contenders.map(
      (one) => `${one.name} ${medianRatio(one.values, rates.raw).toFixed(2)}x`,
    );
    return createFigure({
      ...about(ours),
      what: `${about(ours).what}, against ${kind}`,
      baseline: { what: `${name}, the fastest of them`, values },
      ...(goal && { goal }),
      notes: [`${note} Of ${names.raw}: ${ratios.join(', ')}.`],
    });
  }

  return [
    againstRaw('oursBySignature', 'raw', nearlyRaw),
    againstRaw('oursByHeaders', 'raw'),
    againstRaw('oursAwaited', 'raw'),
    againstRaw('oursBoth', 'rawBoth', nearlyRaw),
    againstOthers('oursBySignature', {
      kind: 'others',
      rivals: others,
      note: 'Each verifies its own scheme.',
      goal: ahead,
    }),
    againstOthers('oursBoth', {
      kind: 'others that reject replays',
      rivals: othersAgainstReplays,
      note: 'Ours makes two HMACs, of Service-Signature and of webhook-signature, and they make one.',
      // Of a large body, the second HMAC takes most of the time.
      ...(bytes < 1_000 && { goal: ahead }),
    }),
  ];
}

/**
 * Measures how many deliveries per second the SDK verifies, against the minimum that can be written by hand and
 * against other verifiers. All run in one process, in turn.
 */
export async function verify(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  const file = new URL('./verify-process.ts', import.meta.url);
  const worker = startBenchProcess<VerifyOperations>(context.environment, file);
  const figures: Figure[] = [];
  for (const bytes of bodies) {
    figures.push(...createFigures(bytes, await time(context, worker, bytes, size)));
  }
  await worker.stop();
  return figures;
}
