import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Log, ToolCall, ToolContext, ToolResult, Wire } from '@agent/plugin-sdk'
import { type Config, config } from '../src/config.ts'
import type { DynamicList, DynamicTools } from '../src/known-tool.ts'
import toolset from '../src/toolset.ts'

export interface OpenedToolset extends AsyncDisposable {
  readonly workspace: string
  readonly kept: Map<string, Wire>
  /** What it wrote down. */
  readonly warned: readonly string[]
  readonly notes: readonly string[]
  list(wish?: Parameters<DynamicTools['list']>[0]): Promise<DynamicList>
  /** What a person was asked. */
  readonly asked: readonly string[]
  /** What the person answers next; `yes` where nothing is said. */
  answerNext(...answers: readonly string[]): void
  /** What a model was asked. */
  readonly samples: readonly object[]
  run(name: string, args?: Wire, signal?: AbortSignal): Promise<ToolResult>
}

const clock: Clock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

/** The toolset with servers as config.yaml names them, in the test's process. */
export async function openToolset(
  servers: Readonly<Record<string, object>>,
  kept = new Map<string, Wire>(),
  login: ToolContext['login'] = async () => ({}),
): Promise<OpenedToolset> {
  const workspace = await mkdtemp(join(tmpdir(), 'mcp-test-'))
  const life = new AbortController()
  const disposers: (() => void | Promise<void>)[] = []
  const warned: string[] = []
  const notes: string[] = []
  const asked: string[] = []
  const answers: string[] = []
  const samples: object[] = []
  const silent = (): void => undefined
  const log: Log = {
    debug: silent,
    info: silent,
    warn: (message, fields) => warned.push(`${message} ${JSON.stringify(fields)}`),
    error: silent,
  }
  const context = {
    ...{ clock, log, signal: life.signal, fetch: globalThis.fetch },
    about: { plugin: 'toolset-mcp', contribution: 'mcp', profile: 'default', agentVersion: '1.0.0' },
    config: config.parse({ mcp_servers: servers }),
    environment: async () => ({ PATH: process.env.PATH ?? '', HOME: '/nowhere', OWN_SECRET: 'not for servers' }),
    login,
    models: { ask: async (request) => `answer ${samples.push(request)}` },
    state: {
      get: async (key) => kept.get(key),
      set: async (key, value) => void kept.set(key, value),
      delete: async (key) => void kept.delete(key),
    },
    effect: (disposer) => disposers.unshift(disposer),
  } satisfies Partial<ToolContext<Config>> as unknown as ToolContext<Config>
  const idle = new AbortController().signal
  const ask: ToolCall['ask'] = async ({ question, choices }) => {
    asked.push([question, ...choices].join(' | '))
    return answers.shift() ?? 'yes'
  }
  const { dynamic } = await toolset.open(context, { id: 'open', signal: idle, deadline: 60_000 })
  if (!dynamic) throw new Error('no dynamic tools')
  const callOf = (signal = idle) => ({ id: 'call_1', signal, deadline: 60_000 })
  return {
    ...{ workspace, kept, warned, notes, asked, samples },
    answerNext: (...next) => void answers.push(...next),
    list: (wish = {}) => dynamic.list(wish, callOf()),
    run: (name, args = {}, signal = idle) => {
      const about = { id: 'call_1', args, session: 'ses_1', turn: 'trn_1', workspace }
      const toolCall: ToolCall = { ...about, progress: (text) => notes.push(text), ask }
      return dynamic.run(name, toolCall, callOf(signal))
    },
    [Symbol.asyncDispose]: async () => {
      life.abort()
      for (const dispose of disposers) await dispose()
      await rm(workspace, { recursive: true, force: true })
    },
  }
}
