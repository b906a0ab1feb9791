// The page that searches gets these functions as text: they refer to nothing outside of themselves.

/**
 * Splits a text into the terms of the search: its words, and as one more term what is known by its whole name: codes such as
 * `order_not_found`, and `Next.js`, which is also `nextjs`. Not `Idempotency-Key`: its first word would count twice.
 */
export function splitIntoTerms(text: string): string[] {
  const names = text.match(/[a-z]+(?:_[a-z]+)+|\w+\.js\b/gi) ?? [];
  return [
    ...text.split(/[\s\p{Z}\p{P}]+/u),
    ...names.map((name) => name.replace(/[._]/g, '')),
  ].filter((term) => term !== '');
}

/** Makes one term of the upper and lower case and of the singular and plural of a word: `Retries` is `retry`. */
export function normalizeTerm(term: string): string {
  return term
    .toLowerCase()
    .replace(/(\w{2})ies$/, '$1y')
    .replace(/(\w{2}[^s])s$/, '$1');
}
