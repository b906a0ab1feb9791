/** The package has types that its `exports` do not name. */
declare module 'tinykeys' {
  export function tinykeys(
    target: Window | HTMLElement,
    actions: Record<string, (event: KeyboardEvent) => void>,
  ): () => void;
}
