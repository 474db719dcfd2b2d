import { fail } from '@agent/plugin-sdk/errors'

/** A piece of a shell word. `quoted` text is not split and has no patterns. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly type: 'variable'; readonly name: string; readonly fallback: string; readonly source: string; readonly quoted: boolean }
  /** `$(…)`, backticks or `<(…)`: `source` is a separate command. */
  | { readonly type: 'nested'; readonly source: string; readonly mark: '$(' | '<('; readonly quoted?: boolean }

export type Token =
  | { readonly type: 'word'; readonly parts: readonly Part[] }
  | { readonly type: 'operator'; readonly text: string }
  | { readonly type: 'redirect'; readonly text: string }
  /** A here-document; `parts` are what the shell fills in. */
  | { readonly type: 'document'; readonly text: string; readonly parts: readonly Part[] }

const operators = /(?:&&|\|\||;;&?|;&|\|&|[;&|()\n])/y
const redirects = /(?:&>>|&>|\d*(?:<<<|<<-|<<|<>|<&|>>|>\||>&|<|>))/y
const blanks = /(?:[ \t\r]|\\\n)+/y
const name = /[A-Za-z_]\w*|[0-9@*#?$!-]/y

/** The tokens of a shell command; throws COMMAND_FORBIDDEN when quotes or brackets do not close. */
export function readTokens(source: string): readonly Token[] {
  return new Reader(source).tokens()
}

const unparsable = (): Error =>
  fail('COMMAND_FORBIDDEN', { reason: 'its quotes or brackets do not close, so nobody can tell what it does' })

class Reader {
  #at = 0
  readonly #source: string
  readonly #documents: {
    readonly end: string
    readonly indented: boolean
    readonly quoted: boolean
    readonly into: { text: string; parts: Part[] }
  }[] = []

  constructor(source: string) {
    this.#source = source
  }

  tokens(): readonly Token[] {
    const tokens: Token[] = []
    while (true) {
      this.#take(blanks)
      if (this.#at >= this.#source.length) return tokens
      if (this.#next() === '#') this.#at = this.#lineEnd()
      else this.#readToken(tokens)
    }
  }

  #readToken(tokens: Token[]): void {
    const isNested = /[<>]\(/y
    isNested.lastIndex = this.#at
    const redirect = isNested.test(this.#source) ? undefined : this.#take(redirects)
    if (redirect !== undefined) {
      this.#readRedirect(redirect.replace(/^\d+/, ''), tokens)
      return
    }
    const operator = this.#take(operators)
    if (operator === undefined) {
      tokens.push({ type: 'word', parts: this.#readWord() })
      return
    }
    tokens.push({ type: 'operator', text: operator })
    if (operator === '\n') this.#readDocuments()
  }

  #readRedirect(text: string, tokens: Token[]): void {
    if (text !== '<<' && text !== '<<-') {
      tokens.push({ type: 'redirect', text })
      return
    }
    this.#take(blanks)
    const parts = this.#readWord()
    const quoted = parts.some((part) => part.type === 'text' && part.quoted)
    const end = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const into: { type: 'document'; text: string; parts: Part[] } = { type: 'document', text: '', parts: [] }
    this.#documents.push({ end, indented: text === '<<-', quoted, into })
    tokens.push(into)
  }

  #readDocuments(): void {
    for (const { end, indented, quoted, into } of this.#documents.splice(0)) {
      const lines: string[] = []
      while (this.#at < this.#source.length) {
        const lineEnd = this.#lineEnd()
        const line = this.#source.slice(this.#at, lineEnd)
        this.#at = Math.min(lineEnd + 1, this.#source.length)
        if ((indented ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      into.text = lines.join('\n')
      if (!quoted) new Reader(into.text).#readDouble(into.parts, '')
    }
  }

  #readWord(): readonly Part[] {
    const parts: Part[] = []
    while (this.#at < this.#source.length) {
      const next = this.#next()
      if (/[ \t\r\n;&|()]/.test(next)) break
      if (next === '<' || next === '>') {
        if (this.#source[this.#at + 1] !== '(') break
        this.#at += 2
        parts.push({ type: 'nested', source: this.#readNested(')'), mark: '<(' })
      } else if (!this.#readEscape(parts)) {
        this.#readPart(parts, next)
      }
    }
    return parts
  }

  #readEscape(parts: Part[]): boolean {
    if (this.#next() !== '\\') return false
    const escaped = this.#source[this.#at + 1] ?? ''
    this.#at += 2
    if (escaped !== '\n') parts.push({ type: 'text', text: escaped, quoted: true })
    return true
  }

  #readPart(parts: Part[], next: string): void {
    this.#at += 1
    if (next === "'") parts.push({ type: 'text', text: this.#until("'"), quoted: true })
    else if (next === '"') this.#readDouble(parts)
    else if (next === '`') parts.push({ type: 'nested', source: this.#readBackticks(), mark: '$(', quoted: false })
    else if (next === '$') this.#readDollar(parts, false)
    else parts.push({ type: 'text', text: next, quoted: false })
  }

  #readDouble(parts: Part[], end: '"' | '' = '"'): void {
    parts.push({ type: 'text', text: '', quoted: true })
    while (true) {
      const next = this.#next()
      if (next === '' && end !== '') throw unparsable()
      this.#at += 1
      if (next === end) return
      if (next === '`') parts.push({ type: 'nested', source: this.#readBackticks(), mark: '$(', quoted: true })
      else if (next === '$') this.#readDollar(parts, true)
      else if (next === '\\') parts.push({ type: 'text', text: this.#escapedInDouble(), quoted: true })
      else parts.push({ type: 'text', text: next, quoted: true })
    }
  }

  #escapedInDouble(): string {
    const next = this.#next()
    if (next === '') throw unparsable()
    this.#at += 1
    if (next === '\n') return ''
    return '$`"\\'.includes(next) ? next : `\\${next}`
  }

  #readDollar(parts: Part[], quoted: boolean): void {
    const next = this.#next()
    if (next === '(') {
      this.#at += 1
      const source = this.#readNested(')')
      // Arithmetic runs nothing.
      if (isArithmetic(source)) parts.push({ type: 'variable', name: '', fallback: '0', source, quoted })
      else parts.push({ type: 'nested', source, mark: '$(', quoted })
    } else if (next === '{') {
      this.#at += 1
      parts.push(variable(this.#readNested('}'), quoted))
    } else if (next === "'" && !quoted) {
      this.#at += 1
      parts.push({ type: 'text', text: this.#readAnsi(), quoted: true })
    } else if (next === '"' && !quoted) {
      this.#at += 1
      this.#readDouble(parts)
    } else {
      const found = this.#take(name)
      parts.push(
        found === undefined ? { type: 'text', text: '$', quoted } : { type: 'variable', name: found, fallback: '', source: '', quoted },
      )
    }
  }

  /** Up to the closing bracket, with quotes and inner brackets passed over. */
  #readNested(close: ')' | '}'): string {
    const start = this.#at
    const depths: Readonly<Record<string, number>> = { [close === ')' ? '(' : '{']: 1, [close]: -1 }
    for (let depth = 1; depth > 0; ) {
      const next = this.#next()
      if (next === '') throw unparsable()
      this.#at += 1
      this.#skipQuoted(next)
      depth += depths[next] ?? 0
    }
    return this.#source.slice(start, this.#at - 1)
  }

  #skipQuoted(opened: string): void {
    if (opened === '\\') this.#at += 1
    else if (opened === "'") this.#until("'")
    else if (opened === '"') this.#readDouble([])
  }

  #readBackticks(): string {
    const start = this.#at
    while (this.#next() !== '`') {
      if (this.#next() === '') throw unparsable()
      this.#at += this.#next() === '\\' ? 2 : 1
    }
    this.#at += 1
    return this.#source.slice(start, this.#at - 1).replaceAll(/\\([`\\$])/g, '$1')
  }

  #readAnsi(): string {
    const start = this.#at
    while (this.#next() !== "'") {
      if (this.#next() === '') throw unparsable()
      this.#at += this.#next() === '\\' ? 2 : 1
    }
    this.#at += 1
    return decodeAnsi(this.#source.slice(start, this.#at - 1))
  }

  #until(end: string): string {
    const at = this.#source.indexOf(end, this.#at)
    if (at === -1) throw unparsable()
    const text = this.#source.slice(this.#at, at)
    this.#at = at + 1
    return text
  }

  #next(): string {
    return this.#source[this.#at] ?? ''
  }

  #lineEnd(): number {
    const at = this.#source.indexOf('\n', this.#at)
    return at === -1 ? this.#source.length : at
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}

/** `((…))` as a whole, not a group of commands beside another one. */
function isArithmetic(source: string): boolean {
  if (!source.startsWith('(') || !source.endsWith(')')) return false
  let depth = 0
  for (const character of source.slice(1, -1)) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** `${name}`, with the word that stands in when it is unset. */
function variable(inner: string, quoted: boolean): Part {
  const found = /^[!#]?([A-Za-z_]\w*|.)(?::?[-=+](.*))?/s.exec(inner)
  return { type: 'variable', name: found?.[1] ?? inner, fallback: found?.[2] ?? '', source: inner, quoted }
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' }

function decodeAnsi(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
    (_all, hex, short, long, octal, other) => {
      const code = hex ?? short ?? long
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return letters[other] ?? other
    },
  )
}
