import { execFile } from 'node:child_process'
import { withTimeLimit } from '@agent/plugin-sdk'
import { systemClock } from '#kernel/clock.ts'
import type { HomeContext } from '#rpc/home-context.ts'

/** What a command said. */
export interface Told {
  /** What it wrote as JSON; undefined where that is none. */
  readonly json: unknown
  /** Its last sentence for a person, where it failed. */
  readonly problem?: string
}

const longestMs = 180_000
const mostBytes = 8 * 1024 * 1024

/** Runs a command of this program to its end and reads what it says with `--json`. Who leaves ends it. */
export async function askProgram(
  [file = process.execPath, ...program]: readonly string[],
  { environment, profile, signal }: HomeContext,
  words: readonly string[],
): Promise<Told> {
  const argv = [...program, ...(profile === undefined ? [] : ['-p', profile]), ...words]
  const limits = { clock: systemClock, signal, ms: longestMs, what: `agent ${words.slice(0, 2).join(' ')}` }
  return await withTimeLimit(limits, (bounded) => {
    const options = { env: { ...environment, NO_COLOR: '1' }, maxBuffer: mostBytes, signal: bounded, encoding: 'utf8' as const }
    return new Promise<Told>((resolve, reject) => {
      const child = execFile(file, argv, options, (error, stdout, stderr) => {
        if (bounded.aborted) return reject(bounded.reason as Error)
        const said =
          stderr
            .trim()
            .split('\n')
            .at(-1)
            ?.replace(/^agent: /, '') || error?.message
        resolve({ json: parse(stdout), ...(error && said ? { problem: said } : {}) })
      })
      child.stdin?.end()
    })
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
