import { findMembers, readText } from '../src/markup.ts'

/** What reads texts of strangers, for the run that reads hard texts. */
export const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'mentions of Slack': findMembers,
  'text of Slack': (text) => readText(text, 'U1', new Map()),
}
