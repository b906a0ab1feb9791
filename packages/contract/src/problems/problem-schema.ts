import * as z from 'zod';
import { mayGrow } from '../http/message-schemas';
import { type ProblemCode, problemCodes, problems } from './problem';

/** Schema of `ProblemIssue`: `ProblemError` in the OpenAPI document, after the field `errors`. */
const problemErrorSchema = z
  .object({
    path: z.string().meta({
      description:
        'Path of the field in the body, or name of the parameter or header; `""` for an empty name. Empty: the body itself.',
      examples: ['events.0'],
    }),
    message: z.string().meta({
      description: 'What is wrong, and what is expected.',
      examples: ['must be at least 1'],
    }),
  })
  .meta({ id: 'ProblemError', description: 'One invalid part of a request.' });

/** Schema of `Problem`. */
export const problemSchema = z
  .object({
    type: z.string().meta({
      description: 'Type of the problem: a URN that ends in the code.',
      examples: ['urn:tradepost:problem:invalid_transition'],
    }),
    title: z.string().meta({ description: 'Name of the problem: the same for each code.' }),
    status: z.int().min(400).max(599).meta({ description: 'HTTP status of the response.' }),
    detail: z.string().meta({ description: 'What failed in this request, and what to do.' }),
    code: z.enum(problemCodes).meta({
      id: 'ProblemCode',
      description: `The problem code. Branch on this, not on texts. ${mayGrow}`,
    }),
    requestId: z
      .string()
      .meta({ description: 'ID of the request: the same as the header `X-Request-Id`.' }),
    errors: z
      .array(problemErrorSchema)
      .exactOptional()
      .meta({ description: 'The invalid fields, if the request failed validation.' }),
  })
  .meta({ id: 'Problem', description: 'The body of every error response (RFC 9457).' });

/** Lists the problem codes that a status is used for. */
export function codesForStatus(status: number): ProblemCode[] {
  return problemCodes.filter((code) => problems[code].status === status);
}
