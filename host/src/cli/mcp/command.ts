import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { mcpCatalog } from '#rpc/mcp/catalog.ts'
import { installServer } from '#rpc/mcp/install-server.ts'
import { listProjectServers } from '#rpc/mcp/project-servers.ts'
import { addServer, enableServer, listServers, type McpServer, type McpServerRow, removeServer, testServer } from '#rpc/mcp/servers.ts'
import { talkAt } from '../auth/talk-at.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { addProjectCommands } from './project-commands.ts'

export function command(cli: Cli): Command {
  const mcp = new Command('mcp').description('Let the agent use the tools of MCP servers.')
  mcp
    .command('list', { isDefault: true })
    .description('the servers of the settings and of the project in this folder; none is started')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => list(cli, json === true))
  addAdd(cli, mcp)
  mcp
    .command('test <name>')
    .description('start a server, and ask it for its tools')
    .option('--json', 'as JSON')
    .action((name: string, { json }: { json?: true }) => test(cli, name, json === true))
  mcp
    .command('remove <name>')
    .description('take a server out of the settings')
    .action(async (name: string) => say(cli, await removeServer(cli, name)))
  for (const [word, on] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    mcp
      .command(`${word} <name>`)
      .description(on ? 'use a server again' : 'keep a server in the settings, and do not use it')
      .action(async (name: string) => say(cli, await enableServer(cli, name, on)))
  mcp
    .command('catalog')
    .description('servers that can be installed by their name')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => showCatalog(cli, json === true))
  mcp
    .command('install <name> [words...]')
    .description('make a server of the catalog one of yours')
    .option('--env <NAME=value>', 'a variable that it needs; kept in .env', collect, [])
    .action(async (name: string, words: string[], { env }: { env: string[] }) => {
      say(cli, await installServer(cli, name, { words, env: pairsOf('--env', '=', env) }))
    })
  addProjectCommands(cli, mcp)
  addLogin(cli, mcp)
  mcp
    .command('serve')
    .description('be an MCP server on standard input and output: conversations, messages and questions as tools. A client starts this.')
    .option('--answer', 'let the client answer questions whether a dangerous call may run, not just see them')
    .action(async ({ answer }: { answer?: true }) => {
      if (cli.terminal) cli.note('An MCP client starts agent mcp serve and talks to it here. Ctrl-D ends it.')
      return (await import('./serve/serve-mcp.ts')).serveMcp(cli, { mayAnswer: answer === true })
    })
  return mcp
}

function addLogin(cli: Cli, mcp: Command): void {
  mcp
    .command('login <name>')
    .description('log in to a server that is asked over HTTP, as its page says')
    .option('--scope <scopes>', 'what the login is for; as a rule the server says that')
    .action(async (name: string, { scope }: { scope?: string }) => {
      const { logInToServer } = await import('#rpc/mcp/login/log-in.ts')
      const scopes = scope?.split(/[\s,]+/).filter(Boolean)
      say(cli, { said: await logInToServer(cli, name, { talk: talkAt(cli, name), scopes }) })
      cli.note(`agent mcp test ${name} tells whether it works.`)
    })
  mcp
    .command('logout <name>')
    .description('forget the login with a server')
    .action(async (name: string) => {
      const { logOutOfServer } = await import('#rpc/mcp/login/log-in.ts')
      const forgotten = await logOutOfServer(cli, name)
      cli.out(forgotten ? `The login with ${name} is forgotten.` : `There was no login with ${name}.`)
      if (!forgotten) cli.exit(1)
    })
}

interface AddOptions {
  readonly url?: string
  readonly transport?: 'http' | 'sse'
  readonly env: string[]
  readonly header: string[]
  readonly cwd?: string
  readonly timeout?: string
  readonly trust?: string
}

function addAdd(cli: Cli, mcp: Command): void {
  mcp
    .command('add <name> [command...]')
    .description('add a server: agent mcp add NAME --url URL, or agent mcp add NAME -- COMMAND ARGUMENTS')
    .option('--url <url>', 'of a server that is asked over HTTP')
    .option('--transport <http|sse>', 'how it is asked; as a rule that is found out')
    .option('--env <NAME=value>', 'a variable for a command; a secret is kept in .env', collect, [])
    .option('--header <Name: value>', 'a header for a URL; its value is kept in .env', collect, [])
    .option('--cwd <folder>', 'where a command starts')
    .option('--timeout <seconds>', 'of one call; 300')
    .option(
      '--trust <full|hints|untrusted>',
      'which of its tools are asked about: none, those that do not say that they only read, or each',
    )
    .action((name: string, words: string[], options: AddOptions) => add(cli, name, words, options))
}

