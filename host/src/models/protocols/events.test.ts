import { expect, test } from 'vitest'
import { openEventFeed } from './events.ts'

function feed(bytes: Buffer, size: number): readonly string[] {
  const heard: string[] = []
  const { push, end } = openEventFeed({ read: (data) => void heard.push(data), finish: () => undefined })
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size))
  end()
  return heard
}

test('a mark of the byte order before the first event is passed over, wherever the bytes are cut, and only there', () => {
  const bytes = Buffer.from('\ufeffdata: für 東京 🗼\n\ndata: \ufeff\r\n\r\nid: 1\ndata: last')
  for (let size = 1; size <= bytes.length; size++) expect(feed(bytes, size)).toEqual(['für 東京 🗼', '\ufeff', 'last'])
})

test('bytes that are no UTF-8 cost nothing but themselves', () => {
  const bytes = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff]), Buffer.from('b\n\ndata: c\n\n')])
  for (let size = 1; size <= bytes.length; size++) expect(feed(bytes, size)).toEqual(['a\ufffdb', 'c'])
})
