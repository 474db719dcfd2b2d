import type { Call, ToolCall, ToolContext, ToolResult, ToolRun } from '@agent/plugin-sdk'
import type { CodeConfig } from '../src/config.ts'
import toolset from '../src/toolset.ts'

const bwrap = ['--unshare-pid', '--new-session', '--die-with-parent', '--info-fd', '3', '--ro-bind', '/', '/']
const inside = ['--dev', '/dev', '--proc', '/proc']

/** Where scripts run in the tests. */
export const places = ['in a sandbox', 'without a sandbox'] as const
export type Place = (typeof places)[number]

export const clock: ToolContext['clock'] = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

export const echo: NonNullable<ToolCall['tools']> = {
  call: async (name, args) => ({ ok: true, text: `${name} ${JSON.stringify(args)}`, data: { name } }),
}

export interface CodeWorld {
  readonly folder: string
  readonly place?: Place
  readonly config?: Partial<CodeConfig>
  readonly environment?: Readonly<Record<string, string>>
  readonly clock?: ToolContext['clock']
  /** Of the plugin. */
  readonly life?: AbortSignal
}

export interface CodeCall {
  readonly session?: string
  readonly reset?: boolean
  readonly tools?: ToolCall['tools']
  readonly signal?: AbortSignal
  /** Another one than that of the world. */
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
}

export type CodeResult = Omit<ToolResult, 'data'> & { readonly data: Readonly<Record<string, unknown>> }

export interface OpenCode extends AsyncDisposable {
  run(language: string, code: string, more?: CodeCall): Promise<CodeResult>
}

/** The toolset, open, with a sandbox as the host prepares one or without. */
export async function openCode(world: CodeWorld): Promise<OpenCode> {
  const contained = world.place === 'in a sandbox'
  let environment = world.environment ?? {}
  const sandbox: ToolContext['sandbox'] = {
    prepare: async ({ argv, workspace }) => {
      const before = contained ? ['bwrap', ...bwrap, '--bind', workspace, workspace, ...inside, '--'] : []
      const [file = '', ...args] = [...before, ...argv]
      return { file, args, environment: { PATH: process.env.PATH ?? '', ...environment }, contained, infoPipe: contained ? 3 : null }
    },
    explain: async ({ failed }) => (failed ? 'The sandbox stopped it.' : undefined),
  }
  const config = { timeout: 60, max_tool_calls: 50, kernel_idle_timeout: 1800, max_session_kernels: 4, ...world.config }
  const effects: (() => void | Promise<void>)[] = []
  const context = {
    effect: (disposer: () => void | Promise<void>) => effects.push(disposer),
    signal: world.life ?? new AbortController().signal,
    ...{ config, sandbox, clock: world.clock ?? clock },
  } as unknown as ToolContext<CodeConfig>
  const call = (signal = new AbortController().signal): Call => ({ id: 'c', signal, deadline: 60_000 })
  const { tools } = await toolset.open(context, call())
  return {
    async run(language, code, { session = 's', reset = false, tools: others = echo, signal, folder = world.folder, ...more } = {}) {
      environment = more.environment ?? world.environment ?? {}
      const toolCall = { args: { code, language, reset }, session, workspace: folder, tools: others }
      const result = await (tools.execute_code as ToolRun)(toolCall as unknown as ToolCall, call(signal))
      return { ...result, data: JSON.parse(result.text ?? '{}') as Record<string, unknown> }
    },
    async [Symbol.asyncDispose]() {
      for (const effect of effects) await effect()
    },
  }
}
