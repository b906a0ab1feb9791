import { InvalidArgument } from './invalid-argument';

/** Makes what parses an option that is a whole number within bounds, both included. */
export function countParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgument(
      max < 999_999_999 || number > max
        ? `It must be a whole number, ${min} to ${max}.`
        : `It must be a whole number, ${min} or more.`,
    );
  };
}
