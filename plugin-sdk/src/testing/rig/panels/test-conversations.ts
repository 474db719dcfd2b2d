import { fail } from '../../../contract/errors.ts'
import type { PanelHost } from '../../../contract/panel.ts'

/** A conversation that was made shorter once, and one of which nothing is known yet. */
export function createTestConversations(need: () => void): PanelHost['conversations'] {
  const at = 1_700_000_000_000
  const compressions = [{ at, reason: 'threshold' as 'threshold' | 'asked', before: 20_000, after: 6_000 }]
  const length = () => ({ tokens: compressions.at(-1)?.after ?? 0, window: 32_000, limit: 16_000 })
  const find = (session: string): void => {
    need()
    if (session !== 'ses_long') throw fail('SESSION_NOT_FOUND', { session })
  }
  return {
    list: async () => {
      need()
      const long = { ...length(), compressions: compressions.length }
      return [
        { session: 'ses_long', title: 'A long talk', source: 'cli', lastAt: at, ...long },
        { session: 'ses_new', title: 'Hello', source: 'sms', lastAt: at - 1000, compressions: 0 },
      ]
    },
    look: async ({ session }) => {
      find(session)
      const parts = [
        { name: 'prompt' as const, tokens: 900 },
        { name: 'tools' as const, tokens: 1100 },
        { name: 'notes' as const, tokens: 1000 },
        { name: 'messages' as const, tokens: 3000 },
      ]
      const told = { title: 'A long talk', messages: 40, prompt: 'You are agent.', parts, notes: 'The boat is called Ada.' }
      return { ...told, ...length(), compressions }
    },
    compress: async ({ session }) => {
      find(session)
      compressions.push({ at, reason: 'asked', before: 6_000, after: 5_000 })
      return 'It was made shorter.'
    },
  }
}
