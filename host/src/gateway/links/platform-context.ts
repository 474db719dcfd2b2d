import type { Context, Files, Http, Log, PlatformContext, Press, PressAnswer, TurnRequest, Turns } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { DoorRequest } from '#agent/turn/prepare-turn.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { newId } from '#kernel/ids.ts'
import type { Ledger } from '#kernel/ledger.ts'
import type { Journal } from '#store/journal.ts'
import { sessionOwner } from '#tools/memory/owner.ts'
import type { Reception } from '../authorise/reception.ts'
import type { CallbackListener } from '../http/callback-listener.ts'
import { type OpenDoor, openOwnDoor } from '../http/open-door.ts'
import type { Arrival } from '../inbound/take-arrival.ts'

export interface PlatformContextOptions {
  readonly contribution: Contribution<'platform'>
  readonly base: Context
  readonly ledger: Ledger
  readonly journal: Journal
  readonly isEcho: Reception['isEcho']
  /** Told about every message that was stored. */
  readonly arrive: (arrival: Arrival) => void
  readonly press: (platform: string, press: Press) => Promise<PressAnswer>
  readonly invited: Reception['invited']
  readonly turns: Pick<AgentTurns, 'run' | 'answer'>
  readonly files: Files
  readonly callbacks: CallbackListener
  readonly lost: PlatformContext['lost']
  readonly log: Log
  /** How a listener of the platform's own is opened; absent: for this gateway alone. */
  readonly openDoor?: OpenDoor | undefined
  /** Told about every listener that the platform opened; what it returns is called when it is closed. */
  readonly onListen: (listener: { readonly url: string }) => () => void
}

/** What a platform gets beyond every plugin's context; each verb only where its manifest declares it. */
export function createPlatformContext(options: PlatformContextOptions): PlatformContext {
  const { contribution, base, journal } = options
  const verbs = contribution.plugin.manifest.permissions.host?.value
  const listeners = openListeners(contribution)
  const turns: Turns = verbs?.includes('turns.run')
    ? {
        run: (request, call) =>
          options.turns.run(
            Object.assign({}, request, unsaid, ownerOfDoor(contribution, request), { isPublic: listeners.arePublic() }),
            call,
          ),
        answer: options.turns.answer,
      }
    : {
        run: () => refuse(contribution, 'turns.run', 'permissions.host "turns.run"'),
        answer: async () => refuse(contribution, 'turns.answer', 'permissions.host "turns.run"'),
      }
  return Object.freeze({
    ...base,
    receive: async (message) => {
      if (contribution.spec.door !== 'messaging') return refuse(contribution, 'receive', 'door "messaging"')
      if (options.isEcho(contribution.id, message)) return { status: 'duplicate' }
      const result = await journal.accept(contribution.id, message)
      if (result.status !== 'accepted') return result
      options.arrive({ platform: contribution.id, message, seq: result.seq })
      return { status: 'accepted' }
    },
    press: (press) => options.press(contribution.id, press),
    invited: async (invitation) => {
      if (!contribution.spec.capabilities.invitations) return refuse(contribution, 'invited', 'capabilities "invitations"')
      return await options.invited(contribution.id, invitation)
    },
    lost: options.lost,
    http: createHttp(options, listeners, verbs?.includes('http.listen')),
    files: options.files,
    turns,
  } satisfies PlatformContext)
}

/** What only the host knows of a request: whom it serves, and what its tools may. A plugin that says it is not heard. */
const unsaid: Readonly<Record<Exclude<keyof DoorRequest, keyof TurnRequest | 'isPublic'>, undefined>> = {
  ...{ owner: undefined, person: undefined, beginAs: undefined, child: undefined, approvals: undefined },
  ...{ asDoors: undefined, toolsets: undefined, countsAs: undefined, speakers: undefined, job: undefined, spawned: undefined },
}

/** A door that people reach says nothing about who they are: they make no jobs, and what one of them has remembered is for his session alone. */
function ownerOfDoor({ id, spec }: Contribution<'platform'>, { session }: TurnRequest): Pick<DoorRequest, 'owner' | 'speakers'> {
  if (spec.reach !== 'people') return {}
  return {
    speakers: { may: false, people: [] },
    owner: sessionOwner(id, session === undefined ? newId('ses') : 'key' in session ? `key ${session.key}` : `id ${session.id}`),
  }
}

interface Listeners {
  opened(listener: { readonly host: string }): void
  /** True when others than the owner of this machine reach the platform. */
  arePublic(): boolean
}

function openListeners({ spec }: Contribution<'platform'>): Listeners {
  const all: { readonly host: string }[] = []
  return {
    opened: (listener) => void all.push(listener),
    // One that another profile lends may be moved to an address that others reach.
    arePublic: () => spec.reach === 'people' || all.some(({ host }) => !isLoopback(host)),
  }
}

type HttpOptions = Pick<PlatformContextOptions, 'contribution' | 'callbacks' | 'ledger' | 'log' | 'openDoor' | 'onListen'>

function createHttp(
  { contribution, callbacks, ledger, log, openDoor = openOwnDoor, onListen }: HttpOptions,
  listeners: Listeners,
  mayListen: boolean | undefined,
): Http {
  return {
    route: async (path, handler, route, admit) => {
      const { url, close } = await callbacks.route({ ...route, owner: contribution.id, path, handler, admit })
      ledger.add(close, `route ${path}`)
      return { url }
    },
    listen: async ({ host, port, maxBodyBytes, open }, handler, admit) => {
      if (!mayListen) return refuse(contribution, 'http.listen', 'permissions.host "http.listen"')
      const listener = await openDoor(contribution.id, {
        ...{ host, port, open, log },
        admit: async (head, call) => {
          const admitted = await admit?.(head, call)
          return admitted && 'status' in admitted ? admitted : { handler, maxBodyBytes, headers: admitted?.headers }
        },
      })
      listeners.opened(listener)
      const forget = onListen(listener)
      ledger.add(async () => {
        forget()
        await listener.close()
      }, `listener ${listener.url}`)
      return { url: listener.url, port: listener.port }
    },
  }
}

function refuse({ plugin }: Contribution, access: string, field: string): never {
  throw fail('PLUGIN_UNDECLARED', { plugin: plugin.manifest.id, access, field })
}
