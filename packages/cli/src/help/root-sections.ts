import { sections } from './sections';

/** The end of `tradepost --help`. */
export function rootSections(): string {
  return sections({
    Examples: [
      '$ tradepost orders list --status pending',
      '$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed',
      '$ tradepost orders list --all --output csv > orders.csv',
      "$ tradepost orders list --output json | jq -r '.[].id'",
    ],
    Environment: [
      'TRADEPOST_API_KEY   the API key of your account; it has no option, on purpose',
      'TRADEPOST_BASE_URL  where the service is, such as https://trade.example',
      'NO_COLOR            set: no colours',
      'FORCE_COLOR         set: colours on a pipe too',
    ],
    'Exit codes': ['0 done, anything else is a failure: `tradepost help exit-codes`'],
  });
}
