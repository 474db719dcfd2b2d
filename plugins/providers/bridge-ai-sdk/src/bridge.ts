import type { ModelSource, Provider, ProviderContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { answer } from './answer.ts'
import type { BridgeConfig, PackageEntry } from './config.ts'
import { loadProvider, type MakeModel } from './load-model.ts'

const setting = 'plugins.entries.provider-bridge-ai-sdk.config'

/** Packages of the AI SDK answer as models: `name/model`, each loaded at its first request. */
const provider: Provider<BridgeConfig> = {
  async open(context) {
    const { folder, packages = {} } = context.config
    if (folder === undefined || Object.keys(packages).length === 0)
      throw fail('USAGE', {
        problem: 'The bridge to the AI SDK knows no package.',
        try: `${setting}.folder and ${setting}.packages in config.yaml`,
      })
    const made = new Map<string, Promise<MakeModel>>()
    const makerOf = (name: string, entry: PackageEntry): Promise<MakeModel> => {
      const known = made.get(name) ?? load(folder, entry, context)
      made.set(name, known)
      // What was missing may be there at the next request.
      known.catch(() => made.delete(name))
      return known
    }
    const source: ModelSource = {
      stream: (request, { signal }) => {
        const { name, id } = splitName(request.model, packages)
        const entry = packages[name]
        const load = async () => {
          if (entry) return (await makerOf(name, entry))(id)
          const problem = `${name} is none of the packages of the bridge: ${Object.keys(packages).join(', ')}.`
          throw fail('USAGE', { problem, try: `${setting}.packages.${name} in config.yaml` })
        }
        const { contribution } = context.about
        return answer({ provider: contribution, entry: entry ?? { package: name }, now: () => context.clock.now(), load }, request, signal)
      },
      models: async () => Object.entries(packages).flatMap(([name, { models = [] }]) => models.map((id) => `${name}/${id}`)),
    }
    return source
  },
}

export default provider

/** `name/model`; where there is one package, its name may be left out. */
function splitName(model: string, packages: NonNullable<BridgeConfig['packages']>): { readonly name: string; readonly id: string } {
  const [first = '', ...rest] = model.split('/')
  const [only, ...others] = Object.keys(packages)
  if (packages[first] === undefined && only !== undefined && others.length === 0) return { name: only, id: model }
  return { name: first, id: rest.join('/') }
}

async function load(folder: string, entry: PackageEntry, context: ProviderContext<BridgeConfig>): Promise<MakeModel> {
  const apiKey = entry.env && (await context.secrets.get(entry.env))
  // Its own `fetch` keeps to what the plugin may reach.
  const own: typeof fetch = async (input, init) =>
    input instanceof Request ? context.fetch(input.url, await initOf(input)) : context.fetch(input, init)
  return loadProvider(folder, entry, { ...(apiKey !== undefined && { apiKey }), fetch: own })
}

/** What a request says, for who takes an address and the rest apart. */
async function initOf(request: Request): Promise<RequestInit> {
  const { method, headers, signal, redirect } = request
  const body = request.body === null ? null : await request.arrayBuffer()
  return { method, headers, signal, redirect, body }
}
