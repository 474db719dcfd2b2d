import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSmallest, type PluginFolder, pluginFolders } from '../repo/plugin-folders.ts'
import { root } from '../repo/source-files.ts'

/** What has to hold in a repository from which a plugin's folder was deleted; the list of plugins is generated once more. */
const checks: readonly (readonly [what: string, ...words: string[]])[] = [
  ['list of plugins', 'host/install/generate.mjs'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  ['generated files', 'host/install/generate.mjs', '--check'],
  ['build', 'host/install/run.mjs', 'build'],
]
const vitest = ['tests', 'node_modules/vitest/vitest.mjs', 'run'] as const
/** Where something that counts or lists platforms would be missed first; that no test names one is a rule of test/repo. */
const fewTests = ['test/repo', 'test/contract', 'test/e2e/every-platform.test.ts']

/**
 * Deletes one plugin's folder from a copy of the repository, one after the other, and runs the checks there: with every test for the
 * folders that are named, with a few for the `smallest` platform, or for all platforms where nothing is named.
 */
export async function runWithout({ names }: { readonly names: readonly string[] }): Promise<boolean> {
  const platforms = pluginFolders.filter(({ kind }) => kind === 'platforms')
  const unknown = names.filter((name) => name !== 'smallest' && !pluginFolders.some((folder) => folder.name === name))
  if (unknown.length > 0) throw new Error(`There is no plugin folder ${unknown.join(', ')}.`)
  const named = pluginFolders.filter(({ name }) => names.includes(name))
  const smallest = names.includes('smallest') ? findSmallest(platforms) : undefined
  const briefly = names.length === 0 ? platforms : platforms.filter((folder) => folder === smallest)
  let held = true
  for (const folder of briefly) held = (await checkWithout(folder, fewTests)) && held
  for (const folder of named) held = (await checkWithout(folder, [])) && held
  return held
}

async function checkWithout({ name, path }: PluginFolder, tests: readonly string[]): Promise<boolean> {
  const copy = mkdtempSync(join(tmpdir(), `agent-without-${name}-`))
  try {
    copyRepository(copy, `${path}/`)
    let held = true
    for (const [what, ...words] of [...checks, [...vitest, ...tests]] as const) {
      const problem = await run(copy, words)
      console.log(`without ${name}: ${what} ${problem === undefined ? 'fine' : `FAILED\n${problem}`}`)
      held &&= problem === undefined
    }
    return held
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function copyRepository(copy: string, without: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of listed) {
    if (file === '' || file.startsWith(without) || !existsSync(join(root, file))) continue
    // A link would lead out of the copy else, and the formatter falls over that.
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true })
  }
  // Links of the file system where it has them: nothing but caches is ever changed in there.
  execFileSync('cp', ['-al', join(root, 'node_modules'), copy])
  for (const cache of ['.agent-programs', '.vite', '.vite-temp'])
    rmSync(join(copy, 'node_modules', cache), { recursive: true, force: true })
}

/** Undefined when it ended well; else the end of what it said. */
async function run(cwd: string, words: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, FORCE_COLOR: '0' } })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-6000)
    })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  return code === 0 ? undefined : said
}
