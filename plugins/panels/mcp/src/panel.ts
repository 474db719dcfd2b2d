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
  }
}

function showOffer({ name, description, docsUrl, env, words, installed }: Offer): PanelRecord {
  const needs = [...env.map((variable) => `${variable.name}: ${variable.prompt}`), ...(words === '' ? [] : [`words: ${words}`])]
  return { name, state: installed ? 'added' : 'not added', about: description, needs: needs.join('; '), docs: docsUrl }
}
