import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';
import * as z from 'zod';

/**
 * The texts of a verdict in all formats.
 *
 * @param label After a count: "3 failed".
 * @param outcome For formats that know only tests; `note` passes, with a note. A skipped check has no evidence.
 */
const say = (
  label: string,
  outcome: 'fail' | 'pass' | 'note' | 'skip',
  color: 'red' | 'green' | 'yellow' | 'dim',
  meaning: string,
) => ({ label, outcome, color, meaning });

/** The verdicts in the order of reports: what needs work first. */
export const verdictTexts = {
  fail: say('failed', 'fail', 'red', 'The service differs from its API specification.'),
  blocked: say('blocked', 'skip', 'yellow', 'Not judged: another check prevents it.'),
  inconclusive: say('inconclusive', 'skip', 'yellow', 'Not judged: too little was observed.'),
  advice: say('advice', 'note', 'yellow', 'Worth a look. Advice never fails a run.'),
  waived: say('waived', 'note', 'yellow', 'Failed, and the profile says why that is accepted.'),
  'not run': say('not run', 'skip', 'yellow', 'Left out by the options, or not reached.'),
  'n/a': say('not applicable', 'skip', 'dim', 'Not offered by the service, or not declared.'),
  pass: say('passed', 'pass', 'green', 'The service does what its API specification says.'),
};

export type Verdict = keyof typeof verdictTexts;
export const verdicts = Object.keys(verdictTexts) as Verdict[];
export const levels = ['core', 'extensions'] as const;

const time = z.iso.datetime();
const headers = z.array(z.tuple([z.string(), z.string()]));

const bodySchema = z
  .object({
    bytes: z.int().nonnegative(),
    text: z.string().nullable().describe('Null if it is not valid UTF-8.'),
    base64: z.string(),
  })
  .describe('A body, byte for byte.');
const body = bodySchema.nullable();

const exchangeSchema = z
  .object({
    direction: z.enum(['to service', 'to receiver']),
    at: time,
    milliseconds: z.number().nonnegative(),
    request: z.object({ method: z.string(), url: z.string(), headers, body }),
    response: z
      .object({ status: z.int(), headers, body })
      .nullable()
      .describe('Null if there was none; then `error` says why.'),
    error: z.string().nullable(),
    curl: z
      .string()
      .nullable()
      .describe('Sends the request again; keys are variables. Null for deliveries.'),
  })
  .describe('A request, of the kit or of the service, with its response. Secrets are replaced.');

const evidenceSchema = z.object({
  title: z.string().describe('What it shows: "POST /v1/orders with a seller\'s key".'),
  exchanges: z.array(exchangeSchema),
  timeline: z
    .array(z.object({ at: time, text: z.string() }))
    .describe('What happened around it, oldest first.'),
});

const classMeaning =
  'Stated: the API specification says it. Derived: it follows from two of its sentences, or from the meaning of a name; a profile may waive it. Advice: never fails.';

const verdictMeaning =
  'Blocked: another check prevents it. Waived: failed, and the profile says why that is accepted. Advice: what a check of that class found. Not run: left out by the options, or not reached.';

const checkDescriptionSchema = z.object({
  id: z.string().describe('`AUTH-1`: the family and a number.'),
  level: z.enum(levels),
  class: z.enum(['stated', 'derived', 'advice']).describe(classMeaning),
  title: z.string().describe('What a right service does: "Refuses requests without a key".'),
  source: z
    .object({ sentence: z.string(), section: z.string() })
    .nullable()
    .describe('What it is judged by in the specification. Null for advice and extensions.'),
  method: z.string().describe('What the check does, and what fails.'),
});

const checkResultSchema = checkDescriptionSchema.extend({
  verdict: z.enum(verdicts).describe(verdictMeaning),
  reason: z.string().nullable().describe('What was observed and expected. Null for a pass.'),
  blockedBy: z.string().nullable().describe('The ID of the check that prevents this one.'),
  waiver: z.string().nullable().describe('The reason that the profile gives for the waiver.'),
  judged: z.int().nonnegative().describe('How many responses, orders or deliveries were judged.'),
  evidence: z.array(evidenceSchema).describe('What shows a failure or advice, else empty.'),
});

/** The shape of a report. `schemas/report.json` and the types below are made from it. */
export const reportSchema = z
  .object({
    version: z.literal(1).describe('The version of this shape.'),
    kit: z.object({ name: z.literal('@tradepost/conformance'), version: z.string() }),
    api: z.literal('v1').describe('The version in the paths of the API that was checked.'),
    startedAt: time,
    finishedAt: time,
    mode: z.enum(['quick', 'default', 'long']).describe('How long retries were observed.'),
    target: z.object({ baseUrl: z.string(), receiver: z.string() }),
    profile: z.unknown().describe('The profile as it was read, with keys and secrets replaced.'),
    extensions: z
      .array(z.string())
      .describe('Named by the service or declared in the profile; a run of `core` checks none.'),
    checks: z.array(checkResultSchema),
    interrupted: z.string().nullable().describe('Why not all checks were reached; else null.'),
    left: z.array(z.string()).describe('What the run left at the service, a line each.'),
    exitCode: z.literal([0, 1, 2]).describe('0: passed. 1: a check failed. 2: not judged.'),
    conclusion: z.string().describe('Why it exits so, in one sentence.'),
  })
  .meta({ title: 'Conformance report', description: 'What a run of the kit found.' });

/** What a run found. Texts from the service may contain anything: hidden characters, markup, a megabyte. */
export type Report = z.infer<typeof reportSchema>;
/** `quick`, `default` or `long`: how long retries were observed. */
export type Mode = Report['mode'];
export type Level = (typeof levels)[number];
export type CheckClass = CheckDescription['class'];
/** A check, without a result. */
export type CheckDescription = z.infer<typeof checkDescriptionSchema>;
export type CheckResult = z.infer<typeof checkResultSchema>;
/** What shows a failure: exchanges, and what happened around them. */
export type Evidence = z.infer<typeof evidenceSchema>;
/** A request with its response. */
export type Exchange = z.infer<typeof exchangeSchema>;
/** A body, byte for byte. */
export type Body = z.infer<typeof bodySchema>;

/** Writes a report by `schemas/report.json`. Hidden characters are escaped, so that a terminal shows them. */
export function formatJson(report: Report): string {
  return `${escapeHiddenCharacters(JSON.stringify(report, null, 2), '\n')}\n`;
}
