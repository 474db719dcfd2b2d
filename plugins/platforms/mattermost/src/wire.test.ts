import { expect, test } from 'vitest'
import { isId, parseFrame, readChannels, readPost, readPosted, readPosts, readUser } from './wire.ts'

test.each(['', 'null', '[]', '{"event":7}', '{"event":', '{"seq":"1"}'])('%j is no frame', (text) => {
  expect(parseFrame(text)).toBeUndefined()
})

test('a frame is an event or an answer', () => {
  expect(parseFrame('{"event":"hello","seq":0,"data":{},"broadcast":{}}')).toEqual({ event: 'hello', seq: 0, data: {} })
  expect(parseFrame('{"status":"FAIL","seq_reply":1,"error":{"id":"x","message":"No"}}')).toEqual({
    status: 'FAIL',
    seq_reply: 1,
    error: { message: 'No' },
  })
})

test('a list gives its posts in order, without those that cannot be read', () => {
  const post = (id: string) => ({ id, create_at: 1, user_id: 'u', channel_id: 'c', message: id })
  const list = { order: ['b', 'x', 'a', 'gone'], posts: { a: post('a'), b: post('b'), c: post('c'), x: { id: 'x' } } }
  expect(readPosts(list)?.map(({ id }) => id)).toEqual(['b', 'a'])
  expect(readPosts({ order: null, posts: null })).toBeUndefined()
})

test('what lacks a field that is needed is not read', () => {
  for (const read of [readPost, readPosted, readUser, readChannels]) {
    expect(read({})).toBeUndefined()
    expect(read('text')).toBeUndefined()
  }
})

test('an id has 26 characters', () => {
  expect(isId('8ba1ypbi5fbx7gd4ykmjjjfm4h')).toBe(true)
  for (const id of ['', 'x', '8ba1ypbi5fbx7gd4ykmjjjfm4/', '8BA1ypbi5fbx7gd4ykmjjjfm4h']) expect(isId(id)).toBe(false)
})
