import { existsSync } from 'node:fs'
import type { Panel } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { ownNames } from '#commands/slash-table.ts'
import { forgetLogin } from '#config/auth/auth-store.ts'
import { changeConfig } from '#config/edit.ts'
import { isSecretKey } from '#config/environment/secret-keys.ts'
import { readConfigFile } from '#config/file/config-file.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { mcpServerName } from '#config/schema/mcp-server-schema.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { loginOfServer } from '#models/credentials/service-logins.ts'
import { maskText } from '#observe/mask.ts'
import { askReload, type Reloaded } from '../gateway/reload-gateway.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

export type McpServer = Loaded['config']['mcp_servers'][string]

/** A server of the settings, without the values of its variables and headers. */
export type McpServerRow = Awaited<ReturnType<Parameters<Panel['open']>[0]['mcp']['list']>>[number]

/** What is known of the login with a server that is asked at an address. */
type LoginOf = (home: Home, name: string, url: string) => McpServerRow['login']

/** Every server of a home. Nothing is started. */
export async function listServers(
  context: Pick<HomeContext, 'environment' | 'profile'>,
  loginOf: LoginOf = () => undefined,
): Promise<readonly McpServerRow[]> {
  const { home, loaded } = await readServers(context)
  const secrets = loaded.environment.secrets()
  return Object.entries(loaded.config.mcp_servers).map(([name, server]) => {
    const { command, args = [], url, env = {}, headers = {}, enabled = true, trust = 'untrusted', transport = 'http' } = server
    const found = loaded.problems.find(({ key, level }) => level === 'error' && `${key}.`.startsWith(`mcp_servers.${name}.`))
    const problem = found ? `${found.key} ${found.problem}.` : findProblem(server)
    const login = command === undefined && url !== undefined ? loginOf(home, name, url) : undefined
    return {
      ...{ name, transport: command === undefined ? transport : ('stdio' as const), enabled, trust },
      ...(command === undefined ? {} : { command, args: hideWords(args).map((word) => maskText(word, secrets)) }),
      ...(url === undefined ? {} : { url: maskText(url, secrets) }),
      ...{ env: Object.keys(env), headers: Object.keys(headers) },
      ...(problem === undefined ? {} : { problem }),
      ...(login === undefined ? {} : { login }),
    }
  })
}

/** A secret may stand among the words themselves: `--api-key=VALUE`, `--token VALUE`. */
function hideWords(words: readonly string[]): readonly string[] {
  const isFlag = (word = ''): boolean => /^--?[\w-]+$/.test(word) && isSecretKey(word)
  return words.map((word, at) => {
    const [, flag] = /^(--?[\w-]+)=./s.exec(word) ?? []
    if (isFlag(flag)) return `${flag}=[secret]`
    return isFlag(words[at - 1]) && !word.startsWith('-') ? '[secret]' : word
  })
}

function findProblem({ command, url }: McpServer): string | undefined {
  if (command === undefined && url === undefined) return 'It has neither a command nor a url.'
  return command !== undefined && url !== undefined ? 'It has a command and a url; the command counts.' : undefined
}

async function readServers(
  context: Pick<HomeContext, 'environment' | 'profile'>,
): Promise<{ readonly home: Home; readonly loaded: Loaded }> {
  const home = openHomeOf(context, { create: false })
  return { home, loaded: await loadConfig(home, context.environment) }
}

/** Writes a new server down, secrets into .env, and tells a running gateway. Nothing is written where anything does not fit. */
export async function addServer(
  context: HomeContext,
  name: string,
  server: McpServer,
  variables: Readonly<Record<string, string>> = {},
): Promise<Reloaded> {
  // With a dot in it the name would lead into the settings of another one.
  if (!mcpServerName.safeParse(name).success)
    throw fail('CONFIG_VALUE_INVALID', {
      key: `mcp_servers.${name}`,
      problem: 'has a name that is none: letters, digits, hyphens and underscores, at most 32',
    })
  const { loaded, home } = await readServers(context)
  // Another may have been added by this name meanwhile; from here on nothing waits until it is written.
  if (Object.hasOwn(loaded.config.mcp_servers, name) || isWritten(home, name)) throw fail('MCP_SERVER_EXISTS', { server: name })
  const problem = findProblem(server)
  if (problem !== undefined)
    throw fail('CONFIG_VALUE_INVALID', { key: `mcp_servers.${name}`, problem: 'needs a command or a url, and not both' })
  return change(context, name, server, `${name} is an MCP server now (mcp_servers.${name}).`, variables)
}

