import { harmless } from '../output/harmless';
import { printfFormat, shellWord } from '../output/shell-word';

/** A request as it goes out. */
export interface OutgoingRequest {
  /** Where it goes. */
  url: string;
  /** Its headers by name, without those that follow from the rest. */
  headers: Readonly<Record<string, string>>;
  /** Its body. It is sent as UTF-8. */
  body: string;
}

/** What curl would add of itself. */
const ownHeaders = ['Accept', 'Content-Type', 'User-Agent', 'Expect'];

/** Systems limit how long one argument may be; Linux has 131,072 bytes. */
const longestArgument = 100_000;

/** Curl reads files and speaks to other servers, too: the service may not have it do so. */
function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/**
 * One line for a POSIX shell that posts a request with curl, with these headers and no others, byte for
 * byte, and shows the answer. Pasted or piped into `sh` it does the same.
 *
 * @returns null for a request that no HTTP client can send: with line ends in a header, say, or to a URL that is not of the web
 */
export function curlLine({ url, headers, body }: OutgoingRequest): string | null {
  const lines = Object.entries(headers);
  const isSendable =
    isWebUrl(url) &&
    !/[\0\r\n]/.test(url) &&
    lines.every(([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && !/[\0\r\n]/.test(value));
  if (!isSendable) return null;

  const given = new Set(lines.map(([name]) => name.toLowerCase()));
  const bytes = Buffer.from(body);
  // An argument cannot hold every byte, nor so many; the standard input can.
  const isArgument = harmless(body) === body && bytes.length <= longestArgument;
  const words = [
    // No settings of ~/.curlrc, and no meaning in the brackets of the URL.
    `${isArgument ? '' : `printf '${printfFormat(bytes)}' | `}curl -q -sS -i -g --http1.1 --url ${shellWord(url)}`,
    ...lines.map(([name, value]) => {
      // A header without a value is written so; `name:` would leave it out.
      const line = value === '' ? `${name};` : `${name}: ${value}`;
      return `-H ${shellWord(line, 'latin1')}`;
    }),
    ...ownHeaders
      .filter((name) => !given.has(name.toLowerCase()))
      .map((name) => `-H ${shellWord(`${name}:`)}`),
    // Unlike --data, it takes no @ at the beginning for a file.
    isArgument ? `--data-raw ${shellWord(body)}` : '--data-binary @-',
  ];
  return words.join(' ');
}
