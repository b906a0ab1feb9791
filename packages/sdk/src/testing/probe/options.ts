import { decodeBase64 } from '../sign-delivery';

/** What a receiver is meant to do. A probe cannot find it out. */
export interface ProbeDeclaration {
  /** It accepts deliveries with `Service-Signature` alone, of a service without extensions. @default either is right */
  signatureHeaderAlone?: boolean | undefined;
  /** It requires the headers of Standard Webhooks, so it must refuse replays. @default either is right */
  standardWebhooks?: boolean | undefined;
  /** The ID of its webhook, `whk_…`: nobody may sign with it. @default not tried */
  webhookId?: string | undefined;
}

/** Options of `probeReceiver`. */
export interface ProbeOptions {
  /** The URL of the receiver. Nothing is sent to any other. */
  url: string | URL;
  /** The signing secret of the receiver: `whsec_` and base64. */
  secret: string;
  /** A second secret that the receiver accepts, as while a new one is staged. @default none */
  nextSecret?: string | undefined;
  /** What the receiver is meant to do. */
  declare?: ProbeDeclaration | undefined;
  /** Returns how many events the receiver has acted on so far. @default effects are not counted */
  handled?: (() => number | Promise<number>) | undefined;
  /** For how many milliseconds a case waits for the response. @default 15_000, as the service */
  timeoutMs?: number | undefined;
  /** Is called with the name of the case whose response the probe waits for. */
  onCase?: ((name: string) => void) | undefined;
  /** Ends the probe: its promise rejects. */
  signal?: AbortSignal | undefined;
}

/** What a value must be, and how to test it. */
type Rule = readonly [what: string, test: (value: unknown) => boolean];

const isSecret = (value: unknown) =>
  typeof value === 'string' && !/\s/.test(value) && !!decodeBase64(value.replace(/^whsec_/, ''));
const optional = ([what, test]: Rule): Rule => [what, (it) => it === undefined || test(it)];
const typed = (type: string): Rule => optional([`a ${type}`, (value) => typeof value === type]);
const secret: Rule = ['whsec_ and base64, without white space', isSecret];

const optionRules: Readonly<Record<keyof ProbeOptions, Rule>> = {
  url: [
    'a URL of http or https',
    (it) => /^https?:\/\//i.test(String(it)) && URL.canParse(String(it)),
  ],
  secret,
  nextSecret: optional(secret),
  declare: optional(['an object', (it) => Object(it) === it && !Array.isArray(it)]),
  handled: typed('function'),
  timeoutMs: optional(['1 to 2_147_483_647', (it) => Number(it) >= 1 && Number(it) < 2 ** 31]),
  onCase: typed('function'),
  signal: optional(['an AbortSignal', (it) => it instanceof AbortSignal]),
};
const declarationRules: Readonly<Record<keyof ProbeDeclaration, Rule>> = {
  signatureHeaderAlone: typed('boolean'),
  standardWebhooks: typed('boolean'),
  webhookId: optional(['an ID, whk_…', (value) => /^whk_\w+$/.test(String(value))]),
};

/** @throws {TypeError} for an option that is missing, unknown or wrong. It names the option. */
export function checkOptions(options: ProbeOptions): void {
  const { secret: first, nextSecret, declare = {} } = check('', options, optionRules);
  check('declare.', declare, declarationRules);
  if (first === nextSecret) throw new TypeError('nextSecret must be another one than secret');
  if (declare.signatureHeaderAlone && declare.standardWebhooks) {
    throw new TypeError('declare.signatureHeaderAlone contradicts standardWebhooks');
  }
}

function check<T extends object>(prefix: string, given: T, rules: Readonly<Record<string, Rule>>) {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined) {
    const known = Object.keys(rules).join(', ');
    throw new TypeError(`${prefix}${unknown} is not known: there is ${known}`);
  }
  const values = new Map(Object.entries(given));
  for (const [name, [what, test]] of Object.entries(rules)) {
    if (!test(values.get(name))) throw new TypeError(`${prefix}${name} must be ${what}`);
  }
  return given;
}
