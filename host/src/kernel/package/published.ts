import type { Manifest } from '@agent/plugin-sdk'
import { contractKinds, specsOf } from '../kinds.ts'

/** The keyword by which plugins are found in a registry. */
export const keyword = 'agent-plugin'

/**
 * What `agent plugins publish` writes below `agent.published` of the package.json that it packs. A registry tells it of every version, so that nobody needs
 * to fetch a package to know its kind. It is what the author's agent found, and nobody has confirmed it.
 */
export interface Published {
  readonly plugin: string
  readonly kinds: readonly string[]
  readonly api: Readonly<Record<string, number>>
  readonly engines: { readonly agent: string; readonly node: string }
  /** The tier that the check has computed: `none`, `bronze`, `silver` or `gold`. */
  readonly medal: string
  /** Version of the agent that has checked it. */
  readonly agent: string
}

const medals = ['none', 'bronze', 'silver', 'gold']

/** What a manifest and a check say about a package. */
export function describePublished(manifest: Manifest, medal: string, agent: string): Published {
  const kinds = contractKinds.filter((kind) => specsOf(manifest, kind).length > 0)
  const { id: plugin, api, engines } = manifest
  return { plugin, kinds, api, engines, medal, agent }
}

/** The same package.json with it, and with the keyword. */
export function withPublished(file: Readonly<Record<string, unknown>>, published: Published): Readonly<Record<string, unknown>> {
  const own = recordOf(file.agent) ?? {}
  const keywords = Array.isArray(file.keywords) ? (file.keywords as readonly unknown[]) : []
  return { ...file, keywords: keywords.includes(keyword) ? keywords : [...keywords, keyword], agent: { ...own, published } }
}

/** Reads it from the package.json of a stranger; undefined where it is not there or not whole. */
export function readPublished(file: unknown): Published | undefined {
  const raw = recordOf(recordOf(recordOf(file)?.agent)?.published)
  const [engines, api] = [recordOf(raw?.engines), recordOf(raw?.api)]
  if (!raw || !engines || !api) return undefined
  const { plugin, kinds, medal, agent } = raw
  if (![plugin, medal, agent, engines.agent, engines.node].every((one) => typeof one === 'string' && one.length <= 200)) return undefined
  if (!medals.includes(String(medal)) || !Array.isArray(kinds) || !kinds.every((one) => typeof one === 'string')) return undefined
  if (!Object.values(api).every((one) => typeof one === 'number')) return undefined
  return raw as unknown as Published
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined
}
