import { type Column, printProblems, printTable } from '../table.ts'

/** One hostile request, and what it did to the others. */
export interface Row {
  readonly name: string
  readonly answer: string
  /** The longest wait that anybody else had. */
  readonly waitMs: number
  /** How long the machine held up everybody. */
  readonly machineMs: number
  /** What anybody else was answered wrongly. */
  readonly wrong: readonly string[]
  readonly tookMs: number
  readonly beforeMiB: number
  readonly peakMiB: number
  readonly laterMiB: number
}

export interface HostileReport {
  readonly rows: readonly Row[]
  readonly longestWaitMs: number
  /** The longest wait without an attack. */
  readonly calmMs: number
  readonly beforeMiB: number
  /** What one reader of 300 MB that does not read costs. */
  readonly readerMiB: number
  /** A minute after the last attack of each pass. */
  readonly heldMiB: readonly number[]
  /** Connections of attacks that the gateway has not ended. */
  readonly open: number
  /** What was wrong with the end of the gateway. */
  readonly ended: string | undefined
}

const mostGrowth = 1.2
/** From pass to pass nothing may grow; readings of one that rests differ by so much. */
const mostNoise = 1.05
const mostReaderMiB = 20
export const readerOfMuch = 'a paused reader of 300 MB'
/** Answers that say that a request is the gateway's fault. */
const faulty = /\b500$|no answer/

const columns: readonly Column<Row>[] = [
  ['attack', ({ name }) => name],
  ['answer', ({ answer }) => answer.slice(0, 60)],
  ['s', ({ tookMs }) => (tookMs / 1000).toFixed(1)],
  ['longest wait of others, ms', ({ waitMs }) => Math.round(waitMs)],
  ['of the machine, ms', ({ machineMs }) => Math.round(machineMs)],
  ['wrong', ({ wrong }) => wrong.length],
  ['MiB before', ({ beforeMiB }) => Math.round(beforeMiB)],
  ['most', ({ peakMiB }) => Math.round(peakMiB)],
  ['after', ({ laterMiB }) => Math.round(laterMiB)],
]

/** Prints the table; true when nobody else was hurt. */
export function printHostile(report: HostileReport): boolean {
  const { rows, calmMs, beforeMiB, readerMiB, heldMiB, open } = report
  printTable(columns, rows)
  console.log(`longest wait without an attack: ${Math.round(calmMs)} ms`)
  console.log(`held for ${readerOfMuch}: ${Math.round(readerMiB)} MiB`)
  console.log(
    `memory held before: ${Math.round(beforeMiB)} MiB, a minute after the last attack: ${heldMiB.map(Math.round).join(', then again ')} MiB`,
  )
  console.log(`connections of attacks that are still open: ${open}`)
  return printProblems(findProblems(report), 'Nobody else was hurt.')
}

export function findProblems({ rows, longestWaitMs, beforeMiB, readerMiB, heldMiB, open, ended }: HostileReport): readonly string[] {
  const rules = rows.flatMap((row): readonly [boolean, string][] => [
    [
      row.waitMs - row.machineMs <= longestWaitMs,
      `${row.name}: somebody else waited ${Math.round(row.waitMs)} ms, and ${longestWaitMs} is the limit`,
    ],
    [row.wrong.length === 0, `${row.name}: somebody else was not answered rightly (${row.wrong[0]})`],
    [!faulty.test(row.answer), `${row.name}: it was answered ${row.answer}`],
  ])
  const whole: readonly [boolean, string][] = [
    [readerMiB <= mostReaderMiB, `${readerOfMuch}: it cost ${Math.round(readerMiB)} MiB, and ${mostReaderMiB} is the limit`],
    ...heldMiB.map((held, pass): [boolean, string] => {
      const had = heldMiB[pass - 1] ?? beforeMiB
      const most = pass === 0 ? mostGrowth : mostNoise
      return [
        held <= had * most,
        `the gateway holds ${Math.round(held)} MiB a minute after the last attack, and had ${Math.round(had)} before`,
      ]
    }),
    [open === 0, `${open} connections of attacks are still open`],
    [ended === undefined, ended ?? ''],
  ]
  return [...rules, ...whole].filter(([holds]) => !holds).map(([, problem]) => `${problem}.`)
}
