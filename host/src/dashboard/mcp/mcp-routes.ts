import * as z from 'zod/mini'
import { installServer, listOffers } from '#rpc/mcp/install-server.ts'
import { addServer, enableServer, listServers, removeServer, testServer } from '#rpc/mcp/servers.ts'
import type { Changed } from '../api.ts'
import type { McpCatalog, McpServerList, McpTested } from '../api-mcp.ts'
import { nothing, type Router } from '../server/router.ts'

const text = z.string().check(z.minLength(1), z.maxLength(4000))
const texts = z.optional(z.record(text, z.string().check(z.maxLength(10_000))))
const name = z.string().check(z.minLength(1), z.maxLength(200))
const words = z.optional(z.array(z.string().check(z.maxLength(4000))))

/** What of it fits is decided by the settings, which say what does not. */
const added = z.strictObject({
  ...{ name, command: z.optional(text), args: words, env: texts, url: z.optional(text), headers: texts },
  transport: z.optional(z.enum(['http', 'sse'])),
  timeout: z.optional(z.number()),
  trust: z.optional(z.enum(['full', 'hints', 'untrusted', 'ask'])),
})

const family = '/api/mcp/servers'

/** MCP servers: the same as `agent mcp`. */
export function addMcp(router: Router): void {
  router.add({
    ...{ method: 'GET', url: family, takes: nothing },
    answer: async ({ context }): Promise<McpServerList> => ({ servers: await listServers(context) }),
  })
  router.add({
    ...{ method: 'POST', url: family, takes: added },
    answer: ({ context, input: { name: server, ...settings } }): Promise<Changed> => addServer(context, server, settings),
  })
  router.add({
    ...{ method: 'DELETE', url: `${family}/:id`, takes: nothing },
    answer: ({ context, id }): Promise<Changed> => removeServer(context, id),
  })
  router.add({
    ...{ method: 'PUT', url: `${family}/:id/enabled`, takes: z.strictObject({ enabled: z.boolean() }) },
    answer: ({ context, id, input: { enabled } }): Promise<Changed> => enableServer(context, id, enabled),
  })
  router.add({
    ...{ method: 'POST', url: `${family}/:id/test`, takes: nothing },
    answer: ({ context, id }): Promise<McpTested> => testServer(context, id),
  })
  router.add({
    ...{ method: 'GET', url: '/api/mcp/catalog', takes: nothing },
    answer: async ({ context }): Promise<McpCatalog> => ({ servers: await listOffers(context) }),
  })
  router.add({
    ...{ method: 'POST', url: '/api/mcp/catalog/install', takes: z.strictObject({ name, env: texts, words }) },
    answer: ({ context, input: { name: offer, env = {}, words: given = [] } }): Promise<Changed> =>
      installServer(context, offer, { env, words: given }),
  })
}
