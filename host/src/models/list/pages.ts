import type { Endpoint } from '../request/endpoint.ts'
import { asRecord } from '../request/refusal.ts'

interface Page {
  readonly ids: readonly string[]
  /** Path of the next page. */
  readonly next?: string | undefined
}

/** How a protocol tells which models there are. */
export interface Pages {
  readonly first: string
  /** Undefined where the answer is no such list. */
  read(body: unknown): Page | undefined
}

type Row = Readonly<Record<string, unknown>>

export function findPages({ protocol, baseUrl }: Pick<Endpoint, 'protocol' | 'baseUrl'>): Pages {
  if (protocol === 'gemini-generate') return geminiPages
  const path = protocol === 'anthropic-messages' ? `${/\/v1$/.test(baseUrl) ? '' : '/v1'}/models?limit=1000` : '/models'
  return { first: path, read: (body) => readRows(asRecord(body)?.data, ({ id }) => id) }
}

const geminiPath = '/models?pageSize=1000'
const geminiPages: Pages = {
  first: geminiPath,
  read(body) {
    const { models, publisherModels, nextPageToken: next } = asRecord(body) ?? {}
    const page = readRows(models ?? publisherModels, (row) => (generates(row) ? String(row.name).replace(/^.*\//, '') : undefined))
    return page && typeof next === 'string' && next ? { ...page, next: `${geminiPath}&pageToken=${encodeURIComponent(next)}` } : page
  },
}

/** Models of the list may only embed, or only draw. */
function generates({ supportedGenerationMethods: methods }: Row): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent')
}

function readRows(rows: unknown, idOf: (row: Row) => unknown): Page | undefined {
  if (!Array.isArray(rows)) return undefined
  return { ids: rows.map((row) => idOf(asRecord(row) ?? {})).filter((id) => typeof id === 'string') }
}
