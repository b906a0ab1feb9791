/** How many items a page of a list may hold. */
export const pageLimit = { min: 1, max: 100, default: 50 } as const;

/** One page of a list, newest first. */
export interface Page<Item> {
  /** The items of this page. */
  data: Item[];
  /** What `cursor` must be to get the next page; null on the last one. */
  nextCursor: string | null;
}
