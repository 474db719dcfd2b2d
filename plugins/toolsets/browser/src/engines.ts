import { type ToolContext, withTimeLimit } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import type { Engine } from './engine.ts'
import { connectOtherEngine } from './other-engine.ts'
import { startOwnEngine } from './own-engine.ts'

/** Which browser is meant: one that runs at an address, else one of the agent. */
export interface WantedEngine {
  readonly url: string
  /** It is the person's own. */
  readonly asPerson: boolean
}

/** A browser in use. It ends with the last of those who use it. */
export interface Lease {
  readonly engine: Engine
  release(): Promise<void>
}

export interface Engines {
  lease(wanted: WantedEngine, signal: AbortSignal): Promise<Lease>
  close(): Promise<void>
}

interface Running {
  readonly engine: Promise<Engine>
  users: number
}

/** Longer than a browser may take to start. */
const startMs = 70_000

export const keyOf = ({ url, asPerson }: WantedEngine): string => `${asPerson ? 'person' : 'agent'} ${url}`

/** The browsers that run, each once however many conversations use it. */
export function createEngines(context: ToolContext<Config>): Engines {
  const engines = new Map<string, Running>()
  const ending = new Set<Promise<void>>()
  const end = (running: Running): Promise<void> => {
    const over = running.engine.then(({ close }) => close()).catch(() => undefined)
    ending.add(over)
    void over.then(() => ending.delete(over))
    return over
  }
  const forget = (key: string, running: Running): void => {
    if (engines.get(key) === running) engines.delete(key)
  }
  const run = (wanted: WantedEngine): Running => {
    const key = keyOf(wanted)
    const found = engines.get(key)
    if (found) return found
    const running: Running = { engine: startEngine(context, wanted), users: 0 }
    engines.set(key, running)
    running.engine.then(
      async ({ ended, close }) => {
        await ended
        forget(key, running)
        await close()
      },
      () => forget(key, running),
    )
    return running
  }
  return {
    lease: async (wanted, signal) => {
      const running = run(wanted)
      running.users += 1
      const release = async (): Promise<void> => {
        running.users -= 1
        if (running.users > 0) return
        forget(keyOf(wanted), running)
        await end(running)
      }
      try {
        // It starts for all who want it: one who waits no more leaves it to the others.
        const engine = await withTimeLimit(
          { clock: context.clock, signal, ms: startMs, what: 'Starting the browser' },
          () => running.engine,
        )
        return { engine, release }
      } catch (error) {
        void release()
        throw error
      }
    },
    close: async () => {
      const all = [...engines.values()]
      engines.clear()
      await Promise.all([...all.map(end), ...ending])
    },
  }
}

async function startEngine(context: ToolContext<Config>, { url, asPerson }: WantedEngine): Promise<Engine> {
  const { config, clock, signal: life } = context
  const resolve = (address: string): Promise<readonly string[]> =>
    context.web.resolve({ url: address, allowPrivate: config.allow_private_urls }, { id: 'browser', signal: life, deadline: 15_000 })
  const more = { config, clock, resolve, signal: life }
  if (url !== '') return await connectOtherEngine({ ...more, url, asPerson })
  return await startOwnEngine({ ...more, environment: await context.environment() })
}
