import { expect, test } from 'vitest'
import type { TakenBack } from '#store/sessions.ts'
import type { SlashCall } from './slash.ts'
import { sayTakenBack, undoCommand } from './undo-command.ts'

test.each<[TakenBack | undefined, string]>([
  [undefined, 'There is nothing to take back: nobody has said anything here.'],
  [{ text: 'one\n\n two', messages: 1, kept: 1 }, 'Taken back: "one two". 1 message is left.'],
  [{ text: '', messages: 2, kept: 0 }, 'Taken back: what was said last and what came after it (2 messages in all). Nothing is left.'],
  [
    { text: '😀'.repeat(90), messages: 3, kept: 4 },
    `Taken back: "${'😀'.repeat(80)}…" and what came after it (3 messages in all). 4 messages are left.`,
  ],
])('%j is told in one line', (taken, line) => {
  expect(sayTakenBack(taken)).toBe(line)
})

async function undo(session: string | undefined, hasCheckpoints: boolean): Promise<readonly string[]> {
  const said: string[] = []
  const sessions = { takeBack: async () => ({ text: 'hello', messages: 2, kept: 0 }) }
  await undoCommand.run({
    args: '',
    door: {
      session: () => session,
      say: (text: string) => said.push(text),
      run: (_name: string, work: (signal: AbortSignal) => Promise<string>) => work(new AbortController().signal),
    },
    services: { sessions, alone: (_id: string, work: () => Promise<unknown>) => work(), checkpoints: { enabled: () => hasCheckpoints } },
  } as unknown as SlashCall)
  return said
}

test('/undo says how files are taken back where there are checkpoints, and has nothing to do before the first message', async () => {
  const taken = 'Taken back: "hello" and what came after it (2 messages in all). Nothing is left.'
  expect(await undo('ses_a', false)).toEqual([taken])
  expect(await undo('ses_a', true)).toEqual([`${taken} Files stay as they are; /rollback lists the states that you can go back to.`])
  expect(await undo(undefined, true)).toEqual(['There is no session yet: say something first.'])
})
