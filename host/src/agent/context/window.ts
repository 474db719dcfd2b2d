import type { ModelFacts } from '#models/catalog/facts.ts'
import type { ChatModel } from '#models/open.ts'
import { nameOf } from '#models/stand-ins.ts'

/** What a model of which nobody knows is thought to take: it is what most models of today take at least, and one that takes less says so. */
const unknownWindow = 128_000

type Named = Pick<ChatModel, 'provider' | 'model'>

/** How many tokens a model takes, request and answer together. */
export interface Windows {
  of(model: Named): Promise<number>
  /** It has refused so many. What its service says about it holds before what was known. */
  refused(model: Named, tokens: number, detail: string): Promise<void>
}

export function createWindows(facts: Pick<ModelFacts, 'of'>): Windows {
  const learned = new Map<string, number>()
  const known = async ({ provider, model }: Named): Promise<number> => (await facts.of(provider, model))?.context ?? unknownWindow
  const of = async (model: Named): Promise<number> => Math.min(await known(model), learned.get(nameOf(model)) ?? Number.POSITIVE_INFINITY)
  return {
    of,
    async refused(model, tokens, detail) {
      const told = windowIn(detail)
      // An estimate may be too high by some: nine tenths of what was refused are not sure to be taken, and are tried.
      const window = told !== undefined && told <= tokens * 2 ? told : Math.floor(tokens * 0.9)
      learned.set(nameOf(model), Math.min(window, await known(model)))
    },
  }
}

/** The window that a refusal names: `maximum context length is 8192 tokens`, `the available context size (4096 tokens)`, `210000 tokens > 200000 maximum`. */
function windowIn(detail: string): number | undefined {
  const text = detail.replace(/(\d),(?=\d{3}\b)/g, '$1')
  const found =
    /> ?(\d{3,8}) ?(?:tokens )?(?:maximum|limit)/i.exec(text) ??
    /(?:maximum|max(?:imum)?|limit|context (?:length|window|size)|allowed)[^\d]{0,40}?(\d{3,8})/i.exec(text)
  const window = Number(found?.[1])
  return Number.isFinite(window) && window >= 512 ? window : undefined
}
