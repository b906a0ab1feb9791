/** What lines of headers say. */
interface ReadHeaders {
  headers: Record<string, string>;
  /** The first line that is no header, if there is one. */
  problem: string | null;
}

/** Reads headers as they are in a log or a command, one on each line. Empty lines have no meaning. */
export function readHeaders(text: string): ReadHeaders {
  const read: ReadHeaders = { headers: {}, problem: null };
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) read.headers[name] = value;
    else if (line.trim() !== '') read.problem ??= line.trim();
  }
  return read;
}
