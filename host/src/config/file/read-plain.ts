/** A value that stands in one line: no key, no list. */
type Scalar = string | number | boolean | null
type Section = Record<string, unknown>

/**
 * Settings as most files hold them: keys of letters, values that stand in one line, lists and sections of them, comments. Answers what the
 * parser of YAML answers for the same text, in a quarter of the time; undefined for every text that holds anything else, also where it would be
 * right. YAML 1.2.2, core schema.
 */
export function readPlain(text: string): Section | undefined {
  // Beside ASCII only letters: some other characters end a line, or are none.
  if (/[^\n -~À-ɏ]/.test(text)) return undefined
  const reader = new PlainReader()
  return text.split('\n').every((line) => reader.take(line)) ? reader.finish() : undefined
}

const keyPattern = '[A-Za-z_][\\w.-]*'
const lineParts = new RegExp(`^( *)(?:(- )|(${keyPattern}):(?: +|$))(.*)$`)

class PlainReader {
  private readonly root: Section = {}
  private readonly open: { readonly indent: number; readonly section: Section }[] = [{ indent: 0, section: this.root }]
  /** A key whose value begins in the next line, if it has one. */
  private waiting: { readonly indent: number; readonly key: string; readonly section: Section } | undefined
  private list: { readonly indent: number; readonly items: unknown[] } | undefined

  /** False where a line is not as plain as this reader needs it. */
  take(line: string): boolean {
    if (line.length > longestLine) return false
    if (/^ *(?:#|$)/.test(line)) return true
    const [, { length: indent } = '', dash, key, rest = ''] = lineParts.exec(line) ?? []
    if (dash !== undefined) return this.takeItem(indent, rest)
    return key !== undefined && this.takeKey(indent, key, rest)
  }

  /** Undefined where there is no key at all. */
  finish(): Section | undefined {
    this.settle(null)
    return Object.keys(this.root).length > 0 ? this.root : undefined
  }

  private takeItem(indent: number, rest: string): boolean {
    if (this.waiting !== undefined && indent >= this.waiting.indent) {
      this.list = { indent, items: [] }
      this.settle(this.list.items)
    }
    const value = readValue(rest)
    if (this.list?.indent !== indent || value === undefined || value === nothing) return false
    this.list.items.push(value)
    return true
  }

  private takeKey(indent: number, key: string, rest: string): boolean {
    this.list = undefined
    if (this.waiting !== undefined && indent > this.waiting.indent) {
      const section: Section = {}
      this.settle(section)
      this.open.push({ indent, section })
    }
    this.settle(null)
    while ((this.open.at(-1)?.indent ?? 0) > indent) this.open.pop()
    const { section, ...at } = this.open.at(-1) ?? { indent: -1, section: this.root }
    if (at.indent !== indent || this.open.length > mostOpen || Object.hasOwn(section, key) || isOddKey(key)) return false
    const value = readValue(rest)
    if (value === undefined) return false
    if (value === nothing) this.waiting = { indent, key, section }
    else section[key] = value
    return true
  }

  private settle(value: unknown): void {
    if (this.waiting !== undefined) this.waiting.section[this.waiting.key] = value
    this.waiting = undefined
  }
}

const mostOpen = 20
/** A much longer one, of spaces or of items, would take far more time than its length. */
const longestLine = 1000
/** What stands behind a key whose value comes later. */
const nothing = Symbol('nothing')

/** Such a key means more than its text, or nothing good. */
function isOddKey(key: string): boolean {
  return key === '__proto__' || /^(?:true|false|null)$/i.test(key)
}

/** What follows a key or a dash; undefined where it is not plain. */
function readValue(rest: string): unknown {
  const value = rest.replace(/(?:^| )#.*$/, '').trim()
  if (value === '') return nothing
  // Within quotes and brackets a number sign may be no comment.
  if (/^["'{[]/.test(value) && rest.includes('#')) return undefined
  const [, quoted] = /^"([^"\\]*)"$/.exec(value) ?? /^'([^']*)'$/.exec(value) ?? []
  if (quoted !== undefined) return quoted
  if (value.startsWith('{')) return readFlowSection(value)
  if (value.startsWith('[')) return readFlowList(value)
  return /: |:$/.test(value) ? undefined : readScalar(value)
}

/** Undefined where a text might be more than a text, or a number that is written in another way than in JSON. */
function readScalar(value: string): Scalar | undefined {
  if (/^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)$/.test(value)) return Number(value)
  if (!/^[A-Za-z_/]/.test(value)) return undefined
  if (/^(?:true|True|TRUE)$/.test(value)) return true
  if (/^(?:false|False|FALSE)$/.test(value)) return false
  return /^(?:null|Null|NULL)$/.test(value) ? null : value
}

const flowSection = new RegExp(`^\\{ *(${keyPattern}): +([\\w./ -]+)((?:,.*)?)\\}$`)

function readFlowSection(value: string): Section | undefined {
  const section: Section = {}
  if (/^\{ *\}$/.test(value)) return section
  for (let left = value; left !== ''; ) {
    const [, key = '', text = '', more = ''] = flowSection.exec(left) ?? []
    const item = readScalar(text.trim())
    if (item === undefined || Object.hasOwn(section, key) || isOddKey(key)) return undefined
    section[key] = item
    left = more === '' ? '' : `{${more.slice(1)}}`
  }
  return section
}

function readFlowList(value: string): readonly Scalar[] | undefined {
  if (/^\[ *\]$/.test(value)) return []
  const [, inside] = /^\[([\w./ ,-]+)\]$/.exec(value) ?? []
  const items = inside?.split(',').map((item) => readScalar(item.trim()))
  return items?.includes(undefined) ? undefined : (items as readonly Scalar[] | undefined)
}
