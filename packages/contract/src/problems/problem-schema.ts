import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { type ProblemCode, problemCodes, problemMediaType, problems } from './problem';

/** Schema of `Problem`. */
export const problemSchema = z
  .object({
    type: z.string().meta({ examples: ['urn:tradepost:problem:illegal_transition'] }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'What went wrong this time, and what to do.' }),
    code: z
      .enum(problemCodes)
      .meta({ id: 'ProblemCode', description: 'What kind of problem it is. Decide on this.' }),
    requestId: z.string(),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'What was wrong, field by field.' }),
  })
  .meta({ id: 'Problem', description: 'The body of every error answer (RFC 9457).' });

/** Codes that are answered with a status. */
export function codesOfStatus(status: number): ProblemCode[] {
  return problemCodes.filter((code) => problems[code].status === status);
}

const problemResponse = initContract().otherResponse({
  contentType: problemMediaType,
  body: problemSchema,
});

/** Answers that any endpoint may give, whatever was asked. */
export const commonProblems = {
  400: problemResponse,
  401: problemResponse,
  422: problemResponse,
  429: problemResponse,
  500: problemResponse,
  503: problemResponse,
} as const;

/** Adds the error answers of one endpoint to those that all have. */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  const own = Object.fromEntries(statuses.map((status) => [status, problemResponse]));
  return { ...commonProblems, ...own } as typeof commonProblems &
    Record<Status, typeof problemResponse>;
}
