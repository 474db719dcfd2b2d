import type { ModelFacts } from '#models/catalog/facts.ts'
import type { ChatModel } from '#models/open.ts'
import { nameOf } from '#models/stand-ins.ts'

/** What a model of which nobody knows is thought to take: it is what most models of today take at least, and one that takes less says so. */
const unknownWindow = 128_000

type Named = Pick<ChatModel, 'provider' | 'model' | 'window'>

/** How many tokens a model takes, request and answer together. */
export interface Windows {
  of(model: Named, signal?: AbortSignal): Promise<number>
  /** It has refused so many. What its service says about it holds before what was known. */
  refused(model: Named, tokens: number, detail: string): Promise<void>
}

/** A server that does not say is asked no more: an old one never will, one that had to load the model first does at the second time. */
const mostAsked = 3

export function createWindows(facts: Pick<ModelFacts, 'of'>): Windows {
  const learned = new Map<string, number>()
  const asked = new Map<string, number>()
  const told = new Map<string, number>()
  const ask = async (model: Named, signal: AbortSignal | undefined): Promise<void> => {
    const name = nameOf(model)
    const times = asked.get(name) ?? 0
    if (!model.window || !signal || told.has(name) || times >= mostAsked) return
    asked.set(name, times + 1)
    const window = await model.window(signal)
    if (window !== undefined) told.set(name, window)
  }
  /** What a model could take is no more than what its server has room for. */
  const known = async (model: Named): Promise<number> => {
    const said = told.get(nameOf(model)) ?? Number.POSITIVE_INFINITY
    const written = (await facts.of(model.provider, model.model))?.context ?? (Number.isFinite(said) ? said : unknownWindow)
    return Math.min(written, said)
  }
  return {
    async of(model, signal) {
      await ask(model, signal)
      return Math.min(await known(model), learned.get(nameOf(model)) ?? Number.POSITIVE_INFINITY)
    },
    async refused(model, tokens, detail) {
      const named = windowIn(detail)
      // An estimate may be too high by some: nine tenths of what was refused are not sure to be taken, and are tried.
      const window = named !== undefined && named <= tokens * 2 ? named : Math.floor(tokens * 0.9)
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
