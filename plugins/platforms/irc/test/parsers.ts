import { readAddress } from '../src/inbound.ts'
import { parseLine } from '../src/wire.ts'

/** What reads lines of strangers, for the run that reads hard texts. */
export const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'lines of IRC': parseLine,
  'addresses of IRC': (text) => readAddress(text, 'ann'),
}
