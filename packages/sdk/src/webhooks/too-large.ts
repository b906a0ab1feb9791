/** What a body of more than `maxBytes` is refused with, whoever was the first to see it. */
export function tooLarge(maxBytes: number): string {
  return `The body has more than ${maxBytes} bytes: no delivery of the service is that large. If yours are, raise maxBytes.`;
}
