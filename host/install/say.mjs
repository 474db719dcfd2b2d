/** Progress goes to stderr: stdout belongs to the program that is started. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`)
}

/**
 * Runs a step; says what it does once it takes longer than a second, and how long it took.
 * A step that is known to be slow is announced at once.
 */
export async function during(sentence, step, { slow = false } = {}) {
  const from = process.hrtime.bigint()
  let announced = slow
  if (slow) say(`${sentence} …`)
  const timer = setTimeout(() => {
    if (!announced) say(`${sentence} …`)
    announced = true
  }, 1000)
  const beat = setInterval(() => say(`… still at it after ${secondsSince(from)} s`), 20_000)
  try {
    const result = await step()
    if (announced) say(`${sentence}: done after ${secondsSince(from)} s.`)
    return result
  } finally {
    clearTimeout(timer)
    clearInterval(beat)
  }
}

function secondsSince(from) {
  return Number((process.hrtime.bigint() - from) / 1_000_000_000n)
}
