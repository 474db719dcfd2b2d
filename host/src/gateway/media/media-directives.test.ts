import { expect, test } from 'vitest'
import { kindOf, mimeOf, parseDirectives } from './media-directives.ts'

test('files are named on separate lines', () => {
  expect(parseDirectives('Here it is:\nMEDIA:/tmp/a.png\nMEDIA: "/tmp/b c.pdf"\nDone.')).toEqual({
    text: 'Here it is:\n\nDone.',
    media: [{ path: '/tmp/a.png' }, { path: '/tmp/b c.pdf' }],
  })
  expect(parseDirectives('see MEDIA:/tmp/a.png')).toEqual({ text: 'see MEDIA:/tmp/a.png', media: [] })
  expect(parseDirectives('MEDIA:')).toEqual({ text: 'MEDIA:', media: [] })
})

test('a sign says how the files are sent', () => {
  expect(parseDirectives('[[as_document]]\nMEDIA:/tmp/a.png')).toEqual({ text: '', media: [{ path: '/tmp/a.png', as: 'document' }] })
  expect(parseDirectives('MEDIA:/tmp/a.ogg [[audio_as_voice]]').media).toEqual([{ path: '/tmp/a.ogg', as: 'voice' }])
  expect(parseDirectives('no [[as_document]] file')).toEqual({ text: 'no file', media: [] })
})

test('what stands in a code fence is text', () => {
  const text = '```\nMEDIA:/tmp/a.png\n[[as_document]]\n```'
  expect(parseDirectives(text)).toEqual({ text, media: [] })
})

test.each([
  [{ path: '/a.PNG' }, 'image'],
  [{ path: '/a.png', as: 'document' }, 'document'],
  [{ path: '/a.ogg' }, 'audio'],
  [{ path: '/a.ogg', as: 'voice' }, 'voice'],
  [{ path: '/a.png', as: 'voice' }, 'image'],
  [{ path: '/a.mp4' }, 'video'],
  [{ path: '/Makefile' }, 'document'],
] as const)('%j is sent as %s', (directive, kind) => {
  expect(kindOf(directive)).toBe(kind)
})

test('the type of a file follows from its name', () => {
  expect(['/a.PDF', '/a.tar.gz', 'b'].map(mimeOf)).toEqual(['application/pdf', 'application/octet-stream', 'application/octet-stream'])
})

test('a line of spaces without end is read once', () => {
  const path = `a${' '.repeat(1_000_000)}b`
  expect(parseDirectives(`MEDIA: ${path}  `)).toEqual({ text: '', media: [{ path }] })
})
