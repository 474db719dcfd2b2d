import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { makeHome } from '../../bench-home.ts'
import { type Bench, type Figure, judgeColdStart, median } from '../../figure.ts'
import { cleanEnvironment, runSound } from '../../processes.ts'

const rounds = 9

/** `agent chat` at a terminal, until one can write; and until it has said who answers. */
export const startToPrompt: Figure = {
  name: 'start-to-prompt',
  async measure(bench) {
    const home = makeHome(bench, 'start-to-prompt', { model: (await bench.model()).url })
    const times = { node: [] as number[], prompt: [] as number[], greeting: [] as number[] }
    // The first one warms up.
    for (let round = 0; round <= rounds; round++) {
      const bare = (await runSound(bench, ['-e', '0'])).ms
      const { prompt, greeting } = await openChat(bench, home)
      if (round === 0) continue
      times.node.push(bare)
      times.prompt.push(prompt)
      times.greeting.push(greeting)
    }
    const row = judgeColdStart('start-to-prompt', { valueMs: median(times.prompt), nodeMs: median(times.node), budgetMs: 250 })
    return [{ ...row, value: `${row.value} (${median(times.greeting).toFixed(0)} ms until it says which model answers)` }]
  },
}

/** Milliseconds from the start until each of them is on the terminal, which `script` of util-linux gives. */
async function openChat({ root, signal }: Bench, home: string): Promise<{ readonly prompt: number; readonly greeting: number }> {
  const command = `exec ${quote(process.execPath)} ${quote(join(root, 'host', 'bin', 'agent.mjs'))} chat`
  const startedAt = performance.now()
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: home,
    env: cleanEnvironment({ AGENT_HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' }),
    stdio: ['pipe', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  })
  let shown = ''
  let prompt = Number.NaN
  let greeting = Number.NaN
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece
    const ms = performance.now() - startedAt
    if (Number.isNaN(prompt) && shown.includes('›')) prompt = ms
    if (!Number.isNaN(greeting) || !shown.includes('/exit leaves')) return
    greeting = ms
    child.stdin.write('/exit\r')
  })
  await once(child, 'close')
  child.stdin.destroy()
  if (Number.isNaN(greeting)) throw fail('INTERNAL', { detail: `agent chat ended before it was ready: ${shown.slice(-500)}` })
  return { prompt, greeting }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
