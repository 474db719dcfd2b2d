import type { Manifest } from '@agent/plugin-sdk'
import type { LogEntry } from '../see/log-entry.ts'

/** What became of the connections of a plugin since its gateway has started, and mistakes in its code; undefined where a line tells of nothing new. */
export type DescribeTrouble = (entry: LogEntry) => string | undefined

interface Known {
  /** The gateway that this is known of. */
  readonly pid: number
  readonly connected: Set<string>
  /** What a platform suffers from, told or not. */
  readonly troubles: Map<string, string>
  readonly stacks: Set<string>
}

const broken: ReadonlySet<unknown> = new Set(['degraded', 'retrying', 'fatal'])

/** How the first attempt went says the gateway that starts, or its reload; what comes after that they do not. */
export function createDescribeTrouble({ id, contributes }: Manifest): DescribeTrouble {
  const platforms: ReadonlySet<unknown> = new Set(contributes.platforms.map((platform) => platform.id))
  let known = knowNothing(0)
  return ({ pid, message, fields }) => {
    if (pid !== known.pid) known = knowNothing(pid)
    const { plugin, platform, state, stack } = fields
    if (plugin === id && typeof stack === 'string') return describeMistake(known, id, message, stack)
    if (typeof platform !== 'string' || !platforms.has(platform)) return undefined
    if (state === 'connected') return describeConnected(known, platform)
    return broken.has(state) ? describeBroken(known, platform, `${state}: ${message}`) : undefined
  }
}

const knowNothing = (pid: number): Known => ({ pid, connected: new Set(), troubles: new Map(), stacks: new Set() })

function describeMistake({ stacks }: Known, id: string, message: string, stack: string): string | undefined {
  if (stacks.has(stack)) return undefined
  stacks.add(stack)
  return `${id}: ${message}: ${stack}`
}

function describeConnected({ connected, troubles }: Known, platform: string): string | undefined {
  connected.add(platform)
  return troubles.delete(platform) ? `${platform}: connected` : undefined
}

function describeBroken({ connected, troubles }: Known, platform: string, trouble: string): string | undefined {
  const before = troubles.get(platform)
  troubles.set(platform, trouble)
  const isTold = before === undefined ? !connected.has(platform) : before === trouble
  return isTold ? undefined : `${platform}: ${trouble}`
}
