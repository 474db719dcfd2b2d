import { loadConfig } from '#config/load.ts'
import type { Reloaded } from '../gateway/reload-gateway.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'
import { findOffer, type InstallWish, type McpOffer, mcpCatalog, serverOf } from './catalog.ts'
import { addServer, listServers } from './servers.ts'

/** The catalog, and which of its servers the home has. */
export async function listOffers(
  context: Pick<HomeContext, 'environment' | 'profile'>,
): Promise<readonly (Omit<McpOffer, 'server'> & { readonly installed: boolean })[]> {
  const there = new Set((await listServers(context)).map(({ name }) => name))
  return mcpCatalog.map(({ server: _, ...offer }) => ({ ...offer, installed: there.has(offer.name) }))
}

/** Makes an offer of the catalog a server of the home. It is started when somebody needs it. */
export async function installServer(context: HomeContext, name: string, wish: InstallWish): Promise<Reloaded> {
  const offer = findOffer(name)
  const { environment } = await loadConfig(openHomeOf(context, { create: false }), context.environment)
  return addServer(context, name, serverOf(offer, wish, environment.has), wish.env)
}