const collect = (value: string, before: string[]): string[] => [...before, value]

/** `NAME=value` or `Name: value`, several of them. */
function pairsOf(option: string, sign: string, given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(sign)
      if (at < 1)
        throw fail('USAGE', { problem: `${option} takes a name and a value with ${sign} between them.`, try: 'agent mcp add --help' })
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    }),
  )
}

async function add(cli: Cli, name: string, words: readonly string[], options: AddOptions): Promise<void> {
  const [command, ...args] = words
  const { url, transport, cwd, timeout, trust } = options
  const env = pairsOf('--env', '=', options.env)
  const { headers, variables } = keepHeaders(name, pairsOf('--header', ':', options.header))
  const server = {
    ...(command === undefined ? {} : { command, args }),
    ...(url === undefined ? {} : { url }),
    ...(transport === undefined ? {} : { transport }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(options.header.length === 0 ? {} : { headers }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(timeout === undefined ? {} : { timeout: Number(timeout) }),
    // What does not fit is refused where it is written.
    ...(trust === undefined ? {} : { trust: trust as 'ask' }),
  } satisfies McpServer
  say(cli, await addServer(cli, name, server, variables))
  cli.note(`agent mcp test ${name} tells whether it works.`)
}

/** The value of a header is mostly a secret: it goes into a variable, unless it names one already. */
function keepHeaders(name: string, given: Readonly<Record<string, string>>) {
  const variables: Record<string, string> = {}
  const headers = Object.fromEntries(
    Object.entries(given).map(([header, value]) => {
      if (value.includes('${')) return [header, value]
      const variable = `MCP_${name}_${header}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
      variables[variable] = value
      return [header, `\${${variable}}`]
    }),
  )
  return { headers, variables }
}

function say(cli: Cli, { said }: { readonly said: readonly string[] }): void {
  for (const sentence of said) cli.out(sentence)
}

async function list(cli: Cli, json: boolean): Promise<void> {
  const [servers, project] = await Promise.all([listServers(cli), listProjectServers(cli)])
  if (json) return cli.json({ servers, ...(project ? { project: toJson(project) } : {}) })
  if (servers.length === 0) cli.out('There are no MCP servers. agent mcp add NAME adds one, and agent mcp catalog lists some.')
  else
    cli.out(
      formatTable(
        servers.map((server) => [paint(cli, 'cyan', server.name), server.enabled ? 'on' : 'off', server.transport, placeOf(server)]),
      ),
    )
  for (const { name, problem } of servers) if (problem !== undefined) cli.note(`${name}: ${problem}`)
  if (project) showProject(cli, project)
}

type Project = NonNullable<Awaited<ReturnType<typeof listProjectServers>>>

const toJson = ({ path, problem, servers }: Project) => ({
  ...{ path, ...(problem === undefined ? {} : { problem }) },
  servers: servers.map(({ settings: _, ...shown }) => shown),
})

function showProject(cli: Cli, { path, problem, servers }: Project): void {
  if (problem !== undefined) cli.note(`The MCP servers of ${path} are not used: ${problem}.`)
  if (servers.length === 0) return
  cli.out(`\nNamed by ${path}:`)
  cli.out(formatTable(servers.map(({ name, state, shown, problem = '' }) => [paint(cli, 'cyan', name), state, shown || problem])))
  if (servers.some(({ state }) => state === 'asked')) cli.out('\nThe agent asks before it uses one; agent mcp allow NAME says yes now.')
}

const placeOf = ({ command, args = [], url = '' }: McpServerRow): string => (command === undefined ? url : [command, ...args].join(' '))

async function test(cli: Cli, name: string, json: boolean): Promise<void> {
  const found = await testServer(cli, name)
  if (json) cli.json(found)
  else say(cli, found)
  if (!found.ok) cli.exit(1)
}

function showCatalog(cli: Cli, json: boolean): void {
  if (json) {
    cli.json({ servers: mcpCatalog })
    return
  }
  cli.out(formatTable(mcpCatalog.map(({ name, description }) => [paint(cli, 'cyan', name), description])))
  cli.out('\nagent mcp install NAME makes one of them a server of yours.')
}
