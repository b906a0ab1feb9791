/** The parts of Swagger UI's plugin interface that this page uses. Its `React` is the one in its bundle. */

/** An element or text that React renders. */
export type Node = unknown;

/** A React component. */
export type Component<Props = Record<string, unknown>> = (props: Props) => Node;

/** The functions of React that this page uses. */
export interface React {
  createElement(type: unknown, props?: object | null, ...children: Node[]): Node;
  useState<State>(initial: State): [State, (next: State) => void];
  Fragment: unknown;
}

/** A value of Immutable.js, in which Swagger UI keeps the document. */
export interface ImmutableMap {
  get(key: string): unknown;
  getIn(path: readonly string[]): unknown;
  set(key: string, value: unknown): ImmutableMap;
  toJS(): unknown;
}

/** What Swagger UI passes to plugins. */
export interface System {
  React: React;
  /** Reads the document as it was loaded. */
  specSelectors: { specJson(): ImmutableMap };
  getComponent(name: string, withSystem?: boolean): unknown;
}

/** Replaces a component; gets the one that it replaces. */
export type WrapComponent<Props> = (original: unknown, system: System) => Component<Props>;

/** A plugin that adds or replaces components. */
export interface Plugin {
  components?: Record<string, unknown>;
  // Each wrapper knows the properties of its own component.
  wrapComponents?: Record<string, WrapComponent<never>>;
}
