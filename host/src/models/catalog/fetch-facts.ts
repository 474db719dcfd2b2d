import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import type { output } from 'zod/mini'
import { readAnswer } from '#kernel/read-answer.ts'
import type { published } from './fact-file.ts'
import type { FactFile, ModelFact } from './facts.ts'
import type { Price, Rates } from './price-row.ts'

/** The public catalog of https://models.dev: context, limits, modalities, prices and ends of the models of about a hundred services. */
export const publicCatalog = 'https://models.dev/api.json'

/** Our providers that the catalog calls by other names. */
const names: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'bedrock',
  azure: 'azure-foundry',
  'fireworks-ai': 'fireworks',
  'github-copilot': 'copilot',
  google: 'gemini',
  'google-vertex': 'vertex',
  'moonshotai-cn': 'kimi-coding-cn',
  moonshotai: 'kimi-coding',
  nebius: 'nebius-token-factory',
  'novita-ai': 'novita',
  opencode: 'opencode-zen',
  togetherai: 'together',
  vercel: 'ai-gateway',
}

export interface FetchFacts {
  readonly source: string
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly signal: AbortSignal
}

const seconds = 60
const mostBytes = 20 * 1024 * 1024

/** Fetches a catalog in the form of models.dev. Rejects with CATALOG_UNREADABLE, and keeps nothing then. */
export async function fetchFacts({ source, fetch, clock, signal }: FetchFacts): Promise<FactFile> {
  const limit = { clock, signal, ms: seconds * 1000, what: `Fetching ${source}` }
  const text = await withTimeLimit(limit, (within) => readAll(fetch, source, within)).catch((error: unknown) => {
    signal.throwIfAborted()
    throw fail('CATALOG_UNREADABLE', { source, detail: detailOf(error) }, { cause: error })
  })
  const { published } = await import('./fact-file.ts')
  const read = published.safeParse(parse(text))
  if (!read.success) throw fail('CATALOG_UNREADABLE', { source, detail: 'it has not the form of https://models.dev/api.json' })
  const models = Object.fromEntries(Object.entries(read.data).map(([id, { models }]) => [names[id] ?? id, factsOf(models)]))
  if (Object.values(models).every((each) => Object.keys(each).length === 0))
    throw fail('CATALOG_UNREADABLE', { source, detail: 'it names no model' })
  return { asOf: new Date(clock.now()).toISOString().slice(0, 10), source, models }
}

async function readAll(fetchNow: typeof fetch, source: string, signal: AbortSignal): Promise<string> {
  const response = await fetchNow(source, { signal })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  const bytes = await readAnswer(response, mostBytes)
  if (!bytes) throw new Error(`it has more than ${mostBytes / 1024 / 1024} MiB`)
  return bytes.toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Published = output<typeof published>[string]['models']
type Cost = Published[string]['cost']

function priceOf(cost: Cost): Price | undefined {
  const rates = ratesOf(cost)
  const long = ratesOf(cost?.context_over_200k)
  return rates && { ...rates, ...(long ? { long } : {}) }
}

function ratesOf(cost: Omit<NonNullable<Cost>, 'context_over_200k'> | undefined): Rates | undefined {
  if (cost?.input === undefined || cost.output === undefined) return undefined
  return { input: cost.input, output: cost.output, cacheRead: cost.cache_read, cacheWrite: cost.cache_write }
}

function factsOf(models: Published): Readonly<Record<string, ModelFact>> {
  return Object.fromEntries(
    Object.entries(models).map(([id, { modalities, limit, status, cost }]): [string, ModelFact] => [
      id,
      {
        context: limit?.context,
        output: limit?.output,
        input: modalities?.input,
        isDeprecated: status === 'deprecated' ? true : undefined,
        cost: priceOf(cost),
      },
    ]),
  )
}
