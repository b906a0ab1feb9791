/** How wide characters are on a terminal. */
export { default as stringWidth } from 'string-width';
