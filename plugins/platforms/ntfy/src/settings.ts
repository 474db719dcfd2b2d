import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { readVariables } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { isTopic } from './wire.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  /** Without a slash at its end. */
  readonly server: string
  readonly topic: string
  readonly publishTopic: string
  /** Value of the header; undefined where the server lets everybody in. */
  readonly authorization: string | undefined
  /** Server and topic in one. */
  readonly account: string
}

export async function loadSettings(config: Config, secrets: Pick<Secrets, 'get' | 'find'>): Promise<Settings> {
  const { text } = readVariables(secrets)
  const topic = parseTopic('NTFY_TOPIC', await secrets.get('NTFY_TOPIC'))
  const server = parseServer((await text('NTFY_SERVER_URL')) ?? config.server_url)
  const publishTopic = (await text('NTFY_PUBLISH_TOPIC')) ?? config.publish_topic ?? topic
  return {
    server,
    topic,
    publishTopic: parseTopic('NTFY_PUBLISH_TOPIC', publishTopic),
    authorization: formatAuthorization(await secrets.find('NTFY_TOKEN')),
    account: `${server.replace(/^https?:\/\//, '')}/${topic}`,
  }
}

function parseTopic(name: string, text: string): string {
  const topic = text.trim()
  if (isTopic(topic)) return topic
  throw fail('ENV_INVALID', { name, problem: 'must be a topic: at most 64 letters, digits, - and _' })
}

function parseServer(text: string): string {
  const wrong = (problem: string) => fail('ENV_INVALID', { name: 'NTFY_SERVER_URL', problem })
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('must be an address that begins with https:// or http://')
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a password: put user:password into NTFY_TOKEN')
  if (url.search !== '' || url.hash !== '') throw wrong('must end with the host or a path')
  return url.href.replace(/\/+$/, '')
}

function formatAuthorization(token: string | undefined): string | undefined {
  if (token === undefined) return undefined
  const text = token.trim()
  if (text.includes(':')) return `Basic ${Buffer.from(text).toString('base64')}`
  if (/^[\x21-\x7e]+$/.test(text)) return `Bearer ${text}`
  throw fail('ENV_INVALID', { name: 'NTFY_TOKEN', problem: 'must be an access token (tk_…) or user:password' })
}
