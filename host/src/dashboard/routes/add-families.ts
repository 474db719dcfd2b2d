import { readVersion } from '#config/version.ts'
import type { DashboardGround } from '../ground.ts'
import { addMcp } from '../mcp/mcp-routes.ts'
import { type Actions, createActions, programOf } from '../server/actions.ts'
import type { ProviderLogins } from '../server/provider-logins.ts'
import { nothing, type Router } from '../server/router.ts'
import { addConfig } from './config.ts'
import { addEnv } from './env.ts'
import { addGateway } from './gateway.ts'
import { addBlueprints } from './jobs/blueprints.ts'
import { addLogs } from './logs.ts'
import { addModel } from './model.ts'
import { addPackages } from './packages.ts'
import { addPairing } from './pairing.ts'
import { addPanels } from './panels.ts'
import { addPlatforms } from './platforms.ts'
import { addPlugins } from './plugins.ts'
import { addProfiles } from './profiles.ts'
import { addProviderLogins } from './provider-logins.ts'
import { addSessions } from './sessions.ts'
import { addSkills } from './skills.ts'
import { addStatus } from './status.ts'
import { addUnknownSends } from './unknown-sends.ts'
import { addUpdate } from './update.ts'
import { addUsage } from './usage.ts'

export interface FamilyOptions extends DashboardGround {
  readonly program?: readonly string[]
  readonly logins: ProviderLogins
}

/** Every family of the REST doors. */
export function addFamilies(router: Router, options: FamilyOptions, authRequired: boolean): Actions {
  const program = options.program ?? programOf(options.installRoot)
  const actions = createActions(program)
  addStatus(router, { authRequired, isolated: options.isolated })
  addGateway(router, actions)
  addUnknownSends(router)
  addUpdate(router, actions, options)
  addModel(router)
  addProviderLogins(router, options.logins)
  addLogs(router)
  addPlugins(router)
  addPackages(router, { program, actions })
  addSkills(router, actions)
  addMcp(router)
  addUsage(router)
  addPairing(router)
  addSessions(router)
  addProfiles(router, options)
  addConfig(router)
  addEnv(router)
  addPlatforms(router)
  addPanels(router)
  addBlueprints(router)
  addDocument(router, options.installRoot)
  return actions
}

/** What all the others take, for programs that ask them. */
function addDocument(router: Router, installRoot: string): void {
  router.add({
    ...{ method: 'GET', url: '/api/openapi.json', takes: nothing },
    answer: async () => {
      const { describeApi } = await import('../server/describe-api.ts')
      return describeApi(router.routes, readVersion(installRoot))
    },
  })
}
