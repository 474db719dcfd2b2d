import { statSync } from 'node:fs'
import { readText } from '#kernel/read-text.ts'
import { fits } from './fits.ts'
import type { Price } from './price-row.ts'

/** What is known of a model. */
export interface ModelFact {
  /** Tokens that a request and its answer may have together. */
  readonly context?: number | undefined
  /** Tokens of the longest answer. */
  readonly output?: number | undefined
  /** What it takes: `text`, `image`, `pdf`, `audio`, `video`. */
  readonly input?: readonly string[] | undefined
  /** Its vendor has announced its end. */
  readonly isDeprecated?: boolean | undefined
  /** Dollars for a million tokens. */
  readonly cost?: Price | undefined
}

/** A model catalog as it lies in the home. */
export interface FactFile {
  /** The day on which it was fetched, `YYYY-MM-DD`. */
  readonly asOf: string
  readonly source: string
  /** By provider and model. */
  readonly models: Readonly<Record<string, Readonly<Record<string, ModelFact>>>>
}

export interface ModelFacts {
  of(provider: string, model: string): Promise<ModelFact | undefined>
  /** Where it came from and when; undefined where none was ever fetched. */
  about(): Promise<Pick<FactFile, 'asOf' | 'source'> | undefined>
}

/** What a person has written down for a model; it holds before a fetched catalog. */
export interface OwnFact extends Pick<ModelFact, 'context' | 'output' | 'input'> {
  readonly provider: string
  /** `*` stands for any text. */
  readonly model: string
}

export interface FactSources {
  /** The catalog in the home. */
  readonly file: string
  readonly loaded: { readonly config: { readonly models: readonly OwnFact[] } }
}

const mostBytes = 20 * 1024 * 1024

/** By the settings as they are when it is asked, and the catalog that `agent model --refresh` has left, read again when it is another; nothing needs it. */
export function openFacts({ file, loaded }: FactSources): ModelFacts {
  let read: { readonly at: number; readonly facts: Promise<FactFile | undefined> } | undefined
  const current = async (): Promise<FactFile | undefined> => {
    const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (read?.at !== at) read = { at, facts: at === 0 ? Promise.resolve(undefined) : readFacts(file) }
    return await read.facts
  }
  return {
    async of(provider, model) {
      const listed = (await current())?.models[provider]
      const fetched = listed && Object.hasOwn(listed, model) ? listed[model] : undefined
      const own = loaded.config.models.find((each) => each.provider === provider && fits(each.model, model))
      return own ? { ...fetched, ...writtenIn(own) } : fetched
    },
    async about() {
      const found = await current()
      return found && { asOf: found.asOf, source: found.source }
    },
  }
}

/** A file that somebody has broken tells nothing. */
async function readFacts(file: string): Promise<FactFile | undefined> {
  const { factFile } = await import('./fact-file.ts')
  try {
    return factFile.parse(JSON.parse(readText(file, { mostBytes }) ?? ''))
  } catch {
    return undefined
  }
}

const writtenIn = ({ context, output, input }: OwnFact): ModelFact => ({
  ...(context === undefined ? {} : { context }),
  ...(output === undefined ? {} : { output }),
  ...(input === undefined ? {} : { input }),
})
