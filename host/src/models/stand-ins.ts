import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Config } from '#config/schema/schema.ts'
import type { ChatModel, Models } from './open.ts'

/** What the settings say of a model that answers where another does not. Empty texts count as absent. */
export interface StandInSettings {
  readonly provider: string
  readonly model: string
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
}

/** The models that stand in for one, each once, in the order of the settings. */
export interface StandIns {
  /** Whether the settings name more of them. */
  hasMore(): boolean
  /** The next that can be opened and does not rest; undefined when there is none. */
  next(): Promise<ChatModel | undefined>
}

export interface Fallback {
  /** It said when it answers again, and that time is still to come. */
  isResting(model: ChatModel): boolean
  /** It answers again after so many milliseconds. */
  rest(model: ChatModel, ms: number): void
  after(model: ChatModel): StandIns
}

export interface FallbackOptions {
  readonly models: Pick<Models, 'model'>
  /** Read when one is needed. */
  readonly chain: () => readonly StandInSettings[]
  readonly clock: Clock
  readonly log: Log
}

/** Other models for a turn whose own does not answer. The next turn begins with its own again, unless that rests. */
export function createFallback({ models, chain, clock, log }: FallbackOptions): Fallback {
  const rests = new Map<string, number>()
  const isResting = (model: ChatModel): boolean => (rests.get(nameOf(model)) ?? 0) > clock.now()
  return {
    isResting,
    rest: (model, ms) => void rests.set(nameOf(model), clock.now() + ms),
    after(first) {
      const left = [...chain()]
      const tried = new Set([nameOf(first)])
      return {
        hasMore: () => left.length > 0,
        async next() {
          for (let entry = left.shift(); entry; entry = left.shift()) {
            const model = await open(models, entry, log)
            if (!model || tried.has(nameOf(model)) || isResting(model)) continue
            tried.add(nameOf(model))
            return model
          }
          return undefined
        },
      }
    },
  }
}

/** How people and settings name a model. */
export const nameOf = ({ provider, model }: Pick<ChatModel, 'provider' | 'model'>): string => `${provider}/${model}`

/** One whose key is missing, or that nobody knows, helps nobody. */
async function open(models: Pick<Models, 'model'>, entry: StandInSettings, log: Log): Promise<ChatModel | undefined> {
  const { provider, model, base_url: address, api_key: key } = entry
  try {
    return await models.model({ provider, model, ...(address || key ? { settings: { provider, base_url: address, api_key: key } } : {}) })
  } catch (error) {
    log.warn('a model that was to stand in cannot', { provider, model, error: detailOf(error) })
    return undefined
  }
}

/** The list wins over the older single one. */
export function chainOf({
  fallback_model: one,
  fallback_providers: several,
}: Pick<Config, 'fallback_model' | 'fallback_providers'>): readonly StandInSettings[] {
  const chain = several.length > 0 ? several : [one]
  return chain.filter(({ provider, model }) => provider !== '' && provider !== 'offline' && model !== '')
}
