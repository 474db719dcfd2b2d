import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { isOverWithin } from '../../contract/time-limit.ts'
import { type CodeKind, kinds } from '../../kinds/kinds.ts'
import { createSystemClock } from '../rig/system-clock.ts'

const program = `
import { writeSync } from 'node:fs'
const { default: entry } = await import(process.argv[1])
writeSync(3, JSON.stringify({ has: typeof entry === 'object' && entry !== null && typeof entry[process.argv[2]] === 'function' }))
`

/** Imports an entry in a child and lets it end: what is wrong with that, empty when nothing is. */
export async function tryImport(kind: CodeKind, file: string, patienceMs: number): Promise<string> {
  const { method } = kinds[kind]
  const args = ['--enable-source-maps', '--input-type=module', '-e', program, pathToFileURL(file).href, method]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: {} })
  const read = { told: '', complaint: '' }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (read.complaint += text))
  child.stdio[3]?.on('data', (bytes: Uint8Array) => (read.told += bytes.toString()))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const late = !(await isOverWithin({ clock: createSystemClock(), ms: patienceMs }, closed))
  if (late) child.kill('SIGKILL')
  await closed
  if (late && read.told !== '')
    return 'importing it keeps a process alive: start things in the method that the host calls, not in the module'
  if (late) return 'importing it does not end'
  if (read.told === '') return `importing it failed: ${lastLine(read.complaint)}`
  return read.told.includes('true') ? '' : `its default export has no method ${method}()`
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => /^\w*Error\b|^Error\b|^\S+Error:/.test(line))
  return lines[0] ?? (text.trim().split('\n').at(-1) || 'the process ended')
}
