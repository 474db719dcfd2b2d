import type { Endpoint } from '../request/endpoint.ts'
import { asRecord } from '../request/refusal.ts'

interface Page {
  readonly ids: readonly string[]
  /** Path of the next page. */
  readonly next?: string | undefined
}

/** How a protocol tells which models there are. */
export interface Pages {
  /** Where another address than that of the models tells it. */
  readonly baseUrl?: string
  readonly first: string
  /** Undefined where the answer is no such list. */
  read(body: unknown): Page | undefined
}

type Row = Readonly<Record<string, unknown>>

export function findPages({ protocol, baseUrl, modelsPath }: Pick<Endpoint, 'protocol' | 'baseUrl' | 'modelsPath'>): Pages {
  const root = modelsPath === undefined ? {} : { baseUrl: new URL(baseUrl).origin }
  // Vertex lists the models of every maker in Google's way.
  if (protocol === 'gemini-generate' || modelsPath?.includes('/publishers/')) return { ...geminiPages(modelsPath), ...root }
  if (protocol === 'bedrock-converse') return { ...bedrockPages, baseUrl: baseUrl.replace('//bedrock-runtime', '//bedrock') }
  const path = protocol === 'anthropic-messages' ? `${/\/v1$/.test(baseUrl) ? '' : '/v1'}/models?limit=1000` : '/models'
  return { ...root, first: modelsPath ?? path, read: (body) => readRows(asRecord(body)?.data, ({ id }) => id) }
}

function geminiPages(path = '/models'): Pages {
  const first = `${path}?pageSize=100`
  return {
    first,
    read(body) {
      const { models, publisherModels, nextPageToken: next } = asRecord(body) ?? {}
      const page = readRows(models ?? publisherModels, (row) => (generates(row) ? String(row.name).replace(/^.*\//, '') : undefined))
      return page && typeof next === 'string' && next ? { ...page, next: `${first}&pageToken=${encodeURIComponent(next)}` } : page
    },
  }
}

const profilesPath = '/inference-profiles?maxResults=1000'
/** Many models answer only under the name of a profile, which stands for several regions. */
const bedrockPages: Pages = {
  first: '/foundation-models?byOutputModality=TEXT',
  read(body) {
    const { modelSummaries, inferenceProfileSummaries, nextToken } = asRecord(body) ?? {}
    if (modelSummaries !== undefined) {
      const page = readRows(modelSummaries, (row) => (isAtOnce(row) ? row.modelId : undefined))
      return page && { ...page, next: profilesPath }
    }
    const page = readRows(inferenceProfileSummaries, ({ inferenceProfileId: id }) => id)
    return page && typeof nextToken === 'string' ? { ...page, next: `${profilesPath}&nextToken=${encodeURIComponent(nextToken)}` } : page
  },
}

/** Answers without a profile or capacity that was bought before, and piece by piece. */
function isAtOnce({ inferenceTypesSupported: types, responseStreamingSupported: streams }: Row): boolean {
  return Array.isArray(types) && types.includes('ON_DEMAND') && streams === true
}

/** Models of the list may only embed, or only draw. */
function generates({ supportedGenerationMethods: methods }: Row): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent')
}

function readRows(rows: unknown, idOf: (row: Row) => unknown): Page | undefined {
  if (!Array.isArray(rows)) return undefined
  return { ids: rows.map((row) => idOf(asRecord(row) ?? {})).filter((id) => typeof id === 'string') }
}
