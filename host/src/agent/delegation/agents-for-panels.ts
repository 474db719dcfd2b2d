import type { Panel } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { SessionSummary, Sessions } from '#store/sessions.ts'
import type { Children, RunningChild } from './children.ts'

type PanelAgents = Parameters<Panel['open']>[0]['agents']
type PanelAgent = Awaited<ReturnType<PanelAgents['list']>>[number]

export interface PanelAgentsParts {
  readonly childAgents: Pick<Children, 'all'>
  readonly sessions: Pick<Sessions, 'find' | 'list'>
}

/** So many stored ones are looked at. */
const mostStored = 100

/** Child agents for a page of the dashboard: those that work in this program, and those that were stored last. */
export function agentsForPanels({ childAgents, sessions }: PanelAgentsParts): PanelAgents {
  return {
    list: async () => {
      const stored = new Map((await sessions.list({ limit: mostStored, source: 'subagent' })).map((each) => [each.id, each]))
      const working = childAgents.all().map((child) => describeWorking(child, stored.get(child.session)))
      for (const { session } of working) stored.delete(session)
      const found = [...working, ...[...stored.values()].map(describeStored)].sort((one, other) => other.startedAt - one.startedAt)
      const titles = new Map<string, string>()
      for (const { parent } of found) if (!titles.has(parent)) titles.set(parent, (await sessions.find(parent))?.title ?? '')
      return found.map((agent) => ({ ...agent, title: titles.get(agent.parent) ?? '' }))
    },
    stop: async (session) => {
      const found = childAgents.all().find((child) => child.session === session)
      if (!found) throw fail('DELEGATION_ENDED', { session })
      found.stop()
    },
  }
}

type Untitled = Omit<PanelAgent, 'title'>

function describeWorking(
  { session, parent, goal, startedAt, model, doing, calls }: RunningChild,
  stored: SessionSummary | undefined,
): Untitled {
  return { session, parent, task: goal, startedAt, model, state: 'works', doing, calls, tokens: tokensOf(stored) }
}

function describeStored({ id, parent, preview, startedAt, model, endReason, ...rest }: SessionSummary): Untitled {
  // One without an end that does not work here was left by a program that was killed, or works in another one.
  const about = { state: endReason ?? 'unknown', doing: '', calls: 0, tokens: tokensOf(rest) }
  return { session: id, parent: parent ?? '', task: preview ?? '', startedAt, model, ...about }
}

const tokensOf = (stored: Pick<SessionSummary, 'usage'> | undefined): number => (stored ? stored.usage.input + stored.usage.output : 0)
