import { type OwnPrice, openPrices, type PriceList } from '../catalog/price-list.ts'

/** A list of prices for a test; `ollama` is a server of the person's. */
export function priceListOf(own: readonly OwnPrice[] = []): PriceList {
  const find = (_kind: string, id: string) => (id === 'ollama' ? { spec: { local: true } } : undefined)
  return openPrices({
    loaded: { config: { prices: own } },
    catalog: { find },
    facts: { of: async () => undefined, about: async () => undefined },
  })
}
