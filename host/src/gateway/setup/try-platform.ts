import type { Identity } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { OpenAgentOptions } from '#agent/agent-options.ts'
import { openAgent } from '#agent/open-agent.ts'
import { callWithin } from '#kernel/calls/call.ts'
import { listedOf } from '#kernel/catalog/catalog.ts'
import { openSinglePlatform } from '../links/single-platform.ts'
import { openMediaCache } from '../media/media-cache.ts'
import type { PlatformForm } from './platform-form.ts'

export interface TryOptions extends OpenAgentOptions {
  /** Variables as they would be set. */
  readonly values: Readonly<Record<string, string>>
  /** Keys of `extra` as they would be set. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly random: () => number
  readonly signal: AbortSignal
}

const identityDeadline = 15_000

export interface TriedPlatform {
  /** Who the bot is. */
  readonly identity: Identity
  /** It connects, and yet the gateway would not start it: no model is chosen, and it reaches other people. */
  readonly needsModel: boolean
}

/** Connects a platform and closes it again. Rejects with what is wrong. */
export async function tryPlatform(options: TryOptions, { id, label, plugin, spec }: PlatformForm): Promise<TriedPlatform> {
  const { values, extra, random, signal } = options
  const environment = { ...options.environment, ...values }
  const agent = await openAgent({ ...options, environment, enable: { platform: id, plugin, ...(extra && { extra }) } })
  try {
    const contribution = agent.catalog.find('platform', id)
    if (!contribution) {
      const listed = listedOf(agent.catalog, 'platform').find((each) => each.id === id && each.plugin.id === plugin)
      throw fail('PLUGIN_BLOCKED', { plugin: id, reason: listed?.reason?.text ?? 'it is not installed', fix: listed?.reason?.fix ?? '' })
    }
    const files = openMediaCache(agent.home.files.cache, agent.clock)
    await using platform = await openSinglePlatform({ ...agent, files, random, signal }, contribution)
    const connection = platform.connection()
    if (!connection) throw fail('PLATFORM_LOST', { platform: label, detail: 'it closed the connection at once' })
    const bounds = { clock: agent.clock, signal, deadline: identityDeadline, what: `Asking ${label} who the agent is` }
    const identity = await callWithin(bounds, (call) => connection.identity(call)).catch((error: unknown) => {
      // It connected; it only does not say as whom.
      if (isAgentError(error, 'UNSUPPORTED')) return { id, name: label }
      throw error
    })
    return { identity, needsModel: spec.reach === 'people' && agent.isOfflineByDefault() }
  } finally {
    await agent.close()
  }
}
