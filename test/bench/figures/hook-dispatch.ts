import { systemClock } from '../../../host/src/kernel/clock.ts'
import { createHooks } from '../../../host/src/kernel/hooks/hooks.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { type Figure, median } from '../figure.ts'

const taps = 10
const calls = 5_000
const rounds = 60
const warmingUp = 10

/** Ten asynchronous taps on one hook, beside a loop that awaits the same ten functions. */
export const hookDispatch: Figure = {
  name: 'hook-dispatch',
  async measure() {
    const hooks = createHooks({ clock: systemClock, log: silentLog })
    const payload = { turn: 'trn_1', session: 'ses_1', source: 'bench', input: [], instructions: undefined }
    let reached = 0
    const run = async (): Promise<undefined> => {
      reached++
      return undefined
    }
    for (let tap = 0; tap < taps; tap++) hooks.tap('turn.before', { owner: `bench-${tap}` }, run)
    const functions = Array.from({ length: taps }, () => run)
    const bareLoop = async (): Promise<void> => {
      for (const one of functions) await one()
    }
    const measured: { bare: number; hooks: number }[] = []
    for (let round = 0; round < rounds; round++) {
      measured.push({ bare: await timeCalls(bareLoop), hooks: await timeCalls(() => hooks.call('turn.before', payload)) })
    }
    hooks.close()
    const warm = measured.slice(warmingUp)
    const bare = median(warm.map((round) => round.bare))
    const own = median(warm.map((round) => round.hooks))
    // Each round against its own loop: the two stand so close in time that the machine is the same for both.
    const ratio = median(warm.map((round) => round.hooks / round.bare))
    return [
      {
        figure: 'hook-dispatch',
        budget: '≤ 5 µs and ≤ 3 × loop',
        floor: `${bare.toFixed(2)} µs await loop`,
        value: `${own.toFixed(2)} µs (${ratio.toFixed(1)} ×)`,
        ok: own <= 5 && ratio <= 3 && reached === taps * calls * rounds * 2,
        note: `one call with ${taps} asynchronous taps; fence, budget and metrics included; median of the rounds' own ratios`,
      },
    ]
  },
}

/** Microseconds of one call. */
async function timeCalls(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  for (let done = 0; done < calls; done++) await call()
  return ((performance.now() - startedAt) * 1000) / calls
}
