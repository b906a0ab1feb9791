import type { ProblemCode, Problem as ServiceProblem } from '@tradepost/contract/wire';
import type { Unrecognized } from '../unrecognized';

/** The body of an error answer: `application/problem+json` as RFC 9457 has it. */
export interface Problem extends Omit<ServiceProblem, 'code'> {
  /** What kind of problem it is. Decide on this, not on texts; the service may add codes. */
  code: ProblemCode | Unrecognized;
}
