import type { Redirect } from './parse-commands.ts'

export interface PathUse {
  readonly path: string
  readonly use: 'read' | 'write' | 'remove'
}

/** Programs that change every path they name. */
const writers =
  /^(tee|touch|truncate|sponge|chmod|chown|chgrp|chattr|setfacl|mkdir|ln|install|unlink|rmdir|shred|cd|pushd|nano|vim?|emacs|ed|ex)$/
/** Programs that change the last path they name. */
const copiers = /^(cp|mv|rsync|scp|ditto)$/
const editors = /^(sed|perl|ruby|gsed)$/
/** Options whose value is a file that is written. */
const outputOptions = /^(-o|-O|--output|--output-document|--out|-t|--target-directory)$/

/** The paths that a command reads, writes or removes, as far as its words tell. */
export function pathsOf(words: readonly string[], redirects: readonly Redirect[], place: (path: string) => string): readonly PathUse[] {
  const [name = '', ...rest] = words
  const named = rest.filter((word) => !word.startsWith('-'))
  const uses: PathUse[] = redirects.map(({ operator, target }) => ({ path: place(target), use: operator.includes('>') ? 'write' : 'read' }))
  const inPlace = rest.some((each) => /^-[a-z]*i|^--in-place/.test(each))
  const last = named.at(-1)
  rest.forEach((word, index) => {
    const isOutput = outputOptions.test(rest[index - 1] ?? '')
    const isLast = word === last
    uses.push(...useOf(name, word, { isOutput, isLast, inPlace }, place))
  })
  return uses
}

interface Position {
  readonly isOutput: boolean
  readonly isLast: boolean
  /** The program was told to edit in place. */
  readonly inPlace: boolean
}

function useOf(name: string, word: string, position: Position, place: (path: string) => string): readonly PathUse[] {
  const [, key = '', value = ''] = /^(-{0,2}[\w-]+)=(.+)$/s.exec(word) ?? []
  if (value !== '') return [{ path: place(value.replace(/^@/, '')), use: key === 'of' || outputOptions.test(key) ? 'write' : 'read' }]
  if (word.startsWith('-')) {
    const attached = /^-[oOt]([/~].*)$/.exec(word)?.[1]
    return attached === undefined ? [] : [{ path: place(attached), use: 'write' }]
  }
  const path = place(word.replace(/^@/, ''))
  if (name === 'rm' || (name === 'mv' && !position.isLast)) return [{ path, use: 'remove' }]
  const writes =
    writers.test(name) || position.isOutput || (copiers.test(name) && position.isLast) || (editors.test(name) && position.inPlace)
  return [{ path, use: writes ? 'write' : 'read' }]
}
