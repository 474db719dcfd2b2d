import { createPublicKey, verify } from 'node:crypto'

/** What an organisation says about plugins, in a file that it signs. */
export interface CuratedList {
  readonly name: string
  /** When it was written, in the form of ISO 8601; an older one never takes the place of a newer one. */
  readonly issued: string
  readonly entries: readonly CuratedEntry[]
  readonly blocked: readonly { readonly package: string; readonly reason: string }[]
  readonly withdrawn: readonly { readonly package: string; readonly versions: readonly string[]; readonly reason: string }[]
}

/** A plugin that it recommends. */
export interface CuratedEntry {
  readonly package: string
  /** The versions that may be installed; all where it is absent. */
  readonly range?: string
  readonly kind?: string
  readonly note?: string
}

/** Where a list is, and the key that its signature has to fit. */
export interface ListPlace {
  readonly url: string
  /** The public ed25519 key of who signs it, in the form SPKI, as base64. */
  readonly signed_by: string
}

/** Reads a list and its signature, both as they were fetched. What is wrong is an error whose message follows "the catalog". */
export function readList(bytes: Uint8Array, signature: string, key: string): CuratedList {
  if (!isSigned(bytes, signature, readKey(key))) throw new Error('has a signature that does not fit its key')
  const list = recordOf(parse(bytes))
  if (list?.format !== 1) throw new Error('has another format than 1')
  const { name, issued, entries = [], blocked = [], withdrawn = [] } = list
  if (!isText(name) || !isText(issued) || Number.isNaN(Date.parse(issued))) throw new Error('names no name and time of issue')
  return {
    ...{ name, issued },
    entries: rowsOf('entries', entries, isEntry),
    blocked: rowsOf('blocked', blocked, ({ reason }) => isText(reason)),
    withdrawn: rowsOf(
      'withdrawn',
      withdrawn,
      ({ reason, versions }) => isText(reason) && Array.isArray(versions) && versions.every((one) => isText(one)),
    ),
  }
}

function readKey(key: string): ReturnType<typeof createPublicKey> {
  try {
    const read = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    if (read.asymmetricKeyType === 'ed25519') return read
  } catch (cause) {
    throw new Error('has a key in config.yaml that is no ed25519 key in base64', { cause })
  }
  throw new Error('has a key in config.yaml that is no ed25519 key in base64')
}

function isSigned(bytes: Uint8Array, signature: string, key: ReturnType<typeof createPublicKey>): boolean {
  const given = Buffer.from(signature.trim(), 'base64')
  return given.length === 64 && verify(null, bytes, key, given)
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw new Error('is no JSON', { cause })
  }
}

type Row = Readonly<Record<string, unknown>>

/** The name of a field, with a sentence about the first row that is not what it should be: a list of blocks is honoured as a whole or not at all. */
function rowsOf<T>(field: string, list: unknown, isSound: (row: Row) => boolean): readonly T[] {
  const isRow = (row: unknown): boolean => isText(recordOf(row)?.package) && isSound(row as Row)
  if (!Array.isArray(list)) throw new Error(`has no list as ${field}`)
  const wrong = list.findIndex((row) => !isRow(row))
  if (wrong >= 0) throw new Error(`has a wrong row in ${field}, number ${wrong + 1}`)
  return list as readonly T[]
}

function isEntry({ range = '*', kind = 'x', note = 'x' }: Row): boolean {
  return isText(range) && /^[\w.*^~<>=| +-]+$/.test(range) && isText(kind) && isText(note)
}

const longestText = 500
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= longestText

function recordOf(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : undefined
}
