import { type Part, readTokens, type Token } from './read-tokens.ts'

export interface Redirect {
  readonly operator: string
  readonly target: string
}

/** One program with its arguments, quotes and known variables resolved. */
export interface SimpleCommand {
  readonly words: readonly string[]
  readonly assignments: readonly { readonly name: string; readonly value: string }[]
  readonly redirects: readonly Redirect[]
  /** Here-document or here-string. */
  readonly input: string
}

/** Commands that are joined by pipes. */
export interface Pipeline {
  readonly commands: readonly SimpleCommand[]
  readonly background: boolean
  /** Brackets that are opened before it, and closed after it. */
  readonly opens: number
  readonly closes: number
}

export interface ParsedCommands {
  readonly pipelines: readonly Pipeline[]
  /** Commands inside of `$(…)`, backticks and `<(…)`. */
  readonly nested: readonly string[]
}

interface Draft {
  words: string[]
  assignments: { name: string; value: string }[]
  redirects: Redirect[]
  input: string
}

const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s
const longestValue = 4000
const emptyDraft = (): Draft => ({ words: [], assignments: [], redirects: [], input: '' })

/** What a shell command would run. `variables` is what is known of the environment; assignments inside are added to it. */
export function parseCommands(source: string, variables: Map<string, string>): ParsedCommands {
  const nested: string[] = []
  const pipelines: Pipeline[] = []
  let opens = 0
  let commands: SimpleCommand[] = []
  let draft = emptyDraft()
  let pending: string | undefined

  const endCommand = (): void => {
    const { words, assignments, redirects, input } = draft
    learnLoop(words, input, variables)
    if (words.length === 0) for (const { name, value } of assignments) learn(variables, name, value)
    if (words.length + assignments.length + redirects.length > 0) commands.push({ words, assignments, redirects, input })
    draft = emptyDraft()
  }
  const endPipeline = (background: boolean): void => {
    endCommand()
    if (commands.length > 0) {
      pipelines.push({ commands, background, opens, closes: 0 })
      opens = 0
    }
    commands = []
  }
  /** A bracket without a command is a function's. */
  const takeBracket = (text: string): void => {
    const last = pipelines.at(-1)
    const list = text === '(' && last?.commands[0]?.words.length === 0 ? last.commands[0].assignments.at(-1) : undefined
    // `list=(a b)`: what the name means is not followed.
    if (list?.value === '') variables.delete(list.name)
    if (text === '(') opens += 1
    else if (opens > 0) opens -= 1
    else if (last) pipelines[pipelines.length - 1] = { ...last, closes: last.closes + 1 }
  }
  const takeWord = (token: Token & { type: 'word' }): void => {
    const fields = expand(token.parts, variables, nested)
    if (pending !== undefined) {
      if (pending === '<<<') draft.input += fields.join(' ')
      else draft.redirects.push({ operator: pending, target: fields.join(' ') })
      pending = undefined
      return
    }
    const assigned = draft.words.length === 0 && isAssignment(token.parts) ? assignment.exec(fields.join(' ')) : null
    if (assigned) draft.assignments.push({ name: assigned[1] ?? '', value: assigned[2] ?? '' })
    else draft.words.push(...fields)
  }

  for (const token of readTokens(source)) {
    if (token.type === 'word') takeWord(token)
    else if (token.type === 'redirect') pending = token.text
    else if (token.type === 'document') {
      draft.input += token.text
      expand(token.parts, variables, nested)
    } else if (token.text === '|' || token.text === '|&') endCommand()
    else {
      endPipeline(token.text === '&')
      if (token.text === '(' || token.text === ')') takeBracket(token.text)
    }
  }
  endPipeline(false)
  return { pipelines, nested }
}

/** Parts the values that a variable takes one after the other. */
export const either = '\u0001'

/** `for name in a b` and `read name <<< a`. */
function learnLoop([first, name = '', keyword, ...values]: readonly string[], input: string, variables: Map<string, string>): void {
  if ((first === 'for' || first === 'select') && keyword === 'in') learn(variables, name, values.join(either))
  if (first === 'read' && input !== '')
    learn(variables, /^\w+$/.test(keyword ?? '') && name.startsWith('-') ? (keyword ?? '') : name, input.trim())
}

/** What grows too long, as `a=$a$a` does again and again, counts as unknown. */
function learn(variables: Map<string, string>, name: string, value: string): void {
  if (value.length <= longestValue) variables.set(name, value)
  else variables.delete(name)
}

