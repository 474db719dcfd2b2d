import { fromWireError } from '@agent/plugin-sdk/errors'
import { listProfiles } from '#config/home/profiles.ts'
import { loadConfig } from '#config/load.ts'
import { readVersion } from '#config/version.ts'
import type { QueueCounts } from '#gateway/instance/queue-counts.ts'
import { systemClock } from '#kernel/clock.ts'
import { createSandbox } from '#kernel/sandbox/sandbox.ts'
import { needsSomebody, type PlatformStatus, readStatus } from '#rpc/gateway/read-status.ts'
import type { PlatformState, Status } from '../api.ts'
import { nothing, type Router } from '../server/router.ts'

/** The one door that asks for no token: it names neither people nor texts. */
export function addStatus(
  router: Router,
  { authRequired, isolated }: { readonly authRequired: boolean; readonly isolated: boolean },
): void {
  // What it finds out it finds out once: everybody may ask.
  const machine = createSandbox({ clock: systemClock })
  router.add({
    ...{ method: 'GET', url: '/api/status', takes: nothing },
    answer: async ({ context, profile }): Promise<Status> => {
      const { home, instance, platforms, queues, unknown, sandbox } = await readStatus(context, machine)
      const { config } = await loadConfig(home, context.environment)
      const sum = (count: (each: QueueCounts) => number): number => queues.reduce((all, each) => all + count(each), 0)
      return {
        ...{ version: readVersion(context.installRoot), profile, authRequired, sandbox, theme: config.display.theme_mode },
        profiles: isolated ? [profile] : listProfiles(context.environment).map(({ name }) => name),
        gateway: { running: instance !== undefined, ...(instance ? { pid: instance.pid } : {}) },
        platforms: platforms.map(toState),
        queues: {
          ...{ waiting: sum(({ inbox }) => inbox), sending: sum(({ outbox }) => outbox), unknown: unknown.length },
          platforms: queues.map(({ platform, inbox, outbox, unknown: lost }) => ({
            platform,
            waiting: inbox,
            sending: outbox,
            unknown: lost,
          })),
        },
      }
    },
  })
}

function toState(status: PlatformStatus): PlatformState {
  const error = 'error' in status ? status.error : undefined
  const { platform, state } = status
  return { platform, state, needsAttention: needsSomebody(status), ...(error ? { problem: fromWireError(error).message } : {}) }
}
