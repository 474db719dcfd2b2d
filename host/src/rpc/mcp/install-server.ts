import { loadConfig } from '#config/load.ts'
import type { Reloaded } from '../gateway/reload-gateway.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'
import { findOffer, type InstallWish, serverOf } from './catalog.ts'
import { addServer } from './servers.ts'

/** Makes an offer of the catalog a server of the home. It is started when somebody needs it. */
export async function installServer(context: HomeContext, name: string, wish: InstallWish): Promise<Reloaded> {
  const offer = findOffer(name)
  const { environment } = await loadConfig(openHomeOf(context, { create: false }), context.environment)
  return addServer(context, name, serverOf(offer, wish, environment.has), wish.env)
}
