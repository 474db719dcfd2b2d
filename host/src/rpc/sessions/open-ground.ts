import type { OpenAgentOptions } from '#agent/agent-options.ts'
import { openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { systemClock } from '#kernel/clock.ts'
import type { HomeContext } from '../home-context.ts'
import { createPanelServices } from '../panels/panel-services.ts'
import { seedHome } from '../skills/seed-home.ts'
import { createSlashServices } from '../slash/slash-services.ts'
import { openChatJournal } from './chat-journal.ts'
import type { OpenGround } from './chats.ts'
import { recoverChats } from './recover-chats.ts'

export type GroundOptions = Pick<OpenAgentOptions, 'importEntry'>

/** Opens the agent of a profile for its chats; it works in the folder of its home. */
export async function openGround(context: HomeContext, options: Pick<OpenAgentOptions, 'importEntry' | 'clock'> = {}): Promise<OpenGround> {
  const { installRoot, environment, profile, note, signal } = context
  seedHome(context)
  const panelServices = createPanelServices(context, options.clock ?? systemClock)
  const agent = await openAgent({
    ...options,
    installRoot,
    environment,
    profile,
    note,
    ownCommands: ownNames,
    panelServices,
  })
  const { home, loaded, clock, log } = agent
  const journal = openChatJournal({ folder: home.files.chats, isDurable: loaded.config.store.durability === 'full', clock, log })
  const source = 'dashboard'
  await recoverChats({ agent, source, journal }, signal)
  return {
    ...{ agent, source, journal },
    services: createSlashServices(context, agent),
    folder: home.files.workspace,
    close: async () => {
      await panelServices.close()
      journal.close()
      await agent.close()
    },
  }
}
