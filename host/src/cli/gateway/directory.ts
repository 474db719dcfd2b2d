import { existsSync } from 'node:fs'
import { type KnownChannel, listChannels } from '#gateway/directory/channel-directory.ts'
import { printable } from '#observe/printable.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { listMessaging, resolvePlatform } from '#rpc/pairing/open-home-pairing.ts'
import type { Store } from '#store/store.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { formatAge } from '../console/format-age.ts'

/** Lists where the agent can speak: what the gateway has seen, and what platforms list. */
export async function printDirectory(cli: Cli, word: string | undefined, json: boolean): Promise<void> {
  const { catalog, home } = await openCatalog(cli)
  const known = listMessaging(catalog)
  const platforms = word === undefined ? known : [resolvePlatform(known, word)]
  // Nothing is made for a look.
  const channels = existsSync(home.files.state) ? await withStore(cli, ({ kv }) => readAll(kv, platforms)) : []
  if (json) return cli.json({ conversations: channels })
  if (channels.length === 0) return cli.out(`No conversation${word === undefined ? '' : ` on ${platforms[0]}`} is known yet.`)
  cli.out(formatTable(channels.map((channel) => formatRow(cli, channel))))
}

async function readAll(kv: Store['kv'], platforms: readonly string[]): Promise<readonly Row[]> {
  const found = await Promise.all(platforms.map(async (platform) => ({ platform, channels: await listChannels(kv, platform) })))
  return found.flatMap(({ platform, channels }) => channels.map((channel) => ({ platform, ...channel })))
}

type Row = KnownChannel & { readonly platform: string }

/** It is noted once an hour at most, so a shorter time would be a wrong one. */
function describeSeen(ms: number): string {
  return ms < 3_600_000 ? 'seen in the last hour' : `seen ${formatAge(ms)} ago`
}

function formatRow(cli: Cli, { platform, id, kind, name = '', parent, lastSeen }: Row): string[] {
  return [
    paint(cli, 'cyan', printable(`${platform}:${id}`)),
    printable(name),
    parent === undefined ? kind : printable(`${kind} of ${parent}`),
    lastSeen === 0 ? 'listed' : describeSeen(Date.now() - lastSeen),
  ]
}
