import { fail } from '@agent/plugin-sdk/errors'
import * as z from 'zod/mini'
import type { Action, PackageList, PluginOffer } from '../api.ts'
import type { Actions } from '../server/actions.ts'
import { askProgram } from '../server/ask-program.ts'
import { nothing, type Router } from '../server/router.ts'

/** A word of a command, and no option of it. */
const word = z.string().check(z.regex(/^[^-\s]\S*$/), z.maxLength(500))
const accept = z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/)))

export interface PackagesOptions {
  /** How this program is started. */
  readonly program: readonly string[]
  readonly actions: Actions
}

/** Brings plugins in and takes them out, by the commands that do it at a terminal. */
export function addPackages(router: Router, { program, actions }: PackagesOptions): void {
  router.add({
    ...{ method: 'GET', url: '/api/plugins/search', takes: z.strictObject({ q: z.optional(z.string().check(z.maxLength(200))) }) },
    answer: async ({ context, input: { q = '' } }): Promise<PackageList> => {
      const words = q.split(/\s+/).filter((one) => one !== '' && !one.startsWith('-'))
      const { json, problem } = await askProgram(program, context, ['plugins', 'search', '--json', ...words])
      const { packages = [] } = (json ?? {}) as Partial<PackageList>
      return { packages, ...(problem === undefined ? {} : { problem }) }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/plugins/offer', takes: z.strictObject({ spec: word }) },
    answer: async ({ context, input: { spec } }): Promise<PluginOffer> => {
      const { json, problem } = await askProgram(program, context, ['plugins', 'install', spec, '--json'])
      const { consent } = (json ?? {}) as Partial<PluginOffer>
      if (consent) return { consent }
      return problem === undefined ? {} : { problem }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/plugins/install', takes: z.strictObject({ spec: word, accept }) },
    answer: ({ context, input: { spec, accept: hash } }): Promise<Action> =>
      actions.start(context, 'plugin-install', ['plugins', 'install', spec, ...accepting(hash)]),
  })
  const verbs = { update: z.strictObject({ accept }), rollback: nothing, remove: z.strictObject({ data: z.optional(z.boolean()) }) }
  for (const [verb, takes] of Object.entries(verbs)) {
    router.add({
      ...{ method: 'POST', url: `/api/plugins/:id/${verb}`, takes },
      answer: ({ context, id: plugin, input }): Promise<Action> => {
        const { accept: hash, data } = input as { readonly accept?: string; readonly data?: boolean }
        const words = ['plugins', verb, requireId(plugin), ...accepting(hash), ...(data ? ['--data'] : [])]
        return actions.start(context, `plugin-${verb}`, words)
      },
    })
  }
}

const accepting = (hash: string | undefined): readonly string[] => (hash === undefined ? [] : ['--accept', hash])

/** An id is a word of the command, so nothing else may come this far. */
function requireId(plugin: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(plugin)) return plugin
  throw fail('HTTP_NOT_FOUND', { what: `plugin ${plugin.slice(0, 100)}` })
}
