import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Vendor } from '../vendor.ts'
import type { Target } from './target.ts'

/** People who talk all the time, and how long each of them had to wait. */
export interface Crowd extends AsyncDisposable {
  /** The longest wait since the last call, and what anybody was answered wrongly. */
  take(): { readonly longestMs: number; readonly answered: number; readonly wrong: readonly string[] }
  /** Nobody begins anything new for so long. */
  rest(ms: number): Promise<void>
}

export interface CrowdOptions {
  readonly target: Target
  readonly vendor: Vendor
  /** Conversations of each of the two ways. */
  readonly each: number
}

const pieces = 20
const paceMs = 40
/** Somebody who has waited for so long is answered no more. */
const goneMs = 10_000

export function openCrowd({ target, vendor, each }: CrowdOptions): Crowd {
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  let longestMs = 0
  let answered = 0
  let wrong: string[] = []
  let resting = Promise.resolve()
  const note = (ms: number): void => {
    longestMs = Math.max(longestMs, ms)
  }
  // A connection each: one that is kept may be closed while it is written to, which every client meets by asking again.
  const agent = new Agent({ keepAlive: false })
  const waiting = new Map<string, (text: string) => void>()
  let seen = 0
  // The service tells nobody that something arrived.
  const looking = setInterval(() => {
    for (; seen < vendor.arrivals.length; seen++) {
      const arrival = vendor.arrivals[seen]
      if (arrival) waiting.get(arrival.conversation)?.(arrival.text)
    }
  }, 4)
  const readers = Array.from({ length: each }, (_, person) => readAgain(person))
  const writers = Array.from({ length: each }, (_, person) => writeAgain(person))

  /** A stream is late by what lies between two pieces beyond the pace of the model. */
  async function readAgain(person: number): Promise<void> {
    await pause(person * 30)
    while (!over.signal.aborted) {
      const answer = await readStream({ agent, target, onWait: note, signal: over.signal })
      if (over.signal.aborted) return
      if (answer === 'sound') answered++
      else wrong.push(answer)
      await pause(100)
      await resting
    }
  }

  async function writeAgain(person: number): Promise<void> {
    const conversation = `p${person}`
    await pause(person * 40)
    for (let said = 0; !over.signal.aborted; said++) {
      const id = `${conversation}-${said}`
      const at = performance.now()
      const heard = new Promise<string>((resolve) => waiting.set(conversation, resolve))
      vendor.say({ id, conversation, text: `hello ${id}` })
      const text = await Promise.race([heard, pause(goneMs, undefined, { signal: over.signal }).catch(() => undefined)])
      if (over.signal.aborted) return
      note(performance.now() - at)
      if (text === `hello ${id}`) answered++
      else wrong.push(`${id} was answered: ${text ?? 'nothing'}`)
      await pause(900)
      await resting
    }
  }

  return {
    take() {
      const taken = { longestMs, answered, wrong }
      longestMs = 0
      answered = 0
      wrong = []
      return taken
    },
    rest: (ms) => {
      resting = pause(ms)
      return resting
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      clearInterval(looking)
      agent.destroy()
      await Promise.all([...readers, ...writers])
    },
  }
}

interface Reading {
  readonly agent: Agent
  readonly target: Target
  readonly onWait: (ms: number) => void
  readonly signal: AbortSignal
}

function readStream({ agent, target, onWait, signal }: Reading): Promise<string> {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: `flow ${pieces} ${paceMs}` }] })
  const headers = {
    authorization: `Bearer ${target.key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve) => {
    let last = performance.now()
    let text = ''
    const asked = request({ port: target.api, path: '/v1/chat/completions', method: 'POST', agent, headers }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        onWait(performance.now() - last - paceMs)
        last = performance.now()
        text += piece
      })
      response.once('end', () => resolve(text.includes(`piece ${pieces - 1}`) ? 'sound' : `${response.statusCode} ${text.slice(-200)}`))
      response.once('error', (error) => resolve(String(error)))
    })
    asked.setTimeout(goneMs, () => asked.destroy(new Error('nothing came')))
    asked.once('error', (error) => resolve(String(error)))
    signal.addEventListener('abort', () => asked.destroy(), { once: true })
    asked.end(body)
  })
}