/** The name of an assignment is never quoted. */
function isAssignment(parts: readonly Part[]): boolean {
  let text = ''
  for (const part of parts) {
    if (part.type !== 'text' || part.quoted) return false
    text += part.text
    if (text.includes('=')) return assignment.test(text)
  }
  return false
}

/** The fields of a word: variables filled in, unquoted ones split at white space, braces expanded. */
function expand(parts: readonly Part[], variables: ReadonlyMap<string, string>, nested: string[]): readonly string[] {
  let fields: string[] = []
  let field: string | undefined
  const add = (text: string): void => {
    field = (field ?? '') + text
  }
  const addSplit = (text: string): void => {
    const pieces = text.split(/[ \t\n]+/)
    pieces.forEach((piece, index) => {
      if (index > 0) {
        if (field !== undefined) fields.push(field)
        field = undefined
      }
      if (piece !== '') add(piece)
    })
  }
  for (const part of parts) {
    if (part.type === 'text') {
      add(part.text)
      continue
    }
    const text = textOf(part, variables, nested)
    if (text.includes(either)) addSplit(text.replaceAll(either, ' '))
    else if (part.quoted || text.startsWith(unknownText)) add(text.replace(unknownText, ''))
    else addSplit(text)
  }
  if (field !== undefined) fields.push(field)
  if (parts.some((part) => part.type === 'text' && !part.quoted && part.text === '{')) fields = fields.flatMap(expandBraces)
  return fields
}

/** Marks what a command prints that nobody knows before: it stays one word. */
const unknownText = '\u0002'

function textOf(part: Exclude<Part, { type: 'text' }>, variables: ReadonlyMap<string, string>, nested: string[]): string {
  // `${name:-$(command)}` and its kin run the command too.
  if (part.type === 'variable' && /\$\(|`/.test(part.source)) nested.push(`: ${part.source}`)
  if (part.type === 'variable') return variableText(part, variables)
  nested.push(part.source)
  const printed = part.mark === '$(' ? printedText(part.source, variables) : undefined
  return printed ?? `${unknownText}${part.mark}${part.source})`
}

function variableText(part: Part & { type: 'variable' }, variables: ReadonlyMap<string, string>): string {
  const known = variables.get(part.name)
  if (known !== undefined) return known
  if (part.fallback !== '') return part.fallback.replaceAll(/^(['"])(.*)\1$/gs, '$2')
  // Unset ones that only serve to take a word apart.
  return /^[0-9@*!]$/.test(part.name) ? '' : `$${part.name}`
}

/** What `$(echo …)` and `$(printf …)` become; undefined where that cannot be known. */
export function printedText(source: string, variables: ReadonlyMap<string, string>): string | undefined {
  if (/[$`]\(|`|<\(/.test(source) || !/^\s*(echo|printf)\s/.test(source)) return undefined
  const { pipelines } = parseCommands(source, new Map(variables))
  const [command, ...others] = pipelines.flatMap(({ commands }) => commands)
  return command && others.length === 0 && command.redirects.length === 0 ? printedBy(command.words) : undefined
}

/** What `echo` or `printf` prints; undefined for other programs. */
export function printedBy([name = '', ...rest]: readonly string[]): string | undefined {
  if (name === 'echo') return decodeEscapes(rest.filter((word) => !/^-[neE]+$/.test(word)).join(' '))
  return name === 'printf' ? decodeEscapes(formatted(rest)) : undefined
}

function formatted([format = '', ...values]: readonly string[]): string {
  const rest = [...values]
  const filled = format.replaceAll(/%[sbq]/g, () => rest.shift() ?? '')
  const again = /%[sbq]/.test(format) ? rest.map((value) => format.replaceAll(/%[sbq]/g, () => value)) : []
  return [filled, ...again].join('')
}

const decodeEscapes = (text: string): string =>
  text
    .replaceAll(/\\n/g, '\n')
    .replaceAll(/\\t/g, '\t')
    .replaceAll(/\\x([\da-fA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\\0?([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

const mostFields = 64

/** Bounded: braces beside braces double with each pair. */
function expandBraces(word: string): readonly string[] {
  let fields: readonly string[] = [word]
  while (fields.length < mostFields) {
    const next = fields.flatMap(expandFirstBrace)
    if (next.length === fields.length) return next
    fields = next
  }
  return fields
}

function expandFirstBrace(word: string): readonly string[] {
  const [, before = '', inner, after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(word) ?? []
  return inner === undefined ? [word] : inner.split(',').map((each) => before + each + after)
}
