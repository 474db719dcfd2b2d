import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { CheckedPackage } from './check-package.ts'
import { probeProgram } from './probe-program.ts'
import { refuse } from './refusals.ts'

const probeWithinMs = 20_000
const longestAnswer = 65_536

/** Loads a package's code for the first time: in a child without environment that may read its own folder and nothing else. */
export async function probePackage(folder: string, { file, manifest }: CheckedPackage, signal: AbortSignal): Promise<void> {
  const root = realpathSync(folder)
  const { platforms, providers, toolsets } = manifest.contributes
  const parts = Object.entries({ platforms, providers, toolsets }).flatMap(([list, specs]) =>
    specs.flatMap((spec) =>
      spec.entry === undefined
        ? []
        : [
            {
              ...{ list, id: spec.id, entry: spec.entry, url: pathToFileURL(join(root, spec.entry)).href },
              ...('tools' in spec && { tools: spec.tools.map((tool) => tool.name) }),
            },
          ],
    ),
  )
  if (parts.length === 0) return
  // What it may read or start is not decided by loading it: its own child will see to that.
  const mayReach = manifest.permissions.fs !== undefined || manifest.permissions.run !== undefined
  const problems = await runProbe(root, { parts, mayReach }, file.name, signal)
  if (problems.length > 0) throw refuse(file.name, 'shape-mismatch', { problem: problems.join('; ') })
}

async function runProbe(root: string, task: unknown, name: string, signal: AbortSignal): Promise<readonly string[]> {
  const given = AbortSignal.any([signal, AbortSignal.timeout(probeWithinMs)])
  const child = spawn(
    process.execPath,
    [...restrictions(root), '--input-type=module', '--eval', probeProgram, '--', JSON.stringify(task)],
    {
      cwd: root,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    },
  )
  const kill = (): void => void child.kill('SIGKILL')
  given.addEventListener('abort', kill, { once: true })
  if (given.aborted) kill()
  let [answer, note] = ['', '']
  const answers = child.stdio[3] as Readable
  answers.setEncoding('utf8').on('data', (text: string) => {
    answer += text
    if (answer.length > longestAnswer) kill()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    note = (note + text).slice(-longestAnswer)
  })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)).finally(() =>
    given.removeEventListener('abort', kill),
  )
  signal.throwIfAborted()
  if (given.aborted) throw refuse(name, 'probe-failed', { problem: `loading it took longer than ${probeWithinMs} ms` })
  const problems = readProblems(answer)
  if (problems === undefined) throw refuse(name, 'probe-failed', { problem: describeEnd(code, note) })
  return problems
}

/** The names of the flags differ between versions of Node. */
function restrictions(root: string): readonly string[] {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'
  return [
    flag,
    `--allow-fs-read=${join(root, '*')}`,
    '--no-warnings',
    '--max-old-space-size=256',
    '--disallow-code-generation-from-strings',
  ]
}

function readProblems(answer: string): readonly string[] | undefined {
  try {
    const { problems } = JSON.parse(answer) as { readonly problems?: unknown }
    return Array.isArray(problems) ? problems.map(String) : undefined
  } catch {
    // A plugin that ends the process says nothing.
    return undefined
  }
}

function describeEnd(code: number | null, note: string): string {
  const line = note.split('\n').find((each) => /^\w*Error\b/.test(each))
  return line ?? (code === null ? 'the process was killed' : `the process ended with code ${code}`)
}
