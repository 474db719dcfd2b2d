import { posix } from 'node:path'
import { type Wrapper, wrappers } from './wrappers.ts'

/** Words that stand before a command and do not change what it does. */
const keywords: ReadonlySet<string> = new Set('if then elif else while until do ! { } fi done esac function'.split(' '))

export interface Unwrapped {
  /** The program as it is written. */
  readonly program: string
  /** The program by its bare name, and its arguments. */
  readonly words: readonly string[]
  /** What stood around it, by bare names. */
  readonly wrappers: readonly string[]
  /** The same with their arguments. */
  readonly layers: readonly (readonly string[])[]
  /** A wrapper with an option that is not known here: what it runs may be something else. */
  readonly unsure: boolean
}

const mostLayers = 40

/** Takes keywords and programs that run other programs away, until the program that matters comes first. */
export function unwrapCommand(words: readonly string[]): Unwrapped {
  const around: string[] = []
  const layers: (readonly string[])[] = []
  let unsure = false
  let rest = withoutKeywords(words)
  for (let layer = 0; layer < mostLayers; layer++) {
    const inner = innerWords(rest)
    if (inner.words.length === 0) break
    around.push(bareName(rest[0] ?? ''))
    layers.push([bareName(rest[0] ?? ''), ...rest.slice(1)])
    unsure ||= inner.unsure
    rest = withoutKeywords(inner.words)
  }
  const [first = '', ...others] = rest
  // A start-up script is a service under another name.
  if (first.startsWith('/etc/init.d/'))
    return { words: ['service', bareName(first), ...others], wrappers: around, layers, unsure, program: first }
  return { words: first === '' ? rest : [bareName(first), ...others], wrappers: around, layers, unsure, program: first }
}

function withoutKeywords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !keywords.has(word))
  // `while IFS=, read …`
  const from = at > 0 ? words.findIndex((word, index) => index >= at && !/^[A-Za-z_]\w*\+?=/.test(word)) : at
  const rest = from === -1 ? [] : words.slice(from)
  // `function name { …`
  if (words[at - 1] === 'function' && rest[1] === '{') return withoutKeywords(rest.slice(2))
  // `coproc NAME { …`
  return rest[0] === 'coproc' && rest[2] === '{' ? rest.slice(3) : rest
}

/** `/usr/bin/rm` is `rm`, and so is `$(which rm)`. */
function bareName(word: string): string {
  const found =
    /^\$\(\s*(?:which|command\s+-v|type\s+-p)\s+(\S+)\s*\)$/.exec(word)?.[1] ?? /^\$\([^()]*\)\/(?:[\w.@-]+\/)*([\w.@-]+)$/.exec(word)?.[1]
  if (found !== undefined) return posix.basename(found)
  return word.startsWith('$(') ? word : posix.basename(word)
}

interface Rest {
  readonly words: readonly string[]
  readonly unsure: boolean
}

/** What a wrapper would run; nothing when the program is no wrapper. */
function innerWords([first = '', ...rest]: readonly string[]): Rest {
  const name = bareName(first)
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (!wrapper) return { words: [], unsure: false }
  if (!wrapper.verbs) return afterOptions(rest, wrapper)
  const at = rest.findIndex((word) => !word.startsWith('-'))
  return wrapper.verbs.split(' ').includes(rest[at] ?? '') ? afterOptions(rest.slice(at + 1), wrapper) : { words: [], unsure: false }
}

function afterOptions(words: readonly string[], wrapper: Wrapper): Rest {
  let unsure = false
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') {
      at += 1
      break
    }
    if (/^[A-Za-z_]\w*=/.test(word)) continue
    if (!word.startsWith('-') || word === '-') break
    const kind = kindOf(word, wrapper)
    unsure ||= kind === 'unknown'
    // Nobody can tell whether the next word belongs to an option that is not known; an argument that looks like a value does.
    if (kind === 'takes-next' || (kind === 'unknown' && /^(\d[\d.]*[smhd]?|[A-Z]+)$/.test(words[at + 1] ?? ''))) at += 1
  }
  return { words: words.slice(at + (wrapper.before ?? 0)), unsure }
}

type OptionKind = 'alone' | 'takes-next' | 'unknown'

function kindOf(word: string, wrapper: Wrapper): OptionKind {
  if (word.startsWith('--')) return kindOfName(word, wrapper)
  if (wrapper.numbers && /^-\d+$/.test(word)) return 'alone'
  const { flags = '', valued = '' } = wrapper
  const letters = [...word.slice(1)]
  const at = letters.findIndex((letter) => !flags.includes(letter))
  if (at === -1) return 'alone'
  if (!valued.includes(letters[at] ?? '')) return 'unknown'
  return at === letters.length - 1 ? 'takes-next' : 'alone'
}

/** Long options may be shortened. */
function kindOfName(word: string, { longFlags = '', longValued = '', longAny }: Wrapper): OptionKind {
  const name = word.slice(2).split('=')[0] ?? ''
  const fits = (names: string): boolean => names.split(' ').some((each) => each !== '' && each.startsWith(name))
  if (fits(longValued)) return word.includes('=') ? 'alone' : 'takes-next'
  return longAny || fits(longFlags) || name === 'help' || name === 'version' ? 'alone' : 'unknown'
}
