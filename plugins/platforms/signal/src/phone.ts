/** Phone numbers as they may be shown: how they begin and end. */
export function redactPhones(text: string): string {
  return text.replace(/\+\d{5,15}/g, (number) => `${number.slice(0, 3)}…${number.slice(-2)}`)
}
