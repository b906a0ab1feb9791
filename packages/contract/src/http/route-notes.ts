import type { headerNames } from './headers';

/** What the contract knows of a route beyond its schemas: ts-rest carries it as `metadata`. */
export interface RouteNotes {
  /** Name of the operation, unique in the contract. */
  operationId: string;
  /** True for what goes beyond the interface; such routes are marked `x-extension` in OpenAPI. */
  extension: boolean;
  /** Headers of the successful answer, beside those that every answer has. */
  answerHeaders: (keyof typeof headerNames)[];
}
