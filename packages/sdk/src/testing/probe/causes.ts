import { type CaseName, type Expectation, genuineType, probeCases } from './cases';
import { type CauseName, causeTexts } from './cause-texts';
import { type Exchange, isAcknowledged } from './send';

/** What a receiver did in a case. */
export interface Outcome {
  name: CaseName;
  expectation: Expectation;
  /** The response that is judged. */
  exchange: Exchange;
  /** The response to the other one of two requests. */
  other: Exchange | null;
  /** How many effects were counted meanwhile. Null if they are not counted, or not judged. */
  effects: number | null;
  /** What the response has that only the owner may see. */
  leak: 'signature' | 'secret' | 'stack' | null;
}

/** A mistake of a receiver, or something unusual. */
export interface ProbeCause {
  /** A short name, such as `parses and serializes`. */
  name: string;
  /** `fail` if it makes a case fail. */
  verdict: 'fail' | 'note';
  /** What is wrong, and what to do about it. */
  text: string;
  /** The names of the cases that show it. */
  cases: string[];
}

/** Finds the outcomes that show a cause. */
type Find = (all: readonly Outcome[]) => readonly Outcome[];

export const isAccepted = ({ exchange }: Outcome) => isAcknowledged(exchange);
const isRefused = (one: Outcome) => !isAccepted(one);
/** Returns the first type of event of which a genuine delivery was accepted. */
export const findAcceptedType = (all: readonly Outcome[]) =>
  all
    .filter(isAccepted)
    .map(({ name }) => genuineType(name))
    .find(Boolean);
const acceptsGenuine = (all: readonly Outcome[]) => findAcceptedType(all) !== undefined;

/** It holds a connection, whatever it was sent. */
export const isHanging = ({ exchange, other }: Outcome) =>
  exchange.error === 'timeout' || other?.error === 'timeout';
/** Whether it failed where it should have refused: it responded with a server error, or not at all. */
const isCrashed = ({ expectation, exchange: { status } }: Outcome) =>
  expectation === 'refuse' && (status === null || status >= 500);
const isForgery = (one: Outcome) => one.expectation === 'refuse' && isAccepted(one);
const isLost = (one: Outcome) => one.expectation === 'accept' && isRefused(one);
const isRepeated = ({ other, effects }: Outcome) => other !== null && Number(effects) > 1;
const isHasty = ({ expectation, effects }: Outcome) =>
  expectation === 'refuse' && Number(effects) > 0;
/** A limit of requests says nothing about the delivery. */
export const isLimited = ({ exchange: { status } }: Outcome) => status === 429;
/** A 503 refuses nothing. To what is signed but wrong, it may be how a receiver reports an error. */
const isUnavailable = ({ name, expectation, exchange: { status } }: Outcome) =>
  status === 503 && expectation !== 'refuse' && probeCases[name].cause !== 'lenient';

/** Whether an outcome by itself makes its case fail. A leak, for one, does so only as a cause. */
export const isWrong = (one: Outcome) =>
  (isLost(one) && !isLimited(one)) ||
  (one.expectation === 'accept' && isRepeated(one)) ||
  [isForgery, isCrashed, isHasty, isHanging].some((test) => test(one));

/** These causes make every case fail that shows them. */
const failing = ['leaks the signature', 'leaks the secret', 'leaks a stack', 'stopped responding'];
export const alwaysFails: readonly string[] = [...failing, 'reads type'];

const any =
  (test: (outcome: Outcome) => boolean): Find =>
  (all) =>
    all.filter(test);
const accepted = (...names: CaseName[]) =>
  any((one) => names.includes(one.name) && isAccepted(one));
/** Of some cases, those that were refused, if genuine deliveries are accepted. */
const refused =
  (...names: CaseName[]): Find =>
  (all) =>
    acceptsGenuine(all) ? all.filter((one) => names.includes(one.name) && isRefused(one)) : [];
/** All that was refused, if no genuine delivery was accepted, but one with a certain mistake. */
const onlyWith =
  (...names: CaseName[]): Find =>
  (all) => {
    const found = acceptsGenuine(all) ? [] : accepted(...names)(all);
    return found.length > 0 ? [...all.filter(isLost), ...found] : [];
  };
/** All that must be accepted and ended in some other way. */
const ended = (test: (exchange: Exchange) => boolean) =>
  any((one) => isLost(one) && test(one.exchange));
const hasStatus = (first: number, last = first) =>
  ended(({ status }) => Number(status) >= first && Number(status) <= last);
/** Cases that it failed on, if not any wrong signature makes it fail. */
const crashed =
  (...names: CaseName[]): Find =>
  (all) => {
    const found = all.filter(isCrashed);
    const isAny = found.some(({ name }) => name === 'wrong key');
    return isAny ? [] : found.filter(({ name }) => names.includes(name));
  };

/** The same event in other texts. */
const otherTexts = [
  ...(['indented JSON', 'JSON with CRLF', 'escaped JSON', 'reordered JSON'] as const),
  ...(['multibyte characters', 'character split between writes'] as const),
];

const acceptsForged = (all: readonly Outcome[]) =>
  accepted('zeros as signature', 'wrong key', 'one bit flipped')(all).length === 3;

