/** The questions to a person at the keyboard. */
export { confirm, password, text } from '@clack/prompts';
