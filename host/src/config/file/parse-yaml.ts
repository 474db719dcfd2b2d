import { type Document, Lexer, LineCounter, parseDocument, type YAMLError } from 'yaml'
import { deepest, findFault } from './find-fault.ts'

/** What keeps a text from being read as YAML. */
export interface YamlFault {
  readonly line: number
  readonly column: number
  /** One sentence without its full stop; it quotes nothing that could be a secret. */
  readonly reason: string
}

export type ParsedYaml =
  | { readonly ok: true; readonly document: Document; readonly lines: LineCounter }
  | { readonly ok: false; readonly fault: YamlFault }

/** Parses a text that may be anything: what is not YAML, is said twice, never ends or is nested without measure comes back as its first fault. */
export function parseYaml(text: string): ParsedYaml {
  const depth = findDepth(text)
  if (depth !== undefined) return { ok: false, fault: { ...placeOf(text, depth), reason: tooDeep } }
  const lines = new LineCounter()
  // Keys are text: a long number as a key keeps its digits. That each stands there once is looked up below, because the parser compares each with each.
  const document: Document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, stringKeys: true })
  const [error] = [...document.errors, ...document.warnings]
  const fault = error ? { offset: error.pos[0], reason: reasonOf(error) } : findFault(document)
  if (fault === undefined) return { ok: true, document, lines }
  return { ok: false, fault: { ...placeOf(text, fault.offset), reason: fault.reason } }
}

const tooDeep = `it is nested deeper than ${deepest} levels`

/** Where a text is nested so deeply that the parser, which calls itself for each level, would run out of stack. */
function findDepth(text: string): number | undefined {
  const block = new RegExp(`^[ \\t?:-]{${2 * deepest},}`, 'm').exec(text)
  if (block) return block.index
  if ((text.match(/[[{]/g)?.length ?? 0) <= deepest) return undefined
  let [depth, offset] = [0, 0]
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++
    else if (token === ']' || token === '}') depth--
    // The lexer marks kinds of scalars and documents by characters that stand nowhere in the text.
    if (!['\u0002', '\u0018', '\u001f'].includes(token)) offset += token.length
    if (depth > deepest) return offset - 1
  }
  return undefined
}

const reasons: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'a tab indents this line; use spaces',
  BAD_ALIAS: 'an alias has no name or one that cannot be used',
  MULTIPLE_DOCS: 'a second document begins here; a file holds one',
  NON_STRING_KEY: 'this key is no text',
  BAD_COLLECTION_TYPE: 'this tag has no meaning here',
  TAG_RESOLVE_FAILED: 'this tag has no meaning here',
  BAD_DIRECTIVE: 'this line that begins with % has no meaning here',
}

function reasonOf({ code, message }: YAMLError): string {
  // What follows a colon is quoted from the file.
  return reasons[code] ?? message.replace(/: .*$/s, '').replace(/[.:]$/, '')
}

/** What is never closed is noticed behind the last line. */
function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, Math.min(offset, text.trimEnd().length))
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}
