import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openHome } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { systemClock } from '#kernel/clock.ts'
import { isLoopback } from '#kernel/egress/loopback.ts'
import { type HomeGatesOptions, openHomeGates } from '#rpc/gates/home-gates.ts'
import { openAudit } from '../auth/audit.ts'
import { type LoginGuard, type OfPlugins, openGate } from '../auth/gate.ts'
import { createTickets } from '../auth/tickets.ts'
import { createToken } from '../auth/token.ts'
import type { Seat } from '../find-foreign.ts'
import type { DashboardGround } from '../ground.ts'
import { readPublicUrl } from '../read-public-url.ts'
import { addFamilies } from '../routes/add-families.ts'
import { addAuth } from '../routes/logins/auth.ts'
import { programOf } from '../server/actions.ts'
import { createServer, isAdmitted } from '../server/create-server.ts'
import { servePages } from '../server/pages.ts'
import { createProviderLogins } from '../server/provider-logins.ts'
import { createRouter } from '../server/router.ts'
import { openChatSockets } from '../ws/open-chat-sockets.ts'

export interface DashboardOptions extends DashboardGround {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** Answers beyond this machine without a login. */
  readonly insecure: boolean
  readonly log: Log
  /** How this program is started; the usual way unless told. */
  readonly program?: readonly string[]
  /** Folder of the built page. */
  readonly pages?: string
  /** What gates of plugins are opened with. */
  readonly gates?: HomeGatesOptions['agent']
  /** Of logins and of what is open by them. */
  readonly clock?: Clock
}

export interface Dashboard {
  readonly url: string
  /** True while something that was begun here goes on. */
  isBusy(): boolean
  close(): Promise<void>
}

/** Serves the dashboard until it is closed. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { host, port, log, installRoot, clock = systemClock } = options
  const home = openHome({ environment: options.environment, profile: options.profile })
  const { environment, config } = await loadConfig(home, options.environment)
  const publicUrl = readPublicUrl(config.dashboard.public_url, home.files.config)
  const { base_path: basePath } = config.dashboard
  const seat: Seat = { isLoopback: isLoopback(host), basePath, ...(publicUrl ? { publicUrl } : {}) }
  const gate = await findGate({ ...options, ...seat }, async () => {
    const ofPlugins = config.dashboard.gates.length > 0 ? await openOfPlugins({ ...options, clock }) : undefined
    return await openGate(environment, { clock, audit: openAudit(home.files.logs, clock) }, ofPlugins)
  })
  const token = createToken(environment.get('AGENT_DASHBOARD_SESSION_TOKEN'))
  const tickets = createTickets(clock)
  const server = await createServer({ ...seat, proxies: config.dashboard.trusted_proxies, token, gate, log })
  addAuth(server, { gate, token, tickets, log, ...seat, onEnded: () => sockets.closeEnded() })
  const logins = createProviderLogins({ clock: systemClock, log, signal: options.signal })
  const actions = addFamilies(createRouter(server, options), { ...options, logins }, gate !== undefined)
  servePages(server, {
    folder: options.pages ?? join(installRoot, 'host', 'web', 'dist'),
    // Who is shut out later must not keep the token that programs come in by.
    tokenFor: (request) => (gate === undefined ? token.value : isAdmitted(request, gate) ? token.ofLogins : undefined),
  })
  const url = await listen(server, { host, port })
  const { environment: context, signal, note, profile, isolated } = options
  const sockets = openChatSockets({
    ...{ server: server.server, takeTicket: tickets.take, ...seat, clock, log },
    ...{ context: { installRoot, environment: context, signal, note }, profile, isolated },
    program: options.program ?? programOf(installRoot),
  })
  return {
    url: `${url}${basePath}`,
    isBusy: actions.isBusy,
    close: async () => {
      await sockets.close()
      await logins.close()
      await server.close()
      await gate?.gates?.close()
    },
  }
}

/** Beyond this machine there is a login, or somebody has said that there shall be none. */
async function findGate(
  { host, insecure, publicUrl }: DashboardOptions & Pick<Seat, 'publicUrl'>,
  open: () => Promise<LoginGuard | undefined>,
): Promise<LoginGuard | undefined> {
  if (insecure || (isLoopback(host) && !publicUrl)) return undefined
  const gate = await open()
  if (!gate) throw fail('DASHBOARD_UNSAFE', { host: publicUrl?.host ?? host })
  return gate
}

/** Which gates the settings name is known from manifests; their code is loaded by the first login. */
async function openOfPlugins(options: DashboardOptions & { readonly clock: Clock }): Promise<OfPlugins> {
  const { clock, log, signal, gates: agent = {} } = options
  const gates = openHomeGates({ context: options, clock, log, agent })
  await gates.look()
  return { gates, log, signal }
}

interface Listener {
  listen(options: { readonly host: string; readonly port: number }): Promise<string>
  close(): Promise<void>
}

async function listen(server: Listener, { host, port }: Pick<DashboardOptions, 'host' | 'port'>): Promise<string> {
  try {
    return (await server.listen({ host, port })).replace('[::1]', 'localhost')
  } catch (error) {
    await server.close()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw fail('PORT_IN_USE', { host, port, setting: '--port' }, { cause: error })
  }
}
