import { expect, test } from 'vitest'
import { readStructure } from './structure.ts'

const plain = (part: string) => ({ part, type: 'text/plain', parameters: { charset: 'iso-8859-1' }, encoding: 'quoted-printable' })
const html = (part: string) => ({ part, type: 'text/html' })
const image = (part: string) => ({
  part,
  type: 'image/png',
  encoding: 'base64',
  size: 78,
  dispositionParameters: { filename: 'a\r\n b.png' },
})

const partsOf = (root: Parameters<typeof readStructure>[0]) => {
  const { texts, files } = readStructure(root)
  return { texts: texts.map(({ part }) => part), files: files.map(({ part }) => part) }
}

test('a message of one text has no part number', () => {
  expect(readStructure({ type: 'text/plain' }).texts).toEqual([
    { part: 'text', type: 'text/plain', charset: 'utf-8', encoding: '7bit', isFlowed: false },
  ])
})

test('of the forms of one text the plain one is read, and nothing beside it is lost', () => {
  const related = { part: '1.2', type: 'multipart/related', childNodes: [html('1.2.1'), image('1.2.2')] }
  const both = { part: '1', type: 'multipart/alternative', childNodes: [plain('1.1'), related] }
  expect(partsOf({ type: 'multipart/mixed', childNodes: [both, image('2')] })).toEqual({ texts: ['1.1'], files: ['1.2.2', '2'] })
  expect(partsOf({ type: 'multipart/alternative', childNodes: [html('1')] })).toEqual({ texts: ['1'], files: [] })
})

test('a file says what it is', () => {
  expect(readStructure({ type: 'multipart/mixed', childNodes: [image('1')] }).files).toEqual([
    { part: '1', kind: 'image', mime: 'image/png', name: 'a b.png', bytes: 57 },
  ])
  expect(readStructure({ type: 'application/pdf' }).files).toEqual([{ part: '1', kind: 'document', mime: 'application/pdf' }])
})

test('a text that was attached is a file, a signature is nothing', () => {
  const attached = { ...plain('2'), disposition: 'attachment' }
  const named = { ...plain('3'), parameters: { name: 'notes.txt' } }
  const signature = { part: '4', type: 'application/pgp-signature' }
  expect(partsOf({ type: 'multipart/signed', childNodes: [plain('1'), attached, named, signature] })).toEqual({
    texts: ['1'],
    files: ['2', '3'],
  })
})

test('forwarded messages are read to the second one, with the numbers that the server knows', () => {
  const third = { part: '2.2.2', type: 'message/rfc822', childNodes: [plain('2.2.2')] }
  const second = {
    part: '2.2',
    type: 'message/rfc822',
    childNodes: [{ part: '2.2', type: 'multipart/mixed', childNodes: [plain('2.2.1'), third] }],
  }
  const first = {
    part: '2',
    type: 'message/rfc822',
    childNodes: [{ part: '2', type: 'multipart/mixed', childNodes: [plain('2.1'), second] }],
  }
  expect(partsOf({ type: 'multipart/mixed', childNodes: [plain('1'), first] })).toEqual({ texts: ['1', '2.1', '2.2.1'], files: ['2.2.2'] })
  const only = { part: '2', type: 'message/rfc822', childNodes: [plain('2')] }
  expect(partsOf({ type: 'multipart/mixed', childNodes: [plain('1'), only] }).texts).toEqual(['1', '2.1'])
})

test('a message of a thousand parts stays small', () => {
  const many = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? plain(`${index + 1}`) : image(`${index + 1}`)))
  const { texts, files } = readStructure({ type: 'multipart/mixed', childNodes: many })
  expect([texts.length, files.length]).toEqual([10, 20])
})
