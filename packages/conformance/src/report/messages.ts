import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';
import type { Body, Exchange } from './report';

/** How much of a request or a response is shown. */
export interface Shown {
  /** UTF-16 code units of a body. */
  maxLength: number;
  /** All headers, or those that requests and deliveries are judged by. */
  allHeaders: boolean;
}

const judgedHeader =
  /^(authorization|content-type|etag|if-match|location|retry-after|ratelimit.*|(service|webhook)-.*|tradepost-.*)$/i;

/** Shows a text of the service on one line. */
export const onOneLine = (text: string) => escapeHiddenCharacters(text);

/** Shows the start of a text of the service with its line ends. It is shortened first: escaping a megabyte takes long. */
export function showText(text: string, maxLength: number): string {
  const more = text.length - maxLength;
  const start = more > 0 ? text.slice(0, maxLength) : text;
  const shown = escapeHiddenCharacters(start.replaceAll('\r\n', '\n'), '\n\t');
  return more > 0 ? `${shown}\n… ${more} more characters: the JSON report has all.` : shown;
}

function messageLines(
  start: string,
  { headers, body }: { headers: [string, string][]; body: Body | null },
  { maxLength, allHeaders }: Shown,
): string[] {
  const own = headers.filter(([name]) => allHeaders || judgedHeader.test(name));
  const lines = [start, ...own.map(([name, value]) => `${name}: ${value}`)].map(onOneLine);
  if (body === null || body.bytes === 0) return lines;
  if (body.text === null) return [...lines, '', `(${body.bytes} bytes that are not UTF-8)`];
  return [...lines, '', ...showText(body.text, maxLength).split('\n')];
}

/** Returns the lines of a request, as HTTP/1.1 has them. No line has a hidden character, except tabs. */
export function requestLines({ request }: Exchange, shown: Shown): string[] {
  return messageLines(`${request.method} ${request.url}`, request, shown);
}

/** Returns the lines of a response, or why there was none. */
export function responseLines({ response, error }: Exchange, shown: Shown): string[] {
  if (response === null) return [onOneLine(error ?? 'No response.')];
  return messageLines(String(response.status), response, shown);
}

/** `09:12:01.204` of a time: reports have the day once, at their start. */
export function formatTimeOfDay(at: string): string {
  return onOneLine(at.replace(/^.*T|Z$/g, ''));
}

/** Returns seconds with what is useful of them: `0.4 s`, `92 s`, `24.5 h`. */
export function formatSpan(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds >= 7_200) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
