import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const linesOf = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')

const unfold = (line: string): string => (/<<'?EOF/.test(line) ? line.replaceAll('\\n', '\n') : line)

export interface Attempt {
  readonly class: string
  readonly command: string
}

/** What people type every day; nothing of it is worth a question. */
export const everyday = (): readonly string[] => linesOf('everyday.txt').map(unfold)

/** What is asked about only where there is no sandbox. */
export const everydayContained = (): readonly string[] => [...everyday(), ...linesOf('everyday-contained.txt')]

/** What is known to run unasked without a sandbox; docs/sandbox-commands.md says of which kinds. */
export const unasked = (): readonly string[] => linesOf('unasked.txt').map(unfold)

/** What has to be asked about or refused: written out, and four acts inside of each wrapper. */
export function attempts(): readonly Attempt[] {
  let heading = ''
  const written = linesOf('attacks.txt').flatMap((line): readonly Attempt[] => {
    if (!line.startsWith('## ')) return [{ class: heading, command: unfold(line) }]
    heading = line.slice(3)
    return []
  })
  const wrappers = linesOf('wrappers.txt').filter((line) => !line.startsWith('# '))
  const wrapped = wrappers.flatMap((wrapper) =>
    acts.map(([name, command]) => ({ class: name, command: wrapper.replaceAll('{q}', quoted(command)).replaceAll('{}', () => command) })),
  )
  return [...written, ...wrapped]
}

const acts: readonly (readonly [name: string, command: string])[] = [
  ['wrapped: delete a folder', 'rm -rf project'],
  ['wrapped: read secrets', 'cat ~/.agent/.env'],
  ['wrapped: write ~/.ssh', 'cp k ~/.ssh/authorized_keys'],
  ['wrapped: floor', 'rm -rf /usr'],
]

const quoted = (text: string): string => `"${text}"`
