import type { Readable } from 'node:stream'
import { createHeadAndTail, type HeadAndTail } from './head-and-tail.ts'

/** What an interpreter writes before and after a script on each of its outputs. */
export interface Marks {
  readonly begin: string
  readonly end: string
}

export interface MarkedOutput {
  /** Reads what comes between these marks; what comes before and after them belongs to no script. */
  expect(marks: Marks): Reading
}

export interface Reading {
  /** Whether the first mark came. */
  hasBegun(): boolean
  /** Resolves when the last mark came. */
  readonly whole: Promise<void>
  /** What came until now; nothing is read for this script any more. */
  close(): string
}

interface Current {
  readonly marks: Marks
  readonly kept: HeadAndTail
  readonly onWhole: () => void
  state: 'before' | 'inside' | 'after'
}

/** Reads an output for one script after the other, without an end. */
export function readMarked(stream: Readable, limit: number): MarkedOutput {
  let current: Current | undefined
  let held = ''

  function take(now: Current): void {
    if (now.state === 'before') {
      const at = held.indexOf(now.marks.begin)
      if (at < 0) {
        held = held.slice(-now.marks.begin.length)
        return
      }
      held = held.slice(at + now.marks.begin.length)
      now.state = 'inside'
    }
    if (now.state === 'inside') takeInside(now)
    if (now.state === 'after') held = ''
  }

  function takeInside(now: Current): void {
    const at = held.indexOf(now.marks.end)
    // A part of the mark may have come.
    const upTo = at < 0 ? Math.max(0, held.length - now.marks.end.length) : at
    now.kept.push(held.slice(0, upTo))
    held = held.slice(upTo)
    if (at < 0) return
    now.state = 'after'
    now.onWhole()
  }

  stream.setEncoding('utf8').on('data', (text: string) => {
    if (!current) return
    held += text
    take(current)
  })
  return {
    expect(marks) {
      let onWhole: () => void = () => undefined
      const whole = new Promise<void>((resolve) => {
        onWhole = resolve
      })
      const mine: Current = { marks, kept: createHeadAndTail(limit), onWhole, state: 'before' }
      held = ''
      current = mine
      return {
        whole,
        hasBegun: () => mine.state !== 'before',
        close() {
          if (current === mine) {
            if (mine.state === 'inside') mine.kept.push(held)
            current = undefined
          }
          return mine.kept.text()
        },
      }
    },
  }
}
