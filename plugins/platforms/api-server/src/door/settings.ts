import type { Secrets } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Config } from './config.ts'
import { isLoopback } from './guard.ts'

/** The configuration with the variables laid over it. */
export interface Settings {
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  readonly key: string | undefined
  readonly origins: readonly string[]
  readonly modelName: string
  readonly toolProgress: Config['tool_progress']
  readonly toolItems: Config['responses']['tool_items']
  readonly showReasoning: boolean
  readonly maxBodyBytes: number
  readonly maxRuns: number
}

/** Variables beat the configuration. Refuses an address that others reach when no key protects it. */
export async function loadSettings(config: Config, secrets: Pick<Secrets, 'find'>, profile: string): Promise<Settings> {
  const read = async (name: string): Promise<string | undefined> => (await secrets.find(name))?.trim() || undefined
  const [enabled, host, port, key, origins, modelName] = await Promise.all([
    read('API_SERVER_ENABLED'),
    read('API_SERVER_HOST'),
    read('API_SERVER_PORT'),
    read('API_SERVER_KEY'),
    read('API_SERVER_CORS_ORIGINS'),
    read('API_SERVER_MODEL_NAME'),
  ])
  const settings: Settings = {
    enabled: enabled === undefined ? config.enabled : parseSwitch('API_SERVER_ENABLED', enabled),
    host: host ?? config.host,
    port: port === undefined ? config.port : parsePort('API_SERVER_PORT', port),
    key: key ?? (config.key || undefined),
    origins: (origins?.split(',') ?? config.cors_origins).map((origin) => origin.trim().replace(/\/$/, '')).filter(Boolean),
    modelName: modelName ?? config.model_name ?? (profile === 'default' ? 'agent' : profile),
    toolProgress: config.tool_progress,
    toolItems: config.responses.tool_items,
    showReasoning: config.show_reasoning,
    maxBodyBytes: Math.round(config.max_body_mb * 1_000_000),
    maxRuns: config.max_concurrent_runs || Number.POSITIVE_INFINITY,
  }
  if (settings.enabled && settings.key === undefined && !isLoopback(settings.host)) {
    throw fail('BIND_UNSAFE', { host: settings.host, setting: 'API_SERVER_KEY' })
  }
  return settings
}

function parseSwitch(name: string, text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  if (/^(false|0|no|off)$/i.test(text)) return false
  throw fail('ENV_INVALID', { name, problem: 'must be true or false' })
}

function parsePort(name: string, text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw fail('ENV_INVALID', { name, problem: 'must be a number from 0 to 65535' })
}
