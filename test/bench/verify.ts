import { foremost } from './best-by-median';
import { type Figure, figureOf, type Goal, medianRatio } from './figure';
import { inWords } from './in-words';
import { type OwnProcess, startOwnProcess } from './own-process';
import { interleave } from './rounds';
import type { Stage } from './stage';
import type { VerifierName } from './verifiers';
import type { VerifyVerbs } from './verify-process';

/** Many short rounds: what slows the machine for a moment spoils few of them. */
const sizes = {
  usual: { rounds: 101, warmUp: 400, duration: 30 },
  quick: { rounds: 1, warmUp: 5, duration: 5 },
};
/** Bytes of a body: what the service sends, and a large one. */
const bodies = [300, 10_000];

/** All of them, by what they are called in the report. */
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
const everybody = Object.keys(names) as VerifierName[];
/** Those who sign the time too, and refuse what was sent long ago. */
const othersAgainstReplays: VerifierName[] = ['stripe', 'standardwebhooks', 'svix'];
const others: VerifierName[] = [...othersAgainstReplays, 'octokit'];

const nearlyRaw: Goal = { of: 'ratio', bound: 'at least', value: 0.95 };
const ahead: Goal = { of: 'ratio', bound: 'at least', value: 1 };

type Size = (typeof sizes)['usual'];

/** Times all verifiers in turn. Returns the verifications per second of each, round by round. */
async function time(
  { say }: Stage,
  worker: OwnProcess<VerifyVerbs>,
  bytes: number,
  { rounds, warmUp, duration }: Size,
): Promise<Record<VerifierName, number[]>> {
  say(`${inWords(bytes)} B: warming up`);
  // Twice: what one of them teaches the compiler makes it think anew about the others.
  for (const verifier of [...everybody, ...everybody]) {
    await worker.ask('verify', { verifier, bytes, duration: warmUp });
  }
  const sides = everybody.map((verifier) => {
    const ask = () => worker.ask('verify', { verifier, bytes, duration });
    return [verifier, ask] as const;
  });
  return interleave(
    rounds,
    Object.fromEntries(sides) as Record<VerifierName, () => Promise<number>>,
    (round) => say(`${inWords(bytes)} B: round ${round} of ${rounds}`),
  );
}

function figuresOf(bytes: number, rates: Record<VerifierName, number[]>): Figure[] {
  const size = `${inWords(bytes)} B`;
  const about = (verifier: VerifierName) => ({
    bench: 'verify',
    what: `${names[verifier]}, ${size}`,
    unit: '/s' as const,
    ours: rates[verifier],
  });

  function againstRaw(ours: VerifierName, raw: VerifierName, goal?: Goal): Figure {
    const baseline = { what: names[raw], values: rates[raw] };
    return figureOf({ ...about(ours), baseline, ...(goal && { goal }) });
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
    const { name, values } = foremost(contenders, 'highest');
    const ratios = contenders.map(
      (one) => `${one.name} ${medianRatio(one.values, rates.raw).toFixed(2)}x`,
    );
    return figureOf({
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
      kind: 'others that refuse replays',
      rivals: othersAgainstReplays,
      note: 'Ours makes two HMACs, of Service-Signature and of webhook-signature, and they make one.',
    }),
  ];
}

/**
 * How many deliveries a second are verified, by ours, by the least that can be written by hand, and by
 * other verifiers: all in one process, in turn.
 */
export async function verify(stage: Stage): Promise<Figure[]> {
  const size = stage.quick ? sizes.quick : sizes.usual;
  const file = new URL('./verify-process.ts', import.meta.url);
  const worker = startOwnProcess<VerifyVerbs>(stage.place, file);
  const figures: Figure[] = [];
  for (const bytes of bodies) {
    figures.push(...figuresOf(bytes, await time(stage, worker, bytes, size)));
  }
  await worker.stop();
  return figures;
}
