import { expect, test } from 'vitest'
import { readAnswer } from './read-answer.ts'

/** An answer in parts of four bytes; it notes how many were asked for, and whether the reader has let it go. */
function answerOf(parts: number) {
  const seen = { parts: 0, left: false }
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    seen.parts += 1
    if (seen.parts > parts) controller.close()
    else controller.enqueue(new TextEncoder().encode('four'))
  }
  const cancel = (): void => {
    seen.left = true
  }
  const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  return { response: new Response(body), seen }
}

test('an answer is read whole up to the last byte that it may have', async () => {
  expect(String(await readAnswer(answerOf(3).response, 12))).toBe('fourfourfour')
  expect(await readAnswer(new Response(null), 0)).toEqual(Buffer.alloc(0))
})

test('a larger one is read no further, and let go', async () => {
  const { response, seen } = answerOf(1000)
  expect(await readAnswer(response, 11)).toBeUndefined()
  expect(seen).toEqual({ parts: 3, left: true })
})
