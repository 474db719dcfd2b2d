import { execFileSync, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection, Platform } from '@agent/plugin-sdk'
import { openBenchPlugin } from '../extension-plugin.ts'
import { median } from '../figure.ts'

/** What one call takes to another process and back, in microseconds: by the channel of `fork()`, and by `send()` of a plugin in a child. */
export interface Trips {
  readonly ping: number
  readonly border: number
  /** Of the border to the ping that was measured beside it. */
  readonly ratio: number
}

const calls = 500
const rounds = 30
/** Their code is not compiled yet. */
const coldRounds = 5
const call = { id: 'c', signal: new AbortController().signal, deadline: 60_000 }
const message = { key: 'in:1:0', account: 'bot', conversation: 'ann', text: 'x'.repeat(150), part: { index: 0, total: 1 } }

const [root = '', folder = ''] = process.argv.slice(2)
keepOnOneProcessor()
process.stdout.write(JSON.stringify(await measure()))

/** With what it starts: waking another processor takes longer than the call itself, so that the ratio would tell where the system has put the processes. */
function keepOnOneProcessor(): void {
  const [, allowed = '0'] = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  execFileSync('taskset', ['-pc', allowed.split(/[,-]/)[0] ?? '0', String(process.pid)])
}

async function measure(): Promise<Trips> {
  await using plugin = openBenchPlugin({ root, folder }, 'trip')
  const connection = await connect(plugin)
  const other = fork(join(root, 'test', 'bench', 'programs', 'fork-ping.mjs'))
  const ask = (): Promise<unknown> => {
    const answer = new Promise((resolve) => other.once('message', resolve))
    other.send(message)
    return answer
  }
  const measured: { ping: number; border: number }[] = []
  try {
    for (let round = 0; round < rounds; round++)
      measured.push({ ping: await timeCalls(ask), border: await timeCalls(() => connection.send?.(message, call)) })
  } finally {
    other.kill()
  }
  const warm = measured.slice(coldRounds)
  return {
    ping: median(warm.map((one) => one.ping)),
    border: median(warm.map((one) => one.border)),
    ratio: median(warm.map(({ ping, border }) => border / ping)),
  }
}

async function connect(plugin: ReturnType<typeof openBenchPlugin>): Promise<Connection> {
  const platform = (await plugin.hosts.load(plugin.contribution('platform'), 0)) as Platform
  return platform.connect(plugin.context('platform') as never, call)
}

/** Median of one round trip in microseconds. */
async function timeCalls(ask: () => unknown): Promise<number> {
  const times: number[] = []
  for (let done = 0; done < calls; done++) {
    const startedAt = performance.now()
    await ask()
    times.push((performance.now() - startedAt) * 1000)
  }
  return median(times)
}
