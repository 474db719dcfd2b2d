import { type StdioOptions, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type Control, openEntry, serveEntry } from '../../border/entry.ts'
import { pipeLink } from '../../border/link.ts'
import { findSdk } from '../../build/find-sdk.ts'
import { linkLeftOutside, readLeftOutside } from '../../build/left-outside.ts'
import { bundleWith } from '../../build/resolve-sdk.ts'
import { fail } from '../../contract/errors.ts'
import { withTimeLimit } from '../../contract/time-limit.ts'
import type { CodeKind } from '../../kinds/kinds.ts'
import { settle } from './settle.ts'
import type { OpenedPlugin } from './subject.ts'
import { createSystemClock } from './system-clock.ts'
import { type Asker, createTestFetch } from './test-fetch.ts'

const firstPipe = 3

/** Runs in the child: serves one entry over each pipe that the parent opened, for the asker that it names as an argument. */
export function serveChild(kind: CodeKind, entry: object): void {
  const [, , pipes, asker] = process.argv
  for (let number = 0; number < Number(pipes); number += 1) {
    serveEntry({
      kind,
      entry,
      link: pipeLink(new Socket({ fd: firstPipe + number })),
      clock: createSystemClock(),
      fetch: createTestFetch(asker === undefined ? undefined : (JSON.parse(asker) as Asker)),
      resources: () => process.getActiveResourcesInfo(),
      lenient: true,
      onFault: ({ stack }) => process.stderr.write(`${stack}\n`),
    })
  }
}

/** A plugin bundled as a program, in a file that goes with it. */
export interface ChildProgram {
  readonly file: string
  [Symbol.asyncDispose](): Promise<void>
}

/** Bundles the source of an entry into a program that serves it. What the plugin in `dir` leaves outside of its bundles is loaded from where it is installed. */
export async function bundleChild(kind: CodeKind, source: string, dir?: string): Promise<ChildProgram> {
  const { build } = await import('esbuild')
  const sdk = findSdk()
  const side = join(sdk.root, sdk.fromSource ? 'src/testing/rig/child.ts' : 'dist/testing.js')
  const folder = await mkdtemp(join(tmpdir(), 'agent-child-'))
  const contents = `import entry from ${JSON.stringify(source)}\nimport { serveChild } from ${JSON.stringify(side)}\nserveChild('${kind}', entry)\n`
  const file = join(folder, 'child.mjs')
  if (dir !== undefined) await linkLeftOutside(dir, folder)
  const bundled = await build({
    stdin: { contents, resolveDir: sdk.root },
    bundle: true,
    write: false,
    outfile: file,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    ...bundleWith(sdk),
    external: ['*.node', ...(dir === undefined ? ['esbuild'] : await readLeftOutside(dir))],
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'silent',
  })
  await writeFile(file, bundled.outputFiles[0]?.text ?? '')
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Starts a program of `bundleChild`: the plugin runs there, with an empty environment. */
export async function openChild<Kind extends CodeKind>(kind: Kind, file: string, asker?: Asker): Promise<OpenedPlugin<Kind>> {
  const child = startChild(kind, file, 1, asker)
  const plugin = child.openPipe()
  return {
    ...plugin,
    [Symbol.asyncDispose]: async () => {
      // The end of a process undoes no effect: a plugin's folders and programs would stay behind.
      await endsInTime(() => plugin.control.dispose()).catch(() => undefined)
      await child.kill()
    },
  }
}

/** Opens the plugin of a program again and again. */
export interface SharedChild<Kind extends CodeKind> extends AsyncDisposable {
  open(): Promise<OpenedPlugin<Kind>>
}

/** So many borders lead into one process before the next one starts. */
const pipesEach = 16
const patienceMs = 1000

/**
 * Starts a process only where the one before is not as good as new: each plugin has a border for itself, and a process in which
 * it leaves anything is not used again.
 */
export function shareChild<Kind extends CodeKind>(kind: Kind, file: string, asker?: Asker): SharedChild<Kind> {
  let idle: RunningChild<Kind> | undefined
  return {
    open: async () => {
      const child = idle?.isAlive() ? idle : startChild(kind, file, pipesEach, asker)
      idle = undefined
      const plugin = child.openPipe()
      return {
        ...plugin,
        [Symbol.asyncDispose]: async () => {
          const isReusable = idle === undefined && child.pipesLeft() > 0 && (await isClean(plugin.control))
          await plugin[Symbol.asyncDispose]()
          if (isReusable) idle = child
          else await child.kill()
        },
      }
    },
    [Symbol.asyncDispose]: async () => await idle?.kill(),
  }
}

/** Nothing of the plugin runs or is open once its contexts have ended. */
async function isClean(control: Control): Promise<boolean> {
  // A process that died or does not answer is no use to the next plugin.
  return await endsInTime(async () => {
    const problems = await control.dispose()
    return problems.length === 0 && (await settle(control)).length === 0 && (await control.busy()) === 0
  }).catch(() => false)
}

async function endsInTime<T>(end: () => Promise<T>): Promise<T> {
  return await withTimeLimit({ clock: createSystemClock(), ms: patienceMs, what: 'The end of a plugin' }, end)
}

interface RunningChild<Kind extends CodeKind> {
  /** A border for one more plugin. */
  openPipe(): OpenedPlugin<Kind>
  pipesLeft(): number
  isAlive(): boolean
  kill(): Promise<void>
}

function startChild<Kind extends CodeKind>(kind: Kind, file: string, pipes: number, asker?: Asker): RunningChild<Kind> {
  const told = asker ? [JSON.stringify({ id: asker.id, permissions: asker.permissions })] : []
  const stdio: StdioOptions = ['ignore', ...Array<'pipe'>(2 + pipes).fill('pipe')]
  const child = spawn(process.execPath, ['--enable-source-maps', file, String(pipes), ...told], { stdio, env: {} })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const said: string[] = []
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  let used = 0
  return {
    openPipe: () => {
      const before = said.length
      const link = pipeLink(child.stdio[firstPipe + used] as Duplex)
      used += 1
      const gone = () =>
        fail('PLUGIN_FAILED', { plugin: file, during: 'its run', detail: said.join('').slice(-500) || 'the process ended' })
      const { entry, control, close, late } = openEntry({ kind, link, gone })
      return { entry, control, said: () => said.slice(before).join(''), late, [Symbol.asyncDispose]: async () => close() }
    },
    pipesLeft: () => pipes - used,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
