import type { AuxiliaryModels, Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { type AskAuxiliary, createAuxiliary } from '#models/auxiliary.ts'
import { type Book, createBook } from '#models/book.ts'
import { type ModelFacts, openFacts } from '#models/catalog/facts.ts'
import { createLongestAnswer } from '#models/catalog/longest-answer.ts'
import { openPrices } from '#models/catalog/price-list.ts'
import { withCompressionTask } from '#models/compression-task.ts'
import type { Models } from '#models/open.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { ModelWish } from '#models/select.ts'
import { chainOf } from '#models/stand-ins.ts'
import type { Store } from '#store/store.ts'

/** Models as plugins ask them. Contexts are made before there are models, since providers have contexts too. */
export interface Asks extends AuxiliaryModels {
  /** From now on it is asked. */
  use(ask: AskAuxiliary): void
}

const seconds = 120

export function createAsks(): Asks {
  let asked: AskAuxiliary | undefined
  return {
    use: (ask) => {
      asked = ask
    },
    async ask({ task, system, text, maxOutputTokens }, call) {
      if (!asked) throw fail('NO_PROVIDER')
      const request = {
        ...{ system, tools: [], messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }] },
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      }
      return await asked({ task, request, call, signal: call.signal, seconds })
    },
  }
}

interface ModelParts {
  readonly home: Home
  readonly loaded: Loaded
  readonly store: Store
  readonly catalog: Catalog
  readonly clock: Clock
  readonly log: Log
}

export function makeFacts({ home, loaded }: Pick<ModelParts, 'home' | 'loaded'>): ModelFacts {
  return openFacts({ file: home.files.modelCatalog, loaded })
}

/** One for all calls: each budget warns once. */
export function makeBook(parts: ModelParts & { readonly facts: ModelFacts }): Book {
  const { store, loaded, clock, log, facts } = parts
  const ledger = { usage: store.usage, prices: openPrices(parts), longestAnswer: createLongestAnswer(facts) }
  return createBook({ ...ledger, budgets: () => loaded.config.budgets, clock, log })
}

interface AuxiliaryParts extends Pick<ModelParts, 'loaded' | 'clock' | 'log'> {
  readonly models: Pick<Models, 'model'>
  readonly choose: (wish: ModelWish) => ModelChoice
  readonly book: Book
  readonly asks: Asks
}

/** Models for tasks beside the conversations. */
export function makeAuxiliary({ loaded, clock, log, models, choose, book, asks }: AuxiliaryParts): AskAuxiliary {
  const ask = createAuxiliary({
    ...{ models, choose, book, clock, log },
    tasks: () => withCompressionTask(loaded.config.auxiliary, loaded.config.compression),
    chain: () => chainOf(loaded.config),
  })
  asks.use(ask)
  return ask
}
