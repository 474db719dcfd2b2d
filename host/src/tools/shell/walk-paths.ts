import { posix } from 'node:path'
import type { SimpleCommand } from './parse-commands.ts'
import { type PathUse, pathsOf, readTree, startsOf } from './paths-of.ts'
import { isInside, placePath, printedBy, type Walk } from './walk.ts'

/** What one command reads, writes, removes, makes and links. */
export function walkPaths(words: readonly string[], command: SimpleCommand, walk: Walk): void {
  const [name = '', ...rest] = words
  const place = (path: string): string => placePath(path, walk)
  const uses = pathsOf(words, command.redirects, place)
  walk.paths.push(...uses)
  for (const folder of walk.others) walk.paths.push(...pathsOf(words, command.redirects, (path) => placePath(path, { ...walk, folder })))
  if (!leavesText.test(name)) learnTexts(uses, copies.test(name) ? walk.made.get(place(rest[0] ?? '')) : printedBy(command, walk), walk)
  if (name === 'find' && walk.nested) walk.paths.push(...startsOf(rest, place).map(readTree))
  for (const file of fetched(name, rest)) walk.made.set(place(file), undefined)
  if (name === 'ln') learnLink(rest, walk)
  for (const [line, isSo] of findings) if (isSo(name, rest, walk)) walk.lines.add(line)
  if (!harmlessAnywhere.test(name) && uses.some(({ path }) => !path.startsWith('/'))) walk.lines.add(':unknown-folder')
}

function learnTexts(uses: readonly PathUse[], text: string | undefined, walk: Walk): void {
  for (const { path, use } of uses) if (use === 'write') walk.made.set(path, text)
}

/** What is named after its address. */
function fetched(name: string, words: readonly string[]): readonly string[] {
  const isNamed =
    name === 'wget'
      ? !words.some((word) => /^(-\w*O|--output-document)/.test(word))
      : words.some((word) => /^(-\w*O\w*|--remote-name\S*)$/.test(word))
  if (!/^(wget|curl)$/.test(name) || !isNamed) return []
  return words.filter((word) => !word.startsWith('-')).map((word) => posix.basename(word.replace(/[?#].*$/s, '')))
}

function learnLink(words: readonly string[], walk: Walk): void {
  const [from, to] = words.filter((word) => !word.startsWith('-'))
  if (from !== undefined) walk.links.set(placePath(to ?? (posix.basename(from) || '.'), walk), placePath(from, walk))
}

const findings: readonly (readonly [line: string, isSo: (name: string, rest: readonly string[], walk: Walk) => boolean])[] = [
  [
    ':container-mount',
    (name, rest, walk) => /^(docker|podman|nerdctl)$/.test(name) && mountsOf(rest).some((path) => !isInside(placePath(path, walk), walk)),
  ],
  [':own-process', (name, rest, { place }) => name === 'kill' && rest.some((word) => place.ownProcesses?.includes(Math.abs(Number(word))))],
  [
    ':own-home',
    (name, _rest, { folder, place, realHome }) => !harmlessAtHome.test(name) && (folder === place.home || folder === realHome()),
  ],
]

/** The folders of this machine that a container gets. */
function mountsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1] ?? ''
    const volume = /^(-v|--volume)$/.test(before) ? word : /^(?:-v|--volume=)(.+)$/s.exec(word)?.[1]
    const mount = before === '--mount' ? word : /^--mount=(.+)$/s.exec(word)?.[1]
    const path = volume?.split(':')[0] ?? /(?:source|src)=([^,]+)/.exec(mount ?? '')?.[1] ?? ''
    return /^[/~.]/.test(path) ? [path] : []
  })
}

const copies = /^(cp|mv|ln|install)$/
/** Programs that change a file and not its text, or make one of which the text is at hand. */
const leavesText =
  /^(chmod|chown|chgrp|touch|mkdir|gcc|g\+\+|cc|c\+\+|clang(\+\+)?|go|rustc|ghc|javac|ld|tsc|esbuild|python[\d.]*|sed|perl|patch|git|npm)$/
const harmlessAnywhere =
  /^(ls|pwd|echo|printf|git|npm|npx|pnpm|yarn|make|node|true|false|cd|pushd|popd|test|\[|\[\[|export|for|case|wc|stat|du|date|sleep|tsc|vitest|cargo|go|pytest|)$/
const harmlessAtHome = /^(ls|pwd|cd|stat|du|agent|git|echo|wc|test|\[|cat|head|tail|file|)$/
