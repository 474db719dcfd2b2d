import { randomUUID } from 'node:crypto'
import type { Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createBodyMemory } from '@agent/plugin-sdk/http'
import type { Config } from './door/config.ts'
import { createReplayCache } from './door/idempotency.ts'
import { createKeepAlive } from './door/keep-alive.ts'
import { createMemoryResponseStore } from './door/response-store.ts'
import { loadSettings, type Settings } from './door/settings.ts'
import { createSlots } from './door/slots.ts'
import { createDoorway, type Doorway } from './routes.ts'

/** Listens on its own port and runs a turn per chat request. */
const apiServer: Platform<Config> = {
  async connect(context) {
    const settings = await loadSettings(context.config, context.secrets, context.about.profile)
    let lastHeard = context.clock.now()
    const { admit, handle } = createDoorway({
      settings,
      turns: context.turns,
      clock: context.clock,
      memory: createBodyMemory(),
      keepAlive: createKeepAlive(context.clock, context.signal),
      slots: createSlots(settings.maxRuns, context.clock),
      responses: createMemoryResponseStore({ maxResponses: 100, maxWeight: 64_000_000 }),
      replays: createReplayCache({ clock: context.clock, maxItems: 1_000, maxWeight: 16_000_000, keptMs: 300_000 }),
      signal: context.signal,
      about: { version: context.about.agentVersion, profile: context.about.profile, startedAt: lastHeard },
      createId: (prefix) => prefix + randomUUID().replaceAll('-', '').slice(0, 29),
    })
    if (settings.enabled) {
      const heard: Doorway['handle'] = (request, call) => {
        lastHeard = context.clock.now()
        return handle(request, call)
      }
      await listen(context, settings, { admit, handle: heard })
    }
    return {
      lastHeard: async () => lastHeard,
      // The host closes the listener with the context.
      close: async () => undefined,
    }
  },
}

async function listen(
  context: PlatformContext<Config>,
  { host, port, key, maxBodyBytes }: Settings,
  { admit, handle }: Doorway,
): Promise<void> {
  try {
    // Another profile of this machine may lend its listener, which others may reach.
    const { url } = await context.http.listen({ host, port, maxBodyBytes, open: key === undefined }, handle, admit)
    context.log.info('the API server listens', { url })
  } catch (error) {
    if (isAgentError(error, 'PORT_IN_USE')) throw fail('PORT_IN_USE', { host, port, setting: 'API_SERVER_PORT' }, { cause: error })
    if (isAgentError(error, 'BIND_UNSAFE'))
      throw fail('BIND_UNSAFE', { host: String(error.params.host), setting: 'API_SERVER_KEY' }, { cause: error })
    throw error
  }
}

export default apiServer
