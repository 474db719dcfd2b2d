import { formatTitle } from '../src/inbound.ts'

/** What reads texts of strangers, for the run that reads hard texts. */
export const parsers: Readonly<Record<string, (text: string) => unknown>> = { 'titles of Discord': formatTitle }
