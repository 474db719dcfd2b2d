import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import { findInstance } from '#gateway/instance.ts'

/** A plugin as the running gateway sees it; what it does not tell is absent. */
export interface LiveRow {
  readonly id: string
  readonly state: string
  readonly detail?: string | null
  readonly child?: { readonly pid: number | null; readonly memoryBytes: number; readonly memoryLimitBytes: number } | null
  readonly faults?: number
  readonly lastFault?: string | null
}

const answerWithinMs = 2000

/** What a gateway that runs says of its plugins; undefined without one, and where it cannot be asked. */
export async function askLive(home: Home, signal: AbortSignal): Promise<readonly LiveRow[] | undefined> {
  if (!findInstance(home)) return undefined
  try {
    const answer = (await askGateway(home, 'plugins.list', null, { signal, timeoutMs: answerWithinMs })) as { plugins?: unknown } | null
    return Array.isArray(answer?.plugins) ? (answer.plugins as LiveRow[]) : undefined
  } catch (error) {
    if (isAgentError(error) && error.code !== 'INTERRUPTED') return undefined
    throw error
  }
}

/** The rows that `agent plugins info` and `why` add for a gateway that runs. */
export function describeLive({ state, detail, child, faults = 0, lastFault }: LiveRow): readonly (readonly [string, string])[] {
  const rows: [string, string][] = [['in the gateway', detail ? `${state}: ${detail}` : state]]
  if (child?.pid) rows.push(['its process', `${child.pid}, ${toMib(child.memoryBytes)} of ${toMib(child.memoryLimitBytes)} MiB`])
  if (faults > 0) rows.push(['faults', `${faults} in ten minutes${lastFault ? `, at last because ${lastFault}` : ''}`])
  return rows
}

const toMib = (bytes: number): number => Math.round(bytes / 1024 / 1024)
