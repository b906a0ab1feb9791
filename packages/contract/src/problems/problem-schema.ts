import * as z from 'zod';
import { type ProblemCode, problemCodes, problems } from './problem';

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
