import { posix } from 'node:path'

/** Words that stand before a command and do not change what it does. */
const keywords: ReadonlySet<string> = new Set([
  'if',
  'then',
  'elif',
  'else',
  'while',
  'until',
  'do',
  '!',
  '{',
  '}',
  'fi',
  'done',
  'esac',
  'function',
])

/** Programs that run another one, with those of their options that take a value, and how many arguments stand before the program. */
const wrappers: Readonly<Record<string, { readonly valued?: string; readonly before?: number }>> = {
  sudo: { valued: 'ugpCDhrtTU' },
  doas: { valued: 'uC' },
  env: { valued: 'uCS' },
  nohup: {},
  setsid: {},
  time: { valued: 'fo' },
  nice: { valued: 'n' },
  ionice: { valued: 'cnp' },
  stdbuf: { valued: 'ioe' },
  timeout: { valued: 'ks', before: 1 },
  command: {},
  builtin: {},
  exec: { valued: 'a' },
  busybox: {},
  toybox: {},
  unbuffer: {},
  chroot: { before: 1 },
  caffeinate: { valued: 'tw' },
  strace: { valued: 'oePps' },
  firejail: {},
  taskset: { before: 1 },
  chrt: { before: 1 },
  flock: { valued: 'wE', before: 1 },
}

export interface Unwrapped {
  /** The program by its bare name, and its arguments. */
  readonly words: readonly string[]
  /** What stood around it, by bare names. */
  readonly wrappers: readonly string[]
}

/** Takes keywords and programs that run other programs away, until the program that matters comes first. */
export function unwrapCommand(words: readonly string[]): Unwrapped {
  const around: string[] = []
  let rest = withoutKeywords(words)
  for (let inner = innerWords(rest); inner.length > 0; inner = innerWords(rest)) {
    around.push(bareName(rest[0] ?? ''))
    rest = withoutKeywords(inner)
  }
  const [first = '', ...others] = rest
  // A start-up script is a service under another name.
  if (first.startsWith('/etc/init.d/')) return { words: ['service', bareName(first), ...others], wrappers: around }
  return { words: first === '' ? rest : [bareName(first), ...others], wrappers: around }
}

function withoutKeywords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !keywords.has(word))
  return at === -1 ? [] : words.slice(at)
}

/** What a wrapper would run; nothing when the program is no wrapper. */
function innerWords([first = '', ...rest]: readonly string[]): readonly string[] {
  const name = bareName(first)
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  return wrapper ? afterOptions(rest, wrapper.valued ?? '', wrapper.before ?? 0) : []
}

/** `/usr/bin/rm` is `rm`. */
function bareName(word: string): string {
  return word.startsWith('$(') ? word : posix.basename(word)
}

function afterOptions(words: readonly string[], valued: string, before: number): string[] {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') {
      at += 1
      break
    }
    if (/^[A-Za-z_]\w*=/.test(word)) continue
    if (!word.startsWith('-') || word === '-') break
    if (word.length === 2 && valued.includes(word[1] ?? '')) at += 1
  }
  return words.slice(at + before)
}
