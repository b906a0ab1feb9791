/** What a receiver answers with, before an adapter puts it into its host's form. */
export interface Answer {
  /** The HTTP status. */
  status: number;
  /** Headers in their documented spelling. */
  headers: Record<string, string>;
  /** A short text for the sender's log; empty on a 2xx. */
  body: string;
}

/** Makes an answer. A text is sent as plain text in UTF-8. */
export function answer(
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const type = body ? { 'Content-Type': 'text/plain; charset=utf-8' } : {};
  return { status, headers: { ...type, ...headers }, body };
}
