import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Clock, Log, Wire } from '@agent/plugin-sdk'

const longestLine = 4096
const linesPerSecond = 50

/** Lets so many lines of a second pass and counts the rest, so that a chatty plugin fills neither disk nor log. */
function createLineGate(clock: Pick<Clock, 'now'>, onDropped: (text: string) => void): () => boolean {
  let second = 0
  let passed = 0
  return () => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      if (passed > linesPerSecond) onDropped(`${passed - linesPerSecond} lines of one second were left out`)
      second = now
      passed = 0
    }
    passed += 1
    return passed <= linesPerSecond
  }
}

/** A log that takes so many lines in a second and no more. */
export function limitLog(log: Log, clock: Pick<Clock, 'now'>): Log {
  const mayPass = createLineGate(clock, (text) => log.warn(text))
  const limited =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) => {
      if (mayPass()) log[level](cut(String(message)), isSmall(fields) ? fields : { fields: 'too large' })
    }
  return { debug: limited('debug'), info: limited('info'), warn: limited('warn'), error: limited('error') }
}

const cut = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)

function isSmall(fields: unknown): fields is { readonly [key: string]: Wire | undefined } | undefined {
  if (fields === undefined) return true
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) && JSON.stringify(fields).length <= 4 * longestLine
}

/** After so many bytes reading rests for so many milliseconds: who writes more waits, and the host does not spend its time on it. */
const rest = { afterBytes: 262_144, ms: 250 }

/** Hands over the lines of an output, the long ones cut. It is always read to its end: a full pipe would stop the child. */
export function readLines(output: Readable, onLine: (line: string) => void, clock: Pick<Clock, 'sleep'>): void {
  const over = new AbortController()
  let bytes = 0
  const decoder = new StringDecoder('utf8')
  let begun = ''
  output.on('data', (chunk: Buffer) => {
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = (lines.pop() ?? '').slice(0, longestLine)
    for (const line of lines) if (line !== '') onLine(cut(line))
    bytes += chunk.length
    if (bytes < rest.afterBytes) return
    bytes = 0
    output.pause()
    const resume = (): void => void output.resume()
    clock.sleep(rest.ms, over.signal).then(resume, resume)
  })
  output.on('end', () => {
    if (begun !== '') onLine(begun)
  })
  output.on('close', () => over.abort())
  // An output that breaks says nothing more; the end of the process is noticed elsewhere.
  output.on('error', () => (begun = ''))
}
