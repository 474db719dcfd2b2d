import { followSkills } from '#commands/follow-skills.ts'
import { newId } from '#kernel/ids.ts'
import { createEchoes, type Echoes } from './authorise/echoes.ts'
import { type ChannelDirectory, openChannelDirectory } from './directory/channel-directory.ts'
import type { Company, GatewayOptions } from './gateway-options.ts'
import { openOwnDoor } from './http/open-door.ts'
import type { InstanceMark } from './instance/instance.ts'
import { createFaults } from './links/faults.ts'
import type { Link } from './links/platform-link.ts'
import { type MediaCache, openMediaCache } from './media/media-cache.ts'
import { createMessageHooks, type MessageHooks } from './rules/message-hooks.ts'
import { createPatience, type Patience } from './rules/patience.ts'
import { openPlatformRules, type PlatformRules } from './rules/platform-rules.ts'

/** Everything that the parts of a gateway share and that nobody closes. */
export interface GatewayGround extends GatewayOptions, Company {
  /** Boot id of this gateway. */
  readonly owner: string
  /** What it writes of those beside it in this process. */
  readonly mark: InstanceMark
  /** The platforms as they are connected now. */
  readonly links: Map<string, Link>
  readonly echoes: Echoes
  readonly journal: GatewayOptions['store']['journal']
  readonly rules: PlatformRules
  readonly patience: Patience
  readonly messageHooks: MessageHooks
  readonly cache: MediaCache
  readonly directory: ChannelDirectory
  readonly signal: AbortSignal
}

export function openGround(options: GatewayOptions, signal: AbortSignal): GatewayGround {
  const { home, store, hooks, clock, log } = options
  const company = options.company ?? { openDoor: openOwnDoor, faults: createFaults(process) }
  const echoes = createEchoes()
  // Whatever is sent is known as our own, should the platform bring it back.
  const journal = echoes.listen(store.journal)
  return {
    ...{ ...options, owner: newId('boot'), links: new Map<string, Link>(), signal },
    ...{ ...company, mark: markOf(company) },
    ...{ echoes, journal, store: { ...store, journal } },
    turns: { ...options.turns, run: followSkills(options.services.skills, options.turns.run) },
    rules: openPlatformRules(options),
    patience: createPatience({ ...options, clock: journal }),
    messageHooks: createMessageHooks(hooks, log),
    cache: openMediaCache(home.files.cache, clock),
    directory: openChannelDirectory({ kv: store.kv, now: clock.now, log }),
  }
}

function markOf({ guest, guests }: Company): InstanceMark {
  if (guest) return { servedBy: guest.by }
  return guests ? { serves: true } : {}
}
