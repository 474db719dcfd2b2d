/** A command inside another: as text for a shell, or as words. */
export type Inner = { readonly source: string } | { readonly words: readonly string[] }

const shells = /^(ba|z|da|k|mk|a|fi)?sh$/
const commandOption = /^-[a-zA-Z]*c[a-zA-Z]*$/

export const isShell = (name: string): boolean => shells.test(name)

/** Commands that the arguments of a program hold: `sh -c`, `eval`, `xargs`, `find -exec` and their kin. */
export function innerCommands(words: readonly string[]): readonly Inner[] {
  const [name = '', ...rest] = words
  if (isShell(name) || name === 'su') return [...afterOption(rest, commandOption)]
  if (name === 'eval') return [{ source: rest.join(' ') }]
  if (name === 'trap') return rest.slice(0, 1).map((source) => ({ source }))
  if (name === 'alias') return rest.map((each) => ({ source: each.slice(each.indexOf('=') + 1) }))
  if (name === 'watch') return [{ source: rest.filter((word) => !word.startsWith('-')).join(' ') }]
  if (name === 'env') return [...afterOption(rest, /^(-S|--split-string)$/)]
  if (name === 'xargs' || name === 'parallel') return [{ words: afterFlags(rest) }]
  if (name === 'find' || name === 'fd' || name === 'fdfind') return executed(rest)
  return []
}

function* afterOption(words: readonly string[], option: RegExp): Generator<Inner> {
  const at = words.findIndex((word) => option.test(word))
  const source = at === -1 ? undefined : words[at + 1]
  if (source !== undefined) yield { source }
}

/** `xargs -0 -n 1 -I{} rm`: numbers and placeholders belong to options. */
function afterFlags(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => {
    const previous = words[index - 1] ?? ''
    return !word.startsWith('-') && !/^-(n|P|L|I|d|E|s|a|j|-max-args|-max-procs)$/.test(previous)
  })
  return at === -1 ? [] : words.slice(at)
}

function executed(words: readonly string[]): readonly Inner[] {
  return words.flatMap((word, index) => {
    if (!/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word)) return []
    const rest = words.slice(index + 1)
    const end = rest.findIndex((each) => each === ';' || each === '+')
    return [{ words: end === -1 ? rest : rest.slice(0, end) }]
  })
}
