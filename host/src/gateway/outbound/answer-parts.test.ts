import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { talkSpec } from '../testing/talk.ts'
import { type AnswerStyle, answerParts } from './replies.ts'

const files: AnswerStyle['files'] = {
  take: async ({ path }) => {
    if (path === 'none') throw fail('MEDIA_MISSING', { path })
    return { kind: 'image', blob: { blob: `img_${path}`, mime: 'image/png', bytes: 1 } }
  },
}
const media = (path: string) => [{ kind: 'image', blob: { blob: `img_${path}`, mime: 'image/png', bytes: 1 } }]
const parts = (said: string, more: Parameters<typeof talkSpec>[0] = {}, style: Partial<AnswerStyle> = {}) =>
  answerParts(said, 'm1', { spec: talkSpec(more), files, ...style })
const withMedia = { capabilities: { media: true } }

test('a platform without markup gets text without signs, cut to its limit', async () => {
  expect(await parts('**Hi** [you](http://x.test)')).toEqual([{ text: 'Hi you (http://x.test)', replyTo: 'm1' }])
  const limits = { maxLength: 30 }
  expect(await parts('one two three four five six seven eight', { limits })).toEqual([
    { text: 'one two three four five six', replyTo: 'm1' },
    { text: 'seven eight' },
  ])
})

test('a platform with markup gets the text as it is', async () => {
  expect(await parts('**Hi**', { markup: 'tree' })).toEqual([{ text: '**Hi**', replyTo: 'm1' }])
})

test('the prefix stands before every answer, and a reply may refer to its message or not', async () => {
  expect(await parts('Hi', {}, { prefix: '[bot] ' })).toEqual([{ text: '[bot] Hi', replyTo: 'm1' }])
  expect(await parts('Hi', {}, { replyToMode: 'off' })).toEqual([{ text: 'Hi' }])
  const limits = { maxLength: 3 }
  expect((await parts('one two', { limits }, { replyToMode: 'all' })).map(({ replyTo }) => replyTo)).toEqual(['m1', 'm1'])
  expect(await answerParts('Hi', undefined, { spec: talkSpec({}), files })).toStrictEqual([{ text: 'Hi' }])
})

test('one file goes with its words, further ones after it', async () => {
  expect(await parts('Look:\nMEDIA:a\nMEDIA:b', withMedia)).toEqual([
    { text: 'Look:', media: media('a'), replyTo: 'm1' },
    { text: '', media: media('b') },
  ])
  expect(await parts('MEDIA:a', withMedia)).toEqual([{ text: '', media: media('a'), replyTo: 'm1' }])
  const apart = [
    { text: 'Look:', replyTo: 'm1' },
    { text: '', media: media('a') },
  ]
  expect(await parts('Look:\nMEDIA:a', { ...withMedia, limits: { captionLength: 4 } })).toEqual(apart)
  expect(await parts('Look:\nMEDIA:a', { ...withMedia, limits: { captionLength: 5 } })).toHaveLength(1)
  const [one, two, file] = await parts('Look here\nMEDIA:a', { ...withMedia, limits: { captionLength: 50, maxLength: 5 } })
  expect([one?.text, two?.text, file]).toEqual(['Look', 'here', { text: '', media: media('a') }])
})

test('a file that is not sent is told', async () => {
  expect(await parts('Look:\nMEDIA:a')).toEqual([{ text: 'Look:\n(a file, which cannot be sent here: a)', replyTo: 'm1' }])
  expect((await parts('MEDIA:none', withMedia))[0]?.text).toMatch(/^\(a file was not sent: .*none/)
})

test('where nothing is known of a platform its answers are text as it is written', async () => {
  expect(await answerParts('**Hi**\nMEDIA:a', 'm1', { spec: undefined, files })).toEqual([
    { text: '**Hi**\n(a file, which cannot be sent here: a)', replyTo: 'm1' },
  ])
})

test('nothing said is nothing sent, and a prefix alone says nothing', async () => {
  expect(await parts('')).toEqual([])
  expect(await parts('', {}, { prefix: '[bot] ' })).toEqual([])
  expect(await parts('MEDIA:a', withMedia, { prefix: '[bot] ' })).toEqual([{ text: '', media: media('a'), replyTo: 'm1' }])
})

test('what a person writes stays as it is, and a file that cannot be sent is an error', async () => {
  const person = { author: 'person' } as const
  expect(await parts('**Hi** a * b', {}, person)).toEqual([{ text: '**Hi** a * b', replyTo: 'm1' }])
  expect(await parts('look\nMEDIA:cat', withMedia, person)).toEqual([{ text: 'look', media: media('cat'), replyTo: 'm1' }])
  await expect(parts('MEDIA:none', withMedia, person)).rejects.toMatchObject({ code: 'MEDIA_MISSING' })
  await expect(parts('MEDIA:cat', {}, person)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('where no files may leave, a text names none', async () => {
  expect(await answerParts('MEDIA:cat', undefined, { spec: talkSpec(withMedia), author: 'person' })).toEqual([{ text: 'MEDIA:cat' }])
})
