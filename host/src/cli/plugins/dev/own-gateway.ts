import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOverWithin, type Manifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { setConfigValue } from '#config/edit.ts'
import { openHome } from '#config/home/home.ts'
import { systemClock } from '#kernel/clock.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import type { Cli } from '../../console/cli.ts'
import { inspectAt } from '../check/inspect-port.ts'

/** A gateway for one plugin that is being written, with a home that is thrown away. */
export interface OwnGateway extends AsyncDisposable {
  /** What its process gets, with its home. */
  readonly environment: Cli['environment']
  /** Ends the one that runs, if one does, and starts it with the plugin as it is now. */
  restart(): Promise<void>
}

/** What a process needs to run at all, and who may write to it. What the plugin declares is added; nothing else of the environment reaches it. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'AGENT_NATIVE_CACHE', 'GATEWAY_ALLOWED_USERS'] as const
/** Longest wait for an orderly end, in milliseconds. */
const longestEndMs = 5_000

export interface OwnGatewayOptions {
  /** `KEY=VALUE`, as `agent config set` takes them. */
  readonly settings: readonly string[]
  /** Port of a debugger. The plugin then runs in the process of the gateway: nothing ends it while it stands at a breakpoint. */
  readonly inspect: number | undefined
  /** Its log has what the plugin sends. */
  readonly traffic: boolean
}

export function openOwnGateway(cli: Cli, dir: string, manifest: Manifest, { settings, inspect, traffic }: OwnGatewayOptions): OwnGateway {
  const home = mkdtempSync(join(tmpdir(), 'agent-dev-'))
  const names = [...passedOn, ...manifest.env.map(({ name }) => name)]
  const declared = Object.fromEntries(names.flatMap((name) => (cli.environment[name] === undefined ? [] : [[name, cli.environment[name]]])))
  const env = { ...declared, AGENT_HOME: home, API_SERVER_PORT: '0' }
  try {
    writeHome(home, dir, manifest, {
      plugin: inspect === undefined ? {} : { isolation: 'inproc' },
      ...(traffic && { logging: { level: 'debug' } }),
    })
    for (const setting of settings) writeSetting(env, setting)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
  let running: { readonly child: ChildProcess; readonly ended: Promise<void> } | undefined
  const stop = async (): Promise<void> => {
    if (running === undefined) return
    const { child, ended } = running
    running = undefined
    child.kill('SIGTERM')
    if (!(await isOverWithin({ clock: systemClock, ms: longestEndMs }, ended))) child.kill('SIGKILL')
    await ended
  }
  const start = (): void => {
    const program = join(cli.installRoot, 'host', 'bin', 'agent.mjs')
    const debug = inspect === undefined ? noDebugger() : [`--inspect=${inspectAt(inspect)}`]
    const child = spawn(process.execPath, [...debug, program, 'gateway', 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => cli.write(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => cli.note(text.trimEnd()))
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    running = { child, ended }
  }
  return {
    environment: env,
    restart: async () => {
      await stop()
      start()
    },
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

interface MoreSettings {
  readonly plugin: { readonly isolation?: 'inproc' }
  readonly logging?: { readonly level: 'debug' }
}

/** The plugin is linked and on; models are offline, unless the plugin brings one. */
function writeHome(home: string, dir: string, { id, contributes }: Manifest, { plugin, ...more }: MoreSettings): void {
  mkdirSync(join(home, 'plugins', 'local'), { recursive: true, mode: 0o700 })
  symlinkSync(dir, join(home, 'plugins', 'local', id), 'junction')
  const [provider] = contributes.providers
  // JSON is YAML too.
  const config = {
    model: { provider: provider?.id ?? 'offline', ...(provider?.defaultModel ? { default: provider.defaultModel } : {}) },
    ...more,
    plugins: { entries: { [id]: { enabled: true, ...plugin } } },
  }
  writeFileSync(join(home, 'config.yaml'), `${JSON.stringify(config, null, 2)}\n`)
}

function writeSetting(environment: Cli['environment'], setting: string): void {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(setting) ?? []
  if (key === '') throw fail('USAGE', { problem: `"${setting}" is no setting with a value.`, try: '--set KEY=VALUE' })
  setConfigValue({ home: openHome({ environment }), processEnvironment: environment }, key, value)
}
