import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './figure.ts'
import { runSound } from './processes.ts'

export interface HomeOptions {
  /** Base URL of the model; absent: nothing is configured. */
  readonly model?: string
  /** How many plugins are installed beside the bundled ones. */
  readonly installed?: number
  /** More of config.yaml. */
  readonly config?: readonly string[]
}

/** Makes a home and answers with its path. */
export function makeHome(bench: Bench, name: string, { model, installed = 0, config = [] }: HomeOptions): string {
  const home = join(bench.folder, name)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const switchedOn = copyPlugins(bench, home, installed)
  const lines = [
    '_config_version: 26',
    ...(model ? ['model:', '  provider: custom', '  default: bench', `  base_url: ${model}`] : []),
    ...(switchedOn.length > 0 ? ['plugins:', '  entries:', ...switchedOn.map((id) => `    ${id}: { enabled: true }`)] : []),
    ...config,
  ]
  writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`)
  return home
}

/** The same with everything on that an agent remembers, learns and undoes by: its skills are there, memory is asked by questions, turns have checkpoints. */
export async function makeFullHome(bench: Bench, name: string, options: HomeOptions): Promise<string> {
  const home = makeHome(bench, name, { ...options, config: ['memory: { provider: recall }', 'checkpoints: { enabled: true }'] })
  await runSound(bench, [join(bench.root, 'host/bin/agent.mjs'), 'skills', 'opt-in', '--sync'], { AGENT_HOME: home })
  return home
}

/** Copies of the bundled plugins under new ids, code included. Providers are switched on: they may be used, and are not. Answers with these. */
function copyPlugins({ root }: Bench, home: string, count: number): readonly string[] {
  const folders = bundledFolders(root)
  const switchedOn: string[] = []
  for (let number = 0; number < count; number++) {
    const source = folders[number % folders.length] ?? ''
    const suffix = `-copy-${String(number).padStart(3, '0')}`
    const manifest = JSON.parse(readFileSync(join(source, 'agent.plugin.json'), 'utf8')) as Manifest
    manifest.id += suffix
    for (const list of Object.values(manifest.contributes)) for (const each of list) each.id += suffix
    const folder = join(home, 'plugins', 'local', manifest.id)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest, null, 2))
    if (existsSync(join(source, 'dist'))) cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true })
    if (manifest.contributes.providers) switchedOn.push(manifest.id)
  }
  return switchedOn
}

interface Manifest {
  id: string
  readonly contributes: Readonly<Record<string, { id: string }[]>>
}

function bundledFolders(root: string): readonly string[] {
  const kinds = join(root, 'plugins')
  return readdirSync(kinds)
    .flatMap((kind) => readdirSync(join(kinds, kind)).map((name) => join(kinds, kind, name)))
    .filter((folder) => existsSync(join(folder, 'agent.plugin.json')))
}