/** A server of the settings that fits. Rejects with MCP_SERVER_UNKNOWN. */
export async function findServer(
  context: Pick<HomeContext, 'environment' | 'profile'>,
  name: string,
): Promise<{ readonly home: Home; readonly loaded: Loaded; readonly server: McpServer }> {
  await requireServer(context, name)
  const { home, loaded } = await readServers(context)
  const { [name]: server } = loaded.config.mcp_servers
  if (server) return { home, loaded, server }
  throw fail('CONFIG_VALUE_INVALID', { key: `mcp_servers.${name}`, problem: 'does not fit; agent mcp list says why' })
}

export async function removeServer(context: HomeContext, name: string): Promise<Reloaded> {
  await requireServer(context, name)
  const { files } = openHomeOf(context, { create: false })
  if (existsSync(files.auth)) forgetLogin(files.auth, loginOfServer(name))
  return change(context, name, null, `${name} is no MCP server any more. Variables that only it used stay in .env.`)
}

export async function enableServer(context: HomeContext, name: string, enabled: boolean): Promise<Reloaded> {
  await requireServer(context, name)
  return change(context, `${name}.enabled`, enabled, `${name} is ${enabled ? 'on' : 'off'}.`)
}

async function change(
  context: HomeContext,
  key: string,
  value: unknown,
  said: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Reloaded> {
  // The home is made when there is none yet.
  const home = openHomeOf(context)
  const moved = changeConfig({ home, processEnvironment: context.environment }, { values: { [`mcp_servers.${key}`]: value }, variables })
  const kept = [...Object.keys(variables), ...moved].map((variable) => `A secret is kept as ${variable} in ${home.files.env}.`)
  const reloaded = await askReload(context, home)
  return { ...reloaded, said: [said, ...kept, ...reloaded.said] }
}

async function requireServer(context: Pick<HomeContext, 'environment' | 'profile'>, name: string): Promise<void> {
  const { loaded, home } = await readServers(context)
  const known = loaded.config.mcp_servers
  // One that does not fit can be taken out too.
  if (Object.hasOwn(known, name) || isWritten(home, name)) return
  const nearest = nearestName(name, Object.keys(known))
  throw fail('MCP_SERVER_UNKNOWN', nearest === undefined ? { server: name } : { server: name, nearest })
}

function isWritten({ files }: Home, name: string): boolean {
  const written = (readConfigFile(files.config).value as { readonly mcp_servers?: unknown } | undefined)?.mcp_servers
  return typeof written === 'object' && written !== null && Object.hasOwn(written, name)
}

export interface McpTest {
  readonly ok: boolean
  /** What it has, or what is wrong; a sentence each. */
  readonly said: readonly string[]
}

/** Starts a server with the settings and variables of the home that is meant, and asks for its tools. */
export async function testServer(context: HomeContext, name: string): Promise<McpTest> {
  await requireServer(context, name)
  const { installRoot, profile, signal, note } = context
  const agent = await openAgent({ installRoot, ...applySafeMode(context), profile, note, ownCommands: ownNames })
  try {
    const hasClient = agent.catalog.of('toolset').some(({ spec }) => spec.dynamicTools?.block === 'mcp_servers')
    if (!hasClient) return { ok: false, said: ['The plugin that uses MCP servers is off or does not run. agent plugins list shows why.'] }
    const sources = await agent.toolbox.refresh(name, signal)
    const own = sources.find((source) => source.name === name)
    const said = sources.map(({ text }) => maskText(text, agent.loaded.environment.secrets()))
    return { ok: own?.state === 'ready', said }
  } finally {
    await agent.close()
  }
}