/** How to find causes that are more than the other outcome of single cases. */
const patterns: { readonly [Name in CauseName]?: Find } = {
  'leaks the signature': any(({ leak }) => leak === 'signature'),
  'leaks the secret': any(({ leak }) => leak === 'secret'),
  'leaks a stack': any(({ leak }) => leak === 'stack'),
  'stopped responding': (all) => {
    const at = all.findIndex(({ exchange }) => !exchange.isConnected);
    // The request before may have got no response either, as the process ended.
    const ending = all[at - 1]?.exchange.status === null ? at - 1 : at;
    return at > 0 && all.some(({ exchange }) => exchange.status !== null) ? all.slice(ending) : [];
  },
  'no TLS': ended(({ error }) => /EPROTO|WRONG_VERSION|PACKET_LENGTH/.test(error ?? '')),
  'TLS error': ended(({ error }) => /CERT|TLS|SSL|ISSUER|UNABLE_TO/.test(error ?? '')),
  'too slow': any(isHanging),
  unreachable: (all) => (all.every(({ exchange }) => !exchange.isConnected) ? all : []),
  'no response': (all) => (all.every(({ exchange }) => exchange.status === null) ? all : []),
  'rate limited': any(isLimited),
  unavailable: (all) =>
    all.some(isUnavailable) ? all.filter(({ exchange }) => exchange.status === 503) : [],
  'auth or CSRF in front': ended(({ status, headers, body }) =>
    status === 401 || status === 403
      ? 'www-authenticate' in headers ||
        /csrf|xsrf|\b(log|sign)[ -]?in\b|\bsession\b|\bcookies?\b/i.test(body)
      : status === 419 || /\b(log|sign)[-_]?in\b|auth|\bsso\b/i.test(headers.location ?? ''),
  ),
  redirect: hasStatus(300, 399),
  'wrong path': hasStatus(404),
  'method not allowed': hasStatus(405),
  'stopped accepting': (all) =>
    refused('genuine, at the end')(all).length > 0
      ? refused('unknown event type', '256 kB', 'genuine, at the end')(all)
      : [],
  'body limit': (all) => [
    ...hasStatus(413)(all),
    ...accepted('indented JSON')(all).flatMap(() => refused('256 kB')(all)),
  ],
  'content type': hasStatus(415),
  'encodes otherwise': onlyWith(
    ...(['signature in upper case', 'signature in base64', 'signature with a prefix'] as const),
  ),
  'wrong form of the secret': onlyWith('keys swapped', 'key without whsec_', 'key with a line end'),
  'parses and serializes': (all) => [
    ...onlyWith('signature of spaced JSON')(all),
    ...(accepted('reserialized')(all).length > 0 && !acceptsForged(all)
      ? accepted('reserialized', 'newline appended')(all)
      : []),
    ...(refused('indented JSON', 'JSON with CRLF', 'escaped JSON')(all).length > 0
      ? refused(...otherTexts)(all)
      : []),
  ],
  'trims the body': (all) => (acceptsForged(all) ? [] : accepted('newline appended')(all)),
  'reads type': (all) => {
    const genuine = all.filter((one) => genuineType(one.name) && isAccepted(one));
    const acts = all.some((one) => one.name === 'type beside event' && Number(one.effects) > 0);
    return acts && genuine.length > 0 && genuine.every(({ effects }) => effects === 0)
      ? all.filter((one) => one.expectation === 'accept' && one.effects === 0)
      : onlyWith('type beside event')(all);
  },
  'wrong secret': (all) => (acceptsGenuine(all) ? [] : all.filter(isLost)),
  'decodes the body': (all) =>
    refused('multibyte characters')(all).length > 0 ? refused(...otherTexts)(all) : [],
  'decodes pieces': (all) =>
    accepted('multibyte characters')(all).flatMap(() =>
      refused('character split between writes')(all),
    ),
  'handles twice': any(isRepeated),
  'no verification': (all) => (acceptsForged(all) ? all.filter(isForgery) : []),
  'ignores the timestamp': (all) =>
    accepted('another timestamp')(all).length > 0 ? [] : accepted('signed 360 s ago')(all),
  'accepts forged deliveries': any(isForgery),
  'fails without a signature': crashed('no signature', 'empty signature'),
  'fails on malformed signatures': crashed(
    ...(['é in the signature', 'one digit of the signature', 'prefix without signature'] as const),
  ),
  'fails on forged deliveries': any(isCrashed),
  'acts before it verifies': any(isHasty),
  'effects not judged': (all) =>
    all.some(({ effects }) => effects === null)
      ? all.filter((one) => one.effects === 0 && one.expectation === 'accept' && isAccepted(one))
      : [],
  busy: any(
    ({ name, other }) =>
      probeCases[name].together === true && other !== null && !isAcknowledged(other),
  ),
  other: any(isLost),
};

/** Whether a case had the outcome that its row in the table of cases explains. */
function isExplained({ name, exchange }: Outcome, all: readonly Outcome[]): boolean {
  const { expectation, cause } = probeCases[name];
  return expectation === 'refuse' || cause === 'lenient'
    ? isAcknowledged(exchange)
    : acceptsGenuine(all) && !isAcknowledged(exchange);
}

/** Finds out what explains the outcomes of a run. What leaks, leaks beside another cause. */
export function findCauses(all: readonly Outcome[]): ProbeCause[] {
  const explained = new Set<Outcome>();
  const names = Object.keys(causeTexts) as CauseName[];
  return names.flatMap((name): ProbeCause[] => {
    const bySelf = all.filter(
      (one) => probeCases[one.name].cause === name && isExplained(one, all),
    );
    const isLeak = name.startsWith('leaks');
    const found = [...new Set([...(patterns[name]?.(all) ?? []), ...bySelf])];
    const shown = found.filter((one) => isLeak || !explained.has(one));
    if (!isLeak) for (const one of shown) explained.add(one);
    if (shown.length === 0) return [];
    // Without the query, which may have a token.
    const location = shown[0]?.exchange.headers.location?.split(/[?#]/)[0] ?? 'no address';
    return [
      {
        name,
        verdict: alwaysFails.includes(name) || shown.some(isWrong) ? 'fail' : 'note',
        text: causeTexts[name].replace('{location}', () => location),
        cases: shown.map((one) => one.name),
      },
    ];
  });
}
