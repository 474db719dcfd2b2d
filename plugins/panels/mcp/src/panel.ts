import type { Panel, PanelAnswer, PanelRecord, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

type Mcp = Parameters<Panel['open']>[0]['mcp']
type Server = Awaited<ReturnType<Mcp['list']>>[number]
type Offer = Awaited<ReturnType<Mcp['catalog']>>[number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const panel: Panel = {
  async open({ mcp }) {
    /** What the last try of a server said, until the panel ends. */
    const tried = new Map<string, string>()
    const said = async (sentences: Promise<readonly string[]>): Promise<PanelAnswer> => ({ said: (await sentences).join(' ') })
    const methods: Readonly<Record<string, Method>> = {
      servers: async () => ({ rows: (await mcp.list()).map((server) => showServer(server, tried.get(server.name))) }),
      server: async ({ item = '' }) => {
        const server = (await mcp.list()).find(({ name }) => name === item)
        if (!server) throw fail('MCP_SERVER_UNKNOWN', { server: item })
        return { item: showServer(server, tried.get(item)) }
      },
      try: async ({ item = '' }) => {
        const test = await mcp.test({ name: item })
        const words = test.said.join(' ')
        tried.set(item, words)
        return { said: words }
      },
      turnOn: ({ item = '' }) => said(mcp.turn({ name: item, to: 'on' })),
      turnOff: ({ item = '' }) => said(mcp.turn({ name: item, to: 'off' })),
      ...loginMethods(mcp),
      remove: async ({ item = '' }) => {
        tried.delete(item)
        return said(mcp.remove({ name: item }))
      },
      catalog: async () => ({ rows: (await mcp.catalog()).map(showOffer) }),
      offer: async ({ item = '' }) => {
        const offer = (await mcp.catalog()).find(({ name }) => name === item)
        if (!offer) throw fail('MCP_SERVER_UNKNOWN', { server: item })
        return { item: showOffer(offer) }
      },
      install: ({ item = '', input }) =>
        said(mcp.install({ name: item, env: readPairs(input.variables, 'Variables'), words: readLines(input.words) })),
      add: ({ input }) => said(mcp.add(readWish(input))),
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

const whatToDo =
  'Open the page to log in. If your browser then ends at a page that it cannot show, finish the login here with the address of that page.'

/** A login goes on by itself when it has begun; the page is told when it ends. */
function loginMethods(mcp: Mcp): Readonly<Record<string, Method>> {
  const waiting = async (item: string): Promise<string> => {
    const { login } = (await mcp.list()).find(({ name }) => name === item) ?? {}
    if (login?.waits) return login.waits.id
    throw fail('LOGIN_FAILED', { provider: item, detail: 'it waits for nobody; begin another' })
  }
  return {
    logIn: async ({ item = '' }) => {
      const { address } = await mcp.login({ name: item })
      return { said: `Open the page of ${new URL(address).host} to log in; its link stands here now.` }
    },
    finish: async ({ item = '', input }) => ({
      said: (await mcp.answer({ id: await waiting(item), pasted: String(input.address) })).join(' '),
    }),
    giveUp: async ({ item = '' }) => ({ said: (await mcp.cancel({ id: await waiting(item) })).join(' ') }),
    forget: async ({ item = '' }) => ({ said: (await mcp.logout({ name: item })).join(' ') }),
  }
}

function readWish({ name, command, url, words, headers, variables, trust }: PanelRecord): Parameters<Mcp['add']>[0] {
  const [args, env, more] = [readLines(words), readPairs(variables, 'Variables'), readPairs(headers, 'Headers')]
  return {
    ...{ name: String(name).trim(), trust: trust as 'untrusted' },
    ...(command === undefined ? {} : { command: String(command).trim() }),
    ...(url === undefined ? {} : { url: String(url).trim() }),
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(Object.keys(more).length === 0 ? {} : { headers: more }),
  }
}

const readLines = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** A line that is no pair is named by its number: what stands in it may be a secret. */
function readPairs(value: unknown, field: string): Readonly<Record<string, string>> {
  const pairs = readLines(value).map((line, index) => {
    const [, name, text] = /^\s*([^\s=]+)\s*=(.*)$/.exec(line) ?? []
    if (name === undefined || text === undefined)
      throw fail('USAGE', { problem: `Line ${index + 1} of ${field} is no NAME=VALUE.`, try: 'NAME=VALUE, a line each' })
    return [name, text.trim()] as const
  })
  return Object.fromEntries(pairs)
}

function showServer(server: Server, tried = ''): PanelRecord {
  const { name, command, args = [], url = '', env, headers, enabled, trust, problem } = server
  const state = problem !== undefined ? 'wrong' : enabled ? 'on' : 'off'
  return {
    ...{ name, state, what: command === undefined ? url : [command, ...args].join(' '), trust, tried, problem: problem ?? '' },
    ...{ variables: env.join(' '), headers: headers.join(' '), isOn: enabled, isOff: !enabled },
    ...showLogin(server.login),
  }
}

function showLogin(login: Server['login']): PanelRecord {
  const { state = '', detail = '', inherited = false, waits, said = '' } = login ?? {}
  const known = inherited ? `${detail}; it belongs to the home around this profile` : detail
  return {
    login: waits ? 'waits' : state === 'renews' ? 'good' : state,
    loginDetail: waits ? whatToDo : login ? known : 'Only a server with an address has one here.',
    ...{ loginSaid: said, loginPage: waits?.address ?? '', loginUntil: waits?.until ?? '' },
    ...{ canLogIn: login !== undefined && !waits, waits: waits !== undefined, canForget: state !== '' && state !== 'none' && !inherited },
  }
}

function showOffer({ name, description, docsUrl, env, words, installed }: Offer): PanelRecord {
  const needs = [...env.map((variable) => `${variable.name}: ${variable.prompt}`), ...(words === '' ? [] : [`words: ${words}`])]
  return { name, state: installed ? 'added' : 'not added', about: description, needs: needs.join('; '), docs: docsUrl }
}
