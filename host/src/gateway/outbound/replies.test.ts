import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboundMessage, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { openEnvironment } from '#config/environment/environment.ts'
import { type Home, homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim } from '#store/journal.ts'
import { createTemporaryStore, type TemporaryStore } from '#store/testing/temporary-store.ts'
import { openMediaCache } from '../media/media-cache.ts'
import { openPlatformRules } from '../rules/platform-rules.ts'
import { talkSpec } from '../testing/talk.ts'
import { openReplies, type RepliesOptions } from './replies.ts'

const garden = { platform: 'talk', account: 'bot', conversation: 'garden' }
const specs = {
  hook: talkSpec({ id: 'hook', capabilities: { media: true }, limits: { captionLength: 100, mediaBytes: 1000 } }),
  talk: talkSpec({ limits: { maxLength: 20 } }),
}

function messageTo(change: Partial<InboundMessage>): InboundMessage {
  const people = { conversation: { id: 'C', kind: 'channel' }, sender: { id: 'p', isBot: false } } as const
  return { id: '7', account: 'hooks', text: 'Hello?', addressed: true, ...people, ...change }
}

function repliesOptions({ folder, clock }: TemporaryStore): RepliesOptions {
  const config = { ...defaultConfig, platforms: { talk: { reply_prefix: '> ' } } }
  const home = homeOf(folder, 'default')
  return {
    ...{ home, log: silentLog, cache: openMediaCache(home.files.cache, clock) },
    catalog: {
      find: (_, platform) => {
        const spec = specs[platform as keyof typeof specs]
        return spec && ({ spec } as never)
      },
    },
    rules: openPlatformRules({ home, loaded: { config, environment: openEnvironment({}) }, log: silentLog }),
    resolve: async (target) => {
      if (target === 'local') return { type: 'local' }
      if (target === 'broken') throw new Error('it broke')
      if (target === 'gone:away') return { type: 'place', place: { ...garden, platform: 'gone' } }
      if (target !== 'talk:garden') throw fail('CHANNEL_UNKNOWN', { platform: 'talk', name: target })
      return { type: 'place', place: garden }
    },
  }
}

async function partsOf(change: Partial<InboundMessage>, said: string | ((home: Home) => string)) {
  await using temporary = await createTemporaryStore()
  const logged: unknown[] = []
  const log: Log = { ...silentLog, error: (_, about) => void logged.push(about) }
  const replies = openReplies({ ...repliesOptions(temporary), log })
  const text = typeof said === 'string' ? said : said(homeOf(temporary.folder, 'default'))
  const message = messageTo({ text, ...change })
  const claim: Claim = { seq: 1, owner: 'o', attempts: 1, crashes: 0, platform: 'hook', message, receivedAt: 0, steps: [] }
  return { parts: await replies.parts(claim, text), logged }
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

test('an answer takes files that it made along, and no other file that it names', async () => {
  const { parts: own } = await partsOf({}, ({ files }) => {
    mkdirSync(files.workspace, { recursive: true })
    writeFileSync(join(files.workspace, 'chart.csv'), 'a chart')
    return 'Here it is.\nMEDIA:chart.csv'
  })
  expect(own).toMatchObject([{ text: 'Here it is.', media: [{ kind: 'document', blob: { name: 'chart.csv' } }] }])
  const { parts: others } = await partsOf({}, ({ path }) => {
    writeFileSync(join(path, 'config.csv'), 'a secret')
    return `Here it is.\nMEDIA:${join(path, 'config.csv')}`
  })
  expect(others.every(({ media }) => media === undefined)).toBe(true)
})

test('an answer that cannot go where it should comes back and says why', async () => {
  const { parts, logged } = await partsOf({ deliver: 'talk:nowhere' }, 'Hello.')
  expect(parts).toEqual([{ text: expect.stringMatching(/^Hello\.\n\n\(It could not be delivered to talk:nowhere: /), replyTo: '7' }])
  expect(logged).toMatchObject([{ target: 'talk:nowhere', code: 'CHANNEL_UNKNOWN' }])
})

test('an answer to a platform that is not there now is kept as it is, for when it is back', async () => {
  const { parts } = await partsOf({ deliver: 'gone:away' }, '**Hello** there, this is longer than twenty characters.')
  expect(parts).toEqual([{ text: '**Hello** there, this is longer than twenty characters.', to: { ...garden, platform: 'gone' } }])
})

test('a fault while the place is looked for is no answer', async () => {
  await expect(partsOf({ deliver: 'broken' }, 'Hello.')).rejects.toThrow('it broke')
})
