/** What fields let people type at most, as the service documents it. The service checks it. */
export const limits = {
  /** Characters of the reason of a change. */
  reasonLength: 500,
  /** Characters of the description of a webhook. */
  descriptionLength: 200,
  attemptsPerMinute: 60_000,
} as const;
