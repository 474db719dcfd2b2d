import { fail } from '@agent/plugin-sdk/errors'
import type { JobScript } from '#store/jobs.ts'

/** How programs take a script as an argument. No file is needed then, which somebody else could change. */
const flags: Readonly<Record<string, string>> = {
  ...{ sh: '-c', bash: '-c', dash: '-c', zsh: '-c', python: '-c', python3: '-c' },
  ...{ node: '-e', perl: '-e', ruby: '-e' },
}
const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh'])
/** An argument of a program has at most 128 KiB on Linux. */
const mostBytes = 100_000

/** The program of a script and its arguments, by its first line; throws JOB_INVALID. */
export function commandOf({ name, text }: JobScript): readonly string[] {
  const invalid = (problem: string): Error => fail('JOB_INVALID', { field: `the script ${name}`, problem })
  if (text.trim() === '') throw invalid('is empty')
  if (Buffer.byteLength(text) > mostBytes) throw invalid(`is longer than ${mostBytes} bytes`)
  if (text.includes('\0')) throw invalid('is no text')
  const [file = '/bin/sh', ...words] = /^#!(.*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? []
  const isEnv = file.endsWith('/env')
  const program = baseOf(isEnv ? (words[0] ?? '') : file)
  const flag = Object.hasOwn(flags, program) ? flags[program] : undefined
  if (flag === undefined) throw invalid(`begins with none of ${Object.keys(flags).join(', ')}`)
  // The lines keep their numbers.
  const body = text.replace(/^#!.*/, '')
  return [file, ...words, flag, body, ...(shells.has(program) ? [name] : [])]
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
