import type { InboundMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { defaultConfig } from '#config/defaults.ts'
import { openEnvironment } from '#config/environment.ts'
import { homeOf } from '#config/home.ts'
import { readPlatformSettings } from '#config/platform-settings.ts'
import type { Claim } from '#store/journal.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { openMediaCache } from '../media/media-cache.ts'
import { talkSpec } from '../testing/talk.ts'
import { openSpeech } from './open-speech.ts'

const garden = { platform: 'talk', account: 'bot', conversation: 'garden' }
const specs = { hook: talkSpec({ id: 'hook' }), talk: talkSpec({ limits: { maxLength: 20 } }) }

async function partsOf(change: Partial<InboundMessage>, text: string) {
  await using temporary = await createTemporaryStore()
  const { journal } = await temporary.open()
  const config = { ...defaultConfig, platforms: { talk: { reply_prefix: '> ' } } }
  const logged: unknown[] = []
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: (_: string, about: unknown) => logged.push(about) }
  const home = homeOf(temporary.folder, 'default')
  const speech = openSpeech({
    ...{ home, journal, clock: temporary.clock, log: silent as never, cache: openMediaCache(home.files.cache, temporary.clock) },
    turns: { runRecorded: () => expect.unreachable() },
    spec: (platform) => specs[platform as keyof typeof specs],
    connection: () => undefined,
    revises: () => false,
    settings: (platform) => readPlatformSettings({ config, environment: openEnvironment({}) }, platform).settings,
    resolve: async (target) => {
      if (target === 'local') return { type: 'local' }
      if (target !== 'talk:garden') throw fail('CHANNEL_UNKNOWN', { platform: 'talk', name: target })
      return { type: 'place', place: garden }
    },
  })
  const message: InboundMessage = {
    ...{ id: '7', account: 'hooks', conversation: { id: 'C', kind: 'channel' }, sender: { id: 'p', isBot: false }, text, addressed: true },
    ...change,
  }
  const claim: Claim = { seq: 1, owner: 'o', attempts: 1, crashes: 0, platform: 'hook', message, receivedAt: 0, steps: [] }
  return { parts: await speech.parts(claim, text), logged }
}

test('an answer goes back to where the message was said', async () => {
  expect((await partsOf({}, 'Hello.')).parts).toEqual([{ text: 'Hello.', replyTo: '7' }])
  expect((await partsOf({ deliver: 'local' }, 'Hello.')).parts).toEqual([{ text: 'Hello.', replyTo: '7' }])
})

test('an answer that goes elsewhere is cut and dressed for that place, and refers to nothing there', async () => {
  expect((await partsOf({ deliver: 'talk:garden' }, 'The roses are in bloom.')).parts).toEqual([
    { text: '> The roses are in', to: garden },
    { text: 'bloom.', to: garden },
  ])
})

test('a text that is its own answer is not changed, and sends no files of ours', async () => {
  const { parts } = await partsOf({ deliver: 'talk:garden', verbatim: true }, '**A** MEDIA:/x\nMEDIA:/x')
  expect(parts.map(({ text }) => text).join('\n')).toBe('**A** MEDIA:/x\nMEDIA:/x')
  expect(parts.every(({ media }) => media === undefined)).toBe(true)
})

test('an answer that cannot go where it should comes back and says why', async () => {
  const { parts, logged } = await partsOf({ deliver: 'talk:nowhere' }, 'Hello.')
  expect(parts).toEqual([{ text: expect.stringMatching(/^Hello\.\n\n\(It could not be delivered to talk:nowhere: /), replyTo: '7' }])
  expect(logged).toMatchObject([{ target: 'talk:nowhere', code: 'CHANNEL_UNKNOWN' }])
})
