import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import type { Home } from '#config/home/home.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import { listChannels } from '#gateway/directory/channel-directory.ts'
import { resolveTarget, type TargetSources } from '#gateway/directory/delivery-target.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import { openSinglePlatform } from '#gateway/links/single-platform.ts'
import { openMediaCache } from '#gateway/media/media-cache.ts'
import { openOutgoingFiles } from '#gateway/media/outgoing-files.ts'
import { answerParts } from '#gateway/outbound/replies.ts'
import { isSettled, withOutbox } from '#gateway/outbound/send-post.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/ids.ts'
import { waitFor } from '#rpc/gateway/wait-for.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { applySafeMode } from '#rpc/home/safe-mode.ts'
import type { AnswerPart, PostedPart } from '#store/journal.ts'
import type { Store } from '#store/store.ts'
import type { Cli } from '../console/cli.ts'
import { readBody } from './read-body.ts'
import type { Post } from './report-sent.ts'
import { reportSent } from './report-sent.ts'

export interface SendOptions {
  readonly file?: string
  /** False for `--no-wait`. */
  readonly wait?: boolean
  /** The target is taken as it is written. */
  readonly exact?: true
  readonly json?: true
}

const withinMs = 60_000
const receiptMs = 15_000

/** Sends a message by the gateway of the home where one runs, else by a separate connection. */
export async function sendMessage(cli: Cli, target: string, words: readonly string[], options: SendOptions): Promise<void> {
  const text = await readBody(cli, { target, words, ...(options.file === undefined ? {} : { file: options.file }) })
  const opened = await openCatalog(cli)
  // The store needs its folder.
  const home = openHomeOf(cli)
  const found = await withStore(cli, ({ kv }) =>
    findTarget(opened, target, {
      channels: (platform) => listChannels(kv, platform),
      isTyped: options.exact !== true,
    }),
  )
  if (found.type === 'local') return options.json === true ? cli.json({ target: 'local', state: 'sent', text }) : cli.out(text)
  const contribution = opened.catalog.find('platform', found.place.platform)
  if (!contribution) throw fail('PLATFORM_UNKNOWN', { platform: found.place.platform })
  const post: Post = { id: newId('msg'), target: found, parts: await makeParts(cli, home, contribution, text) }
  const queueOnly = options.wait === false
  const parts =
    queueOnly || findInstance(home)
      ? await withStore(cli, (store) => sendByGateway(cli, store, { home, post, queueOnly }))
      : await sendAlone(cli, contribution, post)
  reportSent(cli, { post, home, parts, queueOnly, json: options.json === true })
}

/** Puts a text, which names no files, into the outbox of a running gateway, and waits a little for its receipt. */
export async function sendText(
  cli: Pick<Cli, 'installRoot' | 'environment' | 'profile' | 'note' | 'signal'>,
  target: string,
  text: string,
): Promise<{ readonly id: string; readonly parts: readonly PostedPart[] }> {
  const opened = await openCatalog(cli)
  return withStore(cli, async ({ kv, journal }, home) => {
    const found = await findTarget(opened, target, { channels: (platform) => listChannels(kv, platform), isTyped: true })
    const contribution = found.type === 'place' ? opened.catalog.find('platform', found.place.platform) : undefined
    if (found.type !== 'place' || !contribution) throw fail('PLATFORM_UNKNOWN', { platform: target.split(':', 1)[0] ?? target })
    if (!findInstance(home)) throw fail('GATEWAY_NOT_RUNNING', { home: home.path })
    const id = newId('msg')
    await journal.post(found.place, await answerParts(text, undefined, { spec: contribution.spec, author: 'person' }), id)
    const look = async (): Promise<true | undefined> => (isSettled(await journal.posted(id)) ? true : undefined)
    await waitFor({ note: () => undefined, signal: cli.signal }, receiptMs, look)
    return { id, parts: await journal.posted(id) }
  })
}

function findTarget({ loaded, catalog }: OpenedCatalog, target: string, how: Pick<TargetSources, 'channels' | 'isTyped'>) {
  const home = (platform: string): string | undefined => readPlatformSettings(loaded, platform).settings.home_channel
  return resolveTarget(target, { catalog, environment: loaded.environment, home, ...how })
}

/** The person at this terminal may send every file that they can read. */
async function makeParts(cli: Cli, home: Home, { spec }: Contribution<'platform'>, text: string): Promise<readonly AnswerPart[]> {
  const files = openOutgoingFiles({ cache: openMediaCache(home.files.cache, systemClock), folder: cli.cwd })
  const parts = await answerParts(text, undefined, { spec, author: 'person', files })
  if (parts.length === 0) throw fail('USAGE', { problem: 'There is nothing to say.', try: `agent send ${spec.id} "Hello."` })
  return parts
}

interface ByGateway {
  readonly home: Home
  readonly post: Post
  readonly queueOnly: boolean
}

async function sendByGateway(cli: Cli, { journal }: Store, { home, post, queueOnly }: ByGateway): Promise<readonly PostedPart[]> {
  const { place } = post.target
  await journal.post(place, post.parts, post.id)
  const isHopeless = (): boolean => isResting(home, place.platform)
  if (!queueOnly) await waitUntilSettled(cli, journal, post.id, { saying: 'Waiting for the gateway …', isHopeless })
  return journal.posted(post.id)
}

/** A platform that does not connect unless a person does something is not waited for. */
function isResting(home: Home, platform: string): boolean {
  const state = readGatewayState(home)
  const link = state?.platforms.find((one) => one.platform === platform)
  if (!findInstance(home) || link?.state === 'fatal' || link?.state === 'paused') return true
  return state?.ready === true && !link
}

async function sendAlone(cli: Cli, contribution: Contribution<'platform'>, post: Post): Promise<readonly PostedPart[]> {
  const agent = await openAgent({ installRoot: cli.installRoot, ...applySafeMode(cli), profile: cli.profile, note: cli.note })
  try {
    const files = openMediaCache(agent.home.files.cache, agent.clock)
    await using platform = await openSinglePlatform({ ...agent, files, random: Math.random, signal: cli.signal }, contribution)
    const { journal, leases } = agent.store
    const own = { journal, leases, owner: newId('boot'), contribution, platform, clock: agent.clock, log: agent.log }
    return await withOutbox(own, post.target.place, async () => {
      await journal.post(post.target.place, post.parts, post.id)
      await waitUntilSettled(cli, journal, post.id, { saying: `Waiting for ${contribution.spec.label} …`, isHopeless: () => false })
      return journal.posted(post.id)
    })
  } finally {
    await agent.close()
  }
}

interface Waiting {
  readonly saying: string
  readonly isHopeless: () => boolean
}

async function waitUntilSettled(
  cli: Cli,
  journal: Pick<Store['journal'], 'posted'>,
  id: string,
  { saying, isHopeless }: Waiting,
): Promise<void> {
  const look = async (): Promise<true | null | undefined> => {
    if (isSettled(await journal.posted(id))) return true
    return isHopeless() ? null : undefined
  }
  try {
    await waitFor(cli, withinMs, look, saying)
  } catch (error) {
    if (isAgentError(error, 'INTERRUPTED')) cli.note('What was not sent yet stays in the queue; agent gateway status shows it.')
    throw error
  }
}
