import { randomUUID } from 'node:crypto'
import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import type { PanelServices } from '#agent/panel-host.ts'
import type { HomeContext } from '../home-context.ts'
import { installServer, listOffers } from '../mcp/install-server.ts'
import { createBegunLogins } from '../mcp/login/begun-logins.ts'
import { findServerLogin } from '../mcp/login/find-login.ts'
import { logOutOfServer } from '../mcp/login/log-in.ts'
import { addServer, enableServer, listServers, removeServer, testServer } from '../mcp/servers.ts'

export interface McpForPanels {
  readonly mcp: PanelServices['mcp']
  /** Ends the logins that wait. */
  close(): Promise<void>
}

/** A page gives up after a minute; nothing but a login goes on behind its back. */
const longestMs = 55_000

/** MCP servers for a page of the dashboard: what `agent mcp` does with them. */
export function mcpForPanels(context: HomeContext, clock: Clock): McpForPanels {
  const logins = createBegunLogins({ context, clock, createId: randomUUID })
  const mcp: McpForPanels['mcp'] = {
    list: () => listServers(context, (home, name, url) => ({ ...findServerLogin(home, name, url, clock.now()), ...logins.find(name) })),
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
    remove: async ({ name }) => {
      await logins.forget(name)
      return (await removeServer(context, name)).said
    },
    test({ name }) {
      const limit = { clock, signal: context.signal, ms: longestMs, what: `A test of the MCP server ${name.slice(0, 32)}` }
      return withTimeLimit(limit, (signal) => testServer({ ...context, signal }, name))
    },
    login: ({ name }, changed) => logins.start(name, changed),
    answer: ({ id, pasted }) => logins.answer(id, pasted),
    cancel: async ({ id }) => [`The login to ${await logins.cancel(id)} is given up.`],
    logout: async ({ name }) => {
      await logins.forget(name)
      return [(await logOutOfServer(context, name)) ? `The login with ${name} is forgotten.` : `There was no login with ${name}.`]
    },
  }
  return { mcp, close: logins.close }
}
