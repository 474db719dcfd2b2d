import type { Clock, CompleteConnection, Context, Files, Http, Log, Platform, PlatformContext, Turns } from '@agent/plugin-sdk'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import { lockPlatform } from './lock-platform.ts'
import { openLink } from './platform-link.ts'

export interface SinglePlatformOptions {
  readonly home: Home
  readonly loaded: Loaded
  readonly activator: Pick<Activator, 'entry'>
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  readonly files: Files
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  /** Gives up while it connects. */
  readonly signal: AbortSignal
}

/** One platform that is connected without a gateway. */
export interface SinglePlatform extends AsyncDisposable {
  /** Undefined while a connection that was lost is made again. */
  connection(): CompleteConnection | undefined
}

/** How long a message that comes in meanwhile waits for the next gateway, in milliseconds. */
const notNowMs = 60_000

/**
 * Connects a platform to send by it or to try it. Nothing is received: what comes in is not acknowledged and comes again. Rejects with
 * the error of the attempt.
 */
export async function openSinglePlatform(options: SinglePlatformOptions, contribution: Contribution<'platform'>): Promise<SinglePlatform> {
  const { activator, loaded, clock, random, log, signal } = options
  const link = openLink({
    contribution,
    lock: async () => lockPlatform(options, contribution),
    load: async () => {
      const found = readPlatformSettings(loaded, contribution.id).problems.find(({ level }) => level === 'error')
      if (found) throw fail('CONFIG_VALUE_INVALID', { key: found.key, problem: found.problem })
      return activator.entry<Platform>(contribution)
    },
    receiveTimeoutMs: loaded.config.gateway.receive_timeout * 1000,
    openContext: (lost) => openContext(options, contribution, lost),
    onChange: () => undefined,
    clock,
    random,
    log,
  })
  const onAbort = (): void => void link.close()
  signal.addEventListener('abort', onAbort)
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort)
    await link.close()
  }
  if (signal.aborted) await close()
  await link.settled
  const { error } = link.status()
  if (link.connection()) return { connection: () => link.connection(), [Symbol.asyncDispose]: close }
  await close()
  if (signal.aborted) throw fail('INTERRUPTED')
  throw error ? fromWireError(error) : fail('PLATFORM_UNREACHABLE', { platform: contribution.spec.label, detail: 'it did not connect' })
}

async function openContext(
  options: SinglePlatformOptions,
  contribution: Contribution<'platform'>,
  lost: PlatformContext['lost'],
): Promise<{ context: PlatformContext; ledger: Ledger }> {
  const ledger = openLedger(contribution.plugin.manifest.id, options.log)
  const base = await options.createContext(contribution, ledger)
  const context: PlatformContext = Object.freeze({
    ...base,
    receive: async () => ({ status: 'busy', retryAfterMs: notNowMs }) as const,
    press: async () => ({ status: 'late', text: 'The gateway does not run now. Try again later.' }) as const,
    invited: async () => 'ignore' as const,
    lost,
    http: closedDoors(options.loaded),
    files: options.files,
    turns: noTurns(options.home.path),
  })
  return { context, ledger }
}

/** Addresses under which nobody listens now. */
function closedDoors({ config }: Pick<Loaded, 'config'>): Http {
  const { host, port } = config.gateway.http
  return {
    route: async (path) => ({ url: `http://${host}:${port}${path}` }),
    listen: async ({ host: own, port: wanted }) => ({ url: `http://${own}:${wanted}`, port: wanted }),
  }
}

function noTurns(home: string): Turns {
  const refuse = (): never => {
    throw fail('GATEWAY_NOT_RUNNING', { home })
  }
  return { run: refuse, answer: async () => refuse() }
}
