import { type ExtensionId, extensionCatalogue, type Row } from './catalogue';
import type { Offer, Trial } from './trial';

/** What shows that a service offers something. */
export interface Sign {
  /** "the header RateLimit" */
  text: string;
  isIn(offer: Offer): boolean;
}

export interface ExtensionCheck extends Row {
  id: ExtensionId;
  sign: Sign;
  /** Sends its own requests, and ends normally if the service keeps the promise. */
  judge(trial: Trial, state: unknown): Promise<void>;
}

/** The checks of one extension. They run one after the other, and families beside each other. */
export interface Family {
  /** Does once what the checks need, and returns it. */
  prepare?: (trial: Trial) => Promise<unknown>;
  checks: ExtensionCheck[];
}

type IdOf<Name extends string> = Extract<ExtensionId, `${Name}-${number}`>;

interface Definition<Name extends string, State> {
  /** A name in `Tradepost-Extensions`, or what else shows that a service has the extension. */
  shownBy: string | Sign;
  prepare?: (trial: Trial) => Promise<State>;
  judges: Record<IdOf<Name>, (trial: Trial, state: State) => Promise<void>>;
}

/** Joins the judges of a family with what the catalogue says about its checks. */
export function family<Name extends string, State>(
  name: Name,
  { shownBy, judges, ...preparation }: Definition<Name, State>,
): Family {
  const ids = Object.keys(extensionCatalogue) as IdOf<Name>[];
  const checks = ids
    .filter((id) => id.startsWith(`${name}-`))
    .map((id): ExtensionCheck => {
      const row: Row = extensionCatalogue[id];
      return { ...row, id, sign: toSign(row.needs ?? shownBy), judge: judges[id] };
    });
  return { ...preparation, checks };
}

function toSign(sign: string | Sign): Sign {
  if (typeof sign !== 'string') return sign;
  return { text: `${sign} in Tradepost-Extensions`, isIn: ({ names }) => names.has(sign) };
}
