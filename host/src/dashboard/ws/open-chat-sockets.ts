import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { profileExists } from '#config/home/profiles.ts'
import type { HomeContext } from '#rpc/home-context.ts'
import { createChats } from '#rpc/sessions/chats.ts'
import { isProviderConfigured } from '#rpc/sessions/is-provider-configured.ts'
import { type GroundOptions, openGround } from '#rpc/sessions/open-ground.ts'
import { openWebSockets, type WebSocketsOptions } from './open-web-sockets.ts'
import { serveChat } from './serve-chat.ts'
import { serveTerminal } from './serve-terminal.ts'

export interface ChatSocketsOptions extends Omit<WebSocketsOptions, 'routes'> {
  readonly context: Omit<HomeContext, 'profile'>
  /** Holds where an address names none. */
  readonly profile: string
  /** Serves that profile alone. */
  readonly isolated: boolean
  readonly clock: Clock
  readonly log: Log
  readonly agent?: GroundOptions
  /** How this program is started. */
  readonly program: readonly string[]
}

export interface ChatSockets {
  /** Closes those whose login has ended. */
  closeEnded(): void
  close(): Promise<void>
}

const closeMs = 30_000

/** Serves the chat of each profile at /api/ws, and the one of the terminal at /api/pty. */
export function openChatSockets({ context, profile, isolated, agent, program, ...options }: ChatSocketsOptions): ChatSockets {
  const { clock, log } = options
  const contextOf = (wished: string): HomeContext => {
    if (isolated ? wished !== profile : !profileExists(context.environment, wished))
      throw fail('PROFILE_NOT_FOUND', { profile: wished.slice(0, 100) })
    return { ...context, profile: wished }
  }
  const chats = createChats(async (wished) => openGround(contextOf(wished), agent))
  const route = serveChat({
    ...{ profile, log, now: clock.now, hub: chats.of },
    isConfigured: async (wished) => isProviderConfigured(contextOf(wished)),
  })
  const terminal = serveTerminal({ program, profile, clock, log, environmentOf: (wished) => contextOf(wished).environment })
  const sockets = openWebSockets({ ...options, routes: { '/api/ws': route, '/api/pty': terminal } })
  return {
    closeEnded: sockets.closeEnded,
    close: async () => {
      await sockets.close()
      await withTimeLimit({ clock, ms: closeMs, what: 'The end of the chats' }, () => chats.close())
    },
  }
}
