import { resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeEnvValues } from '#config/environment/env-file.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import { loadConfig, requireSound } from '#config/load.ts'
import { parseSafe, readClientId } from '#dashboard/auth/read-oidc.ts'
import { type Registration, type RegistrationWish, registerClient } from '#dashboard/auth/register-client.ts'
import { readPublicUrl } from '#dashboard/read-public-url.ts'
import { systemClock } from '#kernel/clock.ts'
import { readText } from '#kernel/read-text.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../console/cli.ts'

export interface RegisterFlags {
  readonly issuer?: string
  readonly redirectUri?: string
  readonly name: string
  readonly tokenFile?: string
  readonly again?: true
  readonly json?: true
  /** For the dashboard of this profile alone. */
  readonly isolated?: true
}

const names = {
  issuer: 'AGENT_DASHBOARD_OIDC_ISSUER',
  clientId: 'AGENT_DASHBOARD_OIDC_CLIENT_ID',
  clientSecret: 'AGENT_DASHBOARD_OIDC_CLIENT_SECRET',
} as const

/** Registers the dashboard at an identity provider, and keeps what that gave for the login. */
export async function register(cli: Cli, flags: RegisterFlags): Promise<void> {
  const home = openHomeOf(flags.isolated ? cli : { ...cli, profile: defaultProfile })
  const loaded = await loadConfig(home, cli.environment)
  requireSound(loaded)
  const { environment } = loaded
  const before = readClientId(environment)
  if (before !== undefined && !flags.again) {
    const name = environment.get(names.clientId) === undefined ? 'AGENT_DASHBOARD_OAUTH_CLIENT_ID' : names.clientId
    throw fail('DASHBOARD_REGISTERED', { clientId: before, name })
  }
  const wish = readWish(cli, flags, loaded, home)
  cli.note(`Registering ${wish.redirect.href} at ${wish.issuer.host} …`)
  const made = await registerClient(wish, { clock: systemClock, signal: cli.signal })
  keep(cli, home, wish, made)
  const next = nextSteps(cli, loaded, wish, made)
  const { clientId, secretEndsAt } = made
  const hasSecret = made.clientSecret !== undefined
  if (flags.json)
    return cli.json({
      ...{ issuer: valuesOf(wish, made)[names.issuer], clientId, hasSecret, redirectUri: wish.redirect.href, file: home.files.env, next },
      ...(before === undefined ? {} : { replaced: before }),
      ...(secretEndsAt === undefined ? {} : { secretEndsAt: new Date(secretEndsAt).toISOString() }),
    })
  cli.out(`The dashboard is registered at ${wish.issuer.host} as ${clientId}; logins come back to ${wish.redirect.href}.`)
  cli.out(`Issuer, client id${hasSecret ? ' and secret' : ''} are kept in ${home.files.env}.`)
  if (before !== undefined) cli.out(`The client ${before} is not used any more; remove it at the provider that gave it.`)
  for (const line of next) cli.out(line)
}

function readWish(cli: Cli, flags: RegisterFlags, { environment, config }: Loaded, home: Home): RegistrationWish {
  const form = 'agent dashboard register --issuer https://id.example.org --redirect-uri https://agent.example.org/auth/callback'
  const misuse = (problem: string): Error => fail('USAGE', { problem, try: form })
  const text = flags.issuer ?? environment.get(names.issuer)
  if (text === undefined) throw misuse('Nothing says which identity provider: --issuer and AGENT_DASHBOARD_OIDC_ISSUER are missing.')
  const issuer = parseSafe(text)
  if (!issuer) throw misuse('The issuer must be an address that begins with https://.')
  const publicUrl = readPublicUrl(config.dashboard.public_url, home.files.config)
  const own = publicUrl && `${publicUrl.origin}${config.dashboard.base_path}${callback}`
  const address = flags.redirectUri ?? own
  if (address === undefined)
    throw misuse('Nothing says where browsers reach the dashboard: dashboard.public_url is not set, and --redirect-uri is missing.')
  const redirect = parseSafe(address)
  if (!redirect?.pathname.endsWith(callback) || redirect.search !== '' || redirect.hash !== '')
    throw misuse(`Logins come back to an address that begins with https:// and ends with ${callback}, not to ${address}.`)
  return {
    ...{ issuer, redirect, name: flags.name },
    start: new URL(redirect.href.slice(0, 1 - callback.length)),
    ...(flags.tokenFile === undefined ? {} : { token: readToken(resolve(cli.cwd, flags.tokenFile)) }),
  }
}

const callback = '/auth/callback'

function readToken(path: string): string {
  const token = readText(path, { mostBytes: 64 * 1024 })?.trim()
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token
  const problem = token === undefined ? `There is no file ${path}.` : `${path} must hold the initial access token, and nothing else.`
  throw fail('USAGE', { problem, try: 'agent dashboard register --token-file FILE' })
}

/** All of it or nothing; a client that could not be kept is named, so that somebody can remove it. */
function keep(cli: Cli, home: Home, wish: RegistrationWish, made: Registration): void {
  try {
    writeEnvValues(home.files.env, valuesOf(wish, made))
  } catch (error) {
    cli.note(
      `${wish.issuer.host} has made the client ${made.clientId}, and it could not be kept. Remove it there before you do this again.`,
    )
    throw error
  }
}

/** A secret of an earlier client goes where the new one has none. */
function valuesOf({ issuer }: RegistrationWish, { clientId, clientSecret }: Registration): Readonly<Record<string, string | undefined>> {
  const address = issuer.pathname === '/' ? issuer.origin : issuer.href
  return { [names.issuer]: address, [names.clientId]: clientId, [names.clientSecret]: clientSecret }
}

function nextSteps({ environment: process }: Cli, { environment }: Loaded, wish: RegistrationWish, made: Registration): readonly string[] {
  const shadows = Object.entries(valuesOf(wish, made)).flatMap(([name, value]) => (process[name] && process[name] !== value ? [name] : []))
  const lists = ['USERS', 'EMAILS', 'GROUPS'].map((what) => `AGENT_DASHBOARD_OIDC_ALLOWED_${what}`)
  const { secretEndsAt: end } = made
  return [
    ...shadows.map((name) => `${name} is set in the environment, and holds before .env: take it away there.`),
    ...(lists.some((name) => environment.get(name) !== undefined)
      ? []
      : ['Name who may log in before the dashboard starts: a line AGENT_DASHBOARD_OIDC_ALLOWED_EMAILS=ann@example.org in .env.']),
    ...(end === undefined
      ? []
      : [`The secret ends on ${new Date(end).toISOString().slice(0, 10)}; agent dashboard register --again gets another.`]),
    'It holds from the next start of the dashboard: agent dashboard --stop ends one that runs.',
  ]
}
