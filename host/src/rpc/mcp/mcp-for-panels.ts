import { type Panel, withTimeLimit } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import type { HomeContext } from '../home-context.ts'
import { installServer, listOffers } from './install-server.ts'
import { addServer, enableServer, listServers, removeServer, testServer } from './servers.ts'

type PanelMcp = Parameters<Panel['open']>[0]['mcp']

/** A page gives up after a minute; nothing goes on behind its back. */
const longestMs = 55_000

/** MCP servers for a page of the dashboard: what `agent mcp` does with them. */
export function mcpForPanels(context: HomeContext): PanelMcp {
  return {
    list: () => listServers(context),
    catalog: () => listOffers(context),
    install: async ({ name, env, words }) => (await installServer(context, name, { env, words })).said,
    add: async ({ name, command, args, url, env, headers, trust }) => {
      const server = {
        ...(command === undefined ? {} : { command }),
        ...(args === undefined ? {} : { args: [...args] }),
        ...(url === undefined ? {} : { url }),
        ...(env === undefined ? {} : { env: { ...env } }),
        ...(headers === undefined ? {} : { headers: { ...headers } }),
        ...(trust === undefined ? {} : { trust }),
      }
      return (await addServer(context, name, server)).said
    },
    turn: async ({ name, to }) => (await enableServer(context, name, to === 'on')).said,
    remove: async ({ name }) => (await removeServer(context, name)).said,
    test({ name }) {
      const limit = { clock: systemClock, signal: context.signal, ms: longestMs, what: `A test of the MCP server ${name.slice(0, 32)}` }
      return withTimeLimit(limit, (signal) => testServer({ ...context, signal }, name))
    },
  }
}
