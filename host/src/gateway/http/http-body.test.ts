import { expect, test } from 'vitest'
import { createHeld, isTooLarge } from './http-body.ts'

test('bodies that come at the same time may hold so much together; the oldest makes room, and not for what fits', () => {
  const held = createHeld(10)
  const gone: string[] = []
  const begin = (name: string) => {
    const place = held.begin(() => {
      gone.push(name)
      place.end()
    })
    return place
  }
  const [first, second] = [begin('first'), begin('second')]
  first.add(4)
  second.add(6)
  expect(gone).toEqual([])
  second.add(1)
  expect(gone).toEqual(['first'])
  second.end()
  begin('third').add(10)
  expect(gone).toEqual(['first'])
})

test('a body of just the limit is not too large', () => {
  const of = (length: string) => ({ headers: { 'content-length': length } }) as never
  expect([isTooLarge(of('10'), 10), isTooLarge(of('11'), 10)]).toEqual([false, true])
})
