import type { Clock, Context, Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { Book } from '#models/book.ts'
import type { ModelFacts } from '#models/catalog/facts.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { ModelWish } from '#models/select.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import type { OpenedContext } from '#tools/opener.ts'
import { type ContextEngines, createContextEngines } from './context/engines.ts'
import { createContextFit } from './context/fit-context.ts'
import { limitOf } from './context/limits.ts'
import { createWindows, type Windows } from './context/window.ts'
import type { RuleReader } from './rules/changed-rules.ts'
import type { TurnsOptions } from './turn/prepare-turn.ts'

interface EngineParts {
  readonly loaded: Loaded
  readonly clock: Clock
  readonly log: Log
  readonly catalog: Catalog
  readonly activator: Activator
  readonly book: Book
  readonly openContext: (contribution: Contribution) => Promise<OpenedContext<Context>>
}

/** How long a model may take to write notes, and what an engine may take beside it. */
const [modelSeconds, ownMs] = [120, 60_000]

export function makeContextEngines({ loaded, clock, log, catalog, activator, book, openContext }: EngineParts): ContextEngines {
  return createContextEngines({
    ...{ catalog, activator, openContext, clock, log, served: book.served },
    wanted: () => loaded.config.context.engine,
    longestMs: () => (loaded.config.auxiliary.compression?.timeout ?? modelSeconds) * 1000 + ownMs,
  })
}

/** How long a conversation may become. */
export interface ContextLength {
  readonly windows: Windows
  /** Tokens that the model takes which answers now, and from how many on a conversation is made shorter; undefined where none ever is. Nothing where no model answers. */
  now(): Promise<{ readonly window: number; readonly limit: number | undefined } | undefined>
}

interface LengthParts extends Pick<EngineParts, 'loaded'> {
  readonly facts: ModelFacts
  readonly choose: (wish: ModelWish) => ModelChoice
}

export function makeLength({ loaded, facts, choose }: LengthParts): ContextLength {
  const windows = createWindows(facts)
  return {
    windows,
    now: async () => {
      const { compression } = loaded.config
      const chosen = attempt(() => choose({}))
      if (!chosen) return undefined
      const window = await windows.of(chosen)
      return { window, limit: compression.enabled ? limitOf(compression, window) : undefined }
    },
  }
}

/** Without a provider every choice ends in an error. */
function attempt(choose: () => ModelChoice): ModelChoice | undefined {
  try {
    return choose()
  } catch (error) {
    if (isAgentError(error)) return undefined
    throw error
  }
}

interface FitParts extends Pick<LengthParts, 'loaded'> {
  readonly contextEngines: ContextEngines
  readonly length: ContextLength
  readonly skills: HostSkills
  readonly rules: RuleReader
  readonly log: Log
}

/** What keeps conversations inside the windows of their models: in a turn, and where a person asks for it. */
export function makeContextFit({
  contextEngines: engines,
  length: { windows },
  loaded,
  skills,
  rules,
  log,
}: FitParts): Pick<TurnsOptions, 'fit' | 'shortening'> {
  const shortening = { engines, skills, rules, log, windows, settings: () => loaded.config.compression }
  return { shortening, fit: createContextFit(shortening) }
}
