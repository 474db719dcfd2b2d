import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { command } from '../../host/src/cli/commands/plugins.ts'
import { fingerprint } from './fingerprint.ts'
import { runCommand } from './test-cli.ts'
import { type TarItem, writePackage } from './write-tar.ts'

export interface StageOptions {
  readonly signal?: AbortSignal
}

/** A home, an installation with one bundled plugin, and packages to install from files. */
export interface InstallStage extends Disposable {
  readonly folder: string
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  run(words: readonly string[], options?: StageOptions): ReturnType<typeof runCommand>
  /** Runs with `--json` and gives back what was printed. */
  json(
    ...words: string[]
  ): Promise<Record<string, unknown> & { readonly error?: { readonly code: string; readonly params: Record<string, unknown> } }>
  /** Writes `<name>.tgz` and gives its spec back. */
  pack(name: string, files: Readonly<Record<string, string>>, more?: readonly TarItem[]): string
  /** Installs with consent and gives the row of the plugin back. */
  install(spec: string): Promise<void>
  /** The hash that has to be accepted. */
  hashOf(...words: string[]): Promise<string>
  write(path: string, text: string): void
  /** Stands for everything in the home and around it: two equal ones mean that nothing changed. */
  fingerprint(): string
}

export const diceCode = (tools = ['roll']): string =>
  `export default { open: async () => ({ tools: { ${tools.map((tool) => `${tool}: async () => ({ ok: true, text: '4' })`).join(', ')} } }) }`

/** The files of a plugin with one toolset. */
export function diceFiles(more: Record<string, unknown> = {}, packageMore: Record<string, unknown> = {}): Record<string, string> {
  const { tools = ['roll'], version = '1.0.0', ...manifest } = more as { readonly tools?: readonly string[]; readonly version?: string }
  const toolset = { id: 'dice', entry: 'dist/toolset.dice.js', label: 'Dice', tools: tools.map(toolOf) }
  const described = { id: 'toolset-dice', name: 'Dice', description: 'Rolls dice.', version, license: 'MIT', api: { toolset: 1 } }
  return {
    'package.json': JSON.stringify({
      name: 'agent-plugin-dice',
      version,
      license: 'MIT',
      type: 'module',
      keywords: ['agent-plugin'],
      ...packageMore,
    }),
    'agent.plugin.json': JSON.stringify({ manifestVersion: 1, ...described, contributes: { toolsets: [toolset] }, ...manifest }),
    'dist/toolset.dice.js': diceCode([...tools]),
  }
}

const toolOf = (name: string) => ({
  name,
  description: name,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'none',
})

export function openInstallStage(): InstallStage {
  const folder = mkdtempSync(join(tmpdir(), 'agent-install-'))
  const [home, install] = [join(folder, 'home'), join(folder, 'install')]
  mkdirSync(home, { mode: 0o700 })
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  write(join(install, 'package.json'), '{"version":"1.0.0"}')
  write(
    join(install, 'plugins', 'toolsets', 'files', 'agent.plugin.json'),
    diceFiles({ id: 'toolset-files', contributes: {} })['agent.plugin.json'] ?? '',
  )
  const environment = { AGENT_HOME: home, PATH: dirname(process.execPath), HOME: folder }
  const run: InstallStage['run'] = (words, options = {}) =>
    runCommand((cli) => command({ ...cli, installRoot: install, cwd: folder }), words, { environment, ...options })
  const json: InstallStage['json'] = async (...words) => JSON.parse((await run([...words, '--json'])).out)
  const consentHash = async (...words: string[]): Promise<string> =>
    ((await json(...words)) as unknown as { readonly consent: { readonly hash: string } }).consent.hash
  return {
    ...{ folder, home, environment, run, json, write },
    hashOf: consentHash,
    pack(name, files, more) {
      writeFileSync(join(folder, `${name}.tgz`), writePackage(files, more))
      return `file:${name}.tgz`
    },
    async install(spec) {
      const { code, note } = await run(['install', spec, '--accept', await consentHash('install', spec)])
      if (code !== 0) throw new Error(note)
    },
    fingerprint: () => fingerprint(folder),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Changes the lock as a hand with an editor would. */
export function editLock(home: string, change: (entry: Record<string, unknown>) => Record<string, unknown>): void {
  const file = join(home, 'plugins', 'plugins.lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8')) as { plugins: Record<string, Record<string, unknown>> }
  for (const [id, entry] of Object.entries(lock.plugins)) lock.plugins[id] = change(entry)
  writeFileSync(file, JSON.stringify(lock, null, 2))
}
