import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { type OpenAgent, openAgent } from '../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../host/src/kernel/calls/call.ts'
import { root } from '../../repo/source-files.ts'
import { type FakeOpenai, startFakeOpenai } from '../fakes/fake-openai.ts'
import type { FakeAnswer, FakeRequest } from '../fakes/fake-vendor.ts'
import { importSourceEntry } from '../source-entry.ts'
import type { TestHome } from '../test-home.ts'

/** What a model says, step by step, to an agent that was asked this. */
export type Scripts = Readonly<Record<string, readonly FakeAnswer[]>>

interface Message {
  readonly role: string
  readonly content: unknown
}

const messagesOf = ({ body }: FakeRequest): readonly Message[] => body.messages as readonly Message[]
const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('')

/** What the agent of a request was asked last by a person, or by its parent. */
export const askedIn = (request: FakeRequest): string => textOf(messagesOf(request).findLast(({ role }) => role === 'user')?.content ?? '')
/** Results of tools that it has heard since. */
export function resultsIn(request: FakeRequest): readonly string[] {
  const messages = messagesOf(request)
  const from = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(from).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []))
}
/** Names of the tools that it lists. */
export const toolsIn = ({ body }: FakeRequest): readonly string[] =>
  ((body.tools ?? []) as readonly { readonly function: { readonly name: string } }[]).map((tool) => tool.function.name)

/** A model that answers each agent of a tree by the script of its task. */
export function startScripted(scripts: Scripts): Promise<FakeOpenai> {
  return startFakeOpenai({
    answers: (request) => {
      const messages = messagesOf(request)
      const from = messages.findLastIndex(({ role }) => role === 'user')
      const steps = messages.slice(from).filter(({ role }) => role === 'assistant').length
      const script = scripts[askedIn(request).split('\n')[0] ?? ''] ?? [{ text: 'There is no such script.' }]
      return script[Math.min(steps, script.length - 1)] ?? {}
    },
  })
}

/** A call of a tool that is listed, or of one that is not. */
export const call = (name: string, args: object, id?: string): FakeAnswer => ({
  calls: [{ name, args: JSON.stringify(args), ...(id ? { id } : {}) }],
})
export const delegate = (args: object): FakeAnswer => call('tool_call', { name: 'delegate_task', arguments: args })

export interface ScriptedAgents extends AsyncDisposable {
  readonly agent: OpenAgent
  readonly server: FakeOpenai
  /** Runs a turn to its end and gives its events. */
  say(text: string, more?: Partial<TurnRequest>, watch?: Watch): Promise<readonly TurnEvent[]>
}

export interface Watch {
  readonly signal?: AbortSignal
  readonly hear?: (event: TurnEvent) => void
}

/** An agent on this home whose model goes by scripts. */
export async function openScripted(home: TestHome, scripts: Scripts, more: object = {}): Promise<ScriptedAgents> {
  const server = await startScripted(scripts)
  const model = { provider: 'custom', default: 'fake-model', base_url: server.url }
  home.write('config.yaml', JSON.stringify({ model, sessions: { auto_title: false }, ...more }))
  const agent = await openAgent({
    ...{ installRoot: root, environment: home.environment, profile: undefined, workspace: home.work },
    ...{ note: () => undefined, importEntry: importSourceEntry },
  })
  return {
    agent,
    server,
    async say(text, request = {}, { signal = new AbortController().signal, hear = () => undefined } = {}) {
      const events: TurnEvent[] = []
      const asked: TurnRequest = { input: [{ type: 'text', text }], source: 'test', canAnswer: false, ...request }
      for await (const event of agent.turns.run(asked, createCall(signal))) {
        events.push(event)
        hear(event)
      }
      return events
    },
    async [Symbol.asyncDispose]() {
      await agent.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

export function eventsOf<Type extends TurnEvent['type']>(
  events: readonly TurnEvent[],
  type: Type,
): readonly Extract<TurnEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type)
}

/** One entry of the result of delegate_task. */
export interface DelegatedResult {
  readonly status: string
  readonly exit_reason: string
  readonly summary: string
  readonly error?: string
  readonly model: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly api_calls: number
  readonly session_id: string
  readonly tool_trace: readonly {
    readonly tool: string
    readonly args_bytes: number
    readonly result_bytes: number
    readonly status: string
  }[]
}

/** The results of the last call of delegate_task. */
export function delegatedIn(events: readonly TurnEvent[]): readonly DelegatedResult[] {
  const done = eventsOf(events, 'tool.complete').findLast(({ name }) => name === 'delegate_task')
  if (!done?.ok) throw new Error(`delegate_task did not succeed: ${done?.text ?? 'it was not called'}`)
  return (JSON.parse(done.text) as { results: readonly DelegatedResult[] }).results
}
