/** The advice of the client to programmers, which has no meaning here. */
const advice = ' If that is too short for it, raise timeout and deadline.';

/** What a thrown value says, in the words of this program for what has a name in the client: anything can be thrown. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replace(advice, '')
    .replace(/\bbaseUrl\b/g, 'the base URL')
    .replace(/\bapiKey\b/g, 'the API key');
}
