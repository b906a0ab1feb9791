import { DomainError } from '../../src/kernel/errors';

/** The error by which the domain rejects some work; anything else that it does fails the test. */
export function catchDomainError(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('It was expected to be refused, and was done.');
}
