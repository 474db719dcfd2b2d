import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))

export interface Run {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

type InstalledLevel = 'run' | 'build' | 'develop'

export interface TemporaryCheckout {
  readonly root: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Says that the linked node_modules fit the lockfile. */
  markInstalled(level: InstalledLevel): Promise<void>
  run(
    script: string,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
    onError?: (text: string) => void,
  ): Promise<Run>
  [Symbol.asyncDispose](): Promise<void>
}

const files = {
  'package.json': JSON.stringify({
    name: 'agent',
    version: '7.8.9',
    private: true,
    type: 'module',
    workspaces: ['plugin-sdk', 'host', 'plugins/*/*'],
  }),
  'package-lock.json': JSON.stringify({ name: 'agent', version: '7.8.9', lockfileVersion: 3, requires: true, packages: {} }),
  'plugin-sdk/package.json': JSON.stringify({
    name: '@agent/plugin-sdk',
    version: '1.0.0',
    type: 'module',
    exports: { '.': { 'agent-source': './src/index.ts', default: './dist/index.js' } },
  }),
  'plugin-sdk/src/index.ts': 'export const sdk = 1\n',
  'host/package.json': JSON.stringify({ name: '@agent/host', version: '1.0.0', type: 'module', imports: { '#*': './src/*' } }),
  'host/src/cli/main.ts': `import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from '#kernel/answer.ts'
const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ').filter(Boolean).length
export async function main(argv: readonly string[], options: { installRoot: string }): Promise<number> {
  // What was told to end needs a moment.
  for (const giveUpAt = Date.now() + 3000; children() > 0 && Date.now() < giveUpAt; ) await sleep(20)
  console.log(JSON.stringify({ argv, answer, installRoot: options.installRoot, children: children() }))
  return answer
}
`,
  'host/src/kernel/answer.ts': 'export const answer: number = 3\n',
  'host/src/kernel/extension-host/child-main.ts': 'export {}\n',
}

/** A tiny repository with the real installer in it, real builds, and the packages of this checkout. */
export async function openTemporaryCheckout(): Promise<TemporaryCheckout> {
  const root = await mkdtemp(join(tmpdir(), 'checkout-'))
  const write: TemporaryCheckout['write'] = async (more) => {
    for (const [name, text] of Object.entries(more)) {
      await mkdir(dirname(join(root, name)), { recursive: true })
      await writeFile(join(root, name), text)
    }
  }
  await write(files)
  for (const folder of ['host/install', 'host/bin']) await cp(join(repository, folder), join(root, folder), { recursive: true })
  await linkPackages(root)
  const { nativeFile } = await importScript(root, 'native.mjs')
  const cache = join(root, 'cache')
  await write({ [join('cache', basename(nativeFile(root, 'better-sqlite3')))]: 'never loaded here' })
  return {
    root,
    write,
    markInstalled: async (level) => void (await importScript(root, 'dependencies.mjs')).markInstalled(root, level),
    run: (script, args, environment = {}, onError = () => undefined) =>
      runScript(join(root, script), args, { AGENT_NATIVE_CACHE: cache, ...environment }, onError),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** A separate folder with links in it, so that a stamp written there does not reach this checkout. */
async function linkPackages(root: string): Promise<void> {
  await mkdir(join(root, 'node_modules'), { recursive: true })
  for (const name of ['esbuild', 'yaml']) await symlink(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  // Copied without what is compiled: the installer writes into this package.
  const sqlite = join('node_modules', 'better-sqlite3')
  await cp(join(repository, sqlite, 'package.json'), join(root, sqlite, 'package.json'))
  await cp(join(repository, sqlite, 'binding.gyp'), join(root, sqlite, 'binding.gyp'))
}

/** What the tests use of the installer's files, which are plain JavaScript. */
interface Script {
  nativeFile(root: string, name: string): string
  markInstalled(root: string, level: InstalledLevel): void
}

async function importScript(root: string, name: string): Promise<Script> {
  return (await import(pathToFileURL(join(root, 'host', 'install', name)).href)) as Script
}

function runScript(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  onError: (text: string) => void,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
      onError(errors)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, errors }))
  })
}
