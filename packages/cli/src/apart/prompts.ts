/** The questions to a person at the keyboard. */
export { confirm, isCancel, password, text } from '@clack/prompts';
