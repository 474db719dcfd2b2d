import { fail } from '@agent/plugin-sdk/errors'
import type { Environment } from '#config/environment/environment.ts'
import { variablePrefix } from '#config/platform-settings.ts'
import { type Catalog, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { ConversationRef } from '#store/journal.ts'
import type { ChannelDirectory, KnownChannel } from './channel-directory.ts'
import { findChannel } from './find-channel.ts'

/** Where something is delivered. `local`: nowhere but here. */
export type DeliveryTarget =
  | { readonly type: 'local' }
  | { readonly type: 'place'; readonly place: ConversationRef; readonly kind?: KnownChannel['kind']; readonly name?: string }

export interface TargetSources {
  readonly catalog: Pick<Catalog, 'plugins' | 'find'>
  readonly environment: Pick<Environment, 'platform'>
  /** Where the agent reports on a platform, where that is set. */
  readonly home: (platform: string) => string | undefined
  readonly channels: (platform: string) => Promise<readonly KnownChannel[]>
  /** A person has just typed it: what is like a known conversation and is none may be a mistake, and is refused. */
  readonly isTyped?: boolean
}

export interface TargetParts {
  readonly catalog: TargetSources['catalog']
  readonly loaded: { readonly environment: TargetSources['environment'] }
  readonly rules: { of(platform: string): { readonly settings: { readonly home_channel?: string | undefined } } }
  readonly directory: Pick<ChannelDirectory, 'list'>
}

/** Returns what reads a target, by what a gateway knows of its platforms. */
export function resolveFrom({ catalog, loaded, rules, directory }: TargetParts): (text: string) => Promise<DeliveryTarget> {
  const home = (platform: string): string | undefined => rules.of(platform).settings.home_channel
  const sources = { catalog, environment: loaded.environment, home, channels: directory.list }
  return (text) => resolveTarget(text, sources)
}

/**
 * Reads `local`, `<platform>` for its home channel, or `<platform>:<conversation>` with an id or a name. Rejects with PLATFORM_UNKNOWN,
 * PLUGIN_BLOCKED, HOME_CHANNEL_MISSING, CHANNEL_AMBIGUOUS, CHANNEL_UNSURE or CHANNEL_UNKNOWN.
 */
export async function resolveTarget(text: string, sources: TargetSources): Promise<DeliveryTarget> {
  const target = text.trim()
  if (target.toLowerCase() === 'local') return { type: 'local' }
  const [word = '', ...rest] = target.split(':')
  const platform = findPlatform(word, sources.catalog)
  const wanted = rest.join(':').trim() || readHome(platform, sources)
  const known = await sources.channels(platform)
  const found = findChannel(known, wanted)
  if (found.type === 'several') throw fail('CHANNEL_AMBIGUOUS', { platform, name: wanted, matches: formatMatches(found.channels) })
  if (found.type === 'one') return toPlace(platform, found.channel)
  if (found.named && (found.nearest !== undefined || !looksLikeId(wanted))) {
    throw fail('CHANNEL_UNKNOWN', { platform, name: wanted, ...(found.nearest === undefined ? {} : { nearest: found.nearest }) })
  }
  if (sources.isTyped && rest.length > 0 && found.alike.length > 0 && !looksLikeId(wanted))
    throw fail('CHANNEL_UNSURE', { platform, name: wanted, matches: formatMatches(found.alike) })
  // Nothing was said there yet: whether there is such a place only the platform knows.
  return { type: 'place', place: { platform, account: known[0]?.account ?? '', conversation: wanted } }
}

/** Names of conversations are words; ids have figures and signs. */
const looksLikeId = (text: string): boolean => /[\d@+!:/=]/.test(text)

function toPlace(platform: string, { account, id, kind, name }: KnownChannel): DeliveryTarget {
  return { type: 'place', place: { platform, account, conversation: id }, kind, ...(name === undefined ? {} : { name }) }
}

function findPlatform(word: string, catalog: TargetSources['catalog']): string {
  const wanted = word.trim().toLowerCase().replaceAll('_', '-')
  if (catalog.find('platform', wanted)?.spec.door === 'messaging') return wanted
  const messaging = listedOf(catalog, 'platform').filter(({ id, plugin }) =>
    plugin.installed?.manifest.contributes.platforms.some((spec) => spec.id === id && spec.door === 'messaging'),
  )
  const reason = messaging.find(({ id, reason: found }) => id === wanted && found)?.reason
  if (reason) throw fail('PLUGIN_BLOCKED', { plugin: wanted, reason: reason.text, fix: reason.fix })
  const nearest = nearestName(
    wanted,
    messaging.map(({ id }) => id),
  )
  throw fail('PLATFORM_UNKNOWN', { platform: word, ...(nearest === undefined ? {} : { nearest }) })
}

function readHome(platform: string, { home, environment }: TargetSources): string {
  const written = home(platform)?.trim() ?? ''
  const place = written.startsWith(`${platform}:`) ? written.slice(platform.length + 1) : written
  if (place !== '') return place
  const variable = environment.platform(platform)?.home ?? `${variablePrefix(platform, environment)}_HOME_CHANNEL`
  throw fail('HOME_CHANNEL_MISSING', { platform, variable })
}

const mostMatches = 6

function formatMatches(channels: readonly KnownChannel[]): string {
  const shown = channels.slice(0, mostMatches).map(({ id, kind, name }) => `${name ?? id} (${kind}, ${id})`)
  return [...shown, ...(channels.length > mostMatches ? [`${channels.length - mostMatches} more`] : [])].join(', ')
}
