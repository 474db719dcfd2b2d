import type { ToolCall, ToolContext } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { readConnection } from './connection.ts'
import type { OpenedTab } from './engine.ts'
import { createEngines, type Engines, keyOf, type Lease, type WantedEngine } from './engines.ts'
import { createTab, type Tab } from './tab.ts'

/** A tab, and whether it is in the person's own browser. */
export interface ConversationTab extends Tab {
  readonly isPersons: boolean
  /** Sites on which the person has let the agent act. */
  readonly allowed: Set<string>
}

/** The tabs of the conversations. */
export interface Tabs {
  /** The tab of a conversation; undefined where it has none that lives. */
  find(session: string): Promise<ConversationTab | undefined>
  /** The same, or a new one. */
  open(toolCall: Pick<ToolCall, 'session' | 'ask'>, signal: AbortSignal): Promise<ConversationTab>
  /** Lets the time go by after which a tab without a call is closed. */
  rest(session: string): void
  close(): Promise<void>
}

interface Entry {
  readonly tab: ConversationTab
  readonly key: string
  close(): Promise<void>
  idle?: AbortController
}

export function createTabs(context: ToolContext<Config>): Tabs {
  const { config, clock } = context
  const engines = createEngines(context)
  const entries = new Map<string, Entry>()
  const wanted = async (): Promise<WantedEngine> => {
    const url = await readConnection(context.state)
    return url === undefined ? { url: config.cdp_url, asPerson: false } : { url, asPerson: true }
  }
  const drop = async (session: string): Promise<void> => {
    const entry = entries.get(session)
    entries.delete(session)
    entry?.idle?.abort()
    await entry?.close()
  }
  const find = async (session: string): Promise<ConversationTab | undefined> => {
    const entry = entries.get(session)
    entry?.idle?.abort()
    if (!entry || (entry.tab.broken() === undefined && entry.key === keyOf(await wanted()))) return entry?.tab
    await drop(session)
    return undefined
  }
  return {
    find,
    open: async ({ session, ask }, signal) => {
      const found = await find(session)
      if (found) return found
      const where = await wanted()
      if (where.asPerson) await requireYes(ask, `May the agent use your own browser at ${where.url}, in a separate tab, with your logins?`)
      const { tab, close } = await openTab(context, engines, where, signal)
      entries.set(session, { tab, close, key: keyOf(where) })
      return tab
    },
    rest: (session) => {
      const entry = entries.get(session)
      if (!entry) return
      entry.idle?.abort()
      entry.idle = new AbortController()
      clock.sleep(config.inactivity_timeout * 1000, entry.idle.signal).then(
        () => drop(session),
        () => undefined,
      )
    },
    close: async () => {
      await Promise.all([...entries.keys()].map(drop))
      await engines.close()
    },
  }
}

async function openTab(
  { config, clock }: ToolContext<Config>,
  engines: Engines,
  where: WantedEngine,
  signal: AbortSignal,
): Promise<Pick<Entry, 'tab' | 'close'>> {
  const lease = await engines.lease(where, signal)
  const opened = await openOrRelease(lease)
  const { refusalOf, ended } = lease.engine
  const tab = createTab({ first: opened.page, prepare: opened.prepare, config, clock, refusalOf, ended })
  return {
    tab: { ...tab, isPersons: where.asPerson, allowed: new Set() },
    close: async () => {
      await opened.close().catch(() => undefined)
      await lease.release()
    },
  }
}

async function openOrRelease({ engine, release }: Lease): Promise<OpenedTab> {
  try {
    return await engine.openTab()
  } catch (error) {
    await release()
    throw error
  }
}

const answers = ['Yes', 'No']

/** Rejects unless the person agrees. */
export async function requireYes(ask: ToolCall['ask'], question: string): Promise<void> {
  const answer = await ask({ question, choices: answers })
  if (!/^y/i.test(answer.trim())) throw new Error('the person does not want it. Ask them what to do instead.')
}
