// What a client costs: microseconds of processor time for a token of a long answer, and for a call with a short one. The least of several rounds
// counts: what else runs on this machine only adds.
const long = 10_000
const short = 3
const callsPerRound = 100
const rounds = 7

export async function measure(ask) {
  const check = async (tokens) => {
    const heard = await ask(`tokens-${tokens}`)
    if (heard !== tokens) throw new Error(`${heard} of ${tokens} tokens came`)
  }
  const callShort = async () => {
    for (let call = 0; call < callsPerRound; call += 1) await check(short)
  }
  await check(long)
  await callShort()
  const found = { token: [], call: [] }
  for (let round = 0; round < rounds; round += 1) {
    found.token.push((await cost(() => check(long))) / long)
    found.call.push((await cost(callShort)) / callsPerRound)
  }
  return { token: Math.min(...found.token), call: Math.min(...found.call) }
}

async function cost(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
