import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PluginFolder, pluginFolders } from '../repo/plugin-folders.ts'
import { listFiles, root } from '../repo/source-files.ts'

/** What has to hold in a repository from which a plugin's folder was deleted, and nothing else. */
const checks: readonly (readonly [what: string, ...words: string[]])[] = [
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['generated files', 'host/install/generate.mjs', '--check'],
  ['build', 'host/install/run.mjs', 'build'],
  ['tests', 'node_modules/vitest/vitest.mjs', 'run', 'test/repo', 'test/contract', 'test/e2e/every-platform.test.ts'],
]

/** Deletes one platform's folder from a copy of the repository, one after the other, and runs the checks there. `smallest` names one. */
export async function runWithout({ names }: { readonly names: readonly string[] }): Promise<boolean> {
  const platforms = pluginFolders.filter(({ kind }) => kind === 'platforms')
  const bytes = ({ path }: PluginFolder): number =>
    listFiles(path, /\.ts$/).reduce((total, file) => total + statSync(join(root, file)).size, 0)
  const [smallest] = [...platforms].sort((one, other) => bytes(one) - bytes(other))
  const wanted = names.map((name) => (name === 'smallest' ? smallest?.name : name) ?? '')
  const unknown = wanted.filter((name) => !platforms.some((folder) => folder.name === name))
  if (unknown.length > 0) throw new Error(`There is no platform ${unknown.join(', ')}.`)
  let held = true
  for (const name of wanted.length > 0 ? wanted : platforms.map((folder) => folder.name)) held = (await checkWithout(name)) && held
  return held
}

async function checkWithout(name: string): Promise<boolean> {
  const copy = mkdtempSync(join(tmpdir(), `agent-without-${name}-`))
  try {
    copyRepository(copy, `plugins/platforms/${name}/`)
    let held = true
    for (const [what, ...words] of checks) {
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
    cpSync(join(root, file), join(copy, file))
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
