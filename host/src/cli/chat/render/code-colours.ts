import { findLanguage, isDiff, type Language } from './languages.ts'
import { type Line, run, type Style, styles } from './style.ts'

/** How the code of one block is coloured. */
export type Colours = { readonly type: 'none' } | { readonly type: 'diff' } | LanguageColours

interface LanguageColours {
  readonly type: 'language'
  readonly pattern: RegExp
  readonly words: ReadonlySet<string>
  readonly anyCase: boolean
  /** How what goes over several lines ends, by its first sign. */
  readonly ends: ReadonlyMap<string, string>
  readonly comment: string | undefined
}

export function openColours(language: string, colour: boolean): Colours {
  if (!colour) return { type: 'none' }
  if (isDiff(language)) return { type: 'diff' }
  const known = findLanguage(language)
  return known ? compile(known) : { type: 'none' }
}

interface Coloured {
  readonly runs: Line
  /** What the line is inside of at its end, for the next one. */
  readonly inside: string
}

/** Colours one line; `inside` is what the line before it answered, at first empty. */
export function colourLine(colours: Colours, inside: string, text: string): Coloured {
  if (colours.type === 'none') return { runs: [run(text)], inside: '' }
  if (colours.type === 'diff') return { runs: [run(text, diffStyle(text))], inside: '' }
  let step: Step = { at: 0, open: inside, runs: [] }
  while (step.at < text.length) step = step.open === '' ? stepOutside(colours, step, text) : stepInside(colours, step, text)
  return { runs: step.runs, inside: step.open }
}

interface Step {
  readonly at: number
  /** The sign of what the place is inside of. */
  readonly open: string
  readonly runs: Line
}

/** To the next thing that has a colour, and over it. */
function stepOutside(colours: LanguageColours, { at, runs }: Step, text: string): Step {
  colours.pattern.lastIndex = at
  const found = colours.pattern.exec(text)
  if (!found) return { at: text.length, open: '', runs: [...runs, run(text.slice(at))] }
  const open = found.groups?.open ?? ''
  const style = open === '' ? styleOf(found, colours) : longStyle(colours, open)
  return { at: found.index + found[0].length, open, runs: [...runs, run(text.slice(at, found.index)), run(found[0], style)] }
}

/** To the end of what is open, or of the line. */
function stepInside(colours: LanguageColours, { at, open, runs }: Step, text: string): Step {
  const end = findEnd(text, colours.ends.get(open) ?? open, at)
  const part = run(text.slice(at, end), longStyle(colours, open))
  return { at: end ?? text.length, open: end === undefined ? open : '', runs: [...runs, part] }
}

/** The style of what goes over several lines. */
function longStyle({ comment }: LanguageColours, open: string): Style {
  return open === comment ? styles.dim : styles.green
}

/** Behind the sign that ends a string or a comment; one after a backslash does not. */
function findEnd(text: string, sign: string, from: number): number | undefined {
  for (let at = text.indexOf(sign, from); at >= 0; at = text.indexOf(sign, at + 1)) {
    const slashes = /\\*$/.exec(text.slice(from, at))?.[0].length ?? 0
    if (slashes % 2 === 0) return at + sign.length
  }
  return undefined
}

function diffStyle(text: string): Style {
  if (/^(?:---|\+\+\+|diff |index )/.test(text)) return styles.bold
  if (text.startsWith('+')) return styles.green
  if (text.startsWith('-')) return styles.red
  return text.startsWith('@@') ? styles.cyan : ''
}

function styleOf({ groups = {}, 0: text }: RegExpExecArray, { words, anyCase }: LanguageColours): Style {
  if (groups.comment !== undefined) return styles.dim
  if (groups.string !== undefined) return styles.green
  if (groups.number !== undefined) return styles.yellow
  if (groups.name !== undefined) return styles.cyan
  if (words.has(anyCase ? text.toLowerCase() : text)) return styles.magenta
  if (/^(?:true|false|null|nil|None|True|False|undefined)$/.test(text)) return styles.yellow
  return groups.call === undefined ? '' : styles.blue
}

function compile({ comments, block, strings, longStrings, words, anyCase, names }: Language): LanguageColours {
  const opened = [...(block ? [block[0]] : []), ...longStrings]
  const parts = [
    names === undefined ? undefined : `(?<name>${names})`,
    group('open', opened.map(escapeSigns)),
    // A sign of a comment within a word is none.
    group(
      'comment',
      comments.map((sign) => `${sign === '#' ? '(?<![^\\s(;])' : ''}${escapeSigns(sign)}.*`),
    ),
    group(
      'string',
      strings.map((sign) => `${sign}(?:\\\\.|[^${sign}\\\\])*${sign}`),
    ),
    '(?<number>\\b(?:0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\w*)',
    '(?<call>[A-Za-z_$][\\w$]*[?!]?)(?=\\()|[A-Za-z_$][\\w$]*',
  ].filter((part) => part !== undefined)
  return {
    type: 'language',
    pattern: new RegExp(parts.join('|'), 'gi'),
    words: new Set(words.split(' ')),
    anyCase: anyCase === true,
    ends: new Map(block ? [block] : []),
    comment: block?.[0],
  }
}

function group(name: string, alternatives: readonly string[]): string | undefined {
  return alternatives.length === 0 ? undefined : `(?<${name}>${alternatives.join('|')})`
}

function escapeSigns(text: string): string {
  return text.replaceAll(/[$()*+.?[\]\\^{|}/-]/g, '\\$&')
}
