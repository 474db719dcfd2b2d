import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createReviews, type Review, type ReviewedTurn } from './reviews.ts'

const turn: ReviewedTurn = { session: 'ses', request: { canAnswer: true }, toolTurn: { owner: 'ann' } }

/** Two reviews that write down what they do; each goes on where it is let. */
function openStage() {
  const did: string[] = []
  const gates: (() => void)[] = []
  const make = (name: string, fails = false): Review => ({
    purpose: name,
    wants: (_turn, isDue) => did.push(`${name} wanted${isDue ? ', due' : ''}`) > 0,
    run: async (_turn, { isDue, signal }) => {
      did.push(`${name} runs${isDue ? ', due' : ''}`)
      await new Promise<void>((resolve) => gates.push(resolve))
      if (fails || signal.aborted) throw new Error('broken')
      did.push(`${name} over`)
    },
  })
  const reviews = createReviews([make('one', true), make('two')], silentLog)
  const pass = async (): Promise<void> => {
    await expect.poll(() => gates.length).toBe(1)
    gates.shift()?.()
  }
  return { reviews, did, pass, end: () => reviews.ended(turn, { status: 'complete' }) }
}

test('reviews of a turn run one after the other, also where one fails', async () => {
  const { did, pass, end } = openStage()
  end()
  end()
  await pass()
  await pass()
  await expect.poll(() => did).toEqual(['one wanted', 'two wanted', 'one runs', 'two runs', 'two over'])
})

test('only what was not over when the next turn began comes after that one', async () => {
  const { reviews, did, pass, end } = openStage()
  end()
  await pass()
  await expect.poll(() => did.at(-1)).toBe('two runs')
  reviews.begins('ses')
  await pass()
  did.length = 0
  end()
  await pass()
  await pass()
  await expect.poll(() => did).toEqual(['one wanted', 'two wanted, due', 'one runs', 'two runs, due', 'two over'])
})
