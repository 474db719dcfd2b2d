import { fail } from '@agent/plugin-sdk/errors'
import {
  type ProjectServer,
  type ProjectServers,
  readProjectServers,
  ruleIn,
  rulesOfServer,
} from '#agent/project-servers/project-servers.ts'
import { projectFolderOf } from '#agent/project-servers/read-project-file.ts'
import { changeConfig } from '#config/edit.ts'
import { loadConfig } from '#config/load.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'

/** Where a person is, and the home that keeps what they said. */
type Ground = Pick<HomeContext, 'environment' | 'profile'> & { readonly cwd: string }

/** What the project of a folder names, and what was said about it. Nothing is started. */
export async function listProjectServers(ground: Ground): Promise<ProjectServers | undefined> {
  const { config } = await loadConfig(openHomeOf(ground, { create: false }), ground.environment)
  const { mcp_servers: servers, command_allowlist: allowlist } = config
  return readProjectServers({ workspace: ground.cwd, taken: Object.keys(servers), allowlist })
}

/** Writes down that a server of the project may be used as it stands there now, in place of what was said about it before. */
export async function allowProjectServer(ground: Ground, name: string): Promise<ProjectServer> {
  const project = await listProjectServers(ground)
  const found = project?.servers.find((server) => server.name === name)
  if (!project || !found) {
    const nearest = nearestName(name, project?.servers.map((server) => server.name) ?? [])
    throw fail('MCP_SERVER_UNKNOWN', { server: name, ...(nearest === undefined ? {} : { nearest }) })
  }
  if (!found.settings) throw fail('USAGE', { problem: `${name} of ${project.path} is not used: ${found.problem}.`, try: 'agent mcp list' })
  const { rule } = found.settings.project
  await changeRules(ground, name, [`mcp_${name.replaceAll('-', '_')}_use@${rule}`])
  return found
}

/** Forgets what was allowed of a server of this project and of its tools, in whatever words it stood there. Says whether there was something. */
export function forgetProjectServer(ground: Ground, name: string): Promise<boolean> {
  return changeRules(ground, name, [])
}

async function changeRules(ground: Ground, name: string, rules: readonly string[]): Promise<boolean> {
  const home = openHomeOf(ground)
  const { config } = await loadConfig(home, ground.environment)
  const before = rulesOfServer(projectFolderOf(ground.cwd), name)
  const others = config.command_allowlist.filter((entry) => !ruleIn(entry).startsWith(before))
  const hadSome = others.length < config.command_allowlist.length
  const now = [...others, ...rules]
  const values = { command_allowlist: now.length === 0 ? null : now }
  if (hadSome || rules.length > 0) changeConfig({ home, processEnvironment: ground.environment }, { values })
  return hadSome
}
