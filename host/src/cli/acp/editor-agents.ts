import { type OpenAgent, openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { Config } from '#config/schema/schema.ts'
import type { ImportEntry } from '#kernel/activation/activate.ts'
import { createChats, type OpenGround } from '#rpc/sessions/chats.ts'
import type { Hub } from '#rpc/sessions/hub.ts'
import { seedHome } from '#rpc/skills/seed-home.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import type { Cli } from '../console/cli.ts'

export type McpServers = Config['mcp_servers']

/** Where the sessions of an editor work, and with which servers beside those of the settings. */
export interface WorkPlace {
  readonly folder: string
  readonly servers: McpServers
}

/** What goes on behind the turns of a session is told in it, too. */
interface EditorGround extends OpenGround {
  readonly agent: OpenGround['agent'] & Pick<OpenAgent, 'onNotice'>
}

export interface EditorAgent {
  readonly hub: Hub
  readonly ground: EditorGround
}

/** The agents behind an editor: one for each folder and set of servers, opened by the first session there. */
export interface EditorAgents {
  at(place: WorkPlace): Promise<EditorAgent>
  close(): Promise<void>
}

export interface EditorAgentOptions {
  readonly importEntry?: ImportEntry
}

export function openEditorAgents(cli: Cli, options: EditorAgentOptions = {}): EditorAgents {
  const places = new Map<string, WorkPlace>()
  const grounds = new Map<string, EditorGround>()
  const chats = createChats(async (key) => {
    const ground = await openPlace(cli, options, places.get(key) ?? { folder: cli.cwd, servers: {} })
    grounds.set(key, ground)
    return ground
  })
  return {
    at: async (place) => {
      const key = JSON.stringify([place.folder, place.servers])
      places.set(key, place)
      const hub = await chats.of(key)
      const ground = grounds.get(key)
      if (!ground) throw new Error('An agent was opened and not kept.')
      return { hub, ground }
    },
    close: chats.close,
  }
}

async function openPlace(cli: Cli, options: EditorAgentOptions, { folder, servers }: WorkPlace): Promise<EditorGround> {
  const { installRoot, environment, profile, note } = cli
  seedHome(cli)
  const agent = await openAgent({
    ...options,
    ...{ installRoot, environment, profile, note, workspace: folder, mcpServers: servers, ownCommands: ownNames },
  })
  return { agent, services: createSlashServices(cli, agent), source: 'acp', folder, close: agent.close }
}
