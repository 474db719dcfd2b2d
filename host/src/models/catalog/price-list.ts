import type { Usage } from '@agent/plugin-sdk'
import type { ModelFacts } from './facts.ts'
import { fits } from './fits.ts'
import type { Price, PriceRow, Rates } from './price-row.ts'

/** What a person has written down for a model; it holds before the list. */
export interface OwnPrice {
  readonly provider: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
}

/** What models cost. */
export interface PriceList {
  /** On a day, `YYYY-MM-DD`; undefined where nobody knows. The list is loaded when it is first asked. */
  of(provider: string, model: string, day: string): Promise<Price | undefined>
}

export interface PriceSources {
  readonly loaded: { readonly config: { readonly prices: readonly OwnPrice[] } }
  readonly catalog: { find(kind: 'provider', id: string): { readonly spec: { readonly local: boolean } } | undefined }
  /** What a fetched catalog says holds before the list that came with the program, from the day on which it was fetched. */
  readonly facts: Pick<ModelFacts, 'of' | 'about'>
}

const free: Price = { input: 0, output: 0 }

/** By the settings and manifests as they are when a price is asked for: a server of the person's asks for no money. */
export function openPrices({ loaded, catalog, facts }: PriceSources): PriceList {
  const isLocal = (provider: string): boolean => provider === 'offline' || catalog.find('provider', provider)?.spec.local === true
  let rows: Promise<readonly PriceRow[]> | undefined
  const known = new Map<string, PriceRow | undefined>()
  const findRow = async (provider: string, model: string): Promise<PriceRow | undefined> => {
    const key = `${provider}/${model}`
    if (known.has(key)) return known.get(key)
    rows ??= import('./prices.gen.ts').then(({ prices }) => prices)
    const row = rowOf(await rows, provider, model)
    known.set(key, row)
    return row
  }
  return {
    async of(provider, model, day) {
      const given = loaded.config.prices.find((each) => each.provider === provider && fits(each.model, model))
      if (given) return { input: given.input, output: given.output, ...cacheOf(given) }
      if (isLocal(provider)) return free
      const listed = (await findRow(provider, model))?.prices.findLast(({ from }) => from === undefined || from <= day)
      const fetched = (await facts.of(provider, model))?.cost
      if (!fetched || (listed && day < ((await facts.about())?.asOf ?? ''))) return listed
      return { ...(listed?.long ? { long: listed.long } : {}), ...fetched }
    },
  }
}

function cacheOf({ cache_read, cache_write }: OwnPrice): Partial<Rates> {
  return {
    ...(cache_read === undefined ? {} : { cacheRead: cache_read }),
    ...(cache_write === undefined ? {} : { cacheWrite: cache_write }),
  }
}

/** The row that names the model in full, else the first whose pattern fits. */
function rowOf(rows: readonly PriceRow[], provider: string, model: string): PriceRow | undefined {
  const own = rows.filter((row) => row.provider === provider)
  const name = model.toLowerCase()
  return own.find(({ names }) => names.includes(name)) ?? own.find(({ names }) => names.some((each) => fits(each, name)))
}

/** What tokens cost, in millionths of a dollar. */
export function costOf({ input, output, cacheRead, cacheWrite }: Usage, rates: Rates): number {
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  return (
    fresh * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite * (rates.cacheWrite ?? rates.input) +
    output * rates.output
  )
}

/** Millionths of a dollar as people write them: `$12.34`, and small ones with two figures that say something. */
export function formatCost(millionths: number): string {
  const dollars = millionths / 1e6
  if (dollars === 0 || dollars >= 0.1) return `$${dollars.toFixed(2)}`
  const places = Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(dollars))))
  return `$${dollars.toFixed(places).replace(/(\.\d\d\d*?)0+$/, '$1')}`
}
