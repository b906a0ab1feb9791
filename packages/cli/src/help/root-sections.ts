import { environmentLines } from './environment-topic';
import { sections } from './sections';

/** The end of `tradepost --help`. */
export function rootSections(): string {
  return sections({
    Examples: [
      '$ tradepost orders list --status pending',
      '$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed',
      '$ tradepost orders list --all --output csv > orders.csv',
      "$ tradepost orders list --since 2d --jq '.[].id'",
      '$ tradepost webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
    ],
    Environment: environmentLines(),
    'More help': [
      'tradepost help exit-codes    what each exit code means',
      'tradepost help environment   what is read from the environment',
      'tradepost help output        what a script can rely on',
      'tradepost COMMAND --help     its options, examples that work, and its JSON',
    ],
  });
}
