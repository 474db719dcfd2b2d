import { join } from 'node:path'
import type { Manifest } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { loadConfig } from '#config/load.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { systemClock } from '#kernel/clock.ts'
import { followLog, readTail } from '#observe/read-log.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../../console/cli.ts'
import { type LogEntry, parseLogEntry } from '../see/log-entry.ts'
import { describeRefusal, type FormSetting, readRefusal } from './describe-refusal.ts'
import { describeTraffic } from './describe-traffic.ts'
import { createDescribeTrouble } from './describe-trouble.ts'

export interface GatewayWatchOptions {
  readonly manifest: Manifest
  readonly formSetting: FormSetting
  /** Also what the plugin sends, and whom it connects to. */
  readonly traffic: boolean
}

/** Says who was refused on the platforms of a plugin and what became of their connections, as the gateway of this home writes it down from now on. */
export async function watchGateway(cli: Cli, { manifest, formSetting, traffic }: GatewayWatchOptions): Promise<AsyncDisposable> {
  const home = openHomeOf(cli)
  const path = join(home.files.logs, 'gateway.log')
  const platforms = new Set(manifest.contributes.platforms.map(({ id }) => id))
  const over = new AbortController()
  const { end } = await readTail(path, 0)
  const describeTrouble = createDescribeTrouble(manifest)
  const tellRefused = async (entry: LogEntry): Promise<string | undefined> => {
    const refusal = readRefusal(entry)
    if (refusal === undefined || !platforms.has(refusal.platform)) return undefined
    // What holds now: the person may have changed it since the last one.
    const { settings } = readPlatformSettings(await loadConfig(home, cli.environment), refusal.platform)
    return describeRefusal(refusal, settings, formSetting)
  }
  const follow = async (): Promise<void> => {
    for await (const line of followLog({ path, from: end, clock: systemClock, signal: over.signal })) {
      const entry = parseLogEntry(line)
      if (entry === undefined) continue
      const told = (await tellRefused(entry)) ?? describeTrouble(entry) ?? (traffic ? describeTraffic(entry, manifest.id) : undefined)
      if (told !== undefined) cli.out(told)
    }
  }
  const done = follow().catch((error: unknown) => cli.note(`What the gateway writes down is told no more: ${detailOf(error)}`))
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await done
    },
  }
}
