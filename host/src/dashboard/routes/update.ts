import { loadConfig } from '#config/load.ts'
import { findUpdateObstacle } from '#config/update-obstacle.ts'
import { readVersion } from '#config/version.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Action, UpdateState } from '../api.ts'
import type { DashboardGround } from '../ground.ts'
import type { Actions } from '../server/actions.ts'
import { nothing, type Router } from '../server/router.ts'

/** Newer versions: only the two POST doors ask a server for them, when a person does. */
export function addUpdate(
  router: Router,
  actions: Actions,
  { installRoot, restart }: Pick<DashboardGround, 'installRoot' | 'restart'>,
): void {
  const version = readVersion(installRoot)
  router.add({
    ...{ method: 'GET', url: '/api/agent/update', takes: nothing },
    answer: async ({ context }): Promise<UpdateState> => {
      const { updates } = (await loadConfig(openHomeOf(context, { create: false }), context.environment)).config
      const obstacle = findUpdateObstacle(installRoot)
      return {
        ...{ version, installed: readVersion(installRoot), backup: updates.pre_update_backup },
        localChanges: updates.non_interactive_local_changes,
        mayRestart: restart !== undefined,
        ...(obstacle ? { otherwise: `${obstacle.problem}. ${obstacle.next}` } : {}),
      }
    },
  })
  router.add({
    ...{ method: 'POST', url: '/api/agent/update/check', takes: nothing },
    answer: ({ context }): Promise<Action> => actions.start(context, 'agent-update-check', ['update', '--check']),
  })
  router.add({
    ...{ method: 'POST', url: '/api/agent/update', takes: nothing },
    answer: ({ context }): Promise<Action> => actions.start(context, 'agent-update', ['update', '--yes']),
  })
  if (restart === undefined) return
  router.add({
    ...{ method: 'POST', url: '/api/dashboard/restart', takes: nothing },
    answer: ({ reply }) => {
      reply.raw.once('finish', restart)
      return { ok: true }
    },
  })
}
