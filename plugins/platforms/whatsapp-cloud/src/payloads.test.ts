import type { Block, Button, Inline, OutboundMedia } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatWhatsapp } from './markup.ts'
import { chooseType, formatText, writeFile, writeQuestion } from './payloads.ts'

const text = (words: string): Inline => ({ type: 'text', text: words })
const paragraph = (...children: readonly Inline[]): Block => ({ type: 'paragraph', children })

test('a tree is written with the signs of WhatsApp', () => {
  const strong: Inline = { type: 'strong', children: [text('bold '), { type: 'emphasis', children: [text('both')] }] }
  const blocks: readonly Block[] = [
    { type: 'heading', level: 2, children: [text('Title')] },
    paragraph(strong, text(' and '), { type: 'strike', children: [text('gone')] }, text(' '), { type: 'code', text: 'x = 1' }),
    { type: 'code', text: 'let y', language: 'ts' },
    { type: 'quote', children: [paragraph(text('said'), { type: 'break' }, text('so'))] },
    { type: 'list', items: [[paragraph(text('one'))], [paragraph(text('two'))]] },
    paragraph({ type: 'link', url: 'https://x.org', children: [text('here')] }),
  ]
  expect(formatWhatsapp(blocks)).toBe(
    ['*Title*', '*bold _both_* and ~gone~ `x = 1`', '```let y```', '> said\n> so', '- one\n- two', 'here (https://x.org)'].join('\n\n'),
  )
})

test('signs touch their words, enclose something, and end with the line', () => {
  const strong = (words: string): string => formatWhatsapp([paragraph({ type: 'strong', children: [text(words)] })])
  expect(strong(' wide ')).toBe(' *wide* ')
  expect(strong('')).toBe('')
  expect(strong('a*b')).toBe('*ab*')
  expect(formatWhatsapp([paragraph({ type: 'strong', children: [text('one'), { type: 'break' }, text('two')] })])).toBe('*one*\n*two*')
  expect(formatWhatsapp([paragraph({ type: 'code', text: 'a`b' })])).toBe('a`b')
})

const message = { key: 'k', account: 'a', conversation: '1', text: 'bare', part: { index: 0, total: 1 } }

test('a text that its signs make too long goes without them', () => {
  expect(formatText({ ...message, body: [paragraph(text('marked'))] })).toBe('marked')
  expect(formatText(message)).toBe('bare')
  const url = `https://x.org/${'x'.repeat(4090)}`
  expect(formatText({ ...message, body: [paragraph({ type: 'link', url, children: [text('here')] })] })).toBe('bare')
})

const buttons = (count: number, label = 'Choice'): readonly Button[] =>
  Array.from({ length: count }, (_, index) => ({ id: `ask:${index}`, label: `${index} ${label}` }))

test('up to three choices are buttons, more are a list, and long labels are cut', () => {
  const [few] = writeQuestion('May I?', buttons(3, 'a label that is too long'))
  expect(few).toMatchObject({ interactive: { type: 'button', body: { text: 'May I?' } } })
  expect(JSON.stringify(few)).toContain('"title":"0 a label that is t…"')
  const [many] = writeQuestion('Which?', buttons(10, 'a label that is longer than a row'))
  expect(many).toMatchObject({ interactive: { type: 'list', action: { button: 'Choose' } } })
  expect(JSON.stringify(many)).toContain('"title":"0 a label that is longe…","description":"0 a label that is longer than a row"')
})

test('a long question goes before its buttons', () => {
  const payloads = writeQuestion('x'.repeat(1025), buttons(2))
  expect(payloads).toMatchObject([
    { type: 'text', text: { body: 'x'.repeat(1025) } },
    { type: 'interactive', interactive: { type: 'button' } },
  ])
})

const media = (kind: OutboundMedia['kind'], mime: string, bytes = 10): OutboundMedia => ({
  kind,
  blob: { blob: 'b', mime, bytes, name: 'a.bin' },
})

test.each([
  ['image', 'image/png', 10, 'image'],
  ['image', 'image/gif', 10, 'document'],
  ['image', 'image/jpeg', 6 << 20, 'document'],
  ['document', 'image/png', 10, 'document'],
  ['video', 'video/mp4', 10, 'video'],
  ['video', 'video/webm', 10, 'document'],
  ['audio', 'audio/mpeg', 10, 'audio'],
  ['voice', 'audio/wav', 10, 'document'],
  ['sticker', 'image/webp', 10, 'document'],
] as const)('%s of %s with %i bytes goes as %s', (kind, mime, bytes, type) => {
  expect(chooseType(media(kind, mime, bytes))).toBe(type)
})

test('a file has a caption where it may, and a voice message is a bubble', () => {
  expect(writeFile(media('image', 'image/png'), '1', 'Look')).toEqual({ type: 'image', image: { id: '1', caption: 'Look' } })
  expect(writeFile(media('document', 'text/csv'), '1', '')).toEqual({ type: 'document', document: { id: '1', filename: 'a.bin' } })
  expect(writeFile(media('voice', 'audio/ogg'), '1', 'Look')).toEqual({ type: 'audio', audio: { id: '1', voice: true } })
  expect(writeFile(media('audio', 'audio/ogg'), '1', 'Look')).toEqual({ type: 'audio', audio: { id: '1' } })
})
