import { asRecord, parseJson } from '../request/refusal.ts'

/** Arguments as an object, for protocols that take no text. Broken ones keep what the model wrote, so that it can see its mistake. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  return asRecord(parseJson(text)) ?? { broken_arguments: text }
}

/** Arguments as JSON text that a strict server can parse; sound text is passed on byte for byte. */
export function argumentsText(text: string): string {
  if (text.trim() === '') return '{}'
  return asRecord(parseJson(text)) ? text : JSON.stringify({ broken_arguments: text })
}
