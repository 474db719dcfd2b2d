import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { openEntry, serveEntry } from '../border/entry.ts'
import { pipeLink } from '../border/link.ts'
import { findSdk } from '../build/find-sdk.ts'
import { bundleWith } from '../build/resolve-sdk.ts'
import { fail } from '../errors.ts'
import type { CodeKind } from '../manifest.ts'
import type { OpenedPlugin } from './subject.ts'
import { createSystemClock } from './system-clock.ts'
import { type Asker, createTestFetch } from './test-fetch.ts'

const pipeNumber = 3

/** Runs in the child: serves one entry over the pipe that the parent opened, for the asker that it names as an argument. */
export function serveChild(kind: CodeKind, entry: object): void {
  const [, , asker] = process.argv
  const pipe = new Socket({ fd: pipeNumber })
  serveEntry({
    kind,
    entry,
    link: pipeLink(pipe),
    clock: createSystemClock(),
    fetch: createTestFetch(asker === undefined ? undefined : (JSON.parse(asker) as Asker)),
    resources: () => process.getActiveResourcesInfo(),
    lenient: true,
  })
}

export interface ChildProgram {
  readonly file: string
  [Symbol.asyncDispose](): Promise<void>
}

/** Bundles the source of an entry into a program that serves it. */
export async function bundleChild(kind: CodeKind, source: string): Promise<ChildProgram> {
  const { build } = await import('esbuild')
  const sdk = findSdk()
  const side = join(sdk.root, sdk.fromSource ? 'src/testing/child.ts' : 'dist/testing.js')
  const folder = await mkdtemp(join(tmpdir(), 'agent-child-'))
  const contents = `import entry from ${JSON.stringify(source)}\nimport { serveChild } from ${JSON.stringify(side)}\nserveChild('${kind}', entry)\n`
  const file = join(folder, 'child.mjs')
  const bundled = await build({
    stdin: { contents, resolveDir: sdk.root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    ...bundleWith(sdk),
    external: ['*.node', 'esbuild'],
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'silent',
  })
  await writeFile(file, bundled.outputFiles[0]?.text ?? '')
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** Starts a program of `bundleChild`: the plugin runs there, with an empty environment. */
export async function openChild<Kind extends CodeKind>(kind: Kind, file: string, asker?: Asker): Promise<OpenedPlugin<Kind>> {
  const told = asker ? [JSON.stringify({ id: asker.id, permissions: asker.permissions })] : []
  const child = spawn(process.execPath, [file, ...told], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: {} })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const said: string[] = []
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const link = pipeLink(child.stdio[pipeNumber] as Duplex)
  const gone = () => fail('PLUGIN_FAILED', { plugin: file, during: 'its run', detail: said.join('').slice(-500) || 'the process ended' })
  const { entry, control, close, late } = openEntry({ kind, link, gone })
  return {
    entry,
    control,
    said: () => said.join(''),
    late,
    [Symbol.asyncDispose]: async () => {
      close()
      child.kill('SIGKILL')
      await ended
    },
  }
}
