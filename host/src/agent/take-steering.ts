import type { Turn } from './turn.ts'

/**
 * Lets the model hear what a person added while it worked. Roles alternate, so the words stand at the end of the last result,
 * marked as the person's own.
 */
export async function takeSteering(turn: Pick<Turn, 'messages' | 'steer'>): Promise<void> {
  const last = turn.messages.at(-1)
  if (!turn.steer || last?.role !== 'tool') return
  const result = last.results.at(-1)
  if (!result) return
  const said = await turn.steer()
  if (said.length === 0) return
  const text = `${result.text}\n\n[The person you work for adds, while you work:]\n${said.join('\n\n')}`
  turn.messages[turn.messages.length - 1] = { role: 'tool', results: [...last.results.slice(0, -1), { ...result, text }] }
}
