import type { Disturbance, PlatformCrowd } from '@agent/plugin-sdk/testing'
import { config } from '../src/config.ts'
import { openMailWorld } from './mail-world.ts'

const addressOf = (person: number): string => `person${person}@example.org`

/** Many people who write letters. The mailbox keeps them all; the agent reads on from where it was. */
export async function openCrowd(): Promise<PlatformCrowd> {
  const { imap, smtp, ...world } = await openMailWorld()
  const acts: Readonly<Partial<Record<Disturbance, () => void>>> = {
    cut: () => {
      imap.faults.isMute = false
      imap.cut()
    },
    'half-open': () => {
      imap.faults.isMute = true
    },
    error: () => smtp.breakNext({ type: 'drop', at: 'RCPT' }),
    'lose-receipt': () => smtp.breakNext({ type: 'lose-answer' }),
  }
  return {
    config: config.parse({ ...world.extra, trust_from: true }),
    secrets: world.secrets('right-password'),
    say: (person, text) => world.write({ text, isAnswer: true, head: [`From: ${addressOf(person)}`] }),
    heard: (person) => world.sent(addressOf(person)).map(({ text }) => text),
    // The mailbox keeps every letter.
    isTaken: () => true,
    // What came before the mailbox was opened for the first time is not answered.
    connections: () => imap.commands.filter((line) => /^(SELECT|EXAMINE)/.test(line)).length,
    disturb: (what) => {
      acts[what]?.()
      return acts[what] !== undefined
    },
    calm: () => {
      smtp.mend()
      acts.cut?.()
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
