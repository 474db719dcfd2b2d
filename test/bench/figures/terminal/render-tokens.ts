import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { createChatScreen } from '../../../../host/src/cli/chat/chat-screen.ts'
import type { Talk } from '../../../../host/src/cli/chat/conversation/conversation.ts'
import { createTurnView } from '../../../../host/src/cli/chat/render/turn-view.ts'
import { type Figure, median, slownessOf } from '../../figure.ts'
import { runSound } from '../../processes.ts'

const tokens = 2_000
/** A quick model: a hundred tokens a second. */
const tokenMs = 10
const rounds = 20
const answer = join('host', 'src', 'cli', 'chat', 'render', 'fixtures', 'everything.md')

/** An answer that comes token by token, as the screen of the conversation shows it: laid out, drawn and written. */
export const renderTokens: Figure = {
  name: 'render-tokens',
  async measure(bench) {
    const pieces = cutIntoTokens(readFileSync(join(bench.root, answer), 'utf8'))
    const costs: number[] = []
    const node: number[] = []
    for (let round = 0; round < rounds; round++) {
      node.push((await runSound(bench, ['-e', '0'])).ms)
      costs.push(await showAnswer(pieces))
    }
    const cost = median(costs.slice(rounds / 2))
    const allowed = 2 * slownessOf(median(node))
    return [
      {
        figure: 'render-tokens',
        budget: '≤ 2 ms of processor a hundred tokens',
        floor: `${median(node).toFixed(0)} ms node -e 0`,
        value: `${cost.toFixed(2)} ms (${costs[0]?.toFixed(1)} ms in the first answer)`,
        ok: cost <= allowed,
        note: `${tokens} tokens, ${1000 / tokenMs} a second, with lists, tables and code on 80 columns; ${allowed.toFixed(1)} ms allowed here`,
      },
    ]
  },
}

function cutIntoTokens(text: string): readonly string[] {
  const words = text.match(/\s*\S{1,5}/g) ?? []
  return Array.from({ length: tokens }, (_, index) => words[index % words.length] ?? '')
}

/** Milliseconds of processor for a hundred tokens. */
async function showAnswer(pieces: readonly string[]): Promise<number> {
  const clock = createFakeClock()
  let written = 0
  const screen = createChatScreen({
    device: {
      columns: () => 80,
      rows: () => 40,
      breaksAgain: 'all',
      write: (sequence) => {
        written += sequence.length
      },
      onResize: () => () => undefined,
    },
    colour: true,
    clock,
    history: { entries: () => [], add: () => undefined },
    complete: async () => undefined,
    onLeave: () => undefined,
    suspend: () => undefined,
  })
  screen.attach(idle, createTurnView({ columns: () => 80, colour: true, showReasoning: () => true }), '')
  screen.audience.hear({ type: 'message.start', turn: 't', session: 's', provider: 'p', model: 'm' })
  const before = process.cpuUsage()
  for (const text of pieces) {
    screen.audience.hear({ type: 'message.delta', text })
    await clock.advance(tokenMs)
  }
  screen.audience.hear({ type: 'message.complete', text: '', status: 'complete', stop: 'stop' })
  const { user, system } = process.cpuUsage(before)
  screen.close()
  if (written < pieces.join('').length) throw fail('INTERNAL', { detail: 'the answer was not drawn' })
  return (user + system) / 1000 / (pieces.length / 100)
}

const idle: Talk = {
  start: () => undefined,
  enter: () => undefined,
  interrupt: () => false,
  isBusy: () => false,
  queue: () => [],
  recall: () => undefined,
  background: () => [],
  question: () => undefined,
  questionLeft: () => 0,
  answer: async () => false,
  hasSession: () => false,
  reasoning: () => ({ effort: undefined, show: true }),
  close: async () => undefined,
}
