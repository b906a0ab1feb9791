import type { headerNames } from './headers';

/** A header that an answer may carry: a key of `headerNames`. */
export type AnswerHeader = Exclude<
  keyof typeof headerNames,
  'authorization' | 'idempotencyKey' | 'ifMatch'
>;

/** What the contract knows of a route beyond its schemas: ts-rest carries it as `metadata`. */
export interface RouteNotes {
  /** Name of the operation, unique in the contract. */
  operationId: string;
  /** True for what goes beyond the interface; such routes are marked `x-extension` in OpenAPI. */
  extension: boolean;
  /** Query parameters that the interface has; the others are marked `x-extension` in OpenAPI. */
  interfaceQuery?: string[];
  /** Headers of the successful answer, beside those that every answer has. */
  answerHeaders: AnswerHeader[];
}
