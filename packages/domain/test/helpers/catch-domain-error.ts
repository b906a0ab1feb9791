import { DomainError } from '../../src/kernel/errors';

/** Returns the `DomainError` that the work throws. Any other result fails the test. */
export function catchDomainError(work: () => unknown): DomainError {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('Expected a DomainError, but nothing was thrown.');
}
