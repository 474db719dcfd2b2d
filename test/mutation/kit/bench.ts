import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasFile, type PluginFolder, pluginFolders } from '../../repo/plugin-folders.ts'
import { askKit } from './ask-kit.ts'

/** The platforms that can be tried. */
export const tryable: readonly PluginFolder[] = pluginFolders.filter(
  (folder) => folder.kind === 'platforms' && hasFile(folder, 'test/contract.ts'),
)

/** A copy of a platform in which faults are seeded. */
export interface Bench {
  readonly dir: string
  ask(only?: readonly string[]): ReturnType<typeof askKit>
}

export function openBench(root: string, { name, path }: PluginFolder, temporary: string, number: number): Bench {
  const place = join(temporary, String(number))
  const dir = join(place, name)
  const scratch = join(place, 'scratch')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(scratch, { recursive: true })
  for (const part of ['src', 'agent.plugin.json', 'package.json', 'README.md'].filter((each) => existsSync(join(root, path, each)))) {
    cpSync(join(root, path, part), join(dir, part), { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  }
  const contract = join(root, path, 'test', 'contract.ts')
  return { dir, ask: (only) => askKit({ root, dir, contract, scratch, ...(only ? { only } : {}) }) }
}

/** Puts the layer of faults around the platform's entry; the answer chooses a fault, or none. */
export function wrapEntry(root: string, { dir }: Bench): (fault?: string) => void {
  const source = join(dir, 'src')
  const [, entry] = /platforms:[\s\S]*?entry: \(\) => import\('\.\/([^']+)'\)/.exec(readFileSync(join(source, 'plugin.ts'), 'utf8')) ?? []
  if (entry === undefined) throw new Error(`${dir} does not say which file its platform is`)
  const file = join(source, entry)
  const sound = `sound-${entry}`
  renameSync(file, join(dirname(file), sound))
  cpSync(join(root, 'test/mutation/kit/promises'), join(source, 'promises'), {
    recursive: true,
    filter: (each) => !each.endsWith('.test.ts'),
  })
  return (fault) =>
    writeFileSync(
      file,
      [
        "import { breakPromise } from './promises/break-promise.ts'",
        `import sound from './${sound}'`,
        '',
        `export default breakPromise(sound${fault === undefined ? '' : `, '${fault}'`})`,
        '',
      ].join('\n'),
    )
}
