import type { FakeAnswer, FakeRequest } from './fake-vendor.ts'

/** What the model calls of the client's tools: the first that is offered. */
export interface ClientCallWish {
  readonly name: string | RegExp
  readonly args: string
}

/** What the agent's own tool writes in each conversation, into its workspace. */
export const ownFile = 'own.txt'

type Said = Readonly<Record<string, unknown>>
const listOf = (value: unknown): readonly Said[] => (Array.isArray(value) ? value : [])

/**
 * A model that calls a tool of the agent and one of the client in one step, and then says what came of both. Without tools of the client,
 * as where a front end asks for a title, it says `ready`.
 */
export function callBothSides(wishes: readonly ClientCallWish[], own = ownFile): (request: FakeRequest) => FakeAnswer {
  return ({ body }) => {
    const messages = listOf(body.messages)
    const offered = listOf(body.tools).map(({ function: called }) => String((called as Said | undefined)?.name))
    const asked = messages.findLastIndex(({ role }) => role === 'user')
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
    const isDone = messages.findLastIndex(({ role }) => role === 'tool') > asked || results.length >= 2
    if (isDone) return { text: [`Both sides said: `, results.map((result) => `<${result.trim().slice(0, 400)}>`).join(' ')] }
    for (const { name, args } of wishes) {
      const found = offered.find((each) => (typeof name === 'string' ? each === name : name.test(each)))
      if (!found) continue
      return {
        text: 'I look. ',
        calls: [
          ...(offered.includes('write_file') ? [{ name: 'write_file', args: JSON.stringify({ path: own, content: 'by the agent' }) }] : []),
          { name: found, args },
        ],
      }
    }
    return { text: 'ready' }
  }
}
