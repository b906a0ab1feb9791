/** The scripts that let shells complete. */
export { script } from '@bomb.sh/tab';
