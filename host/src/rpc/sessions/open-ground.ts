import type { OpenAgentOptions } from '#agent/agent-options.ts'
import { openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { HomeContext } from '../home-context.ts'
import { createPanelServices } from '../panels/panel-services.ts'
import { seedHome } from '../skills/seed-home.ts'
import { createSlashServices } from '../slash/slash-services.ts'
import type { OpenGround } from './chats.ts'

export type GroundOptions = Pick<OpenAgentOptions, 'importEntry'>

/** Opens the agent of a profile for its chats; it works in the folder of its home. */
export async function openGround(context: HomeContext, options: Pick<OpenAgentOptions, 'importEntry' | 'clock'> = {}): Promise<OpenGround> {
  const { installRoot, environment, profile, note } = context
  seedHome(context)
  const agent = await openAgent({
    ...options,
    installRoot,
    environment,
    profile,
    note,
    ownCommands: ownNames,
    panelServices: createPanelServices(context),
  })
  return {
    agent,
    services: createSlashServices(context, agent),
    source: 'dashboard',
    folder: agent.home.files.workspace,
    close: agent.close,
  }
}
