import { fail } from '../../../contract/errors.ts'
import type { PanelHost } from '../../../contract/panel.ts'

type Mcp = PanelHost['mcp']
type Server = Awaited<ReturnType<Mcp['list']>>[number]
type Login = NonNullable<Server['login']>

const blank = { env: [], headers: [], enabled: true, trust: 'untrusted' } as const
const offer = {
  name: 'far',
  description: 'Looks far.',
  docsUrl: 'https://far.example',
  env: [{ name: 'FAR_TOKEN', prompt: 'A token' }],
  words: '',
}
const noLogin: Login = { state: 'none', detail: '', inherited: false }

/** One server of the settings, and one of the catalog that needs a variable. */
export function createTestMcp(need: () => void): Mcp {
  const servers = new Map<string, Server>([
    ['notes', { ...blank, name: 'notes', transport: 'stdio', command: 'notes-server', args: ['-q'] }],
  ])
  const find = (name: string): Server => {
    need()
    const found = servers.get(name)
    if (!found) throw fail('MCP_SERVER_UNKNOWN', { server: name })
    return found
  }
  return {
    ...createTestLogins(find, servers),
    list: async () => {
      need()
      return [...servers.values()]
    },
    catalog: async () => {
      need()
      return [{ ...offer, installed: servers.has('far') }]
    },
    install: async ({ name, env }) => {
      need()
      if (name !== 'far') throw fail('MCP_SERVER_UNKNOWN', { server: name })
      servers.set(name, { ...blank, name, transport: 'http', url: 'https://far.example/mcp', env: Object.keys(env), login: noLogin })
      return [`${name} is an MCP server now.`]
    },
    add: async ({ name, command, args, url, env = {}, headers = {}, trust = 'untrusted' }) => {
      need()
      if (servers.has(name)) throw fail('MCP_SERVER_EXISTS', { server: name })
      const way =
        command === undefined
          ? { transport: 'http' as const, url: url ?? '', login: noLogin }
          : { transport: 'stdio' as const, command, args: args ?? [] }
      servers.set(name, { ...blank, name, ...way, env: Object.keys(env), headers: Object.keys(headers), trust })
      return [`${name} is an MCP server now.`]
    },
    turn: async ({ name, to }) => {
      servers.set(name, { ...find(name), enabled: to === 'on' })
      return [`${name} is ${to}.`]
    },
    remove: async ({ name }) => {
      servers.delete(find(name).name)
      return [`${name} is no MCP server any more.`]
    },
    test: async ({ name }) => {
      const { enabled } = find(name)
      return { ok: enabled, said: [enabled ? `${name} has 2 tools.` : `${name} is off.`] }
    },
  }
}

/** A login succeeds with every address that brings its id back as the state. */
function createTestLogins(
  find: (name: string) => Server,
  servers: Map<string, Server>,
): Pick<Mcp, 'login' | 'answer' | 'cancel' | 'logout'> {
  const keep = (server: Server, login: Login): void => void servers.set(server.name, { ...server, login })
  const findLogin = (id: string): { readonly server: Server; readonly login: Login } => {
    const server = find(id.replace('login-', ''))
    const { login } = server
    if (login?.waits?.id === id) return { server, login }
    throw fail('LOGIN_FAILED', { provider: server.name, detail: 'none waits' })
  }
  return {
    login: async ({ name }) => {
      const server = find(name)
      const waits = { id: `login-${name}`, address: `https://accounts.example/?state=login-${name}`, until: 1_700_000_000_000 }
      keep(server, { ...(server.login ?? noLogin), waits })
      return waits
    },
    answer: async ({ id, pasted }) => {
      const { server } = findLogin(id)
      if (!pasted.includes(`state=${id}`)) throw fail('USAGE', { problem: 'This is no answer to it.', try: 'the whole address' })
      const said = `Logged in to ${server.name}, by accounts.example.`
      keep(server, { state: 'good', detail: 'it lasts until it is withdrawn', inherited: false, said })
      return [said]
    },
    cancel: async ({ id }) => {
      const { server, login } = findLogin(id)
      const { waits: _, ...rest } = login
      keep(server, rest)
      return [`The login to ${server.name} is given up.`]
    },
    logout: async ({ name }) => {
      keep(find(name), noLogin)
      return [`The login with ${name} is forgotten.`]
    },
  }
}
