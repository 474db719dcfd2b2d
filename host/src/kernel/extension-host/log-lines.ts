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

/** Hands over the lines of an output, the long ones cut. It is always read to its end: a full pipe would stop the child. */
export function readLines(output: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = (lines.pop() ?? '').slice(0, longestLine)
    for (const line of lines) if (line !== '') onLine(cut(line))
  })
  output.on('end', () => {
    if (rest !== '') onLine(rest)
  })
  // An output that breaks says nothing more; the end of the process is noticed elsewhere.
  output.on('error', () => (rest = ''))
}
