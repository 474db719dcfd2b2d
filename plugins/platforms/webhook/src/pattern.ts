/** Tells whether a text holds a match. */
export type Pattern = (text: string) => boolean

/** A problem of a pattern, in words that follow its name. */
export class PatternProblem extends Error {}

type Check = (before: string | undefined, after: string | undefined) => boolean

interface Step {
  /** Where it goes on; without a test at once, and to all of them. */
  readonly next: readonly number[]
  /** Takes one character. */
  readonly takes?: RegExp
  /** Takes none, and looks at both sides. */
  readonly holds?: Check
}

/** Adds its steps before the step `next` and gives the number of its first one; called again it adds a copy. */
type Part = (next: number) => number

const longestPattern = 300
const mostSteps = 600
const longestText = 4000
/** The number of the step after the last one. */
const matched = -1

const token = /\[(?:\\.|[^\]\\])+\]|\\[pP]\{\w+(?:=\w+)?\}|\\.|./suy
const repetition = /\*|\+|\?|\{(\d+)(,?)(\d*)\}/y
const checks: Readonly<Record<string, Check>> = {
  '^': (before) => before === undefined,
  $: (_, after) => after === undefined,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
}

/**
 * Reads a regular expression: characters, classes, groups, `|`, `* + ? {n,m}`, `^ $ \b`, and `(?i)` in front.
 * It follows all ways at once and never goes back, so that no text makes it slow; what needs going back is refused.
 */
export function createPattern(source: string): Pattern {
  if (source.length > longestPattern) throw new PatternProblem(`is longer than ${longestPattern} characters`)
  const steps: Step[] = []
  const start = readPattern(source, steps)(matched)
  return (text) => search(steps, start, [...text.slice(0, longestText)])
}

function readPattern(source: string, steps: Step[]): Part {
  const add = (step: Step): number => {
    if (steps.length >= mostSteps) throw new PatternProblem('repeats too much')
    return steps.push(step) - 1
  }
  const ignoreCase = source.startsWith('(?i)')
  let at = ignoreCase ? 4 : 0
  const readAtom = (): Part => {
    token.lastIndex = at
    const [text = ''] = token.exec(source) ?? []
    const holds = checks[text]
    at += text.length
    if (holds) return (next) => add({ next: [next], holds })
    if (text === '(') return readGroup()
    if ('*+?{'.includes(text)) throw new PatternProblem(`has nothing to repeat before "${text}"`)
    const takes = createTest(text, ignoreCase)
    return (next) => add({ next: [next], takes })
  }
  const readGroup = (): Part => {
    if (source.startsWith('?:', at)) at += 2
    else if (source[at] === '?') throw new PatternProblem('looks around or names a group, which is not offered')
    const inner = readChoice()
    if (source[at] !== ')') throw new PatternProblem('has a "(" that is not closed')
    at += 1
    return inner
  }
  const readRepeated = (): Part => {
    const part = readAtom()
    repetition.lastIndex = at
    const found = repetition.exec(source)
    if (!found) return part
    at += found[0].length
    return repeat(part, ...readBounds(found), add, steps)
  }
  const readChoice = (): Part => {
    const ways: Part[][] = [[]]
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') at += ways.push([]) > 0 ? 1 : 0
      else ways.at(-1)?.push(readRepeated())
    }
    const parts = ways.map(
      (way): Part =>
        (next) =>
          way.reduceRight((after, part) => part(after), next),
    )
    return (next) => add({ next: parts.map((part) => part(next)) })
  }
  const whole = readChoice()
  if (at < source.length) throw new PatternProblem('has a ")" that was not opened')
  return whole
}

function readBounds([text, least = '0', comma, most = '']: RegExpExecArray): readonly [least: number, most: number] {
  if (text === '*') return [0, Number.POSITIVE_INFINITY]
  if (text === '+') return [1, Number.POSITIVE_INFINITY]
  if (text === '?') return [0, 1]
  const end = comma === '' ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)
  if (Number(least) > end) throw new PatternProblem(`has bounds in the wrong order: ${text}`)
  return [Number(least), end]
}

function repeat(part: Part, least: number, most: number, add: (step: Step) => number, steps: Step[]): Part {
  if (Math.max(least, Number.isFinite(most) ? most : 0) > mostSteps) throw new PatternProblem('repeats too much')
  const endless: Part = (next) => {
    const own = add({ next: [] })
    steps[own] = { next: [part(own), next] }
    return own
  }
  return (next) => {
    let first = next
    if (most === Number.POSITIVE_INFINITY) first = endless(next)
    else for (let count = least; count < most; count += 1) first = add({ next: [part(first), next] })
    for (let count = 0; count < least; count += 1) first = part(first)
    return first
  }
}

/** A test of one character. */
function createTest(text: string, ignoreCase: boolean): RegExp {
  const plain = /^[\]{}]$/.test(text) ? `\\${text}` : text
  try {
    return new RegExp(`^(?:${plain})$`, ignoreCase ? 'iu' : 'u')
  } catch (error) {
    if (error instanceof SyntaxError) throw new PatternProblem(`has "${text}", which is not understood`)
    throw error
  }
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character)
}

function search(steps: readonly Step[], start: number, text: readonly string[]): boolean {
  let waiting: readonly number[] = []
  for (let at = 0; at <= text.length; at += 1) {
    const reached = new Set([...waiting, start])
    // What is added on the way is visited too.
    for (const number of reached) {
      const { next = [], takes, holds } = steps[number] ?? {}
      if (!takes && (!holds || holds(text[at - 1], text[at]))) for (const one of next) reached.add(one)
    }
    if (reached.has(matched)) return true
    waiting = [...reached].flatMap((number) => (steps[number]?.takes?.test(text[at] ?? '') ? steps[number].next : []))
  }
  return false
}
