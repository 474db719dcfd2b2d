import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TarItem, writeTar } from '../../../../test/support/write-tar.ts'
import { readTar, type TarHeader } from './read-tar.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-tar-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What is read of an archive, its bytes changed before. */
async function read(
  items: readonly TarItem[],
  change = (bytes: Buffer): Buffer => bytes,
  inspect: (header: TarHeader) => void = () => undefined,
) {
  const file = join(folder, 'x.tgz')
  writeFileSync(file, gzipSync(change(gunzipSync(writeTar(items)))))
  const found: (readonly [string, string, string])[] = []
  for await (const { path, type, content } of readTar(file, inspect)) found.push([path, type, content.toString()])
  return found
}

const long = `package/${'deep/'.repeat(40)}file.txt`

test('files, folders and long names are read as they were written', async () => {
  const items = [
    { path: 'package/a.txt', content: 'a'.repeat(600) },
    { path: 'package/dist/', flag: '5' },
    { path: long, content: 'long' },
    { path: 'x', content: `${long}2\0`, flag: 'L' },
    { path: 'package/short', content: 'gnu' },
    { path: 'x', content: '20 comment=for all\n\n', flag: 'g' },
    { path: 'package/empty', content: '' },
  ]
  expect(await read(items)).toEqual([
    ['package/a.txt', 'file', 'a'.repeat(600)],
    ['package/dist/', 'folder', ''],
    [long, 'file', 'long'],
    [`${long}2`, 'file', 'gnu'],
    ['package/empty', 'file', ''],
  ])
})

test('a large file comes whole', async () => {
  const content = Array.from({ length: 40_000 }, (_, at) => `line ${(at * 7919) % 40_009}`).join('\n')
  const found = await read([
    { path: 'package/large', content },
    { path: 'package/after', content: 'x' },
  ])
  expect(found.map(([path, , text]) => [path, text === content, text.length])).toEqual([
    ['package/large', true, content.length],
    ['package/after', false, 1],
  ])
})

test('a header is seen before its content is read', async () => {
  const stop = (): never => {
    throw new Error('seen')
  }
  // The content of the only entry is cut off.
  await expect(read([{ path: 'package/a', content: 'a' }], (bytes) => bytes.subarray(0, 512), stop)).rejects.toThrow('seen')
})

test.each([
  ['the end is missing', (bytes: Buffer) => bytes.subarray(0, 700), 'ends too early'],
  ['a name was changed', (bytes: Buffer) => Buffer.concat([Buffer.from('q'), bytes.subarray(1)]), 'wrong checksum'],
  ['nothing is in it', () => Buffer.alloc(0), 'ends too early'],
])('an archive is damaged when %s', async (_, change, text) => {
  await expect(read([{ path: 'package/a', content: 'a' }], change)).rejects.toThrow(text)
})

test('an extended header can neither be endless nor give a size that is none', async () => {
  await expect(read([{ path: 'x', content: 'x'.repeat(70_000), flag: 'x' }])).rejects.toThrow('too long')
  await expect(read([{ path: 'x', content: 'nonsense', flag: 'x' }])).rejects.toThrow('wrong')
  await expect(
    read([
      { path: 'x', content: '11 size=-5\n', flag: 'x' },
      { path: 'package/a', content: 'a' },
    ]),
  ).rejects.toThrow('no size')
})

/** The first header changed, with the sum that belongs to it. */
const inHeader =
  (write: (header: Buffer) => void) =>
  (bytes: Buffer): Buffer => {
    const header = bytes.subarray(0, 512)
    write(header)
    header.write('        ', 148)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return bytes
  }

test('a path may be in two fields, where the archive is of the form that has both', async () => {
  const items = [{ path: 'a.txt', content: 'a' }]
  expect(
    await read(
      items,
      inHeader((header) => header.write('package/deep', 345)),
    ),
  ).toEqual([['package/deep/a.txt', 'file', 'a']])
  const older = inHeader((header) => {
    header.write('other', 257)
    header.write('package/deep', 345)
  })
  expect(await read(items, older)).toEqual([['a.txt', 'file', 'a']])
})

test('a size that is no number is none, and a long target belongs to its link', async () => {
  await expect(
    read(
      [{ path: 'a', content: 'a' }],
      inHeader((header) => header.write('0000000000x', 124)),
    ),
  ).rejects.toThrow('a header has no size')
  const targets: string[] = []
  const link = [
    { path: 'x', content: `${long}\0`, flag: 'K' },
    { path: 'package/link', flag: '2', target: 'short' },
  ]
  await read(link, undefined, ({ target }) => targets.push(target))
  expect(targets).toEqual([long])
})
