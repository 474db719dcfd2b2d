import { openPlatformLanes, type PlatformLane } from '../support/gateways/platform-lanes.ts'
import type { TestHome } from '../support/test-home.ts'
import type { Peer } from './gateway-process.ts'
import type { Lane } from './judge.ts'
import { addPlatform } from './platform-folder.ts'
import type { Random } from './random.ts'
import { apology } from './right-answer.ts'
import { note, type Speaker, wishes } from './speakers.ts'
import { readStored } from './stored.ts'
import { openVendor, type Vendor } from './vendor.ts'

/** One platform of the run, with the people on it. */
export interface OpenLane extends AsyncDisposable {
  readonly platform: string
  readonly peer: Peer
  readonly speakers: readonly Speaker[]
  /** What the platform needs in config.yaml and in the environment. */
  readonly extra: object
  readonly environment: Readonly<Record<string, string>>
  /** True when nothing that was said waits outside of the gateway. */
  isTaken(): boolean
  evidence(): Omit<Lane, 'lines' | 'crashes'>
}

interface VendorLane {
  readonly platform: string
  readonly keys: boolean
  readonly finds?: boolean
  readonly conversations: readonly string[]
  /** Conversations with their own wishes. */
  readonly more?: readonly Omit<Speaker, 'say'>[]
  /** Longest pause of the service before it writes a message down, and before it says so. */
  readonly pauseMs: number
}

/** A fake service with its plugin in the home. */
export async function openVendorLane(
  home: TestHome,
  random: Random,
  { platform, keys, finds = false, conversations, more = [], pauseMs }: VendorLane,
): Promise<OpenLane & Pick<Vendor, 'cut' | 'leave'>> {
  await addPlatform(home, process.cwd(), { id: platform, keys, finds })
  const vendor = await openVendor({ keys, random, pauseMs })
  const { said, accepted, arrivals } = vendor
  return {
    platform,
    peer: vendor,
    speakers: [...conversations.map((conversation) => ({ conversation, wishes, each: 3 })), ...more].map((speaker) => ({
      ...speaker,
      say: (id, text) => vendor.say({ id, conversation: speaker.conversation, text }),
    })),
    extra: { port: vendor.port, pauseMs: 5 },
    environment: {},
    isTaken: () => said.every(({ id }) => accepted.has(id)),
    evidence: () => ({
      platform,
      keys,
      accepted: said.filter(({ id }) => accepted.has(id)),
      stored: readStored(home, platform),
      arrivals,
    }),
    cut: vendor.cut,
    leave: vendor.leave,
    [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose](),
  }
}

/** The lanes that platforms bring in their folders. What is said there while the gateway is away was never accepted. */
export async function openRealLanes(home: TestHome): Promise<AsyncDisposable & { readonly lanes: readonly OpenLane[] }> {
  const lanes = (await openPlatformLanes()).map((lane, index) => openRealLane(home, lane, `r${index}`))
  return {
    lanes,
    async [Symbol.asyncDispose]() {
      for (const lane of lanes) await lane[Symbol.asyncDispose]()
    },
  }
}

function openRealLane(home: TestHome, lane: PlatformLane, speaker: string): OpenLane {
  const { platform, banner, config, environment, conversation, connections } = lane
  console.log(banner)
  return {
    platform,
    peer: { connections },
    // The service says nowhere what an answer belongs to: only one with the words of its question can be told apart.
    speakers: [{ conversation: speaker, wishes: [note], each: 6, say: (_, text) => lane.say(text) }],
    extra: config,
    environment,
    isTaken: () => true,
    evidence() {
      const stored = readStored(home, platform)
      const ids = new Map(stored.map(({ id, text }) => [text, id]))
      const failed = stored.filter(({ state }) => state === 'failed').map(({ id }) => id)
      // After three crashes on one message its answer is an apology, which says nothing of the question.
      const answerOf = (text: string): string | undefined =>
        text === apology ? failed.shift() : ids.get(/note \S+$/.exec(text)?.[0] ?? '')
      return {
        platform,
        keys: false,
        accepted: stored.map(({ id, text }) => ({ id, text, conversation })),
        stored,
        arrivals: lane.heard().map((text) => ({ text, answers: answerOf(text), conversation, part: 0 })),
      }
    },
    [Symbol.asyncDispose]: () => lane[Symbol.asyncDispose](),
  }
}
