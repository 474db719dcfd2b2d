import { fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import type { ReloadedPart, ReloadReport } from '#gateway/reload/reload-report.ts'
import { hostRow } from '#kernel/catalog/kind-rows.ts'
import type { HomeContext } from '../home-context.ts'
import { describeServed } from './describe-served.ts'

interface ReloadWords {
  /** Said where nothing of what runs had to change. */
  readonly unchanged?: string
}

export interface Reloaded {
  /** What became of it, a sentence each; nothing where no gateway runs. */
  readonly said: readonly string[]
  /** The running gateway goes on with what was changed. */
  readonly live: boolean
}

/** Asks the running gateway to take over what was just changed. Gives back what became of it; nothing where none runs. */
export async function reloadGateway(context: Pick<HomeContext, 'signal'>, home: Home, words: ReloadWords = {}): Promise<readonly string[]> {
  return (await askReload(context, home, words)).said
}

/** The same, for those who show beside the words whether it holds already. */
export async function askReload(
  context: Pick<HomeContext, 'signal'>,
  home: Home,
  { unchanged = 'The running gateway has taken it over; nothing of what runs in it had to change.' }: ReloadWords = {},
): Promise<Reloaded> {
  try {
    const { parts, profiles = [] } = (await askGateway(home, 'plugins.reload', null, { signal: context.signal })) as ReloadReport
    const said = [...parts.map(describePart), ...profiles.map(describeServed)]
    return { said: said.length === 0 ? [unchanged] : said, live: true }
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    if (error.code === 'GATEWAY_NOT_RUNNING') return { said: [], live: false }
    // What was changed is changed: the gateway's trouble with it is news, not a failure.
    return { said: [`The running gateway did not take it over, and goes on as it was: ${error.message}`], live: false }
  }
}

function describePart({ kind, id, did, state, error }: ReloadedPart): string {
  const row = hostRow(kind)
  const name = row.name(id)
  const why = error ? ` ${fromWireError(error).message}` : ''
  if (did === 'kept') return `The running gateway goes on with ${name} as it was.${why}`
  if (did === 'closed') return `The running gateway has ended ${name}.`
  if (row.reload !== 'swap') return `The running gateway uses ${name}${did === 'opened' ? '' : ' as it is now'} from the next turn on.`
  if (state === 'paused') return `The running gateway keeps ${name} paused.`
  if (state !== 'connected') return `The running gateway cannot connect ${name}.${why}`
  return `The running gateway has connected ${name}${did === 'replaced' ? ' again' : ''}.`
}
