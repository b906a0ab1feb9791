/** CSV as others write it. */
export { parse } from 'csv-parse/sync';
