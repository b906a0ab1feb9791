/**
 * Compares what the service returns with what the model expects. The model cannot know the values that the service makes
 * up: it has placeholders such as `<ord:7>` for them. The first value that appears in the place of a placeholder is bound
 * to it; from then on only this value matches.
 */
const anyId = '[0-9A-Z]{26}';

const patterns: Record<string, string> = {
  secret: 'whsec_[0-9A-Za-z+/]{43}=',
  apiKey: 'tpk_[0-9A-Za-z]{38}',
  code: 'tpc_[0-9A-Za-z]{38}',
  prefix: 'tpk_[0-9A-Za-z]{4}…',
  testEvent: `evt_${anyId}`,
  cursor: '[0-9A-Za-z_-]{1,512}',
  text: '[^]*',
};

/** Values of these kinds may be equal: two pages may end at the same item. */
const mayRepeat = new Set(['cursor', 'prefix', 'text']);

/** Expects a text that contains all of these. */
export function containing(parts: string[]): unknown {
  return { $containing: parts };
}

/** Expects a text with this JSON, which is the same text each time. */
export function jsonText(text: string, value: unknown): unknown {
  return { $text: text, $json: value };
}

/** Expects anything. */
export const anything: unknown = { $anything: true };

interface Special {
  $containing?: string[];
  $text?: string;
  $json?: unknown;
  $anything?: boolean;
}

const placeholders = /<(\w+):\d+>/g;

/** The values that are bound to placeholders. */
export class Bindings {
  readonly #values: Map<string, string>;
  readonly #taken: Map<string, string>;

  constructor(other?: Bindings) {
    this.#values = new Map(other === undefined ? [] : other.#values);
    this.#taken = new Map(other === undefined ? [] : other.#taken);
  }

  /** Replaces the placeholders in a value, at any depth. One that is not bound becomes a value that nothing has. */
  resolve<Value>(value: Value): Value {
    if (typeof value === 'string') {
      const text = value.replace(placeholders, (name, kind: string) => {
        return this.#values.get(name) ?? `${kind}_${'0'.repeat(26)}`;
      });
      return text as Value;
    }
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)) as Value;
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => [name, this.resolve(item)]);
    return Object.fromEntries(entries) as Value;
  }

  /** Returns the placeholder of a value, or the value itself, so that a trace is readable. */
  describe(text: string): string {
    return this.#taken.get(text) ?? text;
  }

  /**
   * Compares a value with the expected one, and binds placeholders.
   *
   * @returns The first difference, with its path; null if there is none.
   */
  match(expected: unknown, actual: unknown, path = ''): string | null {
    if (typeof expected === 'string') return this.#matchText(expected, actual, path);
    if (typeof expected !== 'object' || expected === null) {
      return Object.is(expected, actual) ? null : differ(path, expected, actual);
    }
    if (Array.isArray(expected)) return this.#matchList(expected, actual, path);
    const special = expected as Special;
    if (special.$anything === true) return null;
    if (special.$containing !== undefined) {
      const parts = this.resolve(special.$containing);
      const isThere = typeof actual === 'string' && parts.every((part) => actual.includes(part));
      return isThere ? null : differ(path, expected, actual);
    }
    if (special.$text !== undefined) {
      return (
        this.#matchText(special.$text, actual, path) ??
        this.match(special.$json, JSON.parse(String(actual)), `${path} (as JSON)`)
      );
    }
    return this.#matchObject(expected as Record<string, unknown>, actual, path);
  }

  #matchList(expected: unknown[], actual: unknown, path: string): string | null {
    if (!Array.isArray(actual)) return differ(path, expected, actual);
    for (let index = 0; index < Math.min(expected.length, actual.length); index += 1) {
      const difference = this.match(expected[index], actual[index], `${path}[${index}]`);
      if (difference !== null) return difference;
    }
    if (expected.length === actual.length) return null;
    const rest = [expected, actual].map((list) =>
      list.slice(Math.min(expected.length, actual.length)),
    );
    return `${path} has ${actual.length} items instead of ${expected.length}: ${JSON.stringify(rest[1])} instead of ${JSON.stringify(rest[0])}`;
  }

  #matchObject(expected: Record<string, unknown>, actual: unknown, path: string): string | null {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      return differ(path, expected, actual);
    }
    const values = actual as Record<string, unknown>;
    for (const name of new Set([...Object.keys(expected), ...Object.keys(values)])) {
      const difference = this.match(expected[name], values[name], `${path}.${name}`);
      if (difference !== null) return difference;
    }
    return null;
  }

  #matchText(expected: string, actual: unknown, path: string): string | null {
    if (typeof actual !== 'string') return differ(path, expected, actual);
    const names: [name: string, kind: string][] = [];
    const source = expected.replace(
      /<(\w+):\d+>|[\\^$.*+?()[\]{}|]/g,
      (found, kind: string | undefined) => {
        if (kind === undefined) return `\\${found}`;
        const value = this.#values.get(found);
        if (value !== undefined) return value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
        names.push([found, kind]);
        return `(${patterns[kind] ?? `${kind}_${anyId}`})`;
      },
    );
    const found = new RegExp(`^${source}$`).exec(actual);
    if (found === null) return differ(path, `${this.resolve(expected)} (${expected})`, actual);
    const values = found.slice(1);
    for (const [index, [name, kind]] of names.entries()) {
      const value = values[index] ?? '';
      const other = this.#taken.get(value);
      if (other !== undefined && !mayRepeat.has(kind)) {
        return `${path} is ${actual}, which is ${other} and not ${name}`;
      }
      this.#values.set(name, value);
      if (!mayRepeat.has(kind)) this.#taken.set(value, name);
    }
    return null;
  }
}

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}
