import * as z from 'zod/mini'
import { readChoice } from '#commands/model-list.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { askOnce, chooseModel } from '#rpc/model/choose-model.ts'
import { readAuxiliary } from '#rpc/model/read-auxiliary.ts'
import { listModelOptions, readModelState } from '#rpc/model/read-model.ts'
import type { AuxiliaryList, ModelInfo, ModelOptions, ModelSet, Setup, Tried } from '../api.ts'
import { failFields } from '../server/answer-error.ts'
import { nothing, type Router } from '../server/router.ts'

const text = z.string().check(z.minLength(1), z.maxLength(200))
const choice = z.strictObject({ provider: text, model: text, confirm: z.optional(z.boolean()) })

/** Which model answers. */
export function addModel(router: Router): void {
  router.add({ ...{ method: 'GET', url: '/api/setup', takes: nothing }, answer: ({ context }): Promise<Setup> => readSetup(context) })
  router.add({
    ...{ method: 'GET', url: '/api/model/info', takes: nothing },
    answer: async ({ context }): Promise<ModelInfo> => {
      const { configured: _, ...info } = await readModelState(context)
      return info
    },
  })
  router.add({
    ...{ method: 'GET', url: '/api/model/options', takes: nothing },
    answer: async ({ context }): Promise<ModelOptions> => ({ providers: await listModelOptions(context) }),
  })
  router.add({
    ...{ method: 'GET', url: '/api/model/auxiliary', takes: nothing },
    answer: async ({ context }): Promise<AuxiliaryList> => ({ tasks: await readAuxiliary(context) }),
  })
  router.add({
    ...{ method: 'POST', url: '/api/model/set', takes: choice },
    answer: async ({ context, input: { provider, model, confirm } }): Promise<ModelSet> => {
      const chosen = await chooseModel(context, { provider, model, try: true, form: 'agent model', yes: confirm })
      if (chosen.kept) return { said: chosen.lines, live: chosen.live }
      if (chosen.warning !== undefined) return { said: [], live: false, warning: chosen.warning }
      throw failFields({ model: (chosen.problems ?? chosen.lines).join(' ').replace(/\.$/, '') })
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/model/test', takes: nothing },
    answer: async ({ context }): Promise<Tried> => {
      const { loaded, catalog } = await openCatalog(context)
      const chosen = readChoice({ catalog, loaded })
      if (!chosen) return { ok: false, detail: 'No provider is configured. Choose one first.' }
      const { ok, text: detail } = await askOnce(context, chosen, loaded.config.model)
      return { ok, detail }
    },
  })
}

async function readSetup(context: Parameters<typeof readModelState>[0]): Promise<Setup> {
  const { problem: _, ...setup } = await readModelState(context)
  return setup
}
