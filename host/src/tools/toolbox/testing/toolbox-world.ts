import { type Clock, type Log, type Manifest, manifestSchema, type ToolCall, type ToolResult, type Toolset } from '@agent/plugin-sdk'
import { type Contribution, createCatalog } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { PreparedCall, ToolDone, ToolTurn } from '../../tool-turn.ts'
import { openToolbox, type Toolbox, type ToolboxOptions } from '../toolbox.ts'

export type Run = (toolCall: ToolCall, call: { readonly signal: AbortSignal; readonly deadline: number }) => unknown

export const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
/** All time is over as soon as nothing else is left to do. */
export const hasty: Clock = { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) }

export const closed = { type: 'object', properties: { n: { type: 'integer', default: 7 } }, additionalProperties: false }

/** What the tools of a toolset have beside a name. */
type More = object | ((name: string) => object)

interface ContributionOptions {
  /** What its plugin asks of the host; for each toolset, or for all. */
  readonly host?: readonly string[] | ((toolset: string) => readonly string[])
  readonly tool?: More
  readonly toolset?: object
}

function contribution(
  id: string,
  tools: readonly string[],
  { host: wanted = [], tool = {}, toolset = {} }: ContributionOptions,
): Contribution<'toolset'> {
  const host = typeof wanted === 'function' ? wanted(id) : wanted
  const manifest: Manifest = manifestSchema.parse({
    manifestVersion: 1,
    id: `toolset-${id}`,
    name: id,
    description: id,
    version: '1.0.0',
    license: 'MIT',
    api: { toolset: 1 },
    contributes: {
      toolsets: [
        {
          id,
          entry: 'dist/x.js',
          label: id,
          ...toolset,
          tools: tools.map((name) => ({
            name,
            description: `${name} of ${id}`,
            parameters: closed,
            effect: 'read',
            parallel: true,
            timeoutMs: 5000,
            ...(typeof tool === 'function' ? tool(name) : tool),
          })),
        },
      ],
    },
    permissions: host.length > 0 ? { host: { value: host, reason: 'test' } } : {},
  })
  const [spec] = manifest.contributes.toolsets
  if (!spec) throw new Error('no toolset')
  const plugin = { manifest, root: '/', source: id.endsWith('-of-others') ? ('installed' as const) : ('bundled' as const), warnings: [] }
  return { kind: 'toolset', id, plugin, spec, settings: { key: '', value: undefined } }
}

export interface ToolboxWorld {
  readonly toolbox: Toolbox
  readonly opened: string[]
  readonly closed: string[]
}

/** A toolbox over toolsets whose tools are given as functions. */
export function open(
  toolsets: Readonly<Record<string, Readonly<Record<string, Run>>>>,
  more: Partial<ToolboxOptions> & ContributionOptions = {},
): ToolboxWorld {
  const opened: string[] = []
  const closedOnes: string[] = []
  const toolbox = openToolbox({
    catalog: createCatalog(
      [],
      Object.entries(toolsets).map(([id, tools]) => contribution(id, Object.keys(tools), more)),
    ),
    activator: {
      entry: async <T>({ id }: Contribution) => {
        opened.push(id)
        const toolset: Toolset = { open: async () => ({ tools: toolsets[id] as never }) }
        return toolset as T
      },
    },
    openContext: async ({ id }) => ({
      context: { signal: new AbortController().signal } as never,
      close: async () => void closedOnes.push(id),
    }),
    approvals: allowing,
    search: () => ({ enabled: 'auto', max_listed: 10, search_default_limit: 5 }),
    clock: systemClock,
    log: silent,
    ...more,
  })
  return { toolbox, opened, closed: closedOnes }
}

export const allowing: Approvals = {
  check: async (_tool, args) => ({ folder: undefined, args }),
  folderFor: async () => undefined,
  moved: () => undefined,
  succeeded: () => undefined,
}

export const turn: ToolTurn = {
  turn: 'trn_1',
  owner: 'owner',
  session: 'ses_1',
  workspace: '/work',
  canAnswer: true,
  door: 'cli',
  approve: async () => 'deny',
  ask: async ({ question }) => `answer to ${question}`,
  progress: () => undefined,
  approved: new Set(),
  signal: new AbortController().signal,
  tools: new Set(),
  reachable: new Set(),
}

/** The turn of a session that begins now. */
export const turnOf = (toolbox: Toolbox): ToolTurn => {
  const tools = new Set(toolbox.specs().map((spec) => spec.name))
  return { ...turn, tools, reachable: tools.has('tool_call') ? toolbox.reachable() : new Set() }
}

export const prepare = (toolbox: Toolbox, name: string, args = '{}'): Promise<PreparedCall> =>
  toolbox.prepare({ id: 'call_1', name, args }, turnOf(toolbox))

export async function run(toolbox: Toolbox, name: string, args = '{}', signal = new AbortController().signal): Promise<ToolDone> {
  const prepared = await prepare(toolbox, name, args)
  return prepared.ready ? prepared.run({ id: 'call_1', signal, deadline: 60_000 }) : prepared.done
}

export const ok = async (): Promise<ToolResult> => ({ ok: true, text: 'done' })
