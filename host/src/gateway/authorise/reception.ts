import { randomBytes } from 'node:crypto'
import type { Clock, InboundMessage, Log, PlatformContext, Press } from '@agent/plugin-sdk'
import { cronCommand } from '#commands/cron-command.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { variablePrefix } from '#config/platform-settings.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { CronJob } from '#store/jobs.ts'
import type { Store } from '#store/store.ts'
import { ownerOfMessage, profileOwner } from '#tools/memory/owner.ts'
import { createExclusive } from '../pairing/exclusive.ts'
import { openPairing } from '../pairing/pairing.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import type { BotLoops } from './bot-loops.ts'
import type { Echoes } from './echoes.ts'
import { isKnown } from './find-ground.ts'
import { type GateOptions, isLetIn, judge, type Verdict } from './gates.ts'
import { createGreeting } from './greet-stranger.ts'
import type { JoinedThreads } from './joined-threads.ts'
import { mayGive } from './may-give.ts'

export interface ReceptionOptions {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  readonly store: Pick<Store, 'leases'>
  readonly rules: Pick<PlatformRules, 'of'>
  readonly echoes: Pick<Echoes, 'isOwn'>
  readonly loops: BotLoops
  readonly threads: Pick<JoinedThreads, 'has'>
  readonly clock: Clock
  readonly log: Log
}

/** Who gets in, and what the others are told. */
export interface Reception {
  judge(platform: string, message: InboundMessage): Verdict
  /** Whether the bot has said this itself. */
  isEcho(platform: string, message: InboundMessage): boolean
  /** Whether the bot goes where it is invited: where it would answer who invites it. A stranger cannot be told a code before. */
  invited(platform: string, invitation: Omit<Press, 'button'>): ReturnType<PlatformContext['invited']>
  /** What a stranger is told; undefined where that is nothing. Never rejects. */
  greet(platform: string, message: InboundMessage): Promise<string | undefined>
  /** Whether the owner has let in this very person. */
  isKnown(platform: string, message: InboundMessage): boolean
  /** Whether its writer may make jobs, in whatever words: the rule of `/cron`. */
  mayMakeJobs(platform: string, message: InboundMessage): boolean
  /** Why a job may not be run any more: somebody who made or changed it could not do that now. Undefined: it may. */
  refusalOf(job: Pick<CronJob, 'owner' | 'people'>): string | undefined
}

export function openReception(options: ReceptionOptions): Reception {
  const { home, loaded, catalog, store, rules, clock, log } = options
  const { environment } = loaded
  const folder = home.files.pairing
  const exclusive = createExclusive({ leases: store.leases, owner: newId('run', clock), folder, clock })
  const pairing = openPairing({ folder, exclusive, clock, randomBytes, log })
  const isEcho: Reception['isEcho'] = (platform, message) =>
    options.echoes.isOwn(platform, message, rules.of(platform).settings.reply_prefix)
  const gateOf = (platform: string, message: InboundMessage): GateOptions => {
    const { settings, patterns } = rules.of(platform)
    const spec = catalog.find('platform', platform)?.spec
    return {
      platform,
      prefix: variablePrefix(platform, environment),
      settings,
      patterns,
      variable: environment.reference,
      isApproved: (person) => pairing.isApproved(platform, person),
      gate: spec?.gate ?? 'sender',
      strangers: loaded.config.unauthorized_dm_behavior,
      unknownSenders: spec?.unknownSenders ?? 'ignore',
      isEcho: isEcho(platform, message),
      admitBot: (message) => options.loops.admit(platform, message),
      takesPart: (message) => options.threads.has(platform, message),
    }
  }
  const knows: Reception['isKnown'] = (platform, message) => isKnown(message, gateOf(platform, message))
  const mayMakeJobs: Reception['mayMakeJobs'] = (platform, message) =>
    mayGive(rules.of(platform).settings, message, cronCommand, () => knows(platform, message))
  return {
    isEcho,
    judge: (platform, message) => judge(message, gateOf(platform, message)),
    invited: async (platform, { account, conversation, sender }) => {
      const message = { account, conversation, sender, id: '', text: '', addressed: true }
      const answer = isLetIn(message, gateOf(platform, message)) ? 'join' : 'ignore'
      log.info('the agent was invited', { platform, sender: sender.id, conversation: conversation.id, kind: conversation.kind, answer })
      return answer
    },
    greet: createGreeting({ pairing, profile: home.profile, log }),
    isKnown: knows,
    mayMakeJobs,
    refusalOf: ({ owner, people = [] }) => {
      for (const { platform, ...person } of people) {
        const message = { ...person, id: '', text: '', addressed: true }
        const who = `${person.sender.id} on ${platform}, who made or changed it,`
        if (!isLetIn(message, gateOf(platform, message)) || !mayMakeJobs(platform, message))
          return `${who} may not use /cron there any more`
        if (owner === profileOwner && ownerOfMessage(options, { platform, message }) !== owner)
          return `${who} does not speak for the owner any more`
      }
      return undefined
    },
  }
}
