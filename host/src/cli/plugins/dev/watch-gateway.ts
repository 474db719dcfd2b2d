import { join } from 'node:path'
import type { Manifest } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { loadConfig } from '#config/load.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { systemClock } from '#kernel/clock.ts'
import { followLog, readTail } from '#observe/read-log.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../../console/cli.ts'
import { parseLogEntry } from '../see/log-entry.ts'
import { describeRefusal, type FormSetting, readRefusal } from './describe-refusal.ts'

export interface GatewayWatchOptions {
  readonly manifest: Manifest
  readonly formSetting: FormSetting
}

/** Says who was refused on the platforms of a plugin, from now on, as the gateway of this home writes it down; until it is disposed of. */
export async function watchGateway(cli: Cli, { manifest, formSetting }: GatewayWatchOptions): Promise<AsyncDisposable> {
  const home = openHomeOf(cli)
  const path = join(home.files.logs, 'gateway.log')
  const platforms = new Set(manifest.contributes.platforms.map(({ id }) => id))
  const over = new AbortController()
  const { end } = await readTail(path, 0)
  const follow = async (): Promise<void> => {
    for await (const line of followLog({ path, from: end, clock: systemClock, signal: over.signal })) {
      const entry = parseLogEntry(line)
      const refusal = entry && readRefusal(entry)
      if (refusal === undefined || !platforms.has(refusal.platform)) continue
      // What holds now: the person may have changed it since the last one.
      const { settings } = readPlatformSettings(await loadConfig(home, cli.environment), refusal.platform)
      const told = describeRefusal(refusal, settings, formSetting)
      if (told !== undefined) cli.out(told)
    }
  }
  const done = follow().catch((error: unknown) => cli.note(`Refused senders are told no more: ${detailOf(error)}`))
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await done
    },
  }
}
