import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { ensureFolder, openHome } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { maskText } from '#observe/mask.ts'
import { readTail } from '#observe/read-log.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import type { Action } from '../api.ts'

export interface Actions {
  /** Starts it, or joins the same one that runs. Another one for the same home, such as with other words, is refused until it has ended. */
  start(context: HomeContext, name: string, words: readonly string[]): Promise<Action>
  status(context: HomeContext, name: string): Promise<Action>
  isBusy(): boolean
}

interface Running {
  readonly name: string
  readonly words: readonly string[]
  readonly file: string
  readonly startedAt: number
  endedAt?: number
  state: Action['state']
}

const mostTail = 40

/** A long action runs as a separate command, so that neither a browser that leaves nor a gateway that ends takes it away. */
export function createActions(program: readonly string[]): Actions {
  const last = new Map<string, Running>()
  const describe = async ({ file, words: _words, ...action }: Running): Promise<Action> => {
    const { lines } = await readTail(file, mostTail)
    const wanted = action.state === 'failed' ? /run the same command with --accept ([0-9a-f]{64})/.exec(lines.join('\n'))?.[1] : undefined
    return { ...action, tail: lines.map((line) => maskText(line, [])), ...(wanted === undefined ? {} : { wantsAccept: wanted }) }
  }
  return {
    async start(context, name, words) {
      const { path, files } = openHome({ environment: context.environment, profile: context.profile })
      const before = [...last].find(([key, { state }]) => key.startsWith(`${path}\0`) && state === 'running')?.[1]
      if (before && !isDeepStrictEqual(before.words, words)) throw fail('HTTP_ACTION_RUNS', { action: before.name })
      if (before) return describe(before)
      // Nothing waits between the look and the start, so that two requests at once start one.
      const action: Running = {
        name,
        words,
        file: join(ensureFolder(files.logs), `action-${name}.log`),
        startedAt: systemClock.now(),
        state: 'running',
      }
      last.set(`${path}\0${name}`, action)
      const profile = context.profile === undefined ? [] : ['-p', context.profile]
      run(action, { program: [...program, ...profile, ...words], context, cwd: path })
      return describe(action)
    },
    async status(context, name) {
      const { path } = openHome({ environment: context.environment, profile: context.profile, create: false })
      const found = last.get(`${path}\0${name}`)
      if (!found) throw fail('HTTP_NOT_FOUND', { what: `action ${name.slice(0, 100)} of this dashboard` })
      return describe(found)
    },
    isBusy: () => [...last.values()].some(({ state }) => state === 'running'),
  }
}

interface RunOptions {
  readonly program: readonly string[]
  readonly context: HomeContext
  readonly cwd: string
}

/** Its words go to a file; a program that cannot be started leaves the reason there. */
function run(action: Running, { program: [file = process.execPath, ...words], context, cwd }: RunOptions): void {
  const end = (state: Action['state']): void => {
    action.state = state
    action.endedAt = systemClock.now()
  }
  const log = openSync(action.file, 'w', 0o600)
  try {
    const child = spawn(file, words, { cwd, env: { ...context.environment }, detached: true, stdio: ['ignore', log, log] })
    child.once('error', (error) => {
      writeFileSync(action.file, `It could not be started: ${detailOf(error)}\n`, { mode: 0o600 })
      end('failed')
    })
    child.once('exit', (code) => end(code === 0 ? 'done' : 'failed'))
    child.unref()
  } catch (error) {
    writeFileSync(action.file, `It could not be started: ${detailOf(error)}\n`, { mode: 0o600 })
    end('failed')
  } finally {
    closeSync(log)
  }
}

/** How this program is started again. */
export function programOf(installRoot: string): readonly string[] {
  return [process.execPath, ...noDebugger(), join(installRoot, 'host', 'bin', 'agent.mjs')]
}
