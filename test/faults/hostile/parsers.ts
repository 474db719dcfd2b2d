import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { printProblems, printTable } from '../table.ts'
import { hardTexts } from './texts.ts'

type Parse = (text: string) => unknown
type Exports = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
/** A file that reads what strangers send, and how a text gets in. */
type Parser = readonly [name: string, file: string, bind: (exports: Exports) => Parse | undefined]

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const named =
  (name: string, ...more: readonly unknown[]) =>
  (exports: Exports): Parse | undefined => {
    const parse = exports[name]
    return parse && ((text) => parse(text, ...more))
  }

const parsers: readonly Parser[] = [
  ['markdown', 'host/src/gateway/markup/parse-markdown.ts', named('parseMarkdown')],
  ['media directives', 'host/src/gateway/media/media-directives.ts', named('parseDirectives')],
  ['pieces by characters', 'host/src/gateway/markup/chunk.ts', named('chunkText', { unit: 'characters', maxLength: 4_000 })],
  ['pieces by bytes', 'host/src/gateway/markup/chunk.ts', named('chunkText', { unit: 'bytes', maxLength: 400 })],
  ['slash commands', 'host/src/commands/slash.ts', (exports) => (text) => exports.parseSlash?.(`/a ${text}`, [], 'platform')],
  ['printable text', 'host/src/observe/printable.ts', named('showText')],
  ['masked text', 'host/src/observe/mask.ts', named('maskText', ['secret-secret', 'aaaaaaaaaaaab'])],
  ['JSON limits', 'plugin-sdk/src/contract/json-excess.ts', named('findJsonExcess')],
  ['urls in errors', 'plugin-sdk/src/contract/hide-in-urls.ts', named('hideInUrls')],
  ['server events', 'plugin-sdk/src/http/read-sse.ts', (exports) => (text) => readAll(exports.readSse?.(piecesOf(text)))],
  ['JSON bodies', 'plugin-sdk/src/http/parse-json.ts', (exports) => (text) => ignoreFailure(() => exports.parseJson?.(text))],
]

const load = async (file: string): Promise<unknown> => import(pathToFileURL(resolve(file)).href)

/** Those of the host and the SDK, and of every platform whose folder has a `test/parsers.ts`. */
async function loadParsers(): Promise<readonly (readonly [name: string, parse: Parse])[]> {
  const found: (readonly [string, Parse])[] = []
  for (const [name, file, bind] of parsers) {
    const parse = bind((await load(file)) as Exports)
    if (!parse) throw new Error(`${file} has no ${name} any more.`)
    found.push([name, parse])
  }
  for (const folder of readdirSync('plugins/platforms')) {
    const file = join('plugins/platforms', folder, 'test/parsers.ts')
    if (!existsSync(file)) continue
    const own = (await load(file)) as { readonly parsers: Readonly<Record<string, Parse>> }
    found.push(...Object.entries(own.parsers))
  }
  return found
}

async function* piecesOf(text: string): AsyncIterable<Uint8Array> {
  const all = bytes(text)
  for (let at = 0; at < all.length; at += 1_000) yield all.subarray(at, at + 1_000)
}

async function readAll(events: unknown): Promise<void> {
  for await (const _ of events as AsyncIterable<unknown>);
}

function ignoreFailure(run: () => unknown): void {
  try {
    run()
  } catch {
    // What is refused has been read as well.
  }
}

const size = 40_000
/** Of four times as much: linear work takes four times as long, quadratic work sixteen times. */
const mostRatio = 9
/** Less is not measured well, and hurts nobody. */
const worthMs = 30

interface Row {
  readonly parser: string
  readonly shape: string
  readonly ms: readonly number[]
}

/** Every parser of what strangers send reads each hard text in three sizes; prints the slowest shape of each. */
export async function runParsers(): Promise<boolean> {
  const rows: Row[] = []
  const found = await loadParsers()
  for (const [parser, parse] of found)
    for (const [shape, make] of Object.entries(hardTexts)) {
      let row: Row = { parser, shape, ms: await measure(parse, make) }
      // What the machine did is not there again.
      for (let again = 0; again < 2 && isBad(row); again++) row = { ...row, ms: await measure(parse, make) }
      rows.push(row)
    }
  const slowest = found.flatMap(([name]) => rows.filter(({ parser }) => parser === name).sort(bySlowness)[0] ?? [])
  printTable(
    [
      ['parser', ({ parser }) => parser],
      ['worst shape', ({ shape }) => shape],
      ...[1, 2, 4].map((times, index) => [`ms of ${times * 40} KB`, ({ ms }: Row) => (ms[index] ?? 0).toFixed(1)] as const),
      ['4 times as much', (row) => ratioOf(row).toFixed(1)],
    ],
    slowest,
  )
  const bad = rows.filter(isBad)
  return printProblems(
    bad.map((row) => `${row.parser}: ${row.shape}: four times as much takes ${ratioOf(row).toFixed(1)} times as long.`),
    `${rows.length} readings, and no work grows faster than what is read.`,
  )
}

const bySlowness = (one: Row, other: Row): number => (other.ms[2] ?? 0) - (one.ms[2] ?? 0)
const ratioOf = ({ ms: [least = 0, , most = 0] }: Row): number => most / Math.max(least, 0.1)

const isBad = (row: Row): boolean => (row.ms[2] ?? 0) >= worthMs && ratioOf(row) > mostRatio

/** The least of several: what a busy machine adds is never less. */
async function measure(parse: Parse, make: (size: number) => string): Promise<readonly number[]> {
  const texts = [1, 2, 4].map((times) => make(size * times))
  const least = texts.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < 4; round++)
    for (const [index, text] of texts.entries()) {
      const startedAt = performance.now()
      await parse(text)
      least[index] = Math.min(least[index] ?? 0, performance.now() - startedAt)
    }
  return least
}
