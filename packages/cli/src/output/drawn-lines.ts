import type { OutputStream } from '../terminal';

/** What takes the line away that is drawn at the end of a screen at present. */
export const drawnLines = new WeakMap<OutputStream, () => void>();
