import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { type OpenAgent, openAgent } from '../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../host/src/kernel/calls/call.ts'
import { root } from '../../repo/source-files.ts'
import { type FakeOpenai, startFakeOpenai } from '../fakes/fake-openai.ts'
import { type Body, type FakeAnswer, type FakeRequest, listOf, type VendorRules } from '../fakes/fake-vendor.ts'
import { importSourceEntry } from '../source-entry.ts'
import type { TestHome } from '../test-home.ts'

/** Tokens that the model of a long talk takes. */
export const talkWindow = 32_000

/** What the person says in a turn. The first fifty turns plant a fact each. */
export function saidIn(turn: number): string {
  const fact = turn <= 50 ? ` Remember: the boat in berth ${turn} is called ${boatOf(turn)}.` : ''
  return `Turn ${turn}: read pier-${turn % 10}.txt and say what is at the pier.${fact}`
}

/** A word that stands nowhere else. */
export const boatOf = (turn: number): string => `sparrow${turn * 7919}x`

/** Files that the tools of a long talk read. */
export function writePiers(folder: string): void {
  const line = 'The harbour master writes down every boat that comes in, and the hour at which it leaves again.\n'
  for (let pier = 0; pier < 10; pier++) writeFileSync(join(folder, `pier-${pier}.txt`), `Pier ${pier}\n${line.repeat(25)}`)
}

export interface TalkModel extends FakeOpenai {
  /** The questions of conversations, without those about notes. */
  asked(): readonly FakeRequest[]
  /** How many times notes were asked for. */
  notes(): number
}

interface TalkOptions {
  /** Hears of each question about notes before it is answered. */
  readonly onNotes?: () => void
  readonly rules?: VendorRules
}

/** A model that reads a file in each turn, or asks its memory where it is asked something; it counts its tokens, and refuses what does not fit. */
export async function startTalkModel({ onNotes = () => undefined, rules = {} }: TalkOptions = {}): Promise<TalkModel> {
  let calls = 0
  const server = await startFakeOpenai({
    rules,
    answers: (request) => {
      const input = Math.ceil(request.raw.length / 4)
      if (input > talkWindow) return tooLong(input)
      const usage = { input, output: 40 }
      if (isAboutNotes(request)) {
        onNotes()
        return { text: notesOn(request), usage }
      }
      const { role, content } = lastOf(request)
      const before = messagesOf(request).at(-2)
      const isRecall = listOf(before?.tool_calls).some(({ function: called }) => (called as Body).name === 'recall')
      if (role === 'tool') return { text: isRecall ? String(content) : 'The pier is as it was.', usage }
      const question = /^Which .*\?$/.exec(String(content))?.[0]
      const pier = /pier-\d/.exec(String(content))?.[0] ?? 'pier-0'
      const wanted = question
        ? { name: 'recall', args: JSON.stringify({ query: question }) }
        : { name: 'read_file', args: `{"path":"${pier}.txt"}` }
      return { calls: [{ id: `call_${++calls}`, ...wanted }], usage }
    },
  })
  return Object.assign(server, {
    asked: () => server.requests.filter((request) => !isAboutNotes(request)),
    notes: () => server.requests.filter(isAboutNotes).length,
  })
}

function tooLong(input: number): FakeAnswer {
  const message = `This model's maximum context length is ${talkWindow} tokens. However, your messages resulted in ${input} tokens.`
  return { refuse: { status: 400, message, code: 'context_length_exceeded' } }
}

const messagesOf = ({ body }: FakeRequest): readonly Body[] => listOf(body.messages)
const lastOf = (request: FakeRequest): Body => messagesOf(request).at(-1) ?? {}
export const isAboutNotes = (request: FakeRequest): boolean => String(messagesOf(request)[0]?.content).startsWith('You keep the notes')

/** Notes that grow with what was done, as those of a model do. */
function notesOn(request: FakeRequest): string {
  const turns = [...String(lastOf(request).content).matchAll(/Turn (\d+)/g)].map(([, turn]) => Number(turn))
  return `## Goal\nLook after the harbour.\n## Progress\n### Done\n- Piers were read up to turn ${Math.max(0, ...turns)}.`
}

/** Settings of a home whose model is that one. */
export function useTalkModel(home: TestHome, { url }: Pick<FakeOpenai, 'url'>, more = ''): void {
  home.write('.env', `CUSTOM_API_KEY=sk-any\nCUSTOM_BASE_URL=${url}\n`)
  home.write(
    'config.yaml',
    `model: { provider: custom, default: fake-model }\nmodels: [{ provider: custom, model: fake-model, context: ${talkWindow} }]\n${more}`,
  )
}

/** A long talk in this process, with its tools in the working folder of the home. */
export interface LongTalk extends AsyncDisposable {
  readonly agent: OpenAgent
  /** Says what is said in a turn, and gives back what came of it. */
  say(turn: number): Promise<readonly TurnEvent[]>
  /** Asks something beside it, which is not stored, and gives back the answer. */
  ask(question: string): Promise<string>
}

/** `built`: with the plugins as they were built. */
export async function openLongTalk(home: TestHome, plugins: 'source' | 'built' = 'source'): Promise<LongTalk> {
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    ...(plugins === 'source' ? { importEntry: importSourceEntry } : {}),
  })
  const run = async (text: string, more: Pick<TurnRequest, 'session' | 'store'> = {}): Promise<readonly TurnEvent[]> => {
    const request: TurnRequest = { input: [{ type: 'text', text }], source: 'cli', canAnswer: false, ...more }
    const events: TurnEvent[] = []
    for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) events.push(event)
    return events
  }
  return {
    agent,
    say: (turn) => run(saidIn(turn), { session: { key: 'talk' } }),
    ask: async (question) => {
      const last = (await run(question, { store: false })).at(-1)
      return last?.type === 'message.complete' ? last.text : ''
    },
    [Symbol.asyncDispose]: () => agent.close(),
  }
}

/** How often a question does not begin with all of the question before it. */
export function countBreaks(requests: readonly FakeRequest[]): number {
  const texts = requests.map((request) => ({
    fixed: JSON.stringify(request.body.tools),
    messages: messagesOf(request).map((message) => JSON.stringify(message)),
  }))
  return texts.filter(({ fixed, messages }, at) => {
    const before = texts[at - 1]
    return before !== undefined && (before.fixed !== fixed || before.messages.some((message, index) => message !== messages[index]))
  }).length
}

/** Whether a turn was told that its conversation was made shorter. */
export const isTold = (event: TurnEvent): boolean => event.type === 'status' && event.text.startsWith('This conversation was made shorter')
