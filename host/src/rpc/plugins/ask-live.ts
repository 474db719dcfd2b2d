import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import { findInstance } from '#gateway/instance/instance.ts'
import type { LiveRow } from './live-row.ts'

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
